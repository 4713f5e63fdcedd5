"""Files that SQLite would treat as part of a database; they may come from anybody.

A journal that names another file, a super-journal, makes SQLite delete that file at rollback
(https://sqlite.org/fileformat2.html, sections 3 and 3.1).
"""

import ctypes
import os
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_STORE, StoreError
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.shards import merge
from tests.needs import need_any_sandbox
from tests.program import pwtourney
from tests.store.helpers import META, pair

MAGIC = bytes.fromhex("d9d505f920a163d7")
LOCK_BYTE = 1 << 30
IN_CREATE = 0x100


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """Return a file outside the results, which must never be changed."""
    path = tmp_path / "precious.txt"
    path.write_text("mine")
    return path


def leave_journal(database: Path, named: Path, pages: int = 6, size: int = 4096) -> Path:
    """Write a journal, which names another file, for a database that does not exist yet."""
    head = MAGIC + struct.pack(">IIIII", 0, 0, pages, 512, size)
    name = os.fsencode(named)
    record = struct.pack(">I", LOCK_BYTE // size + 1) + name
    record += struct.pack(">II", len(name), sum(name) % 2**32) + MAGIC
    journal = database.with_name(f"{database.name}-journal")
    journal.parent.mkdir(parents=True, exist_ok=True)
    journal.write_bytes(head.ljust(512, b"\0") + record)
    return journal


def describe(path: Path) -> str:
    """Return the error message for a foreign file."""
    return (
        f"{path} is not from pwtourney, and SQLite would change results or delete files as it says;"
        " remove it, or start again with --fresh"
    )


def test_sqlite_deletes_the_file_that_the_journal_names(tmp_path: Path, precious: Path) -> None:
    """This shows that the journal of these tests is effective without our checks."""
    path = tmp_path / "games.sqlite"
    Store.create(path, META).close()
    leave_journal(path, precious, path.stat().st_size // 4096)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM meta").fetchall()
    assert not precious.exists()


def test_no_store_is_made_next_to_a_foreign_journal(tmp_path: Path, precious: Path) -> None:
    """The error names the journal, the file it names is kept, and no database is made."""
    path = tmp_path / "r" / "games.sqlite"
    journal = leave_journal(path, precious)
    with pytest.raises(StoreError) as caught:
        Store.create(path, META)
    assert str(caught.value) == describe(journal)
    assert precious.read_text() == "mine"
    assert [file.name for file in path.parent.iterdir()] == ["games.sqlite-journal"]


@pytest.mark.parametrize("name", ["games.sqlite-wal", "games.sqlite-shm"])
def test_no_store_is_made_next_to_the_log_of_another(tmp_path: Path, name: str) -> None:
    """SQLite would read its pages in place of the stored ones."""
    (tmp_path / name).write_text("of a database that is gone")
    with pytest.raises(StoreError) as caught:
        Store.create(tmp_path / "games.sqlite", META)
    assert str(caught.value) == describe(tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_no_draft_is_made_next_to_a_path_that_cannot_be_removed(tmp_path: Path) -> None:
    """A draft is opened as a database too."""
    (tmp_path / ".games.sqlite.new-journal").mkdir()
    with pytest.raises(StoreError) as caught:
        Store.create(tmp_path / "games.sqlite", META)
    assert str(caught.value) == describe(tmp_path / ".games.sqlite.new-journal")


@pytest.mark.parametrize("write", [False, True])
def test_no_store_is_opened_next_to_a_journal(tmp_path: Path, precious: Path, write: bool) -> None:
    """It is opened neither for reading nor for writing until the journal is removed."""
    path = tmp_path / "games.sqlite"
    with closing(Store.create(path, META)) as store:
        store.add(pair(0))
    journal = leave_journal(path, precious, path.stat().st_size // 4096)
    with pytest.raises(StoreError) as caught:
        Store.open(path, write=write)
    assert str(caught.value) == describe(journal)
    assert precious.read_text() == "mine"
    journal.unlink()
    with closing(Store.open(path, write=write)) as store:
        assert store.count() == 1


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_nothing_is_merged_next_to_foreign_files(
    tmp_path: Path, precious: Path, suffix: str
) -> None:
    """Any foreign file at the target is refused; a draft left by a killed merge is replaced."""
    part = ResultsFolder(tmp_path / "part")
    part.prepare()
    Store.create(part.database, META).close()
    target = ResultsFolder(tmp_path / "whole")
    leave_journal(target.database.with_name(".games.sqlite.new"), precious)
    foreign = leave_journal(target.database, precious)
    foreign = foreign.rename(target.database.with_name(f"games.sqlite{suffix}"))
    with pytest.raises(StoreError) as caught:
        merge([part.path], target)
    assert str(caught.value) == describe(foreign)
    foreign.unlink()
    merge([part.path], target)
    Store.open(target.database, write=True).close()
    assert [file.name for file in target.path.iterdir()] == ["games.sqlite"]
    assert precious.read_text() == "mine"


def test_foreign_files_are_set_aside_with_old_results(tmp_path: Path, precious: Path) -> None:
    """This works without a database, too: then a new one can be made, and they have no effect."""
    folder = ResultsFolder(tmp_path / "r")
    journal = leave_journal(folder.database, precious)
    with folder:
        aside = folder.set_aside()
        assert aside is not None
        Store.create(folder.database, META).close()
    assert (aside / journal.name).exists()
    assert not journal.exists()
    assert precious.read_text() == "mine"


def test_files_of_a_killed_run_are_used_on_resume(tmp_path: Path) -> None:
    """The last games are in the write-ahead log, with or without its shared-memory index."""
    for number, suffixes in enumerate([("-wal", "-shm"), ("-wal",)], 1):
        path = tmp_path / str(number) / "games.sqlite"
        path.parent.mkdir()
        with closing(Store.create(tmp_path / f"{number}.sqlite", META)) as store:
            store.add(pair(0))
            for suffix in ("", *suffixes):  # copies at this moment, as if the run was killed here
                content = (tmp_path / f"{number}.sqlite{suffix}").read_bytes()
                path.with_name(path.name + suffix).write_bytes(content)
        with closing(Store.open(path, write=True)) as store:
            assert store.count() == 1
            store.add(pair(1))
            assert store.is_chained()
        assert [file.name for file in path.parent.iterdir()] == ["games.sqlite"]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="counts on Linux to tell what is made")
def test_a_store_never_has_a_journal(tmp_path: Path) -> None:
    """Otherwise a killed run could leave one, which would be rejected as foreign."""
    system = ctypes.CDLL(None)
    watch = system.inotify_init1(os.O_NONBLOCK)
    assert system.inotify_add_watch(watch, os.fsencode(tmp_path), IN_CREATE) > 0
    path = tmp_path / "games.sqlite"
    with closing(Store.create(path, META)) as store:
        store.add(pair(0))
    with closing(Store.open(path, write=True)) as store:
        store.add(pair(1))
    Store.open(path).close()
    events = os.read(watch, 1 << 16)
    os.close(watch)
    made = set()
    while events:  # each event: watch, mask, cookie, length of the name, the name (inotify(7))
        (length,) = struct.unpack_from("I", events, 12)
        made.add(events[16 : 16 + length].rstrip(b"\0").decode())
        events = events[16 + length :]
    names = (".games.sqlite.new", "games.sqlite")
    assert made == {names[0], *(f"{name}{suffix}" for name in names for suffix in ("-wal", "-shm"))}


@pytest.mark.thorough
@pytest.mark.slow(3)
@pytest.mark.parametrize("option", [None, "--untrusted", "--fresh"])
def test_malicious_results_folder_deletes_no_file(
    tmp_path: Path, precious: Path, option: str | None
) -> None:
    """A run in it is refused, or with --fresh moves the files away and plays."""
    if option == "--untrusted":
        need_any_sandbox()
    journal = leave_journal(tmp_path / "r" / "games.sqlite", precious)
    (tmp_path / "t.yaml").write_text("name: t\npairs: 1\nbots: [random, frugal]\nresults: r\n")
    words = ("run", "t.yaml", *filter(None, [option]))
    done = pwtourney(*words, at=tmp_path, code=0 if option == "--fresh" else EXIT_STORE)
    assert precious.read_text() == "mine"
    if option != "--fresh":
        assert describe(journal) in done.stderr
        assert not journal.with_name("games.sqlite").exists()
