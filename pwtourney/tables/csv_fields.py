"""The fields of many rows of CSV at once, with numpy: where they are, and what stands in them.

Only plain rows are read so, which is nearly all that programs write: what the module `csv` makes of
them can be found by looking for separators, line ends and quotation marks, without going through
the characters one after the other. For anything else the answer is None.
"""

import csv
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.game_columns import Ints
from pwtourney.ratings.names import NAMELESS, Names, find_leads

__all__ = ["Fields", "find_fields"]

_NEW_LINE, _RETURN, _QUOTE = b'\n\r"'

_WORD = 8
"""Bytes that are compared at a time."""

_WIDEST = 64
"""Bytes of the longest field that is read so: a hash in hex digits."""

_LEADING = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
"""Leaves so many bytes of a word, little-endian as they are read."""

_SOME, _FEW = 2048, 512
"""In so many rows there are few names if there are no more than that."""

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: 2⁶⁴ divided by the golden ratio."""


class Fields(NamedTuple):
    """Where the fields of whole rows are in `data`, without quotation marks.

    Field k is ``data[starts[k]:ends[k]]``; a row begins with the field of the number `first`. All
    have at least as many fields as were wanted. The rows end before byte `stop`.
    """

    data: NDArray[np.uint8]
    starts: Ints
    ends: Ints
    first: Ints
    stop: int

    def read(self, *columns: int) -> Names | None:
        """Return what stands in one column, or in several one below the other; None if too long."""
        at = np.concatenate([self.first + column for column in columns])
        starts = self.starts[at]
        size = self.ends[at] - starts
        longest = int(size.max(initial=0))
        if longest > _WIDEST:
            return None
        # eight bytes from every place on, so that each word of a field is read in one go
        words_at = np.ndarray(len(self.data) - _WORD + 1, "<u8", self.data, strides=(1,))
        words = [
            words_at[starts + skipped] & _LEADING[np.clip(size - skipped, 0, _WORD)]
            for skipped in range(0, max(longest, 1), _WORD)
        ]
        return _number(words)


def find_fields(text: bytes, separator: str, wanted: int) -> Fields | None:
    """Find the fields of the rows that end in a text, which begins with a row.

    None if the rows are not plain, or one that is not empty has fewer fields than are wanted.
    """
    data = np.frombuffer(text + bytes(_WIDEST), np.uint8)  # words are read beyond the end
    marks = (data == ord(separator)) | (data == _NEW_LINE)
    quoted = b'"' in text
    if quoted:  # what stands between an odd mark and the next one ends nothing
        marks &= ~np.logical_xor.accumulate(data == _QUOTE)
    ends = np.flatnonzero(marks)
    (last,) = np.nonzero(data[ends] == _NEW_LINE)
    if not len(last):
        return None
    ends = ends[: last[-1] + 1]
    starts = np.concatenate([[0], ends[:-1] + 1])
    stop = int(ends[-1]) + 1
    # a carriage return belongs to the line end behind it
    returns = (data[ends[last] - 1] == _RETURN) & (ends[last] > starts[last])
    ends[last] -= returns
    size = ends - starts
    if (
        text.count(b"\r", 0, stop) != np.count_nonzero(returns)
        or text.find(b"\0", 0, stop) >= 0  # which ends a name in an array
        or int(size.max()) > csv.field_size_limit()
        or not _is_utf8(text[:stop])
    ):
        return None
    if quoted:
        # every field has no mark, or two: one at either end
        opened = data[starts] == _QUOTE
        closed = (data[ends - 1] == _QUOTE) & (size > 1)
        if 2 * np.count_nonzero(opened) != text.count(b'"', 0, stop) or (opened & ~closed).any():
            return None
    first = np.concatenate([[0], last[:-1] + 1])
    filled = (last > first) | (size[first] > 0)  # an empty line is no row
    first, last = first[filled], last[filled]
    if (last - first + 1 < wanted).any():
        return None
    if quoted:
        starts, ends = starts + opened, ends - opened
    return Fields(data, starts, ends, first, stop)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _number(words: list[NDArray[np.uint64]]) -> Names | None:
    """Give each name of a column its number; words of eight bytes are what they consist of."""
    key = words[0]
    for word in words[1:]:
        key = (key ^ (key >> np.uint64(29))) * _MIX + word
    numbers = _number_few(key)
    if numbers is None:
        order = np.argsort(key)
        leads = find_leads([key[order]])
        numbers = np.empty(len(key), np.int32)
        numbers[order] = np.cumsum(leads) - 1
    kept = np.empty(int(numbers.max(initial=-1)) + 1, np.int64)
    kept[numbers] = np.arange(len(key))  # a row of each name: the last that has it
    table = np.stack([word[kept] for word in words], axis=1)
    # whose keys are equal are taken for equal above; somebody may have made them so
    if len(words) > 1 and any((word != table[numbers, k]).any() for k, word in enumerate(words)):
        return None
    (empty,) = np.nonzero(table[:, 0] == 0)
    if len(empty):
        numbers[numbers == empty[0]] = NAMELESS
    names = np.ascontiguousarray(table, "<u8").view(f"S{_WORD * len(words)}").reshape(-1)
    return Names(names, numbers)


def _number_few(keys: NDArray[np.uint64]) -> NDArray[np.int32] | None:
    """Return the number of each row's key, looked up among the keys of some rows.

    It is faster than a sort. None if there are many keys, or another turns up.
    """
    some = np.unique(keys[:: len(keys) // _SOME + 1])
    if not 0 < len(some) <= _FEW:
        return None
    numbers = np.minimum(np.searchsorted(some, keys), len(some) - 1).astype(np.int32)
    return numbers if (some[numbers] == keys).all() else None
