"""Files in a bot's cache are made safe, and unused ones are removed."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Event

import pytest

from pwtourney.bots.bot_files import walk_folder
from pwtourney.prepare.cache import (
    _OWN,
    Entry,
    _draw_for_this_run,
    _find_problem,
    cache_root,
    expire,
    find_cache,
    hash_content,
    is_in_the_open,
    root_for,
    root_warnings,
)
from pwtourney.prepare.running import Bounds, find_excess, take_back
from pwtourney.process import remove_scratch
from pwtourney.sandbox.isolation import Isolation
from tests.test_layers import ROOT, imports

DAY = 86_400
MONTH = 31 * DAY


def test_cache_files_become_read_only(tmp_path: Path) -> None:
    """Whatever mode a bot set, programs stay executable, and setuid bits are removed."""
    cache = tmp_path / "cache"
    (cache / "closed").mkdir(parents=True)
    (cache / "closed" / "table").write_text("7")
    (cache / "program").write_text("8")
    (cache / "closed" / "table").chmod(0o200)
    (cache / "program").chmod(0o6777)
    (cache / "closed").chmod(0)
    take_back(cache)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in cache.rglob("*")}
    assert modes == {"closed": 0o555, "table": 0o444, "program": 0o555}
    assert stat.S_IMODE(cache.stat().st_mode) == 0o555
    assert {path.stat().st_uid for path in (cache, *cache.rglob("*"))} == {os.geteuid()}
    (cache / "closed").chmod(0o755)
    cache.chmod(0o755)


def test_links_out_of_the_cache_and_pipes_are_removed(tmp_path: Path) -> None:
    """This includes hard links to files of others; their targets are unchanged."""
    cache, secret = tmp_path / "cache", tmp_path / "secret"
    cache.mkdir()
    secret.write_text("12345")
    secret.chmod(0o600)
    (cache / "link").symlink_to(secret)
    (cache / "above").symlink_to("../secret")
    (cache / "name").hardlink_to(secret)
    os.mkfifo(cache / "pipe")
    (cache / "own").write_text("7")
    (cache / "twice").hardlink_to(cache / "own")
    (cache / "inside").symlink_to("own")
    (cache / "system").symlink_to("/usr/bin/env")
    take_back(cache)
    cache.chmod(0o755)
    assert {path.name for path in cache.iterdir()} == {"own", "twice", "inside", "system"}
    assert secret.read_text() == "12345"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_entries_unused_for_a_month_are_removed(tmp_path: Path) -> None:
    """Entries that were used stay."""
    used, unused = (Entry.of(tmp_path, name * 24, "x" * 24) for name in "ab")
    for entry in (used, unused):
        with entry.fresh_folder():
            entry.complete("prepared")
    now = os.stat(unused.path / "complete").st_mtime + MONTH
    os.utime(used.path / "complete", (now, now))
    expire(tmp_path, lambda: now)
    assert [entry.path.parent.exists() for entry in (used, unused)] == [True, False]


def test_unfinished_entries_are_removed_after_a_day(tmp_path: Path) -> None:
    """An entry that another run is making stays, even after more than a day."""
    left, making = (Entry.of(tmp_path, name * 24, "x" * 24) for name in "ab")
    left.folder.mkdir(parents=True)
    with making.lock(lambda: None), making.fresh_folder():
        now = os.stat(left.path).st_mtime
        expire(tmp_path, lambda: now + DAY / 2)
        assert left.folder.exists()
        expire(tmp_path, lambda: now + 2 * DAY)
        assert not left.path.exists()
        assert making.folder.exists()


@pytest.mark.parametrize("noted", ["prepared", "nothing to prepare"])
def test_completed_entry_has_a_note(noted: str, tmp_path: Path) -> None:
    """An entry that was not completed is removed at the end."""
    entry = Entry.of(tmp_path, "group", "name")
    with entry.fresh_folder() as folder:
        assert entry.read_note() is None
    assert not folder.exists()
    with entry.fresh_folder() as folder:
        entry.complete(noted)
    assert folder.exists()
    assert entry.read_note() == noted


def test_entries_are_closed_to_other_users(tmp_path: Path) -> None:
    """An entry for bots without a sandbox opens when it is complete; the others stay closed."""
    for in_the_open, modes in ((False, (0o700, 0o700)), (True, (0o700, 0o711))):
        entry = Entry.of(tmp_path, "group", "name", in_the_open=in_the_open)
        with entry.fresh_folder():
            begun = stat.S_IMODE(entry.path.stat().st_mode)
            entry.complete("prepared")
        assert (begun, stat.S_IMODE(entry.path.stat().st_mode)) == modes


def test_folder_too_deep_to_inspect_counts_as_excess(tmp_path: Path) -> None:
    """More files or bytes than allowed are an excess, too."""
    folder = tmp_path / "cache"
    (folder / "one").mkdir(parents=True)
    (folder / "one" / "two").write_bytes(bytes(5000))
    assert find_excess([folder], Bounds(8192 * 2, 2)) is None
    assert find_excess([folder], Bounds(8192 * 2, 1)) == "made over 1 files and folders"
    assert find_excess([folder], Bounds(4096, 2)) == "wrote over 0 MiB"
    _nest(folder, 20)
    excess = find_excess([folder], Bounds(1 << 20, 1000))
    assert excess == "made a folder that cannot be looked into: File name too long"
    remove_scratch(str(folder))
    assert not folder.exists()


def _nest(folder: Path, deep: int) -> None:
    """Make nested folders until no path can name the last one."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(deep):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.slow
