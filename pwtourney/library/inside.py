"""The inside of a process that plays for a program: read one call, answer with messages.

Nobody else lives here, so it may take signals, children and standard output for its own. Messages
are pickled pairs of a kind and a value: ``event``, ``info`` and ``warning`` while it goes on, and
last one of ``result``, ``error`` and ``stopped``.
"""

import os
import pickle
import signal
import threading
import traceback
from contextlib import suppress
from queue import SimpleQueue
from types import FrameType
from typing import Any, BinaryIO

from pwtourney.sanitize import sanitize
from pwtourney.tournament.stopping import SoftStop, stop_as_by_interrupt

__all__ = ["LEAVE", "STOP", "Channel", "main"]

STOP, LEAVE = b"s", b"l"
"""Asks to stop gently, and orders to stop at once. So does the end of the input: nobody waits."""


_GRACE_SECONDS = 10.0
"""How long pairs under way may take to end when a run is asked to stop."""


class Channel:
    """The way to the caller; `stop` is asked when the caller wishes it, at whatever time.

    A thread writes: an interrupt, which the one that plays may get at any moment, would leave half
    a message behind.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.stop = SoftStop(_GRACE_SECONDS, _say_nothing)
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
    commands, messages = _own_stream(0, os.O_RDONLY), _own_stream(1, os.O_WRONLY)
    channel = Channel(messages)
    _take_signals(channel.stop)
    function, arguments = pickle.load(commands)
    over = threading.Event()
    threading.Thread(target=_listen, args=(commands, over), daemon=True).start()
    try:
        answer = ("result", function(channel, *arguments))
    except KeyboardInterrupt:
        answer = ("stopped", None)
    except Exception as error:
        answer = ("error", _portable(error))
    over.set()
    channel.send(*answer)
    channel.close()


def _take_signals(stop: SoftStop) -> None:
    """Have signals as any program has them, whatever the caller ignores or blocks.

    But an interrupt is a wish to stop, also before the first pair and after the last one.
    """

    def ask(_: int, __: FrameType | None) -> None:
        stop.asked = True

    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, ask)
    stop_as_by_interrupt()


def _say_nothing() -> None:
    """Whoever asked for a stop knows of it."""


def _own_stream(number: int, mode: int) -> BinaryIO:
    """Take a standard stream for ourselves: what is printed or read by others goes nowhere."""
    stream: Any = os.fdopen(os.dup(number), "rb" if mode == os.O_RDONLY else "wb")
    nothing = os.open(os.devnull, mode)
    os.dup2(nothing, number)
    os.close(nothing)
    return stream  # type: ignore[no-any-return]


def _listen(commands: BinaryIO, over: threading.Event) -> None:
    """Wait for what the caller has to say, and interrupt the thread that plays."""
    main = threading.main_thread().ident
    assert main is not None, "it runs"
    while commands.read(1) == STOP:
        signal.pthread_kill(main, signal.SIGINT)
    if not over.is_set():
        signal.pthread_kill(main, signal.SIGQUIT)  # `SoftStop` takes the others for a wish


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent, with a note of where it comes from."""
    where = "".join(traceback.format_exception(error))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"in the process that played:\n{where}")
    return error
