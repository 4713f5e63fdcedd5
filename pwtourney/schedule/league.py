"""A league whose bots change while it goes on: generations, each with the pairs that it adds.

All that is known of a league is plain data, as a store keeps it. Its first generation is the
tournament as it began; each later version of the league closes one generation and begins the
next, with other bots.
A pair that two bots have played counts in all generations, so the next plays only what is missing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pwtourney.schedule.build import make_format, make_scheduler, players
from pwtourney.schedule.pairing import Pairing, PairPoints, Played
from pwtourney.schedule.scheduler import Earlier, Scheduler

__all__ = [
    "EXTENDABLE",
    "Generation",
    "all_facts",
    "everyone",
    "gather_earlier",
    "generations",
    "max_pairs",
    "pairings",
]

EXTENDABLE = ("round-robin", "gauntlet")
"""Formats in which it can be told which pairs are missing."""


class Generation(NamedTuple):
    """The bots that played from the pair numbered `first` on, and their schedule."""

    first: int
    bots: tuple[str, ...]
    schedule: Mapping[str, Any]


def generations(meta: Mapping[str, Any]) -> list[Generation]:
    """Return the generations of a league, oldest first."""
    versions = meta["league_versions"]
    # A version names the schedule that it closed, and the bots that it began with: so schedules end
    # with the league's own and bots begin with it, one place apart.
    schedules = [*(version["closed"] for version in versions), meta["schedule"]]
    began = [(0, meta["bots"]), *((version["first"], version["bots"]) for version in versions)]
    return [
        Generation(first, tuple(bots), schedule)
        for (first, bots), schedule in zip(began, schedules, strict=True)
    ]


def everyone(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all who ever played, in the order in which they came."""
    bots = (
        bot
        for generation in generations(meta)
        for bot in players(generation.schedule, generation.bots)
    )
    return tuple(dict.fromkeys(bots))  # a dictionary, because a set has no order


def all_facts(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return what determines the games of every bot that ever played."""
    facts = dict(meta["facts"])
    for version in meta["league_versions"]:
        facts |= version["facts"]
    return facts


def gather_earlier(
    past: Sequence[Generation],
    first: int,
    outcomes: Mapping[int, PairPoints],
    *,
    until: bool = False,
) -> Earlier | None:
    """Return what a generation that begins with the pair `first` must know; None if it is alone.

    What came of each pair is only there if it has a stopping rule (`until`).
    """
    walk = _Walk(outcomes)
    history = [
        Played(pairing, outcomes[pairing.number]) if until else None
        for pairing in walk.pairings(past, first)
    ]
    # Only now: the walk counts what was met while the list above is made of it.
    earlier = walk.gather(past, first)
    return earlier and earlier._replace(history=tuple(filter(None, history)))


def pairings(
    league: Sequence[Generation], outcomes: Mapping[int, PairPoints]
) -> dict[int, Pairing]:
    """Return the pairs that are stored, as the schedules have them."""
    return {pairing.number: pairing for pairing in _Walk(outcomes).pairings(league)}


class _Walk:
    """Goes through the generations of a league, and keeps in mind what was played."""

    def __init__(self, outcomes: Mapping[int, PairPoints]) -> None:
        self._outcomes = outcomes
        self._met: defaultdict[frozenset[str], Counter[int]] = defaultdict(Counter)

    def pairings(self, league: Sequence[Generation], end: int | None = None) -> Iterator[Pairing]:
        """Yield the pairs that are stored, up to the one numbered `end`."""
        ends = [*(generation.first for generation in league[1:]), end]
        for index, (generation, stop) in enumerate(zip(league, ends, strict=False)):
            before = self.gather(league[:index], generation.first)
            # What is stored says where a generation stopped. Its stopping rule would need all
            # results that it had then, and a fit of the ratings at every look.
            schedule = {**generation.schedule, "until": {}}
            scheduler = make_scheduler(schedule, generation.bots, before)
            # Fresh deals are all alike: any pair of two bots stands for any other.
            fresh = generation.schedule["deals"] == "fresh"
            for pairing in _replay_stored(scheduler, self._outcomes, stop):
                meeting = frozenset((pairing.first, pairing.second))
                self._met[meeting][0 if fresh else pairing.deal] += 1
                yield pairing

    def gather(self, past: Sequence[Generation], first: int) -> Earlier | None:
        """Return what is known after these generations."""
        # A copy: the walk goes on counting while a generation is scheduled by what was before it.
        met = {pair: Counter(deals) for pair, deals in self._met.items()}
        return Earlier(first, met) if past else None


def _replay_stored(
    scheduler: Scheduler, outcomes: Mapping[int, PairPoints], stop: int | None
) -> Iterator[Pairing]:
    """Take a scheduler through the pairs that are stored, as far as they reach."""
    end = max(outcomes, default=-1) + 1 if stop is None else stop
    # Counted, so that the end is known: a generation that was cut off has holes, and a schedule
    # without an end would be walked for ever in search of one more pair.
    left = sum(1 for number in outcomes if scheduler.first <= number < end)
    while left and (pairing := scheduler.next()) and pairing.number < end:
        if pairing.number in outcomes:
            left -= 1
            scheduler.record(pairing.number, outcomes[pairing.number])
            yield pairing


def max_pairs(schedule: Mapping[str, Any], bots: Sequence[str], before: Earlier | None) -> int:
    """Return how many pairs there are at most, those of earlier generations among them."""
    pairing_rule = make_format(schedule, bots)
    if before is None:
        return pairing_rule.max_pairs()
    # Only formats that can be extended get here. In those every wave is the same but for who is
    # named first, so the first one names everybody who meets.
    deal_count = 1 if schedule["deals"] == "fresh" else schedule.get("deal_count")
    missing: int = sum(
        schedule["pairs"] - before.count_played(frozenset(meeting), schedule["pairs"], deal_count)
        for meeting in pairing_rule.wave(0, ())
    )
    return before.pairs + missing
