"""A cache of the quilts of a search: the value of each alone, and the best placements on it.

Most positions of a tree share their quilts with many others, because the opponent's actions do not
change a quilt. So everything that follows from a quilt alone is computed once, and its number
represents it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.simulate.kernel import (
    COLUMNS,
    ONE,
    WINDOW,
    compiled,
    count_of,
    find_anchors,
    nth_of,
    shifted_left,
    within,
)
from pwtourney_bots.placements import rate_tidiness, sides_of

__all__ = [
    "EMPTY",
    "EXPOSED",
    "UNCOVERED",
    "QUILT_FEATURES",
    "QuiltCache",
    "add_quilt",
    "find_options",
    "empty_quilt_cache",
    "is_roomy",
    "new_quilt_cache",
    "look_at_quilt",
]

Words = NDArray[np.uint64]
Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

QUILT_FEATURES = ("EMPTY", "EXPOSED", "HOLES", "ENDS", "REGIONS", "THREES", "FOURS", "SQUARES")
"""The counts of `look_at_quilt`.

They are free squares; edges between free and covered ones; free squares without a free neighbour,
and those with one; connected regions of free squares; places for a row of three squares, for one of
four, and for two by two.
"""

EXPOSED = QUILT_FEATURES.index("EXPOSED")
"""The column of `QuiltCache.counts` for the open edges."""

EMPTY, UNCOVERED, _ROW, _SLOT = range(4)
"""The columns of `QuiltCache.facts`.

