"""Where prepared things are kept: a folder for each bot and content, made by one run at a time."""

import atexit
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pwtourney.process import SCRATCH_PREFIX, remove_scratch
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import is_root

__all__ = ["Entry", "cache_root", "expire", "is_in_the_open", "root_for", "root_warnings"]

VARIABLE = "PWTOURNEY_CACHE_DIR"
"""The environment variable that names another place for all of it."""

_DAYS = 30
_DAY_SECONDS = 86_400


class Entry(NamedTuple):
    """What was prepared for one bot: `folder` holds it, and `marker` says that it is complete.

    Entries of one group may begin with what another one of it has kept. Other users can read those
    `in_the_open`, so that they are none of what only bots in a sandbox may see.
    """

    place: Path
    in_the_open: bool = False

    @classmethod
    def of(cls, root: Path, group: str, name: str, *, in_the_open: bool = False) -> "Entry":
        """Return the entry of a name in a group, both of them hashes."""
        group = f"open-{group}" if in_the_open else group
        return cls(root / group[:24] / name[:24], in_the_open)

    @property
    def folder(self) -> Path:
        """What the bot may write to while it is prepared, and read later."""
        return self.place / "cache"

    @property
    def _marker(self) -> Path:
        return self.place / "complete"

    def read_note(self) -> str | None:
        """Return what was noted when it was complete, None if it is not; it counts as a use."""
        try:
            text = self._marker.read_text(encoding="utf-8")
        except OSError:
            return None
        with suppress(OSError):
            os.utime(self._marker)
        return text

    def complete(self, text: str) -> None:
        """Note that everything is there; at once, so that half of it is never seen."""
        if self.in_the_open:
            self.place.chmod(0o711)
        fresh = self._marker.with_name("complete.new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self._marker)

    @contextmanager
    def fresh_folder(self) -> Iterator[Path]:
        """Make the folder anew, empty, where no other user can enter; keep it if it is completed.

        The uid that the bot has leased is let in when its process starts, and nobody else before
        all of it is ours again.
        """
        remove_scratch(str(self.place))
        self.place.parent.mkdir(parents=True, exist_ok=True)
        self.place.parent.chmod(0o755)  # whatever the mask of this process says
        for folder in (self.place, self.folder):
            folder.mkdir(mode=0o700)
        try:
            yield self.folder
        finally:
            if not self._marker.exists():
                remove_scratch(str(self.place))

    def find_relative(self) -> Path | None:
        """Return the folder of another complete entry of the group, if there is one."""
        with suppress(OSError):
            for path in sorted(self.place.parent.iterdir()):
                other = Entry(path)
                if path != self.place and other.folder.is_dir() and other.read_note():
                    return other.folder
        return None

    @contextmanager
    def lock(self, wait: Callable[[], None]) -> Iterator[None]:
        """Let no other run prepare the same meanwhile; `wait` is called if one is at it."""
        held = _acquire_lock(self._lock_path, wait)
        try:
            yield
        finally:
            if held is not None:
                os.close(held)

    @property
    def _lock_path(self) -> Path:
        return self.place.with_suffix(".lock")

    def expire(self) -> None:
        """Remove it, unless a run is making it just now."""
        with suppress(_Busy):
            held = _acquire_lock(self._lock_path, _give_up)
            remove_scratch(str(self.place))
            with suppress(OSError):
                self._lock_path.unlink()
                self.place.parent.rmdir()  # if it was the last of its group
            if held is not None:
                os.close(held)


class _Busy(Exception):
    """Another run holds what is looked at."""


def _give_up() -> None:
    raise _Busy


def _acquire_lock(path: Path, wait: Callable[[], None]) -> int | None:
    """Lock a file and return its descriptor, None where files cannot be locked.

    Who had it meanwhile may have removed it: then it is another file that has to be locked.
    """
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = _open_lock(path, wait)
        if held is None or _is_still(path, held):
            return held
        os.close(held)


def _is_still(path: Path, held: int) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(held))
    except OSError:
        return False


def _open_lock(path: Path, wait: Callable[[], None]) -> int | None:
    try:
        import fcntl

        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except ImportError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        try:
            wait()
            fcntl.flock(held, fcntl.LOCK_EX)
        except BaseException:
            os.close(held)
            raise
    except OSError:
        os.close(held)  # a file system that has no locks
        return None
    return held


@cache
def cache_root(*, for_others: bool = False) -> tuple[Path, str]:
    """Return the folder of all entries, and a warning if it is not kept for later runs.

    Bots that are other users, and in no sandbox that shows it to them, have to be able to enter it.
    """
    root = _preferred_root()
    try:
        if not root.exists():
            root.mkdir(parents=True)
            root.chmod(0o755)  # whatever the mask of this process says
        problem = _why_unusable(root) or (_why_closed(root) if for_others else None)
    except OSError as error:
        problem = f"{error.strerror}"
    if problem is None:
        return root, ""
    return _own_folder(), (
        f"{root} cannot be used ({problem}), so bots are prepared again in each run;"
        f" name another folder with {VARIABLE}"
    )


def root_for(isolation: Isolation) -> Path:
    """Return the folder of all entries for a bot that is kept apart so."""
    return cache_root(for_others=is_in_the_open(isolation))[0]


def root_warnings(isolations: Iterable[Isolation]) -> list[str]:
    """Return what is to be said of where prepared things are kept."""
    kinds = {is_in_the_open(isolation) for isolation in isolations}
    warnings = [cache_root(for_others=kind)[1] for kind in sorted(kinds)]
    return [warning for warning in warnings if warning]


def is_in_the_open(isolation: Isolation) -> bool:
    """Tell whether a bot is another user who reads what is prepared at its own place."""
    return isolation.other_user and not isolation.sandbox


def _own_folder() -> Path:
    """Make a folder for entries that is removed when this process ends."""
    folder = tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}cache-")
    os.chmod(folder, 0o755)
    atexit.register(remove_scratch, folder)
    return Path(folder)


def _preferred_root() -> Path:
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    if is_root():
        return Path("/var/cache/pwtourney")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home).absolute() / "pwtourney"


def _why_unusable(folder: Path) -> str | None:
    """Return why prepared things cannot lie in a folder."""
    status = folder.stat()
    if status.st_uid not in (0, os.geteuid()):
        return "it is somebody else's"
    if status.st_mode & stat.S_IWOTH:
        return "everybody may write there"
    if is_root() and status.st_mode & stat.S_IWGRP:
        return "a group may write there"
    if not os.access(folder, os.W_OK | os.X_OK):
        return "it cannot be written to"
    return None


def _why_closed(folder: Path) -> str | None:
    real = folder.resolve()
    for step in (real, *real.parents):
        if not step.stat().st_mode & stat.S_IXOTH:
            return f"bots of root run as another user, and none can enter {step}"
    return None


def expire(root: Path, now: Callable[[], float] = time.time) -> None:
    """Remove what was not used for long, and what a run that was killed has left half made.

    What another run is making is left alone.
    """
    with suppress(OSError):
        for place in [each for each in root.glob("*/*") if each.is_dir()]:
            with suppress(OSError):
                if now() - _last_use(place) > _DAY_SECONDS:
                    Entry(place).expire()


def _last_use(place: Path) -> float:
    """Return when an entry was used, so much later as complete ones are kept longer."""
    try:
        return (place / "complete").stat().st_mtime + (_DAYS - 1) * _DAY_SECONDS
    except FileNotFoundError:
        return place.stat().st_mtime
