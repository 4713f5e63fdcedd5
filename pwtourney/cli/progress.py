"""What a run says while it goes on: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import click
from tqdm import tqdm

from pwtourney.inert import inert
from pwtourney.report.cells import span
from pwtourney.tournament import Event, FaultSeen, Leader, PairDone, Standing, Started

__all__ = ["Progress", "heartbeat", "standing_line"]

_SECONDS = 10.0
_MAX_FAULT_LINES = 20


def heartbeat(done: int, pairs: int, played: int, seconds: float) -> str:
    """Return one line of progress: pairs done, speed, and time left at that speed."""
    speed = played / seconds if seconds > 0 else 0.0
    left = f", {span((pairs - done) / speed)} left" if speed else ""
    return f"{done}/{pairs} pairs, {2 * speed:.1f} games/s{left}"


def standing_line(event: Standing) -> str:
    """Return one line about who leads, and what it takes to be sure."""
    leaders = ", ".join(f"{each.bot} {_rated(each)}" for each in event.leaders)
    if event.more is None:
        return leaders
    if event.more == 0:
        return f"{leaders}; {event.above} is above {event.below} at 95 %, at every look"
    return (
        f"{leaders}; to tell {event.above} from {event.below} at 95 % takes about {event.more} more"
        f" pairs, about {span(event.seconds)}"
    )


def _rated(leader: Leader) -> str:
    spread = "" if leader.plus_minus is None else f" ± {leader.plus_minus:.0f}"
    elo = "" if leader.elo is None else f"{leader.elo:+.0f}"
    return f"{leader.bound}{elo}{spread}"


class Progress:
    """Listens to a tournament; everything goes to standard error."""

    def __init__(self, quiet: bool, now: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._now = now
        self._bar: tqdm[Any] | None = None
        self._pairs = self._done = self._played = self._faults = 0
        self._started = self._spoke = now()
        self._told: set[str] = set()
        self._status = ""

    def __call__(self, event: Event) -> None:
        """Take notice of what happened; a tournament goes on if nobody listens any more."""
        if self._quiet:
            return
        try:
            self._notice(event)
        except OSError:
            self._quiet = True

    def _notice(self, event: Event) -> None:
        if isinstance(event, Started):
            self._start(event)
        elif isinstance(event, FaultSeen):
            self._tell(event)
        elif isinstance(event, PairDone):
            if event.note and event.note not in self._told:
                self._told.add(event.note)
                self._line(f"pair {event.pair}: {event.note}")
            self._status = event.status
            self._count()
        elif isinstance(event, Standing):
            self._line(standing_line(event))

    def say(self, text: str) -> None:
        """Say something beside what happens."""
        try:
            self._line(text)
        except OSError:
            self._quiet = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def _start(self, event: Started) -> None:
        self._pairs, self._done = event.pairs, event.done
        if event.done:
            self._line(f"going on: {event.done} of {event.pairs} pairs are stored")
        if sys.stderr.isatty():
            self._bar = tqdm(total=event.pairs, initial=event.done, unit="pair", leave=False)

    def _count(self) -> None:
        self._done += 1
        self._played += 1
        now = self._now()
        if self._bar is not None:
            self._bar.set_postfix_str(inert(self._status), refresh=False)
            self._bar.update()
        elif now - self._spoke >= _SECONDS or self._done == self._pairs:
            self._spoke = now
            line = heartbeat(self._done, self._pairs, self._played, now - self._started)
            self._line(f"{line}; {self._status}" if self._status else line)

    def _tell(self, event: FaultSeen) -> None:
        self._faults += 1
        if self._faults <= _MAX_FAULT_LINES:
            who = event.bot or "void"
            self._line(f"game {event.pair}.{event.game}: {who}: {event.verdict}: {event.message}")
        if self._faults == _MAX_FAULT_LINES:
            self._line("further faults are stored, but not shown here")

    def _line(self, text: str) -> None:
        text = inert(text)
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        else:
            click.echo(text, err=True)
