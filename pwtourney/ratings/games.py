"""What the ratings need to know of a game, and all games as columns of numbers.

The order of the columns does not depend on the order in which the games came. A hundred bots and
a million games fit into a few dozen megabytes and are counted in a moment.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "NO_MARGIN",
    "Block",
    "Columns",
    "Ints",
    "Result",
    "gather",
    "gather_blocks",
    "make_blocks",
]

Ints = NDArray[np.int64]

NO_MARGIN = np.iinfo(np.int32).min
"""Stands in the column of margins where a game was not played to its end."""

_VOID = -1
_HALVES = {None: _VOID, 0.0: 0, 0.5: 1, 1.0: 2}
_BLOCK = 1 << 14
"""Games that are taken from a stream at a time: a million results are never objects at once."""


class Result(NamedTuple):
    """One game: the bots by seat and what the first seat got.

    `points` is 1, 0, ½ when both bots failed, or None for a void game, which counts nowhere.
    `deal` is its id; games on one deal are not independent. `margin` is the first
    seat's score minus the second's, None unless the game was played to its end. `pair` names the
    mirrored pair, empty where that is not known.
    `moves` is a hash of the actions, 0 to 2**63 − 1, by which a repetition is known, None if
    there is none.
    """

    first: str
    second: str
    points: float | None
    deal: str
    margin: int | None = None
    pair: str = ""
    moves: int | None = None


class Columns(NamedTuple):
    """One row a game that counts, sorted by deal, pair, seats and outcome.

    `first` and `second` are numbers of bots; `halves` the half points of the first: 0, 1 or 2;
    `margin` its score less the second's or `NO_MARGIN`; `deal` and `pair` numbers, of which
    there are `deals` and `pairs` (a pair without a name is its deal and its two bots). `voids`
    counts the void games of each bot, `repeated` the games that were left out, because the same two
    bots had played the same moves from the same seats on the same deal before: that is one
    observation. `paired_by_results` tells whether who met whom depended on who won, in some games,
    and `chosen_by_results` whether how many pairs two bots played did.
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
    paired_by_results: bool = False
    chosen_by_results: bool = False

    def select(self, members: Sequence[int]) -> "Columns":
        """Return the games among some of the bots, which are numbered in the given order."""
        number = np.full(len(self.bots), _VOID, np.int64)
        number[list(members)] = np.arange(len(members))
        first, second = number[self.first], number[self.second]
        kept = (first >= 0) & (second >= 0)
        return self._replace(
            bots=tuple(self.bots[member] for member in members),
            first=first[kept],
            second=second[kept],
            halves=self.halves[kept],
            margin=self.margin[kept],
            deal=self.deal[kept],
            pair=self.pair[kept],
            voids=self.voids[list(members)],
        )


class Block(NamedTuple):
    """Many games at once, column by column: fields of `Result`, all of one length.

    `paired_by_results` tells whether who met whom depended on who won, and `chosen_by_results`
    whether how many pairs two bots played did.
    """

    first: Sequence[str]
    second: Sequence[str]
    points: Sequence[float | None]
    deal: Sequence[str]
    margin: Sequence[int | None]
    pair: Sequence[str]
    moves: Iterable[int | None]
    paired_by_results: bool = False
    chosen_by_results: bool = False


def make_blocks(results: Iterable[Result]) -> Iterator[Block]:
    """Turn results into blocks."""
    stream = iter(results)
    while games := list(islice(stream, _BLOCK)):
        first, second, points, deal, margin, pair, moves = zip(*games, strict=True)
        yield Block(first, second, points, deal, margin, pair, moves)


def count_deals(deal: Ints, first: Ints, second: Ints, bots: int) -> list[int]:
    """Return on how many different deals each bot has played, by its number."""
    keys = np.concatenate([deal * bots + first, deal * bots + second])
    keys.sort()  # much faster here than the hashing of np.unique
    once = keys[np.diff(keys, prepend=-1) != 0] % max(1, bots)
    counts: list[int] = np.bincount(once, minlength=bots).tolist()
    return counts


def gather(bots: Sequence[str] | None, results: Iterable[Result]) -> Columns:
    """Read the results once; raises KeyError for a bot that is not among the given ones.

    Without bots they are those of the games, in alphabetical order.
    """
    return gather_blocks(bots, make_blocks(results))


