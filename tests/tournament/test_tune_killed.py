"""Kills at any moment change nothing in the path of a tuning."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from tests.processes import assert_gone, descendants, find_workers
from tests.program import pwtourney
from tests.tournament.test_run import stored_pairs
from tests.tournament.test_tune import CONFIG, describe_path

PROBES = 170


def start(folder: Path) -> "subprocess.Popen[bytes]":
    """Start or continue a tuning."""
    command = [sys.executable, "-m", "pwtourney", "tune", "test.yaml", "--results", "r"]
    return subprocess.Popen(
        [*command, "--workers", "2", "--no-confirm"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def wait_for_pairs(results: Path, pairs: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until this many pairs are stored, or the run has ended."""
    end = time.monotonic() + 60
    while stored_pairs(results) < pairs and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)


def kill_often(folder: Path, kills: int, steps: Iterator[int]) -> int:
    """Kill two workers and then the runner, repeatedly; return the number of kills."""
    results, done = folder / "r", 0
    while done < kills:
        process = start(folder)
        try:
            for target in ("worker", "worker", "runner"):
                wait_for_pairs(results, stored_pairs(results) + next(steps), process)
                if process.poll() is not None:
                    return done
                process.send_signal(signal.SIGSTOP)  # keeps the victim from ending
                tree, workers = descendants(process.pid), find_workers(process.pid)
                victim = process.pid if target == "runner" else workers[done % len(workers)]
                Path(f"/proc/{victim}").stat()
                subprocess.run(["kill", "-KILL", str(victim)], check=True)
                process.send_signal(signal.SIGCONT)
                done += 1
                if target == "runner":
                    assert process.wait() == -signal.SIGKILL
                    assert_gone(tree)
        finally:
            process.kill()
            process.wait()
    return done


def check_kills(folder: Path, kills: int, probes: int) -> None:
    """Compare a tuning that is killed often with an undisturbed one."""
    text = CONFIG.replace("probes: 60", f"probes: {probes}")
    (folder / "test.yaml").write_text(text)
    assert kill_often(folder, kills, cycle((2, 1, 3))) == kills
    assert stored_pairs(folder / "r") < probes
    for results in ("r", "undisturbed"):
        pwtourney("tune", "test.yaml", "--results", results, "--no-confirm", at=folder)
    games, tuned = describe_path(folder / "r")
    assert (games, tuned) == describe_path(folder / "undisturbed")
    pwtourney("verify", "r", at=folder)


@pytest.mark.thorough
@pytest.mark.slow(12)
def test_killed_tuning_continues_as_if_undisturbed(tmp_path: Path) -> None:
    """Two workers and the runner are killed; all games, values and estimates are equal."""
    check_kills(tmp_path, kills=3, probes=20)


@pytest.mark.thorough
@pytest.mark.slow(120)
@pytest.mark.timeout(900)  # for a machine that runs other tests at the same time
def test_fifty_kills_change_nothing_in_the_path(tmp_path: Path) -> None:
    """Seventeen times two workers and the runner, each after one to three more pairs."""
    check_kills(tmp_path, kills=51, probes=PROBES)
