"""Runs with kills at random moments, a full disk or a folder that is not writable."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from pwtourney.notation.game import Game
from pwtourney.store import ResultsFolder, Store, dump_outcome
from pwtourney.tournament import verify
from tests.processes import assert_gone, descendants, find_workers, living, read_command_line
from tests.tournament.test_run import (
    ENDLESS,
    command,
    comparable,
    run,
    shorten,
    stored_pairs,
)

pytestmark = pytest.mark.slow(3)

CONFIG = """\
name: test
edition: {edition}
seed: 5000000000000000
{pairs}
clock: {{move: 30s}}
bots: [random, greedy, frugal]
"""
STAYING = "processes: persistent\nworkers: 1\n"
"""Saves time in tests that need neither a process for each game nor parallel games."""
DISTURBANCES = ("runner",) * 3 + ("worker",) * 3 + ("bot",) * 6
"""The kinds of processes to kill; they are killed in random order."""
SECONDS = 400


def written(folder: Path, pairs: str, more: str = "") -> Path:
    """Write a tournament file, with more keys.

    In Express, whose late patches are hidden, each game gets new processes.
    """
    path = folder / "test.yaml"
    edition = "original" if more == STAYING else "express"
    path.write_text(CONFIG.format(pairs=pairs, edition=edition) + more)
    return path


def records(results: Path) -> dict[tuple[int, int], Game]:
    """Return the stored games by pair and game, after a check of the whole store."""
    store = Store.open(ResultsFolder(results).database)
    assert list(verify(store)) == []
    games = {(record.pair, record.game): record for record in store.records()}
    store.close()
    return games


def victims(runner: int, kind: str) -> list[int]:
    """Return the processes of a kind that belong to a runner."""
    if kind == "runner":
        return [runner]
    if kind == "worker":
        return find_workers(runner)
    leaves = descendants(runner) - set(living().values())
    youngest_first = sorted(leaves, reverse=True)  # they live longest
    return [pid for pid in youngest_first if "-m pwtourney.sdk" in read_command_line(pid)][:2]


def moved_on(results: Path, process: "subprocess.Popen[bytes]", end: float) -> None:
    """Wait until three more pairs are stored, so that no job loses its worker three times."""
    before = stored_pairs(results)
    while process.poll() is None and time.monotonic() < end:
        if stored_pairs(results) >= before + 3:
            return
        time.sleep(0.02)


def disturb(config: Path, results: Path, rng: random.Random) -> dict[str, int]:
    """Play a tournament while killing runners, workers and bots at random moments.

    Return the number of killed processes of each kind.
    """
    kinds = rng.sample(DISTURBANCES, len(DISTURBANCES))
    done = dict.fromkeys(kinds, 0)
    end = time.monotonic() + SECONDS
    while kinds and time.monotonic() < end:
        process = subprocess.Popen(
            command(config, "--results", str(results), "--workers", "2", "--quiet"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        if rng.random() < 0.75:  # in the other cases the kill may come before any bot has started
            while process.poll() is None and not victims(process.pid, "bot"):
                assert time.monotonic() < end, "no bot was ever started"
                time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        tree: set[int] = set()
        while process.poll() is None and time.monotonic() < end:
            kind = kinds[-1]
            tree |= descendants(process.pid)
            pids = victims(process.pid, kind)
            if pids:
                with suppress(ProcessLookupError):
                    os.kill(rng.choice(pids), signal.SIGKILL)
                    done[kinds.pop()] += 1
            if kind == "worker" and pids:
                moved_on(results, process, end)  # a job that loses three workers is given up
            if kind == "runner" or not kinds:
                break
            time.sleep(rng.uniform(0.02, 0.15))
        if process.poll() is None:
            process.kill()
        assert process.wait() == -signal.SIGKILL, "the run ended before all were killed"
        assert_gone(tree)
    return done


@pytest.mark.timeout(600)
@pytest.mark.slow(25)
@pytest.mark.thorough
def test_kills_change_only_the_games_of_killed_bots(tmp_path: Path) -> None:
    """After 12 kills of runners, workers and bots, every pair is stored exactly once.

    A bot that is killed loses that game, as a bot does that the kernel kills for its memory.
    Every other game is identical to the game of an undisturbed run.
    """
    config = written(tmp_path, ENDLESS)
    done = disturb(config, tmp_path / "r", random.Random(7))
    assert done == Counter(DISTURBANCES)
    shorten(config, tmp_path / "r", pairings=3)
    run(config, "--results", str(tmp_path / "r"))
    # persistent bots play the same games, and nothing is killed in this run
    undisturbed = ("--results", str(tmp_path / "undisturbed"), "--set", "processes=persistent")
    run(config, *undisturbed, "--workers", "1")
    before, after = records(tmp_path / "undisturbed"), records(tmp_path / "r")
    assert before.keys() == after.keys()
    failed = [key for key, record in after.items() if record.faults]
    assert len(failed) <= done["bot"]
    assert {after[key].verdict for key in failed} <= {"crash", "start"}
    for key, record in after.items():
        assert key in failed or dump_outcome(record) == dump_outcome(before[key])


def test_full_disk_is_one_clear_error_and_leaves_the_store_intact(tmp_path: Path) -> None:
    """RLIMIT_FSIZE stands in for a full disk; without the limit the run continues."""
    config = written(tmp_path, "pairs: 3", STAYING)
    results = tmp_path / "r"
    limited = (
        "import resource, os, sys;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, resource.RLIM_INFINITY));"
        "os.execv(sys.executable, [sys.executable, '-m', 'pwtourney', *sys.argv[1:]])"
    )
    words = ["run", str(config), "--results", str(results), "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", limited, *words],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"error: {results}/games.sqlite: ")
    assert "Traceback" not in done.stderr
    stored = records(results)
    assert 0 < len(stored) < 18
    run(config, "--results", str(results))
    run(config, "--results", str(tmp_path / "undisturbed"))
    assert comparable(results) == comparable(tmp_path / "undisturbed")


@pytest.mark.thorough
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_full_file_system_is_one_clear_error(tmp_path: Path) -> None:
    """The results are on a tmpfs of 300 KiB, which is mounted in the test's own mount namespace."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare (util-linux) is not there")
    config = written(tmp_path, "pairs: 60", STAYING)
    mount_point = tmp_path / "small"
    mount_point.mkdir()
    script = (
        f"mount -t tmpfs -o size=300k none {mount_point} && "
        f"{sys.executable} -m pwtourney run {config} --results {mount_point}/r --quiet; code=$?; "
        f"cp -r {mount_point}/r {tmp_path}/kept; exit $code"
    )
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("no file system can be mounted here")
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("error:") == 1
    assert "Traceback" not in done.stderr
    assert records(tmp_path / "kept")


def test_unwritable_results_folder_is_one_clear_error(tmp_path: Path) -> None:
    """Nothing is played. For root, who may write anywhere, a file takes the folder's place."""
    config = written(tmp_path, "pairs: 2")
    results = tmp_path / "r"
    if os.geteuid() == 0:
        results.write_text("")
    else:
        results.mkdir(mode=0o500)
    done = run(config, "--results", str(results), code=3)
    assert done.stderr.splitlines()[-1].startswith("error: ")
    assert str(results) in done.stderr
    assert done.stdout == ""
