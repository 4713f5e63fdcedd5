"""What a run says while it goes on: a bar on a terminal, a line at each quarter elsewhere."""

import sys
import time
from collections.abc import Callable
from typing import Any, Self

import click
from tqdm import tqdm

from pwtourney.report.text import span
from pwtourney.sanitize import sanitize
from pwtourney.tournament import Ended, Event, FaultSeen, Leader, PairDone, Standing, Started

__all__ = ["Progress", "heartbeat", "standing_line"]

_QUARTERS = 4
_MOST_SILENCE = 480.0
"""Print a line after this many seconds in any case: CI services commonly end a job that prints
nothing for ten minutes, and a line has to wait until a pair ends."""

_WIDEST = 200.0
"""Print a rating only if its interval is no wider than ± this. With more, a bot may as well win
three of four games against the average as lose them, so the rating would say nothing."""

_MAX_FAULT_LINES = 20


def heartbeat(done: int, pairs: int, played: int, seconds: float) -> str:
    """Return one line of progress: pairs done, speed, and time left at that speed."""
    # by what this run played: pairs of earlier runs are done, and took no time of it
    speed = played / seconds if seconds > 0 else 0.0
    left = f", {span((pairs - done) / speed)} left" if speed and done < pairs else ""
    return f"{done}/{pairs} pairs, {2 * speed:.1f} games/s{left}"


def standing_line(event: Standing) -> str:
    """Return one line about who leads, and what it takes to be sure.

    It is empty while the rating of the first bot says nothing yet.
    """
    if not _format_rating(event.leaders[0]):
        return ""
    leaders = ", ".join(
        f"{leader.bot} {_format_rating(leader)}".rstrip() for leader in event.leaders
    )
    if event.more is None:
        return leaders
    if event.more == 0:
        return f"{leaders}; {event.above} is above {event.below} at 95 %, at every look"
    return (
        f"{leaders}; to tell {event.above} from {event.below} at 95 % takes about {event.more} more"
        f" pairs, about {span(event.seconds)}"
    )


def _format_rating(leader: Leader) -> str:
    """Return a rating with its interval, or as a bound; nothing if that would say nothing."""
    if leader.elo is None:
        return ""
    if leader.bound:
        return f"{leader.bound}{leader.elo:+.0f}"
    if leader.plus_minus is None or leader.plus_minus > _WIDEST:
        return ""
    return f"{leader.elo:+.0f} ± {leader.plus_minus:.0f}"


class _Pace:
    """Says when a line is due: once in each quarter of the pairs, and after a long silence."""

    def __init__(self, pairs: int, done: int, now: float) -> None:
        self._pairs = max(pairs, 1)
        self._printed = done
        self._printed_at = now

    def is_due(self, done: int, now: float) -> bool:
        """Return whether to print a line after `done` pairs; if so, take it as printed."""
        quarter, last = (_QUARTERS * count // self._pairs for count in (done, self._printed))
        if quarter == last and now - self._printed_at < _MOST_SILENCE:
            return False
        self._printed, self._printed_at = done, now
        return True

    def has_news(self, done: int) -> bool:
        """Tell whether anything was done since a line was due."""
        return done != self._printed


class Progress:
    """Listens to a tournament; everything goes to standard error."""

    def __init__(self, quiet: bool, now: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._now = now
        self._bar: tqdm[Any] | None = None
        self._pairs = self._done = self._played = self._faults = 0
        self._started = now()
        self._pace = _Pace(0, 0, self._started)
        self._notes: set[str] = set()
        self._status = ""
        self._standing = ""

    def __call__(self, event: Event) -> None:
        """Take notice of what happened."""
        if self._quiet:
            return
        try:
            self._take_in(event)
        except OSError:  # nobody reads any more, and the tournament goes on
            self._quiet = True

    def _take_in(self, event: Event) -> None:
        if isinstance(event, Started):
            self._pairs, self._done = event.pairs, event.done
            if event.done:
                self.say(f"continuing: {event.done} of {event.pairs} pairs are stored")
            self._pace = _Pace(event.pairs, event.done, self._now())
            # a log has no use for a bar: each of its states would be a line of its own
            if sys.stderr.isatty():
                self._bar = tqdm(total=event.pairs, initial=event.done, unit="pair", leave=False)
        elif isinstance(event, FaultSeen):
            self._faults += 1
            if self._faults <= _MAX_FAULT_LINES:
                who = event.bot or "void"
                game = f"{event.pair}.{event.game}"
                self.say(f"game {game}: {who}: {event.verdict}: {event.message}")
            if self._faults == _MAX_FAULT_LINES:
                self.say("further faults are stored, but not shown here")
        elif isinstance(event, PairDone):
            self._take_pair(event)
        elif isinstance(event, Standing):
            self._standing = standing_line(event)
        elif isinstance(event, Ended) and self._bar is None and self._pace.has_news(self._done):
            self._say_heartbeat(self._done if event.over else self._pairs)

    def say(self, text: str) -> None:
        """Print a line, above the bar if there is one."""
        text = sanitize(text)
        try:
            if self._bar is not None:
                self._bar.write(text, file=sys.stderr)
            else:
                click.echo(text, err=True)
        except OSError:
            self._quiet = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def _take_pair(self, event: PairDone) -> None:
        """Count a pair; say now and then how far it is and who leads."""
        if event.note and event.note not in self._notes:  # once: it is mostly the same for all
            self._notes.add(event.note)
            self.say(f"pair {event.pair}: {event.note}")
        self._status = event.status
        self._done += 1
        self._played += 1
        if self._bar is not None:
            # drawn by `update`, which waits a tenth of a second in between
            self._bar.set_postfix_str(sanitize(self._status), refresh=False)
            self._bar.update()
        if not self._pace.is_due(self._done, self._now()):
            return
        if self._bar is None:  # the bar shows it all the time
            self._say_heartbeat(self._pairs)
        if self._standing and self._done < self._pairs:  # at the end the table says who leads
            self.say(self._standing)
            self._standing = ""

    def _say_heartbeat(self, pairs: int) -> None:
        line = heartbeat(self._done, pairs, self._played, self._now() - self._started)
        self.say(f"{line}; {self._status}" if self._status else line)
