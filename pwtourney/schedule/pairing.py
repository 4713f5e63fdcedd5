"""What every format is, and the pairs that it hands out: numbers, seeds, parts, what came of them.

A format is a pure function from what was played to what is played next. It hands out its pairs in
waves. What a wave holds may depend on earlier waves, but never on which of their games ended first;
so the schedule of deterministic bots is the same with any number of workers and whatever
interrupted it.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from pwtourney.ratings.game_columns import Result

__all__ = [
    "BOT_SEED_BITS",
    "DEAL_SEED_BITS",
    "ExpectedVariance",
    "GUESSABLE",
    "Format",
    "FormatTable",
    "History",
    "Meeting",
    "Options",
    "Outcomes",
    "PairPoints",
    "Pairing",
    "Played",
    "Shard",
    "derive_seed",
    "results",
]

Meeting = tuple[str, str]
"""Two bots that are to play a pair; the one that is named first has seat 0 in its first game."""

Options = tuple[tuple[str, str], ...]
"""Options of a bot and their values, as texts, in the order of their names."""

_AS_IN_FILE: Mapping[str, Options] = MappingProxyType({})

PairPoints = tuple[float | None, float | None]
"""What the bot that is named first got in the first and the second game: 0, ½, 1, None if void."""


class Pairing(NamedTuple):
    """A mirrored pair to be played.

    `number` counts all pairs of the tournament from 0; `first` has seat 0 in the first of its
    two games. Pairs with the same `deal` number share a deal. `options` are those that the two play
    this pair with, on top of what the tournament file sets.
    """

    number: int
    first: str
    second: str
    deal: int
    options: tuple[Options, Options] = ((), ())


class Played(NamedTuple):
    """A pair that has ended."""

    pairing: Pairing
    points: PairPoints

    @property
    def total(self) -> float | None:
        """The points of the bot that is named first, 0 to 2; None if a game is void."""
        first, second = self.points
        return None if first is None or second is None else first + second


History = Sequence[Played]
"""Pairs that have ended, in the order of the schedule, with none left out."""


def results(history: History) -> Iterator[Result]:
    """Yield the two games of each pair, as the ratings take them."""
    for (number, first, second, deal, _), (points, rematch) in history:
        pair = str(number)
        yield Result(first, second, points, str(deal), pair=pair)
        # A result is given from seat 0, which the other bot has in the second game.
        yield Result(second, first, None if rematch is None else 1 - rematch, str(deal), pair=pair)


class FormatTable(NamedTuple):
    """What a format adds to the ratings of a tournament: rows of cells, and notes."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


class ExpectedVariance(NamedTuple):
    """The largest variance of a rating relative to the mean, in squares of the natural scale.

    It is that of bots of even strength whose games are independent. `varies` says whether that of
    other bots may be smaller.
    """

    largest: float
    varies: bool


