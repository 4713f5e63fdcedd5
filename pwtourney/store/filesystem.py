"""Checks whether a file system offers what a results folder needs.

A run holds a lock of the system (``flock``), so that no other run writes into its folder. SQLite
takes locks of its own (``fcntl``), and shares the index of its log between processes through mapped
memory. Some network folders support neither: each request fails, with another error than that of a
lock which another process holds.
"""

import errno
import mmap
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

from pwtourney.constants import LOCK, RESULTS_DATABASE
from pwtourney.sandbox.procfs import list_mounts

__all__ = [
    "Trait",
    "can_lock",
    "find_lack",
    "find_shared_kind",
    "is_taken",
    "list_traits",
    "read_shared_kind",
]

_TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK)
"""The errors if another process holds a lock.

POSIX allows EACCES as well. Neither Linux nor macOS uses it for this: there it means that locking
is forbidden.
"""

_MOUNTS = Path("/proc/self/mountinfo")
_SHARED = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "virtiofs",
    "vboxsf",
    "vmhgfs",
    "prl_fs",
    "afs",
    "ceph",
    "coda",
    "davfs",
    "lustre",
    "gpfs",
    "beegfs",
    "gfs2",
    "ocfs2",
    "glusterfs",
    "fuse",
}
"""File systems that other machines may use at the same time, by the kernel's names."""

_LOCAL_FUSE = {
    "fuse.fuse-overlayfs",
    "fuse.gocryptfs",
    "fuse.encfs",
    "fuse.cryfs",
    "fuse.bindfs",
    "fuse.mergerfs",
    "fuse.ntfs-3g",
}
"""FUSE file systems whose files are on this machine; most others are clients of a server."""

_MIB = 1 << 20
_LEAST_SPACE = 64 * _MIB
"""A small tournament with its page takes some megabytes."""

_LEAST_FILES = 1_000
"""Each fault has a log, and each bot two badges."""

_ELSEWHERE = (
    "use a folder on a local disk (--results DIR), and copy the results when the run is over"
)


class Trait(NamedTuple):
    """One thing that a results folder needs, and whether this folder has it.

    `problem` says what is wrong, and is empty if nothing is. `detail` says what was tried or found,
    `means` what the problem leads to, and `remedy` what to do.
    """

    name: str
    problem: str
    detail: str
    means: str
    remedy: str


def is_taken(error: OSError) -> bool:
    """Return True if the error says that another process holds a lock, not that locking fails."""
    return error.errno in _TAKEN


def find_lack(descriptor: int) -> str:
    """Return what SQLite cannot do on a file system, with the system's error; empty if nothing.

    The file must be open for reading and writing, and must not be empty.
    """
    if problem := _try_to(lambda: _lock_as_sqlite(descriptor)):
        return f"cannot lock files ({problem})"
    if problem := _try_to(lambda: mmap.mmap(descriptor, 1).close()):
        return f"cannot share memory between processes ({problem})"
    return ""


def can_lock(folder: Path) -> bool:
    """Return True if SQLite can lock files in a results folder, or if that is unknown."""
    # The database itself is never tried: closing it would release all locks that this process has
    # on it (fcntl(2)), including SQLite's.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(folder / LOCK, flags)
    except OSError:  # for example results that were copied
        try:
            with TemporaryFile(dir=folder) as file:
                return not _try_to(lambda: _lock_as_sqlite(file.fileno()))
        except OSError:
            return True
    try:
        return not _try_to(lambda: _lock_as_sqlite(descriptor))
    finally:
        os.close(descriptor)


def _lock_as_sqlite(descriptor: int) -> None:
    import fcntl  # not on Windows

    fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, 1)
    fcntl.lockf(descriptor, fcntl.LOCK_UN, 1)


def _lock_as_run(descriptor: int) -> None:
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _try_to(act: Callable[[], object]) -> str:
    """Call a function; return the error with which the file system refuses, or an empty text."""
    try:
        act()
    except ImportError:
        return "this system is not supported"
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, OSError):
            return "" if is_taken(error) else error.strerror or str(error)
        return str(error)
    return ""


def find_shared_kind(path: Path) -> str:
    """Return the type of a file system that other machines may use, too, such as ``nfs4``.

    Returns an empty text for a local file system, and if the type is unknown.
    """
    try:
        return read_shared_kind(_MOUNTS.read_bytes(), path.resolve())
    except (OSError, ValueError):  # not Linux, or a system that imitates it in part
        return ""


