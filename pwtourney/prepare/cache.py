"""The cache of prepared bots: a folder for each bot and content, written by one run at a time.

The name of the folder is a hash of everything that determines the outcome of the preparation.
"""

import atexit
import os
import platform
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pwtourney.bots.bot_files import walk_folder
from pwtourney.home_directory import find_home
from pwtourney.process import SCRATCH_PREFIX, remove_scratch
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import is_root

__all__ = [
    "MOST_BYTES",
    "MOST_FILES",
    "NOTHING",
    "Entry",
    "cache_root",
    "expire",
    "find_cache",
    "hash_content",
    "hash_machine",
    "is_in_the_open",
    "root_for",
    "root_warnings",
]

VARIABLE = "PWTOURNEY_CACHE_DIR"
"""The environment variable that sets the cache's folder."""

MOST_BYTES = 64 << 20
"""The most bytes that are hashed. Files beyond it count by their size and mtime."""

MOST_FILES = 50_000
"""The most files that are hashed. A place with more files counts as new in each run."""

_DAYS = 30
_DAY_SECONDS = 86_400
NOTHING = "nothing to prepare"
"""The note of a bot that needs no preparation, so that its entry has no folder."""

_OWN = (
    "constants.py",
    "errors.py",
    "sanitize.py",
    "text_files.py",
    "clock.py",
    "rules",
    "notation",
    "protocol",
    "sandbox",
    "sdk",
    "simulate",
)
"""The parts of this package that run in the process of a Python bot."""


class Entry(NamedTuple):
    """A cache entry: prepared files in `folder`, and a marker next to it once they are complete.

    An entry may start as a copy of another one in its group. Entries that are `in_the_open` can be
    read by other users, so they are not used for bots in a sandbox.
    """

    path: Path
    in_the_open: bool = False

    @classmethod
    def of(cls, root: Path, group: str, name: str, *, in_the_open: bool = False) -> "Entry":
        """Return the entry of a name in a group; both are hashes."""
        group = f"open-{group}" if in_the_open else group
        return cls(root / group[:24] / name[:24], in_the_open)

    @property
    def folder(self) -> Path:
        """The folder that the bot may write to while it is prepared, and read later."""
        return self.path / "cache"

    @property
    def _marker(self) -> Path:
        return self.path / "complete"

    @property
    def _lock_path(self) -> Path:
        # Next to the entry's folder, because that folder is removed when the entry is made again.
        return self.path.with_suffix(".lock")

    def read_note(self) -> str | None:
        """Return the note of a complete entry, None if it is not complete; counts as a use."""
        try:
            text = self._marker.read_text(encoding="utf-8")
        except OSError:
            return None
        if text != NOTHING and not self.folder.is_dir():  # partly deleted by someone
            return None
        with suppress(OSError):  # a user who can only read here can use it, too
            os.utime(self._marker)
        return text

    def complete(self, text: str) -> None:
        """Mark the entry as complete, atomically, so that a partial note is never read."""
        if self.in_the_open:
            self.path.chmod(0o711)
        fresh = self._marker.with_name("complete.new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self._marker)

    @contextmanager
    def fresh_folder(self) -> Iterator[Path]:
        """Create a new empty folder that no other user can enter; keep it if it is completed.

        When the bot's process starts, its leased uid gets access. Nobody else does until everything
        in the folder belongs to us again.
        """
        remove_scratch(str(self.path))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.parent.chmod(0o755)  # independent of the umask
        for folder in (self.path, self.folder):
            folder.mkdir(mode=0o700)
        try:
            yield self.folder
        finally:
            if not self._marker.exists():
                remove_scratch(str(self.path))

    def find_relative(self) -> Path | None:
        """Return the folder of another complete entry in the group; None if there is none."""
        with suppress(OSError):
            for path in sorted(self.path.parent.iterdir()):
                other = Entry(path)
                if path != self.path and other.folder.is_dir() and other.read_note():
                    return other.folder
        return None

    @contextmanager
    def lock(self, wait: Callable[[], None]) -> Iterator[None]:
        """Keep other runs from preparing the same entry; `wait` is called if one is doing so."""
        descriptor = _acquire_lock(self._lock_path, wait)
        try:
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)

    def expire(self) -> None:
        """Remove the entry, unless a run is preparing it."""
        with suppress(BlockingIOError):
            descriptor = _acquire_lock(self._lock_path)
            remove_scratch(str(self.path))
            with suppress(OSError):
                # While locked: a process that waits for the lock sees that the file is gone, and
                # makes a new one.
                self._lock_path.unlink()
                self.path.parent.rmdir()  # if it was the last of its group
            if descriptor is not None:
                os.close(descriptor)


def _acquire_lock(path: Path, wait: Callable[[], None] | None = None) -> int | None:
    """Lock a file and return its descriptor; None where files cannot be locked.

    If another run holds it, call `wait` and wait for it; raise BlockingIOError without a `wait`.
    """
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _lock_file(path, wait)
        if descriptor is None:
            return None
        # Its last holder may have removed the file. Then the new file has to be locked.
        with suppress(OSError):
            if os.path.samestat(os.lstat(path), os.fstat(descriptor)):
                return descriptor
        os.close(descriptor)


def _lock_file(path: Path, wait: Callable[[], None] | None) -> int | None:
    try:
        import fcntl  # not on Windows
    except ImportError:
        return None
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        try:
            if wait is None:
                raise
            wait()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except BaseException:  # an interruption while it waits, too
            os.close(descriptor)
            raise
    except OSError:
        os.close(descriptor)  # a file system without locks
        return None
    return descriptor


