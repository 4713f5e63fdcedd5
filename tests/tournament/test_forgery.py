"""`verify` says what is wrong with a forged record whose hashes all fit."""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.match import Job, PairResult, PlayedGame
from pwtourney.notation import action_text
from pwtourney.notation.game import Ply, Verdict
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.verify import describe_difference, verify, verify_folder
from tests.match.helpers import GREEDY, RANDOM
from tests.match.helpers import setup as set_up
from tests.rules.positions import EXPRESS
from tests.tournament.paper import Paper, lose, plan, play
from tests.tournament.test_verify import rewrite

LEAGUE = """\
name: paper
pairs: 1
seed: 5000000000000000
edition: express
bots:
  - {id: ada, command: "true"}
  - {id: bob, command: "true"}
"""
"""A single pair: ada has seat 0 in game 0.0, and bob in game 0.1."""


@pytest.fixture
def results(tmp_path: Path) -> ResultsFolder:
    """Return the results of a pair whose games bob loses by crashes.

    In game 0.0 ada advances to space 1, bob to 2 and ada to 3. Bots begin with 5 buttons and 49
    empty squares, so the scores are 5 + 3 − 98 and 5 + 2 − 98. In game 0.1 bob advances to 1, ada
    to 2, and bob crashes.
    """
    folder = ResultsFolder(tmp_path / "r")
    assert play(plan(tmp_path, LEAGUE), folder)
    return folder


def verified(folder: ResultsFolder) -> list[str]:
    """Return the problems of a store."""
    with closing(Store.open(folder.database)) as store:
        return list(verify(store))


def forged(
    folder: ResultsFolder, changes: Mapping[str, Any], number: int = 1, where: str = "0.0"
) -> list[str]:
    """Return the problems of a copy with a forged record, without the place if it is that one."""
    copy = ResultsFolder(folder.path.with_name("copy"))
    copy.prepare()
    shutil.copy(folder.database, copy.database)
    with closing(sqlite3.connect(copy.database)) as connection:
        rewrite(connection, number, **changes)
        connection.commit()
    return [problem.removeprefix(f"game {where} (record {number}): ") for problem in verified(copy)]


def crash(seat: int, verdict: str = "crash") -> dict[str, Any]:
    """Return a fault as it is stored."""
    return {"seat": seat, "verdict": verdict, "message": "", "stderr": "", "machine": None}


def test_store_on_paper_has_no_problems(results: ResultsFolder) -> None:
    """The two games of the pair are as the rules, the schedule and the seed say."""
    assert verified(results) == []


def test_forged_results_differ_from_the_plies(results: ResultsFolder) -> None:
    """The scores, the winner and the verdict follow from the plies and the fault."""
    won = {"winner": 1, "points": (0.0, 1.0)}
    turn = "seat 1 was to move, so it is the other that has won"
    assert forged(results, {"scores": (99, 0)}) == ["the scores are (-90, -91), not (99, 0)"]
    assert forged(results, won) == [turn, "the indexed columns differ from the record"][::-1]
    assert forged(results, {"verdict": "timeout"}) == [
        "its verdict is timeout, and should be crash"
    ]
    half = {"winner": None, "points": (0.5, 0.5)}
    assert forged(results, half)[1:] == [turn]
    assert forged(results, {"plies": [[0, "advance", 1, 0, ""]]}) == [
        "the scores are (-92, -93), not (-90, -91)"
    ]


def test_forged_faults_are_impossible(results: ResultsFolder) -> None:
    """Only one bot fails after the first ply, by a verdict that is a fault."""
    columns = "the indexed columns differ from the record"
    assert forged(results, {"faults": [crash(1), crash(1)]}) == [
        columns,
        "its faults are of the seats [1, 1]",
        "its winner is 0, and should be None",
    ]
    assert forged(results, {"faults": [crash(0), crash(1)]}) == [
        columns,
        "its faults are of the seats [0, 1]",
        "its winner is 0, and should be None",
    ]
    assert forged(results, {"faults": [crash(0)]}) == ["its winner is 0, and should be 1"]
    assert forged(results, {"faults": [crash(1, "finished")]}) == [
        "a fault has a verdict that is no fault",
        "its verdict is crash, and should be finished",
    ]
    assert forged(results, {"faults": []})[:2] == [
        columns,
        "its verdict is crash, and should be finished",
    ]


def test_forged_times_are_negative(results: ResultsFolder) -> None:
    """A ply takes 0 microseconds or more."""
    plies = [[seat, "advance", micros, 0, ""] for seat, micros in ((0, 0), (1, 5), (0, -1))]
    assert forged(results, {"plies": plies}) == ["a ply took a negative time"]
    plies[-1][2] = 0
    assert forged(results, {"plies": plies}) == []