def test_cache_of_root_must_not_be_group_writable(tmp_path: Path) -> None:
    """The group may have other members; an ordinary user is responsible for his own group."""
    script = "from pwtourney.prepare.cache import cache_root; print(cache_root()[1])"
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept").chmod(0o775)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PWTOURNEY_CACHE_DIR": str(tmp_path / "kept")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ("a group may write there" in done.stdout) == (os.geteuid() == 0)


def test_folder_with_too_many_files_is_new_once_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one process it has one hash, so a bot is prepared once; in another process it differs.

    The limit is lowered, because only the number matters.
    """
    for name in "abc":
        (tmp_path / name).write_text(name)
    monkeypatch.setattr("pwtourney.prepare.cache.MOST_FILES", 2)
    first = hash_content([str(tmp_path)])
    assert hash_content([str(tmp_path)]) == first
    _draw_for_this_run.cache_clear()
    assert hash_content([str(tmp_path)]) != first


def test_hidden_files_are_left_out_through_links_too(tmp_path: Path) -> None:
    """The folder or the hidden path is given by a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("secret", "bot"):
        (tmp_path / "real" / name).write_text(name)
    for folder, hidden in (("link", "real"), ("real", "link")):
        left_out = [str(tmp_path / hidden / "secret")]
        names = [Path(path).name for path in walk_folder(str(tmp_path / folder), left_out)]
        assert names == ["bot"]


@pytest.mark.slow
def test_hash_covers_all_our_modules_that_python_bots_import() -> None:
    """Each name is a file or package, and none of them imports another part of pwtourney."""
    modules = [ROOT / name for name in _OWN]
    assert all(module.exists() for module in modules)
    for module in modules:
        for path in module.rglob("*.py") if module.is_dir() else [module]:
            parts = {name.split(".")[1] for name in imports(path) if name.startswith("pwtourney.")}
            assert parts <= {own.removesuffix(".py") for own in _OWN}, path


def test_note_is_ignored_if_its_folder_is_missing(tmp_path: Path) -> None:
    """Somebody removed the folder; with nothing to prepare, no folder is needed."""
    for note, expected in (("prepared", None), ("nothing to prepare", "nothing to prepare")):
        entry = Entry.of(tmp_path, "group", note)
        with entry.fresh_folder() as folder:
            entry.complete(note)
        folder.rmdir()
        assert entry.read_note() == expected
    assert not (entry.path / "complete.new").exists()


def test_relative_of_an_entry_is_complete_and_has_a_folder(tmp_path: Path) -> None:
    """It is the first other entry by name; unfinished ones and empty notes do not count."""
    entries = [Entry.of(tmp_path, "group", name) for name in "abcdef"]
    assert entries[0].find_relative() is None
    for entry, note in zip(entries, ("x", "nothing to prepare", "", "x", "x", "x"), strict=True):
        with entry.fresh_folder():
            entry.complete(note)
    (entries[1].path / "cache").rmdir()
    (entries[3].path / "complete").unlink()
    assert entries[0].find_relative() == entries[4].folder
    assert entries[4].find_relative() == entries[0].folder


