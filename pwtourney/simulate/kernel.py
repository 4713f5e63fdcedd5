"""The rules on arrays, compiled: a position is changed in place.

Every function does what its namesake in `rules` does, in the same order; a test plays thousands of
games through both, step by step. Functions of this file are not cached on their own: a function
that is called from Python is compiled with all of them inlined, and has the fingerprint of this
file: see `pwtourney.simulate.games`.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

__all__ = [
    "BUTTONS",
    "INCOME",
    "SPACE",
    "TO_MOVE",
    "PENDING",
    "TILE",
    "HEAD",
    "COUNT",
    "LATE",
    "LINKS",
    "LAST",
    "OFFER",
    "DECLINING",
    "COLUMNS",
    "POINTS",
    "WINDOW",
    "WHEN_LEFT",
    "ONE",
    "compiled",
    "within",
    "count_of",
    "nth_of",
    "shifted_left",
    "shifted_right",
    "below",
    "count_legal",
    "covered_by",
    "find_anchors",
    "play",
    "reveal",
    "score_of",
]

BUTTONS, INCOME, SPACE = 0, 1, 2  # of seat 0; those of seat 1 are 3 places later
TO_MOVE, PENDING, TILE, HEAD, COUNT, LATE = 6, 7, 8, 9, 10, 11
LINKS = 12
"""The index of the first link.

The links are, for each patch, the next in the circle, then for each the previous one, then the late
patches in their order. `LATE` counts those that have not entered, `TILE` is −1 if no seat has the
tile, and `HEAD` is the patch nearest to the neutral token.
"""

LAST, OFFER, DECLINING, COLUMNS, POINTS, WINDOW, WHEN_LEFT = range(7)
"""The positions of the single numbers of an edition in the tables."""

ONE = np.uint64(1)
_WORD_BITS = np.uint64(64)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)

# Steps that are called in one place are functions of their own all the same: written out in their
# callers, the policy's games took 3 % longer. None of them creates an array, so no reference
# counting is needed (`_nrt`): it took two thirds of the time.
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
compiled = njit(**_INNER)
"""Compiles functions that only compiled functions call.

A Python wrapper for each takes a third of the compile time. Calling such a function from Python
causes a segmentation fault.
"""
within = njit(forceinline=True, **_INNER)
"""Compiles functions that run at every ply, and inlines them.

A call would copy the tables, which takes longer than the function itself.
"""


@intrinsic
def _ones(_: Any, __: Any) -> Any:
    """Count the set bits."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@intrinsic
