"""Whole games in one compiled call: positions as arrays and back, the policy, and the games."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pwtourney.rules import Edition, Player, State
from pwtourney.simulate.compile_cache import KERNEL, MOST_SQUARES, fingerprint
from pwtourney.simulate.kernel import (
    BUTTONS,
    COLUMNS,
    COUNT,
    HEAD,
    INCOME,
    LAST,
    LATE,
    LINKS,
    OFFER,
    ONE,
    PENDING,
    SPACE,
    TILE,
    TO_MOVE,
    below,
    compiled,
    count_legal,
    count_of,
    covered_by,
    play,
    reveal,
    score_of,
    shifted_left,
    shifted_right,
)

__all__ = ["Encoder", "Tables", "choose", "follow", "playouts", "worth_of"]

_TRIES = 6
_RANDOM_SHARE = 8
_WORD = (1 << 64) - 1
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]

_kept = njit(cache=True)
"""For functions that are called from Python.

Only these are cached, with everything that they call compiled in: a function that is cached
separately cannot be inlined into its caller any more, which halves the speed.
"""


class Tables(NamedTuple):
    """The tables of an edition for the kernel; patches are numbered in the order of the edition.

    A mask is two words, the lower squares first. `first` contains for each patch where its
    orientations begin in `lays`, `fits` and `steps`, plus one final entry. `steps` contains for
    each orientation its number of offsets, then the indices of those among the patch's `shifts`.
    """

    ids: Ints
    cost: Ints
    time: Ints
    income: Ints
    squares: Ints
    first: Ints
    lays: Words
    fits: Words
    steps: Ints
    first_shift: Ints
    shifts: Words
    incomes: Ints
    leathers: Ints
    full: Words
    windows: Words
    edges: Words
    numbers: Ints


class Encoder:
    """Converts positions of one edition into arrays and back.

    Raises ValueError if the edition's quilts have over 128 squares.
    """

    def __init__(self, edition: Edition) -> None:
        squares = edition.rows * edition.columns
        if squares > MOST_SQUARES:
            raise ValueError(
                f"compiled games are for quilts of at most {MOST_SQUARES} squares;"
                f" those of {edition.name} have {squares}"
            )
        self._edition = edition
        self._tables = _make_tables(edition)
        self._number = {patch.id: number for number, patch in enumerate(edition.patches)}

    def encode(self, state: State) -> tuple[Tables, Words, Ints]:
        """Return the first arguments of the kernel's functions: tables, quilts and facts.

        Late patches whose order is hidden are in the order of their ids.
        """
        patches = len(self._edition.patches)
        quilts = np.array([_split(player.quilt) for player in state.players], dtype=np.uint64)
        late = self._edition.late.patches if state.late and self._edition.late else ()
        order = sorted(late) if state.is_late_hidden else state.late
        facts = np.zeros(LINKS + 2 * patches + len(late), dtype=np.int64)
        for seat, player in enumerate(state.players):
            facts[3 * seat + BUTTONS] = player.buttons
            facts[3 * seat + INCOME] = player.income
            facts[3 * seat + SPACE] = player.space
        facts[TO_MOVE], facts[PENDING] = state.to_move, state.pending
        facts[TILE] = -1 if state.tile is None else state.tile
        facts[COUNT], facts[LATE] = len(state.circle), len(order)
        circle = [self._number[patch] for patch in state.circle]
        for index, patch in enumerate(circle):
            facts[LINKS + patch] = circle[(index + 1) % len(circle)]
            facts[LINKS + patches + patch] = circle[index - 1]
        facts[HEAD] = circle[0] if circle else 0
        for index, patch in enumerate(order):
            facts[LINKS + 2 * patches + index] = self._number[patch]
        return self._tables, quilts.reshape(4), facts

    def decode(self, quilts: Words, facts: Ints) -> State:
        """Return the position that the arrays hold."""
        edition = self._edition
        patches = edition.patches
        first, second = (
            Player(
                int(quilts[2 * seat]) | int(quilts[2 * seat + 1]) << 64,
                *(int(facts[3 * seat + fact]) for fact in (BUTTONS, INCOME, SPACE)),
            )
            for seat in (0, 1)
        )
        circle, patch = [], int(facts[HEAD])
        for _ in range(facts[COUNT]):
            circle.append(patches[patch].id)
            patch = int(facts[LINKS + patch])
        begin = LINKS + 2 * len(patches)
        late = tuple(patches[number].id for number in facts[begin : begin + facts[LATE]])
        tile = None if facts[TILE] < 0 else int(facts[TILE])
        to_move, pending = int(facts[TO_MOVE]), int(facts[PENDING])
        return State(edition, (first, second), tuple(circle), late, to_move, pending, tile)


@compiled
def worth_of(tables, facts, seat, patch):
    """Return the value of a patch in points per space, times a thousand.

    It is two points per square, its income at every payday that is left, minus its cost.
    """
    paydays = tables.incomes[tables.numbers[LAST]] - tables.incomes[facts[SPACE + 3 * seat]]
    points = 2 * tables.squares[patch] + tables.income[patch] * paydays - tables.cost[patch]
    return 1000 * points // max(tables.time[patch], 1)  # integers: the same on all machines


@compiled
def contact_of(tables, quilts, seat, squares_low, squares_high):
    """Count the sides at which squares to be covered meet covered ones or the border."""
    low = quilts[2 * seat] | squares_low
    high = quilts[2 * seat + 1] | squares_high
    columns = np.uint64(tables.numbers[COLUMNS])
    edges = tables.edges
    total = 0
    for k in range(4):
        total += count_of(squares_low & edges[k, 0], squares_high & edges[k, 1])
    up = shifted_right(squares_low, squares_high, columns)
    down = shifted_left(squares_low, squares_high, columns)
    west = shifted_right(squares_low & ~edges[2, 0], squares_high & ~edges[2, 1], ONE)
    east = shifted_left(squares_low & ~edges[3, 0], squares_high & ~edges[3, 1], ONE)
    for side in (up, down, west, east):
        total += count_of(side[0] & low, side[1] & high)
    return total


@compiled
def choose(tables, quilts, facts, sets, counts, total, stream):
    """Return the number of an action by the policy: see `pwtourney.simulate`."""
    if facts[PENDING] or total == 1 or below(stream, _RANDOM_SHARE) == 0:
        return below(stream, total)
    seat = facts[TO_MOVE]
    best, chosen, begin = 1000, -1, 1  # the value of an advance, in thousandths of a point
    chosen_patch = facts[HEAD]
    patch = facts[HEAD]
    at = 1
    for slot in range(min(tables.numbers[OFFER], facts[COUNT])):
        if counts[slot]:
            worth = worth_of(tables, facts, seat, patch)
            if worth > best:
                best, chosen, begin, chosen_patch = worth, slot, at, patch
            at += counts[slot]
        patch = facts[LINKS + patch]
    if chosen < 0:
        return 0
    placement, most = 0, -1
    for _ in range(min(_TRIES, counts[chosen])):
        index = below(stream, counts[chosen])
        squares_low, squares_high = covered_by(tables, sets[chosen], chosen_patch, index)
        contact = contact_of(tables, quilts, seat, squares_low, squares_high)
        if contact > most:
            placement, most = index, contact
    return begin + placement


def _compile_playouts(drawn_in: str) -> Any:
    """Make `playouts`; `drawn_in` is the fingerprint of the functions compiled into it."""

    @_kept
    def playouts(tables, quilts, facts, seeds, by_policy, hidden, results):
        """Play a position to its end once for each seed.

        `results` has a row for each: both scores, the winner's seat, and the plies.
        """
        drawn_in  # noqa: B018
        sets = np.zeros((max(1, tables.numbers[OFFER]), 8, 2), dtype=np.uint64)
        counts = np.zeros(max(1, tables.numbers[OFFER]), dtype=np.int64)
        shifted = np.zeros((tables.shifts.shape[0] + 1, 2), dtype=np.uint64)
        stream = np.zeros(1, dtype=np.uint64)
        # the arrays belong to the caller, and every seed begins with them again
        own_quilts = quilts.copy()
        own_facts = facts.copy()
        for number in range(seeds.shape[0]):
            own_quilts[:] = quilts
            own_facts[:] = facts
            stream[0] = seeds[number]
            if hidden:
                reveal(tables, own_facts, stream)
            plies = 0
            while True:
                total = count_legal(tables, own_quilts, own_facts, sets, counts, shifted)
                if total == 0:
                    break
                if by_policy:
                    index = choose(tables, own_quilts, own_facts, sets, counts, total, stream)
                else:
                    index = below(stream, total)
                play(tables, own_quilts, own_facts, sets, counts, index)
                plies += 1
            first = score_of(tables, own_quilts, own_facts, 0)
            second = score_of(tables, own_quilts, own_facts, 1)
            results[number, 0] = first
            results[number, 1] = second
            results[number, 2] = (
                1 - own_facts[TO_MOVE] if first == second else np.int64(second > first)
            )
            results[number, 3] = plies

    return playouts


def _compile_follow(drawn_in: str) -> Any:
    """Make `follow`; `drawn_in` is the fingerprint of the functions compiled into it."""

    @_kept
    def follow(tables, quilts, facts, numbers):
        """Play actions by their numbers; return −1, or the index of a number that does not exist.

        The second value is how many legal actions there are at that index.
        """
        drawn_in  # noqa: B018
        sets = np.zeros((max(1, tables.numbers[OFFER]), 8, 2), dtype=np.uint64)
        counts = np.zeros(max(1, tables.numbers[OFFER]), dtype=np.int64)
        shifted = np.zeros((tables.shifts.shape[0] + 1, 2), dtype=np.uint64)
        for k in range(numbers.shape[0]):
            total = count_legal(tables, quilts, facts, sets, counts, shifted)
            if not 0 <= numbers[k] < total:
                return k, total
            play(tables, quilts, facts, sets, counts, numbers[k])
        return -1, 0

    return follow


# Numba caches a function by its own file and by the values in its closure. So the closure contains
# the fingerprint of inlined files, or an outdated kernel would stay in the games forever.
playouts = _compile_playouts(fingerprint(KERNEL))
follow = _compile_follow(fingerprint(KERNEL))


def _make_tables(edition: Edition) -> Tables:
    patches = edition.patches
    lays, fits, steps, shifts = [], [], [], []
    first, first_shift = [0], [0]
    for patch in patches:
        orientations = edition.orientations[patch.id]
        # orientations of one patch share offsets, and the kernel computes each shift once for all
        needed = sorted({offset for lay in orientations for offset in lay.offsets})
        shifts += needed
        first_shift.append(len(shifts))
        for lay in orientations:
            lays.append(_split(lay.mask))
            fits.append(_split(lay.fits))
            steps.append([len(lay.offsets), *map(needed.index, lay.offsets)])
        first.append(len(lays))
    # rows of equal length, padded with zeros that are never read: the count comes first
    widest = max((len(row) for row in steps), default=1)
    rows = [row + [0] * (widest - len(row)) for row in steps]
    tile = edition.tile
    return Tables(
        ids=_ints(patch.id for patch in patches),
        cost=_ints(patch.cost for patch in patches),
        time=_ints(patch.time for patch in patches),
        income=_ints(patch.income for patch in patches),
        squares=_ints(len(patch.shape) for patch in patches),
        first=_ints(first),
        lays=_words(lays),
        fits=_words(fits),
        steps=np.array(rows, dtype=np.int64).reshape(-1, widest),
        first_shift=_ints(first_shift),
        shifts=np.array(shifts, dtype=np.uint64),
        incomes=_ints(edition.incomes_passed),
        leathers=_ints(edition.leathers_passed),
        full=np.array(_split(edition.full), dtype=np.uint64),
        windows=_words(map(_split, edition.windows)),
        edges=_words(map(_split, edition.edges)),
        numbers=_ints(  # in the order of the kernel's `LAST`, `OFFER` and so on
            (
                edition.last_space,
                edition.offer,
                int(edition.declining),
                edition.columns,
                *((tile.points, tile.size**2) if tile else (0, 0)),
                edition.late.when_left if edition.late else -1,
            )
        ),
    )


def _split(mask: int) -> tuple[int, int]:
    """Split a mask into its two words."""
    return mask & _WORD, mask >> 64


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


def _words(pairs: Iterable[tuple[int, int]]) -> Words:
    return np.array(list(pairs), dtype=np.uint64).reshape(-1, 2)  # two columns even without rows
