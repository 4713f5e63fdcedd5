"""The results folder: the database, the reports and logs next to it, and the writer's lock."""

import json
import os
import shlex
import socket
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from glob import escape as glob_escape
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, InstanceOf, StrictInt, StrictStr

from pwtourney.constants import LOCK, RESULTS_DATABASE
from pwtourney.errors import StoreError
from pwtourney.process import SCRATCH_PREFIX, remove_scratch
from pwtourney.store.filesystem import find_lack, is_taken

__all__ = [
    "CONFIRMED",
    "LIVE",
    "REPORTS",
    "RUNNING",
    "ResultsFolder",
    "check_database_files",
    "find_results",
    "list_database_files",
    "prepare_draft",
    "refuse_odd_files",
    "remove_database",
]

_LOGS = "logs"
_PAGE = "report.html"
CONFIRMED = "confirmed"
"""The folder of duels that were played with the values that were tuned here."""

RUNNING = "running.json"
"""A file that exists during a run: the pairs that are played now and next."""

PAUSED = "paused"
"""A file that asks a run to pause; `pwtourney pause` creates it, `continue` removes it."""

LIVE = "live"
"""The folder, during a run, with the games that are played now."""

REPORTS = (
    "standings.json",
    "standings.csv",
    "games.jsonl",
    "report.md",
    _PAGE,
    "junit.xml",
    "benchmark.json",
    "badges",
    "tuned.yaml",
)
"""The files and folders of the reports."""


