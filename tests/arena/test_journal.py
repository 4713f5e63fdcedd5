"""The file of a table's game: its lines, its lock, and what is wrong with damaged ones."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pwtourney.arena.play.journal import Journal, delete_journal, read_journal
from pwtourney.errors import StoreError
from tests.descriptors import list_descriptors

FIRST, SECOND = {"table": 1, "name": "Ä"}, {"ply": [0, "advance"]}
LINES = b'{"table":1,"name":"\\u00c4"}\n{"ply":[0,"advance"]}\n'


def count_open(path: Path) -> int:
    """Return how often this process has a file open."""
    return list(list_descriptors().values()).count(str(path))


def refused(path: Path) -> str:
    """Return why a journal can be neither read nor opened."""
    with pytest.raises(StoreError) as first:
        read_journal(path)
    with pytest.raises(StoreError) as second:
        Journal.open(path)
    assert str(first.value) == str(second.value)
    assert count_open(path) == 0
    return str(second.value)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a journal, as another process does that plays it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def test_each_entry_is_one_line_of_json(tmp_path: Path) -> None:
    """The bytes on the disk are ASCII without blanks; folders are made, others cannot read it."""
    path = tmp_path / "a" / "b" / "x.jsonl"
    journal = Journal.create(path, [FIRST])
    assert (journal.path, journal.entries) == (path, [FIRST])
    journal.append(SECOND)
    assert path.read_bytes() == LINES
    assert path.stat().st_mode & 0o777 == 0o600
    assert journal.entries == [FIRST]  # those at the time of opening
    assert read_journal(path) == [FIRST, SECOND]
    journal.close()
    assert count_open(path) == 0


def test_opened_journal_continues_after_its_last_whole_line(tmp_path: Path) -> None:
    """A part of a line, left by a crash, is removed and written over."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINES + b'{"back":')
    assert read_journal(path) == [FIRST, SECOND]
    assert path.read_bytes() == LINES + b'{"back":'  # a reader changes nothing
    journal = Journal.open(path)
    assert path.read_bytes() == LINES
    assert journal.entries == [FIRST, SECOND]
    journal.append({"back": 0})
    journal.close()
    assert path.read_bytes() == LINES + b'{"back":0}\n'


def test_journal_has_one_writer(tmp_path: Path) -> None:
    """Another process neither opens nor deletes it; it may read it."""
    path = tmp_path / "x.jsonl"
    journal = Journal.create(path, [FIRST])
    reason = "the journal x.jsonl: another arena plays this game; close it first"
    for attempt in (Journal.open, delete_journal):
        with pytest.raises(StoreError) as refusal:
            attempt(path)
        assert str(refusal.value) == reason
    assert count_open(path) == 1
    assert read_journal(path) == [FIRST]
    journal.close()
    with held(path), pytest.raises(StoreError) as refusal:  # a shared lock is enough
        delete_journal(path)
    assert str(refusal.value) == reason
    delete_journal(path)
    assert not path.exists()
    assert count_open(path) == 0


def test_opened_journal_keeps_others_out(tmp_path: Path) -> None:
    """The lock lasts until it is closed."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINES)
    journal = Journal.open(path)
    with pytest.raises(StoreError, match="another arena plays this game"):
        Journal.open(path)
    journal.close()
    Journal.open(path).close()


def test_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    """Another game has that name."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINES)
    with pytest.raises(FileExistsError):
        Journal.create(path, [FIRST])
    assert path.read_bytes() == LINES


def test_journal_that_cannot_be_created_leaves_no_file(tmp_path: Path) -> None:
    """JSON has no NaN, so the second entry fails after the first was written."""
    path = tmp_path / "x.jsonl"
    with pytest.raises(ValueError, match="not JSON compliant"):
        Journal.create(path, [FIRST, {"spent": float("nan")}])
    assert list(tmp_path.iterdir()) == []
    assert count_open(path) == 0


