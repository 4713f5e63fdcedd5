"""Columns of names behave the same whether they hold strings or bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.ratings.coded_names import NAMELESS, Names, unite

# without zero bytes, which end a name that is held as bytes
NAMES = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=12)
COLUMNS = st.lists(st.lists(NAMES, max_size=8), max_size=5)


def as_bytes(column: Names) -> Names:
    """Return a column with its names held as bytes."""
    encoded = [name.encode() for name in column.texts()]
    return column._replace(names=np.array(encoded, np.bytes_)) if encoded else column


@given(COLUMNS, st.lists(st.booleans(), min_size=5, max_size=5))
@pytest.mark.slow
def test_united_columns_keep_their_rows(columns: list[list[str]], held: list[bool]) -> None:
    """Names are in Python's order of strings, each once, however each column is held."""
    parts = [
        as_bytes(Names.of(column)) if bytes_ else Names.of(column)
        for column, bytes_ in zip(columns, held, strict=False)
    ]
    names, codes = unite(parts)
    texts = [name if isinstance(name, str) else name.decode() for name in names]
    rows = [name for column in columns for name in column]
    assert texts == sorted({name for name in rows if name})
    assert [texts[code] if code != NAMELESS else "" for code in codes.tolist()] == rows


@pytest.mark.slow
@given(st.lists(st.tuples(NAMES, NAMES), max_size=8), st.booleans(), st.booleans())
def test_rows_without_a_name_are_filled_from_another_column(
    rows: list[tuple[str, str]], first_held: bool, second_held: bool
) -> None:
    """The other name gets a prefix; rows without either name stay empty."""
    columns = [Names.of([row[k] for row in rows]) for k in (0, 1)]
    first, second = (
        as_bytes(column) if held else column
        for column, held in zip(columns, (first_held, second_held), strict=True)
    )
    filled = first.filled_from(second.with_prefix("pair "))
    assert filled.rows() == [a or (b and f"pair {b}") for a, b in rows]
