"""Tournaments from file to table: resuming, kills, refusals, and faults."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pwtourney.report import Summary, summarise
from pwtourney.store import ResultsFolder, Store, dump_outcome
from tests.processes import assert_gone, descendants
from tests.program import pwtourney
from tests.sharing import Once

pytestmark = pytest.mark.slow(2)

CONFIG = """\
name: test
edition: original
seed: 5
pairs: 3
clock: {move: 5s}
processes: persistent
bots: [random, greedy, frugal]
"""
ENDLESS = "pairs: 10000"
"""More pairs than are played before a run is stopped, however late that happens."""
MISBEHAVING = Path(__file__).parent.parent / "misbehaving.py"


def command(config: Path, *options: str) -> list[str]:
    """Return the command that runs a tournament."""
    return [sys.executable, "-m", "pwtourney", "run", str(config), *options]


def run(config: Path, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run a tournament to its end."""
    return pwtourney("run", str(config), *options, code=code)


def summary(results: Path) -> Summary:
    """Return the summary of a results folder."""
    store = Store.open(ResultsFolder(results).database)
    try:
        return summarise(store)
    finally:
        store.close()


def comparable(results: Path) -> tuple[object, ...]:
    """Return what must not depend on how a tournament was run: all but times and the hash chain."""
    report = summary(results)
    lines = [
        (line.rank, line.bot, line.elo, line.plus_minus, line.tally.halves)
        for pool in report.standings.pools
        for line in pool.rows
    ]
    return report.game_hash, report.stored, lines


def stored_pairs(results: Path) -> int:
    """Return how many pairs can be read while a run continues."""
    try:
        with sqlite3.connect(f"file:{results / 'games.sqlite'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM games").fetchone()[0]) // 2
    except sqlite3.Error:
        return 0


def shorten(config: Path, results: Path, pairings: int) -> None:
    """Make an endless tournament end a few pairs after those that are stored."""
    pairs = stored_pairs(results) // pairings + 3
    config.write_text(config.read_text().replace(ENDLESS, f"pairs: {pairs}"))


@pytest.fixture(scope="module")
def undisturbed(once: Once) -> tuple[object, ...]:
    """Return the outcome of the tournament without any disturbance."""
    return comparable(once("run", play) / "r")


@pytest.fixture
def played(once: Once, tmp_path: Path) -> Path:
    """Return a folder with the tournament file, its results, and what the run printed."""
    return shutil.copytree(once("run", play), tmp_path / "own")


