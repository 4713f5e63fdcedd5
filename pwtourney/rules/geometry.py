"""Shapes on a grid, as bitboards.

A quilt is one integer: bit ``row * columns + column`` is set if that square is covered, with row 0
at the top. A shape in the top-left corner is a mask of the same kind, and shifting it left by a
square's number moves its bounding box there.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = [
    "ORIENTATIONS",
    "Orientation",
    "Shape",
    "all_orientations",
    "canonical_numbers",
    "distinct_orientations",
    "is_connected",
    "nth_bit",
    "parse_shape",
    "set_bits",
    "shape_rows",
    "square_name",
    "square_windows",
]

ORIENTATIONS = ("r0", "r90", "r180", "r270", "f0", "f90", "f180", "f270")
"""Names by number: turned clockwise, or flipped left to right first and then turned."""

Shape = frozenset[tuple[int, int]]
"""The squares of a shape as (row, column), with its bounding box starting at (0, 0)."""


class Orientation(NamedTuple):
    """One distinct orientation of a patch on a board of a given width.

    `number` is the lowest index into `ORIENTATIONS` that gives this shape. `mask` is the shape in
    the top-left corner. `fits` has a bit for every square at which the bounding box stays on the
    board.
    """

    number: int
    height: int
    width: int
    mask: int
    offsets: tuple[int, ...]
    fits: int


def parse_shape(rows: Sequence[str]) -> Shape:
    """Parse a shape from rows of ``#`` and ``.``, top to bottom; ValueError says what is wrong."""
    if not rows or len({len(row) for row in rows}) != 1:
        raise ValueError("the rows of a shape must have one length")
    if set("".join(rows)) - {"#", "."}:
        raise ValueError("a shape is drawn with # and . only")
    shape = frozenset(
        (r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "#"
    )
    if not shape:
        raise ValueError("a shape needs at least one square")
    # squares name the corner of the bounding box, so a shape has to begin at its own
    if min(r for r, _ in shape) or min(c for _, c in shape):
        raise ValueError("a shape must not have an empty first row or column")
    return shape


def shape_rows(shape: Shape) -> tuple[str, ...]:
    """Return a shape as rows of ``#`` and ``.``: the inverse of `parse_shape`."""
    height, width = _size(shape)
    return tuple(
        "".join("#" if (r, c) in shape else "." for c in range(width)) for r in range(height)
    )


def is_connected(shape: Shape) -> bool:
    """Return True if every square of the shape is reached from any other along shared edges."""
    todo = [next(iter(shape))]
    seen = set(todo)
    while todo:
        r, c = todo.pop()
        fresh = {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & shape - seen
        seen |= fresh
        todo += fresh
    return len(seen) == len(shape)


def all_orientations(shape: Shape) -> tuple[Shape, ...]:
    """Return the eight orientations in the order of `ORIENTATIONS`, repeats included."""
    width = _size(shape)[1]
    flipped = frozenset((r, width - 1 - c) for r, c in shape)
    orientations = []
    for turned in (shape, flipped):
        for _ in range(4):
            orientations.append(turned)
            height = _size(turned)[0]
            # clockwise: the last row becomes the first column, the first row the last one
            turned = frozenset((c, height - 1 - r) for r, c in turned)
    return tuple(orientations)


def canonical_numbers(shape: Shape) -> tuple[int, ...]:
    """Return for each of the eight orientations the lowest number that gives the same shape."""
    turned = all_orientations(shape)
    # `index` returns the first of equal shapes, which makes a number canonical
    return tuple(turned.index(shape) for shape in turned)


def distinct_orientations(shape: Shape, rows: int, columns: int) -> tuple[Orientation, ...]:
    """Return the orientations that differ and fit a board of this size, lowest number first."""
    seen: set[Shape] = set()
    distinct = []
    for number, turned in enumerate(all_orientations(shape)):
        height, width = _size(turned)
        if turned in seen or height > rows or width > columns:
            continue
        seen.add(turned)
        offsets = tuple(sorted(r * columns + c for r, c in turned))
        # The squares at which the box stays on the board. Without this a shape would run over the
        # right edge into the next row, whose squares may be free.
        fits = _union(
            1 << r * columns + c
            for r in range(rows - height + 1)
            for c in range(columns - width + 1)
        )
        mask = _union(1 << offset for offset in offsets)
        distinct.append(Orientation(number, height, width, mask, offsets, fits))
    return tuple(distinct)


def square_windows(size: int, rows: int, columns: int) -> tuple[int, ...]:
    """Return the masks of all squares of `size` × `size` on a board."""
    block = frozenset((r, c) for r in range(size) for c in range(size))
    windows = distinct_orientations(block, rows, columns)
    return tuple(lay.mask << anchor for lay in windows for anchor in set_bits(lay.fits))


def set_bits(mask: int) -> Iterator[int]:
    """Yield the numbers of the set bits, lowest first."""
    while mask:
        low = mask & -mask  # isolates the lowest set bit, by two's complement
        yield low.bit_length() - 1
        mask ^= low


_IN_BYTE: list[tuple[int, ...]] = [()]
"""The numbers of the set bits of each byte."""
for _number in range(8):
    _IN_BYTE += [(*bits, _number) for bits in _IN_BYTE]

_HALVES = [
    tuple((1 << k, (1 << (1 << k)) - 1) for k in range(length - 1, 2, -1)) for length in range(15)
]
"""The sizes in bits to which a mask is halved, with the mask of that many bits, down to a byte.

The index is the bit length of the mask's own bit length; no table of placements is longer than the
last entry covers.
"""


def nth_bit(mask: int, n: int) -> int:
    """Return the number of the n-th set bit, counted from 0 at the lowest."""
    # halving down to a byte: clearing n bits one by one would take several times as long
    number = 0
    for size, low in _HALVES[mask.bit_length().bit_length()]:
        below = mask & low
        count = below.bit_count()
        if n < count:
            mask = below
        else:
            n -= count
            mask >>= size
            number += size
    return number + _IN_BYTE[mask][n]


def square_name(square: int, columns: int) -> str:
    """Return the name of a square, column letter and row number: square 0 is ``a1``, top left."""
    # one letter is enough: `edition.MAX_SIDE` is below 26
    return f"{chr(97 + square % columns)}{square // columns + 1}"


def _union(masks: Iterator[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total


def _size(shape: Shape) -> tuple[int, int]:
    return 1 + max(r for r, _ in shape), 1 + max(c for _, c in shape)
