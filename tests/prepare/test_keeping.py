"""What a bot leaves in its cache is made harmless, and what nobody uses is removed."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.bots.files import walk_folder
from pwtourney.prepare.cache import (
    _OWN,
    Entry,
    _draw_for_this_run,
    expire,
    hash_content,
)
from pwtourney.prepare.running import Bounds, find_excess, take_back
from pwtourney.process import remove_scratch
from tests.test_layers import ROOT, imports

DAY = 86_400
MONTH = 31 * DAY


def test_what_a_bot_leaves_can_be_read_and_not_changed(tmp_path: Path) -> None:
    """Whatever rights it gave; programs can still be run, and nothing runs as its owner."""
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


def test_nothing_that_leads_elsewhere_stays(tmp_path: Path) -> None:
    """Neither links nor second names of files of others, nor pipes; what they led to is whole."""
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


def test_what_is_not_used_for_a_month_is_removed(tmp_path: Path) -> None:
    """And what is used is not."""
    used, unused = (Entry.of(tmp_path, name * 24, "x" * 24) for name in "ab")
    for entry in (used, unused):
        with entry.fresh_folder():
            entry.complete("prepared")
    now = os.stat(unused.place / "complete").st_mtime + MONTH
    os.utime(used.place / "complete", (now, now))
    expire(tmp_path, lambda: now)
    assert [entry.place.parent.exists() for entry in (used, unused)] == [True, False]


def test_what_a_killed_run_left_half_made_is_removed_after_a_day(tmp_path: Path) -> None:
    """And what another run is making, for a day and longer, is not."""
    left, making = (Entry.of(tmp_path, name * 24, "x" * 24) for name in "ab")
    left.folder.mkdir(parents=True)
    with making.lock(lambda: None), making.fresh_folder():
        now = os.stat(left.place).st_mtime
        expire(tmp_path, lambda: now + DAY / 2)
        assert left.folder.exists()
        expire(tmp_path, lambda: now + 2 * DAY)
        assert not left.place.exists()
        assert making.folder.exists()


@pytest.mark.parametrize("noted", ["prepared", "nothing to prepare"])
def test_what_is_complete_says_so(noted: str, tmp_path: Path) -> None:
    """Only then: what was begun and never completed is gone at its end."""
    entry = Entry.of(tmp_path, "group", "name")
    with entry.fresh_folder() as folder:
        assert entry.read_note() is None
    assert not folder.exists()
    with entry.fresh_folder() as folder:
        entry.complete(noted)
    assert folder.exists()
    assert entry.read_note() == noted


def test_no_other_user_can_enter_what_is_prepared(tmp_path: Path) -> None:
    """From its beginning to its end; except for those that a bot without a sandbox has to enter."""
    for in_the_open, modes in ((False, (0o700, 0o700)), (True, (0o700, 0o711))):
        entry = Entry.of(tmp_path, "group", "name", in_the_open=in_the_open)
        with entry.fresh_folder():
            begun = stat.S_IMODE(entry.place.stat().st_mode)
            entry.complete("prepared")
        assert (begun, stat.S_IMODE(entry.place.stat().st_mode)) == modes


def test_what_cannot_be_looked_into_is_too_much(tmp_path: Path) -> None:
    """As are more files or bytes than may be kept; and nothing else is."""
    folder = tmp_path / "cache"
    (folder / "one").mkdir(parents=True)
    (folder / "one" / "two").write_bytes(bytes(5000))
    assert find_excess([folder], Bounds(8192 * 2, 2)) is None
    assert find_excess([folder], Bounds(8192 * 2, 1)) == "made over 1 files and folders"
    assert find_excess([folder], Bounds(4096, 2)) == "wrote over 0 MiB"
    _nest(folder, 20)
    told = find_excess([folder], Bounds(1 << 20, 1000))
    assert told == "made a folder that cannot be looked into: File name too long"
    remove_scratch(str(folder))
    assert not folder.exists()


def _nest(folder: Path, deep: int) -> None:
    """Make folders in each other until no path can name the last one."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(deep):
        os.mkdir("d" * 250, dir_fd=here)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


@pytest.mark.slow
def test_as_root_no_group_may_write_to_where_all_is_kept(tmp_path: Path) -> None:
    """It may be a group of others; an ordinary user's group is his own affair."""
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


def test_too_many_files_are_new_once_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one process they have one hash, so that a bot is prepared once; in another they have not.

    The bound is lowered, because it is how many they are that matters.
    """
    for name in "abc":
        (tmp_path / name).write_text(name)
    monkeypatch.setattr("pwtourney.prepare.cache.MOST_FILES", 2)
    first = hash_content([str(tmp_path)])
    assert hash_content([str(tmp_path)]) == first
    _draw_for_this_run.cache_clear()
    assert hash_content([str(tmp_path)]) != first


def test_what_is_left_out_is_so_by_whatever_way_its_folder_is_come_to(tmp_path: Path) -> None:
    """Through a link to the folder as well."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("secret", "bot"):
        (tmp_path / "real" / name).write_text(name)
    for place, hidden in (("link", "real"), ("real", "link")):
        left_out = [str(tmp_path / hidden / "secret")]
        names = [Path(path).name for path in walk_folder(str(tmp_path / place), left_out)]
        assert names == ["bot"]


@pytest.mark.slow
def test_all_that_a_python_bot_imports_of_ours_determines_what_it_prepares() -> None:
    """Each name is that of a file or a package, and none of them imports another part of ours."""
    places = [ROOT / name for name in _OWN]
    assert all(place.exists() for place in places)
    for place in places:
        for path in place.rglob("*.py") if place.is_dir() else [place]:
            parts = {name.split(".")[1] for name in imports(path) if name.startswith("pwtourney.")}
            assert parts <= {own.removesuffix(".py") for own in _OWN}, path