def play(folder: Path) -> None:
    """Play the tournament."""
    (folder / "test.yaml").write_text(CONFIG)
    done = run(folder / "test.yaml", "--results", str(folder / "r"), "--workers", "1")
    (folder / "printed").write_text(done.stdout)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Write the tournament file and return it."""
    path = tmp_path / "test.yaml"
    path.write_text(CONFIG)
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """Return the file of a tournament that does not end before it is stopped."""
    path = tmp_path / "endless.yaml"
    path.write_text(CONFIG.replace("pairs: 3", ENDLESS))
    return path


@pytest.mark.slow(5)
def test_killed_run_continues_as_if_undisturbed(endless: Path, tmp_path: Path) -> None:
    """SIGKILL with two workers, then with one; no pair is lost or stored twice."""
    results = tmp_path / "r"
    options = ("--results", str(results), "--workers")
    for workers, more in ((2, 1), (1, 3)):
        target = stored_pairs(results) + more
        process = subprocess.Popen(
            command(endless, *options, str(workers)),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        end = time.monotonic() + 60
        while stored_pairs(results) < target and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)  # freezes the process tree while it is read
        tree = descendants(process.pid)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "the run ended before it was killed"
        assert_gone(tree)
        assert len(tree) >= workers
        assert stored_pairs(results) >= target
    shorten(endless, results, pairings=3)
    done = run(endless, *options, "1")
    assert "continuing: " in done.stderr
    run(endless, "--results", str(tmp_path / "undisturbed"), "--workers", "1")
    assert comparable(results) == comparable(tmp_path / "undisturbed")


@pytest.mark.thorough
def test_finished_tournament_prints_its_table_again(
    played: Path, undisturbed: tuple[object, ...]
) -> None:
    """Nothing is played, `report` prints what `run` printed, and two workers give the same."""
    results = played / "r"
    first = (played / "printed").read_text()
    again = run(played / "test.yaml", "--results", str(results))
    report = pwtourney("report", str(results))
    assert first == again.stdout == report.stdout
    assert comparable(results) == undisturbed
    assert {path.name for path in results.iterdir()} >= {
        "games.sqlite",
        "standings.json",
        "report.md",
    }
    run(played / "test.yaml", "--results", str(results), "--fresh", "--workers", "2")
    assert comparable(results) == undisturbed


@pytest.mark.thorough
def test_other_tournaments_are_not_mixed_in(played: Path) -> None:
    """The error names every difference; `--fresh` moves the old results to another folder."""
    results, config = played / "r", played / "test.yaml"
    before = comparable(results)
    config.write_text(CONFIG.replace("seed: 5", "seed: 6").replace("5s", "4s"))
    refused = run(config, "--results", str(results), code=3)
    assert "seed: stored is 5, the file says 6" in refused.stderr
    assert "bots.greedy.clock: stored is '5000 ms a move', the file says" in refused.stderr
    assert comparable(results) == before
    config.write_text(CONFIG.replace("seed: 5", "seed: 6").replace("pairs: 3", "pairs: 1"))
    fresh = run(config, "--results", str(results), "--fresh", "--workers", "1")
    assert "the old results are now in" in fresh.stderr
    (aside,) = played.glob("r.*")
    assert comparable(aside) == before


@pytest.mark.thorough
def test_tournament_can_be_made_longer(
    config: Path, tmp_path: Path, undisturbed: tuple[object, ...]
) -> None:
    """Pairs are added to the stored ones; the result is that of the longer tournament."""
    results = tmp_path / "r"
    config.write_text(CONFIG.replace("pairs: 3", "pairs: 1"))
    run(config, "--results", str(results), "--workers", "1")
    assert summary(results).stored == 3
    config.write_text(CONFIG)
    run(config, "--results", str(results), "--workers", "1")
    assert comparable(results) == undisturbed


@pytest.mark.thorough
def test_random_seed_is_kept(config: Path, tmp_path: Path) -> None:
    """The summary has the seed, and continuing uses the same one."""
    results = tmp_path / "r"
    config.write_text(CONFIG.replace("seed: 5\n", "").replace("pairs: 3", "pairs: 1"))
    run(config, "--results", str(results), "--workers", "1")
    seed = summary(results).seed
    run(config, "--results", str(results), "--workers", "1")
    assert summary(results).seed == seed != 5


def duels(results: Path, bots: set[str]) -> list[str]:
    """Return all that happened in the games between two bots, except for times."""
    store = Store.open(ResultsFolder(results).database)
    outcomes = [dump_outcome(record) for record in store.records() if set(record.bots) == bots]
    store.close()
    return outcomes


@pytest.mark.thorough
@pytest.mark.slow(8)
def test_faulty_bots_lose_and_other_games_are_unchanged(config: Path, tmp_path: Path) -> None:
    """Hanging, crashing, invalid and illegal bots get their verdicts; no process is left."""
    ways = {"hang": "timeout", "crash": "crash", "nonsense": "protocol", "illegal": "illegal"}
    bots = "".join(
        f"  - id: {way}\n    command: [{sys.executable}, -S, -I, {MISBEHAVING}, {way}]\n"
        for way in ways
    )
    # only `hang` needs a short clock: on a busy machine other bots may need longer to fail
    bots = bots.replace(", hang]\n", ", hang]\n    clock: {move: 300ms}\n")
    text = CONFIG.replace("bots: [random, greedy, frugal]", "bots:\n  - random\n  - frugal\n")
    pwtourney("--version")  # starts the server of such calls, which is no leftover
    before = descendants(os.getpid())
    config.write_text(text.replace("5s", "60s").replace("pairs: 3", "pairs: 1") + bots)
    run(config, "--results", str(tmp_path / "r"), "--workers", "2")
    tallies = {
        line.bot: line.resources
        for pool in summary(tmp_path / "r").standings.pools
        for line in pool.rows
    }
    for way, verdict in ways.items():
        assert set(tallies[way].faults) == {verdict}
        assert tallies[way].faults[verdict] >= 4
    assert not tallies["random"].faults
    assert not tallies["frugal"].faults
    assert_gone(descendants(os.getpid()) - before)
    honest = config.read_text()
    for way in ways:
        honest = honest.replace(f", {way}]", ", honest]")
    config.write_text(honest)
    run(config, "--results", str(tmp_path / "s"), "--workers", "1")
    others = {"random", "frugal"}
    assert duels(tmp_path / "r", others) == duels(tmp_path / "s", others) != []


def test_interrupted_run_stops_and_prints_how_to_continue(endless: Path, tmp_path: Path) -> None:
    """Exit code 130, every ended pair is stored, and the same command continues."""
    results = tmp_path / "r"
    process = subprocess.Popen(
        command(endless, "--results", str(results), "--workers", "1"),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    end = time.monotonic() + 60
    while stored_pairs(results) < 1 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # shells do this to background jobs
    process.send_signal(signal.SIGTERM if ignored else signal.SIGINT)
    _, errors = process.communicate(timeout=90)
    assert process.returncode == 130
    assert f"to continue: pwtourney run {endless} --results {results} --workers 1" in errors
    assert "Traceback" not in errors
    assert stored_pairs(results) >= 1
    shorten(endless, results, pairings=3)
    run(endless, "--results", str(results), "--workers", "1")
    run(endless, "--results", str(tmp_path / "undisturbed"), "--workers", "1")
    assert comparable(results) == comparable(tmp_path / "undisturbed")
