"""What is made once for all tests, whichever process they run in."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

__all__ = ["Once", "sharing"]

Once = Callable[[str, Callable[[Path], object]], Path]
"""Fills a folder of a name, unless that was done; returns the folder, which is for reading."""


def sharing(factory: pytest.TempPathFactory) -> Once:
    """Return a way to fill folders once a session, with or without parallel processes."""
    base = factory.getbasetemp()
    # xdist gives each of its processes a folder below that of the session
    root = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def once(name: str, make: Callable[[Path], object]) -> Path:
        folder, made = root / f"once-{name}", root / f"once-{name}.made"
        with (root / f"once-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                folder.chmod(0o755)
                make(folder)
                made.touch()
        return folder

    return once