They are the free squares; those of the fullest window of the special tile (0: it is earned); the
number of its row in `places`, −1 without one; and its index in `slots`.
"""

_QUILTS, _ROWS, _OPTIONS = 0, 1, 2
"""The indices of `QuiltCache.used`."""

_SHORTLIST = 6
"""This many of the tidiest placements are ordered by the values of their quilts."""


class QuiltCache(NamedTuple):
    """Quilts by number, in the order in which they were added.

    `masks` has the two words of each, `facts` the columns that are named above, `counts` those of
    `QUILT_FEATURES`. `slots` is a hash table of the numbers. `places` has a column for each patch,
    the last for the special patch: where in `options` its placements begin, 0 if they are not
    known. There the first row has their number; each further row has the quilt that a placement
    leads to, and the orientation's number times 128 plus the square. `seen`, `shortlist` and
    `ranking` are scratch arrays.
    """

    masks: Words
    facts: Ints
    counts: Ints
    slots: Ints
    places: Ints
    options: Ints
    used: NDArray[np.int64]
    weights: Floats
    seen: Floats
    shortlist: NDArray[np.int64]
    ranking: Floats


def new_quilt_cache(patches: int, quilts: int, candidates: int, weights: Floats) -> QuiltCache:
    """Make a cache with room for `quilts` quilts, a power of two.

    `candidates` placements of each patch are kept. `weights` has a row for each of
    `QUILT_FEATURES`: the weight at the end of the game, and its increase at the start.
    """
    rows = quilts // 2
    return QuiltCache(
        masks=np.zeros((quilts, 2), np.uint64),
        facts=np.zeros((quilts, _SLOT + 1), np.int32),
        counts=np.zeros((quilts, len(QUILT_FEATURES)), np.int32),
        slots=np.zeros(2 * quilts, np.int32),
        places=np.zeros((rows, patches + 1), np.int32),
        options=np.zeros((8 * quilts, 2), np.int32),
        used=np.array([0, 0, 1], np.int64),  # option 0 means that placements are not known
        weights=np.ascontiguousarray(weights),
        seen=np.zeros(len(QUILT_FEATURES)),
        shortlist=np.zeros((max(_SHORTLIST, candidates), 3), np.int64),
        ranking=np.zeros(max(_SHORTLIST, candidates)),
    )


def empty_quilt_cache(cache: QuiltCache) -> None:
    """Forget all quilts."""
    # only the used slots: clearing all of a large cache takes milliseconds at the start of a move
    cache.slots[cache.facts[: cache.used[_QUILTS], _SLOT]] = 0
    cache.used[:] = 0, 0, 1


@within
def is_roomy(cache, patches):
    """Return True if there is room for the placements of this many patches."""
    most = patches * (cache.shortlist.shape[0] + 1)
    return (
        cache.used[_QUILTS] + most < cache.masks.shape[0]
        and cache.used[_ROWS] < cache.places.shape[0]
        and cache.used[_OPTIONS] + most < cache.options.shape[0]
    )


@compiled
def _count_regions(tables, low, high):
    """Count the connected regions of squares."""
    regions = 0
    while low or high:
        region_low, region_high = shifted_left(ONE, np.uint64(0), nth_of(low, high, 0))
        while True:
            up, down, left, right = sides_of(tables, region_low, region_high)
            more_low = (region_low | up[0] | down[0] | left[0] | right[0]) & low
            more_high = (region_high | up[1] | down[1] | left[1] | right[1]) & high
            if more_low == region_low and more_high == region_high:
                break
            region_low, region_high = more_low, more_high
        low &= ~region_low
        high &= ~region_high
        regions += 1
    return regions


@compiled
def look_at_quilt(tables, low, high, seen):
    """Count the `QUILT_FEATURES`, from the two words of the covered squares."""
    free, upper = tables.full[0] & ~low, tables.full[1] & ~high
    up, down, left, right = sides_of(tables, free, upper)
    columns = np.uint64(tables.numbers[COLUMNS])
    covered_up, covered_down, covered_left, covered_right = sides_of(tables, low, high)
    exposed = 0
    for side in (covered_up, covered_down, covered_left, covered_right):
        exposed += count_of(side[0] & free, side[1] & upper)
    # bitwise sums: `some` has a neighbour, `many` has two or more
    some, many = up[0] | down[0], up[0] & down[0]
    some_high, many_high = up[1] | down[1], up[1] & down[1]
    for side in (left, right):
        many |= some & side[0]
        many_high |= some_high & side[1]
        some |= side[0]
        some_high |= side[1]
    seen[0] = count_of(free, upper)
    seen[1] = exposed
    seen[2] = count_of(free & ~some, upper & ~some_high)
    seen[3] = count_of(free & some & ~many, upper & some_high & ~many_high)
    seen[4] = _count_regions(tables, free, upper)
    # the last squares of rows of two, of three, of four; then the same downwards
    pair, pair_high = free & right[0], upper & right[1]
    inner, inner_high = ~tables.edges[3, 0], ~tables.edges[3, 1]
    step = shifted_left(pair & inner, pair_high & inner_high, ONE)
    three, three_high = free & step[0], upper & step[1]
    step = shifted_left(three & inner, three_high & inner_high, ONE)
    four, four_high = free & step[0], upper & step[1]
    fall, fall_high = free & down[0], upper & down[1]
    step = shifted_left(fall, fall_high, columns)
    fall_three, fall_three_high = free & step[0], upper & step[1]
    step = shifted_left(fall_three, fall_three_high, columns)
    seen[5] = count_of(three, three_high) + count_of(fall_three, fall_three_high)
    seen[6] = count_of(four, four_high) + count_of(free & step[0], upper & step[1])
    step = shifted_left(pair, pair_high, columns)
    seen[7] = count_of(pair & step[0], pair_high & step[1])


@within
def _find_uncovered(tables, low, high):
    """Count the free squares of the fullest window of the special tile."""
    least = tables.numbers[WINDOW]
    for k in range(tables.windows.shape[0]):
        free = count_of(tables.windows[k, 0] & ~low, tables.windows[k, 1] & ~high)
        least = min(least, free)
    return least


@compiled
def _find_worth(tables, cache, low, high):
    """Return the value of a quilt at the end of the game, and its increase at the start."""
    seen = cache.seen
    look_at_quilt(tables, low, high, seen)
    late, more = 0.0, 0.0
    for k in range(seen.shape[0]):
        late += cache.weights[k, 0] * seen[k]
        more += cache.weights[k, 1] * seen[k]
    return late, more


@compiled
def add_quilt(tables, cache, low, high):
    """Return the number of a quilt, adding it if it is new."""
    last = np.uint64(cache.slots.shape[0] - 1)
    hashed = (low * np.uint64(0x9E3779B97F4A7C15)) ^ (high * np.uint64(0xC2B2AE3D27D4EB4F))
    slot = (hashed ^ (hashed >> np.uint64(29)) ^ (hashed >> np.uint64(43))) & last
    while cache.slots[slot]:
        number = cache.slots[slot] - 1
        if cache.masks[number, 0] == low and cache.masks[number, 1] == high:
            return np.int64(number)
        slot = (slot + ONE) & last
    number = cache.used[_QUILTS]
    cache.used[_QUILTS] += 1
    cache.slots[slot] = number + 1
    cache.masks[number, 0] = low
    cache.masks[number, 1] = high
    look_at_quilt(tables, low, high, cache.counts[number])
    cache.facts[number, EMPTY] = cache.counts[number, 0]
    cache.facts[number, UNCOVERED] = _find_uncovered(tables, low, high)
    cache.facts[number, _ROW] = -1
    cache.facts[number, _SLOT] = slot
    return np.int64(number)


@within
def _shortlist(shortlist, number, tidiness, lay, square):
    """Insert a placement into the sorted list of the tidiest so far; return the list's length."""
    # insertion: most placements stop at once behind the last of a few
    most = shortlist.shape[0]
    if number == most and shortlist[most - 1, 0] >= tidiness:
        return number
    rank = number if number < most else most - 1
    while rank > 0 and shortlist[rank - 1, 0] < tidiness:
        shortlist[rank, 0] = shortlist[rank - 1, 0]
        shortlist[rank, 1] = shortlist[rank - 1, 1]
        shortlist[rank, 2] = shortlist[rank - 1, 2]
        rank -= 1
    shortlist[rank, 0] = tidiness
    shortlist[rank, 1] = lay
    shortlist[rank, 2] = square
    return min(number + 1, most)


