"""Compiled games where nothing may be written: in the sandbox, for other users, on read-only disks.

Numba keeps what it has compiled beside the source, and looks there only if it could write there.
So where it could not, a temporary folder leads to what is there, and numba is told of that.
"""

import atexit
import os
import shutil
import tempfile
from functools import cache
from hashlib import sha1, sha256
from pathlib import Path

__all__ = ["GAME", "bring_along", "fingerprint"]

_KERNEL = Path(__file__).with_name("kernel.py")
GAME = (_KERNEL, Path(__file__).with_name("tables.py"))
"""The files that a compiled game is made of."""


@cache
def bring_along(source: Path = _KERNEL) -> None:
    """See to it that what was compiled of a source is found; to be called before its import.

    Raises ImportError where numba can be used by nobody: it needs a folder that it may write to.
    """
    kept = source.parent / "__pycache__"
    written_to = kept if kept.exists() else source.parent
    if os.access(written_to, os.W_OK) or "NUMBA_CACHE_DIR" in os.environ:
        return
    # the name under which numba looks for the cache of a folder in a place that it is given
    folder = str(source.parent)
    name = f"{source.parent.name}_{sha1(folder.encode()).hexdigest()}"
    try:
        place = _elsewhere() / name
        place.mkdir(exist_ok=True)
        for path in kept.glob(f"{source.stem}.*.nb[ic]"):
            (place / path.name).symlink_to(path)
    except OSError as error:
        raise ImportError(f"numba has no folder to write to: {error}") from error


@cache
def _elsewhere() -> Path:
    """Make a temporary folder, and let numba look there."""
    import numba

    folder = Path(tempfile.mkdtemp(prefix="pwtourney-numba-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return folder


def fingerprint(*sources: Path) -> str:
    """Return what changes with the content of files.

    Numba keeps a function by the file that it stands in. One that draws in functions of other files
    must have their fingerprint in its closure, or old ones would stay in it for ever.
    """
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
