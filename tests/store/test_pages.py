"""Databases whose pages are not what SQLite made of them: results may come from anybody."""

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_STORE, StoreError
from pwtourney.store import ResultsFolder, Store
from tests.program import pwtourney
from tests.store.helpers import META, pair

INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF = 0x02, 0x05, 0x0A, 0x0D
CELL = bytes([3, 2, 13, 13])
"""An entry of an index: three bytes of payload, of which two say that it is two empty texts."""


def page(size: int, kind: int, cells: list[bytes], right: int = 0) -> bytes:
    """Return a page of a B-tree, as the file format of SQLite describes it (section 1.6)."""
    head = 12 if kind in (INDEX_INTERIOR, TABLE_INTERIOR) else 8
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


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_a_catalogue_without_end_is_refused(tmp_path: Path) -> None:
    """SQLite reads it before anything else: here an index 200 to the sixth times.

    An index that comes with its table has no statement there, so it may be there again.
    """
    path = tmp_path / "games.sqlite"
    Store.create(path, META).close()
    name = b"sqlite_autoindex_games_1"
    with closing(sqlite3.connect(path)) as connection:
        ((size,),) = connection.execute("PRAGMA page_size")
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        ((root,),) = connection.execute(query, (name.decode(),))
    data = bytearray(path.read_bytes())
    own = data[:size]  # as it is, except for the head of the file before that of the page
    (entries,) = struct.unpack_from(">H", own, 103)
    own[: 8 + 2 * entries] = own[100 : 108 + 2 * entries]
    data += own
    first = struct.pack(">I", len(data) // size) + b"\1"
    # texts of 5, 24 and 5 bytes, a number of one, and NULL (section 2.1)
    row = bytes([6, 23, 61, 23, 1, 0]) + b"index" + name + b"games" + bytes([root])
    below = page(size, TABLE_LEAF, [bytes([len(row), 1]) + row] * 80)
    for _ in range(5):
        data += below
        number = len(data) // size
        below = page(size, TABLE_INTERIOR, [struct.pack(">I", number) + b"\1"] * 200, number)
    top = page(size, TABLE_INTERIOR, [first], number)
    data[100:114], data[size - len(first) : size] = top[:14], first
    struct.pack_into(">I", data, 28, len(data) // size)
    data[92:96] = data[24:28]
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"games\.sqlite: interrupted; put a copy in its place"):
        Store.open(path)


def test_the_pages_of_a_database_are_checked_once(tmp_path: Path) -> None:
    """Of 400 MB it takes a second: not again by who has done it, but of another file at its place.

    What is done to the file behind the back of the first one is what the check alone would find.
    """
    folder = ResultsFolder(tmp_path)
    Store.create(folder.database, META).close()
    Store.open_in(folder).close()
    explode(folder.database, "sqlite_autoindex_games_1")
    Store.open_in(folder).close()
    for _ in range(2):
        with pytest.raises(StoreError, match="the database is damaged"):
            Store.open_in(ResultsFolder(tmp_path))
    copy = tmp_path / "copy"
    copy.write_bytes(folder.database.read_bytes())
    copy.replace(folder.database)
    for _ in range(2):
        with pytest.raises(StoreError, match="the database is damaged"):
            Store.open_in(folder)


@pytest.mark.slow(3)
@pytest.mark.timeout(60)
def test_every_command_refuses_a_database_that_is_damaged(tmp_path: Path) -> None:
    """Whatever reads results: nobody waits for what would be read for years."""
    results = tmp_path / "r"
    results.mkdir()
    Store.create(results / "games.sqlite", META).close()
    explode(results / "games.sqlite", "meta")
    (tmp_path / "league.yaml").write_text("name: league\nbots: [random, frugal]\n")
    for words in (
        "report r",
        "report r --bot a",
        "verify r",
        "verify r --file league.yaml",
        "serve r --port 0",
        "merge r --out whole",
        "rate r",
        "rate r/games.sqlite",
        "replay r:0.0",
        "replay r:0.0 --html game.html",
        "rerun r:0.0 --bot random",
        "analyse r:0.0 --bot random",
        "run league.yaml --results r",
        "run league.yaml --results r --extend",
        "run league.yaml --results r --dry-run",
        "duel random frugal --results r",
    ):
        refused = pwtourney(*words.split(), at=tmp_path, code=EXIT_STORE)
        assert "the database is damaged" in refused.stderr, words


@pytest.mark.slow
def test_a_value_that_nobody_writes_is_refused(tmp_path: Path) -> None:
    """Of 34 MiB and more: a record of 80 took 1.8 GiB to read."""
    path = tmp_path / "games.sqlite"
    with closing(Store.create(path, META)) as store:
        store.add(pair(0))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET record = record || ?", (" " * (34 << 20),))
    with closing(Store.open(path)) as store, pytest.raises(StoreError, match="too big"):
        list(store.records())
