"""Sort rows of integers, and number their values from 0 without gaps.

A table may have a million rows but few different bots, pairings and outcomes of a deal. Where the
values are small compared with the number of rows, they are marked in an array with one entry per
possible value, which takes a fraction of the time of a sort.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MARKS",
    "Ints",
    "have_one_value",
    "number_densely",
    "number_values",
    "sort_by_few",
    "sort_rows",
]

Ints = NDArray[np.int64]

MARKS = 64
"""The most bytes per row for marks of seen values; above that, rows are sorted."""

_HUGE = 2**63


def number_densely(values: Ints) -> tuple[int, Ints]:
    """Return the number of distinct values (all ≥ 0), and for each row its value's rank from 0."""
    distinct_values, numbers = number_values(values)
    return len(distinct_values), numbers


def number_values(values: Ints) -> tuple[Ints, Ints]:
    """Return the sorted distinct values (all ≥ 0), and for each row the index of its value."""
    most = int(values.max(initial=-1))
    if most > MARKS * len(values):
        distinct_values, numbers = np.unique(values, return_inverse=True)
        return distinct_values, numbers.astype(np.int64)
    seen = np.zeros(most + 1, np.bool_)  # much faster than a sort
    seen[values] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[values]


def sort_by_few(values: Ints) -> Ints:
    """Return the stable sorting order of small numbers (all ≥ 0)."""
    # numpy sorts 16-bit numbers with a radix sort
    return np.argsort(values.astype(np.min_scalar_type(values.max(initial=0))), kind="stable")


def sort_rows(columns: Sequence[Ints]) -> Ints:
    """Return the order that sorts rows by columns, most significant first; ties in any order."""
    keys: list[Ints] = []
    room = 0
    for column in columns:
        if not len(column):
            return np.zeros(0, np.int64)
        low = int(column.min())
        size = int(column.max()) - low + 1
        if keys and size == 1:
            continue  # a constant column does not affect the order
        if keys and room * size < _HUGE:
            # combine several columns into one number: a sort by each column takes as long as one by
            # all
            keys[-1] = keys[-1] * size + (column - low)
            room *= size
        else:
            keys.append(column - low)
            room = size
    if len(keys) > 1:
        return np.lexsort(keys[::-1])
    bits = len(keys[0]).bit_length()
    if room << bits < _HUGE:
        # with the row number in its low bits the key itself is sorted, which is faster than argsort
        key = keys[0] << bits | np.arange(len(keys[0]))
        key.sort()
        return key & ((1 << bits) - 1)
    return np.argsort(keys[0])


def have_one_value(group: Ints, values: Ints) -> bool:
    """Return True if all rows of a group have the same value; rows must be sorted by group."""
    return bool(((group[1:] != group[:-1]) | (values[1:] == values[:-1])).all())
