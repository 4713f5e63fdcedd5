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
    "earlier",
    "everyone",
    "generations",
    "most",
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
    schedules = [*(each["closed"] for each in versions), meta["schedule"]]
    began = [(0, meta["bots"]), *((each["first"], each["bots"]) for each in versions)]
    return [
        Generation(first, tuple(bots), schedule)
        for (first, bots), schedule in zip(began, schedules, strict=True)
    ]


def everyone(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Return all who ever played, in the order in which they came."""
    found = (bot for each in generations(meta) for bot in players(each.schedule, each.bots))
    return tuple(dict.fromkeys(found))


def all_facts(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return what determines the games of every bot that ever played."""
    facts = dict(meta["facts"])
    for version in meta["league_versions"]:
        facts |= version["facts"]
    return facts


def earlier(
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
    found = walk.earlier(past, first)
    return found and found._replace(history=tuple(filter(None, history)))


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
        ends = [*(each.first for each in league[1:]), end]
        for place, (generation, stop) in enumerate(zip(league, ends, strict=False)):
            before = self.earlier(league[:place], generation.first)
            schedule = {**generation.schedule, "until": {}}  # it stopped where it stopped
            scheduler = make_scheduler(schedule, generation.bots, before)
            for pairing in _stored(scheduler, self._outcomes, stop):
                self._note(pairing, generation)
                yield pairing

    def earlier(self, past: Sequence[Generation], first: int) -> Earlier | None:
        """Return what is known after these generations."""
        met = {pair: Counter(deals) for pair, deals in self._met.items()}
        return Earlier(first, met) if past else None

    def _note(self, pairing: Pairing, generation: Generation) -> None:
        fresh = generation.schedule["deals"] == "fresh"
        self._met[frozenset((pairing.first, pairing.second))][0 if fresh else pairing.deal] += 1


def _stored(
    scheduler: Scheduler, outcomes: Mapping[int, PairPoints], stop: int | None
) -> Iterator[Pairing]:
    """Take a scheduler through the pairs that are stored, as far as they reach."""
    end = max(outcomes, default=-1) + 1 if stop is None else stop
    left = sum(1 for number in outcomes if scheduler.first <= number < end)
    while left and (pairing := scheduler.next()) and pairing.number < end:
        if pairing.number in outcomes:
            left -= 1
            scheduler.done(pairing.number, outcomes[pairing.number])
            yield pairing


def most(schedule: Mapping[str, Any], bots: Sequence[str], before: Earlier | None) -> int:
    """Return how many pairs there are at most, those of earlier generations among them."""
    found = make_format(schedule, bots)
    if before is None:
        return found.most()
    deal_count = 1 if schedule["deals"] == "fresh" else schedule.get("deal_count")
    missing: int = sum(
        schedule["pairs"] - before.done(frozenset(meeting), schedule["pairs"], deal_count)
        for meeting in found.wave(0, ())
    )
    return before.pairs + missing
