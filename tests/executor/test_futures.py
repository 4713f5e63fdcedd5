"""Third-party executors, made in code or named in a file, give the same results."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import closing, suppress
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_FAILED, ShortageError, UsageError
from pwtourney.executor import LostJob, futures
from pwtourney.executor.futures import (
    Chunk,
    FuturesExecutor,
    WorkerOptions,
    load_pool_factory,
    play_remotely,
)
from pwtourney.match import PairResult, void_game
from pwtourney.notation.game import Verdict
from pwtourney.sandbox.orphans import parents
from tests.executor.test_executors import are_as_inline, jobs, run
from tests.tournament.test_run import comparable
from tests.tournament.test_run import run as play

POOLS = """
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

made = 0

def make():
    global made
    made += 1
    with open("made.txt", "a") as file:
        file.write("made\\n")
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))

def nothing():
    return 3

def lose():
    raise RuntimeError("the cluster has lost it")

class Losing(ThreadPoolExecutor):
    def submit(self, *_):
        return super().submit(lose)

def losing():
    return Losing(1)

number = 4
"""
LEAGUE = """\
name: league
edition: original
seed: 5000000000000000
pairs: 2
processes: persistent
workers: 1
bots: [random, frugal]
"""


def processes() -> ProcessPoolExecutor:
    """Create a pool of two processes."""
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


def threads() -> ThreadPoolExecutor:
    """Create a pool of two threads in this process."""
    return ThreadPoolExecutor(2)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """End the workers that thread pools have started in this process."""
    yield
    futures.end_workers()


@pytest.mark.thorough
@pytest.mark.parametrize("make_pool", [processes, threads])
@pytest.mark.slow
def test_futures_executor_plays_the_same_games_as_inline(make_pool: type[Executor]) -> None:
    """Covers processes and threads, two at a time."""
    assert are_as_inline(run(FuturesExecutor(make_pool, 2), jobs(4)), 4)


@pytest.mark.thorough
@pytest.mark.slow
def test_broken_pool_costs_only_a_replay() -> None:
    """One of its processes is killed during a game; every pair comes back."""
    made: list[ProcessPoolExecutor] = []

    def make_pool() -> ProcessPoolExecutor:
        made.append(processes())
        return made[-1]

    outcomes = {}
    with closing(FuturesExecutor(make_pool, 2)) as executor:
        work = jobs(5)
        for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
            assert isinstance(outcome, PairResult)
            outcomes[outcome.pair] = outcome
            if len(outcomes) == 1:
                os.kill(next(iter(made[0]._processes)), signal.SIGKILL)
    assert len(made) == 2
    assert are_as_inline(outcomes, 5)


@pytest.mark.thorough
@pytest.mark.slow
def test_pool_that_breaks_between_jobs_is_recreated() -> None:
    """Its process is killed while a result is stored, so the next submission fails."""
    made: list[ProcessPoolExecutor] = []

    def make_pool() -> ProcessPoolExecutor:
        made.append(ProcessPoolExecutor(1, mp_context=get_context("spawn")))
        return made[-1]

    pairs = []
    with closing(FuturesExecutor(make_pool, 1)) as executor:
        work = jobs(3)
        for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
            assert isinstance(outcome, PairResult)
            pairs.append(outcome.pair)
            if len(made) == 1:
                (process,) = made[0]._processes.values()
                process.kill()
                process.join()
                while not made[0]._broken:  # the pool notices in its own thread
                    time.sleep(0.01)
    assert pairs == [0, 1, 2]
    assert len(made) == 2


class _Broken(ThreadPoolExecutor):
    """A pool whose `submit` always fails."""

    def submit(self, *args: object, **kwargs: object) -> "Future[object]":  # type: ignore[override]
        raise BrokenExecutor("no processes left")


def test_three_pools_that_refuse_jobs_end_the_run() -> None:
    """The error has the pool's message, and says that nothing is lost."""
    made: list[_Broken] = []

    def make_pool() -> _Broken:
        made.append(_Broken(1))
        return made[-1]

    with pytest.raises(ShortageError, match="as soon as it is made: no processes left; nothing"):
        run(FuturesExecutor(make_pool, 2), jobs(2))
    assert len(made) == 3


