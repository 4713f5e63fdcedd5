"""The hook of a bot as a process: its messages, its notes, and when it runs again."""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from pwtourney.errors import PreparationError
from pwtourney.prepare import Preparation, preparation, prepare, prepared_before
from pwtourney.prepare.cache import Entry
from pwtourney.prepare.preparation import _find_entry
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

LAUNCH = Launch(("/bin/bird", "-q"), (("A", "1"),), ("/usr/share",))
COUNT = "echo preparing counting to seven; echo 7 > $PWTOURNEY_CACHE/table"


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Preparation]:
    """Return a function that makes a bot whose hook is a shell script that records its runs."""
    (tmp_path / "bird").write_text("chirp")

    def _make(script: str, **more: Any) -> Preparation:
        hook = Launch(("/bin/sh", "-c", f"echo >> {tmp_path}/runs; {script}"), (("B", "2"),))
        bot = Preparation("bird", LAUNCH, hook, (str(tmp_path / "bird"),))
        return bot._replace(**more)

    return _make


def _count_runs(tmp_path: Path) -> int:
    """Return how often a hook has run."""
    runs = tmp_path / "runs"
    return len(runs.read_text().splitlines()) if runs.exists() else 0


def test_prepared_cache_is_found_by_every_later_run(
    make: Callable[..., Preparation], tmp_path: Path, cache: Path
) -> None:
    """The bot is launched with the folder in a variable and in its `read_paths`."""
    bot, messages = make(f"{COUNT}; echo $B >> $PWTOURNEY_CACHE/table"), list[str]()
    assert prepared_before(bot, cache) is None
    launch = prepare(bot, messages.append, cache)
    (folder,) = cache.glob("*/*/cache")
    assert launch == Launch(
        ("/bin/bird", "-q"),
        (("A", "1"), ("PWTOURNEY_CACHE", str(folder))),
        ("/usr/share", str(folder)),
    )
    assert (folder / "table").read_text() == "7\n2\n"
    assert messages[0] == "preparing bird: counting to seven"
    assert re.fullmatch(r"prepared bird in [0-9]\.[0-9] s", messages[1])
    assert prepared_before(bot, cache) == launch
    assert prepare(bot, messages.append, cache) == launch
    assert len(messages) == 2
    assert _count_runs(tmp_path) == 1


def test_bot_with_nothing_to_prepare_is_asked_once(
    make: Callable[..., Preparation], tmp_path: Path, cache: Path
) -> None:
    """Exit code 10 means this; only a note is kept, and no message is printed."""
    bot, messages = make("exit 10"), list[str]()
    for _ in range(2):
        assert prepare(bot, messages.append, cache) == LAUNCH
    assert prepared_before(bot, cache) == LAUNCH
    (note,) = cache.glob("*/*/*")
    assert note.read_text() == "nothing to prepare"
    assert messages == []
    assert _count_runs(tmp_path) == 1


@pytest.mark.parametrize(
    ("script", "error"),
    [
        (
            f"{COUNT}; echo seven is missing >&2; exit 12",
            "bird cannot be prepared: its `prepare` raised an error\n| seven is missing",
        ),
        (f"{COUNT}; exit 7", "bird cannot be prepared: exited with code 7"),
        (f"{COUNT}; exit 11", "bird cannot be prepared: exited with code 11"),
        (f"{COUNT}; exec sleep 30", "bird cannot be prepared: took over 0.05 s"),
        ("echo missing numpy, install it; exit 11", "bird cannot play here: numpy, install it"),
        (
            f"echo missing numpy; {COUNT}; exit 12",
            "bird cannot be prepared: its `prepare` raised an error",
        ),
    ],
)
def test_failing_hook_is_not_run_again(
    make: Callable[..., Preparation], tmp_path: Path, cache: Path, script: str, error: str
) -> None:
    """The error is the same the second time, with the last lines; no file is kept."""
    bot, messages = make(script, patience_ms=50), list[str]()
    for _ in range(2):
        with pytest.raises(PreparationError) as caught:
            prepare(bot, messages.append, cache)
        assert str(caught.value) == error
    assert messages == ["preparing bird: counting to seven"] * ("preparing" in script)
    assert prepared_before(bot, cache) is None
    assert not list(cache.glob("*/*/cache"))
    assert _count_runs(tmp_path) == 1


@pytest.mark.parametrize("script", ["exit 13", "exit 0", "exit 11", "kill -9 $$"])
def test_bot_that_cannot_be_loaded_is_not_prepared(
    make: Callable[..., Preparation], tmp_path: Path, cache: Path, script: str
) -> None:
    """It loses its games, which explains more; so does one that exits with 0 before its hook."""
    bot, messages = make(script), list[str]()
    for _ in range(2):
        assert prepare(bot, messages.append, cache) == LAUNCH
    assert messages == []
    assert prepared_before(bot, cache) is None
    assert _count_runs(tmp_path) == 1


