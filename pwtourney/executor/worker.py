"""A worker process, from both ends of its pipe.

Its owner hands it a job; inside, it plays the job and sends back what came of it.
"""

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Sequence
from contextlib import closing
from types import FrameType
from typing import Any, NoReturn

from multiprocess import connection, get_context, parent_process

from pwtourney.match import BotPool, Job, PairResult, play_pair
from pwtourney.process import RunnerGone, watch_lifeline
from pwtourney.sandbox.launch import keep_private
from pwtourney.sandbox.orphans import become_subreaper

__all__ = ["SHORTAGE", "Cores", "WorkerProcess", "serve_jobs", "wait_for_workers"]

SHORTAGE = "the system ran out of something: "
"""What the reason begins with when a job could not be played for want of something."""

Cores = tuple[int, ...] | None
"""The cores that a worker keeps to, None for any."""

_FAREWELL_SECONDS = 5


class WorkerProcess:
    """A process, the pipe to it, and the job it is at; started when it is made."""

    def __init__(self, cores: Cores, scratch_root: str | None) -> None:
        self.cores = cores
        self.job: Job | None = None
        self.losses = 0
        # Not a fork: threads of whoever uses us would leave their locks taken in the child.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: Any = context.Process(
            target=serve_jobs, args=(theirs, cores, scratch_root), daemon=True
        )
        self.process.start()
        theirs.close()  # or its death would not be seen: an open end keeps the pipe alive

    def give(self, job: Job, losses: int) -> bool:
        """Hand over a job; False if the worker is dead already."""
        try:
            _send(self.pipe, job)
        except OSError:
            return False
        self.job, self.losses = job, losses
        return True

    def result(self) -> tuple[PairResult | None, str | None]:
        """Take what the worker sent; its death is a reason too."""
        try:
            if self.pipe.poll():
                result: tuple[PairResult | None, str | None] = _receive(self.pipe)
                return result
        # It died, perhaps in the middle of sending: half an answer is none.
        except (EOFError, OSError):
            pass
        self.process.join(_FAREWELL_SECONDS)
        return None, f"the worker process died (exit code {self.process.exitcode})"

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


def wait_for_workers(workers: Sequence[WorkerProcess]) -> list[WorkerProcess]:
    """Wait until some of the workers have sent something or died; return those."""
    # A worker that is killed before it has anything to send is noticed by its sentinel.
    waits = [source for worker in workers for source in (worker.pipe, worker.process.sentinel)]
    awake = set(connection.wait(waits))
    return [worker for worker in workers if {worker.pipe, worker.process.sentinel} & awake]


def serve_jobs(pipe: Any, cores: Cores, scratch_root: str | None) -> None:
    """Serve jobs until the pipe is closed; send ``(result, None)`` or ``(None, reason)`` each.

    The process keeps to its cores, if any are given. One is best where bots have one thread: the
    two bots of a game and its referee never run at the same time, and waking each other across
    cores costs far more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides what an interrupt means
    signal.signal(signal.SIGTERM, _leave)
    become_subreaper()
    keep_private()
    if cores is not None:
        os.sched_setaffinity(0, cores)
    # In the middle of a game nobody reads the pipe: without this the game would be played to its
    # end when the runner is long gone.
    parent = parent_process()
    if parent is not None:
        watch_lifeline(parent.sentinel)
    with closing(BotPool(scratch_root)) as pool:
        _answer_jobs(pipe, pool)


def _answer_jobs(pipe: Any, pool: BotPool) -> None:
    while True:
        try:
            job = _receive(pipe)
        except (EOFError, OSError):
            return
        try:
            answer: tuple[PairResult | None, str | None] = (play_pair(job, pool), None)
        except RunnerGone:
            return
        # The machine's fault, such as no memory for a process or no room in the scratch folder: not
        # one of the bots', and worth another attempt.
        except OSError as error:
            answer = (None, f"{SHORTAGE}{error}")
        # A bug of ours must not end the tournament: the pair is lost with its traceback.
        except Exception:
            answer = (None, traceback.format_exc(limit=-3))
        try:
            _send(pipe, answer)
        except OSError:
            return


def _leave(_: int, __: FrameType | None) -> NoReturn:
    """End by unwinding, so that the bots of the game under way are ended too."""
    sys.exit(0)


def _send(pipe: Any, what: object) -> None:
    """Send a plain value; what the pipe itself would use for it takes ten times as long."""
    pipe.send_bytes(pickle.dumps(what, pickle.HIGHEST_PROTOCOL))


def _receive(pipe: Any) -> Any:
    """Receive what `_send` has sent; raises EOFError when the other side has gone."""
    return pickle.loads(pipe.recv_bytes())
