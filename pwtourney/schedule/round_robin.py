"""A round robin, and the formats that are made of rounds as it is: gauntlet, solo and focus."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pwtourney.ratings.order import choose_pairs
from pwtourney.rules.automa import AUTOMA_NAME
from pwtourney.schedule.pairing import Format, History, Meeting, results

__all__ = ["Focus", "Gauntlet", "RoundRobin", "SoloFormat", "ladder_rounds", "rounds"]


@dataclass(frozen=True)
class RoundRobin(Format):
    """Each two bots play `pairs` mirrored pairs; a wave is one pair of each two.

    With a `reach` only bots that stand at most this many places apart play each other. Within a
    wave nobody plays twice in a round, so a table read half-way is fair. Who has the first seat
    first alternates from wave to wave.
    """

    bots: tuple[str, ...]
    pairs: int
    reach: int | None = None

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each two bots that meet."""
        if index >= self.pairs:
            return ()
        # Both seats are played in every pair, but a bot whose process stays has seen the deal when
        # the second game begins: who meets it from seat 0 first takes turns.
        meetings = chain.from_iterable(self._rounds())
        return [pair if index % 2 == 0 else pair[::-1] for pair in meetings]

    def _rounds(self) -> Iterator[list[Meeting]]:
        return rounds(self.bots) if self.reach is None else ladder_rounds(self.bots, self.reach)

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        count = len(self.bots)
        farthest = count - 1 if self.reach is None else min(self.reach, count - 1)
        # As many as there are bots, less one, stand one place apart, less two stand two apart, …
        return self.pairs * farthest * (2 * count - farthest - 1) // 2

    def locked_settings(self) -> dict[str, Any]:
        """Return how far apart bots may stand that meet, if that is limited."""
        return {} if self.reach is None else {"reach": self.reach}


def rounds(bots: Sequence[str]) -> Iterator[list[Meeting]]:
    """Yield the rounds of the circle method, in which each two bots meet once.

    The first bot stays, the others move on one place. After each round everybody has played as
    often as everybody else; with an odd number of bots one sits out, each in turn.
    """
    # With an odd number somebody must sit out: whoever sits across from nobody.
    ring: list[str | None] = [*bots, None] if len(bots) % 2 else [*bots]
    for _ in range(len(ring) - 1):
        across = [(ring[k], ring[-1 - k]) for k in range(len(ring) // 2)]
        yield [(a, b) for a, b in across if a is not None and b is not None]
        ring[1:] = [ring[-1], *ring[1:-1]]


def ladder_rounds(bots: Sequence[str], reach: int) -> Iterator[list[Meeting]]:
    """Yield rounds in which each two bots meet once that stand at most `reach` places apart.

    Only bots with fewer others within reach, which are those near the ends, sit out; where the
    reach is half of the ladder or more, with an odd number of bots, one more does, each in turn.
    """
    if 2 * reach < len(bots):
        yield from _rounds_by_distance(bots, reach)
        return
    # The circle method needs no more rounds than the bots in the middle have opponents. By distance
    # these would have played all of theirs long before the ends meet.
    rung = {bot: k for k, bot in enumerate(bots)}
    for meetings in rounds(bots):
        yield [(a, b) for a, b in meetings if abs(rung[a] - rung[b]) <= reach]


def _rounds_by_distance(bots: Sequence[str], reach: int) -> Iterator[list[Meeting]]:
    """Yield two rounds for each distance, neighbours first, so that all are soon connected."""
    for distance in range(1, reach + 1):
        for turn in (0, 1):
            # The ladder is cut into blocks as long as the distance. Of each bot in an even block
            # the partner is in the odd block above, and in the second round the other way round.
            yield [
                (bots[k], bots[k + distance])
                for k in range(len(bots) - distance)
                if k // distance % 2 == turn
            ]


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
        everybody = list(chain.from_iterable(rounds(self.bots)))
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
