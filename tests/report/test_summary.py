"""The content of all reports, from real stores with a few games."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.errors import StoreError
from pwtourney.notation import edition_lines
from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Verdict
from pwtourney.ratings import Result
from pwtourney.ratings.pairs import Sprt
from pwtourney.report.game_statistics import NO_STATISTICS
from pwtourney.report.publishing import publish, report_differences
from pwtourney.report.summary import (
    Conditions,
    find_tuned,
    summarise,
    summarise_with_statistics,
)
from pwtourney.rules import deal, find_edition
from pwtourney.schedule.pairing import Shard
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import Checked
from pwtourney.store import GameHash, Meta, ResultsFolder, Store, StoredEdition
from tests.report.handcount import GAME, TINY
from tests.report.leagues import make_league

EXPRESS = find_edition("express")
DEALT = deal(EXPRESS, 1)
PLAN = {"format": "round-robin", "pairs": 2, "deals": "fresh", "until": None}


def make_meta(**more: Any) -> Meta:
    """Return the metadata of a tournament of crow and owl."""
    values = {
        "name": "t",
        "bots": ("crow", "owl"),
        "facts": {"seed": 7, "edition": f"express {EXPRESS.fingerprint()}"},
        "edition": StoredEdition(name="express", lines=tuple(edition_lines(EXPRESS))),
        "pairs": 2,
        "schedule": PLAN,
        "ratings": RatingOptions(),
        "league_versions": (),
        "over": True,
        "version": "1.2.3",
    }
    return Meta(**{**values, **more})


def make_game(number: int, **more: Any) -> Game:
    """Return a game of crow and owl, which swap seats; the first seat wins by 5 points."""
    bots = ("crow", "owl") if number % 2 == 0 else ("owl", "crow")
    plain = Game(
        bots,
        "express",
        deal(EXPRESS, number // 2),
        (1, 2),
        (Ply(0, "advance", 1000), Ply(1, "advance", 3000)),
        Verdict.FINISHED,
        0,
        (25, 20),
        pair=number // 2,
        game=number % 2,
    )
    return plain._replace(**more)


def make_store(folder: Path, games: Sequence[Game], **more: Any) -> Store:
    """Return a store with these games, of which each two are a pair."""
    store = Store.create(folder / "games.sqlite", make_meta(**more))
    for first in range(0, len(games), 2):
        store.add(list(games[first : first + 2]))
    return store


def test_conditions_begin_with_what_the_tournament_says_of_its_bots() -> None:
    """Bots that keep their process, how they may ponder, and whether it is a part."""
    facts = {
        "seed": 7,
        "edition": "express",
        "bots.crow.processes": "persistent",
        "bots.owl.processes": "per-game",
        "bots.owl.pondering": "allow",
    }
    conditions = Conditions.of(make_meta(facts=facts))
    assert conditions.persistent == ("crow",)
    assert conditions.pondering == {"crow": "measure", "owl": "allow"}
    assert conditions.profiles == {"crow": Counter(), "owl": Counter()}
    assert conditions.is_part is False
    assert Conditions.of(make_meta(shard=Shard(1, 2))).is_part is True


def test_conditions_count_games_by_sandbox_and_by_what_went_wrong() -> None:
    """Replays count once per pair, and only if the game counts; the Automa has no sandbox."""
    withheld = Hindrance(1000, 900, 0, 0, 10, 10)
    late = Fault(1, Verdict.TIMEOUT, "late", machine=withheld)
    slow = late._replace(machine=withheld._replace(queued=0))
    void = {"verdict": Verdict.RUNNER_ERROR, "winner": None}
    conditions = Conditions.of(make_meta())
    for game in (
        make_game(0, profiles=("bwrap", "none"), replays=2),
        make_game(1, profiles=("none", "bwrap"), replays=2),
        make_game(2, **void, replays=1),
        make_game(3, **void, replays=1),
        make_game(4, faults=(late, slow), verdict=Verdict.TIMEOUT),
        make_game(5, bots=("crow", "automa"), profiles=("bwrap", "")),
        make_game(6, bots=("crow", "jay"), profiles=("", "bwrap")),
        make_game(7, plies=(), faults=(late._replace(machine=None),), verdict=Verdict.CRASH),
        make_game(8).disqualify("owl had too many faults"),
        make_game(9, replays=3).disqualify("owl had too many faults"),
        make_game(10, replays=1),
    ):
        conditions.add(game)
    assert conditions == Conditions(
        (),
        {"crow": "measure", "owl": "measure"},
        {"crow": Counter({"bwrap": 3}), "owl": Counter({"none": 2})},
        games=11,
        voids=4,
        # not those that are void, and not the one that ended before the first action
        valid=6,
        replayed=2,
        spoilt=1,
        blamed=1,
        disqualified=Counter({"owl": 2}),
    )


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ({"games": 2, "voids": 2}, "all 2 games are void"),
        ({"games": 3}, "in all 3 games a bot failed before its first action"),
        (
            {"games": 5, "voids": 2},
            "in 3 games a bot failed before its first action, 2 are void",
        ),
        ({"games": 2, "voids": 2, "is_part": True}, "all 2 games are void"),
        ({"games": 3, "is_part": True}, None),
        ({"games": 3, "valid": 1}, None),
        ({}, None),
    ],
    ids=range(7),
)
def test_games_give_no_result_if_none_is_valid(counts: dict[str, int], why: str | None) -> None:
    """In a part, one broken bot may have all games; other parts have those of others."""
    reason = Conditions((), {}, **counts).explain_no_result()  # type: ignore[arg-type]
    assert reason == (f"No valid game, so no result: {why}" if why else "")


def test_notes_on_conditions_name_what_readers_must_know() -> None:
    """Each kind of sandbox has its bots; a warning stays without details."""
    conditions = Conditions(
        ("crow", "owl"),
        {},
        {"crow": Counter({"none+user": 1, "bwrap": 1}), "owl": Counter({"bwrap": 2})},
        replayed=0,
        spoilt=2,
    )
    warning = "Sandbox none+user: crow (bots ran WITHOUT a sandbox)"
    held = "The machine held bots up: 0 pairs were played again, 2 are void"
    assert [*conditions.notes()] == [
        "Sandbox bwrap: crow, owl",
        warning,
        "One process for many games (processes: persistent): crow, owl",
        held,
    ]
    assert [*conditions.notes(details=False)] == [warning, held]
    conditions = Conditions((), {}, {"owl": Counter({"bwrap": 2})}, replayed=1)
    conditions.disqualified.update({"owl": 4, "crow": 2})
    assert [*conditions.notes()] == [
        "Sandbox: bwrap",
        "The machine held bots up: 1 pairs were played again, 0 are void",
        "Disqualified after too many faults: crow (1 pairs void)",
        "Disqualified after too many faults: owl (2 pairs void)",
    ]
    assert [*Conditions((), {}).notes()] == []


def test_summary_has_the_facts_of_its_store(tmp_path: Path) -> None:
    """Every listener gets each game once, with its result."""
    seen: list[tuple[int, Result]] = []
    games = [make_game(number) for number in range(4)]
    with closing(make_store(tmp_path, games, pairs=9, over=False)) as store:
        summary = summarise(
            store, lambda game, result: seen.append((2 * game.pair + game.game, result)), level=0.9
        )
        assert summary.chain_head == store.head()
    assert [number for number, _ in seen] == [0, 1, 2, 3]
    assert [result.margin for _, result in seen] == [5] * 4
    hashed = GameHash()
    for game in games:
        hashed.add(game)
    assert summary.game_hash == hashed.digits()
    assert (summary.name, summary.bots, summary.edition) == ("t", ("crow", "owl"), "express")
    assert (summary.seed, summary.version, summary.over) == (7, "1.2.3", False)
    assert (summary.planned, summary.stored) == (9, 2)
    assert (summary.standings.games, summary.standings.voids) == (4, 0)
    assert summary.level == summary.standings.pools[0].level == 0.9
    assert summary.conditions.games == summary.conditions.valid == 4
    assert (summary.table, summary.gates, summary.shard, summary.order) == (None, (), "", None)
    assert (summary.is_test, summary.tuning, summary.sweep) == (False, None, None)
    rows = {row.bot: row for row in summary.standings.pools[0].rows}
    # every bot has moved once in each of its four games
    assert rows["crow"].resources.wall == 2 * 1000 + 2 * 3000
    assert rows["crow"].resources.games == 4


def test_statistics_of_the_game_are_computed_only_on_demand(tmp_path: Path) -> None:
    """A hand-counted game is stored with its mirror; listeners still get each game."""
    edition = StoredEdition(name="tiny", lines=tuple(edition_lines(TINY)))
    mirror = GAME._replace(bots=GAME.bots[::-1], game=1)
    seen: list[int] = []
    with closing(
        make_store(tmp_path, [GAME, mirror], bots=("magpie", "crow"), edition=edition)
    ) as store:
        assert summarise(store).statistics == NO_STATISTICS
        summary = summarise_with_statistics(store, lambda game, _: seen.append(game.game))
    assert seen == [0, 1]
    magpie = summary.statistics.find("magpie")
    assert magpie is not None
    assert (magpie.own.games, magpie.own.buttons) == (2, 12.5)
    assert summary.standings.games == 2


def test_season_of_a_league_has_the_pairs_of_each_version(tmp_path: Path) -> None:
    """Three, two and two pairs, from pairs 0, 3 and 5 on."""
    with closing(make_league(tmp_path)) as store:
        summary = summarise(store)
    changes = [(change.number, change.first, change.pairs) for change in summary.season.changes]
    assert changes == [(1, 0, 3), (2, 3, 2), (3, 5, 2)]
    assert summary.bots == ("magpie", "crow", "wren", "magpie#2", "owl")
    assert summary.season.members["wren"].status == "removed"


def test_game_of_other_bots_is_refused(tmp_path: Path) -> None:
    """The hash chain of such a store is intact, so only this check notices."""
    games = [make_game(0), make_game(1), make_game(2), make_game(3, bots=("owl", "jay"))]
    with closing(make_store(tmp_path, games)) as store, pytest.raises(StoreError) as caught:
        summarise(store)
    assert str(caught.value) == "game 1.1 is one of other bots: ('owl', 'jay')"


def test_table_of_the_format_follows_from_the_stored_games(tmp_path: Path) -> None:
    """A Swiss tournament of one round: both bots have one of two points."""
    swiss = {"format": "swiss", "pairs": 1, "deals": "fresh", "until": None, "rounds": 1}
    games = [make_game(0), make_game(1)]
    with closing(make_store(tmp_path, games, schedule=swiss, pairs=1)) as store:
        summary = summarise(store)
    assert summary.table is not None
    assert summary.table.title.startswith("Swiss")
    assert {row[1] for row in summary.table.rows} == {"crow", "owl"}
    assert summary.standings.pools[0].paired_by_results
    assert not summary.standings.pools[0].chosen_by_results


def test_sequential_test_has_a_table_and_intervals_that_are_too_narrow(tmp_path: Path) -> None:
    """Results decide how many pairs are played, but not between whom."""
    bounds = Sprt(0.0, 200.0)._asdict()
    test = {"format": "sprt", "pairs": 2, "deals": "fresh", "until": None, "sprt": bounds}
    games = [make_game(number) for number in range(4)]
    with closing(make_store(tmp_path, games, schedule=test)) as store:
        summary = summarise(store)
    assert summary.is_test
    assert summary.table is not None
    pool = summary.standings.pools[0]
    assert (pool.paired_by_results, pool.chosen_by_results) == (False, True)


def test_sweep_has_the_table_of_its_values(tmp_path: Path) -> None:
    """Crow plays with one value, and owl with the other."""
    facts = {
        "seed": 7,
        "edition": "express",
        "bots": ["crow", "owl"],
        "sweep": {"bot": "jay", "options": {"pace": ["1", "2"]}},
        "bots.crow.set": {"pace": "1"},
        "bots.owl.set": {"pace": "2"},
    }
    games = [make_game(0), make_game(1), make_game(2, winner=1), make_game(3)]
    with closing(make_store(tmp_path, games, facts=facts)) as store:
        summary = summarise(store)
        assert find_tuned(store) is None
    assert summary.sweep is not None
    assert summary.sweep.players == {("1",): "crow", ("2",): "owl"}
    assert summary.table is not None
    assert summary.table.title == "jay: Elo by pace"


def check_gates(
    folder: Path, games: Sequence[Game], level: float, **more: Any
) -> tuple[Checked, ...]:
    """Return the gates of a tournament that is read with intervals at a level."""
    texts = ("score(crow, owl) > 0.4", "faults(owl) == 0", "elo(crow) > elo(owl) - 50 @ 95%")
    folder.mkdir()
    with closing(make_store(folder, games, gates=texts, **more)) as store:
        return summarise(store, level=level).gates


def test_gates_are_checked_at_their_own_level(tmp_path: Path) -> None:
    """Their numbers do not depend on the level that is chosen for intervals."""
    games = [make_game(number, winner=int(number in (0, 3, 5))) for number in range(8)]
    usual, strict = (check_gates(tmp_path / str(level), games, level) for level in (0.95, 0.99))
    assert usual == strict
    assert [gate.text for gate in usual] == [
        "score(crow, owl) > 0.4",
        "faults(owl) == 0",
        "elo(crow) > elo(owl) - 50 @ 95%",
    ]
    assert usual[1].passed


def test_gates_fail_without_a_valid_game_and_are_not_checked_in_a_part(tmp_path: Path) -> None:
    """A part may pass what the whole does not."""
    void = [make_game(k, verdict=Verdict.RUNNER_ERROR, winner=None) for k in range(2)]
    gates = check_gates(tmp_path / "void", void, 0.95)
    assert [(gate.passed, gate.numbers) for gate in gates] == [(False, "no valid game")] * 3
    sound = [make_game(0), make_game(1)]
    assert check_gates(tmp_path / "part", sound, 0.95, shard=Shard(1, 2)) == ()


@pytest.fixture
def differing(tmp_path: Path) -> Iterator[tuple[Store, ResultsFolder]]:
    """Return a store and a folder for its reports."""
    with closing(make_store(tmp_path, [make_game(0), make_game(1)])) as store:
        yield store, ResultsFolder(tmp_path)


@pytest.mark.slow
def test_changed_report_is_named(differing: tuple[Store, ResultsFolder]) -> None:
    """One that is missing is no difference: it was never written."""
    store, folder = differing
    publish(store, folder.path)
    (folder.path / "junit.xml").unlink()
    assert [*report_differences(store, folder)] == []
    path = folder.path / "standings.csv"
    path.write_text("table\n")
    assert [*report_differences(store, folder)] == [
        f"{path} differs from the stored games; `run` writes it again"
    ]


def test_part_of_a_schedule_is_named(tmp_path: Path) -> None:
    """The first of two parts."""
    with closing(make_store(tmp_path, [make_game(0), make_game(1)], shard=Shard(1, 2))) as store:
        summary = summarise(store)
    assert summary.shard == "1/2"
    assert summary.conditions.is_part


@pytest.mark.slow
def test_all_reports_of_a_store_are_written(tmp_path: Path) -> None:
    """`docs/reports.md` lists them; each contains what it is for."""
    with closing(make_store(tmp_path, [make_game(0), make_game(1)])) as store:
        summary = publish(store, tmp_path / "out", level=0.9)
    assert summary.level == 0.9
    texts = {
        str(path.relative_to(tmp_path / "out")): path.read_text()
        for path in (tmp_path / "out").rglob("*")
        if path.is_file()
    }
    badges = {f"badges/{bot}.{kind}" for bot in ("crow", "owl") for kind in ("json", "svg")}
    beginnings = {
        "standings.json": "{",
        "standings.csv": "table,level,",
        "report.md": "# t\n",
        "report.html": "<!doctype html>",
        "junit.xml": "<?xml",
        "benchmark.json": "[",
        "games.jsonl": "{",
    }
    assert texts.keys() == {*beginnings, *badges}
    for name, beginning in beginnings.items():
        assert texts[name].lower().startswith(beginning), name
    games = [json.loads(line) for line in texts["games.jsonl"].splitlines()]
    assert [(game["game"], game["first"], game["margin"]) for game in games] == [
        ("0.0", "crow", 5),
        ("0.1", "owl", 5),
    ]
    page = texts["report.html"]
    assert "crow" in page
