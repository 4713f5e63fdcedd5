"""What came of each pair, in a byte a pair."""

from collections.abc import Iterator, Mapping

from pwtourney.schedule.pairing import PairPoints

__all__ = ["Outcomes"]

_POINTS: tuple[float | None, ...] = (0.0, 0.5, 1.0, None)
_CODES: list[PairPoints] = [(one, two) for one in _POINTS for two in _POINTS]
"""What a byte stands for, less one: 0 is for a pair that is not there."""

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

    def note(self, pair: int, one: int | None, two: int | None) -> None:
        """Take in a pair: half points of its two games, 0 to 2, None for one that is void."""
        code = 1 + 4 * (3 if one is None else one) + (3 if two is None else two)
        self._count += not self._code(pair)
        if not 0 <= pair < len(self._codes) + _FAR:
            self._far[pair] = code
            return
        if pair >= len(self._codes):
            self._codes.extend(bytes(pair + 1 - len(self._codes)))
        self._far.pop(pair, None)
        self._codes[pair] = code

    def _code(self, pair: int) -> int:
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
