"""Databases whose pages SQLite did not write: results may come from anybody."""

import os
import signal
import sqlite3
import struct
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_STORE, StoreError
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.caution import bound_steps
from tests.program import pwtourney
from tests.store.helpers import META, pair

INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF = 0x02, 0x05, 0x0A, 0x0D
CELL = bytes([3, 2, 13, 13])
"""An index entry: three bytes of payload, two of which encode two empty strings."""


def page(size: int, kind: int, cells: list[bytes], right: int = 0) -> bytes:
    """Return a page of a B-tree as described by SQLite's file format (section 1.6)."""
    head = 12 if kind in (INDEX_INTERIOR, TABLE_INTERIOR) else 8
    body, offsets = b"", []
    for cell in cells:
        body = cell + body
        offsets.append(size - len(body))
    start = struct.pack(">BHHHB", kind, 0, len(cells), size - len(body), 0)
    start += struct.pack(">I", right) if head == 12 else b""
    start += b"".join(struct.pack(">H", offset) for offset in offsets)
    return start + bytes(size - len(start) - len(body)) + body


def explode(path: Path, table: str) -> None:
    """Turn an index into one with 200 to the fifth leaves: each page links the next 200 times."""
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
    struct.pack_into(">I", data, 28, len(data) // size)  # in the file header: the number of pages
    data[92:96] = data[24:28]  # and the mark that this number is valid
    path.write_bytes(data)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("table", ["meta", "sqlite_autoindex_games_1"])
def test_pages_with_repeated_links_to_one_page_are_refused(tmp_path: Path, table: str) -> None:
    """Otherwise a file of a few pages would take years to read."""
    path = tmp_path / "games.sqlite"
    Store.create(path, META).close()
    Store.open(path).close()
    explode(path, table)
    with pytest.raises(StoreError, match=r"the database is damaged: .*reference"):
        Store.open(path)


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_endless_catalogue_is_refused(tmp_path: Path) -> None:
    """SQLite reads the catalogue first: here it has one index 200 to the sixth times.

    An automatic index has no SQL statement there, so it may be listed repeatedly.
    """
    path = tmp_path / "games.sqlite"
    Store.create(path, META).close()
    name = b"sqlite_autoindex_games_1"
    with closing(sqlite3.connect(path)) as connection:
        ((size,),) = connection.execute("PRAGMA page_size")
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        ((root,),) = connection.execute(query, (name.decode(),))
    data = bytearray(path.read_bytes())
    own = data[:size]  # unchanged, except for the file header before the page header
    (entries,) = struct.unpack_from(">H", own, 103)
    own[: 8 + 2 * entries] = own[100 : 108 + 2 * entries]
    data += own
    first = struct.pack(">I", len(data) // size) + b"\1"
    # strings of 5, 24 and 5 bytes, a number of one byte, and NULL (section 2.1)
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


def test_database_pages_are_checked_once_per_file(tmp_path: Path) -> None:
    """Checking 400 MB takes a second, so the same folder object does not check the file again.

    A replaced file, or another folder object, is checked again. The test damages the file after the
    first check to see this.
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
def test_every_command_refuses_a_damaged_database(tmp_path: Path) -> None:
    """None of the commands that read results hangs on it."""
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
def test_oversized_database_value_is_refused(tmp_path: Path) -> None:
    """The values have over 34 MiB: a record of 80 MiB took 1.8 GiB of memory to read."""
    path = tmp_path / "games.sqlite"
    with closing(Store.create(path, META)) as store:
        store.add(pair(0))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET record = record || ?", (" " * (34 << 20),))
    with closing(Store.open(path)) as store, pytest.raises(StoreError, match="too big"):
        list(store.records())


@pytest.mark.skipif(sys.platform == "win32", reason="no process sends such a signal here")
def test_signal_while_steps_are_counted_interrupts(tmp_path: Path) -> None:
    """SQLite swallows what a handler raises and says "interrupted", as if the steps had run out."""
    is_running = threading.Event()

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def begin() -> int:
        is_running.set()
        return 1

    def send() -> None:
        is_running.wait(60)
        os.kill(os.getpid(), signal.SIGUSR1)

    query = (
        "WITH RECURSIVE n(x) AS (SELECT begin() UNION ALL SELECT x + 1 FROM n LIMIT 900000)"
        " SELECT count(*) FROM n"
    )
    before = signal.signal(signal.SIGUSR1, interrupt)
    sender = threading.Thread(target=send)
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.create_function("begin", 0, begin)
            sender.start()
            with pytest.raises(KeyboardInterrupt), bound_steps(connection, tmp_path / "none"):
                connection.execute(query).fetchone()
    finally:
        is_running.set()
        sender.join()
        signal.signal(signal.SIGUSR1, before)
