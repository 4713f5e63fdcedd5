"""Whether bots played differently in different runs."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import Block, Columns, gather_blocks
from pwtourney.ratings.runs import chi_square_tail, compare_runs
from pwtourney.report.text.rows import table_notes
from pwtourney.standings.rate import tables
from tests.program import pwtourney
from tests.ratings.games import simulated

NOTE = "Bots played differently in different runs"


def gather_runs(*runs: Sequence[Result], names: Sequence[str | None] | None = None) -> Columns:
    """Return the games of several runs, which are called 0, 1 and so on."""
    blocks = []
    for number, games in enumerate(runs):
        named = [
            game._replace(deal=f"{number} {game.deal}", pair=f"{number} {game.deal}")
            for game in games
        ]
        run = str(number) if names is None else names[number]
        blocks.append(Block.of(named)._replace(run=run))
    return gather_blocks(None, blocks)


def list_notes(columns: Columns) -> list[str]:
    """Return the notes below the table of these games."""
    return [note for note in table_notes(tables(columns, {})) if NOTE in note]


def won(first: str, second: str, wins: int, losses: int) -> list[Result]:
    """Return single games, each on a deal of its own."""
    return [
        Result(first, second, float(number < wins), f"{first} {second} {number}")
        for number in range(wins + losses)
    ]


@pytest.mark.parametrize(
    ("value", "freedom"),
    [(3.8415, 1), (5.9915, 2), (7.8147, 3), (9.4877, 4), (11.0705, 5), (43.773, 30)],
)
def test_tail_of_chi_square_is_that_of_printed_tables(value: float, freedom: int) -> None:
    """The 95 % quantiles of any textbook; nothing is beyond 0."""
    assert chi_square_tail(value, freedom) == pytest.approx(0.05, abs=1e-5)
    assert chi_square_tail(0.0, freedom) == 1.0


def test_two_runs_of_one_pairing_give_the_hypergeometric_chi_square() -> None:
    """Of 80 games 50 are won, 30 in the first half: 5²/(40·40·50·30/(80²·79)) = 5.2667."""
    test = compare_runs(gather_runs(won("a", "b", 30, 10), won("a", "b", 20, 20)))
    assert test is not None
    assert (test.freedom, test.bots) == (1, 2)
    assert test.chi_square == pytest.approx(5.26667, abs=1e-4)
    assert test.p == pytest.approx(0.02174, abs=1e-4)


def test_several_opponents_give_the_test_of_mantel_and_haenszel() -> None:
    """As statsmodels computes it, with the opponents of bot a as strata; it lost in each of them.

    Corrected for four bots, of which the others have one stratum each.
    """
    contingency = pytest.importorskip("statsmodels.stats.contingency_tables")
    strata = [((30, 10), (22, 18)), ((18, 19), (12, 25)), ((50, 5), (46, 9))]
    runs = [
        [game for k, row in enumerate(strata) for game in won("a", f"b{k}", *row[number])]
        for number in (0, 1)
    ]
    test = compare_runs(gather_runs(*runs))
    assert test is not None
    table = contingency.StratifiedTable([np.array(row) for row in strata])
    expected = table.test_null_odds(correction=False)
    assert (test.bot, test.freedom) == ("a", 1)
    assert test.chi_square == pytest.approx(expected.statistic, rel=1e-9)
    assert test.p == pytest.approx(test.bots * expected.pvalue, rel=1e-6)


def test_note_says_that_bots_played_differently() -> None:
    """The second of three bots is 200 Elo weaker in the second run; p is far below 0.001."""
    before, after = simulated([0, 100, 0], 100, 1), simulated([0, -100, 0], 100, 2)
    assert list_notes(gather_runs(before, after)) == [
        f"{NOTE} (bot1 most, p < 0.001): intervals leave that out, and are too narrow"
    ]
    alone = gather_runs(simulated([0, 100], 100, 1), simulated([0, -100], 100, 2))
    assert list_notes(alone) == [
        f"{NOTE} (p < 0.001): intervals leave that out, and are too narrow"
    ]


def test_equal_runs_and_single_runs_have_no_note() -> None:
    """Strengths are constant, or there is nothing to compare: one run, or too few deals."""
    before, after = simulated([0, 100, 0], 100, 1), simulated([0, -100, 0], 100, 2)
    other = simulated([0, 100, 0], 100, 2)
    assert not list_notes(gather_runs(before, other))
    assert compare_runs(gather_runs(before, other)) is not None
    assert compare_runs(gather_runs([*before, *after])) is None
    few = gather_runs(simulated([0, 100], 15, 1), simulated([0, -100], 15, 2))
    assert compare_runs(few) is None


def test_runs_that_results_ended_are_not_compared() -> None:
    """A run that ends when a bot is ahead differs from others by selection."""
    before, after = simulated([0, 100, 0], 100, 1), simulated([0, -100, 0], 100, 2)
    assert compare_runs(gather_runs(before, after, names=[None, "1"])) is None
    columns = gather_runs(before, after)
    assert list_notes(columns)
    assert not list_notes(columns._replace(chosen_by_results=True))
    assert not list_notes(columns._replace(paired_by_results=True))
    beside = gather_runs(before, after, after, names=["0", None, "1"])
    assert compare_runs(beside) is not None
    assert beside.run is not None
    assert np.bincount(beside.run + 1).tolist() == [600, 600, 600]


def test_opponents_of_one_run_do_not_matter() -> None:
    """Bot c plays in the second run only, so its games say nothing about runs."""
    before, after = won("a", "b", 30, 10), won("a", "b", 20, 20)
    alone = compare_runs(gather_runs(before, after))
    more = compare_runs(gather_runs(before, [*after, *won("a", "c", 0, 90)]))
    assert alone is not None
    assert more is not None
    assert more.bots == 2
    assert more.chi_square == pytest.approx(alone.chi_square)


def test_runs_do_not_depend_on_the_order_of_games() -> None:
    """Shuffled within each run, and in many parts."""
    runs = [simulated([0, 50, 100], 60, seed) for seed in (1, 2, 3)]
    expected = compare_runs(gather_runs(*runs))
    for run in runs:
        random.Random(1).shuffle(run)
    assert compare_runs(gather_runs(*runs)) == expected


def test_many_runs_are_taken_together_with_their_neighbours() -> None:
    """Of 64 runs, two make one of 32; the strength rises slowly."""
    runs = [simulated([4 * week, 0], 25, week) for week in range(64)]
    test = compare_runs(gather_runs(*runs))
    assert test is not None
    assert test.freedom == 31
    assert test.p < 0.001


def test_joined_files_are_compared(tmp_path: Path) -> None:
    """Bot a wins 90 % in one file and 50 % in another; with itself, a file is no other run."""
    paths = []
    for number, games in enumerate((won("a", "b", 90, 10), won("a", "b", 50, 50))):
        paths.append(tmp_path / f"{number}.jsonl")
        lines = ({"first": g.first, "second": g.second, "score": g.points} for g in games)
        paths[-1].write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    printed = pwtourney("rate", *map(str, paths)).stdout
    assert f"{NOTE} (p < 0.001)" in " ".join(printed.split())
    for files in ([paths[0]], [paths[0], paths[0]]):
        assert NOTE not in " ".join(pwtourney("rate", *map(str, files)).stdout.split())
