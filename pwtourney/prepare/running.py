"""Running a preparation: in the bot's sandbox, without a clock, with a folder to write to.

After its end the folder is made ours: nothing in it can do harm, or be changed later.
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

__all__ = ["Bounds", "ProcessEnding", "find_excess", "own_alone", "run_to_end", "take_back"]

_MS = 1_000_000
_LOOKS_NS = 1_000 * _MS
_MOST_BYTES = 1 << 30
_MOST_ENTRIES = 20_000
_SHOWN_LINES = 12
_USUAL = Limits()
_READ, _RUN = 0o444, 0o555


class ProcessEnding(NamedTuple):
    """The ending of a process: `exit` is "exited" with the code, or why it was killed.

    `said` are the last lines of its standard error.
    """

    exit: str
    said: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The exit and the last lines, for an error message."""
        return "".join([self.exit, *(f"\n| {line}" for line in self.said)])


def run_to_end(
    launch: Launch,
    limits: Limits,
    isolation: Isolation,
    patience_ms: int,
    hear: Callable[[str], int | None],
) -> ProcessEnding:
    """Run a command until it ends, at most `patience_ms`; raises OSError if it cannot be run.

    `hear` gets each line of its standard output, and may return a new time limit from then on, in
    milliseconds. Afterwards `launch.write_paths` belong to us, and exceeding their size limit is an
    error.
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
            return ProcessEnding(str(fault))
        last.callback(process.clean_up)
        for folder in folders:
            last.callback(_close_to_others, folder)  # before its uid is leased to another bot
        with ExitStack() as work:
            # Orphans are swept after the end of the process, which makes more of them.
            work.callback(orphans.sweep)
            work.callback(process.end)
            ending = _await_end(process, folders, most, patience_ms, hear)
        # Measured again, because it may have written until it was killed.
        try:
            for folder in folders:
                take_back(folder)
            problem = find_excess(folders, most)
        except OSError as error:  # without its text, which would contain a path of any length
            problem = f"left files that cannot be looked through: {error.strerror}"
        lines = [line for line in process.whole_stderr.splitlines() if line.strip()]
        return ProcessEnding(problem or ending, tuple(lines[-_SHOWN_LINES:]))


def _widen_limits(limits: Limits) -> Limits:
    """Return limits that are wide enough for compilers, whatever the bot's limits in games are."""
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
    """Wait for the end of a process; return how it ended."""
    deadline = time.monotonic_ns() + patience_ms * _MS
    lines: Sequence[bytes]
    while True:
        if too_much := find_excess(folders, most):
            return too_much
        # Read the clock after that search, which takes long if there are many files.
        look = time.monotonic_ns() + _LOOKS_NS
        lines, exited, late = (), False, False
        try:
            lines = (process.read_line(min(deadline, look))[0],)
        except BotFault as fault:
            if fault.verdict == "crash":
                return process.exit_text  # the normal end of every process, successful or not
            if fault.verdict != "timeout":
                return str(fault)
            # It may have ended after its last line while a child of it keeps its output open.
            exited = process.exits_within(0)
            # Read once: a bot that is late now has its output read to the end first.
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
    """The most that may be in a folder: bytes on the disk, and number of files and folders."""

    bytes: int
    entries: int

    @classmethod
    def beyond(cls, folders: Iterable[Path], size: int, entries: int) -> "Bounds":
        """Return bounds that allow `size` bytes, and `entries` more than some folders contain."""
        present = sum(1 for folder in folders for _ in folder.rglob("*"))
        return cls(size, present + entries)


def find_excess(folders: Iterable[Path], most: Bounds) -> str | None:
    """Return how the content of some folders exceeds the bounds; None if it does not.

    A folder that cannot be read may contain anything, so it counts as excess.
    """
    size = entries = 0
    waiting = [str(folder) for folder in folders]
    while waiting:
        try:
            for path, status in _scan(waiting.pop()):
                entries += 1
                size += status.st_blocks * 512  # disk usage, because sparse files are larger
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

    Everything except files and folders is removed, and so are links that lead out of the folder and
    files with hard links elsewhere, because a bot must not make others read something for it.
    Raises OSError if the folder cannot be searched.

    The bot's processes are gone before this starts, so nothing in the folder changes meanwhile.
    """
    entries: list[tuple[str, os.stat_result]] = []  # a folder before its content
    waiting = [str(folder)]
    while waiting:
        current = waiting.pop()
        os.chmod(current, 0o700)  # its permissions may exclude its owner
        below = list(_scan(current))
        entries += below
        waiting += [path for path, status in below if stat.S_ISDIR(status.st_mode)]
    # The number of names of each file in here, to find files that have others elsewhere.
    names = Counter((status.st_dev, status.st_ino) for _, status in entries)
    inside = (f"{os.path.realpath(folder)}/", "/usr/")  # everybody can read the system's files
    for path, status in reversed(entries):  # the content of a folder before the folder
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
    """Let the owner change everything in a folder, and let nobody else see it."""
    folder.chmod(0o700)
    for path in folder.rglob("*"):
        if not path.is_symlink():  # a link's own mode means nothing, and `chmod` follows it
            path.chmod(0o700 if path.is_dir() or path.stat().st_mode & 0o100 else 0o600)


def _close_to_others(folder: Path) -> None:
    """Keep other users out of a folder by closing its parent."""
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
