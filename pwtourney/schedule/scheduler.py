"""The scheduler: returns the pairs of a format one by one, and decides when enough were played.

A pair is returned as soon as everything that it depends on is known.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import PlainSerializer, PlainValidator

from pwtourney.ratings.anchors import read_anchors, store_anchors
from pwtourney.schedule.pairing import (
    Format,
    History,
    Meeting,
    Pairing,
    PairPoints,
    PlayedPair,
    results,
)
from pwtourney.standings import Anchor, Pool, RatingOptions
from pwtourney.standings.rate import standings
from pwtourney.strict import StoredModel

__all__ = ["DealPolicy", "Earlier", "Scheduler", "StopRule", "Until", "replay"]

DealPolicy = Literal["fresh", "shared"]
"""A new deal for each pair, or one block of deals that every two bots play.

The block is unlimited, or has `deal_count` deals, which are repeated in turn.
"""

StopRule = Callable[[History], bool]
"""Return True if enough was played; it sees whole waves only."""

_NONE: Mapping[int, int] = {}
_LOOK_LAG = 2
_FEWEST_BETWEEN_LOOKS = 64
_GROWTH = 50
"""A stopping rule is asked again when the history has grown by one fiftieth."""

_LAST = 8
"""A bot whose last 8 pairs are all void counts as disqualified."""


class Earlier(NamedTuple):
    """The pairs that were played before this schedule begins with the pair numbered `first`.

    `met` counts the pairs of every two bots by deal; all count as deal 0 if every pair has its own
    deal. `history` is filled only for a stopping rule.
    """

    first: int
    met: Mapping[frozenset[str], Mapping[int, int]]
    history: tuple[PlayedPair, ...] = ()

    @property
    def pairs(self) -> int:
        """The number of pairs that were played."""
        return sum(sum(deals.values()) for deals in self.met.values())

    def has(self, bots: frozenset[str], meeting: int, deal_count: int | None) -> bool:
        """Return True if these two bots have played their pair number `meeting`, counted from 0.

        `deal_count` deals are played in turn; None means an unlimited number.
        """
        turn, deal = (0, meeting) if deal_count is None else divmod(meeting, deal_count)
        return self.met.get(bots, _NONE).get(deal, 0) > turn

    def count_played(self, bots: frozenset[str], pairs: int, deal_count: int | None) -> int:
        """Return how many of the first `pairs` pairs of games of these two bots were played."""
        count = 0
        for deal, times in self.met.get(bots, _NONE).items():
            # The earlier schedule may have been longer than this one. Its pairs beyond the end of
            # this one must not make up for a missing pair.
            if deal < pairs:
                target = 1 if deal_count is None else -(-(pairs - deal) // deal_count)
                count += min(times, target)
        return count


class Scheduler:
    """Numbers the pairs of a format, assigns deals to them, and stops when a rule says so.

    Everything it returns depends only on whole waves of results, in the order of the schedule. If
    nothing depends on results, it stores none.
    """

    def __init__(
        self,
        pairing_rule: Format,
        deals: DealPolicy = "fresh",
        stop: StopRule | None = None,
        deal_count: int | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        self._format = pairing_rule
        self._shared = deals == "shared"
        self._deal_count = deal_count
        # After this many pairs two bots repeat their deals. Fresh deals all count as one deal.
        self._turns = deal_count if self._shared else 1
        self._stop = stop
        self._lag = pairing_rule.lag or (_LOOK_LAG if stop else 0)
        self._met: Counter[frozenset[str]] = Counter()
        self._ready: deque[Pairing] = deque()
        self._ends: list[int] = []  # the number of pairs up to the end of each wave
        self._waves = 0  # waves that the format has returned
        self._looked = 0  # the number of pairs at the last check of the stopping rule
        self._earlier = earlier
        self._before = earlier.history if earlier and self._lag else ()
        self.first = self._numbered = earlier.first if earlier else 0
        self._pairings: dict[int, Pairing] = {}  # returned, but not yet in the history
        self._points: dict[int, PairPoints] = {}
        self._history: list[PlayedPair] = []  # only pairs of this schedule
        self._ended = False

    @property
    def format(self) -> Format:
        """The format that decides the pairs."""
        return self._format

    @property
    def over(self) -> bool:
        """True if all pairs were returned and no more will follow."""
        return self._ended and not self._ready

    @property
    def needs_results(self) -> bool:
        """True if the next pairs, or the end, depend on results."""
        return self._lag > 0

    @property
    def history(self) -> History:
        """The pairs that have ended, up to the first one that has not."""
        return [*self._before, *self._history] if self._before else self._history

    def next(self) -> Pairing | None:
        """Return the next pair; None if it is not known yet, or if no pair is left (`over`)."""
        self._fill(1)
        if not self._ready:
            return None
        pairing = self._ready.popleft()
        if self._lag:
            self._pairings[pairing.number] = pairing
        return pairing

    def list_upcoming(self) -> Iterator[Pairing]:
        """Yield the pairs that `next` will return, as far as they are known already."""
        for index in count():
            self._fill(index + 1)
            if index >= len(self._ready):
                return
            yield self._ready[index]

    def _fill(self, pairs: int) -> None:
        """Add waves until this many pairs are ready, or no more are known, or none is left."""
        # Use a loop: all pairs of a wave may have been played before this schedule began.
        while (
            len(self._ready) < pairs
            and not self._ended
            and len(self._history) >= self._count_needed()
        ):
            self._make_wave()

    def record(self, number: int, points: PairPoints) -> None:
        """Record the result of a pair that `next` returned."""
        if not self._lag:
            return  # do not keep a million pairs that nobody needs
        # Games end in any order, and decisions must not depend on it: a result waits until all
        # earlier pairs have one.
        self._points[number] = points
        while (number := self.first + len(self._history)) in self._points:
            self._history.append(PlayedPair(self._pairings.pop(number), self._points.pop(number)))

    def status(self) -> str:
        """Return the format's text for the progress line; empty if nothing depends on results."""
        return self._format.status(self.history) if self._lag else ""

    def _count_needed(self) -> int:
        """Return how many pairs of this schedule must have ended before the next wave."""
        back = len(self._ends) - self._lag
        return self._ends[back] if self._lag and back >= 0 else 0

    def _make_wave(self) -> None:
        # More results may be known by chance. The format and the rule see only those that the wave
        # must know; otherwise a second run of the same tournament could continue differently.
        seen = [*self._before, *self._history[: self._count_needed()]]
        if self._stop and len(seen) > self._looked:
            self._looked = len(seen)
            if self._stop(seen):
                self._ended = True
                return
        # If the format itself needs no results, the rule is asked in larger steps. The time to fit
        # ratings grows with the number of pairs. With steps that grow too, all checks together take
        # at most a fixed multiple of the last one.
        target = 1
        if self._stop and not self._format.lag:
            target = max(_FEWEST_BETWEEN_LOOKS, self._numbered // _GROWTH)
        meetings: list[Meeting] = []
        while len(meetings) < target and (wave := self._format.wave(self._waves, seen)):
            meetings += wave
            self._waves += 1
        self._ended = not meetings
        options = self._format.options(self._waves - 1)
        for first, second in meetings:
            pair = frozenset((first, second))
            meeting = self._met[pair]
            self._met[pair] += 1
            # A pair that was played earlier takes no number, so that numbers have no gaps. It still
            # counts as a meeting; otherwise a later pair would get its deal.
            if self._earlier is None or not self._earlier.has(pair, meeting, self._turns):
                deal = self._numbered
                if self._shared:
                    deal = meeting % self._deal_count if self._deal_count else meeting
                chosen = (options.get(first, ()), options.get(second, ()))
                self._ready.append(Pairing(self._numbered, first, second, deal, chosen))
                self._numbered += 1
        self._ends.append(self._numbered - self.first)


def replay(scheduler: Scheduler, outcomes: Mapping[int, PairPoints]) -> Scheduler:
    """Give a scheduler the stored results, up to the first pair without one, and return it."""
    while pairing := scheduler.next():
        points = outcomes.get(pairing.number)
        if points is None:
            break
        scheduler.record(pairing.number, points)
    return scheduler


def _read_anchors(value: Any) -> tuple[Anchor, ...]:
    try:
        return read_anchors(value)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("expected bots with their ratings") from error


class Until(StoredModel):
    """The conditions on the ratings that end a tournament; all given conditions must hold.

    `interval` is the maximum half-width of a 95 % interval in Elo, and needs at least 30 deals.
    `ranks_separated` is the level at which the whole order of the table must hold; its bounds stay
    valid for any number of checks. `best` is the level at which the first must be the best, or at
    most `within` Elo behind it, with bounds of the same kind. `anchor` (bots with given ratings)
    and `prior` are those of the table to which the intervals belong. The rule does not wait for a
    bot that cannot have an interval.
    """

    interval: float | None = None
    ranks_separated: float | None = None
    best: float | None = None
    within: float = 0.0
    anchor: Annotated[
        tuple[Anchor, ...], PlainValidator(_read_anchors), PlainSerializer(store_anchors)
    ] = ()
    prior: float = 0.0

    def holds(self, history: History) -> bool:
        """Return True if enough was played; bots that play no more are not waited for."""
        # Bots of whose last 8 pairs at least one is not void.
        playing: set[str] = set()
        seen: Counter[str] = Counter()
        for played in reversed(history):
            for bot in (played.pairing.first, played.pairing.second):
                seen[bot] += 1
                if played.total is not None and seen[bot] <= _LAST:
                    playing.add(bot)
        if len(playing) < 2:
            return True  # no further pair can change a rating
        counting = [played for played in history if playing.issuperset(played.pairing[1:3])]
        options = RatingOptions(self.anchor, self.prior)
        table = standings(sorted(playing), results(counting), options, test_fit=False)
        # Bots that are not connected by games have no common scale. Two bots of different pools
        # that have met, in void pairs only, connect them when they meet again, so wait for that.
        # Other pools are separated by a bot that plays no more, as on a ladder: to wait for them
        # would take forever.
        pools = {row.bot: index for index, pool in enumerate(table.pools) for row in pool.rows}
        if any(pools[first] != pools[second] for (_, first, second, *_), _ in counting):
            return False
        return all(map(self._holds_in, table.pools))

    def _holds_in(self, pool: Pool) -> bool:
        """Return True if enough was played by one pool: bots that are connected by games."""
        if pool.rough:  # with few deals the interval is too inaccurate to stop on
            return False
        if self.ranks_separated is not None and not pool.is_separated(self.ranks_separated):
            return False
        if self.best is not None and not pool.is_best_found(self.best, self.within):
            return False
        if self.interval is None:
            return True
        # A perfect score is bounded on one side only, however many games are played, and the
        # rating of an anchor is fixed: neither will ever have an interval.
        unknown = {row.bot for row in pool.rows if not row.bound and row.plus_minus is None}
        if not unknown <= pool.fixed_bots:
            return False
        return all((row.plus_minus or 0.0) <= self.interval for row in pool.rows)
