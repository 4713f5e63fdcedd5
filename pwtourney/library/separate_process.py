"""Run a function of ours in a separate process, so that the caller's process is not changed.

`Apart` is the caller's end; `main` and `Channel` are the other one. That process has no other
purpose, so it may change signal handlers, children and standard output. Messages are pickled pairs
of a kind and a value: ``event``, ``info`` and ``warning`` during the call, and finally one of
``result``, ``error`` and ``stopped``.
"""

import gc
import json
import logging
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, Generic, Self, TypeVar

from pwtourney.errors import PwtourneyError
from pwtourney.sanitize import sanitize
from pwtourney.signals import SoftStop, handle, ignore, raise_interrupts, take_own
from pwtourney.streams import open_missing, take_over

__all__ = ["Apart", "Channel", "call_apart", "main"]

_T = TypeVar("_T")
_log = logging.getLogger("pwtourney")

_STOP, _LEAVE = b"s", b"l"
"""The commands: stop gracefully, or stop at once. The end of the input also stops at once."""

_GRACE_SECONDS = 10.0
"""Seconds that running pairs may take to end when a run is asked to stop."""

# the caller's path replaces the process's own, so that it finds the same modules
_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from pwtourney.library.separate_process import main; main()"
)
_DIED = "the process that plays has died (exit code {}); results are kept: call again to continue"
_STOPPED = "stopped before anything was played"
_LEFT = "the run was left before its end; what was played is kept: call again to continue"


class Apart(Generic[_T]):
    """A call of `function(channel, *arguments)` in another process; it yields events and a result.

    It does not use `multiprocessing`, whose processes import the caller's main module again and
    leave a helper process behind. The process has a session of its own, so Ctrl-C reaches only the
    caller, which closes this; and it ends by itself when the caller is gone. Its messages go to the
    logger ``pwtourney``. Close it, or use it as a context manager.
    """

    def __init__(self, function: Callable[..., _T], *arguments: Any) -> None:
        self._events = self._read_messages()
        self._answer: tuple[str, Any] | None = None
        self._is_stopped = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BEGIN, json.dumps([str(path) for path in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None, "it was asked for"
        assert self._process.stdout is not None, "it was asked for"
        self._commands, self._messages = self._process.stdin, self._process.stdout
        try:  # pickled first, or half a call could be written before pickling fails
            call = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        except BaseException:
            self.close()
            raise
        self._say(call)

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def result(self) -> _T:
        """Return the function's result, or raise its exception; remaining events are dropped."""
        for _ in self._events:
            pass
        was_left = self._messages.closed
        kind: str
        value: Any
        kind, value = self._answer or ("died", None)
        if kind == "result":
            return value  # type: ignore[no-any-return]
        if kind == "error":
            raise value
        self.close()
        died = _LEFT if was_left else _DIED.format(self._process.returncode)
        raise PwtourneyError(_STOPPED if kind == "stopped" else died)

    def ask_to_stop(self) -> None:
        """Let running pairs end, and begin nothing more; what was played is the result.

        Further calls have no effect: a second request would mean to stop at once.
        """
        if not self._is_stopped:
            self._is_stopped = True
            self._say(_STOP)

    def close(self) -> None:
        """End the process, at once if it is not done, and wait until it and its bots are gone."""
        self._say(_LEAVE)  # a fork of the caller may keep the stream open, so it may not end
        with suppress(OSError):
            self._commands.close()
        with suppress(OSError, ValueError):
            while self._messages.read(1 << 16):  # it may be blocked on writing
                pass
            self._messages.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, what: bytes) -> None:
        with suppress(OSError, ValueError):  # it has ended already, and `result` reports how
            self._commands.write(what)
            self._commands.flush()

    def _read_messages(self) -> Iterator[Any]:
        while self._answer is None:
            try:
                kind, value = pickle.load(self._messages)
            # it was killed, perhaps in the middle of a message, or the caller has closed the stream
            except (EOFError, ValueError, pickle.UnpicklingError):
                return
            if kind == "event":
                yield value
            elif kind in ("info", "warning"):
                _log.log(logging.getLevelNamesMapping()[kind.upper()], value)
            else:
                self._answer = (kind, value)


def call_apart(function: Callable[..., _T], *arguments: Any) -> _T:
    """Call a function in a process of its own, and return its result."""
    with Apart(function, *arguments) as call:
        return call.result()


class Channel:
    """The connection to the caller; `stop` is set when the caller requests it, at any time.

    A thread writes the messages: the playing thread may be interrupted at any moment, which would
    leave half a message behind.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.stop = SoftStop(_GRACE_SECONDS, lambda: None)  # the caller that asked knows
        self._messages: SimpleQueue[tuple[str, object] | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, args=(file,), daemon=True)
        self._writer.start()

    def _write(self, file: BinaryIO) -> None:
        with suppress(OSError):  # the caller is gone, which `_listen` notices
            while message := self._messages.get():
                pickle.dump(message, file, pickle.HIGHEST_PROTOCOL)
                file.flush()

    def close(self) -> None:
        """Wait until everything is sent."""
        self._messages.put(None)
        self._writer.join()

    def send(self, kind: str, value: object) -> None:
        """Send one message."""
        self._messages.put((kind, value))

    def event(self, event: object) -> None:
        """Send an event."""
        self.send("event", event)

    def tell(self, line: str) -> None:
        """Send a line about progress."""
        self.send("info", sanitize(line))

    def warn(self, line: str) -> None:
        """Send a warning."""
        self.send("warning", sanitize(line))


def main() -> None:
    """Call the function that is pickled on standard input, and send its result."""
    open_missing()  # standard error is the caller's
    commands, messages = take_over(0, "rb"), take_over(1, "wb")
    channel = Channel(messages)

    def ask(*_: object) -> None:
        channel.stop.is_requested = True

    # Signals that the caller blocks are unblocked here, and the two that `_listen` sends are
    # handled even if the caller ignores them. SIGINT requests a graceful stop, also before the
    # first pair and after the last one, and SIGQUIT stops at once.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    take_own()
    raise_interrupts(even_ignored=(signal.SIGQUIT,))
    handle((signal.SIGINT,), ask, even_ignored=True)
    try:
        function, arguments = pickle.load(commands)
    except (EOFError, pickle.UnpicklingError):  # the caller left before it had sent a call
        return
    gc.freeze()  # most of the package is imported now and stays: collections need not scan it
    over = threading.Event()
    # the caller may leave at any moment, also during an `except` below
    with suppress(KeyboardInterrupt):
        try:
            threading.Thread(target=_listen, args=(commands, over), daemon=True).start()
            answer = ("result", function(channel, *arguments))
        except KeyboardInterrupt:
            answer = ("stopped", None)
        except Exception as error:
            answer = ("error", _make_portable(error))
        # from now on the end of the input is ignored: only the answer is left to be sent
        ignore((signal.SIGQUIT,))
        over.set()
        channel.send(*answer)
        channel.close()


def _make_portable(error: Exception) -> Exception:
    """Return an exception that can be pickled, with its traceback as a note."""
    where = "".join(traceback.format_exception(error))
    try:  # both ways: many exceptions can be pickled but not unpickled
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"in the process that played:\n{where}")
    return error


def _listen(commands: BinaryIO, over: threading.Event) -> None:
    """Wait for commands of the caller, and interrupt the thread that plays."""
    player = threading.main_thread().ident
    assert player is not None, "it runs"
    while commands.read(1) == _STOP:
        signal.pthread_kill(player, signal.SIGINT)
    if not over.is_set():
        signal.pthread_kill(player, signal.SIGQUIT)  # `SoftStop` takes SIGINT for a request
