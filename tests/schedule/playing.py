"""Helpers that play a schedule with simulated results."""

import random
from collections.abc import Callable

from pwtourney.schedule import Pairing, PairPoints, Scheduler

__all__ = ["COUNTS", "Outcome", "by_strength", "everything", "names", "out_of_order"]

COUNTS = range(2, 31)
"""The numbers of bots for which a property is checked."""

Outcome = Callable[[Pairing], PairPoints]


def names(count: int) -> tuple[str, ...]:
    """Return the names of this many bots."""
    return tuple(f"bot{number}" for number in range(count))


def everything(
    scheduler: Scheduler, outcome: Outcome = lambda _: (1.0, 0.0), most: int = 10**6
) -> list[Pairing]:
    """Play a whole schedule, one pair after the other; return the pairs."""
    pairs: list[Pairing] = []
    while (pairing := scheduler.next()) and len(pairs) < most:
        pairs.append(pairing)
        scheduler.record(pairing.number, outcome(pairing))
    assert scheduler.over or len(pairs) == most
    return pairs


def out_of_order(scheduler: Scheduler, outcome: Outcome, slots: int, seed: int) -> list[Pairing]:
    """Play a whole schedule with this many pairs running, which end in random order."""
    rng = random.Random(seed)
    pairs: list[Pairing] = []
    out: list[Pairing] = []
    while True:
        while len(out) < slots and (pairing := scheduler.next()):
            pairs.append(pairing)
            out.append(pairing)
        if not out:
            assert scheduler.over
            return pairs
        done = out.pop(rng.randrange(len(out)))
        scheduler.record(done.number, outcome(done))


def by_strength(elos: dict[str, float], seed: int = 0) -> Outcome:
    """Return a function that draws a pair's outcome from Elo, the same for the same pair."""

    def outcome(pairing: Pairing) -> PairPoints:
        rng = random.Random(f"{seed} {pairing[:4]}")
        chance = 1 / (1 + 10 ** ((elos[pairing.second] - elos[pairing.first]) / 400))
        first, second = (float(rng.random() < chance) for _ in range(2))
        return first, second

    return outcome
