"""The results of a store in blocks, by the version of the league in which they were played."""

from pwtourney.ratings.game_columns import gather_blocks
from pwtourney.store import Meta, make_store_blocks, result_of
from pwtourney.store.meta import LeagueVersion, read_meta
from tests.store.helpers import META, game

RESULTS = [
    result_of(game(seed=pair + 1)._replace(pair=pair, game=k))._replace(moves=None)
    for pair in range(5)
    for k in (0, 1)
]
SECOND = LeagueVersion(records=6, first=3, closed=META.schedule, bots=("a", "b"), facts=META.facts)


def list_runs(meta: Meta) -> list[int] | None:
    """Return the number of each game's run."""
    columns = gather_blocks(None, make_store_blocks(meta, RESULTS))
    assert len(columns.first) == len(RESULTS)
    return None if columns.run is None else sorted(columns.run.tolist())


def test_each_version_of_a_league_is_a_run() -> None:
    """The second version begins with pair 3, so four of ten games are its own."""
    assert list_runs(META) is None
    assert list_runs(META.model_copy(update={"league_versions": (SECOND,)})) == [0] * 6 + [1] * 4


def test_runs_that_a_rule_may_end_are_unknown() -> None:
    """`until` ends them by results."""
    stored = META.model_dump()
    stored["schedule"]["until"] = {"ranks_separated": 0.95}
    assert read_meta(stored).schedule.until is not None
    meta = read_meta(stored).model_copy(update={"league_versions": (SECOND,)})
    assert list_runs(meta) is None
