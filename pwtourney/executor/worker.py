"""A worker process, seen from both ends of its pipe.

Its owner hands it jobs; inside, it plays one after the other and sends back what came of each.
"""

import atexit
import gc
import os
import select
import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any
from weakref import WeakSet

from multiprocess import connection, get_context, parent_process, resource_tracker

from pwtourney.errors import ShortageError
from pwtourney.executor.base import SHORTAGE, Outcome
from pwtourney.executor.broadcast import Slot, broadcasting
from pwtourney.executor.wire import JobReader, JobWriter, receive_outcome, send_outcome
from pwtourney.match import BotPool, Job, play_pair
from pwtourney.process import RunnerGone, watch_lifeline
from pwtourney.process.pausing import watch_pauses
from pwtourney.sandbox.launch import keep_private
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.signals import (
    ENDING,
    STOPPING,
    Handler,
    handle,
    held,
    ignore,
    let_through,
    take_own,
)

__all__ = [
    "WATCH_SECONDS",
    "Cores",
    "WorkerProcess",
    "serve_jobs",
    "start_process",
    "wait_for_worker",
]

Cores = tuple[int, ...] | None
"""The cores that a worker keeps to, None for any."""

WATCH_SECONDS = 5
"""How often workers are looked at that say nothing."""

_SAFE_PATH = "PYTHONSAFEPATH"
_FAREWELL_SECONDS = 5


@contextmanager
def _safe_path() -> Iterator[None]:
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
    """A process, the pipe to it, and the jobs that it has, in order; started when it is made."""

    def __init__(
        self,
        cores: Cores,
        scratch_root: str | None,
        slot: Slot | None = None,
        pauses: int | None = None,
    ) -> None:
        self.cores = cores
        self.slot = slot
        self.jobs: deque[Job] = deque()
        # Not a fork: threads of the calling program would leave their locks taken in the child.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._writer = JobWriter(self.pipe)
        # as a connection it reaches the process under whatever number it has there
        line = None if pauses is None else connection.Connection(os.dup(pauses), writable=False)
        self.process: Any = context.Process(
            target=serve_jobs, args=(theirs, cores, scratch_root, slot, line), daemon=True
        )
        _workers.add(self)
        start_process(self.process)
        theirs.close()  # or its death would not be seen: an open end keeps the pipe alive
        if line is not None:
            line.close()

    def give(self, job: Job) -> bool:
        """Hand over a job, to be played after those that it has; False if the worker is dead."""
        try:
            self._writer.send(job)
        except OSError:
            return False
        self.jobs.append(job)
        return True

    def take(self) -> Outcome:
        """Take what the worker sent of its first job; its death is a reason too."""
        self.jobs.popleft()
        ready = select.poll()  # the pipe's own method takes ten times as long
        ready.register(self.pipe, select.POLLIN)
        # It may have died, perhaps in the middle of sending: half an answer is none.
        with suppress(EOFError, OSError):
            if ready.poll(0):
                return receive_outcome(self.pipe)
        self.process.join(_FAREWELL_SECONDS)
        return f"the worker process died (exit code {self.process.exitcode})"

    def continue_if_stopped(self) -> None:
        """Continue the process if a signal has stopped it while we run: its job would never end.

        Without a sandbox a bot of the same user can send that. The process notices the gap, and
        plays its pair again.
        """
        # a shell that stops and continues a whole run does so to us too
        if hasattr(os, "waitid"):
            with suppress(ChildProcessError):
                if os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG) is not None:
                    os.kill(self.process.pid, signal.SIGCONT)

    def dismiss(self) -> None:
        """Let the process end: by closing its pipe if it is idle, else by asking it to leave."""
        self.pipe.close()
        if self.jobs:
            self.process.terminate()
            self.jobs.clear()  # asked twice, it would break off what it does to end

    def end(self) -> None:
        """Dismiss the process, and wait until it is gone."""
        self.dismiss()
        self.process.join(_FAREWELL_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def start_process(process: Any) -> None:
    """Start a process of `multiprocess`, which blocks signals until it lets them through.

    It is started whole or not at all: half started, it would end with a traceback.
    """
    # It would let signals through when it begins, and stays for as long as we do. It blocks those
    # that a terminal sends when it is closed, and would otherwise be ended by them before us.
    with _safe_path():
        with held():
            resource_tracker.ensure_running()
        with held():
            process.start()


def _do_nothing(_: int) -> None:
    """Handle a signal that means nothing here."""


def wait_for_worker(worker: WorkerProcess) -> None:
    """Wait until a worker has sent something or died."""
    # A worker that is killed before it has anything to send is noticed by its sentinel.
    while not connection.wait((worker.pipe, worker.process.sentinel), WATCH_SECONDS):
        worker.continue_if_stopped()


def serve_jobs(
    pipe: Any,
    cores: Cores,
    scratch_root: str | None,
    slot: Slot | None = None,
    pauses: Any = None,
) -> None:
    """Serve jobs until the pipe is closed; send the result of each, or why it was not played.

    The games can be watched in `slot`, and are paused while the connection `pauses` is readable.

    The process keeps to its cores, if any are given. One is best where bots have one thread: the
    two bots of a game and its referee never run at the same time, and waking each other across
    cores costs far more.
    """
    ignore(number for number in ENDING if number != signal.SIGTERM)  # the runner decides
    handle((signal.SIGTERM,), _leave_if_dismissed(pipe), even_ignored=True)
    # Ctrl-Z is for the runner, which pauses games so that clocks stand still. Not ignored: that
    # would be inherited by bots.
    handle(STOPPING, _do_nothing)
    take_own()
    let_through()
    become_subreaper()
    keep_private()
    if pauses is not None:
        watch_pauses(pauses.fileno())
    gc.freeze()  # what was imported stays to the end: no collection need look at it
    if cores is not None:
        os.sched_setaffinity(0, cores)
    # In the middle of a game nobody reads the pipe: without this the game would be played to its
    # end when the runner is long gone.
    parent = parent_process()
    if parent is not None:
        watch_lifeline(parent.sentinel)
    jobs = JobReader(pipe)
    with broadcasting(slot) as follow, closing(BotPool(scratch_root)) as pool:
        while True:
            try:
                job = jobs.receive()
            except (EOFError, OSError):
                return
            try:
                outcome: Outcome = play_pair(job, pool, follow)
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


def _leave_if_dismissed(pipe: Any) -> Handler:
    """Return what SIGTERM does to a worker: it leaves if its owner has closed the pipe.

    It does so by unwinding, and ends its bots. timeout(1) and systemd send the signal to workers
    as well as to the runner, which decides then: what is played is played to its end.
    """
    closed = select.poll()
    closed.register(pipe, 0)

    def leave(_: int) -> None:
        if closed.poll(0):
            sys.exit(0)

    return leave


_workers: WeakSet[WorkerProcess] = WeakSet()


@atexit.register
def _close_pipes() -> None:
    """Let workers that nobody has dismissed leave when multiprocess terminates them, after this."""
    for worker in _workers:
        worker.pipe.close()