def test_forged_setup_is_not_that_of_the_schedule(results: ResultsFolder) -> None:
    """Bots, options, Automa, deal, seeds and edition are fixed before the first ply."""
    with closing(Store.open(results.database)) as store:
        game = store.game(0, 0)
    first, second, *others = game.deal.circle
    deal = game.deal._replace(circle=(second, first, *others))
    seeds = "its seeds are not those that the tournament's seed gives"
    assert forged(results, {"bots": ("bob", "ada")}) == [
        "the schedule has ('ada', 'bob') in this pair, not ('bob', 'ada')",
        seeds,
    ]
    assert forged(results, {"options": ({"a": "1"}, {})}) == [
        "the schedule has the options ((), ()) in it, not ((('a', '1'),), ())"
    ]
    assert forged(results, {"deal": deal, "deal_id": deal.id()}) == [
        "its deal is not the one that the tournament's seed gives"
    ]
    assert forged(results, {"seeds": game.seeds[::-1]}) == [seeds]
    assert forged(results, {"edition": "original"}) == [
        "it was played in another edition: original"
    ]
    assert forged(results, {"automa": ("intern", False)})[0] == (
        "its Automa is ('intern', False), not None"
    )
    assert forged(results, {"pair": 7}) == [
        "it says that it is game 7.0",
        "the schedule has no such pair",
    ]
    assert forged(results, {"game": 0}, 2, "0.1")[1] == "it says that it is game 0.0"


def test_void_game_has_no_plies_faults_or_scores(results: ResultsFolder) -> None:
    """A game without a result is empty, and an empty one is no problem."""
    columns = "the indexed columns differ from the record"
    void = {"verdict": "runner-error", "winner": None, "points": None}
    full = "it is void, and yet something was played in it"
    assert forged(results, void) == [columns, full]
    empty = void | {"plies": [], "faults": [], "scores": (0, 0)}
    assert forged(results, empty) == [columns]
    for key, value in (("scores", (0, 1)), ("faults", [crash(0)]), ("winner", 0)):
        assert full in forged(results, empty | {key: value})


def test_text_of_a_record_is_its_usual_one(results: ResultsFolder) -> None:
    """A blank is allowed by JSON, and hides nothing only if no record has one."""
    with closing(sqlite3.connect(results.database)) as connection:
        connection.execute("UPDATE games SET record = record || ' ' WHERE number = 2")
        connection.commit()
    assert verified(results) == [
        "game 0.1 (record 2): hash chain broken: this record or the one before it was modified",
        "game 0.1 (record 2): it is not a well-formed record",
    ]


def test_broken_chain_is_reported_where_it_breaks(results: ResultsFolder) -> None:
    """A removed, renumbered or unreadable record gives one line for each of its problems."""
    broken = "hash chain broken: this record or the one before it was modified"
    for change, problems in (
        (
            "DELETE FROM games WHERE number = 1",
            [
                "game 0.1 (record 2): record 1 is missing",
                f"game 0.1 (record 2): {broken}",
                "pair 0: 1 of its two games is there",
            ],
        ),
        (
            "DELETE FROM games WHERE number = 2",
            [
                "the last record should be number 2, and 1 are there",
                "pair 0: 1 of its two games is there",
            ],
        ),
        (
            "UPDATE games SET record = 'x' WHERE number = 1",
            [f"game 0.0 (record 1): {broken}", "game 0.0 (record 1): it cannot be read: "],
        ),
        (
            "UPDATE games SET number = 5 WHERE number = 2",
            ["game 0.1 (record 5): record 2 is missing", "the last record should be number 2, and"],
        ),
    ):
        copy = ResultsFolder(results.path.with_name("copy"))
        copy.prepare()
        shutil.copy(results.database, copy.database)
        with closing(sqlite3.connect(copy.database)) as connection:
            connection.execute(change)
            connection.commit()
        lines = verified(copy)
        assert len(lines) == len(problems)
        assert all(map(str.startswith, lines, problems)), lines


def meta_problems(folder: ResultsFolder, **changes: Any) -> list[str]:
    """Return the problems of a copy whose metadata was changed, apart from those of its hashes."""
    copy = ResultsFolder(folder.path.with_name("copy"))
    copy.prepare()
    shutil.copy(folder.database, copy.database)
    with closing(sqlite3.connect(copy.database)) as connection:
        for key, value in changes.items():
            row = (json.dumps(value), key)
            connection.execute("UPDATE meta SET value = ? WHERE key = ?", row)
        rewrite(connection, 1)
        connection.commit()
    return verified(copy)


def test_forged_metadata_is_inconsistent(results: ResultsFolder) -> None:
    """The edition, the bots, the format and the number of pairs are stored twice."""
    with closing(Store.open(results.database)) as store:
        facts, schedule = store.meta().facts, store.meta().schedule.model_dump()
    assert meta_problems(results, facts=facts | {"edition": "express 0"}) == [
        "the stored edition is not express 0, which was played"
    ]
    assert meta_problems(results, facts=facts | {"bots": ["ada"]}) == [
        "the bots are not those that played"
    ]
    assert meta_problems(results, pairs=2) == [
        "it says that there are 2 pairs, and its schedule has 1"
    ]
    assert meta_problems(results, facts=facts | {"format": "swiss"}) == [
        "the schedule says format round-robin, and swiss was played"
    ]
    assert meta_problems(results, schedule=schedule | {"reach": 1}) == [
        "the schedule says format.reach 1, and None was played"
    ]
    assert meta_problems(results, deals="1,2,3 -")[0].startswith(
        "the schedule that is stored cannot be read: line 1: "
    )
    assert len(meta_problems(results, deals="1,2,3 -")) == 1


