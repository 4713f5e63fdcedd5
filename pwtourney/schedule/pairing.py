"""The base class of formats, and the pairs that they return: numbers, seeds, parts, results.

A format is a pure function from the pairs played so far to the next pairs. It returns its pairs in
waves. A wave may depend on earlier waves, but never on which of their games ended first. So the
schedule of deterministic bots is the same with any number of workers and after any interruption.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
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
    "PlayedPair",
    "Shard",
    "derive_seed",
    "results",
    "write_option",
]

Meeting = tuple[str, str]
"""Two bots that will play a pair; the first one has seat 0 in the first game."""

Options = tuple[tuple[str, str], ...]
"""The options of a bot and their values, as strings, sorted by name."""


def write_option(value: bool | float | str) -> str:
    """Return the value of an option in the form that a bot receives."""
    match value:
        case bool():  # before int, because bool is a subclass of int
            return "true" if value else "false"
        case float():  # never in the form 1e-05, which bots do not accept as a number
            return format(Decimal(repr(value)), "f")
        case _:
            return str(value)


_AS_IN_FILE: Mapping[str, Options] = MappingProxyType({})

PairPoints = tuple[float | None, float | None]
"""The points of the first bot in the first and the second game: 0, ½ or 1; None if void."""


class Pairing(NamedTuple):
    """A mirrored pair to play.

    `number` counts all pairs of the tournament from 0. `first` has seat 0 in the first of its two
    games. Pairs with the same `deal` number share a deal. `options` are the options of the two bots
    in this pair; they override those in the tournament file.
    """

    number: int
    first: str
    second: str
    deal: int
    options: tuple[Options, Options] = ((), ())


class PlayedPair(NamedTuple):
    """A pair that has ended."""

    pairing: Pairing
    points: PairPoints

    @property
    def total(self) -> float | None:
        """The points of the first bot, from 0 to 2; None if a game is void."""
        first, second = self.points
        return None if first is None or second is None else first + second


History = Sequence[PlayedPair]
"""Pairs that have ended, in the order of the schedule, without gaps."""


def results(history: History) -> Iterator[Result]:
    """Yield the two games of each pair in the form that the ratings use."""
    for (number, first, second, deal, _), (points, rematch) in history:
        pair = str(number)
        yield Result(first, second, points, str(deal), pair=pair)
        # A `Result` holds the points of seat 0, which the other bot has in the second game.
        yield Result(second, first, None if rematch is None else 1 - rematch, str(deal), pair=pair)


class FormatTable(NamedTuple):
    """A table that a format adds to the ratings of a tournament: rows of cells, and notes.

    `leader` is the bot that leads, or has won, by this table; empty if it ranks no bots or nobody
    leads yet. `words` are the headings of columns of words; "Bot" and "Against" always are.
    `leaving` are those of columns that a narrow table leaves out, the least important first.
    """

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    leader: str = ""
    words: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()


class ExpectedVariance(NamedTuple):
    """The largest variance of a rating relative to the mean, in squared units of the natural scale.

    A unit is 173.7 Elo. It is the variance for bots of equal strength whose games are
    independent, where a mirrored pair gives an information of ½. `varies` is True if
    the variance of other bots may be smaller.
    """

    largest: float
    varies: bool


class Format(ABC):
    """A rule that pairs bots.

    A wave depends on the results of the waves up to `lag` before it: 0 for none, 1 for all earlier
    waves, 2 for all but the last one, so that workers stay busy while that one ends.
    """

    @property
    def lag(self) -> int:
        """The distance in waves to the last results that a wave needs; 0 if it needs none."""
        return 0

    @abstractmethod
    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the pairs of a wave; empty when the tournament is over.

        Seats matter to bots whose processes stay, so swap the bots of each pair in every second
        wave. Two bots may meet more than once in a wave.
        """

    @abstractmethod
    def max_pairs(self) -> int:
        """Return the maximum number of pairs."""

    def options(self, index: int) -> Mapping[str, Options]:
        """Return the options of this wave, by bot. `index` is the wave that was requested last."""
        return _AS_IN_FILE

    def locked_settings(self) -> dict[str, Any]:
        """Return the settings that are fixed once a pair has been played, as plain data."""
        return {}

    def describe_length(self) -> str | None:
        """Say how many pairs to expect if that depends on the bots' strength; None if not."""
        return None

    def rating_variance(self) -> ExpectedVariance | None:
        """Return how precise ratings will be; None if that is unknown before the games."""
        return None

    @property
    def has_table(self) -> bool:
        """True if the format has a table of its own."""
        return type(self).table is not Format.table

    def table(self, history: History) -> FormatTable | None:
        """Return the format's own table of a tournament; None if the ratings say everything.

        Without a `lag`, `history` has what is stored: pairs may be missing between others.
        """
        return None

    def status(self, history: History) -> str:
        """Return a text for the progress line; may be empty. Asked only of formats with a `lag`."""
        return ""


