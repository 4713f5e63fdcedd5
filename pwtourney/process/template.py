"""One template: a process with a bot's limits, in its sandbox, that forks a copy for each game.

It is started as the bot itself would be, so that its copies have the same sandbox, user, limits and
control group. What it uses counts as the bot's, and it is stopped when the bot is. Nothing that a
template says is trusted: the kernel names the sender of each message on its socket, and the runner
itself looks for what is left of a copy. A template whose state has changed after a game is ended,
and the next game gets a new one.

Copies are for Python bots. For a bot that is a program, the template only starts that program,
which saves the programs that set limits and users. Such a launcher is ours, and not part of the
bot.
"""

import array
import os
import re
import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, NamedTuple

from pwtourney.process.bot_processes import RunnerGone, lifelines
from pwtourney.process.copied import CannotCopy, CopiedProcesses, Copy, TemplateLost
from pwtourney.process.inspection import find_obstacle, is_unchanged, read_inherited
from pwtourney.process.scratch import ScratchFolder
from pwtourney.process.starting import StartedProcess, open_process
from pwtourney.sandbox.copies import FORK, FORKED, LARGEST, LOAD, LOADED, REAP, REAPED
from pwtourney.sandbox.inside import HOME
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["Template", "template_launch"]

_MS = 1_000_000
_CREDENTIALS = struct.Struct("3i")
_SDK = ("-m", "pwtourney.sdk")
_LAUNCHER = (
    "import sys; sys.path.append({!r}); from pwtourney.sandbox.copies import launch_copies;"
    " launch_copies(sys.argv[1:])"
)
_ROOT = str(Path(__file__).parents[2])
_LONGEST_REASON = 200
_REAPING_MS = 2_000
_MOST_OWN_NS = 50 * _MS
"""The CPU time that a template may use between two games; fork and reap take a few milliseconds."""


class _Way(NamedTuple):
    """The start of a template, and whether it only launches the bot."""

    launch: Launch
    launcher: bool


def template_launch(launch: Launch, isolation: Isolation) -> _Way | None:
    """Return how the template of a bot is started; None if the bot cannot have one."""
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return None
    *words, spec = launch.command
    if tuple(words[-2:]) == _SDK:
        return _Way(launch._replace(command=(*words, "--template", spec)), launcher=False)
    # In the sandbox of a program, our interpreter may be missing.
    if isolation.sandbox:
        return None
    command = (sys.executable, "-I", "-S", "-c", _LAUNCHER.format(_ROOT), *launch.command)
    return _Way(launch._replace(command=command), launcher=True)


