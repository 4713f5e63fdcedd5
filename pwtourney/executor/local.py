"""Jobs in local worker processes, one a slot, each kept to cores of its own.

A worker is seen here from both ends of its pipe: its owner hands it a job; inside, it plays the job
and sends back what came of it.
"""

import gc
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from selectors import EVENT_READ, DefaultSelector
from typing import Any, NamedTuple

from multiprocess import connection, get_context, parent_process, resource_tracker

from pwtourney.errors import ShortageError
from pwtourney.executor.base import SHORTAGE, Outcome, SlotExecutor
from pwtourney.executor.wire import JobReader, JobWriter, receive_outcome, send_outcome
from pwtourney.match import BotPool, Job, play_pair
from pwtourney.process import RunnerGone, make_scratch, remove_scratch, watch_lifeline
from pwtourney.sandbox.launch import keep_private
from pwtourney.sandbox.orphans import Orphans, become_subreaper

__all__ = [
    "CoreLock",
    "Cores",
    "LocalExecutor",
    "WorkerProcess",
    "available_cores",
    "hold_cores",
    "lock_cores",
    "safe_path",
    "serve_jobs",
    "wait_for_worker",
]

Cores = tuple[int, ...] | None
"""The cores that a worker keeps to, None for any."""

_SAFE_PATH = "PYTHONSAFEPATH"
_FAREWELL_SECONDS = 5
_WATCH_SECONDS = 5
"""How often workers are looked at that say nothing."""
_ATTEMPTS = 20


