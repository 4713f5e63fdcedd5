"""A function of ours in a process of its own, so that the caller's stays as it is."""

import json
import logging
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Generic, Self, TypeVar

from pwtourney.errors import PwtourneyError
from pwtourney.library.inside import LEAVE, STOP

__all__ = ["Apart", "call_apart"]

_T = TypeVar("_T")
_log = logging.getLogger("pwtourney")
_BEGIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from pwtourney.library.inside import main; main()"
)
_DIED = "the process that plays has died (exit code {}); results are kept: call again to continue"
_STOPPED = "stopped before anything was played"


class Apart(Generic[_T]):
    """A call of `function(channel, *arguments)` elsewhere: it yields events, and has a result.

    The process is no `multiprocessing` one: those import the caller's main module again, and leave
    a helper behind. It has a session of its own, so Ctrl-C reaches the caller alone, who closes
    this; and it ends by itself when the caller is gone. What it tells goes to the logger
    ``pwtourney``. Close it, or use it as a context manager.
    """

    def __init__(self, function: Callable[..., _T], *arguments: Any) -> None:
        self._events = self._received()
        self._answer: tuple[str, Any] | None = None
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BEGIN, json.dumps([str(each) for each in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None, "it was asked for"
        assert self._process.stdout is not None, "it was asked for"
        self._commands, self._messages = self._process.stdin, self._process.stdout
        try:
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
        kind: str
        value: Any
        kind, value = self._answer or ("died", None)
        if kind == "result":
            return value  # type: ignore[no-any-return]
        if kind == "error":
            raise value
        self.close()
        died = _DIED.format(self._process.returncode)
        raise PwtourneyError(_STOPPED if kind == "stopped" else died)

    def ask_to_stop(self) -> None:
        """Let what is under way end, and begin nothing more; what was played is the result."""
        self._say(STOP)

    def close(self) -> None:
        """End the process, at once if it is not done, and wait until it and its bots are gone."""
        self._say(LEAVE)  # the end of the stream may not come: a fork of the caller has it, too
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

    def _received(self) -> Iterator[Any]:
        while self._answer is None:
            try:
                kind, value = pickle.load(self._messages)
            except (EOFError, pickle.UnpicklingError):  # it was killed, perhaps in mid-message
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
