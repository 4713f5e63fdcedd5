"""The facts of a game that ratings need, and all games as columns of numbers.

The order of the rows does not depend on the order in which the games arrived. A hundred bots and a
million games fit into a few dozen megabytes and are counted in a moment.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.coded_names import NAMELESS, Names, unite
from pwtourney.ratings.dense import MARKS, Ints, have_one_value, number_densely, sort_rows

__all__ = [
    "HALVES",
    "NO_MARGIN",
    "UNKNOWN",
    "VOID",
    "Block",
    "Columns",
    "Ints",
    "Result",
    "gather",
    "gather_blocks",
    "make_blocks",
    "select_members",
]

NO_MARGIN = np.iinfo(np.int32).min
"""Value in the column of margins for a game that was not played to its end."""

VOID = -1
"""Value in the column of half points for a void game."""

UNKNOWN = -1
"""Value in the column of moves where they are not known."""

HALVES = {None: VOID, 0.0: 0, 0.5: 1, 1.0: 2}
"""Half points by points."""

_BLOCK = 1 << 14
"""Games taken from a stream at a time, so that a million results are never objects at once."""


class Result(NamedTuple):
    """One game: the bots by seat and the points of the first seat.

    `points` is 1, 0, ½ when both bots failed, or None for a void game, which is not counted. `deal`
    is the id of its deal; games on one deal are not independent. `margin` is the first seat's score
    minus the second's, None unless the game was played to its end. `pair` names the mirrored pair,
    and is empty if unknown. `moves` is a hash of the actions, 0 to 2**63 − 1, which detects
    repeated games; None if there is none.
    """

    first: str
    second: str
    points: float | None
    deal: str
    margin: int | None = None
    pair: str = ""
    moves: int | None = None


class Columns(NamedTuple):
    """One row per game that counts, sorted by deal, pair, seats and outcome.

    `first` and `second` are numbers of bots. `halves` is the half points of the first: 0, 1 or 2.
    `margin` is its score minus the second's, or `NO_MARGIN`. `deal` and `pair` are numbers below
    `deals` and `pairs`; a pair without a name is identified by its deal and its two bots. A deal
    from `known_deals` on has no name: it was given to a single game without a deal. `voids`
    counts the void games of each bot. `repeated` counts games that were left out because the same
    two bots had played the same moves from the same seats on the same deal before: that is one
    observation. `paired_by_results` is True if some pairings depended on results, and
    `chosen_by_results` if the number of pairs of two bots did. `run` is the number of the run in
    which a game was played, −1 if unknown; it is None unless there are several.
    """

    bots: tuple[str, ...]
    deals: int
    known_deals: int
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
    run: Ints | None = None

    @classmethod
    def of(
        cls,
        bots: tuple[str, ...],
        *,
        first: Ints,
        second: Ints,
        halves: Ints,
        deal: Ints,
        margin: Ints,
        pair: Ints,
        moves: Ints,
        run: Ints | None = None,
    ) -> "Columns":
        """Sort games, and number their deals and pairs.

        `deal` and `pair` are any numbers, −1 where a game has none. `halves` is −1 for void games,
        which are left out, and `moves` is −1 where they are not known.
        """
        kept = halves != VOID
        again = _find_repetitions(moves, first, second, deal, pair)
        n = len(bots)
        voids = np.bincount(first[~kept], minlength=n) + np.bincount(second[~kept], minlength=n)
        kept &= ~again  # only now: a void game that repeats another is still a void game
        if not kept.all():
            first, second, halves, margin, deal, pair = (
                column[kept] for column in (first, second, halves, margin, deal, pair)
            )
            run = None if run is None else run[kept]
        deals, known_deals, deal = _number_deals(deal, (first, second, halves, margin))
        pairs, pair = _number_pairs(pair, deal, first, second, n)
        order = sort_rows((deal, pair, first, second, halves, margin))
        return cls(
            bots=bots,
            deals=deals,
            known_deals=known_deals,
            pairs=pairs,
            first=first[order],
            second=second[order],
            halves=halves[order],
            margin=margin[order],
            deal=deal[order],
            pair=pair[order],
            voids=voids.astype(np.int64),
            repeated=int(again.sum()),
            run=None if run is None else run[order],
        )

    def select(self, members: Sequence[int]) -> "Columns":
        """Return the games among some of the bots, which are renumbered in the given order."""
        first, second, kept = select_members(self.first, self.second, len(self.bots), members)
        return self._replace(
            bots=tuple(self.bots[member] for member in members),
            first=first,
            second=second,
            halves=self.halves[kept],
            margin=self.margin[kept],
            deal=self.deal[kept],
            pair=self.pair[kept],
            voids=self.voids[list(members)],
            run=None if self.run is None else self.run[kept],
        )

    def count_loose_games(self) -> int:
        """Return the number of games without a deal, so that it is unknown which ones share one."""
        return int(np.count_nonzero(self.deal >= self.known_deals))

    def find_whole_pairs(self) -> NDArray[np.bool_]:
        """Return for each pair whether both of its games are here, one from each seat."""
        size = np.bincount(self.pair, minlength=self.pairs)
        # tables of other programs may name pairs whose two games have the same seats
        began = np.bincount(self.pair, self.first < self.second, self.pairs)
        whole: NDArray[np.bool_] = (size == 2) & (began == 1)
        return whole


def select_members(
    first: Ints, second: Ints, bots: int, members: Sequence[int]
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return the bots of the rows among some of `bots`, and which rows these are.

    The bots are renumbered in the order of `members`.
    """
    number = np.full(bots, -1, np.int64)
    number[list(members)] = np.arange(len(members))
    first, second = number[first], number[second]
    kept = (first >= 0) & (second >= 0)
    return first[kept], second[kept], kept


