"""An executor that a tournament file names: the same tournament, wherever it is played."""

from pathlib import Path

import pytest

from tests.tournament.test_run import comparable, run

pytestmark = pytest.mark.slow(2)

POOLS = """
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

made = 0

def make():
    global made
    made += 1
    with open("made.txt", "a") as file:
        file.write("made\\n")
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))

def nothing():
    return 3

number = 4
"""
LEAGUE = "name: league\nseed: 5000000000000000\npairs: 2\nbots: [random, frugal, greedy]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a module that makes executors."""
    (tmp_path / "pools.py").write_text(POOLS)
    (tmp_path / "league.yaml").write_text(LEAGUE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow(8)
def test_a_tournament_in_somebody_elses_executor_is_the_same(folder: Path) -> None:
    """Standings and game hash; and it was played there."""
    local, pooled = folder / "local", folder / "pooled"
    run(folder / "league.yaml", "--results", str(local))
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: 'pools:make'}}\nworkers: 2\n")
    run(folder / "pool.yaml", "--results", str(pooled))
    assert (folder / "made.txt").read_text() == "made\n"
    assert comparable(pooled) == comparable(local)


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("nowhere:make", "executor: there is no module 'nowhere'"),
        ("pools:absent", "executor: pools has nothing called 'absent' that makes one"),
        ("pools:number", "executor: pools has nothing called 'number' that makes one"),
        ("pools:nothing", "executor: pools:nothing made int, which cannot submit"),
    ],
)
def test_what_makes_no_executor_is_told(folder: Path, factory: str, message: str) -> None:
    """In a line, with the exit code for usage."""
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: '{factory}'}}\n")
    assert message in run(folder / "pool.yaml", code=2).stderr


def test_untrusted_bots_bring_no_executor(folder: Path) -> None:
    """Their code would run outside the sandbox."""
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: 'pools:make'}}\n")
    done = run(folder / "pool.yaml", "--untrusted", code=2)
    assert "5:11: executor: with --untrusted no code that the file names runs here" in done.stderr
    assert not (folder / "made.txt").exists()