class Template:
    """A template that is ready. Always call `close` in the end.

    `game` is the text that announces a game of the edition that it will play. Raises `CannotCopy`,
    `BotFault` or OSError.
    """

    def __init__(
        self,
        launch: Launch,
        limits: Limits,
        isolation: Isolation,
        scratch_root: str | None,
        game: str = "",
    ) -> None:
        way = template_launch(launch, isolation)
        if way is None:
            raise CannotCopy("")
        self._limits = limits
        self._folders: list[ScratchFolder] = []
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as undo:
            undo.callback(self._channel.close)
            with theirs:
                # With SO_PASSCRED each message names its sender, and the sender cannot forge that.
                self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
                own = limits._replace(processes=limits.processes + 1)
                opened = open_process(way.launch, own, isolation, scratch_root, theirs.fileno())
                undo.callback(opened.abandon)
                ends = (theirs.fileno(), _fileno(opened.process.stderr))
                ours = frozenset((at.st_dev, at.st_ino) for at in map(os.fstat, ends))
            self._opened = opened
            os.set_blocking(_fileno(opened.process.stderr), False)
            self.tree = CopiedProcesses(opened, limits, isolation, launcher=way.launcher)
            undo.pop_all()
            undo.callback(self.close)
            self.said = b""
            self.pid = self._load(game)
            if not way.launcher:
                self.tree.follow_template(self.pid)
                if obstacle := find_obstacle(self.pid, ours):
                    raise CannotCopy(self._without_chance(obstacle))
            self.tree.allow_for(self.pid)
            self._keep_scratch(isolation)
            self._inherited = read_inherited(self.pid)
            undo.pop_all()

    @property
    def root(self) -> int:
        """The id of the process that we started, which may be a sandbox's."""
        return self._opened.process.pid

    def copy(self, release: Callable[["Template", bool], None]) -> StartedProcess:
        """Return a copy for a game; raises `TemplateLost` or OSError.

        `release` is called when the copy is gone, with True if the template can be used again.
        """
        # A sandbox ends process by process, and its last process may still answer meanwhile.
        if self._opened.process.exit_code() is not None:
            raise TemplateLost("it has ended")
        ends: list[int] = []
        try:
            for _ in range(3):
                ends += os.pipe()
            read, to, out, write, errors, log = ends
            # The copy's streams: it reads from the first, and writes to the others.
            request = array.array("i", (read, write, log))
            details = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, request)]
            try:
                self._channel.sendmsg([FORK], details)
                answer, pid = self._receive(self._limits.start_ms)
            except OSError as error:
                raise TemplateLost(f"it cannot be asked: {error}") from error
            if not self.tree.has_template:
                # A launcher is ours; it answers for the program, and names its process.
                number = answer.removeprefix(FORKED)
                answer, pid = answer[: len(FORKED)], int(number) if number.isdigit() else 0
            if answer != FORKED:
                raise TemplateLost("it does not start a copy")
            self.tree.begin(pid)
            process = Copy(pid, (to, out, errors))
        except BaseException:
            for descriptor in ends:
                os.close(descriptor)
            raise
        for descriptor in request:
            os.close(descriptor)
        with ExitStack() as leased:
            leased.callback(self._take_back, process, release)
            return StartedProcess(process, self.tree, leased.pop_all(), self.said)

    def close(self) -> None:
        """End the template, with everything in its sandbox."""
        self._channel.close()
        for folder in self._folders:
            folder.close()
        process = self._opened.process
        with self._opened.leased:
            self.tree.resume()
            process.kill_session()
            process.wait()
            self.tree.forget()
            if process.stderr:
                process.stderr.close()

    def _load(self, game: str) -> int:
        """Let the template load the bot; return the template's process id."""
        message = LOAD + game.encode()
        if len(message) > LARGEST:
            raise CannotCopy("its edition is too large")
        try:
            self._channel.send(message)
            answer, pid = self._receive(self._limits.start_ms)
        except (TemplateLost, OSError) as error:
            self._drain()
            # A new process may fail in the same way, and then prints the complete error.
            *_, last = self.said.decode(errors="replace").splitlines() or [str(error)]
            why = "".join(letter for letter in last if letter.isprintable())[:_LONGEST_REASON]
            raise CannotCopy(f"its template could not be loaded: {why}") from error
        if not answer.startswith(LOADED):
            raise CannotCopy("its template does not say that it is loaded")
        if reason := answer.removeprefix(LOADED).decode(errors="replace"):
            raise CannotCopy(reason)
        self._drain()
        return pid

    def _without_chance(self, reason: str) -> str:
        """Return a reason without names and numbers that differ between runs."""
        if self._opened.scratch:
            reason = reason.replace(os.path.realpath(self._opened.scratch), ".")
        return re.sub(r"\b(socket|pipe):\[\d+\]", r"a \1", reason)

    def _keep_scratch(self, isolation: Isolation) -> None:
        """Save the state of the folders that the bot may write to."""
        inside = f"/proc/{self.pid}/root"
        paths = [self._opened.scratch] if self._opened.scratch else []
        if isolation.sandbox:
            paths = [f"{inside}{HOME}", f"{inside}/dev/shm"]
        for path in paths:
            try:
                folder = ScratchFolder(path)
            except OSError as error:
                raise CannotCopy(f"its scratch folder cannot be kept ({error})") from error
            self._folders.append(folder)
        # A folder that is recreated between games is not the working directory that copies inherit.
        if not self.tree.has_template:
            return
        where = os.stat(f"/proc/{self.pid}/cwd")
        if not where.st_nlink or any(folder.has_made(where) for folder in self._folders):
            raise CannotCopy("it changes into a folder that it makes while it is imported")

    def _take_back(self, process: Copy, release: Callable[["Template", bool], None]) -> None:
        """Make sure that nothing of a copy is left, and release the template."""
        clean = False
        try:
            ended = process.exit_code()
            with suppress(TemplateLost, OSError):
                clean = ended == 0 and self._is_clean()
        finally:
            process.close()
            release(self, clean)

    def _is_clean(self) -> bool:
        """Return True if the template is unchanged after its last copy, which is ended first."""
        if not self.tree.end_copies():
            return False
        if not self.tree.has_template:
            # A launcher is ours, holds nothing, and reaps before it starts the next program.
            if read_inherited(self.pid) != self._inherited:
                return False
            self._put_back()
            return True
        self._channel.send(REAP)
        answer, pid = self._receive(_REAPING_MS)
        if answer != REAPED or pid != self.pid or not is_unchanged(self.pid, self._inherited):
            return False
        if self.tree.own_ns() > _MOST_OWN_NS:
            return False
        self._put_back()
        return True

    def _put_back(self) -> None:
        """Remove all traces of a game from the folders that the bot may write to."""
        self._drain()
        for folder in self._folders:
            folder.put_back()

    def _receive(self, patience_ms: int) -> tuple[bytes, int]:
        """Return the next answer and its sender's id; raises `TemplateLost` or `RunnerGone`."""
        # Tried directly: where both share a core, the answer is mostly there already.
        with suppress(BlockingIOError):
            return self._take_message(socket.MSG_DONTWAIT)
        deadline = time.monotonic_ns() + patience_ms * _MS
        watch = select.poll()
        errors = _fileno(self._opened.process.stderr)
        for source in (self._channel.fileno(), errors, *lifelines):
            watch.register(source, select.POLLIN)
        while True:
            left = deadline - time.monotonic_ns()
            ready = {descriptor for descriptor, _ in watch.poll(max(0, -(-left // _MS)))}
            if self._channel.fileno() in ready:
                return self._take_message()
            if ready & set(lifelines):
                raise RunnerGone("the runner is gone")
            if errors in ready and not self._drain():
                watch.unregister(errors)
            if left <= 0:  # after a last look: this process may have been stopped meanwhile
                raise TemplateLost("it does not answer in time")

    def _take_message(self, flags: int = 0) -> tuple[bytes, int]:
        """Return the next message, and the id of the process that sent it."""
        room = socket.CMSG_SPACE(_CREDENTIALS.size)
        message, details, _, _ = self._channel.recvmsg(LARGEST, room, flags)
        if not message:
            raise TemplateLost("it has ended")
        pids = [_CREDENTIALS.unpack(data)[0] for _, _, data in details]
        return message, pids[0] if pids else 0

    def _drain(self) -> bool:
        """Keep what was written to standard error; return False at its end."""
        with suppress(BlockingIOError):
            while chunk := os.read(_fileno(self._opened.process.stderr), LARGEST):
                self.said = (self.said + chunk)[: self._limits.stderr]
            return False
        return True


def _fileno(stream: IO[bytes] | None) -> int:
    assert stream is not None, "it was started with a pipe"
    return stream.fileno()
