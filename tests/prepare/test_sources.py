"""The inputs and the location of a build: its sources, its command, and its dependencies."""

import os
import re
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from pwtourney.errors import PreparationError
from pwtourney.prepare import Project, build, find_build, in_folder, preparation
from pwtourney.prepare.cache import Entry, cache_root
from pwtourney.prepare.preparation import _find_build_entry, _keep_readable, _list_sources
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch

SHARED = (
    "(the folder of the tournament file is a home, or one that everybody may write to,"
    " so only the files that the bot names were there)"
)
LARGE = (
    "(the folder of the tournament file holds over 64 MiB or 50000 files,"
    " so only the files that the bot names were there)"
)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root reads what is closed")


@pytest.fixture
def root(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield an empty cache root for this test alone."""
    monkeypatch.setenv("PWTOURNEY_CACHE_DIR", str(cache))
    cache_root.cache_clear()
    yield cache
    cache_root.cache_clear()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a folder with the sources of a bot."""
    path = tmp_path / "sources"
    (path / "src" / "empty").mkdir(parents=True)
    (path / "src" / "bird.sh").write_text("chirp")
    (path / "src" / "tool").write_text("tool")
    (path / "src" / "tool").chmod(0o755)
    (path / "link").symlink_to("src/bird.sh")
    (path / "way").symlink_to("src")
    return path


def _project(folder: Path, script: str = "exit", **more: Any) -> Project:
    """Return a bot that a shell script builds in a copy of a folder."""
    launch = Launch(in_folder(("sh", "-c", script, "name")), (("A", "1"),), ("/usr/share",))
    return Project("bird", launch, folder)._replace(**more)


def test_build_command_is_run_in_its_folder() -> None:
    """Its output goes to standard error, and it has no input; the folder is filled in later."""
    script = 'cd -- "$1" && shift && "$@" >&2 </dev/null; exit $?'
    shell, *words = in_folder(("make", "-j", "a b"))
    assert words == ["-c", script, "sh", "make", "-j", "a b"]
    assert Path(shell).is_absolute()
    assert Path(shell).name == "sh"


def test_bot_is_built_once_in_a_copy_of_its_sources(root: Path, sources: Path) -> None:
    """The copy has all files, links and modes; later runs use it without a message."""
    messages: list[str] = []
    script = (
        "echo $PWTOURNEY_CACHE > cache; cat src/bird.sh > bird; echo >> src/bird.sh; pwd > where"
    )
    project = _project(sources, script, patience_ms=20_000)
    assert find_build(project) is None
    folder = build(project, messages.append)
    assert folder == next(iter(root.glob("*/*/cache")))
    assert (folder / "bird").read_text() == "chirp"
    assert (folder / "where").read_text() == (folder / "cache").read_text() == f"{folder}\n"
    assert stat.S_IMODE((folder / "bird").stat().st_mode) == 0o444
    assert (sources / "src" / "bird.sh").read_text() == "chirp"
    assert not (sources / "bird").exists()
    assert os.readlink(folder / "link") == "src/bird.sh"
    assert os.readlink(folder / "way") == "src"
    assert (folder / "src" / "empty").is_dir()
    assert os.access(folder / "src" / "tool", os.X_OK)
    assert messages[0] == "preparing bird: building, once"
    assert re.fullmatch(r"prepared bird in [0-9]\.[0-9] s", messages[1])
    assert build(project, messages.append) == folder
    assert find_build(project) == folder
    assert len(messages) == 2
    assert (folder.parent / "complete").read_text() == "built"


def test_build_for_another_user_is_found_without_its_isolation(root: Path, sources: Path) -> None:
    """It is in an open entry, and is found by a project whose isolation is not yet known."""
    sources.chmod(0o755)
    project = _project(sources, isolation=Isolation(other_user=True))
    entry = _find_build_entry(project, _list_sources(project)[0])
    assert entry.in_the_open
    assert entry.path.parent.name.startswith("open-")
    with entry.fresh_folder():
        entry.complete("built")
    assert find_build(_project(sources)) == entry.folder


@pytest.mark.parametrize(
    ("script", "more", "error"),
    [
        (
            "echo no flour >&2; echo at all; exit 3",
            {},
            "the build ended with exit code 3:\n| no flour\n| at all",
        ),
        ("exit 3", {}, "the build ended with exit code 3"),
        ("exec sleep 30", {"patience_ms": 50}, "the build took over 0.05 s"),
        ("exit 3", {"shared": True}, f"the build ended with exit code 3\n{SHARED}"),
        ("test ! -e src || exit 3", {}, "the build ended with exit code 3"),
        ("read x || exit 4", {}, "the build ended with exit code 4"),
    ],
)
def test_failing_build_is_one_error(
    root: Path, sources: Path, script: str, more: dict[str, Any], error: str
) -> None:
    """The error has the last lines of its output; no file is kept, and it is tried again."""
    messages: list[str] = []
    for _ in range(2):
        with pytest.raises(PreparationError) as caught:
            build(_project(sources, script, **more), messages.append)
        assert str(caught.value) == error
    assert messages == ["preparing bird: building, once"] * 2
    assert not list(root.glob("*/*/cache"))


def test_two_runs_build_a_bot_once(root: Path, sources: Path) -> None:
    """The second run reports that it waits, and uses the build of the first."""
    project = _project(sources, "exit 3")
    entry = _find_build_entry(project, _list_sources(project)[0])
    messages: list[str] = []
    waits = Event()

    def tell(line: str) -> None:
        messages.append(line)
        waits.set()

    with ThreadPoolExecutor(1) as pool:
        with entry.lock(lambda: None):
            second = pool.submit(build, project, tell)
            assert waits.wait(30)
            with entry.fresh_folder():
                entry.complete("built")
        assert second.result(30) == entry.folder
    assert messages == ["another run is building bird: waiting for it"]


def test_building_removes_unfinished_entries(root: Path, sources: Path) -> None:
    """It looks for them among all entries of the cache."""
    left = root / "group" / "name"
    left.mkdir(parents=True)
    os.utime(left, (0, 0))
    build(_project(sources), lambda _: None)
    assert not left.exists()


def _find_entry_path(project: Project) -> Path:
    """Return the entry of a build in the cache."""
    return _find_build_entry(project, _list_sources(project)[0]).path


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "src" / "bird.sh").write_text("chirrup"),
        lambda folder: (folder / "src" / "bird.sh").chmod(0o755),
        lambda folder: (folder / "src" / "bird.sh").rename(folder / "src" / "owl.sh"),
        lambda folder: (folder / "src" / "more").mkdir(),
        lambda folder: (folder / "src" / "empty").rmdir(),
        lambda folder: (folder / "way").unlink() or (folder / "way").symlink_to("src/empty"),
        lambda folder: (folder / "way").unlink() or (folder / "way").write_text("src"),
        lambda folder: (folder / "src" / "empty").rmdir() or (folder / "src" / "empty").touch(),
    ],
    ids=["content", "mode", "name", "more", "less", "link", "no link", "no folder"],
)
def test_changed_source_is_built_again(sources: Path, change: Callable[[Path], None]) -> None:
    """Any change counts, except the modification time alone."""
    before = _find_entry_path(_project(sources))
    os.utime(sources / "src" / "bird.sh", (1, 1))
    assert _find_entry_path(_project(sources)) == before
    change(sources)
    assert _find_entry_path(_project(sources)) != before


