"""The standard streams of our processes, as their parent left them.

A stream may be closed, lead to a pipe without a reader, to a closed terminal or to a full disk, or
be non-blocking. Messages (standard error) never end a program, even if they cannot be written.
Requested output (standard output) is different: without a reader there is nothing left to do, and
if it cannot be written the program fails, as it does for a full disk. A command that also stores
something, or answers with its exit code, continues without it (`make_output_optional`).
"""

import errno
import io
import os
import select
import sys
from typing import Any, TextIO

__all__ = [
    "OutputUnread",
    "make_output_optional",
    "open_missing",
    "require_output",
    "set_up",
    "take_over",
]

_INPUT, _OUTPUT, _ERRORS = range(3)

_UNREAD = (errno.EPIPE, errno.EIO)
"""The errors if the reader is gone: the other end of a pipe, or a terminal."""

_CLOSED = "standard output is closed; if you do not need it, redirect it to /dev/null"


class OutputUnread(Exception):
    """The reader of our standard output is gone.

    It is not an `OSError`, because libraries that print for us would handle that in their own ways.
    """


def open_missing() -> None:
    """Open the standard streams that are closed, on the null device.

    Call it before anything else is opened: a database that gets number 2 would be overwritten by
    messages. Processes that are started later inherit the streams.
    """
    for number in (_INPUT, _OUTPUT, _ERRORS):
        try:
            os.fstat(number)
        except OSError:
            # It gets the lowest free number, which is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # noqa: FBT003


def take_over(number: int, mode: str) -> Any:
    """Return a copy of a standard stream, and replace the original by /dev/null.

    Other code, and processes that are started later, then neither read requests from it nor write
    into answers. `mode` is that of `open`; text is UTF-8.
    """
    stream: Any = os.fdopen(os.dup(number), mode, encoding=None if "b" in mode else "utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, number)
    os.close(nothing)
    return stream


def set_up() -> None:
    """Replace `sys.stdin`, `sys.stdout` and `sys.stderr` by streams that behave as described."""
    open_missing()
    if sys.stdin is None:
        sys.stdin = open(_INPUT, encoding="utf-8", closefd=False)  # noqa: SIM115 - to the end
    sys.stdout = _rebuild(sys.stdout, _OUTPUT)
    sys.stderr = _rebuild(sys.stderr, _ERRORS)
    if messages := _find_raw(sys.stderr):
        messages.survives = frozenset(errno.errorcode)


def make_output_optional() -> None:
    """Discard what is printed if standard output is closed or has no reader."""
    if output := _find_raw(sys.stdout):
        output.survives = frozenset({errno.EBADF, *_UNREAD})


def require_output() -> None:
    """Raise `OSError` if standard output is closed; call it before work that is only printed."""
    if output := _find_raw(sys.stdout):
        output.check()


class _Output(io.FileIO):
    """A standard stream for output; the errors in `survives` only discard what is written.

    It is not buffered: a signal handler may print, which a buffer refuses while it is being
    flushed, and what is left in a buffer after an error would be tried again when Python exits.
    """

    def __init__(self, descriptor: int, *, is_closed: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.survives: frozenset[int] = frozenset()
        self._is_closed = is_closed
        self._is_lost = False

    def check(self) -> None:
        """Raise `OSError` if the stream was closed when this process was started."""
        if self._is_closed:
            raise OSError(errno.EBADF, _CLOSED)

    def write(self, data: Any) -> int:
        """Write all data; raises `OutputUnread` without a reader, `OSError` for other errors."""
        if not self._is_lost:
            try:
                self.check()
                self._write_all(memoryview(data).cast("B"))
            except OSError as error:
                if error.errno not in self.survives:
                    if error.errno in _UNREAD:
                        raise OutputUnread from error
                    if self._is_closed:
                        raise
                    raise OSError(error.errno, f"standard output: {error.strerror}") from error
                self._is_lost = True
        return len(data)

    def _write_all(self, rest: memoryview) -> None:
        while rest:
            # None if it would block: another process that shares the stream may have set that.
            written: int | None = super().write(rest)
            if written is None:
                select.select((), (self.fileno(),), ())
            rest = rest[written or 0 :]


def _rebuild(stream: TextIO | None, number: int) -> TextIO:
    """Return our stream in place of Python's; keep one that others have replaced, as in tests."""
    if stream is None:
        # The number is taken if something was opened before `open_missing`.
        with open(os.devnull, "wb") as nothing:
            is_free = os.path.sameopenfile(nothing.fileno(), number)
        descriptor = number if is_free else os.open(os.devnull, os.O_WRONLY)
        return _wrap(_Output(descriptor, is_closed=True), "utf-8")
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="replace")  # a table is worth more than its dashes
    try:
        is_standard = stream.fileno() == number
    except OSError:  # it has no descriptor
        is_standard = False
    if not is_standard or isinstance(stream.buffer, _Output):
        return stream
    stream.flush()
    return _wrap(_Output(number, is_closed=False), stream.encoding)


def _wrap(output: "_Output", encoding: str) -> TextIO:
    return io.TextIOWrapper(output, encoding=encoding, errors="replace", write_through=True)


def _find_raw(stream: TextIO | None) -> "_Output | None":
    buffer = getattr(stream, "buffer", None)
    return buffer if isinstance(buffer, _Output) else None
