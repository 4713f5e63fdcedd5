"""Everyone against everyone, in balanced rounds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pwtourney.schedule.format import Format
from pwtourney.schedule.pairing import History, Meeting

__all__ = ["RoundRobin", "rounds"]


@dataclass(frozen=True)
class RoundRobin(Format):
    """Each two bots play `pairs` mirrored pairs; a wave is one pair of each two.

    Within a wave the rounds follow the circle method, so after each round everybody has played as
    often as everybody else (with an odd number of bots one sits out, each in turn), and a table
    read half-way is fair. Who has the first seat first alternates from wave to wave.
    """

    bots: tuple[str, ...]
    pairs: int

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each two bots."""
        if index >= self.pairs:
            return ()
        return [pair if index % 2 == 0 else pair[::-1] for pair in rounds(self.bots)]

    def most(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots) * (len(self.bots) - 1) // 2


def rounds(bots: Sequence[str]) -> Iterator[Meeting]:
    """Yield each two bots once, round by round: the first stays, the others move on one place."""
    ring: list[str | None] = [*bots, None] if len(bots) % 2 else [*bots]
    for _ in range(len(ring) - 1):
        for k in range(len(ring) // 2):
            one, two = ring[k], ring[-1 - k]
            if one is not None and two is not None:
                yield one, two
        ring[1:] = [ring[-1], *ring[1:-1]]
