"""Folders that are filled once for all tests, in whichever process they run."""

import fcntl
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["Once", "sharing"]

Once = Callable[[str, Callable[[Path], object]], Path]
"""Fills the folder of a name, unless that was done; returns the folder, which tests only read."""

MOST_SECONDS = 900
"""The maximal time: compiling takes 20 s, but minutes on a busy machine."""


@contextmanager
def own_time() -> Iterator[None]:
    """Exclude the time of shared work from the limit of the test that happens to need it first."""
    left, _ = signal.getitimer(signal.ITIMER_REAL)  # pytest-timeout's timer, if there is a limit
    if left:
        signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        if left:
            signal.setitimer(signal.ITIMER_REAL, left)


def sharing(factory: pytest.TempPathFactory) -> Once:
    """Return a function that fills folders once a session, with or without parallel processes."""
    base = factory.getbasetemp()
    # each xdist process has a folder below that of the session
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def once(name: str, make: Callable[[Path], object]) -> Path:
        folder, made = root / f"once-{name}", root / f"once-{name}.made"
        with own_time(), (root / f"once-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                folder.chmod(0o755)
                make(folder)
                made.touch()
        return folder

    return once
