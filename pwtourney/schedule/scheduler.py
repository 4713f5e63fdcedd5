"""The pairs of a format one by one, each as soon as what it depends on is known, until enough."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from pwtourney.schedule.pairing import (
    Format,
    History,
    Meeting,
    Pairing,
    PairPoints,
    Played,
    results,
)
from pwtourney.standings import Pool, RatingOptions
from pwtourney.standings.rate import standings
from pwtourney.strict import StoredModel

__all__ = ["DealPolicy", "Earlier", "Scheduler", "StopRule", "Until", "replay"]

DealPolicy = Literal["fresh", "shared"]
"""A deal for each pair, or one block of deals that every two bots play.

The block has no end, or holds `deal_count` deals, which are played over and over.
"""

StopRule = Callable[[History], bool]
"""Asked whether enough was played; shown whole waves only."""

_NONE: Mapping[int, int] = {}
_LOOK_LAG = 2
_FEWEST_BETWEEN_LOOKS = 64
_GROWTH = 50
"""A stopping rule is asked again when there is a fiftieth more to look at."""

_LAST = 8
"""A bot whose last pairs, so many, are all void counts as disqualified."""


class Earlier(NamedTuple):
    """What was played before the schedule begins, which it does with the pair numbered `first`.

    `met` counts the pairs of each two bots by their deal, 0 for all where every pair has a deal
    of its own. `history` is only there for a stopping rule.
    """

    first: int
    met: Mapping[frozenset[str], Mapping[int, int]]
    history: tuple[Played, ...] = ()

    @property
    def pairs(self) -> int:
        """How many pairs were played."""
        return sum(sum(deals.values()) for deals in self.met.values())

    def has(self, pair: frozenset[str], meeting: int, deal_count: int | None) -> bool:
        """Tell whether two bots have played their pair `meeting`, counted from 0.

        `deal_count` deals are played in turn; None for no end of them.
        """
        turn, deal = (0, meeting) if deal_count is None else divmod(meeting, deal_count)
        return self.met.get(pair, _NONE).get(deal, 0) > turn

    def count_played(self, pair: frozenset[str], pairs: int, deal_count: int | None) -> int:
        """Return how many of their first `pairs` pairs two bots have played."""
        count = 0
        for deal, times in self.met.get(pair, _NONE).items():
            # A longer league may have gone further than this one shall: what is beyond its end
            # must not make up for a pair that is missing before it.
            if deal < pairs:
                wanted = 1 if deal_count is None else -(-(pairs - deal) // deal_count)
                count += min(times, wanted)
        return count


class Scheduler:
    """Numbers the pairs of a format, deals to them, and stops when a rule says so.

    Everything it hands out follows from whole waves of results in the order of the schedule, and
    from nothing else. Where nothing depends on results none are kept.
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
        # After this many pairs two bots repeat their deals; fresh ones are all alike.
        self._turns = deal_count if self._shared else 1
        self._stop = stop
        self._lag = pairing_rule.lag or (_LOOK_LAG if stop else 0)
        self._met: Counter[frozenset[str]] = Counter()
        self._ready: deque[Pairing] = deque()
        self._ends: list[int] = []  # how many pairs there are up to the end of each wave
        self._waves = 0  # of the format
        self._looked = 0  # at how many pairs
        self._earlier = earlier
        self._before = earlier.history if earlier and self._lag else ()
        self.first = self._numbered = earlier.first if earlier else 0
        self._pairings: dict[int, Pairing] = {}  # handed out, and not in the history yet
        self._points: dict[int, PairPoints] = {}
        self._history: list[Played] = []  # of this schedule only
        self._ended = False

    @property
    def format(self) -> Format:
        """The format whose pairs these are."""
        return self._format

    @property
    def over(self) -> bool:
        """Whether none is left to be handed out, and none will be."""
        return self._ended and not self._ready

    @property
    def needs_results(self) -> bool:
        """Whether anything depends on what comes of the pairs."""
        return self._lag > 0

    @property
    def history(self) -> History:
        """The pairs that have ended, up to the first that has not."""
        return [*self._before, *self._history] if self._before else self._history

    def next(self) -> Pairing | None:
        """Return the next pair; None if none is known yet, or none is left (`over`)."""
        self._fill(1)
        if not self._ready:
            return None
        pairing = self._ready.popleft()
        if self._lag:
            self._pairings[pairing.number] = pairing
        return pairing

    def list_upcoming(self) -> Iterator[Pairing]:
        """Yield the pairs that `next` will return, as far as they are known yet."""
        for place in count():
            self._fill(place + 1)
            if place >= len(self._ready):
                return
            yield self._ready[place]

    def _fill(self, pairs: int) -> None:
        """Make waves until this many pairs are ready, or none is known yet, or none is left."""
        # A loop, since all pairs of a wave may have been played before the schedule began.
        while (
            len(self._ready) < pairs
            and not self._ended
            and len(self._history) >= self._count_needed()
        ):
            self._make_wave()

    def record(self, number: int, points: PairPoints) -> None:
        """Take notice of what came of a pair that was handed out."""
        if not self._lag:
            return  # a million pairs are played without keeping one of them
        # Games end in any order, and what is decided must not depend on it: a result waits until
        # those of all pairs before it are there.
        self._points[number] = points
        while (number := self.first + len(self._history)) in self._points:
            self._history.append(Played(self._pairings.pop(number), self._points.pop(number)))

    def status(self) -> str:
        """Return what the format has to say of where it stands."""
        return self._format.status(self.history) if self._lag else ""

    def _count_needed(self) -> int:
        """Return how many pairs of this schedule the next wave must know."""
        back = len(self._ends) - self._lag
        return self._ends[back] if self._lag and back >= 0 else 0

    def _make_wave(self) -> None:
        # More may be known by now, by chance: only what the wave must know is shown to anybody,
        # or the same tournament would go on otherwise when it is run again.
        seen = [*self._before, *self._history[: self._count_needed()]]
        if self._stop and len(seen) > self._looked:
            self._looked = len(seen)
            if self._stop(seen):
                self._ended = True
                return
        # A format that asks for no results is looked at in larger steps. To fit ratings takes
        # longer the more was played; in steps that grow with it all looks together take no more
        # than a fixed multiple of the last.
        wanted = 1
        if self._stop and not self._format.lag:
            wanted = max(_FEWEST_BETWEEN_LOOKS, self._numbered // _GROWTH)
        meetings: list[Meeting] = []
        while len(meetings) < wanted and (wave := self._format.wave(self._waves, seen)):
            meetings += wave
            self._waves += 1
        self._ended = not meetings
        options = self._format.options(self._waves - 1)
        for first, second in meetings:
            pair = frozenset((first, second))
            meeting = self._met[pair]
            self._met[pair] += 1
            # A pair that was played earlier takes no number, so that numbers have no gaps; but it
            # counts as met, or those after it would be given its deal.
            if self._earlier is None or not self._earlier.has(pair, meeting, self._turns):
                deal = self._numbered
                if self._shared:
                    deal = meeting % self._deal_count if self._deal_count else meeting
                chosen = (options.get(first, ()), options.get(second, ()))
                self._ready.append(Pairing(self._numbered, first, second, deal, chosen))
                self._numbered += 1
        self._ends.append(self._numbered - self.first)


def replay(scheduler: Scheduler, outcomes: Mapping[int, PairPoints]) -> Scheduler:
    """Take a scheduler through what is stored, up to the first pair that is not."""
    while pairing := scheduler.next():
        points = outcomes.get(pairing.number)
        if points is None:
            break
        scheduler.record(pairing.number, points)
    return scheduler


class Until(StoredModel):
    """What must be so of the ratings for enough to have been played; of several rules all must be.

    `interval` is the largest half of a 95 % interval, in Elo, and needs at least 30 deals;
    `ranks_separated` the level at which the whole order of the table must hold, with bounds that
    allow for looking as often as one likes; `best` the level at which the first must be the best,
    or at most `within` Elo behind it, with such bounds. `anchor` (a bot and its rating) and `prior`
    are those of the table, whose intervals are meant. A bot that has no interval is not waited for.
    """

    interval: float | None = None
    ranks_separated: float | None = None
    best: float | None = None
    within: float = 0.0
    anchor: Annotated[tuple[str, float], Field(strict=False)] | None = None  # a list in JSON
    prior: float = 0.0

    def holds(self, history: History) -> bool:
        """Tell whether enough was played; bots that play no more are not waited for."""
        # Those of whose last pairs one at least is not void.
        playing: set[str] = set()
        seen: Counter[str] = Counter()
        for played in reversed(history):
            for bot in (played.pairing.first, played.pairing.second):
                seen[bot] += 1
                if played.total is not None and seen[bot] <= _LAST:
                    playing.add(bot)
        if len(playing) < 2:
            return True  # nothing that is still played could change a rating
        counting = [played for played in history if playing.issuperset(played.pairing[1:3])]
        options = RatingOptions(self.anchor, self.prior)
        table = standings(sorted(playing), results(counting), options, test_fit=False)
        # Bots that are not connected by games have no common scale. They get one when two of them
        # that have met, in void pairs only, meet again; others have a bot between them that plays
        # no more, as on a ladder, and to wait for them would take for ever.
        pools = {line.bot: place for place, pool in enumerate(table.pools) for line in pool.rows}
        if any(pools[one] != pools[two] for (_, one, two, *_), _ in counting):
            return False
        return all(map(self._holds_in, table.pools))

    def _holds_in(self, pool: Pool) -> bool:
        """Tell whether enough was played by bots that are connected by games."""
        if pool.rough:  # with few deals an interval is too rough to stop on
            return False
        if self.ranks_separated is not None and not pool.is_separated(self.ranks_separated):
            return False
        if self.best is not None and not pool.is_best_found(self.best, self.within):
            return False
        if self.interval is None:
            return True
        # A perfect score is bounded on one side however long one plays, and the anchor's rating is
        # given: neither will ever have an interval.
        unknown = [line for line in pool.rows if not line.bound and line.plus_minus is None]
        if any(line.bot != pool.anchor for line in unknown):
            return False
        return all((line.plus_minus or 0.0) <= self.interval for line in pool.rows)