def _lowest_bit(_: Any, __: Any) -> Any:
    """Return the number of the lowest set bit; the word must have one."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # the flag says that the word is not zero, which saves a test
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


@compiled
def count_of(low, high):
    """Return how many bits are set in two words."""
    return np.int64(_ones(low) + _ones(high))


@compiled
def shifted_right(low, high, by):
    """Shift two words to the right."""
    # Processors disagree on the result of a shift by 64 or more, so none is made here; with 0 the
    # other word would be shifted by 64.
    if by == 0:
        return low, high
    if by >= _WORD_BITS:
        return high >> (by - _WORD_BITS), np.uint64(0)
    return (low >> by) | (high << (_WORD_BITS - by)), high >> by


@compiled
def shifted_left(low, high, by):
    """Shift two words to the left."""
    if by == 0:
        return low, high
    if by >= _WORD_BITS:
        return np.uint64(0), low << (by - _WORD_BITS)
    return low << by, (high << by) | (low >> (_WORD_BITS - by))


@compiled
def _nth_in_word(word, n):
    for _ in range(n):
        word &= word - ONE
    return _lowest_bit(word)


@compiled
def nth_of(low, high, n):
    """Return the number of the n-th set bit, from 0 at the lowest."""
    below = np.int64(_ones(low))
    if n < below:
        return _nth_in_word(low, n)
    return _nth_in_word(high, n - below) + _WORD_BITS


@compiled
def _next(stream):
    """Draw a number from SplitMix64, as `rules.SplitMix64` does."""
    stream[0] += _GOLDEN
    z = stream[0]
    z = (z ^ (z >> np.uint64(30))) * _FIRST
    z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


@compiled
def below(stream, n):
    """Return a number from 0 to n - 1, each equally likely, as `rules.SplitMix64` does."""
    size = np.uint64(n)
    surplus = (np.uint64(0) - size) % size  # 2**64 modulo n
    while True:
        # the largest numbers are rejected, or the first remainders would be likelier than others
        number = _next(stream)
        if number <= np.uint64(0xFFFFFFFFFFFFFFFF) - surplus:
            return np.int64(number % size)


@within
def find_anchors(tables, patch, low, high, sets, shifted):
    """Find the anchors of each orientation on the free squares; return how many there are."""
    # orientations of one patch share offsets, so each shift is computed once for all
    begin = tables.first_shift[patch]
    for number in range(begin, tables.first_shift[patch + 1]):
        words = shifted_right(low, high, tables.shifts[number])
        shifted[number - begin, 0] = words[0]
        shifted[number - begin, 1] = words[1]
    total = 0
    lay = tables.first[patch]
    for orientation in range(tables.first[patch + 1] - lay):
        anchors_low = tables.fits[lay + orientation, 0]
        anchors_high = tables.fits[lay + orientation, 1]
        for k in range(1, tables.steps[lay + orientation, 0] + 1):
            step = tables.steps[lay + orientation, k]
            anchors_low &= shifted[step, 0]
            anchors_high &= shifted[step, 1]
        sets[orientation, 0] = anchors_low
        sets[orientation, 1] = anchors_high
        total += count_of(anchors_low, anchors_high)
    return total


@within
def count_legal(tables, quilts, facts, sets, counts, shifted):
    """Count the legal actions, and record the anchors of each patch on offer."""
    seat = facts[TO_MOVE]
    low = tables.full[0] & ~quilts[2 * seat]
    high = tables.full[1] & ~quilts[2 * seat + 1]
    if facts[PENDING]:
        return count_of(low, high) + tables.numbers[DECLINING]
    last = tables.numbers[LAST]
    if facts[SPACE] == last and facts[SPACE + 3] == last:
        return 0
    total = 1
    patch = facts[HEAD]
    buttons = facts[BUTTONS + 3 * seat]
    for slot in range(min(tables.numbers[OFFER], facts[COUNT])):
        counts[slot] = 0
        if tables.cost[patch] <= buttons:
            counts[slot] = find_anchors(tables, patch, low, high, sets[slot], shifted)
            total += counts[slot]
        patch = facts[LINKS + patch]
    return total


@within
def play(tables, quilts, facts, sets, counts, index):
    """Play one of the legal actions that `count_legal` has just counted, by its number."""
    seat = facts[TO_MOVE]
    if facts[PENDING]:
        _place_special(tables, quilts, facts, seat, index)
    elif index == 0:
        ahead = facts[SPACE + 3 * (1 - seat)]
        _move(tables, quilts, facts, seat, ahead + 1, 1)
    else:
        slot = 0
        patch = facts[HEAD]
        index -= 1
        while index >= counts[slot]:
            index -= counts[slot]
            slot += 1
            patch = facts[LINKS + patch]
        _take(tables, quilts, facts, sets[slot], seat, patch, index)
    _turn(facts, seat)


@compiled
def _place_special(tables, quilts, facts, seat, index):
    low = tables.full[0] & ~quilts[2 * seat]
    high = tables.full[1] & ~quilts[2 * seat + 1]
    if index < count_of(low, high):
        low, high = shifted_left(ONE, np.uint64(0), nth_of(low, high, index))
        _cover(tables, quilts, facts, seat, low, high)
    # the index after the last free square declines, which uses up the patch as well
    facts[PENDING] -= 1
    if _is_full(tables, quilts, seat):
        facts[PENDING] = 0


@within
def _take(tables, quilts, facts, sets, seat, patch, index):
    squares_low, squares_high = covered_by(tables, sets, patch, index)
    _cover(tables, quilts, facts, seat, squares_low, squares_high)
    facts[BUTTONS + 3 * seat] -= tables.cost[patch]
    facts[INCOME + 3 * seat] += tables.income[patch]
    _unlink(tables, facts, patch)
    _move(tables, quilts, facts, seat, facts[SPACE + 3 * seat] + tables.time[patch], 0)


@within
def covered_by(tables, sets, patch, index):
    """Return the squares that a placement covers."""
    lay = 0
    while True:
        anchors = count_of(sets[lay, 0], sets[lay, 1])
        if index < anchors:
            break
        index -= anchors
        lay += 1
    anchor = nth_of(sets[lay, 0], sets[lay, 1], index)
    number = tables.first[patch] + lay
    return shifted_left(tables.lays[number, 0], tables.lays[number, 1], anchor)


@compiled
def _cover(tables, quilts, facts, seat, squares_low, squares_high):
    """Cover squares, and award the special tile if it is earned."""
    quilts[2 * seat] |= squares_low
    quilts[2 * seat + 1] |= squares_high
    low, high = quilts[2 * seat], quilts[2 * seat + 1]
    if facts[TILE] >= 0 or count_of(low, high) < tables.numbers[WINDOW]:
        return
    for k in range(tables.windows.shape[0]):
        if (
            low & tables.windows[k, 0] == tables.windows[k, 0]
            and high & tables.windows[k, 1] == tables.windows[k, 1]
        ):
            facts[TILE] = seat
            return


@compiled
def _unlink(tables, facts, patch):
    """Remove a patch from the circle; the neutral token moves to its place."""
    patches = tables.cost.shape[0]
    after = facts[LINKS + patch]
    before = facts[LINKS + patches + patch]
    facts[LINKS + before] = after
    facts[LINKS + patches + after] = before
    facts[HEAD] = after
    facts[COUNT] -= 1
    _enter(tables, facts)


@compiled
def _enter(tables, facts):
    """Append the late patches to the circle if it is small enough."""
    if facts[LATE] and facts[COUNT] <= tables.numbers[WHEN_LEFT]:
        patches = tables.cost.shape[0]
        for k in range(facts[LATE]):
            _append(facts, patches, facts[LINKS + 2 * patches + k])
        facts[LATE] = 0


@compiled
def _append(facts, patches, patch):
    """Put a patch at the end of the circle."""
    if facts[COUNT] == 0:  # the links still contain the last patch, and must not be followed
        facts[HEAD] = facts[LINKS + patch] = facts[LINKS + patches + patch] = patch
    else:
        head = facts[HEAD]
        end = facts[LINKS + patches + head]
        facts[LINKS + end] = patch
        facts[LINKS + patches + patch] = end
        facts[LINKS + patch] = head
        facts[LINKS + patches + head] = patch
    facts[COUNT] += 1


@within
def _move(tables, quilts, facts, seat, target, wage):
    """Move a token, pay, and record the special patches due."""
    own = 3 * seat
    space = facts[SPACE + own]
    ahead = facts[SPACE + 3 * (1 - seat)]
    target = min(target, tables.numbers[LAST])
    paid = tables.incomes[target] - tables.incomes[space]
    facts[BUTTONS + own] += wage * (target - space) + paid * facts[INCOME + own]
    facts[SPACE + own] = target
    if target > ahead:  # the second player to pass a mark gets nothing
        due = tables.leathers[target] - tables.leathers[max(ahead, space)]
        if due and not _is_full(tables, quilts, seat):
            facts[PENDING] = due


@compiled
def _is_full(tables, quilts, seat):
    return quilts[2 * seat] == tables.full[0] and quilts[2 * seat + 1] == tables.full[1]


@compiled
def _turn(facts, seat):
    """Set who is to move: the player behind; on the same space the one who arrived later."""
    if not facts[PENDING] and facts[SPACE + 3 * seat] > facts[SPACE + 3 * (1 - seat)]:
        facts[TO_MOVE] = 1 - seat


@compiled
def score_of(tables, quilts, facts, seat):
    """Return the score of a seat: buttons and tile, minus two for each empty square."""
    low = tables.full[0] & ~quilts[2 * seat]
    high = tables.full[1] & ~quilts[2 * seat + 1]
    bonus = tables.numbers[POINTS] if facts[TILE] == seat else 0
    return facts[BUTTONS + 3 * seat] + bonus - 2 * count_of(low, high)


@compiled
def reveal(tables, facts, stream):
    """Draw the hidden order of late patches; they enter if the circle is small enough."""
    begin = LINKS + 2 * tables.cost.shape[0]
    for i in range(facts[LATE] - 1, 0, -1):
        j = below(stream, i + 1)
        facts[begin + i], facts[begin + j] = facts[begin + j], facts[begin + i]
    _enter(tables, facts)
