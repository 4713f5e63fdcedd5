"""Files of a results folder: the lock and its content, old results, logs, databases."""

import fcntl
import json
import os
import re
import socket
import sys
from pathlib import Path

import pytest

from pwtourney.errors import StoreError
from pwtourney.store import FaultLogs, ResultsFolder
from pwtourney.store.connection import choose_reading_mode
from pwtourney.store.folder import (
    REPORTS,
    RUNNING,
    list_database_files,
    refuse_odd_files,
    remove_database,
)

SUFFIXES = ("", "-wal", "-shm", "-journal")


def test_paths_of_a_results_folder(tmp_path: Path) -> None:
    """The names are those of docs/reports.md, below the folder's own path."""
    (tmp_path / "r").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "r")
    folder = ResultsFolder(tmp_path / "link")
    assert folder.path == tmp_path / "r"
    assert (folder.database, folder.logs, folder.page) == (
        tmp_path / "r/games.sqlite",
        tmp_path / "r/logs",
        tmp_path / "r/report.html",
    )


def test_lock_file_names_its_holder(tmp_path: Path) -> None:
    """It is JSON with the process, its host, and what to clear if it is killed."""
    folder = ResultsFolder(tmp_path)
    lock = tmp_path / "run.lock"
    own = {"process": os.getpid(), "host": socket.gethostname(), "scratch": None}
    with folder:
        assert json.loads(lock.read_text()) == own
        folder.note_scratch("/a/rather/long/name")
        assert json.loads(lock.read_text()) == own | {"scratch": "/a/rather/long/name"}
        folder.note_scratch(None)
        assert json.loads(lock.read_text()) == own
        with pytest.raises(StoreError) as caught:
            ResultsFolder(tmp_path).__enter__()
        for nonsense in ("nonsense", "[" * 4000):
            lock.write_text(nonsense)
            with pytest.raises(StoreError, match=re.escape("(process ? on ?)")):
                ResultsFolder(tmp_path).__enter__()
    assert str(caught.value) == (
        f"{tmp_path}: another run is writing here (process {os.getpid()} on"
        f" {socket.gethostname()}); wait for it or give another results folder"
    )
    assert lock.read_text() == ""
    assert lock.stat().st_mode & 0o777 == 0o644 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_lock_file_removed_while_locking_is_locked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a run would hold a lock that no other process sees, and leak its descriptor."""
    lock = tmp_path / "run.lock"
    take = fcntl.flock
    lost: list[int] = []

    def take_late(descriptor: int, how: int) -> None:
        take(descriptor, how)
        if not lost:
            lost.append(descriptor)
            lock.unlink()

    monkeypatch.setattr(fcntl, "flock", take_late)
    before = set(os.listdir("/dev/fd"))
    with ResultsFolder(tmp_path):
        assert json.loads(lock.read_text())["process"] == os.getpid()
        with pytest.raises(StoreError, match="another run is writing here"):
            ResultsFolder(tmp_path).__enter__()
    assert len(lost) == 1
    assert set(os.listdir("/dev/fd")) == before


def test_is_locked_while_a_run_holds_the_lock(tmp_path: Path) -> None:
    """True for every process while the lock is held, and not before or after."""
    folder = ResultsFolder(tmp_path / "r")
    assert not folder.is_locked()
    with folder:
        assert folder.is_locked()
        assert ResultsFolder(tmp_path / "r").is_locked()
        (folder.path / "games.sqlite").write_text("kept")
    assert not folder.is_locked()
    with folder:
        assert folder.is_locked()


def test_readers_of_the_lock_do_not_count_as_a_run(tmp_path: Path) -> None:
    """A shared lock that another reader holds at the moment does not count."""
    import fcntl

    with ResultsFolder(tmp_path):
        pass
    with (tmp_path / "run.lock").open() as asking:
        fcntl.flock(asking, fcntl.LOCK_SH)
        assert not ResultsFolder(tmp_path).is_locked()


def test_a_system_without_locks_gets_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows results can be read, because no run writes there, but not written."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    assert not ResultsFolder(tmp_path).is_locked()
    with pytest.raises(StoreError) as caught:
        ResultsFolder(tmp_path).__enter__()
    assert str(caught.value) == "results are written on Linux and macOS only; use WSL"


def test_file_or_folder_in_the_way_is_reported(tmp_path: Path) -> None:
    """A file is in place of the folder, and a folder is in place of the lock."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        ResultsFolder(tmp_path / "file" / "below").prepare()
    assert str(caught.value) == (
        f"{tmp_path}/file/below: cannot make the results folder: Not a directory"
    )
    (tmp_path / "r" / "run.lock").mkdir(parents=True)
    with pytest.raises(StoreError) as caught:
        ResultsFolder(tmp_path / "r").__enter__()
    assert str(caught.value) == (
        f"{tmp_path}/r/run.lock: cannot lock the results folder: Is a directory"
    )


def test_results_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    """A second call does nothing."""
    folder = ResultsFolder(tmp_path / "a" / "b")
    folder.prepare()
    folder.prepare()
    assert folder.path.is_dir()


