"""Local workers, forked from a server so that they start at once; their bots are shell scripts."""

import gc
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import multiprocess
import pytest

from pwtourney.executor import LocalExecutor, LostJob, futures, worker
from pwtourney.executor.base import SHORTAGE
from pwtourney.executor.broadcast import WATCHED, Slot, name_ended, prepare_broadcasts
from pwtourney.executor.futures import WorkerOptions, end_workers, play_remotely
from pwtourney.executor.wire import JobWriter, receive_outcome
from pwtourney.executor.worker import (
    WorkerProcess,
    _leave_if_dismissed,
    serve_jobs,
    wait_for_worker,
)
from pwtourney.match import BotSpec, Job, PairResult
from pwtourney.notation.game import Verdict
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.launch import Launch
from tests.executor.test_executors import run
from tests.match.helpers import LIMITS, SHELL_BOT, setup
from tests.rules.positions import EXPRESS


@pytest.fixture(autouse=True)
def forks(server: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork workers: a spawned one needs half a second of CPU time to start."""
    monkeypatch.setattr(worker, "get_context", lambda _: server)


NOBODY = BotSpec("nobody", Launch(("/nowhere/bird",)), limits=LIMITS)
"""A bot whose program does not exist: its games end at once, and no process is started."""


def quick_jobs(count: int) -> Iterator[Job]:
    """Yield pairs that take almost no time."""
    for pair in range(count):
        yield Job(pair, (setup(NOBODY, NOBODY, pair), setup(NOBODY, NOBODY, pair)))


def test_every_pair_comes_back_once() -> None:
    """Two workers return seven pairs in any order."""
    outcomes = run(LocalExecutor(2), quick_jobs(7))
    assert outcomes.keys() == {*range(7)}
    for outcome in outcomes.values():
        assert isinstance(outcome, PairResult)
        assert {game.verdict for game in outcome.games} == {Verdict.START}


def shell_job() -> Job:
    """Return a short pair between two shell bots."""
    launch = Launch(("/bin/sh", "-c", SHELL_BOT))
    first, second = (BotSpec(name, launch, limits=LIMITS) for name in ("one", "two"))
    return Job(5, (setup(first, second, 5, EXPRESS), setup(second, first, 5, EXPRESS)))


def test_worker_plays_a_pair_with_seats_swapped() -> None:
    """Two shell bots finish both games in one worker, and swap seats for the second game."""
    outcomes = run(LocalExecutor(1), iter([shell_job()]))
    assert isinstance(outcomes[5], PairResult)
    assert [game.bots for game in outcomes[5].games] == [("one", "two"), ("two", "one")]
    assert {game.verdict for game in outcomes[5].games} == {Verdict.FINISHED}


def test_worker_plays_its_jobs_in_order() -> None:
    """It gets two pairs at once; when it is dismissed, it ends by itself."""
    own = WorkerProcess(None, None)
    first, second = quick_jobs(2)
    assert own.give(first)
    assert own.give(second)
    assert [*own.jobs] == [first, second]
    for job in (first, second):
        wait_for_worker(own)
        outcome = own.take()
        assert isinstance(outcome, PairResult)
        assert outcome.pair == job.pair
    assert not own.jobs
    own.end()
    assert own.process.exitcode == 0
    assert own.pipe.closed


def test_worker_ends_during_a_game_when_dismissed() -> None:
    """It is asked to leave and unwinds: its exit code is 0."""
    own = WorkerProcess(None, None)
    (job,) = quick_jobs(1)
    own.give(job)
    wait_for_worker(own)
    own.take()
    sleeper = BotSpec("sleeper", Launch(("/bin/sleep", "60")), limits=LIMITS)
    own.give(Job(0, (setup(sleeper, sleeper), setup(sleeper, sleeper))))
    own.end()
    assert own.process.exitcode == 0
    assert not own.jobs


def test_dead_worker_accepts_no_job() -> None:
    """Its queued job is lost with its exit code as the reason."""
    own = WorkerProcess((min(os.sched_getaffinity(0)),), None)
    (job,) = quick_jobs(1)
    own.process.kill()
    own.process.join()
    own.jobs.append(job)
    wait_for_worker(own)
    assert own.take() == "the worker process died (exit code -9)"
    assert not own.give(job)
    assert not own.jobs
    own.end()


def test_stopped_worker_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot without a sandbox can stop it; only a child of this process can be checked for this."""
    monkeypatch.setattr(worker, "get_context", lambda _: multiprocess.get_context("fork"))
    own = WorkerProcess(None, None)
    pid = own.process.pid
    try:
        own.continue_if_stopped()  # it runs: no effect
        os.kill(pid, signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)
        own.continue_if_stopped()
        continued = os.waitid(os.P_PID, pid, os.WCONTINUED)
        assert continued is not None
        assert continued.si_code == os.CLD_CONTINUED
    finally:
        own.process.kill()
        own.process.join()
    own.continue_if_stopped()  # it has ended: no effect
    own.end()


def test_workers_that_died_while_idle_are_replaced() -> None:
    """The replacement starts with the next job, in the same slot and on the same cores."""
    executor = LocalExecutor(2, per_worker=0)
    before = [*executor._workers]
    for own in before:
        own.process.kill()
        own.process.join()
    assert executor.wait([]) == []
    outcomes = run_open(executor, quick_jobs(3))
    assert all(isinstance(outcome, PairResult) for outcome in outcomes.values())
    assert len(executor._workers) == 2
    executor.close()
    assert len(outcomes) == 3


def test_worker_that_died_after_its_answer_loses_no_job() -> None:
    """Its first outcome is read; the second job, which it cannot get, is played by another."""
    first, second = quick_jobs(2)
    with closing(LocalExecutor(1, per_worker=0)) as executor:
        turn = executor.submit((first,))
        (own,) = executor._workers
        wait_for_worker(own)
        own.process.kill()
        own.process.join()
        later = executor.submit((second,))
        assert executor.wait([turn, later]) == [turn]
        (outcome,) = executor.collect(turn, (first,))
        assert isinstance(outcome, PairResult)
        ready: list[object] = []
        while not ready:
            ready = [*executor.wait([later])]
        assert ready == [later]
        (outcome,) = executor.collect(later, (second,))
        assert isinstance(outcome, PairResult)
        assert outcome.pair == second.pair
        assert executor._workers != [own]


def test_replacement_has_the_cores_and_the_slot_of_the_worker_that_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bots compete with no other worker's, and its games are watched in the same place."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    live = tmp_path / "live"
    with closing(LocalExecutor(1, live=live)) as executor:
        (first,) = executor._workers
        first.process.kill()
        first.process.join()
        assert len(run_open(executor, quick_jobs(1))) == 1
        (second,) = executor._workers
        assert second is not first
        assert first.cores is not None
        assert second.cores == first.cores
        assert second.slot == Slot(str(live), 0)


def run_open(executor: LocalExecutor, work: Iterator[Job]) -> dict[int, PairResult | LostJob]:
    """Run all jobs, and leave the executor open."""
    outcomes = {}
    for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
        outcomes[outcome.job.pair if isinstance(outcome, LostJob) else outcome.pair] = outcome
    return outcomes


def test_job_that_kills_its_worker_three_times_is_given_up() -> None:
    """Its bot kills the process that started it; the pairs around it are played."""
    killer = BotSpec("killer", Launch(("/bin/sh", "-c", "kill -9 $PPID")), limits=LIMITS)
    first, second, third = quick_jobs(3)
    games = (setup(killer, NOBODY, 1), setup(NOBODY, killer, 1))
    work = iter([first, second._replace(games=games), third])
    outcomes = run(LocalExecutor(1), work)
    lost = outcomes.pop(1)
    assert isinstance(lost, LostJob)
    assert lost.reason == "the worker process died (exit code -9)"
    assert outcomes.keys() == {0, 2}
    assert all(isinstance(outcome, PairResult) for outcome in outcomes.values())


@pytest.mark.parametrize(
    ("seconds", "slots"), [((0.4, 1.4), 2), ((0.4, 1.8), 1), ((0.1,), 1), ((3, 0.1, 0.1), 1)]
)
def test_short_pairs_are_queued_in_advance(seconds: tuple[float, ...], slots: int) -> None:
    """Pairs are short if two took less than 1 s on average: 0.9 s is short, 1.1 s is not."""
    clock = [0.0]
    lengths = iter(seconds)
    with closing(LocalExecutor(1, now=lambda: clock[0])) as executor:
        assert executor.slots() == 1
        for job in quick_jobs(len(seconds)):
            turn = executor.submit((job,))
            clock[0] += next(lengths)
            while not (ended := executor.wait([turn])):
                pass
            assert ended == [turn]
            (outcome,) = executor.collect(turn, (job,))
            assert isinstance(outcome, PairResult)
        assert executor.slots() == slots


def test_queued_job_survives_the_death_of_its_worker() -> None:
    """Only the running job is lost: the queued one goes to the replacement."""
    with closing(LocalExecutor(1, per_worker=0)) as executor:
        killer = BotSpec("killer", Launch(("/bin/sh", "-c", "kill -9 $PPID")), limits=LIMITS)
        first, second = quick_jobs(2)
        first = first._replace(games=(setup(killer, NOBODY), setup(killer, NOBODY)))
        turns = [executor.submit((job,)) for job in (first, second)]
        outcomes: list[object] = []
        for turn, job in zip(turns, (first, second), strict=True):
            while not (ended := executor.wait(turns)):
                pass
            assert ended == [turn]
            outcomes += executor.collect(turn, (job,))
        assert outcomes[0] == "the worker process died (exit code -9)"
        assert isinstance(outcomes[1], PairResult)
        assert outcomes[1].pair == 1


def test_each_worker_broadcasts_in_its_own_slot(tmp_path: Path) -> None:
    """The folder exists while the executor is open; if none can be made, nobody can watch."""
    live = tmp_path / "live"
    with closing(LocalExecutor(2, live=live)) as executor:
        assert [own.slot for own in executor._workers] == [Slot(str(live), 0), Slot(str(live), 1)]
        run_open(executor, quick_jobs(4))
        files = {WATCHED, "0", "1", name_ended(0), name_ended(1)}
        assert {path.name for path in live.iterdir()} <= files
        assert len(list(live.iterdir())) >= 2
    assert not live.exists()
    (tmp_path / "file").touch()
    with closing(LocalExecutor(1, live=tmp_path / "file" / "live")) as executor:
        assert [own.slot for own in executor._workers] == [None]


def test_own_scratch_root_is_removed_and_a_given_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a given folder the executor makes its own, and removes it when it is closed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    named = tmp_path / "named"
    named.mkdir()
    executor = LocalExecutor(1, per_worker=0)
    assert len(list(tmp_path.iterdir())) == 2
    executor.close()
    assert list(tmp_path.iterdir()) == [named]
    executor = LocalExecutor(1, str(named), per_worker=0)
    assert list(tmp_path.iterdir()) == [named]
    executor.close()
    assert named.is_dir()


def test_games_pause_while_the_pause_descriptor_is_readable() -> None:
    """When the byte is read, the pair comes back."""
    ours, theirs = os.pipe()
    os.write(theirs, b"x")
    with closing(LocalExecutor(1, per_worker=0, pauses=ours)) as executor:
        (job,) = quick_jobs(1)
        executor.submit((job,))
        os.read(ours, 1)
        while not (ended := executor.wait([])):
            pass
        (outcome,) = executor.collect(ended[0], (job,))
        assert isinstance(outcome, PairResult)
    os.close(ours)
    os.close(theirs)


@pytest.fixture
def process_as_before() -> Iterator[None]:
    """Restore the state that a worker changes in its process."""
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    mask, cores = signal.pthread_sigmask(signal.SIG_BLOCK, ()), os.sched_getaffinity(0)
    yield
    for number, handler in handlers.items():
        if handler is not None and number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.sched_setaffinity(0, cores)
    gc.unfreeze()


@pytest.mark.usefixtures("process_as_before")
def test_worker_answers_every_job_until_the_pipe_closes(tmp_path: Path) -> None:
    """It returns a result or the last lines of an internal error, and stays on its cores.

    It ignores signals for the runner, and SIGTERM while the pipe is open.
    """
    ours, theirs = multiprocess.Pipe()
    first, second, third = quick_jobs(3)
    broken = second._replace(games=(second.games[0]._replace(deal=None), second.games[1]))  # type: ignore[arg-type]
    core = max(os.sched_getaffinity(0))
    prepare_broadcasts(tmp_path / "live")
    with ThreadPoolExecutor(1) as pool:
        outcomes = pool.submit(_send_with_signal, ours, first, broken, third)
        serve_jobs(theirs, (core,), None, Slot(str(tmp_path / "live"), 4))
    assert (tmp_path / "live" / "4").exists()
    first_result, error, third_result = outcomes.result(0)
    assert isinstance(first_result, PairResult)
    assert isinstance(third_result, PairResult)
    assert (first_result.pair, third_result.pair) == (0, 2)
    assert error.startswith("Traceback")
    assert "AttributeError" in error
    assert error.count("File ") == 3
    assert os.sched_getaffinity(0) == {core}
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    assert signal.getsignal(signal.SIGTSTP) not in (signal.SIG_IGN, signal.SIG_DFL)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def _receive(pipe: Any, count: int) -> list[Any]:
    """Return `count` outcomes, then close the pipe."""
    outcomes = [receive_outcome(pipe) for _ in range(count)]
    pipe.close()
    return outcomes


def _send_with_signal(pipe: Any, first: Job, *others: Job) -> list[Any]:
    """Send a job, then SIGTERM, then the other jobs; return all outcomes, and close the pipe.

    The worker waits for a job when the signal comes, and handles it before it plays the next one.
    """
    writer = JobWriter(pipe)
    writer.send(first)
    outcome = receive_outcome(pipe)
    os.kill(os.getpid(), signal.SIGTERM)
    for job in others:
        writer.send(job)
    return [outcome, *_receive(pipe, len(others))]


@pytest.mark.usefixtures("process_as_before")
def test_worker_reports_a_shortage_as_such(tmp_path: Path) -> None:
    """If no folder can be made for bots, the machine is to blame, not the bots."""
    (tmp_path / "file").touch()
    ours, theirs = multiprocess.Pipe()
    JobWriter(ours).send(shell_job())
    with ThreadPoolExecutor(1) as pool:
        outcomes = pool.submit(_receive, ours, 1)
        serve_jobs(theirs, None, str(tmp_path / "file" / "scratch"))
    (outcome,) = outcomes.result(0)
    assert outcome.startswith(f"{SHORTAGE}[Errno 20] Not a directory")


@pytest.mark.usefixtures("process_as_before")
def test_worker_ends_if_its_owner_is_gone() -> None:
    """The owner closed the pipe before the worker sent the outcome of a pair."""
    ours, theirs = multiprocess.Pipe()
    (job,) = quick_jobs(1)
    JobWriter(ours).send(job)
    ours.close()
    serve_jobs(theirs, None, None)


def test_sigterm_ends_a_worker_only_when_its_pipe_is_closed() -> None:
    """timeout(1) sends SIGTERM to all processes; running games are played to their end."""
    ours, theirs = multiprocess.Pipe()
    leave = _leave_if_dismissed(theirs)
    leave(signal.SIGTERM)
    ours.close()
    with pytest.raises(SystemExit) as caught:
        leave(signal.SIGTERM)
    assert caught.value.code == 0


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """End the workers of this process."""
    end_workers()
    yield
    end_workers()


@pytest.mark.usefixtures("nothing_is_left")
def test_pool_worker_is_kept_for_the_next_call(tmp_path: Path) -> None:
    """It is kept while it lives and the options are the same; otherwise another one starts."""
    options = WorkerOptions(str(tmp_path), cores=0)
    chunk = play_remotely((*quick_jobs(2),), options)
    assert [outcome.pair for outcome in chunk.outcomes if isinstance(outcome, PairResult)] == [0, 1]
    assert 0 < chunk.seconds < 60
    (first,) = futures._idle
    assert first.worker.cores is None
    play_remotely((*quick_jobs(1),), options)
    assert futures._idle == [first]
    play_remotely((*quick_jobs(1),), options._replace(scratch_root="/nowhere"))
    (second,) = futures._idle
    assert second.worker is not first.worker
    assert first.worker.process.exitcode == 0
    second.worker.process.kill()
    second.worker.process.join()
    chunk = play_remotely((*quick_jobs(1),), second.options)
    assert isinstance(chunk.outcomes[0], PairResult)
    (third,) = futures._idle
    end_workers()
    assert third.worker.process.exitcode == 0
    assert futures._idle == []


@pytest.mark.usefixtures("nothing_is_left")
def test_pool_worker_that_died_is_not_kept() -> None:
    """Its pair is lost with the reason."""
    killer = BotSpec("killer", Launch(("/bin/sh", "-c", "kill -9 $PPID")), limits=LIMITS)
    job = Job(0, (setup(killer, NOBODY), setup(NOBODY, killer)))
    chunk = play_remotely((job,), WorkerOptions(cores=0))
    assert chunk.outcomes == ("the worker process died (exit code -9)",)
    assert futures._idle == []


@pytest.mark.usefixtures("nothing_is_left")
def test_pool_worker_locks_its_own_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are too few cores, it is not pinned to any."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    every = len(find_usable_cores().numbers)
    for cores, kept in ((1, 1), (every, every), (every + 1, None)):
        play_remotely((*quick_jobs(1),), WorkerOptions(cores=cores))
        (own,) = futures._idle
        assert (own.worker.cores and len(own.worker.cores)) == kept
        locks = len(list(tmp_path.glob("pwtourney-*-core-*.lock")))
        assert locks == min(cores, every)
    end_workers()
    assert not list(tmp_path.glob("pwtourney-*-core-*.lock"))


def test_pair_whose_bots_have_not_arrived_is_lost() -> None:
    """No worker is started for it."""
    chunk = play_remotely((shell_job(),), WorkerOptions(shipment="unknown"))
    assert chunk.outcomes == ("one has not arrived here",)
    assert futures._idle == []