def expire(root: Path, now: Callable[[], float] = time.time) -> None:
    """Remove entries unused for 30 days, and incomplete ones, older than a day, of killed runs.

    An entry that another run is making is left alone.
    """
    with suppress(OSError):
        for folder in [path for path in root.glob("*/*") if path.is_dir()]:
            marker, days = folder / "complete", _DAYS
            if not marker.exists():  # incomplete
                marker, days = folder, 1
            with suppress(OSError):
                if now() - marker.stat().st_mtime > days * _DAY_SECONDS:
                    Entry(folder).expire()


def find_cache() -> Path:
    """Return the cache's folder, which may not exist yet."""
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    if is_root():
        return Path("/var/cache/pwtourney")  # root's bots are other users, who cannot enter a home
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named).absolute() / "pwtourney"
    if home := find_home():
        return Path(home) / ".cache" / "pwtourney"
    return Path(tempfile.gettempdir()) / f"pwtourney-{os.getuid()}-cache"


@cache
def cache_root(*, for_others: bool = False) -> tuple[Path, str]:
    """Return the cache's folder, and a warning if it is a temporary one.

    With `for_others`, bots that run as other users without a sandbox must be able to enter it.
    """
    root = find_cache()
    try:
        if not root.exists():
            root.mkdir(parents=True)
            root.chmod(0o755)  # independent of the umask
        problem = _find_problem(root, for_others=for_others)
    except OSError as error:
        problem = f"{error.strerror}"
    if problem is None:
        return root, ""
    own = tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}cache-")
    os.chmod(own, 0o755)
    atexit.register(remove_scratch, own)
    return Path(own), (
        f"{root} cannot be used ({problem}), so bots are prepared again in each run;"
        f" name another folder with {VARIABLE}"
    )


def _find_problem(folder: Path, *, for_others: bool) -> str | None:
    """Return why the cache cannot be in a folder; None if it can.

    Bots run programs from the cache, so a user who can write to it could make us run a program.
    """
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()):
        return "it is somebody else's"
    if status.st_mode & stat.S_IWOTH:
        return "everybody may write there"
    if is_root() and status.st_mode & stat.S_IWGRP:
        return "a group may write there"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "it cannot be written to"
    real = folder.resolve()
    for step in (real, *real.parents) if for_others else ():
        if not step.stat().st_mode & stat.S_IXOTH:
            return f"bots of root run as another user, and none can enter {step}"
    return None


def root_for(isolation: Isolation) -> Path:
    """Return the cache's folder for a bot with this isolation."""
    return cache_root(for_others=is_in_the_open(isolation))[0]


def root_warnings(isolations: Iterable[Isolation]) -> list[str]:
    """Return the warnings about the cache's folder."""
    kinds = {is_in_the_open(isolation) for isolation in isolations}
    warnings = [cache_root(for_others=kind)[1] for kind in sorted(kinds)]
    return [warning for warning in warnings if warning]


def is_in_the_open(isolation: Isolation) -> bool:
    """Return True if a bot is another user without a sandbox, who reads its entry in place."""
    return isolation.other_user and not isolation.sandbox


def hash_content(
    places: Iterable[str], left_out: Iterable[str] = (), *, dated: bool = False
) -> str:
    """Return a hash of files, and of all files in folders with their relative names.

    If `dated`, full paths and mtimes count too, because some caches, such as numba's, use them as
    keys.
    """
    total, size, number = sha256(), 0, 0
    left_out = tuple(left_out)
    for root in sorted(set(places)):
        for path in walk_folder(root, left_out, folders=False) if os.path.isdir(root) else (root,):
            number += 1
            if number > MOST_FILES:
                return f"{total.hexdigest()}-{_draw_for_this_run()}"
            name = path if dated else os.path.relpath(path, root)
            described, more = _describe_file(path, name, dated=dated, read=size <= MOST_BYTES)
            total.update(described.encode("utf-8", "surrogateescape"))
            size += more
    return total.hexdigest()


@cache
def _draw_for_this_run() -> str:
    """Return a random text that stands for too many files; it is constant in this process."""
    return os.urandom(8).hex()


def _describe_file(path: str, name: str, *, dated: bool, read: bool) -> tuple[str, int]:
    """Return a text that describes a file for the hash, and the file's size in bytes."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return "", 0  # reading a pipe would wait for a writer
        read = read and status.st_size <= MOST_BYTES
        inside = sha256(Path(path).read_bytes()).hexdigest() if read else ""
    except OSError:  # a bot cannot read it either
        return "", 0
    when = status.st_mtime_ns if dated or not read else 0
    runs = bool(status.st_mode & stat.S_IXUSR)
    return repr((name, status.st_size, runs, when, inside)), status.st_size


@cache
def hash_machine() -> str:
    """Return a hash of what else a preparation depends on.

    It covers the interpreter, the processor, the names and versions of installed distributions, and
    the parts of this package that run in a bot.
    """
    # The fields that compilers use; code for one processor may not run on another.
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        processor = platform.processor()
    else:
        first = text.partition("\n\n")[0].splitlines()
        fields = ("model name", "flags", "Features")
        processor = "\n".join(line for line in first if line.startswith(fields))
    installed: list[str] = []  # name and version, as in the names of the metadata folders
    for folder in sys.path:
        with suppress(OSError):
            names = os.listdir(folder or ".")
            installed += sorted(
                name for name in names if name.endswith((".dist-info", ".egg-info"))
            )
    package = Path(__file__).parents[1]
    parts = (
        sys.version,
        sys.prefix,
        str(sys.implementation.cache_tag),
        platform.machine(),
        processor,
        *installed,
        hash_content((str(package / name) for name in _OWN), dated=True),
    )
    return sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
