"""A worker process, seen from both ends of its pipe.

Its owner gives it jobs. Inside, it plays them one after the other and sends back each outcome.
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
from pwtourney.executor.broadcast import Slot, open_broadcast
from pwtourney.executor.wire import JobReader, JobWriter, receive_outcome, send_outcome
from pwtourney.match import BotPool, Job, play_pair
from pwtourney.match.game_loop import Follower
from pwtourney.process import RunnerGone, watch_lifeline
from pwtourney.process.pause_switch import watch_pauses
from pwtourney.sandbox.launch import keep_private
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.signals import (
    ENDING,
    STOPPING,
    Handler,
    handle,
    hold_signals,
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
"""The cores that a worker is pinned to; None for any."""

WATCH_SECONDS = 5
"""The interval in seconds in which silent workers are checked."""

_SAFE_PATH = "PYTHONSAFEPATH"
_FAREWELL_SECONDS = 5


@contextmanager
def _safe_path() -> Iterator[None]:
    """Keep Python processes that are started in the block from importing from the current folder.

    The folder may be somebody else's checkout, and a ``multiprocess.py`` in it would be run outside
    of any sandbox: a spawned process looks there first. This is ``-P`` of Python's command line.
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
        # Not a fork: locks that threads of the calling program hold would stay locked in the child.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._writer = JobWriter(self.pipe)
        # A connection, because that gets a valid descriptor number in the new process.
        line = None if pauses is None else connection.Connection(os.dup(pauses), writable=False)
        self.process: Any = context.Process(
            target=serve_jobs, args=(theirs, cores, scratch_root, slot, line), daemon=True
        )
        _workers.add(self)
        start_process(self.process)
        theirs.close()  # otherwise its death would go unnoticed: an open end keeps the pipe alive
        if line is not None:
            line.close()

    def give(self, job: Job) -> bool:
        """Send a job, to be played after those that it has; return False if the worker is dead."""
        try:
            self._writer.send(job)
        except OSError:
            return False
        self.jobs.append(job)
        return True

    def take(self) -> Outcome:
        """Return the outcome of the worker's first job; its death is a reason too."""
        self.jobs.popleft()
        ready = select.poll()  # the pipe's own method takes ten times as long
        ready.register(self.pipe, select.POLLIN)
        # It may have died, perhaps in the middle of sending: a partial answer does not count.
        with suppress(EOFError, OSError):
            if ready.poll(0):
                return receive_outcome(self.pipe)
        self.process.join(_FAREWELL_SECONDS)
        return f"the worker process died (exit code {self.process.exitcode})"

    def continue_if_stopped(self) -> None:
        """Continue the process if a signal has stopped it while we run: its job would never end.

        Without a sandbox, a bot of the same user can send that signal. The process notices the gap,
        and plays its pair again.
        """
        # A shell that stops and continues a whole run does so to this process too.
        if hasattr(os, "waitid"):
            with suppress(ChildProcessError):
                if os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOHANG) is not None:
                    os.kill(self.process.pid, signal.SIGCONT)

    def dismiss(self) -> None:
        """Let the process end: close its pipe, and terminate it if it has jobs."""
        self.pipe.close()
        if self.jobs:
            self.process.terminate()
            self.jobs.clear()  # a second SIGTERM would interrupt its cleaning up

    def end(self) -> None:
        """Dismiss the process, and wait until it is gone."""
        self.dismiss()
        self.process.join(_FAREWELL_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def start_process(process: Any) -> None:
    """Start a process of `multiprocess`, which blocks signals until it unblocks them itself.

    A signal cannot interrupt the start half way, which would end the process with a traceback.
    """
    # `ensure_running` unblocks signals here, so it gets a block of its own. The tracker lives as
    # long as this process. It inherits the blocked signals; otherwise those that a terminal sends
    # when it is closed would end it before us.
    with _safe_path():
        with hold_signals():
            resource_tracker.ensure_running()
        with hold_signals():
            process.start()


def _do_nothing(_: int) -> None:
    """Handle a signal that means nothing here."""


def wait_for_worker(worker: WorkerProcess) -> None:
    """Wait until a worker has sent something or died."""
    # The sentinel reports a worker that is killed before it has anything to send.
    while not connection.wait((worker.pipe, worker.process.sentinel), WATCH_SECONDS):
        worker.continue_if_stopped()


def serve_jobs(
    pipe: Any,
    cores: Cores,
    scratch_root: str | None,
    slot: Slot | None = None,
    pauses: Any = None,
) -> None:
    """Serve jobs until the pipe is closed; send the outcome of each.

    The games can be watched in `slot`, and are paused while the connection `pauses` is readable.

    The process is pinned to `cores`, if any are given. One is best where bots have one thread: the
    two bots of a game and its referee never run at the same time, and waking each other across
    cores costs far more.
    """
    _handle_signals(pipe)
    take_own()
    let_through()
    become_subreaper()
    keep_private()
    if pauses is not None:
        watch_pauses(pauses.fileno())
    gc.freeze()  # imported objects stay to the end, so no collection needs to visit them
    if cores is not None:
        os.sched_setaffinity(0, cores)
    # In the middle of a game the pipe is not read: without this the game would be played to its end
    # long after the runner is gone.
    parent = parent_process()
    if parent is not None:
        watch_lifeline(parent.sentinel)
    jobs = JobReader(pipe)
    with open_broadcast(slot) as follow, closing(BotPool(scratch_root)) as pool:
        while True:
            try:
                job = jobs.receive()
            except (EOFError, OSError):
                return
            try:
                outcome = _play_job(job, pool, follow)
            except RunnerGone:
                return
            try:
                send_outcome(pipe, outcome)
            except OSError:
                return


def _handle_signals(pipe: Any) -> None:
    ignore(number for number in ENDING if number != signal.SIGTERM)  # the runner decides
    handle((signal.SIGTERM,), _leave_if_dismissed(pipe), even_ignored=True)
    # Ctrl-Z is for the runner, which pauses games so that clocks stop. The signal is handled and
    # not ignored, because bots would inherit that.
    handle(STOPPING, _do_nothing)


def _play_job(job: Job, pool: BotPool, follow: Follower | None) -> Outcome:
    """Play a pair; return its result, or why it could not be played.

    Raises `RunnerGone`.
    """
    try:
        return play_pair(job, pool, follow)
    except RunnerGone:
        raise
    # A fault of the machine, such as no memory for a process, no room in the scratch folder or no
    # uid for a bot. It is not the bots' fault, and worth another attempt.
    except (OSError, ShortageError) as error:
        return f"{SHORTAGE}{error}"
    # A bug of ours must not end the tournament: the pair is lost with its traceback.
    except Exception:
        return traceback.format_exc(limit=-3)


def _leave_if_dismissed(pipe: Any) -> Handler:
    """Return the handler of SIGTERM in a worker: exit if the owner has closed the pipe.

    It exits by unwinding the stack, which ends its bots. timeout(1) and systemd send the signal to
    workers as well as to the runner, which then decides: running games are played to their end.
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
    """Close the pipes, so that workers exit when multiprocess terminates them after this."""
    for worker in _workers:
        worker.pipe.close()
