"""What a bot leaves in its cache is made harmless, and what nobody uses is removed."""

import os
import stat
from pathlib import Path

import pytest

from pwtourney.prepare.folders import Entry, expire
from pwtourney.prepare.keeping import take_back

MONTH = 31 * 86_400


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
    """And what is used, or is being made, is not."""
    used, unused, begun = (Entry.of(tmp_path, name * 24, "x" * 24) for name in "abc")
    for entry in (used, unused, begun):
        entry.begin()
    used.complete("prepared")
    unused.complete("prepared")
    now = os.stat(unused.place / "complete").st_mtime + MONTH
    os.utime(used.place / "complete", (now, now))
    expire(tmp_path, lambda: now)
    assert [entry.folder.exists() for entry in (used, unused, begun)] == [True, False, True]


@pytest.mark.parametrize("noted", ["prepared", "nothing to prepare"])
def test_what_is_complete_says_so(noted: str, tmp_path: Path) -> None:
    """Only then: an entry that was begun and never ended is none."""
    entry = Entry.of(tmp_path, "group", "name")
    entry.begin()
    assert entry.said() is None
    entry.complete(noted)
    assert entry.said() == noted