def test_waiting_lock_is_taken_on_a_new_file_if_removed(tmp_path: Path) -> None:
    """Its file is gone when the lock is free: a lock on it would exclude nobody."""
    entry = Entry.of(tmp_path, "group", "name")
    waits = Event()

    def lock() -> bool:
        with entry.lock(waits.set):
            return entry.path.with_suffix(".lock").exists()

    with ThreadPoolExecutor(1) as pool:
        with entry.lock(lambda: None):
            second = pool.submit(lock)
            assert waits.wait(30)
            entry.path.with_suffix(".lock").unlink()
        assert second.result(30)
    path = entry.path.with_suffix(".lock")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_entry_can_be_locked_before_its_folder_exists(tmp_path: Path) -> None:
    """No parent folder needs to exist."""
    entry = Entry(tmp_path / "root" / "group" / "name")
    with entry.lock(lambda: None):
        assert entry.path.with_suffix(".lock").exists()


def test_nested_cache_folders_become_read_only(tmp_path: Path) -> None:
    """This includes the second of two folders, each with a subfolder."""
    for name in ("a/b", "c/d"):
        (tmp_path / "kept" / name).mkdir(parents=True)
        (tmp_path / "kept" / name / "file").touch()
        (tmp_path / "kept" / name / "file").chmod(0o666)
    take_back(tmp_path / "kept")
    files = list((tmp_path / "kept").rglob("file"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o444, 0o444]
    remove_scratch(str(tmp_path / "kept"))


def test_entry_does_not_expire_while_it_is_made(tmp_path: Path) -> None:
    """Afterwards it does, with its lock and its group, which is then empty."""
    entry = Entry.of(tmp_path, "group", "name")
    with entry.lock(lambda: None), entry.fresh_folder():
        entry.complete("prepared")
        entry.expire()
        assert entry.path.exists()
    before = len(os.listdir("/proc/self/fd"))
    entry.expire()
    assert not entry.path.parent.exists()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    ("variables", "user", "folder"),
    [
        ({"PWTOURNEY_CACHE_DIR": "/a/b", "XDG_CACHE_HOME": "/c"}, 0, "/a/b"),
        ({"PWTOURNEY_CACHE_DIR": "here"}, 1000, "WORK/here"),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, 0, "/var/cache/pwtourney"),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, 1000, "/c/pwtourney"),
        ({"XDG_CACHE_HOME": "c"}, 1000, "WORK/c/pwtourney"),
        ({"HOME": "/h"}, 1000, "/h/.cache/pwtourney"),
        ({"HOME": "nowhere"}, 1000, "TEMPORARY/pwtourney-1000-cache"),
    ],
)
def test_cache_folder_is_where_the_docs_say(
    variables: dict[str, str],
    user: int,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is the folder in the variable, or in the cache of the user; see docs/config.md."""
    for name in ("PWTOURNEY_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "getuid", lambda: user)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    expected = folder.replace("WORK", str(tmp_path)).replace("TEMPORARY", str(tmp_path))
    assert find_cache() == Path(expected)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a folder to another user")
@pytest.mark.parametrize(
    ("mode", "owner", "problem"),
    [
        (0o755, 0, None),
        (0o700, 0, None),
        (0o755, 12345, "it is somebody else's"),
        (0o777, 0, "everybody may write there"),
        (0o757, 0, "everybody may write there"),
        (0o775, 0, "a group may write there"),
    ],
)
def test_cache_folder_writable_by_others_is_refused(
    tmp_path: Path, mode: int, owner: int, problem: str | None
) -> None:
    """Bots run files from there."""
    folder = tmp_path / "kept"
    folder.mkdir()
    folder.chmod(mode)
    os.chown(folder, owner, 0)
    assert _find_problem(folder, for_others=False) == problem


def test_cache_of_root_must_be_reachable_by_its_bots(tmp_path: Path) -> None:
    """Every folder on the path counts, with links resolved; otherwise bots cannot read it."""
    tmp_path.chmod(0o755)
    (tmp_path / "closed" / "kept").mkdir(parents=True)
    (tmp_path / "closed").chmod(0o700)
    (tmp_path / "way").symlink_to("closed/kept")
    problem = _find_problem(tmp_path / "way", for_others=True)
    closed = tmp_path.resolve() / "closed"
    assert problem == f"bots of root run as another user, and none can enter {closed}"
    assert _find_problem(tmp_path / "way", for_others=False) is None


def test_unusable_cache_is_replaced_by_one_for_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning gives the reason; a usable cache is created without a message."""
    opened, own = Isolation(other_user=True), Isolation()
    sandboxed = Isolation(other_user=True, sandbox="bwrap")
    assert [is_in_the_open(isolation) for isolation in (opened, own, sandboxed)] == [
        True,
        False,
        False,
    ]
    (tmp_path / "file").touch()
    for name, problem in (("file/kept", "Not a directory"), ("new/kept", "")):
        monkeypatch.setenv("PWTOURNEY_CACHE_DIR", str(tmp_path / name))
        cache_root.cache_clear()
        warning = (
            f"{tmp_path / name} cannot be used ({problem}), so bots are prepared again in each"
            " run; name another folder with PWTOURNEY_CACHE_DIR"
        )
        assert root_warnings([own, sandboxed, own]) == ([warning] if problem else [])
        root = root_for(own)
        assert stat.S_IMODE(root.stat().st_mode) == 0o755
        assert (root == tmp_path / name) is not bool(problem)
        assert root_for(sandboxed) == root
        if problem:
            assert root.name.startswith("pwtourney-cache-")
            assert root_warnings([opened, own]) == [warning, warning]
            assert root_warnings([]) == []
    cache_root.cache_clear()


def test_hash_covers_name_size_mode_and_content(tmp_path: Path) -> None:
    """It is SHA-256 of these values of each file in turn, computed in the test."""
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "tool").write_text("12")
    (folder / "below" / "tool").chmod(0o755)
    (folder / "a").write_text("7")
    os.mkfifo(folder / "b")
    os.utime(folder / "a", ns=(5, 5))
    os.utime(folder / "below" / "tool", ns=(6, 6))
    first, second = sha256(b"7").hexdigest(), sha256(b"12").hexdigest()
    plain = f"('a', 1, False, 0, '{first}')('below/tool', 2, True, 0, '{second}')"
    assert hash_content([str(folder)]) == sha256(plain.encode()).hexdigest()
    dated = f"('{folder}/a', 1, False, 5, '{first}')('{folder}/below/tool', 2, True, 6, '{second}')"
    assert hash_content([str(folder)], dated=True) == sha256(dated.encode()).hexdigest()
    left_out = [str(folder / "below")]
    alone = f"('a', 1, False, 0, '{first}')"
    assert hash_content([str(folder)], left_out) == sha256(alone.encode()).hexdigest()
    # a file that is given twice, and one that does not exist
    places = [str(folder / "a"), str(folder / "a"), str(folder / "absent")]
    named = f"('.', 1, False, 0, '{first}')"
    assert hash_content(places) == sha256(named.encode()).hexdigest()


