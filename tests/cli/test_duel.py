"""Is the new version better: asked with real bots."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.program import pwtourney
from tests.sharing import Once

SEED = "3000000000000001"
WIDE = ("--elo0", "0", "--elo1", "300")
MISBEHAVING = Path(__file__).parent.parent / "misbehaving.py"


def duel(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    return pwtourney("duel", *arguments, at=folder, code=None)


@pytest.fixture
def answered(once: Once, tmp_path: Path) -> Path:
    """Return a folder in which greedy has won a duel against random."""
    return shutil.copytree(once("duel", play), tmp_path / "own")


def play(folder: Path) -> None:
    """Let greedy win."""
    done = duel(folder, "greedy", "random", "--edition", "express", "--seed", SEED, *WIDE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("greedy is better than random.\n")


@pytest.mark.slow(5)
def test_a_better_bot_is_told_by_a_sentence_and_the_code_0(answered: Path) -> None:
    """Asked again, nothing is played, and the answer is the same; the store keeps every game."""
    again = duel(answered, "greedy", "random", "--edition", "express", "--seed", SEED, *WIDE)
    assert (again.returncode, again.stderr) == (0, "")
    assert "LLR" in again.stdout
    assert "Pairs with 0, ½, 1, 1½ and 2 points:" in again.stdout
    assert (answered / "results" / "duel-greedy-random" / "games.sqlite").exists()


@pytest.mark.slow
def test_other_terms_are_refused_with_what_differs(answered: Path) -> None:
    """A test may not be changed while it is under way."""
    done = duel(
        answered, "greedy", "random", "--edition", "express", "--seed", SEED, "--elo1", "30"
    )
    assert done.returncode == 3
    assert "format.sprt" in done.stderr


@pytest.mark.slow(4)
def test_a_worse_bot_is_told_by_the_code_1(tmp_path: Path) -> None:
    """The same bots the other way round."""
    done = duel(tmp_path, "random", "greedy", "--edition", "express", "--seed", SEED, *WIDE)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("random is not better than greedy by 300 nElo.\n")


@pytest.mark.slow(8)
def test_two_versions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """One that never starts loses by its faults, which are named; ids are made from the names."""
    never = f"{MISBEHAVING}:Crashes"  # there is no such class
    done = duel(
        *(tmp_path, never, "random", "--edition", "express", "--quiet", "--no-fail-fast", *WIDE),
    )
    assert done.returncode == 1, done.stderr
    assert "Games lost by a fault: misbehaving" in done.stdout
    twins = duel(
        tmp_path, "random", "random", "--edition", "express", "--elo0", "-300", "--elo1", "300"
    )
    assert "random-new" in twins.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--elo0", "5", "--elo1", "5"), "elo0 must be below elo1"),
        (("--elo1", "900"), "within ±400"),
        (("--alpha", "0.7"), "alpha and beta"),
        (("--alpha", "1e-320"), "alpha and beta"),
        (("--elo1", "1e-9"), "0.1 Elo apart"),
        (("--move", "soon"), "clock.move: expected a duration"),
        (("--edition", "banana"), "edition: "),
    ],
)
@pytest.mark.slow
def test_what_cannot_be_asked_is_one_clear_error(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Exit code 2, nothing written."""
    done = duel(tmp_path, "greedy", "random", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.slow
def test_a_bot_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """The usual message, before anything is written."""
    done = duel(tmp_path, "greedy", "nobody")
    assert done.returncode == 2
    assert "nobody" in done.stderr
    assert not (tmp_path / "results").exists()
