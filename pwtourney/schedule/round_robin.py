"""Everyone against everyone, in balanced rounds."""

from collections.abc import Iterator, Sequence
from itertools import count

from pwtourney.schedule.pairing import Pairing

__all__ = ["round_robin"]


def round_robin(bots: Sequence[str], cycles: int) -> Iterator[Pairing]:
    """Yield `cycles` mirrored pairs for each two bots.

    Rounds follow the circle method: the first bot stays, the others move on one place a round,
    and those who face each other play. So after each round everybody has played as often as
    everybody else (with an odd number of bots one sits out, each in turn), and a table read
    half-way is fair. Who has the first seat first alternates from cycle to cycle.
    """
    numbers = count()
    for cycle in range(cycles):
        for one, two in _rounds(bots):
            first, second = (one, two) if cycle % 2 == 0 else (two, one)
            yield Pairing(next(numbers), first, second)


def _rounds(bots: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each two bots once, round by round."""
    ring: list[str | None] = [*bots, None] if len(bots) % 2 else [*bots]
    for _ in range(len(ring) - 1):
        for k in range(len(ring) // 2):
            one, two = ring[k], ring[-1 - k]
            if one is not None and two is not None:
                yield one, two
        ring[1:] = [ring[-1], *ring[1:-1]]
