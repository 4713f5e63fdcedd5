"""One bot process and the pipes to it.

Every wait has one absolute deadline, in nanoseconds of the monotonic clock, and what arrives in the
meantime never moves it. All pipes are non-blocking, and standard error is drained during each wait.
Everything that a bot can do wrong raises a `BotFault` with its verdict.
"""

import os
import select
import time
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from pwtourney.errors import BotFault, TimeoutFault
from pwtourney.process.bot_processes import (
    Child,
    RunnerGone,
    await_exit,
    describe_exit,
    lifelines,
    watch_exit,
)
from pwtourney.process.meter import Meter
from pwtourney.process.pause_switch import pause_lines, wait_for_end_of_pause
from pwtourney.process.silence import NOT_FLUSHED, describe_unfinished
from pwtourney.process.starting import StartedProcess, start
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["BotProcess", "StderrBuffer", "StopRequested", "thinks_on"]

_CHUNK = 65536
_BARE = Isolation()
_MS = 1_000_000
_SOON_NS = 2 * _MS
_AT_ONCE_NS = 10_000
"""A wait shorter than this counts as none: the answer was there already.

A poll that finds something takes 2 µs, and several times as long on a slow or busy machine.
"""

_CLOSED = 0
"""The poll events of the pipe to the bot: none, so that poll only reports its closing."""

_TICK_MS = 50
"""The interval in which a bot's memory and processes are checked while it has not answered."""


class StopRequested(Exception):
    """Nobody wants the bot to think on; see `BotProcess.attend`."""


class StderrBuffer:
    """Keeps the first and the last `most` bytes of a stream of any length."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Add a chunk of the stream."""
        self.total += len(chunk)
        room = self._most - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail.append(chunk)
            self._tail_size += len(chunk)
        # Whole chunks are dropped here, and `text` cuts the rest: no bytes are moved.
        while self._tail and self._tail_size - len(self._tail[0]) >= self._most:
            self._tail_size -= len(self._tail.popleft())

    @property
    def head(self) -> str:
        """The beginning of the stream as text."""
        return self._head.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """Everything that is kept, with a note of how many bytes were left out."""
        tail = b"".join(self._tail)[-self._most :]
        left_out = self.total - len(self._head) - len(tail)
        gap = f"\n[{left_out} bytes left out]\n" if left_out else ""
        return self.head + gap + tail.decode("utf-8", "replace")