@within
def _find_tidiest(tables, shortlist, low, high, patch, sets, shifted):
    """Write the tidiest placements of a patch on free squares into the list; return how many."""
    number = 0
    if patch == tables.cost.shape[0]:
        for k in range(count_of(low, high)):
            square = nth_of(low, high, k)
            squares_low, squares_high = shifted_left(ONE, np.uint64(0), square)
            tidiness = rate_tidiness(tables, low & ~squares_low, high & ~squares_high)
            number = _shortlist(shortlist, number, tidiness, 0, np.int64(square))
        return number
    find_anchors(tables, patch, low, high, sets, shifted)
    for lay in range(tables.first[patch], tables.first[patch + 1]):
        anchors_low = sets[lay - tables.first[patch], 0]
        anchors_high = sets[lay - tables.first[patch], 1]
        while anchors_low or anchors_high:
            anchor = nth_of(anchors_low, anchors_high, 0)
            if anchors_low:
                anchors_low &= anchors_low - ONE
            else:
                anchors_high &= anchors_high - ONE
            squares_low, squares_high = shifted_left(
                tables.lays[lay, 0], tables.lays[lay, 1], anchor
            )
            tidiness = rate_tidiness(tables, low & ~squares_low, high & ~squares_high)
            orientation = lay - tables.first[patch]
            number = _shortlist(shortlist, number, tidiness, orientation, np.int64(anchor))
    return number


@compiled
def _squares_of(tables, patch, orientation, square):
    """Return the squares of a placement, also of a special patch."""
    squares_low, squares_high = ONE, np.uint64(0)
    if patch < tables.cost.shape[0]:
        lay = tables.first[patch] + orientation
        squares_low, squares_high = tables.lays[lay, 0], tables.lays[lay, 1]
    return shifted_left(squares_low, squares_high, np.uint64(square))


@compiled
def _keep_options(tables, cache, quilt, patch, sets, shifted, most, begin):
    """Write the best placements after `begin` into `options`, the best first; return how many."""
    low, high = cache.masks[quilt, 0], cache.masks[quilt, 1]
    shortlist = cache.shortlist
    number = _find_tidiest(
        tables,
        shortlist,
        tables.full[0] & ~low,
        tables.full[1] & ~high,
        patch,
        sets,
        shifted,
    )
    # the phase of the game is not known here; the free share of the quilt approximates it
    squares = count_of(tables.full[0], tables.full[1])
    phase = cache.facts[quilt, EMPTY] / squares
    # the list is sorted by value, and only the quilts of kept placements get a number
    for k in range(number):
        squares_low, squares_high = _squares_of(tables, patch, shortlist[k, 1], shortlist[k, 2])
        late, more = _find_worth(tables, cache, low | squares_low, high | squares_high)
        worth = late + more * phase
        lay, square = shortlist[k, 1], shortlist[k, 2]
        rank = k
        while rank > 0 and cache.ranking[rank - 1] < worth:
            cache.ranking[rank] = cache.ranking[rank - 1]
            shortlist[rank, 1] = shortlist[rank - 1, 1]
            shortlist[rank, 2] = shortlist[rank - 1, 2]
            rank -= 1
        cache.ranking[rank] = worth
        shortlist[rank, 1] = lay
        shortlist[rank, 2] = square
    number = min(number, most)
    for k in range(number):
        squares_low, squares_high = _squares_of(tables, patch, shortlist[k, 1], shortlist[k, 2])
        cache.options[begin + k + 1, 0] = add_quilt(
            tables, cache, low | squares_low, high | squares_high
        )
        cache.options[begin + k + 1, 1] = shortlist[k, 1] * 128 + shortlist[k, 2]
    return number


@compiled
def find_options(tables, cache, quilt, patch, sets, shifted, most):
    """Return where the placements of a patch on a quilt begin in `options`, computed if needed.

    The number of patches represents the special patch. At most `most` are kept, the best first.
    """
    row = cache.facts[quilt, _ROW]
    if row < 0:
        row = cache.used[_ROWS]
        cache.used[_ROWS] += 1
        cache.facts[quilt, _ROW] = row
        cache.places[row, :] = 0  # a cache that was emptied still contains old entries
    begin = cache.places[row, patch]
    if begin == 0:
        begin = cache.used[_OPTIONS]
        cache.places[row, patch] = begin
        number = _keep_options(tables, cache, quilt, patch, sets, shifted, most, begin)
        cache.options[begin, 0] = number
        cache.used[_OPTIONS] = begin + 1 + number
    return begin
