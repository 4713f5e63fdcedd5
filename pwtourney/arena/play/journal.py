"""The journal of a table: a write-ahead log with one line per event, synced before pages see it."""

import fcntl
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pwtourney.arena.http.strict_json import parse_json
from pwtourney.compact_json import dump_compact
from pwtourney.errors import StoreError

__all__ = ["Entry", "Journal", "delete_journal", "read_journal"]

Entry = dict[str, Any]
"""One line of a journal, a JSON object."""

_MOST_BYTES = 4 << 20
"""The size limit, more than a hundred games need; only a script undoes and plays that often."""

_CLOSED = -1
"""The descriptor of a closed journal."""


def read_journal(path: Path) -> list[Entry]:
    """Return the entries of a journal, even while another process writes to it.

    An incomplete last line, left by a crash or a full disk, is omitted: pages never saw it. Raises
    `StoreError` if the file is not a journal, and `OSError`.
    """
    entries, _ = _parse(path, _read_bytes(path))
    return entries


class Journal:
    """A journal open for writing; a lock keeps other processes from opening it.

    `entries` are the entries at the time of opening. Errors have the name of the file without its
    folder, because browsers show them.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._length = 0
        self._writing = threading.Lock()
        self.entries: list[Entry] = []

    @classmethod
    def create(cls, path: Path, entries: Sequence[Mapping[str, Any]]) -> "Journal":
        """Create a journal with its first entries.

        Raises `FileExistsError` if the file exists, which stays as it is. If it cannot be written,
        raises `OSError` or `StoreError`, and removes the new file.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        journal = cls(path, os.open(path, flags, 0o600))
        try:
            fcntl.flock(journal._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for entry in entries:
                journal.append(entry)
                journal.entries.append(dict(entry))
            _sync_folder(path.parent)
        except BaseException:
            journal.close()
            path.unlink()
            raise
        return journal

    @classmethod
    def view(cls, path: Path) -> "Journal":
        """Return a closed journal, whose `entries` can be read but not continued.

        It takes no lock, so that another process may write to the file. Raises the errors of
        `read_journal`.
        """
        journal = cls(path, _CLOSED)
        journal.entries = read_journal(path)
        return journal

    @classmethod
    def open(cls, path: Path) -> "Journal":
        """Open a journal to continue it, and remove an incomplete last line.

        Raises `StoreError` if the file is not a journal or another process has it open, and
        `OSError`.
        """
        journal = cls(path, os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW))
        try:
            fcntl.flock(journal._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            data = _read_bytes(path)
            journal.entries, journal._length = _parse(path, data)
            if journal._length < len(data):
                os.ftruncate(journal._descriptor, journal._length)
        except BlockingIOError as error:
            journal.close()
            raise _taken_error(path) from error
        except BaseException:
            journal.close()
            raise
        return journal

    def append(self, entry: Mapping[str, Any]) -> None:
        """Write an entry and sync it to the disk.

        Raises `OSError` if that fails, and `StoreError` if the journal is closed or full. The
        journal is unchanged after an error.
        """
        line = dump_compact(entry).encode() + b"\n"
        with self._writing:
            if self._descriptor == _CLOSED:
                raise StoreError(f"the journal {self.path.name}: it is closed")
            if self._length + len(line) > _MOST_BYTES:
                raise StoreError(
                    f"the journal {self.path.name}: it has {self._length} bytes and is full"
                )
            self._write(line)
            self._length += len(line)

    def _write(self, line: bytes) -> None:
        try:
            written = os.pwrite(self._descriptor, line, self._length)
            if written < len(line):  # a short write: the second one raises the reason
                os.pwrite(self._descriptor, line[written:], self._length + written)
            os.fsync(self._descriptor)
        except OSError:
            with suppress(OSError):  # `open` removes an incomplete line that stays
                os.ftruncate(self._descriptor, self._length)
            raise

    def close(self) -> None:
        """Wait for a running write, then close the file and release the lock."""
        with self._writing:
            # the system will reuse the number for another file
            descriptor, self._descriptor = self._descriptor, _CLOSED
            if descriptor != _CLOSED:
                os.close(descriptor)


def delete_journal(path: Path) -> None:
    """Remove a journal that is not open in this process; its content is not checked.

    Raises `StoreError` if another process has it open, and `OSError`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except BlockingIOError as error:
        raise _taken_error(path) from error
    finally:
        os.close(descriptor)


def _taken_error(path: Path) -> StoreError:
    return StoreError(f"the journal {path.name}: another arena plays this game; close it first")


def _read_bytes(path: Path) -> bytes:
    if path.stat().st_size > _MOST_BYTES:
        raise StoreError(f"the journal {path.name}: a journal has at most {_MOST_BYTES} bytes")
    return path.read_bytes()


def _parse(path: Path, data: bytes) -> tuple[list[Entry], int]:
    """Return the entries of the complete lines, and their length in bytes."""
    whole = data.rfind(b"\n") + 1
    lines = data[:whole].split(b"\n")[:-1]
    entries: list[Entry] = []
    for number, line in enumerate(lines, 1):
        try:
            entry = parse_json(line)
        except ValueError as error:
            raise StoreError(f"the journal {path.name}, line {number}: this is not JSON") from error
        if not isinstance(entry, dict):
            raise StoreError(f"the journal {path.name}, line {number}: expected an object")
        entries.append(entry)
    if not entries:
        raise StoreError(f"the journal {path.name}: it is empty")
    return entries, whole


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new file in it survives a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
