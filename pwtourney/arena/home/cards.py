"""The tournaments on the first page: how far each is, and who leads or has won."""

import math
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from threading import Lock
from typing import Literal, NamedTuple

from pwtourney.arena.days import format_day
from pwtourney.arena.leading import describe_lead
from pwtourney.arena.pace import Pace
from pwtourney.arena.tournament_state import read_state
from pwtourney.errors import PwtourneyError
from pwtourney.report.page.dates import parse_date
from pwtourney.report.page.headline import Step, write_headline
from pwtourney.report.summary import Summary, summarise
from pwtourney.report.text.rows import describe_zero
from pwtourney.sanitize import sanitize
from pwtourney.store import Meta, ResultsFolder, Store

__all__ = ["Card", "CardReader", "name_disqualified"]

State = Literal["waiting", "running", "over", "stopped", "broken", "unread"]

_MOST_NAMES = 3
"""More disqualified bots than these are counted, not named."""

_CHECK_SECONDS = 1.0
"""The least time between two checks whether a run writes to a folder.

A check takes the lock for a moment, and a run that starts then would find it locked.
"""


class Card(NamedTuple):
    """A tournament on the first page.

    `title` is its name, or that of its folder before it begins or is read. `lead` says who leads or
    has won, empty without a result, and None if it is not computed yet. `stored` and `planned`
    count pairs. `problem` says why it cannot be read. `began` is a date, empty if it is unknown.
    The `podium` has the best three bots, or nothing; `scale` says what has 0 there.
    """

    title: str
    state: State
    lead: str | None = ""
    stored: int = 0
    planned: int = 0
    problem: str = ""
    began: str = ""
    podium: tuple[Step, ...] = ()
    scale: str = ""


class CardReader:
    """Reads the card of a results folder for all pages; for several threads.

    `now` returns seconds.
    """

    def __init__(self, folder: ResultsFolder, now: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self._now = now
        self._lock = Lock()
        self._last: Card | None = None
        self._lead: str | None = None
        self._podium: tuple[Step, ...] = ()
        self.ratings: Mapping[str, float] = {}
        """The ratings of bots with their usual options, as they were when the lead was computed."""
        self.scale = ""
        """The scale of the ratings, as in ``Elo 0 = average of these bots``."""
        self._pace = Pace(now)
        self._checked = float("-inf")
        self._is_running = False

    @property
    def last(self) -> Card:
        """The card as it was read last; if it was not read yet, it has the folder's name only."""
        return self._last or Card(sanitize(self.folder.path.name), "unread", None)

    def read(self, *, with_lead: bool = True) -> Card:
        """Return the card; without `with_lead`, who leads is not computed, but may be known."""
        self._last = self._read(with_lead=with_lead)
        return self._last

    def _read(self, *, with_lead: bool) -> Card:
        name = sanitize(self.folder.path.name)
        if not self.folder.is_used():
            return Card(name, "waiting")
        try:
            with closing(Store.open_in(self.folder)) as store, store.as_one():
                meta, count = store.meta(), store.count()
                if with_lead:
                    self._find_lead(store)
                return Card(
                    sanitize(meta.name),
                    self._find_state(meta),
                    self._lead,
                    count,
                    meta.pairs,
                    began=_format_date(meta.created),
                    podium=self._podium,
                    scale=self.scale,
                )
        except (PwtourneyError, OSError) as error:
            return Card(name, "broken", problem=str(error))

    def is_running(self) -> bool:
        """Return True if a run writes to the folder, which is checked once a second at most."""
        if self._now() - self._checked >= _CHECK_SECONDS:
            self._checked = self._now()
            self._is_running = self.folder.is_locked()
        return self._is_running

    def _find_state(self, meta: Meta) -> State:
        if self.is_running():
            return "running"
        return "over" if meta.over else "stopped"

    def _find_lead(self, store: Store) -> None:
        """Compute who leads, if that is due."""
        state = read_state(store)
        with self._lock:
            if not self._pace.is_due(state):
                return
            with self._pace.measure(state):
                summary = summarise(store)
                self._podium = write_headline(summary).podium
            self.ratings = _list_ratings(summary, store.meta())
            self.scale = _describe_scale(summary)
            sentences = (describe_lead(summary), name_disqualified(summary.conditions.disqualified))
            self._lead = sanitize(" ".join(filter(None, sentences)))


def _format_date(created: str | None) -> str:
    seconds = parse_date(created)
    return "" if seconds is None else format_day(seconds)


def _list_ratings(summary: Summary, meta: Meta) -> dict[str, float]:
    """Return the ratings of bots that play, by name, except with other options or only a bound."""
    facts, season = meta.current_facts, summary.season
    return {
        season.find(row.bot).name: row.elo
        for pool in summary.standings.pools[:1]
        for row in pool.rows
        if season.has(row.bot) and math.isfinite(row.elo) and not row.bound
        if facts.get(f"bots.{row.bot}.set") == {}
    }


def _describe_scale(summary: Summary) -> str:
    """Return what the ratings are relative to; empty without ratings."""
    pools = summary.standings.pools
    return sanitize(describe_zero(pools[0])) if pools and pools[0].rows else ""


def name_disqualified(bots: Collection[str]) -> str:
    """Return a sentence that names the disqualified bots, or counts many; empty for none."""
    if not bots:
        return ""
    who = ", ".join(sorted(bots)) if len(bots) <= _MOST_NAMES else f"{len(bots)} bots"
    return f"{who} {'was' if len(bots) == 1 else 'were'} disqualified."