class Format(ABC):
    """A way to pair bots.

    A wave must know the waves that end `lag` before it: 0 for nothing at all, 1 for all waves
    before it, 2 for all but the last, so that workers have something to do while that one ends.
    """

    @property
    def lag(self) -> int:
        """How many waves back a wave must know."""
        return 0

    @abstractmethod
    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the pairs of a wave, none when the tournament is over.

        `history` holds the waves before ``index - lag + 1``.
        """

    @abstractmethod
    def max_pairs(self) -> int:
        """Return how many pairs there are at most."""

    def options(self, index: int) -> Mapping[str, Options]:
        """Return, by bot, the options of the wave that was asked for last, which is this one."""
        return _AS_IN_FILE

    def locked_settings(self) -> dict[str, Any]:
        """Return what cannot be changed once a pair has been played, as plain data."""
        return {}

    def rating_variance(self) -> ExpectedVariance | None:
        """Return how exact ratings will be; None if that is unknown before the games."""
        return None

    def table(self, history: History) -> FormatTable | None:
        """Return what this format says of a tournament; None if the ratings say it all."""
        return None

    def status(self, history: History) -> str:
        """Return what belongs in the line of progress; may be empty."""
        return ""


_POINTS: tuple[float | None, ...] = (0.0, 0.5, 1.0, None)
_CODES: list[PairPoints] = [(first, second) for first in _POINTS for second in _POINTS]
"""What a byte stands for, less one: 0 is for a pair that was not played."""

_FAR = 1 << 16


class Outcomes(Mapping[int, PairPoints]):
    """Points of the bot that is named first in both games of each pair, by the pair's number.

    Pairs are numbered from 0 almost without gaps, so a million take a megabyte; numbers far beyond
    all others, which no schedule gives, are kept aside.
    """

    def __init__(self) -> None:
        self._codes = bytearray()
        self._far: dict[int, int] = {}
        self._count = 0

    def note(self, pair: int, first: int | None, second: int | None) -> None:
        """Take in a pair: half points of its two games, 0 to 2, None for one that is void."""
        code = 1 + 4 * (3 if first is None else first) + (3 if second is None else second)
        self._count += not self._code(pair)
        # A store may be damaged or forged: one record with the number 2⁶² must not have us ask for
        # as many bytes.
        if not 0 <= pair < len(self._codes) + _FAR:
            self._far[pair] = code
            return
        if pair >= len(self._codes):
            self._codes.extend(bytes(pair + 1 - len(self._codes)))
        self._far.pop(pair, None)  # it was far when it was first noted, and is not any more
        self._codes[pair] = code

    def _code(self, pair: int) -> int:
        # The bytes may have grown past a pair that was kept aside; its byte is then still 0.
        if 0 <= pair < len(self._codes):
            return self._codes[pair] or self._far.get(pair, 0)
        return self._far.get(pair, 0)

    def __getitem__(self, pair: int) -> PairPoints:
        code = self._code(pair)
        if not code:
            raise KeyError(pair)
        return _CODES[code - 1]

    def __iter__(self) -> Iterator[int]:
        yield from (pair for pair, code in enumerate(self._codes) if code)
        yield from self._far

    def __len__(self) -> int:
        return self._count


_SHARD = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", re.ASCII)


class Shard(NamedTuple):
    """The part `number` of a schedule, counted from 1, of so many: every pair is in exactly one.

    Pair k is in part k mod `of`, so each part holds pairs from the whole length of the schedule.

    >>> Shard.parse("2/5").has(6), Shard.parse("2/5").share(8)
    (True, 2)
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read ``2/5``; raises ValueError that says what it should be."""
        numbers = _SHARD.fullmatch(text)
        if numbers is None or int(numbers[1]) > int(numbers[2]):
            raise ValueError(f"a part is written K/N, from 1/N to N/N, not {text[:40]!r}")
        return cls(int(numbers[1]), int(numbers[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, pair: int) -> bool:
        """Tell whether a pair, by its number in the schedule, is in this part."""
        return pair % self.of == self.number - 1

    def share(self, pairs: int, first: int = 0) -> int:
        """Return how many of the `pairs` pairs, numbered from `first` on, are in this part."""
        # Rounded up by -(-a // b); a part whose number is beyond the pairs has none.
        before, until = (
            max(0, -(-(end - self.number + 1) // self.of)) for end in (first, first + pairs)
        )
        return until - before


DEAL_SEED_BITS = 64
GUESSABLE = 2**48
"""Seeds below this can be found by trying them all, in hours on one machine."""

BOT_SEED_BITS = 53
"""Small enough that a bot in any language can hold its seed in a double."""


def derive_seed(seed: int, *labels: int | str, bits: int = DEAL_SEED_BITS) -> int:
    """Return a seed of `bits` bits for the purpose that the labels name.

    The tournament's seed and the labels, joined by ``/`` after ``pwtourney``, are hashed with
    SHA-256 and the first 8 bytes taken, high byte first, shifted right to size. Who is handed one
    derived seed can work out another only by trying out all tournament seeds.
    """
    # Not Python's `random`: what it makes of a seed may change with its version, and people who
    # check a tournament in another language could not follow it.
    text = "/".join(["pwtourney", str(seed), *map(str, labels)])
    number = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    # The high bits, so that a shorter seed is a prefix of the longer one in every language.
    return number >> 64 - bits
