"""Rows of whole numbers, many at a time: sorted, and numbered from 0 without gaps.

A table has a million rows, and few different bots, pairings and ways in which a deal can end.
Numbers below some dozens a row are marked in an array that has a place for each, which takes a
fraction of a sort.
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
"""Bytes a row, at most, for marks of what was seen; where it would take more, rows are sorted."""

_HUGE = 2**63


def number_densely(values: Ints) -> tuple[int, Ints]:
    """Return how many different values there are, none below 0, and each one's number in order."""
    found, numbers = number_values(values)
    return len(found), numbers


def number_values(values: Ints) -> tuple[Ints, Ints]:
    """Return the different values in order, none below 0, and the number there of each row's."""
    most = int(values.max(initial=-1))
    if most > MARKS * len(values):
        found, numbers = np.unique(values, return_inverse=True)
        return found, numbers.astype(np.int64)
    seen = np.zeros(most + 1, np.bool_)  # much faster than a sort
    seen[values] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[values]


def sort_by_few(values: Ints) -> Ints:
    """Return the order of rows by small numbers, none below 0; equals stay as they stand."""
    # numpy sorts numbers of 16 bits by their digits
    return np.argsort(values.astype(np.min_scalar_type(values.max(initial=0))), kind="stable")


def sort_rows(columns: Sequence[Ints]) -> Ints:
    """Return the order of rows by columns, the first of which counts most; of equals any."""
    keys: list[Ints] = []
    room = 0
    for column in columns:
        if not len(column):
            return np.zeros(0, np.int64)
        low = int(column.min())
        size = int(column.max()) - low + 1
        if keys and size == 1:
            continue  # it says nothing
        if keys and room * size < _HUGE:
            # several columns as one number: a sort by each takes as long as one by that
            keys[-1] = keys[-1] * size + (column - low)
            room *= size
        else:
            keys.append(column - low)
            room = size
    if len(keys) > 1:
        return np.lexsort(keys[::-1])
    bits = len(keys[0]).bit_length()
    if room << bits < _HUGE:
        # with the number of the row in it, the key itself is sorted, and not an index to it
        key = keys[0] << bits | np.arange(len(keys[0]))
        key.sort()
        return key & ((1 << bits) - 1)
    return np.argsort(keys[0])


def have_one_value(group: Ints, values: Ints) -> bool:
    """Tell whether all rows of a group have the same value; rows are sorted by group."""
    return bool(((group[1:] != group[:-1]) | (values[1:] == values[:-1])).all())
