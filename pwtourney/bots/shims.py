"""Shims: programs on the PATH that choose another program by the folder in which they are called.

Version managers (pyenv, rbenv, nodenv, asdf, mise and others) put them into a folder ``shims``. A
bot is started without their settings and in a folder of its own, often in a sandbox that hides
them, so it gets the program that the shim stands for. All of these managers answer ``which``.
"""

import os
import re
import shutil
import subprocess
from functools import lru_cache

from pwtourney.errors import BotNotFoundError

__all__ = ["find_behind_shim"]

_MANAGER = re.compile(r"[a-z]+env|asdf|mise|rtx", re.ASCII)
"""The names of version managers, which are those of their folders without a dot."""

_PATIENCE = 20.0
"""Seconds that a manager has to answer; it takes a tenth of one."""


@lru_cache(maxsize=64)
def find_behind_shim(path: str, folder: str) -> str:
    """Return the program that a command starts in a folder: another one if `path` is a shim.

    Raises `BotNotFoundError` if its manager does not tell which.
    """
    shims, program = os.path.split(path)
    if os.path.basename(shims) != "shims":
        return path
    root = os.path.dirname(shims)
    name = os.path.basename(root).lstrip(".")
    manager = _find_manager(root, name) if _MANAGER.fullmatch(name) else None
    if manager is None:
        return path
    try:
        done = subprocess.run(
            [manager, "which", program],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
        target, why = done.stdout.strip(), done.stderr.strip()
    except (OSError, subprocess.TimeoutExpired) as error:
        target, why = "", str(error)
    if os.path.isabs(target) and os.path.isfile(target):
        return target
    said = f": {why.splitlines()[0]}" if why else ""
    raise BotNotFoundError(
        f"{program} on the PATH is a shim of {name}, which does not tell the program for"
        f" {folder}{said}; give the path of the program itself"
    )


def _find_manager(root: str, name: str) -> str | None:
    """Return the program of a version manager whose files are in a folder; None if none is."""
    for subfolder in ("libexec", "bin"):
        inside = os.path.join(root, subfolder, name)
        if os.access(inside, os.X_OK):
            return inside
    return shutil.which(name)
