"""Being asked to stop, in whatever way: everything is put away first.

For the process that plays, in its main thread: signals are its own.
"""

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

__all__ = ["SoftStop", "stop_as_by_interrupt"]

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


def stop_as_by_interrupt() -> None:
    """Let the signals that end a program raise `KeyboardInterrupt`, as Ctrl-C does."""
    for name in (*_NAMES[1:], "SIGQUIT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)


class SoftStop:
    """Takes the first request to stop for a wish, and the second for an order.

    After the first `asked` is true, `tell` is called, and what is under way may end within
    `grace` seconds; after that, or with a second request, `KeyboardInterrupt` is raised. The
    program itself may ask, too.
    """

    def __init__(self, grace: float, tell: Callable[[], None]) -> None:
        self._grace = grace
        self._tell = tell
        self._before: dict[int, Any] = {}
        self.asked = False

    def __enter__(self) -> Self:
        for name in (*_NAMES, "SIGALRM"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def ask(self) -> None:
        """Ask to stop, if nobody has asked before."""
        if not self.asked:
            self._request()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._request()

    def _request(self) -> None:
        if self.asked or self._grace <= 0:
            self.asked = True
            raise KeyboardInterrupt
        self.asked = True
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, self._grace)
        self._tell()
