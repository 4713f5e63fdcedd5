"""A preparation as a process: in the bot's sandbox, on no clock, with a folder to write to.

When it has ended, the folder is taken back: nothing in it may do harm, or be changed later.
"""

import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.process import BotProcess
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits, is_root
from pwtourney.sandbox.orphans import Orphans, become_subreaper

__all__ = ["Bounds", "Ended", "find_excess", "own_alone", "run_to_end", "take_back"]

_MS = 1_000_000
_LOOKS_NS = 1_000 * _MS
_MOST_BYTES = 1 << 30
_MOST_ENTRIES = 20_000
_SHOWN_LINES = 12
_USUAL = Limits()
_READ, _RUN = 0o444, 0o555


class Ended(NamedTuple):
    """How a process ended: `exit` with exited and its code, or with what it was ended for.

    `said` are the last lines of its standard error.
    """

    exit: str
    said: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Both, for an error."""
        return "".join([self.exit, *(f"\n| {line}" for line in self.said)])


def run_to_end(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    patience_ms: int,
    hear: Callable[[str], int | None],
) -> Ended:
    """Run a command until it ends, at most so many milliseconds; raises OSError if none can run.

    `hear` takes each line of its standard output and may return how much time there is from then
    on. What was written to `launch.write_paths` is ours afterwards, and no more than may be kept.
    """
    become_subreaper()
    folders = [Path(path) for path in launch.write_paths]
    most = Bounds.beyond(folders, _MOST_BYTES, _MOST_ENTRIES)
    with ExitStack() as last:
        for folder in folders:
            last.callback(_close_to_others, folder)
        orphans = Orphans()
        try:
            process = BotProcess(launch, _widen_limits(limits), isolation)
        except BotFault as fault:
            return Ended(str(fault))
        last.callback(process.clean_up)
        for folder in folders:
            last.callback(_close_to_others, folder)  # before its uid is leased to another bot
        with ExitStack() as work:
            # orphans after the process, whose end makes more of them
            work.callback(orphans.sweep)
            work.callback(process.end)
            ending = _await_end(process, folders, most, patience_ms, hear)
        # measured once more, because it may have written until it was killed
        try:
            for folder in folders:
                take_back(folder)
            problem = find_excess(folders, most)
        except OSError as error:  # its text would hold a path that may be of any length
            problem = f"left files that cannot be looked through: {error.strerror}"
        lines = [line for line in process.whole_stderr.splitlines() if line.strip()]
        return Ended(problem or ending, tuple(lines[-_SHOWN_LINES:]))


def _widen_limits(limits: Limits) -> Limits:
    """Return limits under which compilers can work, whatever the bot is given in games."""
    return limits._replace(
        cpu_ms=None,
        end_ms=60_000,
        output=max(limits.output, _USUAL.output),
        line=max(limits.line, _USUAL.line),
        stderr=max(limits.stderr, _USUAL.stderr),
        memory=max(limits.memory, _USUAL.memory),
        processes=max(limits.processes, _USUAL.processes),
        files=max(limits.files, _USUAL.files),
        file=max(limits.file, _MOST_BYTES),
        scratch=max(limits.scratch, _MOST_BYTES // 2),
    )


def _await_end(
    process: BotProcess,
    folders: list[Path],
    most: "Bounds",
    patience_ms: int,
    hear: Callable[[str], int | None],
) -> str:
    """Wait for the end of a process; return how it came."""
    deadline = time.monotonic_ns() + patience_ms * _MS
    lines: Sequence[bytes]
    while True:
        if too_much := find_excess(folders, most):
            return too_much
        # the clock is read after that look, which takes long where there are many files
        look = time.monotonic_ns() + _LOOKS_NS
        lines, exited, late = (), False, False
        try:
            lines = (process.read_line(min(deadline, look))[0],)
        except BotFault as fault:
            if fault.verdict == "crash":
                return process.exit_text  # as every process does that has ended, well or not
            if fault.verdict != "timeout":
                return str(fault)
            # it may have ended after its last line, and a child of it hold its output open
            exited = process.exits_within(0)
            # asked once: a bot that is late by now was read to the end first
            late = time.monotonic_ns() > deadline
            if exited or late:
                lines = process.leftover()  # what was read too late, and what came since
        for line in lines:
            more = hear(line.decode("utf-8", "replace"))
            if more is not None:
                patience_ms, deadline, late = more, time.monotonic_ns() + more * _MS, False
        if exited:
            return process.exit_text
        if late:
            return f"took over {patience_ms / 1000:g} s"


class Bounds(NamedTuple):
    """How much may be in a folder: bytes on the disk, and files and folders."""

    bytes: int
    entries: int

    @classmethod
    def beyond(cls, folders: Iterable[Path], size: int, entries: int) -> "Bounds":
        """Return bounds that leave so much to what is in some folders already."""
        present = sum(1 for folder in folders for _ in folder.rglob("*"))
        return cls(size, present + entries)


def find_excess(folders: Iterable[Path], most: Bounds) -> str | None:
    """Say what goes beyond the bounds in some folders; None if nothing does.

    What cannot be looked into may be anything, so that it is too much.
    """
    size = entries = 0
    waiting = [str(folder) for folder in folders]
    while waiting:
        try:
            for path, status in _scan(waiting.pop()):
                entries += 1
                size += status.st_blocks * 512  # what it takes: files with holes are larger
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(path)
                if size > most.bytes:
                    return f"wrote over {most.bytes >> 20} MiB"
                if entries > most.entries:
                    return f"made over {most.entries} files and folders"
        except (FileNotFoundError, NotADirectoryError):
            continue  # it has just been removed
        except OSError as error:
            return f"made a folder that cannot be looked into: {error.strerror}"
    return None


def take_back(folder: Path) -> None:
    """Make everything in a folder ours, readable for everybody and writable for nobody.

    What is neither a file nor a folder is removed, and so are links that lead out of the folder
    and files that have names elsewhere: a bot must not have others read for it. Raises OSError for
    what cannot be looked through.

    The bot's processes are gone when this begins, so nothing in the folder changes meanwhile.
    """
    entries: list[tuple[str, os.stat_result]] = []  # a folder before what is in it
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        os.chmod(current, 0o700)  # it may have been closed to its owner
        below = list(_scan(current))
        entries += below
        waiting += [path for path, status in below if stat.S_ISDIR(status.st_mode)]
    # how many names of each file are in here, to tell whether it has others elsewhere
    names = Counter((status.st_dev, status.st_ino) for _, status in entries)
    inside = (f"{os.path.realpath(folder)}/", "/usr/")  # what is the system's everybody can read
    for path, status in reversed(entries):  # what is in a folder before the folder
        if stat.S_ISDIR(status.st_mode):
            _make_ours(path, _RUN)
        elif stat.S_ISLNK(status.st_mode):
            if not os.path.realpath(path).startswith(inside):
                os.unlink(path)
        elif stat.S_ISREG(status.st_mode) and names[status.st_dev, status.st_ino] == (
            status.st_nlink
        ):
            _make_ours(path, _RUN if status.st_mode & stat.S_IXUSR else _READ)
        else:
            os.unlink(path)
    _make_ours(str(folder), _RUN)


def own_alone(folder: Path) -> None:
    """Let the owner of a folder change everything in it, and nobody else see it."""
    folder.chmod(0o700)
    for path in folder.rglob("*"):
        if not path.is_symlink():  # its own mode means nothing, and `chmod` follows it
            path.chmod(0o700 if path.is_dir() or path.stat().st_mode & 0o100 else 0o600)


def _close_to_others(folder: Path) -> None:
    """Let nobody but us come to a folder any more, by closing the one above it."""
    above = folder.parent
    os.chmod(above, 0o700)
    if is_root():
        os.chown(above, 0, 0)


def _make_ours(path: str, mode: int) -> None:
    if is_root():
        os.chown(path, 0, 0, follow_symlinks=False)
    os.chmod(path, mode)


def _scan(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # a bot that still runs may remove it meanwhile
                yield entry.path, entry.stat(follow_symlinks=False)
