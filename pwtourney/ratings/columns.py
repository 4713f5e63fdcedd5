"""All games as columns of numbers, in an order that does not depend on how the games came.

A hundred bots and a million games are a few dozen megabytes so, and are counted in a moment.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.result import Result

__all__ = ["NO_MARGIN", "Block", "Columns", "Ints", "blocks", "gather", "gather_blocks"]

Ints = NDArray[np.int64]

NO_MARGIN = np.iinfo(np.int32).min
"""Stands in the column of margins where a game was not played to its end."""

_VOID = -1
_HALVES = {None: _VOID, 0.0: 0, 0.5: 1, 1.0: 2}
_BLOCK = 1 << 14


class Columns(NamedTuple):
    """One row a game that counts, sorted by deal, pair, seats and outcome.

    `first` and `second` are numbers of bots; `halves` the half points of the first: 0, 1 or 2;
    `margin` its score less the second's or `NO_MARGIN`; `deal` and `pair` numbers, of which
    there are `deals` and `pairs` (a pair without a name is its deal and its two bots). `voids`
    counts the void games of each bot, `repeated` the games that were left out, because the same two
    bots had played the same moves from the same seats on the same deal before: that is one
    observation.
    """

    bots: tuple[str, ...]
    deals: int
    pairs: int
    first: Ints
    second: Ints
    halves: Ints
    margin: Ints
    deal: Ints
    pair: Ints
    voids: Ints
    repeated: int = 0

    def only(self, members: Sequence[int]) -> "Columns":
        """Return the games among some of the bots, which are numbered anew in the given order."""
        place = np.full(len(self.bots), _VOID, np.int64)
        place[list(members)] = np.arange(len(members))
        first, second = place[self.first], place[self.second]
        kept = (first >= 0) & (second >= 0)
        return self._replace(
            bots=tuple(self.bots[each] for each in members),
            first=first[kept],
            second=second[kept],
            halves=self.halves[kept],
            margin=self.margin[kept],
            deal=self.deal[kept],
            pair=self.pair[kept],
            voids=self.voids[list(members)],
        )


class Block(NamedTuple):
    """Many games at once, column by column: fields of `Result`, all of one length."""

    first: Sequence[str]
    second: Sequence[str]
    points: Sequence[float | None]
    deal: Sequence[str]
    margin: Sequence[int | None]
    pair: Sequence[str]
    moves: Iterable[int | None]


def blocks(results: Iterable[Result]) -> Iterator[Block]:
    """Turn results into blocks."""
    stream = iter(results)
    while some := list(islice(stream, _BLOCK)):
        first, second, points, deal, margin, _, pair, moves = zip(*some, strict=True)
        yield Block(first, second, points, deal, margin, pair, moves)


def gather(bots: Sequence[str] | None, results: Iterable[Result]) -> Columns:
    """Read the results once; raises KeyError for a bot that is not among the given ones.

    Without bots they are those of the games, in alphabetical order.
    """
    return gather_blocks(bots, blocks(results))


def gather_blocks(bots: Sequence[str] | None, table: Iterable[Block]) -> Columns:
    """Read blocks of games, as `gather` reads results; much faster for many."""
    index: dict[str, int] = {} if bots is None else {bot: k for k, bot in enumerate(bots)}
    first, second, halves, margin, moves = (array("q") for _ in range(5))
    deal, pair = array("q"), array("q")
    deals: dict[str, int] = {"": _VOID}
    pairs: dict[str, int] = {"": _VOID}
    for block in table:
        if bots is None:
            _number(index, block.first, block.second)
        _number(deals, block.deal)
        _number(pairs, block.pair)
        first.extend(map(index.__getitem__, block.first))
        second.extend(map(index.__getitem__, block.second))
        halves.extend(map(_HALVES.__getitem__, block.points))
        margin.extend(NO_MARGIN if each is None else each for each in block.margin)
        moves.extend(_VOID if each is None else each for each in block.moves)
        deal.extend(map(deals.__getitem__, block.deal))
        pair.extend(map(pairs.__getitem__, block.pair))
    del deals[""]
    del pairs[""]
    columns = [_numbers(each) for each in (first, second, halves, margin, moves)]
    named = _canonical(_numbers(deal), deals), _canonical(_numbers(pair), pairs)
    if bots is None:
        columns[:2] = [_canonical(each, index) for each in columns[:2]]
    return _sorted(tuple(sorted(index) if bots is None else bots), columns, *named)


def _number(numbers: dict[str, int], *columns: Sequence[str]) -> None:
    """Give every name that has none a number."""
    for name in set().union(*columns).difference(numbers):
        numbers[name] = len(numbers)


def _sorted(bots: tuple[str, ...], columns: list[Ints], deal: Ints, pair: Ints) -> Columns:
    """Leave the void games out, put the others in order, and number deals and pairs anew."""
    first, second, halves, margin, moves = columns
    kept = halves != _VOID
    again = _repetitions(moves, first, second, deal, pair)
    n = len(bots)
    voids = np.bincount(first[~kept], minlength=n) + np.bincount(second[~kept], minlength=n)
    kept &= ~again
    first, second, halves, margin = (each[kept] for each in (first, second, halves, margin))
    deal = _each_its_own(deal[kept], (margin, halves, second, first))
    deals, deal = np.unique(deal, return_inverse=True)
    pair = _paired(pair[kept], deal, first, second, n)
    pairs, pair = np.unique(pair, return_inverse=True)
    order = np.lexsort((margin, halves, second, first, pair, deal))
    return Columns(
        bots=bots,
        deals=len(deals),
        pairs=len(pairs),
        first=first[order],
        second=second[order],
        halves=halves[order],
        margin=margin[order],
        deal=deal[order].astype(np.int64),
        pair=pair[order].astype(np.int64),
        voids=voids.astype(np.int64),
        repeated=int(again.sum()),
    )


def _repetitions(
    moves: Ints, first: Ints, second: Ints, deal: Ints, pair: Ints
) -> NDArray[np.bool_]:
    """Mark the games that repeat one of a lower pair, whatever order they came in."""
    again = np.zeros(len(moves), np.bool_)
    (known,) = np.nonzero(moves != _VOID)
    if not len(known):
        return again
    keys = [each[known] for each in (moves, second, first, deal)]
    order = np.lexsort((pair[known], *keys))
    same = np.all([each[order][1:] == each[order][:-1] for each in keys], axis=0)
    again[known[order[1:]][same]] = True
    return again


def _each_its_own(deal: Ints, content: tuple[Ints, ...]) -> Ints:
    """Give games without a deal one each, in an order that only depends on what they are."""
    (unnamed,) = np.nonzero(deal == _VOID)
    order = np.lexsort([each[unnamed] for each in content])
    deal = deal.copy()
    deal[unnamed[order]] = int(deal.max(initial=-1)) + 1 + np.arange(len(unnamed))
    return deal


def _paired(pair: Ints, deal: Ints, first: Ints, second: Ints, bots: int) -> Ints:
    """Return pairs by number: by their name or else their deal, and by the two bots."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    offset = int(pair.max(initial=-1)) + 1
    numbers: Ints = (np.where(pair == _VOID, deal + offset, pair) * bots + low) * bots + high
    return numbers


def _canonical(numbers: Ints, names: dict[str, int]) -> Ints:
    """Return numbers for names in their alphabetical order instead of that in which they came."""
    place = np.empty(max(names.values(), default=-1) + 2, np.int64)
    place[[names[name] for name in sorted(names)]] = np.arange(len(names))
    place[-1] = _VOID
    ordered: Ints = place[numbers]
    return ordered


def _numbers(values: "array[int]") -> Ints:
    return np.frombuffer(values, np.int64) if len(values) else np.zeros(0, np.int64)
