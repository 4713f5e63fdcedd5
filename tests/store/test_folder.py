"""The results folder: one writer at a time, no writes through links, old results kept."""

import json
import os
import socket
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pwtourney.errors import StoreError
from pwtourney.store import ResultsFolder, Store
from tests.store.helpers import META


def test_one_runner_at_a_time_writes(tmp_path: Path) -> None:
    """A second runner is rejected with the process that holds the folder."""
    with ResultsFolder(tmp_path / "r"), pytest.raises(StoreError, match="another run is writing"):
        ResultsFolder(tmp_path / "r").__enter__()
    with ResultsFolder(tmp_path / "r"):
        pass


@pytest.mark.timeout(20)  # opening a FIFO would block
def test_a_foreign_lock_file_is_refused(tmp_path: Path) -> None:
    """A FIFO does not block, and nothing is written through a link."""
    os.mkfifo(tmp_path / "run.lock")
    folder = ResultsFolder(tmp_path)
    assert not folder.is_locked()
    with pytest.raises(StoreError, match="cannot lock the results folder: this is not a file"):
        folder.__enter__()
    (tmp_path / "run.lock").unlink()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "run.lock").symlink_to(tmp_path / "mine")
    with pytest.raises(StoreError, match=r"run\.lock is a link, and results would be written"):
        folder.__enter__()
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("name", ["logs", "logs/greedy", "badges", "run.lock"])
def test_results_are_not_written_through_links(tmp_path: Path, name: str) -> None:
    """An untrusted folder may have links to any path."""
    (tmp_path / "mine").mkdir()
    link = tmp_path / "r" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "mine")
    with pytest.raises(StoreError, match=f"{name} is a link"):
        ResultsFolder(tmp_path / "r").__enter__()


@pytest.mark.timeout(20)  # opening a FIFO would block
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", "-journal"])
def test_database_must_consist_of_regular_files(tmp_path: Path, suffix: str) -> None:
    """Neither a link to another database nor a FIFO next to the database is opened."""
    foreign = tmp_path / "foreign"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE mine (x)")
    before = foreign.read_bytes()
    folder = ResultsFolder(tmp_path / "r")
    folder.prepare()
    Store.create(folder.database, META).close()
    odd = folder.database.with_name(f"games.sqlite{suffix}")
    for make in (partial(os.symlink, foreign), os.mkfifo):
        odd.unlink(missing_ok=True)
        make(odd)
        with pytest.raises(StoreError, match=f"games.sqlite{suffix} is a link or a special file"):
            folder.__enter__()
        for write in (True, False):
            with pytest.raises(StoreError, match=r"is a link or a special file|is not a file"):
                Store.open(folder.database, write=write)
    assert foreign.read_bytes() == before


@pytest.mark.timeout(20)  # opening a FIFO would block
def test_logs_are_written_into_files_only(tmp_path: Path) -> None:
    """A link or a FIFO in place of a log is not written to."""
    (tmp_path / "mine").write_text("mine")
    log = tmp_path / "r" / "logs" / "greedy" / "0.0.log"
    log.parent.mkdir(parents=True)
    log.symlink_to(tmp_path / "mine")
    with pytest.raises(StoreError, match=r"0\.0\.log is a link or a special file"):
        ResultsFolder(tmp_path / "r").__enter__()
    log.unlink()
    os.mkfifo(log)
    with pytest.raises(StoreError, match=r"0\.0\.log is a link or a special file"):
        ResultsFolder(tmp_path / "r").__enter__()
    assert (tmp_path / "mine").read_text() == "mine"


def test_scratch_folder_of_a_killed_run_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path is in the lock file; only scratch folders of this host are ever removed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / "r"
    folder.mkdir()
    host = socket.gethostname()
    cases = (("pwtourney-abc", host, False), ("mine", host, True), ("pwtourney-b", "other", True))
    for name, where, kept in cases:
        scratch = tmp_path / name
        scratch.mkdir()
        note = {"process": 1, "host": where, "scratch": str(scratch)}
        (folder / "run.lock").write_text(json.dumps(note))
        with ResultsFolder(folder):
            assert scratch.exists() == kept


def test_old_results_are_set_aside_and_not_deleted(tmp_path: Path) -> None:
    """This works twice within a second."""
    folder = ResultsFolder(tmp_path / "r")
    asides = set()
    for text in ("one", "two"):
        with folder:
            folder.database.write_text(text)
            (folder.path / "notes.txt").write_text("mine")
            aside = folder.set_aside()
            assert aside is not None
            assert (aside / "games.sqlite").read_text() == text
            asides.add(aside)
            assert not folder.database.exists()
            assert (folder.path / "notes.txt").exists()
            assert folder.set_aside() is None
    assert len(asides) == 2


def test_results_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A file is in the way."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the results folder"):
        ResultsFolder(tmp_path / "file" / "below").prepare()


def test_folder_made_by_a_run_is_removed_if_unused(tmp_path: Path) -> None:
    """A folder that existed before, or that has files, stays."""
    made, existing, used = (ResultsFolder(tmp_path / name) for name in ("made", "there", "used"))
    existing.path.mkdir()
    for folder in (made, existing, used):
        with folder:
            assert (folder.path / "run.lock").exists()
            if folder is used:
                folder.database.write_text("games")
    assert not made.path.exists()
    assert existing.path.exists()
    assert used.database.exists()


def test_results_do_not_go_into_a_file(tmp_path: Path) -> None:
    """The error says that the path is a file, and the file is unchanged."""
    (tmp_path / "r").write_text("mine")
    with (
        pytest.raises(StoreError, match="r is a file; name a folder"),
        ResultsFolder(tmp_path / "r"),
    ):
        pass
    assert (tmp_path / "r").read_text() == "mine"


def test_removed_lock_file_does_not_count_as_the_lock(tmp_path: Path) -> None:
    """A lock on a deleted file is not a lock on the file that is there now."""
    with ResultsFolder(tmp_path / "r") as first:
        (first.path / "run.lock").unlink()
        with ResultsFolder(tmp_path / "r"), pytest.raises(StoreError, match="another run"):
            ResultsFolder(tmp_path / "r").__enter__()
