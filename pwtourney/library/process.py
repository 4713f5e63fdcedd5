"""A function of ours in a process of its own, so that the caller's stays as it is.

`Apart` is the caller's end, `main` and `Channel` are the other one. Nobody else lives there, so it
may take signals, children and standard output for its own. Messages are pickled pairs of a kind and
a value: ``event``, ``info`` and ``warning`` while it goes on, and last one of ``result``, ``error``
and ``stopped``.
"""

import gc
import json
import logging
import os
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
from pwtourney.streams import open_missing

__all__ = ["Apart", "Channel", "call_apart", "main"]

_T = TypeVar("_T")
_log = logging.getLogger("pwtourney")

_STOP, _LEAVE = b"s", b"l"
"""Asks to stop gently, and orders to stop at once. So does the end of the input: nobody waits."""

_GRACE_SECONDS = 10.0
"""How long pairs under way may take to end when a run is asked to stop."""

# the caller's path in place of the process's own: there it finds the same modules
_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from pwtourney.library.process import main; main()"
)
_DIED = "the process that plays has died (exit code {}); results are kept: call again to continue"
_STOPPED = "stopped before anything was played"
_LEFT = "the run was left before its end; what was played is kept: call again to continue"


class Apart(Generic[_T]):
    """A call of `function(channel, *arguments)` elsewhere: it yields events, and has a result.

    The process is no `multiprocessing` one: those import the caller's main module again, and leave
    a helper behind. It has a session of its own, so Ctrl-C reaches the caller alone, who closes
    this; and it ends by itself when the caller is gone. What it tells goes to the logger
    ``pwtourney``. Close it, or use it as a context manager.
    """

    def __init__(self, function: Callable[..., _T], *arguments: Any) -> None:
        self._events = self._read_messages()
        self._answer: tuple[str, Any] | None = None
        self._asked = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BEGIN, json.dumps([str(path) for path in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None, "it was asked for"
        assert self._process.stdout is not None, "it was asked for"
        self._commands, self._messages = self._process.stdin, self._process.stdout
        try:  # on its own, or half a call could be written before it turns out to have no pickle
            call = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        except BaseException:
            self.close()
            raise
        self._say(call)

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def result(self) -> _T:
        """Return what the function returned, or raise what it raised; events are passed over."""
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
        """Let what is under way end, and begin nothing more; what was played is the result.

        To ask again changes nothing: a second wish would be taken for impatience.
        """
        if not self._asked:
            self._asked = True
            self._say(_STOP)

    def close(self) -> None:
        """End the process, at once if it is not done, and wait until it and its bots are gone."""
        self._say(_LEAVE)  # the end of the stream may not come: a fork of the caller has it, too
        with suppress(OSError):
            self._commands.close()
        with suppress(OSError, ValueError):
            while self._messages.read(1 << 16):  # it may be waiting to be heard
                pass
            self._messages.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _say(self, what: bytes) -> None:
        with suppress(OSError, ValueError):  # it has ended already, and `result` knows how
            self._commands.write(what)
            self._commands.flush()

    def _read_messages(self) -> Iterator[Any]:
        while self._answer is None:
            try:
                kind, value = pickle.load(self._messages)
            # it was killed, perhaps in mid-message; or the caller has closed the stream
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
    """The way to the caller; `stop` is asked when the caller wishes it, at whatever time.

    A thread writes: an interrupt, which the one that plays may get at any moment, would leave half
    a message behind.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.stop = SoftStop(_GRACE_SECONDS, lambda: None)  # who asked knows of it
        self._messages: SimpleQueue[tuple[str, object] | None] = SimpleQueue()
        self._writer = threading.Thread(target=self._write, args=(file,), daemon=True)
        self._writer.start()

    def _write(self, file: BinaryIO) -> None:
        with suppress(OSError):  # the caller is gone, and `_listen` knows
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
        """Send what happened."""
        self.send("event", event)

    def tell(self, line: str) -> None:
        """Send a line about what goes on."""
        self.send("info", sanitize(line))

    def warn(self, line: str) -> None:
        """Send what is lacking."""
        self.send("warning", sanitize(line))


def main() -> None:
    """Call the function that stands on standard input, and send what comes of it."""
    open_missing()  # standard error is the caller's
    commands, messages = _own_stream(0, os.O_RDONLY), _own_stream(1, os.O_WRONLY)
    channel = Channel(messages)

    def ask(*_: object) -> None:
        channel.stop.asked = True

    # What the caller blocks is let through here, and the two signals that `_listen` sends are
    # handled even if the caller ignores them: an interrupt is a wish to stop, also before the
    # first pair and after the last one, and SIGQUIT is an order.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    take_own()
    raise_interrupts(even_ignored=(signal.SIGQUIT,))
    handle((signal.SIGINT,), ask, even_ignored=True)
    try:
        function, arguments = pickle.load(commands)
    except (EOFError, pickle.UnpicklingError):  # the caller left before it had called anything
        return
    gc.freeze()  # this imported most of the package, which stays: no collection need look at it
    over = threading.Event()
    # the caller may leave at any moment, also in the midst of an `except` below
    with suppress(KeyboardInterrupt):
        try:
            threading.Thread(target=_listen, args=(commands, over), daemon=True).start()
            answer = ("result", function(channel, *arguments))
        except KeyboardInterrupt:
            answer = ("stopped", None)
        except Exception as error:
            answer = ("error", _make_portable(error))
        # from now on the end of the input is no order: what follows is only to be sent
        ignore((signal.SIGQUIT,))
        over.set()
        channel.send(*answer)
        channel.close()


def _make_portable(error: Exception) -> Exception:
    """Return an error that can be sent, with where it was raised as a note."""
    where = "".join(traceback.format_exception(error))
    try:  # both ways: many errors have a pickle that cannot be read
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"in the process that played:\n{where}")
    return error


def _own_stream(number: int, mode: int) -> BinaryIO:
    """Take a standard stream for ourselves: what is printed or read by others goes nowhere."""
    stream: Any = os.fdopen(os.dup(number), "rb" if mode == os.O_RDONLY else "wb")
    nothing = os.open(os.devnull, mode)
    os.dup2(nothing, number)
    os.close(nothing)
    return stream  # type: ignore[no-any-return]


def _listen(commands: BinaryIO, over: threading.Event) -> None:
    """Wait for what the caller has to say, and interrupt the thread that plays."""
    player = threading.main_thread().ident
    assert player is not None, "it runs"
    while commands.read(1) == _STOP:
        signal.pthread_kill(player, signal.SIGINT)
    if not over.is_set():
        signal.pthread_kill(player, signal.SIGQUIT)  # `SoftStop` takes the others for a wish
