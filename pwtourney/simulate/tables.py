"""An edition as arrays, built from the tables of `rules` and from nothing else."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.rules import Edition

__all__ = ["MOST_SQUARES", "Tables", "edges_of", "tables_of", "words_of"]

MOST_SQUARES = 128
"""Quilts of at most so many squares fit the two words of 64 bits that the arrays have for them."""

_WORD = (1 << 64) - 1
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class Tables(NamedTuple):
    """What the kernel needs of an edition; patches are numbered in the order of the edition.

    A mask is two words, the lower squares first. `first` holds for each patch where its
    orientations begin in `lays`, `fits` and `steps`, and one more; `steps` has for each
    orientation how many offsets it has, then the numbers of those among the patch's `shifts`.
    Numba keeps compiled games by the kernel's file: who moves a field here must touch that, too.
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


def words_of(mask: int) -> tuple[int, int]:
    """Split a mask into its two words."""
    return mask & _WORD, mask >> 64


def tables_of(edition: Edition) -> Tables:
    """Return the arrays of an edition of at most `MOST_SQUARES` squares."""
    patches = edition.patches
    lays, fits, steps, shifts = [], [], [], []
    first, first_shift = [0], [0]
    for patch in patches:
        orientations = edition.orientations[patch.id]
        needed = sorted({offset for each in orientations for offset in each.offsets})
        shifts += needed
        first_shift.append(len(shifts))
        for each in orientations:
            lays.append(words_of(each.mask))
            fits.append(words_of(each.fits))
            steps.append([len(each.offsets), *map(needed.index, each.offsets)])
        first.append(len(lays))
    widest = max((len(each) for each in steps), default=1)
    tile = edition.tile
    return Tables(
        ids=_ints(each.id for each in patches),
        cost=_ints(each.cost for each in patches),
        time=_ints(each.time for each in patches),
        income=_ints(each.income for each in patches),
        squares=_ints(len(each.shape) for each in patches),
        first=_ints(first),
        lays=_words(lays),
        fits=_words(fits),
        steps=np.array(
            [each + [0] * (widest - len(each)) for each in steps], dtype=np.int64
        ).reshape(-1, widest),
        first_shift=_ints(first_shift),
        shifts=np.array(shifts, dtype=np.uint64),
        incomes=_ints(edition.incomes_passed),
        leathers=_ints(edition.leathers_passed),
        full=np.array(words_of(edition.full), dtype=np.uint64),
        windows=_words(map(words_of, edition.windows)),
        edges=_words(map(words_of, edges_of(edition))),
        numbers=_ints(
            (
                *(edition.last_space, edition.offer, int(edition.declining), edition.columns),
                *((tile.points, tile.size**2) if tile else (0, 0)),
                edition.late.when_left if edition.late else -1,
            )
        ),
    )


@lru_cache(maxsize=16)
def edges_of(edition: Edition) -> tuple[int, int, int, int]:
    """Return the squares of the first and last row, and of the first and last column."""
    rows, columns = edition.rows, edition.columns
    top = (1 << columns) - 1
    left = sum(1 << row * columns for row in range(rows))
    return top, top << (rows - 1) * columns, left, left << columns - 1


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


def _words(pairs: Iterable[tuple[int, int]]) -> Words:
    return np.array(list(pairs), dtype=np.uint64).reshape(-1, 2)