def read_shared_kind(mounts: bytes, path: Path) -> str:
    """Return the same for a resolved path, given the content of ``/proc/self/mountinfo``."""
    above = [mount for mount in list_mounts(mounts) if path.is_relative_to(mount.point)]
    # The nearest mount. Of two mounts at one place, the later one hides the other.
    ordered = sorted(above, key=lambda mount: len(mount.point.parts))
    kind = ordered[-1].kind if ordered else ""
    is_client = kind.startswith("fuse.") and kind not in _LOCAL_FUSE
    return kind if kind in _SHARED or is_client else ""


def list_traits(folder: Path) -> Iterator[Trait]:
    """Yield what a results folder needs, each item after trying it in a temporary folder inside.

    If the folder does not exist, its nearest existing parent is tried. Nothing is left there.
    """
    base = next(path for path in (folder, *folder.parents) if path.exists())
    writable = Trait(
        "writable folder",
        "",
        f"{folder}" if base == folder else f"{folder}, which would be made in {base}",
        "nothing can be kept there",
        "change its owner or mode, or use another folder",
    )
    try:
        scratch = TemporaryDirectory(prefix=".pwtourney-", dir=base)
    except OSError as error:
        yield writable._replace(problem=f"{base}: {error.strerror}")
        return
    yield writable
    with scratch as name:
        yield from _list_tried(Path(name))
    yield _measure_space(base)
    yield Trait(
        "local disk",
        find_shared_kind(base),
        "no network file system",
        "SQLite's log breaks if other machines read or write the results during a run, and their"
        " runs may not see its lock",
        _ELSEWHERE,
    )


def _list_tried(scratch: Path) -> Iterator[Trait]:
    """Try locks, flushing, replacement and a database in an empty folder; yield the results."""
    locked = _try_on_file(scratch / "lock", _lock_as_sqlite)
    for name, problem, detail, means in (
        (
            "lock of a run",
            _try_on_file(scratch / "lock", _lock_as_run),
            "flock",
            "two runs could write at the same time, so `run` refuses",
        ),
        ("locks of SQLite", locked, "fcntl", "results can only be read, so `run` refuses"),
        (
            "flushing",
            _try_on_file(scratch / "flush", os.fsync),
            "fsync",
            "a power cut may cost results",
        ),
        (
            "replacement",
            _try_to(lambda: _replace_file(scratch)),
            "rename over a file that is open",
            "a report that is read while it is written may be cut off",
        ),
    ):
        yield Trait(name, problem, detail, means, _ELSEWHERE)
    if not locked:  # it needs locks
        yield Trait(
            "database",
            _try_to(lambda: _use_database(scratch / RESULTS_DATABASE)),
            f"SQLite {sqlite3.sqlite_version} with its log and shared memory",
            "games cannot be stored while others read them, so `run` refuses",
            _ELSEWHERE,
        )


def _try_on_file(path: Path, act: Callable[[int], object]) -> str:
    """Call a function with the descriptor of a new, writable file; return what is wrong."""
    with path.open("w+b") as file:
        return _try_to(lambda: act(file.fileno()))


def _replace_file(scratch: Path) -> None:
    """Replace an open file by another one atomically; raises OSError if that fails."""
    old, new = scratch / "old", scratch / "new"
    old.write_bytes(b"old")
    new.write_bytes(b"new")
    with old.open("rb") as file:
        new.replace(old)
        if (file.read(), old.read_bytes(), new.exists()) != (b"old", b"new", False):
            raise OSError("what was open is not what was there before")


def _use_database(path: Path) -> None:
    """Write to a database in WAL mode while another connection reads; raises sqlite3.Error."""
    with (
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as writer,
        closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as reader,
    ):
        if writer.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise sqlite3.OperationalError("SQLite cannot keep a log here")
        writer.execute("CREATE TABLE probe (x)")
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM probe").fetchone()
        writer.execute("INSERT INTO probe VALUES (1)")


def _measure_space(folder: Path) -> Trait:
    """Return whether the disk has room for the results of a small tournament."""
    free = shutil.disk_usage(folder).free
    detail = f"{free // _MIB:,} MiB"
    is_short = free < _LEAST_SPACE
    if hasattr(os, "statvfs"):
        disk = os.statvfs(folder)
        # Some file systems do not count their files.
        if disk.f_files > 0 and disk.f_favail < _LEAST_FILES:
            detail, is_short = f"{detail}, {disk.f_favail} files", True
    return Trait(
        "free space",
        detail if is_short else "",
        detail,
        "the run ends when the disk is full; what was stored before is kept",
        "remove what is not needed, or use another disk; `run --dry-run` says how much is needed",
    )
