"""Compiled games where nothing may be written: in the sandbox, for other users, on read-only disks.

Numba keeps what it has compiled beside the source, and looks there only if it could write there.
So where it could not, what is there is copied to a temporary folder, and numba is told of that.
"""

import atexit
import os
import shutil
import tempfile
from functools import cache
from hashlib import sha1
from pathlib import Path

__all__ = ["bring_along"]

_HERE = Path(__file__).parent
_KEPT = _HERE / "__pycache__"


@cache
def bring_along() -> None:
    """See to it that compiled games are found; to be called before the kernel is imported."""
    if os.access(_KEPT, os.W_OK) or "NUMBA_CACHE_DIR" in os.environ:
        return
    compiled = [path for path in _KEPT.glob("kernel.*") if path.suffix in (".nbi", ".nbc")]
    if not compiled:
        return
    import numba

    folder = Path(tempfile.mkdtemp(prefix="pwtourney-numba-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # the name under which numba looks for the cache of a folder in a place that it is given
    place = folder / f"{_HERE.name}_{sha1(str(_HERE).encode()).hexdigest()}"
    place.mkdir()
    for path in compiled:
        shutil.copy(path, place)
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