_POINTS: tuple[float | None, ...] = (0.0, 0.5, 1.0, None)
_CODES: list[PairPoints] = [(first, second) for first in _POINTS for second in _POINTS]
"""The points that a byte stands for, by its value minus one; 0 is a pair that was not played."""

_FAR = 1 << 16


class Outcomes(Mapping[int, PairPoints]):
    """The points of the first bot in both games of each pair, by the number of the pair.

    Pairs are numbered from 0 almost without gaps, and each takes one byte: a million pairs take a
    megabyte. Numbers far beyond all others, which no schedule produces, are stored in a dictionary.
    """

    def __init__(self) -> None:
        self._codes = bytearray()
        self._far: dict[int, int] = {}
        self._count = 0

    def note(self, pair: int, first: int | None, second: int | None) -> None:
        """Add a pair: the half points of its two games, 0 to 2, None for a void game."""
        code = 1 + 4 * (3 if first is None else first) + (3 if second is None else second)
        self._count += not self._code(pair)
        # A store may be damaged or forged: one record with the number 2⁶² must not allocate that
        # many bytes.
        if not 0 <= pair < len(self._codes) + _FAR:
            self._far[pair] = code
            return
        if pair >= len(self._codes):
            self._codes.extend(bytes(pair + 1 - len(self._codes)))
        self._far.pop(pair, None)  # the pair may have been stored as far before the array grew
        self._codes[pair] = code

    def _code(self, pair: int) -> int:
        # The array may have grown past a pair in `_far`; the byte of that pair is then still 0.
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
    """Part `number` of `of` parts of a schedule, counted from 1; every pair is in exactly one part.

    Pair k is in the part with number k mod `of` + 1, so each part has pairs from the whole length
    of the schedule.

    >>> Shard.parse("2/5").has(6), Shard.parse("2/5").share(8)
    (True, 2)
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Parse text such as ``2/5``; raises ValueError that says what was expected."""
        numbers = _SHARD.fullmatch(text)
        if numbers is None or int(numbers[1]) > int(numbers[2]):
            raise ValueError(f"a part is written K/N, from 1/N to N/N, not {text[:40]!r}")
        return cls(int(numbers[1]), int(numbers[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, pair: int) -> bool:
        """Return True if a pair, given by its number in the schedule, is in this part."""
        return pair % self.of == self.number - 1

    def share(self, pairs: int, first: int = 0) -> int:
        """Return how many of the `pairs` pairs, numbered from `first` on, are in this part."""
        # `-(-a // b)` rounds up. A part whose number is beyond the pairs has none.
        before, until = (
            max(0, -(-(end - self.number + 1) // self.of)) for end in (first, first + pairs)
        )
        return until - before


DEAL_SEED_BITS = 64
GUESSABLE = 2**48
"""Seeds below this can be found by brute force, in hours on one machine."""

BOT_SEED_BITS = 53
"""The width of a bot's seed: a double holds it exactly, so a bot in any language can."""


def derive_seed(seed: int, *labels: int | str, bits: int = DEAL_SEED_BITS) -> int:
    """Return a seed of `bits` bits for the purpose that the labels name.

    The text ``pwtourney``, the tournament's seed and the labels, joined by ``/``, is hashed with
    SHA-256. The result is the first 8 bytes, big-endian, shifted right to `bits` bits. A bot that
    knows one derived seed can compute another one only by trying all tournament seeds.
    """
    # Python's `random` does not fit: its output for a seed may change between versions, and a
    # checker in another language could not reproduce it.
    text = "/".join(["pwtourney", str(seed), *map(str, labels)])
    number = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    # Take the high bits, so that a shorter seed is a prefix of the longer one in every language.
    return number >> 64 - bits
