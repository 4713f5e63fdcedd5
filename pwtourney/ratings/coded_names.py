"""Columns of names: a code for each row, and each name stored once.

Tables repeat the same bots in a million rows. Fast reading avoids creating a million strings, and
names stored as bytes in an array are compared and sorted many at a time.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

__all__ = ["NAMELESS", "Bytes", "Codes", "Names", "find_leads", "unite"]

NAMELESS = -1
"""Code of a row without a name."""

Bytes = NDArray[np.bytes_]
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_WORD = 8
"""Bytes that are compared at a time."""


class Names(NamedTuple):
    """A column of names: row k has the name ``names[codes[k]]``, or none if its code is `NAMELESS`.

    `names` are strings, or an array of UTF-8 bytes. A name may occur twice, or without a row.
    """

    names: Sequence[str] | Bytes
    codes: Codes

    @classmethod
    def of(cls, column: Sequence[str]) -> "Names":
        """Return a column of strings, in which an empty one means no name."""
        names = [name for name in dict.fromkeys(column) if name]
        numbers = {name: number for number, name in enumerate(names)}
        numbers[""] = NAMELESS
        # `map` loops in C
        return cls(names, np.fromiter(map(numbers.__getitem__, column), np.int32, len(column)))

    def texts(self) -> list[str]:
        """Return the list of names as strings, not one per row."""
        if _are_bytes(self.names):
            return [name.decode() for name in self.names.tolist()]
        return list(self.names)

    def rows(self) -> list[str]:
        """Return the name of each row, empty where it has none."""
        texts = [*self.texts(), ""]  # −1 reads the last one
        return [texts[code] for code in self.codes.tolist()]

    def with_prefix(self, prefix: str) -> "Names":
        """Return the same rows with a prefix before each name."""
        if _are_bytes(self.names):
            return Names(np.strings.add(prefix.encode(), self.names), self.codes)
        return Names([f"{prefix}{name}" for name in self.names], self.codes)

    def filled_from(self, other: "Names") -> "Names":
        """Return these names, with those of another column in the rows that have none."""
        unnamed = self.codes == NAMELESS
        if not unnamed.any():
            return self
        filling = np.where(other.codes == NAMELESS, NAMELESS, other.codes + len(self.names))
        return Names(_join((self, other)), np.where(unnamed, filling, self.codes))


def unite(parts: Sequence[Names]) -> tuple[Sequence[str] | Bytes, Ints]:
    """Return the sorted distinct names of columns, and the codes of all their rows, concatenated.

    Names are in the order of their code points, which is also the order of their bytes in UTF-8.
    """
    names = _join(parts)
    united: Sequence[str] | Bytes
    if _are_bytes(names):
        united, numbers = _sort_bytes(names)
    else:
        united = sorted(set(names))
        number = {name: k for k, name in enumerate(united)}
        numbers = np.fromiter(map(number.__getitem__, names), np.int64, len(names))
    codes = np.empty(sum(len(part.codes) for part in parts), np.int64)
    row = before = 0
    for part in parts:
        rows = slice(row, row + len(part.codes))
        # names of a part follow those of the parts before it, and −1 reads the last entry
        codes[rows] = np.append(numbers[before : before + len(part.names)], NAMELESS)[part.codes]
        row, before = rows.stop, before + len(part.names)
    return united, codes


def _join(parts: Sequence[Names]) -> Sequence[str] | Bytes:
    """Return the names of all columns, concatenated: as bytes if all are bytes, else as strings."""
    columns = [part.names for part in parts if _are_bytes(part.names) or len(part.names)]
    arrays = [names for names in columns if _are_bytes(names)]
    if arrays and len(arrays) == len(columns):
        return np.concatenate(arrays)
    return [name for part in parts for name in part.texts()]


def _sort_bytes(names: Bytes) -> tuple[Bytes, Ints]:
    """Return the sorted distinct names, and for each given name its index among them."""
    if not len(names):
        return names, np.zeros(0, np.int64)
    width = -(-names.dtype.itemsize // _WORD)
    whole = names.astype(f"S{_WORD * width}")
    # as big-endian 8-byte numbers, names compare as their bytes do
    words = whole.view(">u8").astype(np.uint64).reshape(len(names), width).T
    order = np.argsort(words[0]) if width == 1 else np.lexsort(words[::-1])
    leads = find_leads([word[order] for word in words])
    numbers = np.empty(len(names), np.int64)
    numbers[order] = np.cumsum(leads) - 1
    return names[order[leads]], numbers


def find_leads(columns: Sequence[Words]) -> NDArray[np.bool_]:
    """Mark the rows of sorted columns that differ from the previous row."""
    leads = np.ones(len(columns[0]), np.bool_)
    leads[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return leads


def _are_bytes(names: Sequence[str] | Bytes) -> TypeGuard[Bytes]:
    return isinstance(names, np.ndarray)
