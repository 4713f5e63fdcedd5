"""`doctor`: what a machine supports, and whether it treats two copies of a bot alike."""

import subprocess
from pathlib import Path

import pytest

from pwtourney.doctor import WAIT, Comparison, compare, judge_cores, list_facilities
from pwtourney.match import PairResult
from pwtourney.notation.game import Game, Ply, Usage, Verdict
from pwtourney.rules import deal
from pwtourney.sandbox.cores import UsableCores
from tests.program import pwtourney
from tests.rules.positions import ORIGINAL


def doctor(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return pwtourney("doctor", *arguments, at=folder, code=None)


@pytest.mark.slow
def test_doctor_explains_each_missing_feature(tmp_path: Path) -> None:
    """Each feature has a line; below a cross are its meaning and how to get it."""
    done = doctor(folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in ("sandbox", "Landlock", "control groups", "libseccomp", "cores", "clock"):
        assert word in done.stdout
    assert "chromium" in done.stdout
    assert done.stdout.count("✗") == done.stdout.count("to get it:")
    for facility in list_facilities():
        assert facility.works or (facility.means and facility.remedy)


def test_cpu_quota_is_reported_with_consequence_and_remedy() -> None:
    """A container started with ``--cpus 0.5`` may use half a core of two."""
    half = judge_cores(UsableCores((0, 1), 2, 2, 0.5))
    assert not half.works
    assert half.detail == "2 cores, of which a control group allows 0.5; 1 game at a time"
    assert half.means.endswith("bots that compute get 50 % of their time")
    assert half.remedy.startswith("a larger CPU quota")
    assert judge_cores(UsableCores((0,), 1, 1)).remedy == "more cores"
    assert judge_cores(UsableCores((0, 2, 1, 3), 2, 2)).detail.endswith("; 2 games at a time")


@pytest.mark.slow
def test_self_play_of_a_deterministic_bot_is_even(tmp_path: Path) -> None:
    """A bot and its copy win the same games of each pair; times are reported too."""
    done = doctor("--self-play", "frugal", "--pairs", "3", folder=tmp_path)
    assert "frugal against itself: 3 pairs, 0 faults" in done.stdout, done.stderr
    assert "✓ score: +0.00 ± 0.00 %" in done.stdout
    for name in ("wall time a move", "processor time a move", "start-up"):
        assert name in done.stdout


@pytest.mark.slow
def test_self_play_uses_the_clock_of_the_file(tmp_path: Path) -> None:
    """A clock too short for any Python bot leads to a timeout, with exit code 1."""
    (tmp_path / "x.yaml").write_text("clock: {move: 1ms}\nbots: [greedy, frugal]\n")
    done = doctor("--self-play", "greedy", "--file", "x.yaml", "--pairs", "2", folder=tmp_path)
    assert done.returncode == 1
    assert "✗ timeout" in done.stdout
    done = doctor("--self-play", "gredy", "--file", "x.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "has no bot 'gredy'; it has greedy, frugal" in done.stderr


def test_machine_that_favours_one_copy_is_detected() -> None:
    """One copy takes twice the time in every pair: the difference is ln 2 = 0.693."""
    comparisons = {
        comparison.name: comparison for comparison in compare(pair(number) for number in range(12))
    }
    assert comparisons["wall time a move"].difference == pytest.approx(0.693, abs=0.01)
    assert not comparisons["wall time a move"].is_alike
    assert comparisons["processor time a move"].is_alike
    assert comparisons["score"].is_alike
    assert comparisons["start-up, first seat against second"].difference == pytest.approx(0.0)
    assert Comparison("score", 0.3, 0.4).is_alike
    assert not Comparison("score", 0.3, 0.4).is_clear
    assert Comparison("score", 0.01, 0.1).is_clear
    assert not Comparison("score", 0.5, 0.4).is_alike


def test_machine_that_favours_a_seat_is_detected() -> None:
    """The second seat waits 9 ms longer for each move and takes twice the time to start."""
    pairs = []
    for number in range(12):
        first, second = pair(number).games
        skewed = [
            game._replace(
                plies=(Ply(0, "advance", 1000, 900), Ply(1, "advance", 10_000 + number, 900)),
                usage=(Usage(start=100), Usage(start=200)),
            )
            for game in (first, second)
        ]
        pairs.append(PairResult(number, (skewed[0], skewed[1])))
    comparisons = {comparison.name: comparison for comparison in compare(pairs)}
    assert comparisons["wall time a move"].is_alike
    assert not comparisons[WAIT].is_alike
    assert comparisons[WAIT].difference == pytest.approx(-9.0, abs=0.02)
    assert not comparisons["start-up, first seat against second"].is_alike


def pair(number: int) -> PairResult:
    """Return a pair in which the copy that is named first is slow in both seats."""
    slow, quick = 2000 + number, 1000 + number % 3
    games = []
    for first in (slow, quick):
        plies = (Ply(0, "advance", first, 500), Ply(1, "advance", slow + quick - first, 500))
        game = Game(
            bots=("x.a", "x.b") if first == slow else ("x.b", "x.a"),
            edition="original",
            deal=deal(ORIGINAL, number),
            seeds=(1, 2),
            plies=plies,
            verdict=Verdict.FINISHED,
            winner=0,
            scores=(1, 0),
            usage=(Usage(start=100), Usage(start=100)),
        )
        games.append(game)
    return PairResult(number, (games[0], games[1]))