def available_cores() -> list[int]:
    """Return the numbers of the cores that this process may use; made up where nobody knows."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class CoreLock(NamedTuple):
    """A core that is ours, which a locked file shows to other processes of this user."""

    path: str
    descriptor: int

    @classmethod
    def take(cls, core: int) -> "CoreLock | None":
        """Lock a core; None if somebody else has it.

        Raises `ImportError` or `OSError` where files cannot be locked.
        """
        import fcntl

        path = os.path.join(tempfile.gettempdir(), f"pwtourney-{os.getuid()}-core-{core}.lock")
        for _ in range(_ATTEMPTS):
            # Not followed: in a folder that all may write to somebody could have left a link.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError):
                    return None
                raise
            # Before we locked it, whoever had it may have removed the file: nobody else would see
            # our lock.
            with suppress(OSError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                    return cls(path, descriptor)
            os.close(descriptor)
        raise OSError(f"{path}: whatever is locked there is not what lies there")

    def release(self) -> None:
        """Let others have the core, and leave nothing behind."""
        # While we hold the lock: removed later, it could be one that another has taken.
        with suppress(OSError):
            os.unlink(self.path)
        os.close(self.descriptor)


def lock_cores(most: int) -> dict[int, CoreLock]:
    """Lock so many cores that nobody else has, if there are as many; return them with the locks."""
    locked: dict[int, CoreLock] = {}
    with suppress(ImportError, OSError):  # where files cannot be locked, all share their cores
        for core in available_cores():
            if len(locked) < most and (lock := CoreLock.take(core)):
                locked[core] = lock
    return locked


def hold_cores(workers: int, per_worker: int = 1) -> tuple[list[Cores], list[CoreLock]]:
    """Return so many cores of its own for each worker, and the locks that tell other runs so.

    Cores that no other run of this user holds come first. There are none for anybody where there
    are too few: a worker that shares its core is slower than the others, and so are its bots.
    """
    cores, wanted = available_cores(), workers * per_worker
    if not wanted or wanted > len(cores) or not hasattr(os, "sched_setaffinity"):
        return [None] * workers, []
    locks = lock_cores(wanted)
    others = [core for core in cores if core not in locks]
    begin = os.getpid() % max(1, len(others))  # not all runs on the same of those that are held
    order = [*locks, *others[begin:], *others[:begin]]
    kept = [tuple(order[slot * per_worker : (slot + 1) * per_worker]) for slot in range(workers)]
    return [*kept], [*locks.values()]


@contextmanager
def safe_path() -> Iterator[None]:
    """Let no Python that is started meanwhile import from the folder that we are in.

    It may be a checkout of somebody else's, and a ``multiprocess.py`` in it be run outside of any
    sandbox: a process that is spawned looks there first (``-P`` of Python's command line).
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


class WorkerProcess:
    """A process, the pipe to it, and the job it is at; started when it is made."""

    def __init__(self, cores: Cores, scratch_root: str | None) -> None:
        self.cores = cores
        self.job: Job | None = None
        self._was_stopped = False
        # Not a fork: threads of whoever uses us would leave their locks taken in the child.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._jobs = JobWriter(self.pipe)
        self.process: Any = context.Process(
            target=serve_jobs, args=(theirs, cores, scratch_root), daemon=True
        )
        # an interrupt would have it print a traceback of what it is importing
        with safe_path(), _no_interrupts():
            self.process.start()
        theirs.close()  # or its death would not be seen: an open end keeps the pipe alive

    def give(self, job: Job) -> bool:
        """Hand over a job; False if the worker is dead already."""
        try:
            self._jobs.send(job)
        except OSError:
            return False
        self.job = job
        return True

    def take(self) -> Outcome:
        """Take what the worker sent; its death is a reason too."""
        self.job = None
        ready = select.poll()  # the pipe's own method takes ten times as long
        ready.register(self.pipe, select.POLLIN)
        # It may have died, perhaps in the middle of sending: half an answer is none.
        with suppress(EOFError, OSError):
            if ready.poll(0):
                return receive_outcome(self.pipe)
        self.process.join(_FAREWELL_SECONDS)
        cause = "was stopped, and ended" if self._was_stopped else "died"
        return f"the worker process {cause} (exit code {self.process.exitcode})"

    def end_if_stopped(self) -> None:
        """Kill the process if it stands still by a signal while we do not: no job of it would end.

        Without a sandbox a bot of the same user can send that. The clock of the game has run on
        meanwhile, so it is not let go on: its pair is lost, and played again.
        """
        # a shell that stops and continues a whole run does so to us too
        if hasattr(os, "waitid"):
            with suppress(ChildProcessError):
                if os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG) is not None:
                    self._was_stopped = True
                    self.process.kill()

    def dismiss(self) -> None:
        """Let the process end: by closing its pipe if it is idle, else by asking it to leave."""
        self.pipe.close()
        if self.job is not None:
            self.process.terminate()
            self.job = None  # asked twice, it would break off what it does to end

    def end(self) -> None:
        """Dismiss the process, and wait until it is gone."""
        self.dismiss()
        self.process.join(_FAREWELL_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Hold interrupts back; a process that is started meanwhile does so until it ends that."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # or it would, when it begins, let them through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class LocalExecutor(SlotExecutor[WorkerProcess]):
    """Plays pairs in `workers` processes; a worker that is lost costs nothing but a replay.

    Each keeps to `per_worker` cores of its own, 0 for any, where there are enough. While it is
    open, children of this process that turn up in other sessions than its own are taken for what a
    lost worker's bots left behind, and are ended.
    """

    def __init__(
        self,
        workers: int,
        scratch_root: str | None = None,
        per_worker: int = 1,
    ) -> None:
        super().__init__()
        become_subreaper()  # the bots of a worker that was killed come to us, and are ended here
        self._own_root = make_scratch() if scratch_root is None else None
        scratch_root = self._scratch_root = scratch_root or self._own_root
        kept, self._locks = hold_cores(workers, per_worker)
        # Filled once and not for each wait: that would take longer than all else that is done for a
        # pair, if there are hundreds of workers.
        self._selector = DefaultSelector()
        self._workers = [self._add_worker(kept[slot]) for slot in range(workers)]
        self._idle = self._workers[::-1]
        self._next_look = time.monotonic() + _WATCH_SECONDS
        self._orphans = Orphans()  # now, so that helpers which came with the workers are known

    def start_worker(self, cores: Cores) -> WorkerProcess:
        """Start a worker that keeps to some cores."""
        return WorkerProcess(cores, self._scratch_root)

    def slots(self) -> int:
        """Return how many workers there are."""
        return len(self._workers)

    def submit(self, jobs: tuple[Job, ...]) -> WorkerProcess:
        """Give a job to an idle worker."""
        (job,) = jobs
        worker = self._idle.pop()
        # A worker that died while it was idle took no job with it, so none is counted as lost.
        while not worker.give(job):
            worker = self._replace(worker)
        return worker

    def wait(self, slots: Iterable[WorkerProcess]) -> list[WorkerProcess]:
        """Wait until some of the workers at a job have sent something or died; return those."""
        while True:
            awake = dict.fromkeys(key.data for key, _ in self._selector.select(_WATCH_SECONDS))
            now = time.monotonic()
            if now >= self._next_look:  # also while others have much to say
                self._next_look = now + _WATCH_SECONDS
                for worker in slots:
                    worker.end_if_stopped()
            for worker in [worker for worker in awake if worker.job is None]:
                # It died while it was idle. It is replaced when there is a job for it.
                self._forget(worker)
                del awake[worker]
            if awake:
                return list(awake)

    def collect(self, slot: WorkerProcess, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return what came of a worker's job; another takes its place if it died."""
        outcome = slot.take()
        if isinstance(outcome, str) and not slot.process.is_alive():
            slot = self._replace(slot)
        self._idle.append(slot)
        return (outcome,)

    def close(self) -> None:
        """End all workers, and the bots of those that were in the middle of a game."""
        # All are asked before any is waited for, so that they end at the same time.
        self._selector.close()
        for worker in self._workers:
            worker.dismiss()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._orphans.sweep()
        for lock in self._locks:
            lock.release()
        self._locks.clear()
        if self._own_root is not None:
            remove_scratch(self._own_root)  # with what the bots of lost workers left in it

    def _replace(self, worker: WorkerProcess) -> WorkerProcess:
        """Put a new worker in the place of one, and end what that left running."""
        self._forget(worker)
        worker.end()
        pids = frozenset(other.process.pid for other in self._workers)
        self._orphans.sweep(spared=pids)
        slot = self._workers.index(worker)
        self._workers[slot] = self._add_worker(worker.cores)
        return self._workers[slot]

    def _add_worker(self, cores: Cores) -> WorkerProcess:
        worker = self.start_worker(cores)
        # A worker that is killed before it has anything to send is noticed by its sentinel.
        for source in (worker.pipe, worker.process.sentinel):
            self._selector.register(source, EVENT_READ, worker)
        return worker

    def _forget(self, worker: WorkerProcess) -> None:
        """Wait for a worker no more; it may have been forgotten before."""
        for source in (worker.pipe, worker.process.sentinel):
            with suppress(KeyError):
                self._selector.unregister(source)


def wait_for_worker(worker: WorkerProcess) -> None:
    """Wait until a worker has sent something or died."""
    # A worker that is killed before it has anything to send is noticed by its sentinel.
    while not connection.wait((worker.pipe, worker.process.sentinel), _WATCH_SECONDS):
        worker.end_if_stopped()


def serve_jobs(pipe: Any, cores: Cores, scratch_root: str | None) -> None:
    """Serve jobs until the pipe is closed; send the result of each, or why it was not played.

    The process keeps to its cores, if any are given. One is best where bots have one thread: the
    two bots of a game and its referee never run at the same time, and waking each other across
    cores costs far more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides what an interrupt means
    if hasattr(signal, "pthread_sigmask"):  # held back since this process was started
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
    # by unwinding, so that the bots of the game under way are ended too
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    become_subreaper()
    keep_private()
    gc.freeze()  # what was imported stays to the end: no collection need look at it
    if cores is not None:
        os.sched_setaffinity(0, cores)
    # In the middle of a game nobody reads the pipe: without this the game would be played to its
    # end when the runner is long gone.
    parent = parent_process()
    if parent is not None:
        watch_lifeline(parent.sentinel)
    jobs = JobReader(pipe)
    with closing(BotPool(scratch_root)) as pool:
        while True:
            try:
                job = jobs.receive()
            except (EOFError, OSError):
                return
            try:
                outcome: Outcome = play_pair(job, pool)
            except RunnerGone:
                return
            # The machine's fault, such as no memory for a process, no room in the scratch folder or
            # no user for a bot: not one of the bots', and worth another attempt.
            except (OSError, ShortageError) as error:
                outcome = f"{SHORTAGE}{error}"
            # A bug of ours must not end the tournament: the pair is lost with its traceback.
            except Exception:
                outcome = traceback.format_exc(limit=-3)
            try:
                send_outcome(pipe, outcome)
            except OSError:
                return