class Block(NamedTuple):
    """Many games at once as columns of equal length.

    `halves` is the half points of the first bot, −1 for a void game. `margin` is `NO_MARGIN` and
    `moves` is −1 where `Result` has None. `paired_by_results` is True if pairings depended on
    results, and `chosen_by_results` if the number of pairs of two bots did. `run` names the run in
    which they were played; None if it must not be compared with others.
    """

    first: Names
    second: Names
    halves: NDArray[np.int8]
    deal: Names
    margin: Ints
    pair: Names
    moves: Ints
    paired_by_results: bool = False
    chosen_by_results: bool = False
    run: str | None = ""

    @classmethod
    def of(cls, games: Sequence[Result]) -> "Block":
        """Return one or more games as columns."""
        first, second, points, deal, margin, pair, moves = zip(*games, strict=True)
        return cls(
            first=Names.of(first),
            second=Names.of(second),
            halves=np.fromiter(map(HALVES.__getitem__, points), np.int8),
            deal=Names.of(deal),
            margin=np.array([NO_MARGIN if by is None else by for by in margin], np.int64),
            pair=Names.of(pair),
            moves=np.array([UNKNOWN if played is None else played for played in moves], np.int64),
        )

    def results(self) -> list[Result]:
        """Return the games as a list of results."""
        moves, margins = self.moves.tolist(), self.margin.tolist()
        columns = (
            self.first.rows(),
            self.second.rows(),
            [None if half == VOID else half / 2 for half in self.halves.tolist()],
            self.deal.rows(),
            [None if by == NO_MARGIN else by for by in margins],
            self.pair.rows(),
            [None if played == UNKNOWN else played for played in moves],
        )
        return [Result(*game) for game in zip(*columns, strict=True)]


def _number_deals(deal: Ints, content: Sequence[Ints]) -> tuple[int, int, Ints]:
    """Return the number of deals, how many of them have a name, and the deals renumbered from 0.

    A game without a deal gets one of its own, numbered after the others. These are numbered by the
    games' content, the most important column first, not by arrival: sums must not depend on the
    order of the games.
    """
    (unnamed,) = np.nonzero(deal == NAMELESS)
    if len(unnamed):
        order = np.lexsort([column[unnamed] for column in reversed(content)])
        deal = deal.copy()
        deal[unnamed[order]] = int(deal.max(initial=-1)) + 1 + np.arange(len(unnamed))
    deals, deal = number_densely(deal)
    return deals, deals - len(unnamed), deal


def _number_pairs(pair: Ints, deal: Ints, first: Ints, second: Ints, bots: int) -> tuple[int, Ints]:
    """Return the number of pairs, and the pairs renumbered from 0, each with one name and two bots.

    A game without a pair's name is assigned by its deal, on which several pairings may meet. The
    two games of a pair have its bots in opposite seats.
    """
    met = np.minimum(first, second) * bots + np.maximum(first, second)
    pair = np.where(pair == NAMELESS, deal + int(pair.max(initial=-1)) + 1, pair)
    pairs, pair = number_densely(pair)
    bots_of_pair = np.empty(pairs, np.int64)
    bots_of_pair[pair] = met
    if (bots_of_pair[pair] != met).any():  # rare, and takes a sort
        return number_densely(np.unique(pair * bots * bots + met, return_inverse=True)[1])
    return pairs, pair


