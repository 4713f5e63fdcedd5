"""Which stored results a plan may continue, under which names, and what a refusal says."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.config import TournamentFile
from pwtourney.errors import StoreError
from pwtourney.schedule.pairing import Shard
from pwtourney.standings import Anchor
from pwtourney.store import Meta, ResultsFolder, Store
from pwtourney.tournament.differences import (
    describe_runtime_changes,
    list_differences,
    list_runtime_changes,
)
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.matching import find_versions, name_as_stored
from pwtourney.tournament.plan import Plan
from pwtourney.tournament.resume import (
    choose_seed,
    explain_refusal,
    find_runtime_changes,
    fit_into_league,
    is_complete,
    open_results,
    raise_pairs,
)
from tests.program import pwtourney
from tests.tournament.paper import plan, play

HEAD = "name: paper\nseed: 5000000000000000\nedition: express\npairs: 1\n"
ADA, BOB, CY = (
    f'  - {{id: {name}, command: "{command}"}}\n'
    for name, command in (("ada", "true"), ("bob", "true"), ("cy", "false"))
)
OTHER_ADA = '  - {id: ada, command: "false"}\n'
"""Another program under the same name."""


@pytest.fixture
def folder(tmp_path: Path) -> ResultsFolder:
    """Return a results folder that does not exist yet."""
    return ResultsFolder(tmp_path / "r")


def league(folder: ResultsFolder, *bots: str, head: str = HEAD) -> Plan:
    """Return the plan of a league of bots."""
    return plan(folder.path.parent, f"{head}bots:\n{''.join(bots)}")


def read_meta(folder: ResultsFolder) -> Meta:
    """Return the metadata of the store."""
    with closing(Store.open(folder.database)) as store:
        return store.meta()


def refusals(folder: ResultsFolder, plan: Plan, *, extend: bool = False) -> list[str]:
    """Return why a plan, named as in the store, cannot continue."""
    meta = read_meta(folder)
    named = name_as_stored(plan, meta, extend=extend)
    return list(explain_refusal(folder, meta, named, extend=extend))


FRESH = "To start again, use --fresh (the old results are kept) or another folder with --results."


def test_seed_of_stored_results_is_kept(folder: ResultsFolder) -> None:
    """A new one has at most 63 bits, and two of them are equal once in 2⁶³ times."""
    seeds = {choose_seed(folder) for _ in range(40)}
    assert len(seeds) == 40
    assert max(seeds) < 2**63
    assert max(seed.bit_length() for seed in seeds) > 50
    play(league(folder, ADA, BOB), folder)
    assert choose_seed(folder) == 5000000000000000


def test_new_store_describes_its_tournament(folder: ResultsFolder) -> None:
    """The date is 1 January 1970 plus a day, an hour, a minute and a second."""
    gates = 'gates: ["elo(ada) > elo(bob)"]\nanchor: {bob: 100}\n'
    plan = league(folder, ADA, BOB, head=HEAD + gates)
    folder.prepare()
    open_results(folder, plan, now=lambda: 86_400.0 + 3600 + 60 + 1).close()
    meta = read_meta(folder)
    assert meta.created == "1970-01-02T01:01:01Z"
    assert (meta.name, meta.bots, meta.pairs, meta.seed) == (
        "paper",
        ("ada", "bob"),
        1,
        5000000000000000,
    )
    assert meta.facts == plan.facts()
    assert (meta.over, meta.untrusted, meta.shard, meta.deals) == (False, False, None, "")
    assert meta.gates == ("elo(ada) > elo(bob)",)
    assert meta.ratings.anchors == (Anchor("bob", 100.0),)
    assert meta.edition.name == "express"
    assert meta.edition.lines[0] == "board 7 7 29"
    assert meta.python is not None
    assert meta.system is not None
    assert meta.python.startswith("3.")
    assert " " in meta.system
    assert not meta.league_versions
    hidden = ResultsFolder(folder.path.with_name("hidden"))
    hidden.prepare()
    part = plan._replace(untrusted=True, shard=Shard(1, 2))
    open_results(hidden, part).close()
    meta = read_meta(hidden)
    assert (meta.untrusted, meta.python, meta.system) == (True, None, None)
    assert meta.shard == Shard(1, 2)


def test_tournament_is_complete_if_every_pair_is_stored(folder: ResultsFolder) -> None:
    """Longer schedules, missing results and other parts are not complete."""
    short = league(folder, ADA, BOB)
    assert not is_complete(folder, short)
    play(short, folder)
    assert is_complete(folder, short)
    assert not is_complete(folder, league(folder, ADA, BOB, head=HEAD.replace("s: 1", "s: 2")))
    assert not is_complete(folder, short._replace(shard=Shard(1, 2)))
    other = ResultsFolder(folder.path.with_name("swiss"))
    swiss, longer = (
        league(folder, ADA, BOB, CY, head=f"{HEAD}format: swiss\nrounds: {rounds}\n")
        for rounds in (1, 2)
    )
    play(swiss, other)
    assert is_complete(other, swiss)
    assert not is_complete(other, longer)


def test_part_is_complete_if_its_own_pairs_are_stored(folder: ResultsFolder) -> None:
    """Part 2 of 2 of three pairs has one pair, and is not part 1."""
    whole = league(folder, ADA, BOB, CY)
    part = whole._replace(shard=Shard(2, 2))
    play(part, folder)
    assert is_complete(folder, part)
    assert not is_complete(folder, whole._replace(shard=Shard(1, 2)))
    assert not is_complete(folder, whole)


def test_shortened_tournament_keeps_the_longer_schedule(folder: ResultsFolder) -> None:
    """Settings such as gates change, and pairs that were played stay in the schedule."""
    three = HEAD.replace("pairs: 1", "pairs: 3")
    play(league(folder, ADA, BOB, head=three), folder)
    shorter = league(folder, ADA, BOB, head=HEAD + 'gates: ["elo(ada) > elo(bob)"]\n')
    open_results(folder, shorter).close()
    meta = read_meta(folder)
    assert (meta.schedule.pairs, meta.pairs, meta.gates) == (3, 3, ("elo(ada) > elo(bob)",))
    open_results(folder, league(folder, ADA, BOB, head=HEAD.replace("s: 1", "s: 4"))).close()
    meta = read_meta(folder)
    assert (meta.schedule.pairs, meta.pairs, meta.gates) == (4, 4, ())


def written(folder: ResultsFolder, head: str = HEAD) -> TournamentFile:
    """Write and read the file of a league."""
    file = folder.path.parent / "league.yaml"
    file.write_text(f"{head}bots:\n{ADA}{BOB}")
    return load_tournament(file)


def test_more_pairs_are_added_to_a_complete_run_only(folder: ResultsFolder) -> None:
    """An interrupted run is completed first; the file may ask for still more."""
    file = written(folder)
    assert raise_pairs(file, folder, 3) == file, "nothing is stored yet"
    play(league(folder, ADA, BOB), folder)
    assert raise_pairs(file, folder).config.max_pairs == 1
    assert raise_pairs(file, folder, 3).config.max_pairs == 4
    assert raise_pairs(written(folder, HEAD + "add_pairs: 2\n"), folder).config.max_pairs == 3
    many = written(folder, HEAD.replace("pairs: 1", "pairs: 9") + "add_pairs: 2\n")
    assert raise_pairs(many, folder).config.max_pairs == 9
    with closing(Store.open(folder.database, write=True)) as store:
        store.mark(over=False)
    assert raise_pairs(file, folder, 3).config.max_pairs == 1


@pytest.mark.slow
def test_weekly_run_adds_pairs_and_says_how(tmp_path: Path) -> None:
    """Two bots meet in one pair, then in three, and a run without more says what to raise."""
    (tmp_path / "league.yaml").write_text(f"{HEAD}bots: [random, frugal]\n")
    pwtourney("run", "league.yaml", "--results", "r", at=tmp_path)
    message = pwtourney("run", "league.yaml", "--results", "r", at=tmp_path).stderr
    assert "to play more, raise `pairs` from 1, or use --add-pairs N" in message
    grown = pwtourney("run", "league.yaml", "--results", "r", "--add-pairs", "2", at=tmp_path)
    assert "6 games of 3 pairs" in grown.stdout
    for option in (("--shard", "1/2"), ("--fresh",)):
        words = ("run", "league.yaml", *option, "--add-pairs", "2")
        refused = pwtourney(*words, at=tmp_path, code=2).stderr
        assert "the pairs that the file says" in refused


def test_another_seed_is_another_tournament(folder: ResultsFolder) -> None:
    """Nothing is changed in the store, and --extend does not help."""
    play(league(folder, ADA, BOB), folder)
    other = league(folder, ADA, BOB, head=HEAD.replace("seed: 5", "seed: 6"))
    lines = [
        f"{folder.path}: another tournament is stored here; what differs:",
        "  seed: stored is 5000000000000000, the file says 6000000000000000",
        FRESH,
    ]
    assert refusals(folder, other) == lines
    only = "--extend continues with other bots; nothing else may change."
    assert refusals(folder, other, extend=True) == [*lines[:2], only, FRESH]
    with pytest.raises(StoreError) as caught:
        open_results(folder, other)
    assert str(caught.value) == "\n".join(lines)
    assert refusals(folder, league(folder, ADA, BOB)) == []


def test_other_bots_continue_a_league_with_extend(folder: ResultsFolder) -> None:
    """Without --extend every difference is listed; with it only what it does not allow."""
    play(league(folder, ADA, BOB), folder)
    grown = league(folder, ADA, BOB, CY)
    assert refusals(folder, grown) == [
        f"{folder.path}: another tournament is stored here; what differs:",
        "  cy came",
        "To continue with these bots and keep the games of the others, use --extend.",
        FRESH,
    ]
    assert refusals(folder, grown, extend=True) == []
    both = league(folder, ADA, BOB, CY, head=HEAD.replace("seed: 5", "seed: 6"))
    assert refusals(folder, both, extend=True)[1:-1] == [
        "  seed: stored is 5000000000000000, the file says 6000000000000000",
        "--extend continues with other bots; nothing else may change.",
    ]


def test_formats_that_depend_on_results_are_not_extended(folder: ResultsFolder) -> None:
    """A swiss tournament with another bot is another tournament."""
    swiss = HEAD + "format: swiss\nrounds: 1\n"
    play(league(folder, ADA, BOB, head=swiss), folder)
    lines = refusals(folder, league(folder, ADA, BOB, CY, head=swiss), extend=True)
    assert lines[1] == "  cy came"
    assert lines[-2:] == ["--extend goes with the formats round-robin and gauntlet.", FRESH]


def test_part_continues_only_as_the_same_part(folder: ResultsFolder) -> None:
    """The error names both; a part is not extended before it is merged."""
    whole = league(folder, ADA, BOB, CY)
    part = whole._replace(shard=Shard(2, 3))
    play(part, folder)
    path = folder.path
    assert refusals(folder, part) == []
    assert refusals(folder, whole) == [
        (
            f"{path}: 2/3 is stored here, and the whole is to be played; name another folder with"
            " --results."
        )
    ]
    assert refusals(folder, whole._replace(shard=Shard(1, 3))) == [
        f"{path}: 2/3 is stored here, and 1/3 is to be played; name another folder with --results."
    ]
    assert refusals(folder, league(folder, ADA, BOB), extend=True) == [
        (
            f"{path}: part 2/3 is stored here; merge the parts with `pwtourney merge`, and"
            " extend the whole."
        )
    ]
    other = ResultsFolder(path.with_name("other"))
    play(whole, other)
    assert refusals(other, part) == [
        (
            f"{other.path}: the whole is stored here, and 2/3 is to be played; name another"
            " folder with --results."
        )
    ]


def test_new_version_of_a_bot_gets_a_new_name(folder: ResultsFolder) -> None:
    """The anchor, the gates and the challengers follow it; the version that returns is the old."""
    head = HEAD + 'anchor: {ada: 100}\ngates: ["elo(ada) > elo(bob)"]\n'
    play(league(folder, ADA, BOB, head=head), folder)
    changed = league(folder, OTHER_ADA, BOB, head=head)
    meta = read_meta(folder)
    named = name_as_stored(changed, meta, extend=True)
    assert named.bots == ("ada#2", "bob")
    assert named.rating_options.anchors == (Anchor("ada#2", 100.0),)
    assert named.gates == ("elo(ada#2) > elo(bob)",)
    assert name_as_stored(changed, meta).bots == ("ada", "bob")
    assert name_as_stored(league(folder, ADA, BOB, CY), meta, extend=True).bots == (
        "ada",
        "bob",
        "cy",
    )
    play(changed, folder, extend=True)
    meta = read_meta(folder)
    assert meta.generations[-1].bots == ("ada#2", "bob")
    assert name_as_stored(changed, meta).bots == ("ada#2", "bob")
    # the first version is stored under its own name, and a third one is new
    assert name_as_stored(league(folder, ADA, BOB), meta, extend=True).bots == ("ada", "bob")
    third = league(folder, '  - {id: ada, command: "true", clock: {move: 2s}}\n', BOB)
    assert name_as_stored(third, meta, extend=True).bots == ("ada#3", "bob")
    assert name_as_stored(third, meta).bots == ("ada#2", "bob")
    gauntlet = HEAD + "format: gauntlet\nchallengers: [ada]\n"
    challenged = league(folder, OTHER_ADA, BOB, head=gauntlet)
    challenging: Any = name_as_stored(challenged, meta).schedule
    assert challenging.challengers == ("ada#2",)


def test_extended_league_plays_only_missing_pairs(folder: ResultsFolder) -> None:
    """Ada has met bob; cy's two pairs are missing, and are numbered after the stored pair."""
    play(league(folder, ADA, BOB), folder)
    grown = league(folder, ADA, BOB, CY)
    assert fit_into_league(league(folder, ADA, BOB), folder, extend=True).earlier is None
    fitted = fit_into_league(grown, folder, extend=True)
    assert fitted.earlier is not None
    assert (fitted.earlier.first, fitted.pairs) == (1, 3)
    assert play(grown, folder, extend=True)
    meta = read_meta(folder)
    (version,) = meta.league_versions
    assert (version.first, version.records, version.bots) == (1, 2, ("ada", "bob", "cy"))
    assert version.began == "1970-01-01T00:00:00Z"
    with closing(Store.open(folder.database)) as store:
        pairs = {game.pair: frozenset(game.bots) for game in store.records()}
    assert pairs == {
        0: {"ada", "bob"},
        1: {"bob", "cy"},
        2: {"ada", "cy"},
    }
    again = fit_into_league(grown, folder, extend=False)
    assert again.earlier is not None
    assert again.earlier.first == 1
    assert again.earlier.history == ()
    ruled = league(folder, ADA, BOB, CY, head=HEAD + "until: {interval: 50}\n")
    history = fit_into_league(ruled, folder, extend=False).earlier
    assert history is not None
    assert [played.points for played in history.history] == [(1.0, 1.0)]
    nothing = ResultsFolder(folder.path.with_name("none"))
    assert fit_into_league(grown, nothing, extend=True) is grown


