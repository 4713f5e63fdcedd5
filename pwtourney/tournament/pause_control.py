"""Pause and continue a run: by Ctrl-Z (SIGTSTP) and ``fg``, or by a file in its results folder.

While a run is paused its bots are stopped, the clocks of its games and of its budget stop, and no
game begins. A run that Ctrl-Z pauses also stops its own process, as its shell expects.
"""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Literal, Self

from pwtourney.process.pause_switch import PauseSwitch
from pwtourney.signals import CONTINUING, STOPPING, SignalRecord, hold_timer
from pwtourney.store import ResultsFolder
from pwtourney.tournament.events import Continued, Event, Paused

__all__ = ["PauseControl"]

_LOOK_SECONDS = 0.5
"""Seconds between two checks of the results folder for a pause request."""

_WAIT_MS = 200
"""Milliseconds between two checks for the end of a pause."""


class PauseControl:
    """Pauses a run while a pause is requested; call `attend` regularly.

    `line` is the descriptor that workers watch, see `PauseSwitch`. `tell` is called with each
    `Paused` and `Continued`. A pause ends when `stopping` is true. As a context manager it handles
    the signals, unless SIGTSTP is ignored, and removes the pause request at the end.
    """

    def __init__(
        self,
        folder: ResultsFolder,
        tell: Callable[[Event], None],
        stopping: Callable[[], bool],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._tell = tell
        self._stopping = stopping
        self._now = now
        self._switch = PauseSwitch()
        self._next_look = 0.0
        self._paused_seconds = 0.0
        self._signals = SignalRecord((*STOPPING, *CONTINUING))
        self._last = ExitStack()

    @property
    def line(self) -> int:
        """The descriptor that is readable while games are paused."""
        return self._switch.line

    def now(self) -> float:
        """Return the seconds of the clock without those of pauses."""
        return self._now() - self._paused_seconds

    def attend(self) -> None:
        """Return at once, or, if a pause is requested, when it is over."""
        if self._take_stop_request():
            self._stop()
        if self._now() < self._next_look:
            return
        self._next_look = self._now() + _LOOK_SECONDS
        if self._folder.is_pause_asked() and not self._stopping():
            self._pause()

    def __enter__(self) -> Self:
        self._last.enter_context(self._signals)
        self._last.callback(self._switch.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._last.close()
        with suppress(OSError):
            self._folder.pause_request.unlink()

    def _take_stop_request(self) -> bool:
        """Return True if Ctrl-Z was pressed and the run was not continued since."""
        came = self._signals.read()
        return bool(came) and came[-1] in STOPPING

    def _stop(self) -> None:
        """Pause, and stop this process until it is continued."""
        began = self._begin("Ctrl-Z")
        with hold_timer():
            os.kill(os.getpid(), signal.SIGSTOP)
        self._end(began)

    def _pause(self) -> None:
        """Pause while the request file exists and the run is not asked to end."""
        began = self._begin("pwtourney pause")
        watch = select.poll()
        watch.register(self._signals.descriptor, select.POLLIN)
        while self._folder.is_pause_asked() and not self._stopping():
            watch.poll(_WAIT_MS)
            if self._take_stop_request():
                os.kill(os.getpid(), signal.SIGSTOP)
        self._end(began)

    def _begin(self, by: Literal["Ctrl-Z", "pwtourney pause"]) -> float:
        began = self._now()
        self._switch.turn_on()
        self._tell(Paused(by))
        return began

    def _end(self, began: float) -> None:
        seconds = self._now() - began
        self._paused_seconds += seconds
        self._switch.turn_off()
        self._tell(Continued(seconds))
