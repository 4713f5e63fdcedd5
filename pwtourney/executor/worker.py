"""The inside of a worker process: take a job, play it, send back what came of it."""

import os
import pickle
import signal
import sys
import traceback
from contextlib import closing
from types import FrameType
from typing import Any, NoReturn

from multiprocess import parent_process

from pwtourney.match import BotPool, PairResult, play_pair
from pwtourney.process import RunnerGone, watch_lifeline
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.sandbox.privileges import keep_private

__all__ = ["SHORTAGE", "receive", "send", "serve_jobs"]

SHORTAGE = "the system ran out of something: "
"""What the reason begins with when a job could not be played for want of something."""


def serve_jobs(pipe: Any, cores: tuple[int, ...] | None, scratch_root: str | None) -> None:
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
    parent = parent_process()
    if parent is not None:
        watch_lifeline(parent.sentinel)
    with closing(BotPool(scratch_root)) as pool:
        _serve(pipe, pool)


def send(pipe: Any, what: object) -> None:
    """Send a plain value; what the pipe itself would use for it takes ten times as long."""
    pipe.send_bytes(pickle.dumps(what, pickle.HIGHEST_PROTOCOL))


def receive(pipe: Any) -> Any:
    """Receive what `send` has sent; raises EOFError when the other side has gone."""
    return pickle.loads(pipe.recv_bytes())


def _serve(pipe: Any, pool: BotPool) -> None:
    while True:
        try:
            job = receive(pipe)
        except (EOFError, OSError):
            return
        try:
            answer: tuple[PairResult | None, str | None] = (play_pair(job, pool), None)
        except RunnerGone:
            return
        except OSError as error:
            answer = (None, f"{SHORTAGE}{error}")
        except Exception:
            answer = (None, traceback.format_exc(limit=-3))
        try:
            send(pipe, answer)
        except OSError:
            return


def _leave(_: int, __: FrameType | None) -> NoReturn:
    """End by unwinding, so that the bots of the game under way are ended too."""
    sys.exit(0)