def list_database_files(path: Path) -> Iterator[Path]:
    """Yield the path of a database, and those of SQLite's files next to it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        yield path.with_name(path.name + suffix)


def find_results(path: Path) -> Path:
    """Return a results folder given its path, or its name below ``results``.

    If both exist, the one that holds results is returned.
    """
    named = Path("results") / path
    holds_results = (named / RESULTS_DATABASE).exists()
    is_here = (path / RESULTS_DATABASE).exists() if holds_results else path.exists()
    is_table = bool(path.suffix) and path.is_file()  # a table of games, for `rate`
    return path if is_here or is_table or not named.is_dir() else named


def check_database_files(path: Path) -> None:
    """Raise `StoreError` unless a database is there, and no file of another program next to it."""
    folder = path.parent
    if folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; name the results folder")
    if not folder.exists():
        what = "there is no such results folder; `pwtourney run` makes one"
        raise StoreError(f"{folder}: {what}")
    if not path.exists():
        raise StoreError(f"{folder}: there are no results here yet; start with `pwtourney run`")
    if not path.is_file():
        raise StoreError(f"{path} is not a file; these are not results of pwtourney")
    refuse_odd_files(list_database_files(path))
    *_, journal = list_database_files(path)
    _refuse_foreign_files([journal])


def refuse_odd_files(paths: Iterable[Path]) -> None:
    """Raise `StoreError` if one of the paths exists and is not a regular file.

    The folder may come from anybody: with a link we would read and write elsewhere, and a FIFO
    would make us wait.
    """
    for path in paths:
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(path.lstat().st_mode):
                raise StoreError(f"{path} is a link or a special file; remove it")


def _refuse_foreign_files(paths: Iterable[Path]) -> None:
    """Raise `StoreError` if one of the paths exists, where SQLite would use it for a database.

    SQLite applies a journal or a log of any author: one that names another file deletes that file
    (https://sqlite.org/fileformat2.html, 3.1, super-journal), and one with other pages replaces
    ours.
    """
    for path in paths:
        if os.path.lexists(path):
            raise StoreError(
                f"{path} is not from pwtourney, and SQLite would change results or delete files as"
                " it says; remove it, or start again with --fresh"
            )


def remove_database(path: Path) -> None:
    """Remove a database and SQLite's files next to it, if they exist."""
    for file in list_database_files(path):
        with suppress(OSError):
            file.unlink()


def prepare_draft(path: Path) -> Path:
    """Return where to make a database before it is renamed; remove what a killed run left there.

    Raises `StoreError` if other files are there, or next to the database, which SQLite would take
    for a part of it.
    """
    draft = path.with_name(f".{path.name}.new")
    _, *beside = list_database_files(path)
    remove_database(draft)
    _refuse_foreign_files([*beside, *list_database_files(draft)])
    return draft


class ResultsFolder:
    """One results folder. As a context manager it is locked: only one run writes at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._locked: int | None = None
        self._made = False
        self._checked: tuple[int, int] | None = None

    @property
    def database(self) -> Path:
        """The path of the database, which may not exist yet."""
        return self.path / RESULTS_DATABASE

    @property
    def logs(self) -> Path:
        """The folder of the logs of faults, which may not exist yet."""
        return self.path / _LOGS

    @property
    def page(self) -> Path:
        """The path of the HTML page, which may not exist yet."""
        return self.path / _PAGE

    @property
    def pause_request(self) -> Path:
        """The path of the file that asks a run to pause."""
        return self.path / PAUSED

    def ask_for_pause(self) -> None:
        """Ask the run that writes here to pause; nothing is written through a link."""
        mode = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        os.close(os.open(self.pause_request, mode, 0o644))

    def is_pause_asked(self) -> bool:
        """Return True if the run is asked to pause.

        Only a regular file counts, because `pwtourney continue` could not remove anything else.
        """
        try:
            return stat.S_ISREG(self.pause_request.lstat().st_mode)
        except OSError:
            return False

    def set_aside_before(self) -> list[Path]:
        """Return the folders that older results of this one were moved to."""
        return sorted(self.path.parent.glob(f"{glob_escape(self.path.name)}.[0-9]*"))

    def is_used(self) -> bool:
        """Return True if there are results."""
        return self.database.exists()

    def is_checked(self) -> bool:
        """Return True if the pages of the current database file were checked before."""
        return self._checked is not None and self._checked == self._number_database()

    def note_check(self) -> None:
        """Remember that the pages of the current database file were checked."""
        self._checked = self._number_database()

    def _number_database(self) -> tuple[int, int] | None:
        """Return the device and inode of the database, which identify the file."""
        with suppress(OSError):
            status = self.database.stat()
            return status.st_dev, status.st_ino
        return None

    def is_locked(self) -> bool:
        """Return True if a run is writing here; always False where files cannot be locked."""
        try:
            import fcntl

            # No link, and no waiting: a FIFO would wait for a writer.
            mode = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(self.path / LOCK, mode)
        except (ImportError, OSError):
            return False
        try:
            # A shared lock, so that two processes that check at the same time do not see each other
            # as a run.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            return is_taken(error)
        finally:
            os.close(descriptor)
        return False

    def prepare(self) -> None:
        """Create the folder if it does not exist."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot make the results folder: {error.strerror}"
            ) from error

    def set_aside(self) -> Path | None:
        """Move old results into a folder next to this one; return that, or None if there were none.

        The caller must hold the lock; its file stays in this folder.
        """
        if not any(map(os.path.lexists, list_database_files(self.database))):
            return None
        stamp = time.strftime("%Y%m%d-%H%M%S")
        names = (
            f"{self.path.name}.{stamp}{suffix}" for suffix in ("", *map("-{}".format, range(99)))
        )
        free = (path for path in map(self.path.with_name, names) if not path.exists())
        aside = next(free, None)
        if aside is None:
            raise StoreError(f"{self.path}: cannot move the old results: there are too many others")
        try:
            aside.mkdir()
            # Files that are not ours stay, and so does the lock. The database's log files, whose
            # names begin with the database's, come after it: if this is killed in between, a log
            # without its database is refused, but a database without its log would open without its
            # last games.
            ours = (*REPORTS, RUNNING, PAUSED, _LOGS, CONFIRMED)
            for entry in sorted(self.path.iterdir()):
                if entry.name.startswith(RESULTS_DATABASE) or entry.name in ours:
                    entry.rename(aside / entry.name)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot move the old results: {error}") from error
        return aside

    def check_entries(self) -> None:
        """Raise `StoreError` if results would be written through a link or a special file.

        The folder itself may be a link, but not a file.
        """
        for path in (self.path, *self.path.parents):
            if path.exists() and not path.is_dir():
                raise StoreError(f"{path} is a file; name a folder for the results")
        # The folder may come from somebody else, and a link in it may lead to any folder of ours.
        for path in (self.path / "badges", self.logs, *self.logs.glob("*"), self.path / LOCK):
            if path.is_symlink():
                raise StoreError(f"{path} is a link, and results would be written where it leads")
        logs = self.logs.glob("*/*.log")
        refuse_odd_files([*list_database_files(self.database), *logs, self.pause_request])

    def __enter__(self) -> Self:
        self.check_entries()
        self._made = not self.path.exists()
        while self._locked is None:
            self.prepare()
            self._locked = self._try_lock()
        with suppress(OSError):
            self.pause_request.unlink()  # of an earlier run: no run could be paused until now
        _Holder.read(self._locked).remove_scratch()  # of a run that was killed before it could
        self.note_scratch(None)
        if lack := find_lack(self._locked):
            self.__exit__()
            raise self._filesystem_error(lack)
        return self

    def _try_lock(self) -> int | None:
        """Lock the folder; return None if the file was removed meanwhile, so that it needs a retry.

        Raises `StoreError` if another run holds it, or if files cannot be locked here.
        """
        try:
            import fcntl
        except ImportError:  # Windows
            raise StoreError("results are written on Linux and macOS only; use WSL") from None

        path = self.path / LOCK
        try:
            # O_CLOEXEC: a process that inherited the descriptor would keep holding the lock.
            mode = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(path, mode, 0o644)
        except OSError as error:
            raise StoreError(f"{path}: cannot lock the results folder: {error.strerror}") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise StoreError(f"{path}: cannot lock the results folder: this is not a file")
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = _Holder.read(descriptor)
            if not is_taken(error):
                self._remove_if_unused()
            os.close(descriptor)
            if not is_taken(error):
                raise self._filesystem_error(f"cannot lock files ({error.strerror})") from error
            raise StoreError(
                f"{self.path}: another run is writing here"
                f" (process {holder.process or '?'} on {holder.host or '?'});"
                " wait for it or give another results folder"
            ) from error
        # Before we locked it, the run before us may have removed the file together with an unused
        # folder. Then we hold a lock that no other process can see.
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        os.close(descriptor)
        return None

    def note_scratch(self, scratch: str | None) -> None:
        """Write into the lock file who holds it, and which scratch folder a kill would leave."""
        assert self._locked is not None, "only the holder of the lock writes into it"
        holder = _Holder(process=os.getpid(), host=socket.gethostname(), scratch=scratch)
        os.ftruncate(self._locked, 0)
        os.pwrite(self._locked, json.dumps(holder.model_dump()).encode(), 0)

    def __exit__(self, *_: object) -> None:
        if self._locked is not None:
            os.ftruncate(self._locked, 0)
            # Removed while we hold the lock: later, a new run could hold it.
            self._remove_if_unused()
            os.close(self._locked)
            self._locked = None

    def _remove_if_unused(self) -> None:
        """Remove the folder if this object created it, and nothing is in it but the lock."""
        with suppress(OSError):
            if self._made and [path.name for path in self.path.iterdir()] == [LOCK]:
                (self.path / LOCK).unlink()
                self.path.rmdir()

    def _filesystem_error(self, lack: str) -> StoreError:
        """Return the error of a folder whose file system lacks something."""
        doctor = shlex.join(["pwtourney", "doctor", "--results", str(self.path)])
        return StoreError(
            f"{self.path}: the file system {lack}, so results cannot be written here; use a folder"
            f" on a local disk (--results DIR). `{doctor}` says what it lacks"
        )


class _Holder(BaseModel):
    """The holder of the lock, as written into the lock file for the next process."""

    model_config = ConfigDict(frozen=True)

    process: StrictInt | None = None
    host: StrictStr | None = None
    scratch: InstanceOf[str] | None = None  # the name of a folder may not be valid Unicode

    @classmethod
    def read(cls, descriptor: int) -> "_Holder":
        """Read the holder from the lock file; if it is empty or invalid, return an empty holder."""
        try:
            return cls.model_validate(json.loads(os.pread(descriptor, 4096, 0) or b"{}"))
        except (ValueError, RecursionError):  # json raises RecursionError for deep nesting
            return cls()

    def remove_scratch(self) -> None:
        """Remove the scratch folder of the holder, if it was on this machine."""
        if self.scratch is None or self.host != socket.gethostname():
            return
        path = Path(self.scratch)
        # Whatever the file says, only a folder that looks like one of ours is removed.
        if path.parent == Path(tempfile.gettempdir()) and path.name.startswith(SCRATCH_PREFIX):
            remove_scratch(self.scratch)
