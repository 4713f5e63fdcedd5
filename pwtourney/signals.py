"""Signal handling of all our processes. No other module installs handlers for such signals.

A signal that is ignored when a process starts stays ignored, so `nohup`, a shell that starts
something in the background, or a supervisor keep us running. All other signals that end a program
end it by unwinding, because there are bots to end and files to close.

A handler can run between any two steps of the main thread. `hold_signals` postpones all handlers
for a few steps that belong together.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Self

__all__ = [
    "CONTINUING",
    "ENDING",
    "SHELLS_OFFSET",
    "STOPPING",
    "Handler",
    "SignalRecord",
    "SoftStop",
    "end_at_once",
    "handle",
    "hold_signals",
    "hold_timer",
    "ignore",
    "is_ignored",
    "let_through",
    "raise_interrupts",
    "take_own",
    "temporary_handler",
]

Handler = Callable[[int], None]
"""A function that is called with a signal's number, in the main thread."""


def _find_signals(*names: str) -> tuple[int, ...]:
    """Return the signals of these names that exist; Windows has few of them."""
    return tuple(int(getattr(signal, name)) for name in names if hasattr(signal, name))


ENDING = _find_signals("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
"""The signals with which a person, a terminal or the system ends a program."""

_ASKING = _find_signals("SIGINT", "SIGTERM", "SIGHUP")
"""Those of them that ask for it; SIGQUIT orders it."""

STOPPING = _find_signals("SIGTSTP")
"""The signal that a terminal sends for Ctrl-Z."""

CONTINUING = _find_signals("SIGCONT")
"""The signal that a shell sends for ``fg``; the process continues even without a handler."""

_OWN = _find_signals("SIGCHLD", "SIGALRM")
"""Signals that this process causes itself, through its children and its timer."""

_HANGUPS = _find_signals("SIGHUP")
"""The signal that a terminal sends when it is closed; after that no key can ask for anything."""

_TERMINATIONS = _find_signals("SIGTERM")

_SAME_REQUEST_SECONDS = 1
"""Programs that stop others, such as ``timeout``, send SIGTERM to a process and to its group."""

_FIRST_PROCESS = 1

SHELLS_OFFSET = 128
"""The number that shells and bubblewrap add to a signal's number to make an exit code."""


class _Hold:
    """The depth of nested `hold_signals` blocks, and the signals that came meanwhile."""

    def __init__(self) -> None:
        self.depth = 0
        self.waiting: dict[int, None] = {}


_hold = _Hold()


def is_ignored(number: int) -> bool:
    """Return True if a signal is ignored, usually since this process was started."""
    return signal.getsignal(number) is signal.SIG_IGN


def handle(numbers: Iterable[int], handler: Handler, *, even_ignored: bool = False) -> None:
    """Call `handler` for these signals from now on, except those that are ignored.

    With `even_ignored` for all of them. That is for signals that our processes send each other,
    which mean nothing to the process that started us.
    """
    for number in numbers:
        if even_ignored or not is_ignored(number):
            signal.signal(number, _make_postponable(handler))


@contextmanager
def temporary_handler(
    numbers: Iterable[int], handler: Handler, *, even_ignored: bool = False
) -> Iterator[None]:
    """Call `handler` for these signals in a block, as `handle` does; restore the old handlers."""
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        handle(before, handler, even_ignored=even_ignored)
        yield
    finally:
        for number, earlier in before.items():
            # None means a handler that was not installed from Python and cannot be restored.
            if earlier is not None:
                signal.signal(number, earlier)


def ignore(numbers: Iterable[int]) -> None:
    """Ignore these signals from now on."""
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def end_at_once() -> None:
    """Let the signals that end a program end this one without unwinding.

    This is for the time when there is nothing to clean up: while the program is loaded, and when it
    is done. `KeyboardInterrupt` would then end in tracebacks, because libraries that are being
    imported turn it into other exceptions.
    """
    for number in ENDING:
        if not is_ignored(number):
            signal.signal(number, signal.SIG_DFL)
    # The kernel drops signals that would by default end the first process of a container (see
    # pid_namespaces(7)), so only a handler ends it.
    if os.getpid() == _FIRST_PROCESS:
        handle(ENDING, lambda number: os._exit(SHELLS_OFFSET + number))


def raise_interrupts(even_ignored: Collection[int] = ()) -> None:
    """Raise `KeyboardInterrupt` for each signal that ends a program, as Ctrl-C does.

    Ignored signals stay ignored, except `even_ignored`.
    """
    handle(ENDING, _interrupt)
    handle(even_ignored, _interrupt, even_ignored=True)


def take_own() -> None:
    """Restore the signals of this process's children and timers, whatever it inherited.

    With SIGCHLD ignored, the kernel reaps children itself, and their exit status is lost.
    """
    for number in _OWN:
        if is_ignored(number):
            signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _OWN)


