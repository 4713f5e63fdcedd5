"""The results folder: the database, the reports beside it, and the lock of the run that writes."""

import json
import os
import socket
import tempfile
import time
from contextlib import suppress
from glob import escape as glob_escape
from pathlib import Path
from typing import Self

from pwtourney.errors import StoreError
from pwtourney.process import SCRATCH_PREFIX, remove_scratch

__all__ = ["REPORTS", "RUNNING", "ResultsFolder"]

_DATABASE = "games.sqlite"
_LOCK = "run.lock"
_LOGS = "logs"
RUNNING = "running.json"
"""Written while a run goes on: the pairs that are being played."""

REPORTS = (
    *("standings.json", "standings.csv", "games.jsonl", "report.md", "report.html"),
    *("junit.xml", "benchmark.json", "badges"),
)
"""The files and folders of the reports."""


class ResultsFolder:
    """One results folder. As a context manager it is locked: one runner writes at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self._locked: int | None = None
        self._made = False

    @property
    def database(self) -> Path:
        """Where the database is, or will be."""
        return self.path / _DATABASE

    @property
    def logs(self) -> Path:
        """Where the logs of faults are, or will be."""
        return self.path / _LOGS

    def set_aside_before(self) -> list[Path]:
        """Return the folders that older results of this one were moved to."""
        return sorted(self.path.parent.glob(f"{glob_escape(self.path.name)}.[0-9]*"))

    def is_locked(self) -> bool:
        """Tell whether a run is writing here."""
        try:
            import fcntl

            descriptor = os.open(self.path / _LOCK, os.O_RDONLY | os.O_CLOEXEC)
        except (ImportError, OSError):
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        return False

    def prepare(self) -> None:
        """Make the folder if it is not there."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{self.path}: cannot make the results folder: {error.strerror}"
            ) from error

    def set_aside(self) -> Path | None:
        """Move old results into a folder beside this one; None if there were none.

        To be called by the holder of the lock, which stays where it is.
        """
        if not self.database.exists():
            return None
        stamp = time.strftime("%Y%m%d-%H%M%S")
        names = (
            f"{self.path.name}.{stamp}{suffix}" for suffix in ("", *map("-{}".format, range(99)))
        )
        aside = next((each for each in map(self.path.with_name, names) if not each.exists()), None)
        try:
            if aside is None:
                raise FileExistsError(0, "too many folders with old results")
            aside.mkdir()
            for entry in [each for each in self.path.iterdir() if _is_ours(each.name)]:
                entry.rename(aside / entry.name)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot move the old results: {error}") from error
        return aside

    def __enter__(self) -> Self:
        self._made = not self.path.exists()
        self.prepare()
        try:
            import fcntl
        except ImportError:  # Windows
            raise StoreError("results are written on Linux and macOS only; use WSL") from None

        path = self.path / _LOCK
        while self._locked is None:
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise StoreError(
                    f"{path}: cannot lock the results folder: {error.strerror}"
                ) from error
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                holder = _read(descriptor)
                os.close(descriptor)
                raise StoreError(
                    f"{self.path}: another run is writing here"
                    f" (process {holder.get('process', '?')} on {holder.get('host', '?')});"
                    " wait for it or give another results folder"
                ) from error
            if _is_file(descriptor, path):
                self._locked = descriptor
            else:  # it was removed with a folder in which nothing was played
                os.close(descriptor)
                self.prepare()
        _remove_scratch(_read(self._locked))
        self.note_scratch(None)
        return self

    def note_scratch(self, scratch: str | None) -> None:
        """Write into the lock who holds it, and which scratch folder to clear if we are killed."""
        assert self._locked is not None, "only the holder of the lock writes into it"
        note = {"process": os.getpid(), "host": socket.gethostname(), "scratch": scratch}
        os.ftruncate(self._locked, 0)
        os.pwrite(self._locked, json.dumps(note).encode(), 0)

    def __exit__(self, *_: object) -> None:
        if self._locked is not None:
            os.ftruncate(self._locked, 0)
            if self._made:
                self._remove_if_empty()
            os.close(self._locked)
            self._locked = None

    def _remove_if_empty(self) -> None:
        """Leave no folder behind in which nothing was played; the lock goes last."""
        with suppress(OSError):
            if [each.name for each in self.path.iterdir()] == [_LOCK]:
                (self.path / _LOCK).unlink()
                self.path.rmdir()


def _is_ours(name: str) -> bool:
    """Tell what a run has written from whatever else lies in the folder."""
    return name.startswith(_DATABASE) or name in (*REPORTS, RUNNING, _LOGS)


def _is_file(descriptor: int, path: Path) -> bool:
    """Tell whether an open file is still the one that lies there."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _read(descriptor: int) -> dict[str, object]:
    try:
        note = json.loads(os.pread(descriptor, 4096, 0) or b"{}")
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}


def _remove_scratch(note: dict[str, object]) -> None:
    """Remove the scratch folder of a run that was killed before it could."""
    scratch = note.get("scratch")
    if not isinstance(scratch, str) or note.get("host") != socket.gethostname():
        return
    path = Path(scratch)
    if path.parent == Path(tempfile.gettempdir()) and path.name.startswith(SCRATCH_PREFIX):
        remove_scratch(scratch)
