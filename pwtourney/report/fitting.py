"""Tables that fit: columns leave until the rest has room, and no cell is ever wrapped.

What fits is measured from the cells at hand; there are no limits by the width of a terminal. Widths
are in terminal cells: a character of an East Asian script takes two.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

__all__ = ["Column", "fit", "natural_width", "shorten", "split"]

_PER_COLUMN = 2
_EDGES = 1
"""What rules and padding take: a blank before the table, two after each column."""

_NARROWEST = 6
"""A column of words is not cut below this: less would tell nobody apart."""


class Column(NamedTuple):
    """A heading and its cells.

    Columns of words stand to the left, and are cut where nothing else helps; numbers are never
    cut. `brief` says the same as `cells` in less room, where that can be said.
    """

    heading: str
    cells: tuple[str, ...]
    words: bool = False
    brief: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How wide the column is if nothing is wrapped or cut."""
        return max(map(cell_len, (self.heading, *self.cells)))


def natural_width(columns: Sequence[Column]) -> int:
    """Return how wide a table is if nothing is wrapped or cut."""
    return sum(column.width + _PER_COLUMN for column in columns) + _EDGES


def fit(columns: Sequence[Column], order: Sequence[str], width: int) -> list[Column]:
    """Return what is left of a table in so much room.

    `order` names the columns that may leave, the least important first. A column with brief cells
    takes them when it is named first, and leaves when it is named again. If that is not enough,
    words are cut.
    """
    left = list(columns)
    for heading in order:
        if natural_width(left) <= width:
            break
        left = [each for column in left for each in _without(column, heading)]
    return _cut(left, width)


def _without(column: Column, heading: str) -> list[Column]:
    """Return a column that is not named, one that is named in brief, or none."""
    if column.heading != heading:
        return [column]
    return [column._replace(cells=column.brief, brief=())] if column.brief else []


def split(columns: Sequence[Column], kept: int, width: int) -> list[list[Column]]:
    """Return a table in as many parts as it needs; the first `kept` columns stand in each."""
    head, parts = list(columns[:kept]), [list(columns[:kept])]
    for column in columns[kept:]:
        if len(parts[-1]) > kept and natural_width([*parts[-1], column]) > width:
            parts.append(list(head))
        parts[-1].append(column)
    return [_cut(part, width) for part in parts]


def _cut(columns: list[Column], width: int) -> list[Column]:
    """Cut words, those of the widest column first, until the table fits or nothing can be cut."""
    widths = [column.width for column in columns]
    words = [place for place, column in enumerate(columns) if column.words]
    for _ in range(natural_width(columns) - width):
        widest = max(words, key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return [
        column._replace(cells=shorten(column.cells, room)) if room < column.width else column
        for column, room in zip(columns, widths, strict=True)
    ]


def shorten(texts: Sequence[str], width: int) -> tuple[str, ...]:
    """Cut texts that are too wide so that those which differ still do.

    They are cut in the middle, because names often differ at their ends; where that makes two
    alike, elsewhere; and if no cut tells all of them apart, they are numbered.
    """
    distinct = sorted(set(texts))
    middle = (width - 1) // 2
    for tail in sorted(range(width), key=lambda place: (abs(place - middle), place)):
        found = {text: _ellipsis(text, width, tail) for text in distinct}
        if len(set(found.values())) == len(distinct):
            break
    else:
        for number, text in enumerate(distinct, 1):
            if cell_len(text) > width:
                found[text] = _ellipsis(text, width - len(str(number)), 0) + str(number)
    return tuple(found[text] for text in texts)


def _ellipsis(text: str, width: int, tail: int) -> str:
    """Cut a text that is too wide, and keep so much of its end."""
    if cell_len(text) <= width:
        return text
    head = set_cell_size(text, max(width - tail - 1, 0))
    return f"{head}…{set_cell_size(text[::-1], tail)[::-1]}"