def test_link_is_followed_neither_to_open_nor_to_delete(tmp_path: Path) -> None:
    """A link in the folder of games could lead to any file of the user."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINES)
    link = tmp_path / "y.jsonl"
    link.symlink_to(path)
    for attempt in (Journal.open, delete_journal):
        with pytest.raises(OSError, match="symbolic links"):
            attempt(link)
    assert link.is_symlink()
    assert path.read_bytes() == LINES


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the journal x.jsonl: it is empty"),
        (b'{"table":1}', "the journal x.jsonl: it is empty"),
        (b"{\n", "the journal x.jsonl, line 1: this is not JSON"),
        (LINES + b"\n", "the journal x.jsonl, line 3: this is not JSON"),
        (LINES + b"[1]\n" + LINES, "the journal x.jsonl, line 3: expected an object"),
        (b"\xff\n", "the journal x.jsonl, line 1: this is not JSON"),
    ],
)
def test_damaged_journal_is_refused_with_the_line(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    """The reason has the name of the file without its folder, which no page shows."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert refused(path) == reason
    assert path.read_bytes() == content


def test_journal_has_four_mebibytes_at_most(tmp_path: Path) -> None:
    """An entry that does not fit is not written; a longer file is not read."""
    most = 4 * 1024 * 1024
    path = tmp_path / "x.jsonl"
    head = b'{"a":"'
    path.write_bytes(head + b"x" * (most - len(head) - 3 - 3) + b'"}\n')
    assert path.stat().st_size == most - 3
    journal = Journal.open(path)
    reason = f"the journal x.jsonl: it has {most - 3} bytes and is full"
    with pytest.raises(StoreError) as full:
        journal.append({"a": 1})
    assert str(full.value) == reason
    journal.append({})  # two brackets and the end of the line
    with pytest.raises(StoreError, match=f"it has {most} bytes and is full"):
        journal.append({})
    journal.close()
    assert path.stat().st_size == most
    with path.open("ab") as file:
        file.write(b"\n")
    assert refused(path) == f"the journal x.jsonl: a journal has at most {most} bytes"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_entry_that_cannot_be_written_leaves_the_journal_unchanged(tmp_path: Path) -> None:
    """A full disk is an error of the system; the next entry is written after the last whole one."""
    path = tmp_path / "x.jsonl"
    journal = Journal.create(path, [FIRST])
    before = path.read_bytes()
    own = next(number for number, name in list_descriptors().items() if name == str(path))
    kept = os.dup(own)
    full = os.open("/dev/full", os.O_RDWR)
    os.dup2(full, own)
    with pytest.raises(OSError, match="No space left on device"):
        journal.append(SECOND)
    os.dup2(kept, own)
    for number in (kept, full):
        os.close(number)
    assert path.read_bytes() == before
    journal.append(SECOND)
    journal.close()
    assert path.read_bytes() == LINES


def test_short_write_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may write a part of a line only, and the rest is written behind it."""
    whole = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda number, line, offset: whole(number, line[:20], offset))
    path = tmp_path / "x.jsonl"
    Journal.create(path, [FIRST, SECOND]).close()
    assert path.read_bytes() == LINES


def test_part_of_an_entry_that_cannot_be_completed_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full after ten bytes of it, and has room again later."""
    path = tmp_path / "x.jsonl"
    journal = Journal.create(path, [FIRST])
    before, whole = path.read_bytes(), os.pwrite

    def fill(number: int, line: bytes, offset: int) -> int:
        if offset > len(before):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return whole(number, line[:10], offset)

    with monkeypatch.context() as full:
        full.setattr(os, "pwrite", fill)
        with pytest.raises(OSError, match="No space left on device"):
            journal.append(SECOND)
    assert path.read_bytes() == before
    journal.append(SECOND)
    journal.close()
    assert path.read_bytes() == LINES


def test_closed_journal_stays_closed() -> None:
    """Its descriptor may belong to another file by then, so it is closed once."""
    reader, writer = os.pipe()
    journal = Journal(Path("x.jsonl"), writer)
    journal.close()
    assert os.read(reader, 1) == b""  # the pipe has no writer
    assert os.dup2(reader, writer) == writer
    journal.close()
    for number in (reader, writer):
        os.close(number)  # both are open
