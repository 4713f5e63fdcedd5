"""One bot process and the pipes to it.

Every wait has one absolute deadline, in nanoseconds of the monotonic clock; what arrives in the
meantime never moves it. All pipes are non-blocking, standard error is drained whenever we wait,
and everything that a bot can do wrong ends in a `BotFault` with its verdict.
"""

import errno
import os
import select
import shutil
import signal
import subprocess
import time
from contextlib import suppress

from pwtourney.errors import BotFault
from pwtourney.process.launch import Launch, Limits, bot_environment, guarded_command
from pwtourney.process.lifeline import RunnerGone, lifelines
from pwtourney.process.scratch import make_scratch, remove_scratch

__all__ = ["BotProcess"]

_CHUNK = 65536
_LONGEST_WAIT_MS = 3_600_000
_BOTS_OWN = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.E2BIG)
"""What can be wrong with a program itself, so that it cannot be started."""


class BotProcess:
    """A running bot. Create it to start the process; call `end` and `clean_up` in every case.

    Raises `BotFault` with the verdict ``start`` when the process cannot be started.
    """

    def __init__(self, launch: Launch, limits: Limits, scratch_root: str | None = None) -> None:
        self._limits = limits
        self._buffer = bytearray()
        self._output = 0
        self._ended = self._has_exited = False
        self._stderr = bytearray()
        self._scratch = make_scratch(scratch_root)
        try:
            self._process = self._start(launch)
        except OSError as error:
            remove_scratch(self._scratch)
            if error.errno not in _BOTS_OWN:
                raise  # we are short of something: no fault of the bot
            raise BotFault(
                "start", f"cannot start {launch.command[0]}: {error.strerror}"
            ) from error
        try:
            self._attach()
        except OSError:  # too few descriptors, say: whoever asked for the bot will never end it
            self._process.kill()
            self._process.wait()
            remove_scratch(self._scratch)
            raise

    def _attach(self) -> None:
        """Make the pipes non-blocking and watch everything that can happen."""
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr_fd = (pipe.fileno() for pipe in pipes if pipe)
        for descriptor in (self._stdin, self._stdout, self._stderr_fd):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._exit_watch = _exit_watch(self.pid)
        for each in (self._stdout, self._stderr_fd, self._exit_watch, *lifelines):
            if each is not None:
                self._poll.register(each, select.POLLIN)

    def _start(self, launch: Launch) -> subprocess.Popen[bytes]:
        program = launch.command[0]
        if shutil.which(program) is None:
            reason = "is not executable" if os.path.exists(program) else "does not exist"
            raise OSError(errno.ENOENT, f"it {reason}")
        return subprocess.Popen(
            guarded_command(launch, self._limits),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._scratch,
            env=bot_environment(launch, self._scratch),
            start_new_session=True,
            close_fds=True,
        )

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the bot's session."""
        return self._process.pid

    @property
    def stderr(self) -> str:
        """What is kept of the bot's standard error."""
        return self._stderr.decode("utf-8", "replace")

    def write(self, text: str, deadline: int | None) -> None:
        """Write all of the text; a bot that does not read in time has timed out."""
        if self._has_exited:
            raise self._gone("exited")
        data = text.encode()
        try:
            data = data[os.write(self._stdin, data) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            raise self._gone("closed its standard input") from None
        if data:
            self._write_rest(data, deadline)

    def _write_rest(self, data: bytes, deadline: int | None) -> None:
        self._poll.register(self._stdin, select.POLLOUT)
        try:
            while data:
                self._wait(deadline)
                with suppress(BlockingIOError):
                    data = data[os.write(self._stdin, data) :]
        except BrokenPipeError:
            raise self._gone("closed its standard input") from None
        finally:
            self._poll.unregister(self._stdin)

    def read_line(self, deadline: int | None) -> tuple[bytes, int]:
        """Return the next line without its newline, and the instant at which it was complete.

        A line that was read after the deadline is a time-out, even if no wait was needed.
        """
        now = time.monotonic_ns()
        while (end := self._buffer.find(b"\n")) < 0:
            self._check_line(len(self._buffer))
            self._wait(deadline)
            now = time.monotonic_ns()
        self._check_line(end)
        if deadline is not None and now > deadline:
            raise BotFault("timeout", "did not answer in time")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line, now

    def _check_line(self, length: int) -> None:
        if length > self._limits.line:
            raise BotFault("output-limit", f"wrote a line of over {self._limits.line} bytes")

    def unread(self) -> list[bytes]:
        """Return the whole lines that have come unasked; a fault if there is more than lines."""
        while self._receive():
            if len(self._buffer) > self._limits.line:
                raise BotFault(
                    "output-limit", f"wrote over {self._limits.line} bytes while nothing was asked"
                )
        if not self._buffer:
            return []
        *lines, rest = bytes(self._buffer).split(b"\n")
        if rest:
            raise BotFault("protocol", f"spoke out of turn: {rest[:60]!r} before it was asked")
        self._buffer.clear()
        return lines

    def new_game(self) -> None:
        """Start counting output anew."""
        self._output = 0

    def end(self, farewell: str = "") -> None:
        """Say goodbye, wait for the grace period, then kill the whole session; once."""
        if self._ended:
            return
        self._ended = True
        with suppress(OSError):
            os.write(self._stdin, farewell.encode())
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        if farewell:
            _await_exit(self._process, self._limits.end_ms)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._drain_stderr()
        if self._process.stderr:
            self._process.stderr.close()
        if self._exit_watch is not None:
            os.close(self._exit_watch)

    def clean_up(self) -> None:
        """Remove the scratch folder; to be called when what the bot left running is gone too."""
        remove_scratch(self._scratch)

    def _wait(self, deadline: int | None) -> None:
        """Wait for anything to happen, once, and take in what came."""
        timeout = None
        if deadline is not None:
            left = deadline - time.monotonic_ns()
            if left <= 0:
                raise BotFault("timeout", "did not answer in time")
            timeout = min(-(-left // 1_000_000), _LONGEST_WAIT_MS)
        for descriptor, _ in self._poll.poll(timeout):
            if descriptor == self._stdout:
                if self._receive() is None:
                    raise self._gone("closed its standard output")
            elif descriptor == self._stderr_fd:
                self._drain_stderr()
            elif descriptor == self._exit_watch:
                self._exited()
            elif descriptor in lifelines:
                raise RunnerGone("the runner is gone")

    def _exited(self) -> None:
        """Take what an exited bot has still written; without an answer in it, it has crashed.

        Its pipes may be held open by a child, so the end of the stream is not waited for.
        """
        if self._exit_watch is not None:
            self._poll.unregister(self._exit_watch)
        self._has_exited = True
        while self._receive():
            pass
        if b"\n" not in self._buffer:
            raise self._gone("exited")

    def _receive(self) -> int | None:
        """Read what is there into the buffer; return how much, None at the end of the stream."""
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return 0
        if not chunk:
            return None
        self._buffer += chunk
        self._output += len(chunk)
        if self._output > self._limits.output:
            raise BotFault("output-limit", f"wrote over {self._limits.output} bytes in one game")
        return len(chunk)

    def _drain_stderr(self) -> None:
        """Read what is there; keep the beginning, let a bot write as much as it likes."""
        try:
            chunk = os.read(self._stderr_fd, _CHUNK)
        except (BlockingIOError, OSError):
            return
        if not chunk:
            with suppress(KeyError):
                self._poll.unregister(self._stderr_fd)
        self._stderr += chunk[: max(0, self._limits.stderr - len(self._stderr))]

    def _gone(self, what: str) -> BotFault:
        """Make the fault for a bot whose pipe has ended: how it exited, if it did."""
        _await_exit(self._process, self._limits.end_ms)
        self._drain_stderr()
        code = _exit_code(self._process)
        if code is None:
            return BotFault("crash", what)
        if code < 0:
            return BotFault("crash", f"was killed by signal {_signal_name(-code)}")
        return BotFault("crash", f"exited with code {code}")


def _await_exit(process: subprocess.Popen[bytes], patience_ms: int) -> None:
    """Wait until the process has exited or the time is over.

    It is not reaped where that can be helped: while it is a zombie its id, which is also that of
    its session, cannot be given to somebody else.
    """
    if not hasattr(os, "pidfd_open"):
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_ms / 1000)
        return
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(process.pid)
        try:
            watch = select.poll()
            watch.register(descriptor, select.POLLIN)
            watch.poll(patience_ms)
        finally:
            os.close(descriptor)


def _exit_watch(pid: int) -> int | None:
    """Return a descriptor that becomes readable when the process exits, None on other systems."""
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None


def _exit_code(process: subprocess.Popen[bytes]) -> int | None:
    """Return the exit code, minus the number of a signal, None while it runs; do not reap."""
    if not hasattr(os, "waitid"):
        return process.poll()
    status = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if status is None:
        return None
    return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
