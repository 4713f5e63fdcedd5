"""The cores that a game is pinned to, as configured in the tournament file."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.executor import LocalExecutor
from pwtourney.executor.local import CoreLock, hold_cores
from pwtourney.executor.worker import Cores
from pwtourney.match import BotSpec, Job, PairResult
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.launch import Launch
from tests.executor.test_executors import run
from tests.match.helpers import LIMITS, setup
from tests.tournament.test_run import run as play

pytestmark = [
    pytest.mark.skipif(
        not hasattr(os, "sched_setaffinity"), reason="only Linux lets a process choose its cores"
    ),
    pytest.mark.serial,
    pytest.mark.usefixtures("own_locks"),
]
TELLS = """
import os, sys
for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word == "pwtp": print("feature legal\\nready", flush=True)
    elif word == "end": print("ready", flush=True)
    elif word == "legal": legal = rest
    elif word == "go":
        cores = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        print(f"info cores {cores}\\nmove {legal[0]}", flush=True)
    elif word == "quit": break
"""


def jobs() -> Iterator[Job]:
    """Yield one pair between two bots that report their cores."""
    launch = Launch((sys.executable, "-S", "-c", TELLS))
    first, second = (BotSpec(name, launch, limits=LIMITS) for name in ("one", "two"))
    yield Job(0, (setup(first, second), setup(second, first)))


def read_cores(outcome: object) -> set[str]:
    """Return the cores that the bots reported."""
    assert isinstance(outcome, PairResult)
    return {ply.info for game in outcome.games for ply in game.plies}


def test_bots_run_on_the_cores_of_their_worker() -> None:
    """The bots see the cores that the worker was given: one core, or all of them."""
    cores = list(find_usable_cores().numbers)
    assert read_cores(run(LocalExecutor(1), jobs())[0]) == {f"cores {cores[0]}"}
    every = ",".join(map(str, sorted(cores)))
    assert read_cores(run(LocalExecutor(1, per_worker=len(cores)), jobs())[0]) == {f"cores {every}"}
    assert read_cores(run(LocalExecutor(1, per_worker=0), jobs())[0]) == {f"cores {every}"}


def test_workers_share_no_core_if_there_are_enough() -> None:
    """If there are too few cores, no worker is pinned."""
    cores = list(find_usable_cores().numbers)

    def hold(workers: int, per_worker: int = 1) -> list[Cores]:
        kept, locks = hold_cores(workers, per_worker)
        for lock in locks:
            lock.release()
        return kept

    assert sorted(core for group in hold(len(cores)) for core in group or ()) == sorted(cores)
    assert hold(1, len(cores)) == [tuple(cores)]
    assert hold(len(cores) + 1) == [None] * (len(cores) + 1)
    assert hold(2, len(cores)) == [None, None]


def test_two_runs_use_different_cores() -> None:
    """If all cores are locked, runs share them instead of waiting."""
    first, second = find_usable_cores().numbers[:2]
    for _ in range(2):  # released cores can be locked again
        with closing(LocalExecutor(1)):
            kept, (lock,) = hold_cores(1)
            assert kept == [(second,)]
            more, none = hold_cores(2)
            assert ({*more}, none) == ({(first,), (second,)}, [])
            lock.release()


def warnings(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the warnings that a run printed."""
    return [line for line in done.stderr.splitlines() if line.startswith("warning: ")]


@pytest.mark.slow
def test_more_cores_per_game_than_the_machine_has_is_a_warning(tmp_path: Path) -> None:
    """The games are played anyway, one at a time."""
    config = tmp_path / "league.yaml"
    config.write_text("pairs: 1\nseed: 7\naffinity: {cores: 1000}\nbots: [random, frugal]\n")
    messages = warnings(play(config, "--results", str(tmp_path / "r")))
    others = [
        line for line in messages if "cores" not in line
    ]  # warnings on machines without a sandbox
    assert "a game needs 1000 cores (affinity), but this machine may use " in "".join(messages)
    config.write_text("pairs: 1\nseed: 7\naffinity: none\nbots: [random, frugal]\n")
    assert warnings(play(config, "--results", str(tmp_path / "s"))) == others


def test_core_lock_is_exclusive_until_it_is_released(tmp_path: Path) -> None:
    """Another process sees the lock; after the release it is free, and no file is left."""
    first = CoreLock.take(3)
    assert first is not None
    assert CoreLock.take(3) is None
    other = CoreLock.take(4)
    assert other is not None
    other.release()
    first.release()
    assert list(tmp_path.iterdir()) == []
    again = CoreLock.take(3)
    assert again is not None
    again.release()


def test_lock_file_that_was_removed_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that opened the file before its holder removed it takes a new one instead."""
    first = CoreLock.take(3)
    assert first is not None
    real = os.open
    opened: list[str] = []

    def open_late(path: str, *given: int) -> int:
        descriptor = real(path, *given)
        if not opened:
            first.release()
        opened.append(path)
        return descriptor

    monkeypatch.setattr("os.open", open_late)
    second = CoreLock.take(3)
    assert second is not None
    assert len(opened) == 2
    assert os.path.samestat(os.fstat(second.descriptor), os.stat(second.path))
    second.release()
