"""What can be compiled, where it is kept, and how it is found where nothing may be written.

While a bot is prepared they are kept in its cache, to which is copied what there is. Elsewhere
numba keeps what it has compiled next to the source. It looks only in folders that it could write
to, so where it could not (in the sandbox, for other users, on read-only disks) a temporary folder
leads to what is there.
"""

import atexit
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from functools import cache
from hashlib import sha1, sha256
from pathlib import Path

__all__ = ["GAME", "KERNEL", "MOST_SQUARES", "bring_along", "fingerprint"]

MOST_SQUARES = 128
"""Quilts of at most so many squares fit the two words of 64 bits that the kernel has for them."""

_CACHE = "PWTOURNEY_CACHE"
"""Names a bot's cache, which can be written to while the bot is prepared, and only then."""

KERNEL, _GAMES = (Path(__file__).with_name(name) for name in ("kernel.py", "games.py"))
GAME = (KERNEL, _GAMES)
"""The files that a compiled game is made of."""


@cache
def bring_along(source: Path = _GAMES) -> None:
    """See to it that what was compiled of a source is found; to be called before its import.

    Raises ImportError where numba can be used by nobody: it needs a folder that it may write to.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return  # somebody has chosen a place, and numba looks there
    # the name under which numba looks for the cache of a folder in a place that it is given
    package = str(source.parent)
    name = f"{source.parent.name}_{sha1(package.encode()).hexdigest()}"
    bot_cache = os.environ.get(_CACHE)
    prepared = Path(bot_cache, "numba") if bot_cache else None
    kept = source.parent / "__pycache__"
    # A bot's cache may be written to while the bot is prepared. Its mode says so even to root, who
    # could write to one that is complete and that others read.
    if (
        prepared is not None
        and os.access(prepared.parent, os.W_OK)
        and prepared.parent.stat().st_mode & stat.S_IWUSR
    ):
        _keep_in(str(prepared))
        _copy_compiled(source, kept, prepared / name)
        return
    # Numba looks next to the source, unless it could not write there. So what was kept is linked
    # into a temporary folder, which it can write to.
    if prepared is not None and (prepared / name).is_dir():
        kept = prepared / name
    elif os.access(kept if kept.exists() else source.parent, os.W_OK):
        return
    try:
        folder = _make_temporary_folder() / name
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
        for path in kept.glob(f"{source.stem}.*.nb[ic]"):
            draft = folder / f".{path.name}"  # whole or not at all, even where a disk is full
            shutil.copyfile(path, draft)
            draft.replace(folder / path.name)


@cache  # one for all sources: numba knows only one folder
def _make_temporary_folder() -> Path:
    """Make a temporary folder, and let numba look there."""
    folder = Path(tempfile.mkdtemp(prefix="pwtourney-numba-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _keep_in(str(folder))
    return folder


def _keep_in(folder: str) -> None:
    """Let numba keep what it compiles in a folder, and look there."""
    import numba  # here: it may be missing, and takes half a second

    numba.config.CACHE_DIR = folder


def fingerprint(*sources: Path) -> str:
    """Return what changes with the content of files.

    Numba keeps a function by the file that it stands in. One that draws in functions of other files
    must have their fingerprint in its closure, or old ones would stay in it for ever.
    """
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