@pytest.mark.slow
def test_old_results_go_into_a_folder_named_by_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number is appended if the name exists; one second has room for a hundred."""
    monkeypatch.setattr("time.strftime", lambda form: f"at-{form}")
    folder = ResultsFolder(tmp_path / "r")
    folder.prepare()
    names = []
    for _ in range(100):
        folder.database.write_text("games")
        aside = folder.set_aside()
        assert aside is not None
        names.append(aside.name)
    stamp = "r.at-%Y%m%d-%H%M%S"
    assert names == [stamp, *(f"{stamp}-{number}" for number in range(99))]
    folder.database.write_text("games")
    with pytest.raises(StoreError) as caught:
        folder.set_aside()
    assert str(caught.value) == (
        f"{folder.path}: cannot move the old results: there are too many others"
    )
    assert folder.database.exists()


def test_set_aside_moves_everything_that_a_run_wrote(tmp_path: Path) -> None:
    """The database with its log, reports, logs and the note of a run move; other files stay."""
    folder = ResultsFolder(tmp_path / "r")
    with folder:
        ours = {*(f"games.sqlite{suffix}" for suffix in SUFFIXES), *REPORTS, RUNNING, "logs"}
        for name in (*ours, "mine.txt", "standings.txt"):
            (folder.path / name).write_text(name)
        aside = folder.set_aside()
        assert aside is not None
        assert {path.name for path in aside.iterdir()} == ours
        left = {path.name for path in folder.path.iterdir()}
        assert left == {"run.lock", "mine.txt", "standings.txt"}
    assert {"standings.json", "games.jsonl", "report.html", "junit.xml", "badges"} < set(REPORTS)


def test_folders_of_older_results_are_found_by_their_names(tmp_path: Path) -> None:
    """The oldest comes first; wildcards of a shell in a name match no other tournament's folder."""
    for name in ("[r].20260102-1", "[r].20250102-1", "[r].new", "r.20260102-1", "[r]", "[r]x.2026"):
        (tmp_path / name).mkdir()
    folders = ResultsFolder(tmp_path / "[r]").set_aside_before()
    assert [path.name for path in folders] == ["[r].20250102-1", "[r].20260102-1"]


def test_a_database_is_removed_with_its_log_and_shared_memory(tmp_path: Path) -> None:
    """Files with similar names stay, and a missing database is not an error."""
    path = tmp_path / "games.sqlite"
    assert [file.name for file in list_database_files(path)] == [
        f"games.sqlite{suffix}" for suffix in SUFFIXES
    ]
    for suffix in (*SUFFIXES, ".bak"):
        (tmp_path / f"games.sqlite{suffix}").write_text("x")
    remove_database(path)
    assert [file.name for file in tmp_path.iterdir()] == ["games.sqlite.bak"]
    remove_database(path)


def test_paths_that_are_not_regular_files_are_rejected(tmp_path: Path) -> None:
    """Links, folders and other types are rejected; a missing path is accepted."""
    (tmp_path / "file").write_text("x")
    refuse_odd_files([tmp_path / "none", tmp_path / "file"])
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError) as caught:
        refuse_odd_files([tmp_path / "none", tmp_path / "folder"])
    assert str(caught.value) == (f"{tmp_path}/folder is a link or a special file; remove it")


@pytest.mark.parametrize(
    ("locked", "log", "mode"),
    [
        ((), None, "mode=ro"),
        (("r",), None, "immutable=1"),
        (("games.sqlite",), None, "immutable=1"),
        (("r",), "", "immutable=1"),
        (("r",), "x", "mode=ro"),
        ((), "x", "mode=ro"),
    ],
)
def test_a_store_in_a_read_only_folder_is_read(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    locked: tuple[str, ...],
    log: str | None,
    mode: str,
) -> None:
    """If the log shows that somebody is writing, it must be read together with the log."""
    folder = tmp_path / "r"
    folder.mkdir()
    if log is not None:
        (folder / "games.sqlite-wal").write_text(log)

    # root may write anywhere, so the system's answer is replaced
    def access(path: os.PathLike[str], kind: int) -> bool:
        assert kind == os.W_OK
        return Path(path).name not in locked

    monkeypatch.setattr("os.access", access)
    assert choose_reading_mode(folder / "games.sqlite") == mode


def test_logs_are_kept_by_bot_and_game(tmp_path: Path) -> None:
    """Control characters are replaced, and the folder of each bot is created."""
    logs = FaultLogs(tmp_path / "logs")
    path = logs.write(3, 1, "greedy", ["one", "two\x1b[31m", "three\nfour"])
    assert path == tmp_path / "logs/greedy/3.1.log"
    assert path.read_text() == "one\ntwo?[31m\nthree?four\n"


def test_a_log_is_cut_at_256_kib(tmp_path: Path) -> None:
    """The limit is in bytes, not characters."""
    logs = FaultLogs(tmp_path)
    path = logs.write(0, 0, "a", ["é" * 200_000])
    assert path is not None
    assert path.stat().st_size == 256 * 1024
    assert path.read_bytes() == ("é" * 131_072).encode()


def test_a_hundred_logs_of_a_bot_are_kept(tmp_path: Path) -> None:
    """The logs of another bot do not count."""
    logs = FaultLogs(tmp_path)
    assert all(logs.write(number, 0, "a", ["x"]) for number in range(100))
    assert logs.write(100, 0, "a", ["x"]) is None
    assert not (tmp_path / "a" / "100.0.log").exists()
    assert logs.write(100, 0, "b", ["x"]) is not None


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The error has the path and the system's message."""
    (tmp_path / "logs").write_text("in the way")
    with pytest.raises(StoreError) as caught:
        FaultLogs(tmp_path / "logs").write(0, 1, "a", [])
    assert str(caught.value) == f"{tmp_path}/logs/a/0.1.log: cannot write: Not a directory"
