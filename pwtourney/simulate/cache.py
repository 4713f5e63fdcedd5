"""Where compiled games are kept, and how they are found where nothing may be written.

While a bot is prepared they are kept in its cache, to which is copied what there is. Elsewhere
numba keeps what it has compiled next to the source. It looks only in folders that it could write
to, so where it could not (in the sandbox, for other users, on read-only disks) a temporary folder
leads to what is there.
"""

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha1, sha256
from pathlib import Path

__all__ = ["GAME", "bring_along", "fingerprint"]

_CACHE = "PWTOURNEY_CACHE"
"""Names a bot's cache, which can be written to while the bot is prepared, and only then."""

_KERNEL = Path(__file__).with_name("kernel.py")
GAME = (_KERNEL, Path(__file__).with_name("tables.py"))
"""The files that a compiled game is made of."""


@cache
def bring_along(source: Path = _KERNEL) -> None:
    """See to it that what was compiled of a source is found; to be called before its import.

    Raises ImportError where numba can be used by nobody: it needs a folder that it may write to.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    # the name under which numba looks for the cache of a folder in a place that it is given
    package = str(source.parent)
    name = f"{source.parent.name}_{sha1(package.encode()).hexdigest()}"
    prepared = _prepared_folder()
    kept = source.parent / "__pycache__"
    if prepared is not None and os.access(prepared.parent, os.W_OK):
        _keep_in(str(prepared))
        _copy_compiled(source, kept, prepared / name)
        return
    if prepared is not None and (prepared / name).is_dir():
        kept = prepared / name
    elif os.access(kept if kept.exists() else source.parent, os.W_OK):
        return
    try:
        folder = _elsewhere() / name
        folder.mkdir(exist_ok=True)
        for path in kept.glob(f"{source.stem}.*.nb[ic]"):
            (folder / path.name).symlink_to(path)
    except OSError as error:
        raise ImportError(f"numba has no folder to write to: {error}") from error


def _copy_compiled(source: Path, kept: Path, folder: Path) -> None:
    """Begin with what was compiled of a source in an earlier process, as far as it can be had.

    It is as good as the source: who can write next to it can change it. Numba itself looks whether
    it is of this source, version and processor.
    """
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        # indices first: whatever they name was written before them
        for ending in ("nbi", "nbc"):
            for path in kept.glob(f"{source.stem}.*.{ending}"):
                shutil.copyfile(path, folder / path.name)


def _prepared_folder() -> Path | None:
    """Return the place of compiled games in the bot's cache, if the bot has one."""
    cache = os.environ.get(_CACHE)
    return Path(cache, "numba") if cache else None


@cache
def _elsewhere() -> Path:
    """Make a temporary folder, and let numba look there."""
    folder = Path(tempfile.mkdtemp(prefix="pwtourney-numba-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _keep_in(str(folder))
    return folder


def _keep_in(folder: str) -> None:
    """Let numba keep what it compiles in a folder, and look there."""
    import numba

    numba.config.CACHE_DIR = folder  # type: ignore[attr-defined]


def fingerprint(*sources: Path) -> str:
    """Return what changes with the content of files.

    Numba keeps a function by the file that it stands in. One that draws in functions of other files
    must have their fingerprint in its closure, or old ones would stay in it for ever.
    """
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