@pytest.mark.usefixtures("root")
def test_another_command_has_another_build(sources: Path, tmp_path: Path) -> None:
    """So have the same letters in other words, and other contents of dependencies."""
    (tmp_path / "tool").write_text("1")
    project = _project(sources)
    launches = [Launch(in_folder(words)) for words in (("a", "bc"), ("ab", "c"), ("a\udcff",))]
    places = [_find_entry_path(project._replace(launch=launch)) for launch in launches]
    places += [
        _find_entry_path(project),
        _find_entry_path(project._replace(content=(str(tmp_path / "tool"),))),
    ]
    (tmp_path / "tool").write_text("2")
    os.utime(tmp_path / "tool", (1, 1))
    places.append(_find_entry_path(project._replace(content=(str(tmp_path / "tool"),))))
    os.utime(tmp_path / "tool", (2, 2))
    places.append(_find_entry_path(project._replace(content=(str(tmp_path / "tool"),))))
    assert len(set(places)) == 7
    assert _find_entry_path(project._replace(name="owl", patience_ms=1)) == places[3]
    name = places[0].name
    assert name == "built"


def test_hidden_files_are_not_sources_of_a_build(root: Path, sources: Path) -> None:
    """Hidden files, the cache, and a folder that holds nothing else are left out."""
    (sources / "kept" / "cache").mkdir(parents=True)
    (sources / "kept" / "cache" / "table").touch()
    (sources / "results").mkdir()
    (sources / "results" / "league").mkdir()
    (sources / "results" / "league" / "games.sqlite").touch()
    (sources / "mixed").mkdir()
    for name in ("secret", "plain"):
        (sources / "mixed" / name).touch()
    hidden = tuple(str(sources / name) for name in ("kept/cache", "mixed/secret"))
    names, note = _list_sources(_project(sources, isolation=Isolation(hidden=hidden)))
    assert names == (
        "mixed",
        "results",
        "src",
        "way",
        "link",
        "mixed/plain",
        "src/empty",
        "src/bird.sh",
        "src/tool",
    )
    assert note == ""
    assert root.exists()


