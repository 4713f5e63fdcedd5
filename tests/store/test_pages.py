"""Databases whose pages are not what SQLite made of them: results may come from anybody."""

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import StoreError
from pwtourney.store import Store
from tests.store.helpers import META, pair

INDEX_INTERIOR, INDEX_LEAF = 0x02, 0x0A
CELL = bytes([3, 2, 13, 13])
"""An entry of an index: three bytes of payload, of which two say that it is two empty texts."""


def page(size: int, kind: int, cells: list[bytes], right: int = 0) -> bytes:
    """Return a page of a B-tree, as the file format of SQLite describes it (section 1.6)."""
    head = 12 if kind == INDEX_INTERIOR else 8
    body, places = b"", []
    for cell in cells:
        body = cell + body
        places.append(size - len(body))
    start = struct.pack(">BHHHB", kind, 0, len(cells), size - len(body), 0)
    start += struct.pack(">I", right) if head == 12 else b""
    start += b"".join(struct.pack(">H", place) for place in places)
    return start + bytes(size - len(start) - len(body)) + body


def explode(path: Path, table: str) -> None:
    """Let an index of a few pages have 200 to the fifth leaves: each page leads to one, often."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        ((root,),) = connection.execute(query, (table,))
        ((size,),) = connection.execute("PRAGMA page_size")
    data = bytearray(path.read_bytes())
    below = page(size, INDEX_LEAF, [CELL] * 200)
    for _ in range(5):
        data += below
        number = len(data) // size
        below = page(size, INDEX_INTERIOR, [struct.pack(">I", number) + CELL] * 200, number)
    data[(root - 1) * size : root * size] = below
    struct.pack_into(">I", data, 28, len(data) // size)  # of the head: how many pages there are
    data[92:96] = data[24:28]  # and that this number is valid
    path.write_bytes(data)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("table", ["meta", "sqlite_autoindex_games_1"])
def test_pages_that_lead_to_one_page_again_and_again_are_refused(
    tmp_path: Path, table: str
) -> None:
    """A file of some pages would otherwise be read for years."""
    path = tmp_path / "games.sqlite"
    Store.create(path, META).close()
    Store.open(path).close()
    explode(path, table)
    with pytest.raises(StoreError, match=r"the database is damaged: .*reference"):
        Store.open(path)


def test_a_value_that_nobody_writes_is_refused(tmp_path: Path) -> None:
    """Of 34 MiB and more: a record of 80 took 1.8 GiB to read."""
    path = tmp_path / "games.sqlite"
    with closing(Store.create(path, META)) as store:
        store.add(pair(0))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET record = record || ?", (" " * (34 << 20),))
    with closing(Store.open(path)) as store, pytest.raises(StoreError, match="too big"):
        list(store.records())