@contextmanager
def hold_signals() -> Iterator[None]:
    """Hold back the signals that end a program, and all handlers of this module, for a block.

    They are delivered when it ends. A process that is started in the block blocks the signals that
    end a program until it unblocks them (`let_through`), so that none ends it with a traceback
    while it is still importing what it runs.
    """
    with ExitStack() as last:
        if threading.current_thread() is threading.main_thread():
            last.enter_context(_postpone_handlers())
        last.enter_context(_block_signals(ENDING))
        yield


def let_through() -> None:
    """Unblock what this process blocks because it was started in a `hold_signals` block."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


@contextmanager
def hold_timer() -> Iterator[None]:
    """Let the time of a `SoftStop` stand still for a block, in which this process may be stopped.

    A timer of the kernel runs on while its process is stopped, and its signal comes at once when
    the process continues.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        if left:
            signal.setitimer(signal.ITIMER_REAL, left)


@contextmanager
def _postpone_handlers() -> Iterator[None]:
    """Postpone handlers: the kernel gives a signal that we block to a thread that does not."""
    _hold.depth += 1
    try:
        yield
    finally:
        _hold.depth -= 1
        if not _hold.depth:
            waiting = [*_hold.waiting]
            _hold.waiting.clear()  # the first may raise, and then the others are not needed
            for number in waiting:
                signal.raise_signal(number)


@contextmanager
def _block_signals(numbers: Collection[int]) -> Iterator[None]:
    """Block signals for this thread, and for processes that it starts meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _make_postponable(handler: Handler) -> Callable[[int, object], None]:
    """Return a handler with Python's signature that waits for the end of `hold_signals` blocks."""

    def take(number: int, _: object) -> None:
        if _hold.depth:
            _hold.waiting[number] = None
        else:
            handler(number)

    return take


def _interrupt(_: int) -> None:
    raise KeyboardInterrupt


class SignalRecord:
    """Records signals in a ``with`` block in the order of their arrival, without acting on them.

    Handlers alone would lose that order, because Python calls those of several signals by number. A
    signal that is ignored is not recorded. `descriptor` is readable when there is something new.
    """

    def __init__(self, numbers: Collection[int]) -> None:
        self._numbers = numbers
        self.descriptor, self._write = os.pipe()
        self._last = ExitStack()

    def __enter__(self) -> Self:
        for descriptor in (self.descriptor, self._write):
            os.set_blocking(descriptor, False)
            self._last.callback(os.close, descriptor)
        before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self._last.callback(signal.set_wakeup_fd, before)
        for number in self._numbers:
            if not is_ignored(number):
                # Not postponed, because that would raise the signal again, and record it twice.
                self._last.callback(signal.signal, number, signal.getsignal(number))
                signal.signal(number, _take_notice)
        return self

    def __exit__(self, *_: object) -> None:
        self._last.close()

    def read(self) -> list[int]:
        """Return the numbers of the signals that came since the last call."""
        try:
            came = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return []
        return [number for number in came if number in self._numbers]


def _take_notice(_: int, __: object) -> None:
    """Do nothing: the wakeup descriptor records the signal."""


class SoftStop:
    """The first request asks for a graceful stop; the second raises `KeyboardInterrupt`.

    After the first, `asked` is True, `tell` is called, and running pairs may end within `grace`
    seconds. After that, or with a second request, `KeyboardInterrupt` is raised. Requests are
    signals that come in a ``with`` block, and calls of `ask`.

    One event may send several signals, to a process and to its group. So a second SIGHUP is never
    another request, and a second SIGTERM only if it comes more than a second later, measured by
    `now`.
    """

    def __init__(
        self, grace: float, tell: Callable[[], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._grace = grace
        self._tell = tell
        self._now = now
        self._asked_at = 0.0
        self._last = ExitStack()
        self.is_requested = False

    def __enter__(self) -> Self:
        self._last.enter_context(temporary_handler(_ASKING, self._request))
        if hasattr(signal, "setitimer"):
            alarm = (signal.SIGALRM,)
            self._last.enter_context(temporary_handler(alarm, self._request, even_ignored=True))
            self._last.callback(signal.setitimer, signal.ITIMER_REAL, 0)
        return self

    def __exit__(self, *_: object) -> None:
        self._last.close()

    def ask(self) -> None:
        """Ask to stop, if that was not asked before."""
        if not self.is_requested:
            self._request()

    def _request(self, number: int = 0) -> None:
        if self.is_requested and self._is_same_request(number):
            return
        if self.is_requested or self._grace <= 0:
            self.is_requested = True
            # Also for the alarm below, when the grace time is over.
            raise KeyboardInterrupt
        self.is_requested = True
        self._asked_at = self._now()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, self._grace)
        self._tell()

    def _is_same_request(self, number: int) -> bool:
        """Return True if a signal belongs to the request that was made already."""
        is_soon = self._now() < self._asked_at + _SAME_REQUEST_SECONDS
        return number in _HANGUPS or (number in _TERMINATIONS and is_soon)
