"""A preparation as a process: in the bot's sandbox, on no clock, with a folder to write to."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import BotFault
from pwtourney.prepare.keeping import Bounds, close_to_others, excess, take_back
from pwtourney.process import BotProcess
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import Orphans, become_subreaper

__all__ = ["Ended", "run_to_end"]

_MS = 1_000_000
_LOOKS_NS = 1_000 * _MS
_MOST_BYTES = 1 << 30
_MOST_ENTRIES = 20_000
_SHOWN_LINES = 12
_USUAL = Limits()


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
            last.callback(close_to_others, folder)
        orphans = Orphans()
        try:
            process = BotProcess(launch, _widen_limits(limits), isolation)
        except BotFault as fault:
            return Ended(str(fault))
        last.callback(process.clean_up)
        for folder in folders:
            last.callback(close_to_others, folder)  # before its uid is leased to another bot
        with ExitStack() as work:
            work.callback(orphans.sweep)
            work.callback(process.end)
            ending = _ending(process, folders, most, patience_ms, hear)
        problem = _taken_back(folders, most)
        lines = [line for line in process.whole_stderr.splitlines() if line.strip()]
        return Ended(problem or ending, tuple(lines[-_SHOWN_LINES:]))


def _taken_back(folders: list[Path], most: Bounds) -> str | None:
    """Make ours what was written; return why it cannot be kept, None if it can."""
    try:
        for folder in folders:
            take_back(folder)
    except OSError as error:  # its text would hold a path that may be of any length
        return f"left files that cannot be looked through: {error.strerror}"
    return excess(folders, most)


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


def _ending(
    process: BotProcess,
    folders: list[Path],
    most: Bounds,
    patience_ms: int,
    hear: Callable[[str], int | None],
) -> str:
    """Wait for the end of a process; return how it came."""
    deadline = time.monotonic_ns() + patience_ms * _MS
    while True:
        now = time.monotonic_ns()
        if now > deadline:
            return f"took over {patience_ms / 1000:g} s"
        if too_much := excess(folders, most):
            return too_much
        try:
            line, _ = process.read_line(min(deadline, now + _LOOKS_NS))
        except BotFault as fault:
            if fault.verdict == "crash":
                return process.exit_text
            if fault.verdict != "timeout":
                return str(fault)
            if process.exits_within(0):
                return process.exit_text
            continue
        more = hear(line.decode("utf-8", "replace"))
        if more is not None:
            patience_ms, deadline = more, time.monotonic_ns() + more * _MS