def test_versions_of_a_bot_are_found_by_name(folder: ResultsFolder) -> None:
    """The exact version comes alone; without it, any other version of the bot."""
    plan = league(folder, ADA, BOB)
    ada, bob = plan.entrants
    two_versions = plan._replace(
        entrants=(ada, ada._replace(spec=ada.spec._replace(id="ada#2")), bob)
    )
    names = [
        [entrant.spec.id for entrant in find_versions(two_versions, bot)]
        for bot in ("ada", "ada#2", "ada#3", "bob#2", "cy")
    ]
    assert names == [["ada"], ["ada#2"], ["ada", "ada#2"], ["bob"], []]


def test_differences_name_what_one_side_lacks() -> None:
    """Equal facts and runtimes make no difference."""
    stored = {"seed": 1, "gone": 2, "same": 3, "bots.ada.runtime": {"python": "3"}}
    file_facts = {"new": 4, "seed": 5, "same": 3, "bots.ada.runtime": {"python": "4"}}
    assert list_differences(stored, file_facts) == [
        "new: stored is 'nothing', the file says 4",
        "seed: stored is 1, the file says 5",
        "gone: stored is 2, the file says 'nothing'",
    ]


def test_bots_that_came_went_or_changed_are_only_named() -> None:
    """Their hashes and limits are not listed; another order of the same bots is reported."""
    stored = {
        "bots": ["ada", "bob", "x.y"],
        "bots.ada.content": "sha256 1",
        "bots.ada.clock": "1 s",
        "bots.bob.content": "sha256 2",
        "bots.x.y.content": "sha256 3",
    }
    file_facts = {
        "bots": ["ada", "cy", "dan"],
        "bots.ada.content": "sha256 4",
        "bots.ada.clock": "2 s",
        "bots.cy.content": "sha256 5",
        "bots.dan.limits": {"memory": 1},
    }
    assert list_differences(stored, file_facts) == [
        "cy, dan came; bob, x.y went",
        "ada has changed: its content is not what played",
        "bots.ada.clock: stored is '1 s', the file says '2 s'",
    ]
    assert list_differences({"bots": ["a", "b"]}, {"bots": ["b", "a"]}) == [
        "the bots are in another order"
    ]
    assert list_differences({"bots": 7}, {"bots": ["a"]}) == ["a came"]


