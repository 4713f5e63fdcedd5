"""A round robin, and the formats that are made of rounds as it is: gauntlet, solo and focus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pwtourney.ratings.order import choose_pairs
from pwtourney.rules.automa import AUTOMA_NAME
from pwtourney.schedule.pairing import Format, History, Meeting, results

__all__ = ["Focus", "Gauntlet", "RoundRobin", "SoloFormat", "rounds"]


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
        # Both seats are played in every pair, but a bot whose process stays has seen the deal when
        # the second game begins: who meets it from seat 0 first takes turns.
        return [pair if index % 2 == 0 else pair[::-1] for pair in rounds(self.bots)]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots) * (len(self.bots) - 1) // 2


def rounds(bots: Sequence[str]) -> Iterator[Meeting]:
    """Yield each two bots once, round by round: the first stays, the others move on one place."""
    # With an odd number somebody must sit out: whoever sits across from nobody.
    ring: list[str | None] = [*bots, None] if len(bots) % 2 else [*bots]
    for _ in range(len(ring) - 1):
        for k in range(len(ring) // 2):
            first, second = ring[k], ring[-1 - k]
            if first is not None and second is not None:
                yield first, second
        ring[1:] = [ring[-1], *ring[1:-1]]


@dataclass(frozen=True)
class Gauntlet(Format):
    """Each challenger plays `pairs` mirrored pairs against each bot of the field.

    Challengers do not meet each other. A wave is one pair of each challenger with each of the
    field, in rounds in which every challenger moves on to the next opponent. Who has the first
    seat first alternates.
    """

    challengers: tuple[str, ...]
    field: tuple[str, ...]
    pairs: int

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each challenger with each of the field."""
        if index >= self.pairs:
            return ()
        size = len(self.field)
        # The turn is the outer loop: challengers are compared with each other, so at any moment
        # they should have played as many pairs, and against as strong a part of the field.
        meetings = [
            (challenger, self.field[(start + turn) % size])
            for turn in range(size)
            for start, challenger in enumerate(self.challengers)
        ]
        return meetings if index % 2 == 0 else [pair[::-1] for pair in meetings]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.challengers) * len(self.field)

    def locked_settings(self) -> dict[str, Any]:
        """Return who challenges."""
        return {"challengers": list(self.challengers)}


@dataclass(frozen=True)
class SoloFormat(Format):
    """Each bot plays `pairs` pairs of games against the Automa; a wave is one pair of each bot.

    In a wave all bots play the same deal, and meet the same two orders of the Automa's deck, one
    in each game; the bot always moves first, as the rules have it.
    """

    bots: tuple[str, ...]
    pairs: int
    level: str
    tactical: bool

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each bot."""
        return [(bot, AUTOMA_NAME) for bot in self.bots] if index < self.pairs else ()

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots)

    def locked_settings(self) -> dict[str, Any]:
        """Return how the Automa plays."""
        return {"automa": {"level": self.level, "tactical": self.tactical}}


@dataclass(frozen=True)
class Focus(Format):
    """As many pairs as a round robin with `pairs` for each two bots, differently spread.

    Half of them are for everybody, half for the question who is best: every second wave is a round
    robin. The waves between hold the pairs that shrink most the variances of (best − k), each
    weighted by exp(−z²/2), where z is how many standard errors bot k is behind: bots that may still
    be the best, and their opponents, are looked at closer than those that cannot.
    """

    bots: tuple[str, ...]
    pairs: int

    # A wave is chosen while the one before it is played: workers never wait for a slow last game,
    # and what one wave adds to the ratings changes little in what is worth asking next.
    lag = 2

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return a round robin, or as many pairs chosen by what is known."""
        if index >= self.pairs:
            return ()
        everybody = list(rounds(self.bots))
        # Only every second wave is a round robin, so those alternate by fours.
        round_robin = [pair if index % 4 < 2 else pair[::-1] for pair in everybody]
        if index % 2 == 0 or not history:
            return round_robin
        chosen = choose_pairs(self.bots, results(history), len(everybody))
        # What is chosen has no order within a pair, so along the list the seats alternate.
        return [pair if k % 2 == 0 else pair[::-1] for k, pair in enumerate(chosen)]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots) * (len(self.bots) - 1) // 2
