"""Pairs played for somebody else's executor, in whatever process and thread it hands us.

Bots are started by worker processes of our own beside that one, kept from call to call: they die
with the thread that starts them, and a worker keeps to one core, neither of which can be asked of
a thread that belongs to others. There are as many workers as calls at one time.
"""

import atexit
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.executor.local import available_cores
from pwtourney.executor.shipping import here
from pwtourney.executor.worker_process import Cores, WorkerProcess, ready
from pwtourney.match import Job, PairResult

__all__ = ["Chunk", "end_workers", "play_remotely"]

_lock = threading.Lock()
_idle: list[tuple[str | None, WorkerProcess]] = []


class Chunk(NamedTuple):
    """What came of some jobs, in order: the result, or why it was lost; and how long they took."""

    outcomes: tuple[PairResult | str, ...]
    seconds: float


def play_remotely(jobs: Sequence[Job], scratch_root: str | None, shipment: str = "") -> Chunk:
    """Play pairs one after the other; none is lost through a fault of its bots.

    Scratch folders are made below `scratch_root` where that is there, on the machine that asked.
    The bots of a `shipment` are started from where they lie here.
    """
    began = time.monotonic()
    root = scratch_root if scratch_root and os.path.isdir(scratch_root) else None
    outcomes = tuple(_play(job, root, shipment) for job in jobs)
    return Chunk(outcomes, time.monotonic() - began)


def end_workers() -> None:
    """End the workers of this process."""
    with _lock:
        while _idle:
            _idle.pop()[1].end()


def _play(job: Job, root: str | None, shipment: str) -> PairResult | str:
    try:
        local = here(job, shipment)
    except UsageError as error:
        return str(error)
    worker = _taken(root)
    while not worker.give(local, 0):  # it died while it was idle
        worker.end()
        worker = _taken(root)
    ready([worker])
    result, reason = worker.result()
    worker.job = None
    if result is None and not worker.process.is_alive():
        worker.end()
    else:
        with _lock:
            _idle.append((root, worker))
    return str(reason) if result is None else result


def _taken(root: str | None) -> WorkerProcess:
    """Return a worker that is idle and works below this folder, or a new one."""
    with _lock:
        for place, (folder, worker) in enumerate(_idle):
            if folder == root:
                del _idle[place]
                return worker
    return WorkerProcess(_free_core(), root)


def _free_core() -> Cores:
    """Return a core that no other such worker of this machine keeps to, None if there is none.

    It is kept by a lock on a file, which the system lets go of when this process ends.
    """
    with suppress(ImportError, OSError):
        import fcntl

        for core in available_cores():
            path = os.path.join(tempfile.gettempdir(), f"pwtourney-{os.getuid()}-core-{core}.lock")
            held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
            else:
                return (core,)
    return None


atexit.register(end_workers)