def test_changed_runtimes_of_bots_share_a_line() -> None:
    """Bots with the same change are listed together; unknown and equal runtimes are left out."""
    old: dict[str, Any] = {"python": "3.11", "node": "20"}
    stored = {
        "bots.ada.runtime": old,
        "bots.bob.runtime": old,
        "bots.cy.runtime": old,
        "bots.dan.runtime": old,
        "bots.eve.runtime": "forged",
        "bots.ada.content": "x",
    }
    new = {"python": "3.12", "node": "20"}
    now = {
        "bots.ada.runtime": new,
        "bots.eve.runtime": new,
        "bots.fay.runtime": new,
        "bots.bob.runtime": new,
        "bots.cy.runtime": {"python": "3.11", "perl": "5"},
        "bots.dan.runtime": dict(old),
        "bots.ada.content": "y",
    }
    lines = [
        "ada, bob: python 3.12 instead of 3.11",
        "cy: perl 5 instead of nothing; node nothing instead of 20",
    ]
    assert list_runtime_changes(stored, now) == lines
    assert describe_runtime_changes(stored, now) == [
        f"other versions than in the stored games: {line}" for line in lines
    ]


def test_runtimes_are_compared_with_those_of_the_store(folder: ResultsFolder) -> None:
    """Without results there is nothing to compare."""
    plan = league(folder, ADA, BOB)
    assert find_runtime_changes(folder, plan) == []
    play(plan, folder)
    assert find_runtime_changes(folder, plan) == []
    ada, bob = plan.entrants
    changed = plan._replace(entrants=(ada._replace(runtime=(("true", "new"),)), bob))
    (line,) = find_runtime_changes(folder, changed)
    assert line.startswith("other versions than in the stored games: ada: true new instead of sha")
