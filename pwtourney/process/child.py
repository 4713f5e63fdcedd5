"""One bot process and the pipes to it.

Every wait has one absolute deadline, in nanoseconds of the monotonic clock; what arrives in the
meantime never moves it. All pipes are non-blocking, standard error is drained whenever we wait,
and everything that a bot can do wrong ends in a `BotFault` with its verdict.
"""

import os
import select
import time
from array import array
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from pwtourney.errors import BotFault
from pwtourney.process.bot_processes import (
    Child,
    RunnerGone,
    await_exit,
    describe_exit,
    lifelines,
    watch_exit,
)
from pwtourney.process.meter import Meter
from pwtourney.process.pausing import pause_lines, wait_for_end_of_pause
from pwtourney.process.starting import Started, start
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = ["BotProcess", "StderrBuffer"]

_CHUNK = 65536
_BARE = Isolation()
_MS = 1_000_000
_SOON_NS = 2 * _MS
_AT_ONCE_NS = 5_000
"""A wait that is over so soon was none: the answer was there already."""

_CLOSED = 0
"""What to wait for on the way to a bot: nothing, so that only its closing is reported."""

_TICK_MS = 50
"""How often a bot's memory and processes are looked at while it is waited for."""


class StderrBuffer:
    """Keeps the first and the last `most` bytes of a stream of any length."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Take in what came."""
        self.total += len(chunk)
        room = self._most - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail.append(chunk)
            self._tail_size += len(chunk)
        # whole chunks are dropped and the rest is cut when read: no bytes are moved here
        while self._tail and self._tail_size - len(self._tail[0]) >= self._most:
            self._tail_size -= len(self._tail.popleft())

    @property
    def head(self) -> str:
        """The beginning as text."""
        return self._head.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """Everything that is kept, with a word about what is not."""
        tail = b"".join(self._tail)[-self._most :]
        left_out = self.total - len(self._head) - len(tail)
        gap = f"\n[{left_out} bytes left out]\n" if left_out else ""
        return self.head + gap + tail.decode("utf-8", "replace")


