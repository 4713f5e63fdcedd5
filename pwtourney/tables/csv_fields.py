"""Parsing the fields of many rows of CSV at once with numpy: their positions and contents.

Only plain rows are read in this way, which are nearly all rows that programs write. Their fields,
as the module `csv` would read them, can be found by searching for separators, line ends and
quotation marks, without visiting the characters one by one. For anything else the result is None.
"""

import csv
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.coded_names import NAMELESS, Names, find_leads
from pwtourney.ratings.game_columns import Ints

__all__ = ["Fields", "find_fields"]

_NEW_LINE, _RETURN, _QUOTE = b'\n\r"'

_WORD = 8
"""The number of bytes that are compared at a time."""

_WIDEST = 64
"""The longest field that is read in this way, in bytes: a hash in hex digits."""

_LEADING = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)
"""Masks that keep the first 0 to 8 bytes of a little-endian word."""

_SOME, _FEW = 2048, 512
"""The number of rows that are sampled, and the most different names in them to count as few."""

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without a pattern: 2⁶⁴ divided by the golden ratio."""


class Fields(NamedTuple):
    """The positions of the fields of complete rows in `data`, without quotation marks.

    Field k is ``data[starts[k]:ends[k]]``. `first` is the index of each row's first field. All rows
    have at least the wanted number of fields, and end before byte `stop`.
    """

    data: NDArray[np.uint8]
    starts: Ints
    ends: Ints
    first: Ints
    stop: int

    def read(self, *columns: int) -> Names | None:
        """Return the distinct contents of some columns, and for each row the number of its own.

        The rows of several columns follow each other, column by column. Returns None if a field is
        longer than 64 bytes, or if two different contents have the same hash.
        """
        at = np.concatenate([self.first + column for column in columns])
        starts = self.starts[at]
        size = self.ends[at] - starts
        longest = int(size.max(initial=0))
        if longest > _WIDEST:
            return None
        # A view with eight bytes from every position, so that each word is read in one operation.
        words_at = np.ndarray(len(self.data) - _WORD + 1, "<u8", self.data, strides=(1,))
        words = [
            words_at[starts + skipped] & _LEADING[np.clip(size - skipped, 0, _WORD)]
            for skipped in range(0, max(longest, 1), _WORD)
        ]
        return _number(words)


def find_fields(text: bytes, separator: str, width: int) -> Fields | None:
    """Find the fields of the complete rows in a text that begins with a row.

    Returns None if the rows are not plain, or if a non-empty one has fewer than `width` fields.
    """
    data = np.frombuffer(text + bytes(_WIDEST), np.uint8)  # words are read beyond the end
    marks = (data == ord(separator)) | (data == _NEW_LINE)
    quoted = b'"' in text
    if quoted:  # marks inside quotation marks end nothing
        marks &= ~np.logical_xor.accumulate(data == _QUOTE)
    ends = np.flatnonzero(marks)
    (last,) = np.nonzero(data[ends] == _NEW_LINE)
    if not len(last):
        return None
    ends = ends[: last[-1] + 1]
    starts = np.concatenate([[0], ends[:-1] + 1])
    stop = int(ends[-1]) + 1
    # A carriage return belongs to the line end after it.
    returns = (data[ends[last] - 1] == _RETURN) & (ends[last] > starts[last])
    ends[last] -= returns
    size = ends - starts
    if (
        text.count(b"\r", 0, stop) != np.count_nonzero(returns)
        or text.find(b"\0", 0, stop) >= 0  # ends a name in an array
        or int(size.max()) > csv.field_size_limit()
        or not _is_utf8(text[:stop])
    ):
        return None
    if quoted:
        # Every field has no quotation mark, or two: one at either end.
        opened = data[starts] == _QUOTE
        closed = (data[ends - 1] == _QUOTE) & (size > 1)
        if 2 * np.count_nonzero(opened) != text.count(b'"', 0, stop) or (opened & ~closed).any():
            return None
    first = np.concatenate([[0], last[:-1] + 1])
    filled = (last > first) | (size[first] > 0)  # an empty line is not a row
    first, last = first[filled], last[filled]
    if (last - first + 1 < width).any():
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
    """Return the distinct names of a column and each row's number, given words of eight bytes."""
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
    kept[numbers] = np.arange(len(key))  # for each name, the last row that has it
    table = np.stack([word[kept] for word in words], axis=1)
    # Names with equal keys counted as equal above; somebody may have constructed such names.
    if len(words) > 1 and any((word != table[numbers, k]).any() for k, word in enumerate(words)):
        return None
    (empty,) = np.nonzero(table[:, 0] == 0)
    if len(empty):
        numbers[numbers == empty[0]] = NAMELESS
    names = np.ascontiguousarray(table, "<u8").view(f"S{_WORD * len(words)}").reshape(-1)
    return Names(names, numbers)


def _number_few(keys: NDArray[np.uint64]) -> NDArray[np.int32] | None:
    """Return the number of each row's key, looked up among the keys of sampled rows.

    This is faster than a sort. Returns None if there are many keys, or one that is not in the
    sample.
    """
    some = np.unique(keys[:: len(keys) // _SOME + 1])
    if not 0 < len(some) <= _FEW:
        return None
    numbers = np.minimum(np.searchsorted(some, keys), len(some) - 1).astype(np.int32)
    return numbers if (some[numbers] == keys).all() else None