def test_file_name_that_is_not_utf8_is_hashed(tmp_path: Path) -> None:
    """A file name may have any bytes."""
    with open(os.fsencode(tmp_path) + b"/\xff", "wb"):
        pass
    empty = sha256(b"").hexdigest()
    expected = sha256(f"('\\udcff', 0, False, 0, '{empty}')".encode()).hexdigest()
    assert hash_content([str(tmp_path)]) == expected


def test_large_files_are_hashed_by_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This holds for a file above the limit, here 4 bytes, and all files after that many bytes."""
    monkeypatch.setattr("pwtourney.prepare.cache.MOST_BYTES", 4)
    for name, text in (("a", "12"), ("b", "12345"), ("c", "1234"), ("d", "1")):
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, ns=(5, 5))
    inside = sha256(b"12").hexdigest()
    expected = f"('a', 2, False, 0, '{inside}')('b', 5, False, 5, '')"
    expected += "('c', 4, False, 5, '')('d', 1, False, 5, '')"
    assert hash_content([str(tmp_path)]) == sha256(expected.encode()).hexdigest()
    (tmp_path / "b").unlink()
    (tmp_path / "a").unlink()
    four_bytes, one_byte = sha256(b"1234").hexdigest(), sha256(b"1").hexdigest()
    expected = f"('c', 4, False, 0, '{four_bytes}')('d', 1, False, 0, '{one_byte}')"
    assert hash_content([str(tmp_path)]) == sha256(expected.encode()).hexdigest()


def test_as_many_files_as_the_limit_are_hashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one more, the content counts as new in each run."""
    monkeypatch.setattr("pwtourney.prepare.cache.MOST_FILES", 2)
    for name in "ab":
        (tmp_path / name).touch()
    assert "-" not in hash_content([str(tmp_path)])
    (tmp_path / "c").touch()
    first, drawn = hash_content([str(tmp_path)]).split("-")
    assert len(bytes.fromhex(first)) == 32
    assert len(bytes.fromhex(drawn)) == 8