def test_cache_is_not_a_source_of_a_build(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that holds nothing but the cache is left out as well."""
    (sources / "here" / "cache" / "x").mkdir(parents=True)
    monkeypatch.setenv("PWTOURNEY_CACHE_DIR", str(sources / "here" / "cache"))
    names, _ = _list_sources(_project(sources))
    assert not [name for name in names if name.startswith("here")]


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("bound", "most", "large"),
    [
        ("MOST_FILES", 6, False),
        ("MOST_FILES", 5, True),
        ("MOST_BYTES", 5 + 4 + 11 + 3, False),
        ("MOST_BYTES", 5 + 4 + 11 + 3 - 1, True),
    ],
)
def test_large_source_folder_is_not_copied(
    sources: Path, bound: str, most: int, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only files that the bot names are copied, as the note says; the limits are lowered.

    The bytes are those of two files and two links; a folder has the size that its file system
    reports.
    """
    folders = [path for path in sources.rglob("*") if path.is_dir() and not path.is_symlink()]
    more = sum(path.lstat().st_size for path in folders) if bound == "MOST_BYTES" else 0
    monkeypatch.setattr(preparation, bound, most + more)
    names, note = _list_sources(_project(sources, named=("link", "absent")))
    if large:
        assert (names, note) == (("link",), LARGE)
    else:
        assert (len(names), note) == (6, "")


@pytest.mark.usefixtures("root")
def test_only_named_files_of_a_shared_folder_are_copied(sources: Path) -> None:
    """A home folder is full of files that do not belong to the bot."""
    (sources / "deep" / "below").mkdir(parents=True)
    (sources / "deep" / "below" / "file").touch()
    named = ("src/bird.sh", "absent", "src", "deep/below/file")
    project = _project(sources, "exit", shared=True, named=named)
    assert _list_sources(project) == (("src/bird.sh", "src", "deep/below/file"), SHARED)
    folder = build(project, lambda _: None)
    names = sorted(path.name for path in folder.rglob("*"))
    assert names == ["below", "bird.sh", "deep", "file", "src"]


@needs_root
@pytest.mark.parametrize(
    ("isolation", "others"),
    [
        (Isolation(), False),
        (Isolation(other_user=True), True),
        (Isolation(sandbox="bwrap"), True),
    ],
)
def test_files_the_bot_may_not_read_are_not_copied(
    sources: Path, isolation: Isolation, others: bool
) -> None:
    """A bot of another user reads what others can read; pipes are left out, links stay."""
    (sources / "closed").mkdir(mode=0o750)
    (sources / "closed" / "open").write_text("1")
    (sources / "closed" / "deep").mkdir()
    (sources / "closed" / "deep" / "open").write_text("1")
    (sources / "secret").write_text("1")
    (sources / "secret").chmod(0o640)
    os.mkfifo(sources / "pipe")
    names = ["src", "src/tool", "closed", "closed/open", "closed/deep", "closed/deep/open"]
    names += ["secret", "pipe", "link", "way", "absent"]
    kept = list(_keep_readable(_project(sources, isolation=isolation), names))
    seen = ["src", "src/tool", "closed", "closed/open", "closed/deep", "closed/deep/open"]
    expected = ["src", "src/tool", "link", "way"] if others else [*seen, "secret", "link", "way"]
    assert kept == expected


def test_entry_name_has_24_letters_of_both_hashes(tmp_path: Path) -> None:
    """An entry that others can read has its own group."""
    group, name = "g" * 40, "n" * 40
    assert Entry.of(tmp_path, group, name) == Entry(tmp_path / ("g" * 24) / ("n" * 24))
    opened = Entry.of(tmp_path, group, name, in_the_open=True)
    assert opened == Entry(tmp_path / ("open-" + "g" * 19) / ("n" * 24), in_the_open=True)