class _Ailing(ThreadPoolExecutor):
    """A pool class: its first pool breaks and loses its job, its second is broken, others work."""

    made = 0

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        _Ailing.made += 1

    def submit(self, *args: object, **kwargs: object) -> "Future[object]":  # type: ignore[override]
        if self.made == 1:
            future: Future[object] = Future()
            future.set_exception(BrokenExecutor("a process died"))
            return future
        if self.made == 2:
            raise BrokenExecutor("a process died")
        return super().submit(*args, **kwargs)  # type: ignore[arg-type]


@pytest.mark.slow
def test_run_survives_two_broken_pools_in_a_row() -> None:
    """The job is submitted to the third pool, and later jobs are played, too."""
    outcomes = run(FuturesExecutor(lambda: _Ailing(1), 1), jobs(2))
    assert outcomes.keys() == {0, 1}
    assert all(isinstance(outcome, PairResult) for outcome in outcomes.values())
    assert _Ailing.made == 3


class _Cancelling(ThreadPoolExecutor):
    """A pool that cancels every job."""

    def submit(self, *args: object, **kwargs: object) -> "Future[object]":  # type: ignore[override]
        future: Future[object] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_cancelled_job_is_lost_with_the_reason() -> None:
    """A pool that was shut down by somebody else cancels jobs that have not begun."""
    (lost,) = run(FuturesExecutor(lambda: _Cancelling(1), 1), jobs(1)).values()
    assert isinstance(lost, LostJob)
    assert lost.reason == "the executor broke: its jobs were cancelled"


@pytest.mark.slow
@pytest.mark.serial
@pytest.mark.usefixtures("own_locks")
def test_remote_worker_is_pinned_to_cores_and_releases_them() -> None:
    """It has one core or any; after it has ended, the next worker gets the same core."""
    every = os.sched_getaffinity(0)

    def cores(options: WorkerOptions) -> set[int]:
        play_remotely(tuple(jobs(1)), options)
        return os.sched_getaffinity(futures._idle[0].worker.process.pid)

    first = cores(WorkerOptions(cores=1))
    assert len(first) == 1
    assert cores(WorkerOptions(cores=0)) == every
    assert cores(WorkerOptions(cores=1)) == first
    os.kill(futures._idle[0].worker.process.pid, signal.SIGKILL)
    futures._idle[0].worker.process.join()
    assert cores(WorkerOptions(cores=1)) == first
    assert len(futures._idle) == 1


class _Losing(ThreadPoolExecutor):
    """A pool that loses the job of pair 1 each time it is submitted."""

    def submit(self, *args: object, **kwargs: object) -> "Future[object]":  # type: ignore[override]
        if args[1][0].pair == 1:  # type: ignore[index]
            future: Future[object] = Future()
            future.set_exception(RuntimeError("the cluster has lost it"))
            return future
        return super().submit(*args, **kwargs)  # type: ignore[arg-type]


@pytest.mark.slow
def test_job_that_is_lost_three_times_is_given_up() -> None:
    """The reason is reported, and no other job is lost."""
    outcomes = run(FuturesExecutor(lambda: _Losing(2), 2), jobs(3))
    lost = outcomes.pop(1)
    assert isinstance(lost, LostJob)
    assert lost.reason == "the executor lost it: RuntimeError: the cluster has lost it"
    assert all(isinstance(outcome, PairResult) for outcome in outcomes.values())


