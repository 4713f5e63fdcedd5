"""The cache of compiled code: where it is kept, and how it is found on read-only file systems.

While a bot is prepared, compiled functions are kept in its cache; existing ones are copied there
first. Elsewhere numba keeps what it has compiled next to the source. Numba looks only in folders
that it could write to. Where it could not write (in the sandbox, for other users, on read-only
disks), a temporary folder with links to the existing files is used.
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
"""Quilts of at most this many squares fit the two 64-bit words of the kernel."""

_CACHE = "PWTOURNEY_CACHE"
"""Names a bot's cache, which can be written to only while the bot is prepared."""

KERNEL, _GAMES = (Path(__file__).with_name(name) for name in ("kernel.py", "games.py"))
GAME = (KERNEL, _GAMES)
"""The files that a compiled game is made of."""


@cache
def bring_along(source: Path = _GAMES) -> None:
    """Make numba find the compiled functions of a source; call it before the import of the source.

    Raises ImportError if numba has no folder that it may write to, which it needs.
    """
    if "NUMBA_CACHE_DIR" in os.environ:
        return  # the user has chosen a folder, which numba uses
    # the name of a folder's cache within the folder that numba is given
    package = str(source.parent)
    name = f"{source.parent.name}_{sha1(package.encode()).hexdigest()}"
    bot_cache = os.environ.get(_CACHE)
    prepared = Path(bot_cache, "numba") if bot_cache else None
    kept = source.parent / "__pycache__"
    # A bot's cache may be written to while the bot is prepared. The mode shows this even to root,
    # which could also write to a complete one that others read.
    if (
        prepared is not None
        and os.access(prepared.parent, os.W_OK)
        and prepared.parent.stat().st_mode & stat.S_IWUSR
    ):
        _keep_in(str(prepared))
        _copy_compiled(source, kept, prepared / name)
        return
    # Numba looks next to the source, unless it could not write there. So existing files are linked
    # into a temporary folder, which numba can write to.
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
    """Copy the functions that an earlier process compiled from a source, as far as possible.

    They are as trustworthy as the source: a user who can write next to it can change it. Numba
    itself checks that they are of this source, version and processor.
    """
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for path in kept.glob(f"{source.stem}.*.nb[ic]"):
            draft = folder / f".{path.name}"  # atomic, even if a disk is full
            shutil.copyfile(path, draft)
            draft.replace(folder / path.name)


@cache  # one for all sources: numba knows only one folder
def _make_temporary_folder() -> Path:
    """Create a temporary folder, and make numba use it."""
    folder = Path(tempfile.mkdtemp(prefix="pwtourney-numba-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    _keep_in(str(folder))
    return folder


def _keep_in(folder: str) -> None:
    """Make numba keep what it compiles in a folder, and look there."""
    import numba  # imported here: it may be missing, and takes half a second

    numba.config.CACHE_DIR = folder


def fingerprint(*sources: Path) -> str:
    """Return a hash that changes with the content of files.

    Numba caches a function by its own file. A function that inlines functions of other files must
    have their fingerprint in its closure, or outdated ones would stay in it forever.
    """
    return sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