def make_blocks(results: Iterable[Result]) -> Iterator[Block]:
    """Turn results into blocks of at most `_BLOCK` games."""
    stream = iter(results)
    while games := list(islice(stream, _BLOCK)):
        yield Block.of(games)


_NO_GAMES = Block(
    *(Names([], np.zeros(0, np.int32)),) * 2,
    halves=np.zeros(0, np.int8),
    deal=Names([], np.zeros(0, np.int32)),
    margin=np.zeros(0, np.int64),
    pair=Names([], np.zeros(0, np.int32)),
    moves=np.zeros(0, np.int64),
)


def count_deals(deal: Ints, first: Ints, second: Ints, bots: int) -> list[int]:
    """Return how many different deals each bot has played on, by its number.

    Rows must be sorted by deal.
    """
    deals = int(deal.max(initial=-1)) + 1
    if have_one_value(deal, np.minimum(first, second) * bots + np.maximum(first, second)):
        leads = np.diff(deal, prepend=-1) != 0
        players = np.concatenate([first[leads], second[leads]])
        alone: list[int] = np.bincount(players, minlength=bots).tolist()
        return alone
    if deals * bots <= MARKS * len(deal):
        seen = np.zeros((deals, bots), np.bool_)
        seen[deal, first] = seen[deal, second] = True
        return [int(played) for played in np.count_nonzero(seen, axis=0)]
    keys = np.concatenate([deal * bots + first, deal * bots + second])
    keys.sort()  # much faster here than the hashing of np.unique
    once = keys[np.diff(keys, prepend=-1) != 0] % max(1, bots)
    counts: list[int] = np.bincount(once, minlength=bots).tolist()
    return counts


def gather(bots: Sequence[str] | None, results: Iterable[Result]) -> Columns:
    """Read the results once; raises KeyError for a bot that is not among the given ones.

    Without `bots` they are those of the games, in alphabetical order.
    """
    return gather_blocks(bots, make_blocks(results))


def gather_blocks(bots: Sequence[str] | None, table: Iterable[Block]) -> Columns:
    """Read blocks of games, as `gather` reads results; much faster for many games."""
    blocks = [_NO_GAMES, *table]  # np.concatenate needs at least one array
    names, players = unite([block.first for block in blocks] + [block.second for block in blocks])
    if (players == NAMELESS).any():
        raise KeyError("")
    texts = [name if isinstance(name, str) else name.decode() for name in names]
    if bots is not None:
        index = {bot: number for number, bot in enumerate(bots)}
        players = np.array([index[name] for name in texts], np.int64)[players]
    columns = Columns.of(
        tuple(texts if bots is None else bots),
        first=players[: len(players) // 2],
        second=players[len(players) // 2 :],
        halves=np.concatenate([block.halves for block in blocks], dtype=np.int64),
        deal=unite([block.deal for block in blocks])[1],
        margin=np.concatenate([block.margin for block in blocks], dtype=np.int64),
        pair=unite([block.pair for block in blocks])[1],
        moves=np.concatenate([block.moves for block in blocks]),
        run=_number_runs(blocks),
    )
    return columns._replace(
        paired_by_results=any(block.paired_by_results for block in blocks),
        chosen_by_results=any(block.chosen_by_results for block in blocks),
    )


def _number_runs(blocks: Sequence[Block]) -> Ints | None:
    """Return the number of each game's run, in the order of the runs; None unless several."""
    names = dict.fromkeys(
        block.run for block in blocks if len(block.halves) and block.run is not None
    )
    if len(names) < 2:
        return None
    numbers = {name: number for number, name in enumerate(names)}
    runs = [-1 if block.run is None else numbers.get(block.run, -1) for block in blocks]
    return np.repeat(np.array(runs, np.int64), [len(block.halves) for block in blocks])


def _find_repetitions(
    moves: Ints, first: Ints, second: Ints, deal: Ints, pair: Ints
) -> NDArray[np.bool_]:
    """Mark the games that repeat one of a lower pair, in whatever order they arrived."""
    again = np.zeros(len(moves), np.bool_)
    (known,) = np.nonzero(moves != UNKNOWN)
    if not len(known):
        return again
    keys = [column[known] for column in (moves, second, first, deal)]
    # lexsort sorts by its last key first, so the lowest pair comes first among repetitions and is
    # kept
    order = np.lexsort((pair[known], *keys))
    same = np.all([key[order][1:] == key[order][:-1] for key in keys], axis=0)
    again[known[order[1:]][same]] = True
    return again