def test_bot_that_loads_too_slowly_is_reported(
    make: Callable[..., Preparation], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has 30 s, or its own start limit if that is longer; both are short here."""
    monkeypatch.setattr(preparation, "_LOADING_MS", 40)
    for start_ms, seconds in ((1, "0.04"), (60, "0.06")):
        messages: list[str] = []
        bot = make("exec sleep 30", limits=Limits(start_ms=start_ms), name=f"bird{start_ms}")
        bot = bot._replace(hook=bot.hook._replace(command=(*bot.hook.command, bot.name)))
        assert prepare(bot, messages.append, cache) == LAUNCH
        assert messages == [f"{bot.name} is not prepared: to load it took over {seconds} s"]


def test_message_of_a_hook_is_one_short_line(make: Callable[..., Preparation], cache: Path) -> None:
    """It is the first line, with at most 200 characters, without control characters."""
    line = "preparing a\\033[1mb" + 300 * "c"
    bot, messages = make(f"printf '{line}\\n'; echo preparing again; echo other"), list[str]()
    prepare(bot, messages.append, cache)
    first, last = messages
    assert re.fullmatch(r"preparing bird: a.{1,10}bc{180,200}", first)
    assert len(first) == len("preparing bird: ") + 200
    assert last.startswith("prepared bird in ")


@pytest.mark.parametrize(("related", "kept"), [(True, "7\nmore\n"), (False, "more\n")])
def test_related_bot_starts_with_a_copy_of_the_cache(
    make: Callable[..., Preparation], cache: Path, related: bool, kept: str
) -> None:
    """Bots of one author with the same content are related; others start with an empty cache."""
    link = "ln -s table $PWTOURNEY_CACHE/link"
    prepare(make(f"{COUNT}; {link}", related=related), lambda _: None, cache)
    # a bot with nothing to prepare has no cache to copy
    prepare(make("exit 10", related=related), lambda _: None, cache)
    more = "echo preparing more; test -w $PWTOURNEY_CACHE; echo more >> $PWTOURNEY_CACHE/table"
    launch = prepare(make(more, related=related), lambda _: None, cache)
    folder = Path(dict(launch.environment)["PWTOURNEY_CACHE"])
    assert (folder / "table").read_text() == kept
    assert (folder / "link").is_symlink() == related
    assert len({path.parent.parent for path in cache.glob("*/*/complete")}) == (1 if related else 3)


def test_two_runs_prepare_a_bot_once(
    make: Callable[..., Preparation], tmp_path: Path, cache: Path
) -> None:
    """The second run reports that it waits, and uses the cache of the first."""
    bot = make(COUNT)
    prepare(bot, lambda _: None, cache)
    (path,) = cache.glob("*/*/cache")
    entry = Entry(path.parent)
    messages: list[str] = []
    waits = Event()

    def tell(line: str) -> None:
        messages.append(line)
        waits.set()

    (entry.path / "complete").rename(tmp_path / "complete")
    with ThreadPoolExecutor(1) as pool:
        with entry.lock(lambda: None):
            second = pool.submit(prepare, bot, tell, cache)
            assert waits.wait(30)
            (tmp_path / "complete").rename(entry.path / "complete")
        launch = second.result(30)
    assert dict(launch.environment)["PWTOURNEY_CACHE"] == str(entry.folder)
    assert messages == ["another run is preparing bird: waiting for it"]
    assert _count_runs(tmp_path) == 1


def test_preparing_removes_unfinished_entries(
    make: Callable[..., Preparation], cache: Path
) -> None:
    """It looks for them among all entries of the cache."""
    left = cache / "group" / "name"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    prepare(make(COUNT), lambda _: None, cache)
    assert not left.exists()


def test_cache_entry_depends_on_content_hook_and_hidden_paths(
    make: Callable[..., Preparation], tmp_path: Path, cache: Path
) -> None:
    """The content includes the modification times; name and limits do not matter.

    The folder's name is a SHA-256 of the command.
    """
    bot = make("exit 10")

    def locate(other: Preparation) -> Path:
        return _find_entry(other, cache).path.relative_to(cache)

    first = locate(bot)
    assert first.name == sha256(repr(bot.hook.command).encode()).hexdigest()[:24]
    assert len(first.parent.name) == 24
    opened = _find_entry(bot._replace(isolation=Isolation(other_user=True)), cache)
    assert opened.in_the_open
    assert opened.path.parent.name.startswith("open-")
    assert locate(bot._replace(hook=Launch(("/b\udcff",)))).name != first.name
    assert locate(bot._replace(name="owl", limits=Limits(start_ms=1), patience_ms=5)) == first
    hook = bot.hook._replace(command=(*bot.hook.command, "more"))
    places = [first, locate(bot._replace(hook=hook)), locate(bot._replace(related=True))]
    assert places[1].parent != first.parent
    hidden = Isolation(hidden=(str(tmp_path / "in" / "secret"),))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "secret").write_text("1")
    folder = bot._replace(content=(str(tmp_path / "in"),))
    places += [locate(folder), locate(folder._replace(isolation=hidden))]
    related = locate(folder._replace(related=True))
    assert locate(folder._replace(related=True, hook=hook)).parent == related.parent
    os.utime(tmp_path / "bird", (1, 1))
    places.append(locate(bot))
    assert len(set(places)) == len(places)