def gather_blocks(bots: Sequence[str] | None, table: Iterable[Block]) -> Columns:
    """Read blocks of games, as `gather` reads results; much faster for many."""
    index: dict[str, int] = {} if bots is None else {bot: k for k, bot in enumerate(bots)}
    # arrays and not lists: eight bytes a number, and numpy takes them over without a copy
    first, second, halves, margin, moves = (array("q") for _ in range(5))
    deal, pair = array("q"), array("q")
    deals: dict[str, int] = {"": _VOID}
    pairs: dict[str, int] = {"": _VOID}
    paired_by_results = chosen_by_results = False
    for block in table:
        paired_by_results |= block.paired_by_results
        chosen_by_results |= block.chosen_by_results
        if bots is None:
            _number_new_names(index, block.first, block.second)
        _number_new_names(deals, block.deal)
        _number_new_names(pairs, block.pair)
        # column by column, because `map` and `extend` loop in C: this is what reading costs
        first.extend(map(index.__getitem__, block.first))
        second.extend(map(index.__getitem__, block.second))
        halves.extend(map(_HALVES.__getitem__, block.points))
        margin.extend(NO_MARGIN if value is None else value for value in block.margin)
        moves.extend(_VOID if value is None else value for value in block.moves)
        deal.extend(map(deals.__getitem__, block.deal))
        pair.extend(map(pairs.__getitem__, block.pair))
    del deals[""]
    del pairs[""]
    columns = [_to_numpy(values) for values in (first, second, halves, margin, moves)]
    named = _renumber_by_name(_to_numpy(deal), deals), _renumber_by_name(_to_numpy(pair), pairs)
    if bots is None:
        columns[:2] = [_renumber_by_name(column, index) for column in columns[:2]]
    ordered = _order_games(tuple(sorted(index) if bots is None else bots), columns, *named)
    return ordered._replace(
        paired_by_results=paired_by_results, chosen_by_results=chosen_by_results
    )


def _number_new_names(numbers: dict[str, int], *columns: Sequence[str]) -> None:
    """Give every name that has none a number."""
    for name in set().union(*columns).difference(numbers):
        numbers[name] = len(numbers)


def _order_games(bots: tuple[str, ...], columns: list[Ints], deal: Ints, pair: Ints) -> Columns:
    """Leave the void games out, put the others in order, and number their deals and pairs."""
    first, second, halves, margin, moves = columns
    kept = halves != _VOID
    again = _find_repetitions(moves, first, second, deal, pair)
    n = len(bots)
    voids = np.bincount(first[~kept], minlength=n) + np.bincount(second[~kept], minlength=n)
    kept &= ~again  # only now: a void game that repeats another is still a void game
    first, second, halves, margin, deal, pair = (
        column[kept] for column in (first, second, halves, margin, deal, pair)
    )
    # a game without a deal gets one of its own, by content and not by arrival: sums must not depend
    # on the order of the games
    (unnamed,) = np.nonzero(deal == _VOID)
    order = np.lexsort([column[unnamed] for column in (margin, halves, second, first)])
    deal[unnamed[order]] = int(deal.max(initial=-1)) + 1 + np.arange(len(unnamed))
    deals, deal = np.unique(deal, return_inverse=True)
    # by the bots, too: without a name there is only the deal, on which several pairings may meet;
    # by the lower and the higher, because the two games of a pair have them in opposite seats
    low, high = np.minimum(first, second), np.maximum(first, second)
    pair = np.where(pair == _VOID, deal + int(pair.max(initial=-1)) + 1, pair)
    pairs, pair = np.unique((pair * n + low) * n + high, return_inverse=True)
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


def _find_repetitions(
    moves: Ints, first: Ints, second: Ints, deal: Ints, pair: Ints
) -> NDArray[np.bool_]:
    """Mark the games that repeat one of a lower pair, whatever order they came in."""
    again = np.zeros(len(moves), np.bool_)
    (known,) = np.nonzero(moves != _VOID)
    if not len(known):
        return again
    keys = [column[known] for column in (moves, second, first, deal)]
    # lexsort takes its last key first, so the lowest pair leads its repetitions and is kept
    order = np.lexsort((pair[known], *keys))
    same = np.all([key[order][1:] == key[order][:-1] for key in keys], axis=0)
    again[known[order[1:]][same]] = True
    return again


def _renumber_by_name(numbers: Ints, names: dict[str, int]) -> Ints:
    """Return numbers for names in their alphabetical order instead of that in which they came."""
    renumbered = np.empty(max(names.values(), default=-1) + 2, np.int64)
    renumbered[[names[name] for name in sorted(names)]] = np.arange(len(names))
    renumbered[-1] = _VOID  # a game without a name has the number −1, which reads the last entry
    ordered: Ints = renumbered[numbers]
    return ordered


def _to_numpy(values: "array[int]") -> Ints:
    # numpy refuses a buffer without a byte
    return np.frombuffer(values, np.int64) if len(values) else np.zeros(0, np.int64)