def test_league_versions_are_in_order(tmp_path: Path) -> None:
    """A version begins behind the records and pairs of the one before it, and not beyond all."""
    folder = ResultsFolder(tmp_path / "r")
    play(plan(tmp_path, LEAGUE), folder)
    grown = plan(tmp_path, LEAGUE + '  - {id: cy, command: "false"}\n')
    assert play(grown, folder, extend=True)
    assert verified(folder) == []
    with closing(Store.open(folder.database)) as store:
        (version,) = store.meta().model_dump()["league_versions"]
    assert (version["records"], version["first"]) == (2, 1)
    wrong = "the versions of the league are out of order"
    for changes, is_wrong in (
        ({"records": 7}, True),
        ({"records": -1}, True),
        ({"first": 4}, True),
        ({"first": -1}, True),
        ({"records": 0}, False),
        ({"records": 6}, False),
    ):
        # the chain and the pairs no longer fit either, which gives other problems
        with closing(sqlite3.connect(folder.database)) as connection:
            row = (json.dumps([version | changes]),)
            connection.execute("UPDATE meta SET value = ? WHERE key = 'league_versions'", row)
            connection.commit()
        assert (wrong in verified(folder)) is is_wrong, changes


@pytest.mark.slow
def test_reports_of_an_intact_store_are_checked(results: ResultsFolder) -> None:
    """An empty list of games is not the one of the store."""
    with closing(Store.open(results.database)) as store:
        (results.path / "games.jsonl").write_text("")
        (problem,) = verify_folder(store, results)
        assert "games.jsonl" in problem


def test_reports_of_a_broken_store_are_not_checked(results: ResultsFolder) -> None:
    """They are wrong as well, so only the cause is listed."""
    with closing(sqlite3.connect(results.database)) as connection:
        connection.execute("DELETE FROM games WHERE number = 2")
        connection.commit()
    with closing(Store.open(results.database)) as store:
        (results.path / "games.jsonl").write_text("")
        assert verify_folder(store, results) == [
            "the last record should be number 2, and 1 are there",
            "pair 0: 1 of its two games is there",
        ]


def solo(job: Job) -> PairResult:
    """Return a pair of games in which a bot advances against the Automa to the end."""
    games = []
    for setup in job.games:
        game = PlayedGame(setup)
        while not game.is_over:
            if game.is_automas_turn:
                game.play_card()
            else:
                # the first action is to advance, or to place a special patch on the first square
                action = game.state.legal_actions()[0]
                game.follow(Ply(0, action_text(action, setup.edition), 1))
        games.append(game.record())
    first, second = games
    return PairResult(job.pair, (first, second))


def fail_automa(job: Job) -> PairResult:
    """Return a pair of games in which a bot advances once, and then the Automa fails."""
    first, second = (lose(setup, 1, plies=1) for setup in job.games)
    return PairResult(job.pair, (first, second))


def test_games_against_the_automa_verify(tmp_path: Path) -> None:
    """A bot keeps its seat in both games, the Automa's winner is its own, and it cannot fail."""
    text = (
        "format: solo\npairs: 1\nseed: 5000000000000000\nedition: anniversary\n"
        'bots: [{id: ada, command: "true"}]\n'
    )
    folder = ResultsFolder(tmp_path / "r")
    play(plan(tmp_path, text), folder, Paper(solo))
    assert verified(folder) == []
    (problem,) = forged(folder, {"automa": ("legend", False)})[:1]
    assert problem == "its Automa is ('legend', False), not ('intern', False)"
    failing = ResultsFolder(tmp_path / "failing")
    play(plan(tmp_path, text), failing, Paper(fail_automa))
    assert verified(failing) == [
        f"game 0.{game} (record {game + 1}): the Automa cannot fail" for game in (0, 1)
    ]


def test_first_difference_of_two_games_is_described() -> None:
    """An action comes first, then the number of plies, then the verdict."""
    setup = set_up(RANDOM, GREEDY, edition=EXPRESS)
    game = lose(setup, 0)
    longer = game._replace(plies=(*game.plies, game.plies[0]))
    other = game._replace(plies=(game.plies[0], game.plies[1]._replace(action="1:r0:a1")))
    late = game._replace(verdict=Verdict.TIMEOUT)
    assert describe_difference(game, game) == "the game went as it is stored, ply for ply"
    assert describe_difference(game, longer) == (
        "the stored game has 2 plies, this one 3; none of the common differs"
    )
    assert describe_difference(longer, other) == (
        "ply 2 differs: stored is advance, now it is 1:r0:a1"
    )
    assert describe_difference(game, late) == (
        "the same plies, but stored is crash, now it is timeout"
    )