@pytest.mark.slow
def test_remote_worker_ends_with_its_pool_process() -> None:
    """The pool's process is killed, and its worker and bots end within moments."""
    with processes() as pool:
        (job,) = jobs(1)
        result = pool.submit(play_remotely, (job,), WorkerOptions()).result(timeout=60)
        (outcome,) = result.outcomes
        assert isinstance(outcome, PairResult)
        assert outcome.games[0].verdict is Verdict.FINISHED
        (owner,) = {pid for pid in pool._processes if pid in parents().values()}
        workers = [pid for pid, parent in parents().items() if parent == owner]
        assert workers
        os.kill(owner, signal.SIGKILL)
        end = time.monotonic() + 20
        while any(pid in parents() for pid in workers):
            assert time.monotonic() < end, "a worker outlives its owner"
            for pid in workers:
                with suppress(ChildProcessError):  # orphans may have become our children
                    os.waitpid(pid, os.WNOHANG)
            time.sleep(0.01)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a module that makes executors."""
    (tmp_path / "pools.py").write_text(POOLS)
    (tmp_path / "league.yaml").write_text(LEAGUE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_executor_factory_gives_the_same_results(folder: Path) -> None:
    """Standings and game hash are equal, and the factory was called once."""
    local, pooled = folder / "local", folder / "pooled"
    play(folder / "league.yaml", "--results", str(local))
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: 'pools:make'}}\n")
    play(folder / "pool.yaml", "--results", str(pooled))
    assert (folder / "made.txt").read_text() == "made\n"
    assert comparable(pooled) == comparable(local)


@pytest.mark.slow(2)
def test_run_with_only_void_games_fails(folder: Path) -> None:
    """All pairs were lost and are void: that is reported even with --quiet; the exit code is 1."""
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: 'pools:losing'}}\n")
    done = play(folder / "pool.yaml", "--results", "r", "--quiet", code=EXIT_FAILED)
    assert "No valid game, so no result: all 4 games are void; games.jsonl" in done.stderr
    assert "the cluster has lost it" in (folder / "r" / "games.jsonl").read_text()


@pytest.mark.thorough
@pytest.mark.slow(2)
@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("nowhere:make", "executor: there is no module 'nowhere'"),
        ("pools:absent", "executor: pools has nothing called 'absent' that makes one"),
        ("pools:number", "executor: pools has nothing called 'number' that makes one"),
        ("pools:nothing", "executor: pools:nothing made int, which cannot submit"),
    ],
)
def test_invalid_executor_factory_is_reported(folder: Path, factory: str, message: str) -> None:
    """The error is one line, with the exit code for usage."""
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: '{factory}'}}\n")
    assert message in play(folder / "pool.yaml", code=2).stderr


@pytest.mark.slow(2)
def test_untrusted_file_cannot_name_an_executor_factory(folder: Path) -> None:
    """Its code would run outside the sandbox."""
    (folder / "pool.yaml").write_text(f"{LEAGUE}executor: {{factory: 'pools:make'}}\n")
    done = play(folder / "pool.yaml", "--untrusted", code=2)
    assert "8:11: executor: with --untrusted no code that the file names runs here" in done.stderr
    assert not (folder / "made.txt").exists()


class _Noting(ThreadPoolExecutor):
    """A pool that plays nothing: it records its calls and returns unfinished futures."""

    def __init__(self) -> None:
        super().__init__(1)
        self.given: list[tuple[object, ...]] = []
        self.ended: list[dict[str, bool]] = []

    def submit(self, *args: object, **kwargs: object) -> "Future[object]":  # type: ignore[override]
        self.given.append(args)
        return Future()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.ended.append({"wait": wait, "cancel_futures": cancel_futures})
        super().shutdown(wait, cancel_futures=cancel_futures)


def _chunk(count: int, seconds: float) -> "Future[Chunk]":
    """Return a finished chunk of results."""
    future: Future[Chunk] = Future()
    results = tuple(
        PairResult(job.pair, (void_game(job.games[0], "never"), void_game(job.games[1], "never")))
        for job in jobs(count)
    )
    future.set_result(Chunk(results, seconds))
    return future


def test_pool_gets_pairs_with_the_common_worker_options() -> None:
    """It calls `play_remotely`; a broken pool is not waited for, but the last one is."""
    pools: list[_Noting] = []

    def make_pool() -> _Noting:
        pools.append(_Noting())
        return pools[-1]

    options = WorkerOptions("/scratch", 2, "ship")
    executor = FuturesExecutor(make_pool, lambda pool: 3 + len(pool.given), options)
    assert executor.slots() == 3
    some = tuple(jobs(2))
    future = executor.submit(some)
    assert pools[0].given == [(play_remotely, some, options)]
    assert executor.slots() == 4
    assert list(executor.wait([future])) == []
    executor.renew()
    assert pools[0].ended == [{"wait": False, "cancel_futures": True}]
    assert executor.slots() == 3
    executor.close()
    assert pools[1].ended == [{"wait": True, "cancel_futures": True}]
    usual = FuturesExecutor(make_pool, 5)
    assert usual.slots() == 5
    usual.submit(some)
    assert pools[2].given == [(play_remotely, some, WorkerOptions())]
    usual.close()


def test_wait_returns_as_soon_as_one_chunk_is_done() -> None:
    """Unfinished chunks are not returned."""
    executor = FuturesExecutor(_Noting, 2)
    done = _chunk(1, 1.0)
    assert set(executor.wait([done, Future()])) == {done}
    executor.close()


@pytest.mark.parametrize(
    ("chunks", "slots", "size"),
    [
        ([], 1, 1),
        ([(2, 1.0)], 1, 4),
        ([(2, 1.0), (1, 0.5)], 1, 4),
        ([(1, 1.0), (1, 3.0)], 1, 1),
        ([(1, 8.0)], 1, 1),
        ([(2, 1.0)], 100, 4),
        ([(2, 1.0)], 200, 8),
        ([(2, 1.0)], 500, 20),
        ([(2, 1.0)], 5000, 20),
        ([(5, 0.001)], 1, 1000),
    ],
)
def test_chunk_size_aims_at_two_seconds(
    chunks: list[tuple[int, float]], slots: int, size: int
) -> None:
    """It depends on past pairs; with over 100 slots chunks are longer, so that the runner keeps up.

    The runner sends 50 chunks a second; a chunk takes at most 10 s and has at most 1,000 pairs.
    """
    executor = FuturesExecutor(_Noting, 1)
    for count, seconds in chunks:
        some = list(jobs(count))
        assert len(executor.collect(_chunk(count, seconds), some)) == count
    assert executor.batch_size(slots) == size
    executor.close()


def test_lost_pairs_do_not_count_for_the_chunk_size() -> None:
    """A worker that dies at once seems fast; a loss reason is cut after 500 characters."""
    executor = FuturesExecutor(_Noting, 1)
    some = list(jobs(2))
    lost: Future[Chunk] = Future()
    lost.set_result(Chunk(("it died", "it died"), 0.001))
    assert executor.collect(lost, some) == ("it died", "it died")
    broken: Future[Chunk] = Future()
    broken.set_exception(RuntimeError("x" * 600))
    reason = f"the executor lost it: RuntimeError: {'x' * 464}"
    assert executor.collect(broken, some) == [reason, reason]
    assert len(reason) == 500
    assert executor.batch_size(1) == 1
    executor.close()


def test_factory_module_is_found_in_the_tournament_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is added last on the path, and once; each problem is one line."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("pools", "lacking"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (folder / "lacking.py").write_text("import nowhere_at_all\n")
    (folder / "pools.py").write_text(f"{POOLS}\ndef threads():\n    return ThreadPoolExecutor(1)\n")
    make = load_pool_factory("pools:threads", folder / ".." / folder.name)
    assert sys.path[-1] == str(folder)
    pool = make()
    assert isinstance(pool, ThreadPoolExecutor)
    pool.shutdown()
    for name, message in (
        ("nowhere:make", "executor: there is no module 'nowhere'"),
        ("nowhere.deep:make", "executor: there is no module 'nowhere.deep'"),
        ("pools:absent", "executor: pools has nothing called 'absent' that makes one"),
        ("pools:number", "executor: pools has nothing called 'number' that makes one"),
    ):
        with pytest.raises(UsageError) as caught:
            load_pool_factory(name, folder)
        assert str(caught.value) == message
    assert sys.path.count(str(folder)) == 1
    with pytest.raises(UsageError) as caught:
        load_pool_factory("pools:nothing", folder)()
    assert str(caught.value) == "executor: pools:nothing made int, which cannot submit"
    with pytest.raises(ModuleNotFoundError, match="nowhere_at_all"):
        load_pool_factory("lacking:make", folder)
