"""Executors return the results of all jobs, and a lost worker only costs a replay."""

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from pwtourney.errors import ShortageError
from pwtourney.executor import Executor, InlineExecutor, LocalExecutor, LostJob, local
from pwtourney.match import Job, PairResult
from pwtourney.notation.game import Verdict
from tests.match.helpers import FRUGAL, RANDOM, bot, setup
from tests.rules.positions import EXPRESS
from tests.thorough import thorough_but

ROOT = Path(__file__).parents[2]


def jobs(count: int, way: str = "honest") -> Iterator[Job]:
    """Yield short pairs between bots that start quickly."""
    for pair in range(count):
        first, second = bot(way), bot("honest", name="other")
        yield Job(pair, (setup(first, second, pair, EXPRESS), setup(second, first, pair, EXPRESS)))


def run(executor: Executor, work: Iterator[Job]) -> dict[int, PairResult | LostJob]:
    """Run all jobs; return the outcome of each pair."""
    outcomes: dict[int, PairResult | LostJob] = {}
    with closing(executor):
        for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
            pair = outcome.job.pair if isinstance(outcome, LostJob) else outcome.pair
            assert pair not in outcomes
            outcomes[pair] = outcome
    return outcomes


def actions(outcome: PairResult | LostJob) -> list[list[str]]:
    """Return the actions of both games."""
    assert isinstance(outcome, PairResult)
    return [[ply.action for ply in game.plies] for game in outcome.games]


@cache
def inline() -> dict[int, list[list[str]]]:
    """Return the actions of five jobs that are played in this process."""
    return {pair: actions(outcome) for pair, outcome in run(InlineExecutor(), jobs(5)).items()}


def are_as_inline(outcomes: Mapping[int, PairResult | LostJob], count: int) -> bool:
    """Return True if `count` jobs came back, each with the same actions as in this process."""
    return {pair: actions(outcome) for pair, outcome in outcomes.items()} == {
        pair: inline()[pair] for pair in range(count)
    }


@pytest.mark.parametrize("workers", thorough_but([2], [1, 2, 3]))
@pytest.mark.slow
def test_local_workers_play_the_same_games_as_inline(workers: int) -> None:
    """The games of deterministic bots do not depend on where they are played."""
    assert are_as_inline(run(LocalExecutor(workers), jobs(4)), 4)


@pytest.mark.thorough
@pytest.mark.slow
def test_pairs_of_a_killed_worker_are_played_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has its next pair queued, which is played again like the running one."""
    monkeypatch.setattr(local, "_SHORT_SECONDS", math.inf)
    executor, work, outcomes = LocalExecutor(1), jobs(5), {}
    with closing(executor):
        for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
            assert isinstance(outcome, PairResult)
            assert outcome.pair not in outcomes
            outcomes[outcome.pair] = outcome
            (worker,) = executor._workers
            if len(outcomes) == 3:
                assert [job.pair for job in worker.jobs] == [3], "it went on by itself"
                os.kill(worker.process.pid, signal.SIGKILL)
    assert are_as_inline(outcomes, 5)


@pytest.mark.slow
def test_seats_are_swapped_within_a_pair() -> None:
    """Both games of a pair have the same deal, and each bot has each seat once."""
    (outcome,) = run(InlineExecutor(), jobs(1)).values()
    assert isinstance(outcome, PairResult)
    first, second = outcome.games
    assert first.bots == second.bots[::-1]
    assert first.deal == second.deal


WAITING = """
if ! mkdir "$0/first" 2>/dev/null && mkdir "$0/second" 2>/dev/null; then
  exec cat >/dev/null