class BotProcess:
    """A running bot. Creating it starts the process; always call `end` and `clean_up`.

    With `started` it takes that process instead of starting one. `meter` does the bot's accounting,
    and must be notified when the bot's turns begin and end.

    Raises `BotFault` with the verdict ``start`` if the process cannot be started.
    """

    def __init__(
        self,
        launch: Launch,
        limits: Limits,
        isolation: Isolation = _BARE,
        scratch_root: str | None = None,
        started: StartedProcess | None = None,
    ) -> None:
        self._limits = limits
        # copied, because they are read in every turn
        self._line, self._output = limits.line, limits.output
        self._buffer = bytearray()
        self._ended = self._has_exited = False
        self.attend: Callable[[], bool] = thinks_on
        """Called about every 50 ms while the bot has not answered.

        If it returns True, the wait ends with `StopRequested`.
        """
        self._is_quick = True
        """True if the last answer was there before we came to read it."""
        self._stderr = StderrBuffer(limits.stderr)
        started = started or start(launch, limits, isolation, scratch_root)
        self._process, self._tree, self._leased, said = started
        self._stderr.add(said)
        # A copy of a template is a process inside the sandbox, not the sandbox's own process.
        self._wrapped = bool(isolation.sandbox) and isinstance(self._process, Child)
        self.meter = Meter(self._tree, limits, isolation)
        self.bytes_in = self.bytes_out = 0
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._stdin, self._stdout, self._stderr_fd = (pipe.fileno() for pipe in pipes if pipe)
        try:
            for descriptor in (self._stdin, self._stdout, self._stderr_fd):
                os.set_blocking(descriptor, False)
            self._spoken, self._poll = select.poll(), select.poll()
            self._exit_watch = watch_exit(self.pid)
            for source in (self._stdout, *pause_lines):
                self._spoken.register(source, select.POLLIN)
            own = (self._stdout, self._stderr_fd, self._exit_watch)
            for watched in (*own, *lifelines, *pause_lines):
                if watched is not None:
                    self._poll.register(watched, select.POLLIN)
            self._poll.register(self._stdin, _CLOSED)
        except OSError:
            # for example too few descriptors; the caller has no object to call `end` on
            self._process.kill()
            self._process.wait()
            self.meter.close()
            self.clean_up()
            raise

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the session that it leads."""
        return self._process.pid

    @property
    def stderr(self) -> str:
        """The beginning of the bot's standard error so far."""
        self._drain_stderr()
        return self._stderr.head

    @property
    def whole_stderr(self) -> str:
        """The beginning and the end of the bot's standard error so far."""
        self._drain_stderr()
        return self._stderr.text

    @property
    def stderr_bytes(self) -> int:
        """The bytes that the bot has written to standard error so far, kept or not."""
        self._drain_stderr()
        return self._stderr.total

    @property
    def exit_text(self) -> str:
        """A text that says how the process ended, or "is running"."""
        return describe_exit(self._process, wrapped=self._wrapped) or "is running"

    def write(self, text: str, deadline: int | None) -> None:
        """Write all of the text; raise `BotFault` (timeout) if the bot does not read it in time."""
        if self._has_exited:
            raise self._crash_fault("exited")
        data = text.encode()
        length, sent = len(data), 0
        self.bytes_in += length
        try:
            # Written directly, because nearly every request fits into the pipe: no poll, no second
            # call.
            try:  # noqa: SIM105 - in every turn, so without another object
                sent = os.write(self._stdin, data)
            except BlockingIOError:
                pass
            if sent < length:
                data = data[sent:]
                self._poll.register(self._stdin, select.POLLOUT)
                try:
                    while data:
                        self._wait(deadline)
                        with suppress(BlockingIOError):
                            data = data[os.write(self._stdin, data) :]
                finally:
                    # Otherwise each later wait would return at once, because an empty pipe is
                    # always writable.
                    self._poll.register(self._stdin, _CLOSED)
        except BrokenPipeError:
            raise self._crash_fault("closed its standard input") from None

    def read_line(self, deadline: int | None) -> tuple[bytes, int]:
        """Return the next line without its newline, and the time at which it was complete.

        The time is in nanoseconds of the monotonic clock, less what the meter gave back to the bot.
        A line that was read after the deadline is a timeout, even if no wait was needed.
        """
        line, meter = None, self.meter
        if not self._buffer and self._is_quick:
            # Read directly: where both share a core, the bot has answered before we get here. If
            # there is no line, it is either too early or the end of the stream, which the wait
            # below will find.
            chunk = self._read_chunk()
            self._is_quick = chunk is not None
            if chunk:
                if chunk.find(b"\n") == len(chunk) - 1 <= self._line:
                    line = chunk[:-1]
                else:
                    self._buffer += chunk
        now = time.monotonic_ns()
        if line is None:
            while (end := self._buffer.find(b"\n")) < 0:
                if len(self._buffer) > self._line:
                    raise self._line_fault()
                now = self._wait(deadline)
            if end > self._line:
                raise self._line_fault()
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
        try:
            if now > meter.next_account:  # the last look may be long ago
                meter.give_back(now)
                meter.find_gap_if_due(now)
            if deadline is not None and now > deadline + meter.given_back_ns:
                meter.find_gap(now)
                if now > deadline + meter.given_back_ns:
                    meter.timed_out(now)
                    raise TimeoutFault
        except BotFault:
            self._buffer[:0] = line + b"\n"  # the line is late, but not lost
            raise
        return line, now - meter.given_back_ns

    def look_if_due(self, now: int) -> None:
        """Check what the bot uses if a look is due; called repeatedly while it has not answered."""
        if now >= self.meter.next_look:
            self.meter.look(now)
            if self.attend():
                raise StopRequested

    def _line_fault(self) -> BotFault:
        return BotFault("output-limit", f"wrote a line of over {self._line} bytes")

    def read_unasked(self, wait_ms: int = 0) -> Sequence[bytes]:
        """Return the complete lines that the bot sent unasked; raise `BotFault` for a partial line.

        It is called before each turn, where it waits while games are paused, and after an answer
        that cannot be played. If nothing has arrived, it waits up to `wait_ms` milliseconds for the
        first output.
        """
        ready = self._spoken.poll(0 if self._buffer else wait_ms)  # cheaper than a read that fails
        if not ready and not self._buffer:
            return ()
        if any(descriptor in pause_lines for descriptor, _ in ready):
            self._stand_still()
        most = self._line
        while self._receive():
            # the buffer holds as much as a line may have, and there was more to read
            if len(self._buffer) >= most:
                raise BotFault("output-limit", f"wrote {most} bytes while nothing was asked")
        *lines, rest = bytes(self._buffer).split(b"\n")
        if rest:
            message = f"spoke out of turn: {rest[:60]!r} before it was asked"
            raise BotFault("protocol", message, "turns")
        self._buffer.clear()
        return lines

    def leftover(self) -> list[bytes]:
        """Return everything that the bot sent and that was never read, line by line."""
        with suppress(BotFault, OSError):
            while self._receive():
                pass
        lines = bytes(self._buffer).removesuffix(b"\n").split(b"\n") if self._buffer else []
        self._buffer.clear()
        return lines

    def new_game(self) -> None:
        """Reset all counters for a new game, and resume the bot if it was suspended."""
        self.meter.new_game()
        self.bytes_in = self.bytes_out = 0

    def close_input(self) -> None:
        """Close the bot's standard input."""
        if self._process.stdin:
            with suppress(KeyError):
                self._poll.unregister(self._stdin)
            self._process.stdin.close()

    def exits_within(self, patience_ms: int) -> bool:
        """Wait for the process to exit by itself; return True if it did."""
        await_exit(self._process, self._exit_watch, patience_ms)
        self._drain_stderr()
        return describe_exit(self._process, wrapped=self._wrapped) is not None

    def end(self, farewell: str = "") -> None:
        """Send `farewell`, wait for the grace period, then kill what is left.

        Only the first call has an effect.
        """
        if self._ended:
            return
        self._ended = True
        self.meter.wake()
        if self._process.stdin and not self._process.stdin.closed:
            with suppress(OSError):
                os.write(self._stdin, farewell.encode())
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        if farewell:
            await_exit(self._process, self._exit_watch, self._limits.end_ms)
        # This does not reach processes that left the session; the sweep of orphans kills those.
        self._process.kill_session()
        self._process.wait()
        self._drain_stderr()
        if self._process.stderr:
            self._process.stderr.close()
        if self._exit_watch is not None:
            os.close(self._exit_watch)
        self.meter.close()

    def clean_up(self) -> None:
        """Remove the scratch folder and release the uid; call it when no process is left."""
        self._leased.close()

    def _wait(self, deadline: int | None) -> int:
        """Wait once for any event and handle it; return the time after that, in nanoseconds.

        The bot's resources are checked only while it has not answered.
        """
        now, meter = time.monotonic_ns(), self.meter
        patience = meter.next_look - now
        if deadline is not None:
            left = deadline + meter.given_back_ns - now
            if left <= 0:
                left = self._find_time_left(now, deadline)
            if left < patience:
                patience = left
        # Rounded up, because poll(0) would busy-wait.
        timeout = min(_TICK_MS, -(-patience // _MS)) if patience > 0 else 1
        events, poll_start = self._poll.poll(timeout), now
        now = time.monotonic_ns()
        slept, longest = now - poll_start, timeout * _MS
        self._is_quick = slept < _AT_ONCE_NS
        meter.heartbeat.slept_ns += slept if slept < longest else longest  # noqa: FURB136
        for descriptor, event in events:
            if descriptor == self._stdout:
                if self._receive() is None:
                    raise self._crash_fault("closed its standard output")
            elif descriptor == self._stderr_fd:
                self._drain_stderr()
            elif descriptor == self._exit_watch:
                # What the bot has already written is read. If it contains no answer, the bot has
                # crashed. The end of the stream is not awaited, because a child of the bot may hold
                # the pipes open.
                self._poll.unregister(descriptor)  # it stays readable, as an ended stream does
                self._has_exited = True
                while self._receive():
                    pass
                if b"\n" not in self._buffer:
                    raise self._crash_fault("exited")
            elif descriptor in pause_lines:
                self._stand_still()
                now = time.monotonic_ns()  # the time given back ends now, not before the pause
            elif descriptor == self._stdin and event & ~select.POLLOUT:
                self._poll.unregister(descriptor)  # it stays closed, and would end every wait
                self._check_input_was_read()
            elif descriptor in lifelines:
                raise RunnerGone("the runner is gone")
        if b"\n" not in self._buffer:
            self.look_if_due(now)
        return now

    def _stand_still(self) -> None:
        """Suspend both bots and their clocks until games in this process are no longer paused."""
        with self.meter.standstill():
            wait_for_end_of_pause()

    def _check_input_was_read(self) -> None:
        """Raise `BotFault` if the bot closed its input with data unread and gave no answer.

        A bot that has read everything may close its input, and can still answer.
        """
        if _count_unread(self._stdin):
            while self._receive():
                pass
            if b"\n" not in self._buffer:
                raise self._crash_fault("closed its standard input")

    def _find_time_left(self, now: int, deadline: int) -> int:
        """Return the nanoseconds that the bot still has after delays by others are given back.

        Raises `BotFault` (timeout) if none are left and no more can be given back.
        """
        # These accounts are expensive, so they are taken only now.
        self.meter.give_back(now)
        self.meter.find_gap(now)
        left = deadline + self.meter.given_back_ns - now
        if left > 0:
            return left
        if not self.meter.is_undecided(-left):
            self.meter.timed_out(now)
            raise self._explain_silence()
        return _SOON_NS

    def _explain_silence(self) -> TimeoutFault:
        """Return the fault of a bot that has sent no whole line, with its cause if that shows."""
        computes = self.meter.computes(time.monotonic_ns())
        silence = self._tree.observe_silence(self._stdin, computes=computes)
        cause = describe_unfinished(bytes(self._buffer)) or (NOT_FLUSHED if silence.reads else "")
        return TimeoutFault(cause, idle=silence.idle)

    def _receive(self) -> int | None:
        """Read available output into the buffer; return its size, 0 if none, None at the end."""
        chunk = self._read_chunk()
        if chunk is None:
            return 0
        self._buffer += chunk
        return len(chunk) or None

    def _read_chunk(self) -> bytes | None:
        """Return available output, None if there is none yet, empty at the end of the stream."""
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return None
        self.bytes_out += len(chunk)
        if self.bytes_out > self._output:
            raise BotFault("output-limit", f"wrote over {self._output} bytes in one game")
        return chunk

    def _drain_stderr(self) -> None:
        """Read available standard error, which has no size limit."""
        if self._process.stderr is None or self._process.stderr.closed:
            return
        try:
            chunk = os.read(self._stderr_fd, _CHUNK)
        except OSError:  # nothing there yet, or closed meanwhile
            return
        if not chunk:
            # At its end the stream stays readable, and every poll would return at once.
            with suppress(KeyError):
                self._poll.unregister(self._stderr_fd)
        self._stderr.add(chunk)

    def _crash_fault(self, what: str) -> BotFault:
        """Return the fault of a bot whose pipe has ended: its exit, or `what` if it still runs."""
        self.meter.wake()
        await_exit(self._process, self._exit_watch, self._limits.end_ms)
        self._drain_stderr()
        fault = self.meter.fault()
        if fault:
            return fault
        how = describe_exit(self._process, wrapped=self._wrapped)
        return BotFault("crash", how or what)


def thinks_on() -> bool:
    """Return False: nothing ends the wait for a bot except its answer and its limits."""
    return False


def _count_unread(pipe: int) -> int:
    """Return the number of unread bytes in a pipe; 0 where the system does not tell."""
    import fcntl  # not on every system
    import termios

    unread = array("i", [0])
    with suppress(OSError):
        fcntl.ioctl(pipe, termios.FIONREAD, unread)
    return unread[0]