class BotProcess:
    """A running bot. Create it to start the process; call `end` and `clean_up` in every case.

    It is one that was `started` for it, if that is given. `meter` keeps its accounts, and hears
    when its turns begin and end.

    Raises `BotFault` with the verdict ``start`` when the process cannot be started.
    """

    def __init__(
        self,
        launch: Launch,
        limits: Limits,
        isolation: Isolation = _BARE,
        scratch_root: str | None = None,
        started: Started | None = None,
    ) -> None:
        self._limits = limits
        self._line, self._output = limits.line, limits.output  # at hand: asked in every turn
        self._buffer = bytearray()
        self._ended = self._has_exited = False
        self._is_quick = True
        """Whether it has mostly answered before we come to read."""
        self._stderr = StderrBuffer(limits.stderr)
        started = started or start(launch, limits, isolation, scratch_root)
        self._process, tree, self._leased, said = started
        self._stderr.add(said)
        # a copy of a template was in the sandbox from its beginning
        self._wrapped = bool(isolation.sandbox) and isinstance(self._process, Child)
        self.meter = Meter(tree, limits, isolation)
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
        except OSError:  # too few descriptors, say: the caller will never end the bot
            self._process.kill()
            self._process.wait()
            self.meter.close()
            self.clean_up()
            raise

    @property
    def pid(self) -> int:
        """The process id, which is also the id of the session that we started."""
        return self._process.pid

    @property
    def stderr(self) -> str:
        """The beginning of the bot's standard error, until now."""
        self._drain_stderr()
        return self._stderr.head

    @property
    def whole_stderr(self) -> str:
        """Beginning and end of the bot's standard error, until now."""
        self._drain_stderr()
        return self._stderr.text

    @property
    def stderr_bytes(self) -> int:
        """How much it wrote to its standard error until now, kept or not."""
        self._drain_stderr()
        return self._stderr.total

    @property
    def exit_text(self) -> str:
        """How it ended, or that it runs."""
        return describe_exit(self._process, wrapped=self._wrapped) or "is running"

    def write(self, text: str, deadline: int | None) -> None:
        """Write all of the text; a bot that does not read in time has timed out."""
        if self._has_exited:
            raise self._crash_fault("exited")
        data = text.encode()
        length, sent = len(data), 0
        self.bytes_in += length
        try:
            # at once, as nearly every request fits into the pipe: no poll, no second call
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
                    # or each later wait would return at once: an empty pipe always takes more
                    self._poll.register(self._stdin, _CLOSED)
        except BrokenPipeError:
            raise self._crash_fault("closed its standard input") from None

    def read_line(self, deadline: int | None) -> tuple[bytes, int]:
        """Return the next line without its newline, and the instant at which it was complete.

        A line that was read after the deadline is a time-out, even if no wait was needed.
        """
        line, meter = None, self.meter
        if not self._buffer and self._is_quick:
            # At once: where they share a core, the bot has answered before we are here.
            # Without a line it is nothing yet, or the end, which the wait will find again.
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
                    raise self._timeout_fault(now)
        except BotFault:
            self._buffer[:0] = line + b"\n"  # it is late, and not lost
            raise
        return line, now - meter.given_back_ns

    def look_if_due(self, now: int) -> None:
        """Look at what the bot uses, now and then while it has not answered."""
        if now >= self.meter.next_look:
            self.meter.look(now)

    def _line_fault(self) -> BotFault:
        return BotFault("output-limit", f"wrote a line of over {self._line} bytes")

    def read_unasked(self) -> Sequence[bytes]:
        """Return the whole lines that have come unasked; a fault if there is more than lines.

        It is called before each turn, and waits here while games are paused.
        """
        ready = self._spoken.poll(0)  # cheaper than a read that fails
        if not ready and not self._buffer:
            return ()
        if any(descriptor in pause_lines for descriptor, _ in ready):
            self._stand_still()
        most = self._line
        while self._receive():
            if len(self._buffer) >= most:  # a pipe holds as much: it wanted to write more
                raise BotFault("output-limit", f"wrote {most} bytes while nothing was asked")
        *lines, rest = bytes(self._buffer).split(b"\n")
        if rest:
            message = f"spoke out of turn: {rest[:60]!r} before it was asked"
            raise BotFault("protocol", message, "turns")
        self._buffer.clear()
        return lines

    def leftover(self) -> list[bytes]:
        """Return all that has come and was never asked for, line by line, whatever it is."""
        with suppress(BotFault, OSError):
            while self._receive():
                pass
        lines = bytes(self._buffer).removesuffix(b"\n").split(b"\n") if self._buffer else []
        self._buffer.clear()
        return lines

    def new_game(self) -> None:
        """Start counting from zero, and let the bot go on if it stood still between two games."""
        self.meter.new_game()
        self.bytes_in = self.bytes_out = 0

    def close_input(self) -> None:
        """Let the bot's standard input end."""
        if self._process.stdin:
            with suppress(KeyError):
                self._poll.unregister(self._stdin)
            self._process.stdin.close()

    def exits_within(self, patience_ms: int) -> bool:
        """Wait for the process to exit by itself; tell whether it did."""
        await_exit(self._process, self._exit_watch, patience_ms)
        self._drain_stderr()
        return describe_exit(self._process, wrapped=self._wrapped) is not None

    def end(self, farewell: str = "") -> None:
        """Say goodbye, wait for the grace period, then kill everything that is left; once."""
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
        # what left the session is not reached by this; the sweep of orphans ends it
        self._process.kill_session()
        self._process.wait()
        self._drain_stderr()
        if self._process.stderr:
            self._process.stderr.close()
        if self._exit_watch is not None:
            os.close(self._exit_watch)
        self.meter.close()

    def clean_up(self) -> None:
        """Remove the scratch folder; to be called when what the bot left running is gone too."""
        self._leased.close()

    def _wait(self, deadline: int | None) -> int:
        """Wait for anything to happen, once, and take in what came; return when that was.

        The bot is looked at only while it has not answered.
        """
        now, meter = time.monotonic_ns(), self.meter
        patience = meter.next_look - now
        if deadline is not None:
            left = deadline + meter.given_back_ns - now
            if left <= 0:
                left = self._find_time_left(now, deadline)
            if left < patience:
                patience = left
        # rounded up: poll(0) would spin
        timeout = min(_TICK_MS, -(-patience // _MS)) if patience > 0 else 1
        events, asked = self._poll.poll(timeout), now
        now = time.monotonic_ns()
        slept, longest = now - asked, timeout * _MS
        self._is_quick = slept < _AT_ONCE_NS
        meter.heartbeat.slept_ns += slept if slept < longest else longest  # noqa: FURB136
        for descriptor, event in events:
            if descriptor == self._stdout:
                if self._receive() is None:
                    raise self._crash_fault("closed its standard output")
            elif descriptor == self._stderr_fd:
                self._drain_stderr()
            elif descriptor == self._exit_watch:
                # What it has still written is taken; without an answer in it, it has crashed. Its
                # pipes may be held open by a child, so the end of the stream is not waited for.
                self._poll.unregister(descriptor)  # readable from now on, as an ended stream is
                self._has_exited = True
                while self._receive():
                    pass
                if b"\n" not in self._buffer:
                    raise self._crash_fault("exited")
            elif descriptor in pause_lines:
                self._stand_still()
                now = time.monotonic_ns()  # what was given back is part of the time until then
            elif descriptor == self._stdin and event & ~select.POLLOUT:
                self._poll.unregister(descriptor)  # it stays closed, and would end every wait
                self._check_input_was_read()
            elif descriptor in lifelines:
                raise RunnerGone("the runner is gone")
        if b"\n" not in self._buffer:
            self.look_if_due(now)
        return now

    def _stand_still(self) -> None:
        """Let both bots and their clocks stand still until the games of this process go on."""
        with self.meter.standstill():
            wait_for_end_of_pause()

    def _check_input_was_read(self) -> None:
        """Raise a fault if the bot has closed its input before it read all, and has not answered.

        A bot that has read all may close it, and still answers.
        """
        if _count_unread(self._stdin):
            while self._receive():
                pass
            if b"\n" not in self._buffer:
                raise self._crash_fault("closed its standard input")

    def _find_time_left(self, now: int, deadline: int) -> int:
        """Return the nanoseconds that the bot still has, because others took the processor."""
        # only now is it worth the time to find out
        self.meter.give_back(now)
        self.meter.find_gap(now)
        left = deadline + self.meter.given_back_ns - now
        if left > 0:
            return left
        if not self.meter.is_undecided(-left):
            raise self._timeout_fault(now)
        return _SOON_NS

    def _timeout_fault(self, now: int) -> BotFault:
        self.meter.timed_out(now)
        return BotFault("timeout", "did not answer in time")

    def _receive(self) -> int | None:
        """Read what is there into the buffer; return how much, None at the end of the stream."""
        chunk = self._read_chunk()
        if chunk is None:
            return 0
        self._buffer += chunk
        return len(chunk) or None

    def _read_chunk(self) -> bytes | None:
        """Read what is there; None if that is nothing yet, empty at the end of the stream."""
        try:
            chunk = os.read(self._stdout, _CHUNK)
        except BlockingIOError:
            return None
        self.bytes_out += len(chunk)
        if self.bytes_out > self._output:
            raise BotFault("output-limit", f"wrote over {self._output} bytes in one game")
        return chunk

    def _drain_stderr(self) -> None:
        """Read what is there; a bot may write as much as it likes."""
        if self._process.stderr is None or self._process.stderr.closed:
            return
        try:
            chunk = os.read(self._stderr_fd, _CHUNK)
        except OSError:  # nothing there yet, or closed meanwhile
            return
        if not chunk:
            # at its end it stays readable for ever, and every poll would return at once
            with suppress(KeyError):
                self._poll.unregister(self._stderr_fd)
        self._stderr.add(chunk)

    def _crash_fault(self, what: str) -> BotFault:
        """Make the fault for a bot whose pipe has ended: how it exited, if it did."""
        self.meter.wake()
        await_exit(self._process, self._exit_watch, self._limits.end_ms)
        self._drain_stderr()
        fault = self.meter.fault()
        if fault:
            return fault
        how = describe_exit(self._process, wrapped=self._wrapped)
        return BotFault("crash", how or what)


def _count_unread(pipe: int) -> int:
    """Return the bytes in a pipe that nobody has read; 0 where the system does not say."""
    import fcntl  # not on every system
    import termios

    unread = array("i", [0])
    with suppress(OSError):
        fcntl.ioctl(pipe, termios.FIONREAD, unread)
    return unread[0]