fi
exec "$@"
"""
"""Shell code that becomes the bot in its arguments, but hangs when it is started a second time."""


def job_with_one_who_waits(marks: Path) -> Job:
    """Return the first job, with a bot that hangs in its second game until its worker ends."""
    first, second = bot("honest"), bot("honest", name="other")
    command = ("/bin/sh", "-c", WAITING, str(marks), *first.launch.command)
    limits = first.limits._replace(start_ms=300_000)
    first = first._replace(launch=first.launch._replace(command=command), limits=limits)
    return Job(0, (setup(first, second, 0, EXPRESS), setup(second, first, 0, EXPRESS)))


def wait_until_made(mark: Path) -> None:
    """Wait until a bot has made its mark."""
    end = time.monotonic() + 120
    while not mark.exists():
        assert time.monotonic() < end, "the worker never started the bot"
        time.sleep(0.005)


@pytest.mark.slow(6)
def test_killed_worker_costs_only_a_replay(tmp_path: Path) -> None:
    """It is killed in the middle of a pair; every pair comes back once, without a fault."""
    marks = tmp_path / "marks"
    marks.mkdir()
    marks.chmod(0o777)
    executor = LocalExecutor(2)
    work = chain([job_with_one_who_waits(marks)], list(jobs(4))[1:])
    killed: list[int] = []

    def next_job() -> Job | None:
        busy = [worker.process.pid for worker in executor._workers if worker.jobs]
        if busy and not killed:
            wait_until_made(marks / "second")
            killed.append(busy[0])
            os.kill(busy[0], signal.SIGKILL)
        return next(work, None)

    outcomes: dict[int, PairResult | LostJob] = {}
    with closing(executor):
        for outcome in chain.from_iterable(executor.run(next_job)):
            assert isinstance(outcome, PairResult)
            assert outcome.pair not in outcomes
            outcomes[outcome.pair] = outcome
    assert len(killed) == 1
    assert are_as_inline(outcomes, 4)


@pytest.mark.slow
def test_job_that_loses_its_worker_three_times_is_given_up() -> None:
    """The third loss is recorded as nobody's fault, and the other jobs are played."""
    executor = LocalExecutor(1)
    poison = next(jobs(1, "hang"))
    handed_out = iter([poison, *list(jobs(3))[1:]])

    def next_job() -> Job | None:
        return next(handed_out, None)

    outcomes: list[PairResult | LostJob] = []
    stop = threading.Event()

    def kill_whoever_plays_the_poison() -> None:
        end = time.monotonic() + 30
        while not stop.is_set() and time.monotonic() < end:
            worker = executor._workers[0]
            if worker.jobs and worker.jobs[0] is poison and worker.process.is_alive():
                os.kill(worker.process.pid, signal.SIGKILL)
            stop.wait(0.02)

    killer = threading.Thread(target=kill_whoever_plays_the_poison)
    killer.start()
    with closing(executor):
        for outcome in chain.from_iterable(executor.run(next_job)):
            if isinstance(outcome, LostJob):
                stop.set()
            outcomes.append(outcome)
    killer.join()
    lost = [outcome for outcome in outcomes if isinstance(outcome, LostJob)]
    assert [loss.job.pair for loss in lost] == [0]
    assert "the worker process died" in lost[0].reason
    assert sorted(outcome.pair for outcome in outcomes if isinstance(outcome, PairResult)) == [1, 2]


@pytest.mark.slow
def test_interrupt_does_not_end_a_worker_during_its_imports() -> None:
    """Only the runner decides what happens after SIGINT."""
    code = (
        "import os, signal\n"
        "from pwtourney.executor.worker import WorkerProcess, wait_for_worker\n"
        "from tests.executor.test_executors import jobs\n"
        "worker = WorkerProcess(None, None)\n"
        "os.kill(worker.process.pid, signal.SIGINT)\n"
        "worker.give(next(jobs(1)))\n"
        "wait_for_worker(worker)\n"
        "print(type(worker.take()).__name__)\n"
        "worker.end()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("PairResult\n", "")


@pytest.mark.slow
def test_next_job_is_requested_after_results_are_taken() -> None:
    """A schedule can therefore depend on results."""
    work = jobs(3)
    seen: list[int] = []

    def next_job() -> Job | None:
        return next(work) if len(seen) < 2 else None

    with closing(LocalExecutor(1)) as executor:
        for outcome in chain.from_iterable(executor.run(next_job)):
            assert isinstance(outcome, PairResult)
            seen.append(outcome.pair)
    assert seen == [0, 1]


@pytest.mark.slow
def test_bot_crash_is_a_result_and_not_a_lost_job() -> None:
    """It is played once and comes back as a verdict."""
    (outcome,) = run(LocalExecutor(1), jobs(1, "crash")).values()
    assert isinstance(outcome, PairResult)
    assert [game.verdict for game in outcome.games] == [Verdict.CRASH] * 2
    assert [game.bots[game.winner] for game in outcome.games if game.winner is not None] == [
        "other",
        "other",
    ]


@pytest.mark.slow
def test_closing_an_executor_ends_running_workers() -> None:
    """Workers and the bots of running games are ended."""
    executor = LocalExecutor(2)
    work = iter([Job(k, (setup(RANDOM, FRUGAL, k), setup(FRUGAL, RANDOM, k))) for k in range(9)])
    outcomes = executor.run(lambda: next(work, None))
    next(outcomes)
    pids = [worker.process.pid for worker in executor._workers]
    executor.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.slow
def test_scratch_root_is_created_again_if_removed(tmp_path: Path) -> None:
    """A bot that removes the folder above its own costs no game."""
    root = tmp_path / "root"
    outcomes = run(LocalExecutor(1, str(root)), jobs(2))
    assert all(isinstance(outcome, PairResult) for outcome in outcomes.values())
    assert list(root.iterdir()) == []


@pytest.mark.slow
def test_shortage_stops_the_run_without_void_games(tmp_path: Path) -> None:
    """If no scratch folder can be made, the run ends with an error and can be continued."""
    (tmp_path / "file").write_text("in the way")
    executor = LocalExecutor(1, str(tmp_path / "file" / "root"))
    work = jobs(2)
    with closing(executor), pytest.raises(ShortageError, match="the system ran out of something"):
        list(executor.run(lambda: next(work, None)))
