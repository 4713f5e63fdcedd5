"""A preparation as a process, to its end."""

import os
import stat
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pwtourney.prepare import running
from pwtourney.prepare.running import Bounds, Ended, find_excess, own_alone, run_to_end
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits


def test_what_a_process_says_last_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it says it and ends between two looks at it, as on a busy machine."""
    monkeypatch.setattr(running, "_LOOKS_NS", -1)  # a look is over before anything can be read
    heard: list[str] = []
    launch = Launch(("/bin/sh", "-c", "echo one; echo two; echo three"))
    ended = run_to_end(launch, Limits(), Isolation(), 20_000, heard.append)
    assert ended.exit == "exited with code 0"
    assert heard == ["one", "two", "three"]


@pytest.mark.slow
def test_what_was_said_in_time_and_read_too_late_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A process that says within its patience that it works is not ended at the end of it."""
    said, patience_ms = tmp_path / "said", 60_000

    def now() -> int:  # a clock that says the patience is over when the line has been written
        return time.monotonic_ns() + (patience_ms * 1_000_000 if said.exists() else 0)

    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic_ns=now))
    monkeypatch.setattr(running, "_LOOKS_NS", -1)
    launch = Launch(("/bin/sh", "-c", f"echo begun; touch {said}; sleep 1; echo over"))
    answers = {"begun": 20_000}
    ended = run_to_end(launch, Limits(), Isolation(), patience_ms, answers.get)
    assert ended.exit == "exited with code 0"


def test_a_process_that_says_nothing_is_ended_when_its_patience_is_over() -> None:
    """The message says how long it had; `exec` lets the process itself be the one that is ended."""
    launch = Launch(("/bin/sh", "-c", "exec sleep 30"))
    heard: list[str] = []
    ended = run_to_end(launch, Limits(), Isolation(), 200, heard.append)
    assert heard == []
    assert ended.exit == "took over 0.2 s"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return a folder that a process may write to, the only one in a folder of ours."""
    (tmp_path / "place" / "kept").mkdir(parents=True)
    (tmp_path / "place").chmod(0o755)
    return tmp_path / "place" / "kept"


def _run(script: str, kept: Path, patience_ms: int = 20_000) -> Ended:
    """Run a shell script that may write to a folder."""
    launch = Launch(("/bin/sh", "-c", script, "sh", str(kept)), write_paths=(str(kept),))
    return run_to_end(launch, Limits(), Isolation(), patience_ms, lambda _: None)


def test_what_was_written_is_ours_afterwards(kept: Path) -> None:
    """Nobody can change it, and nobody else can come to it."""
    ended = _run('echo 7 > "$1/table"; chmod 666 "$1/table"; ln -s /etc "$1/way"', kept)
    assert ended == Ended("exited with code 0", ())
    assert [path.name for path in kept.iterdir()] == ["table"]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (kept.parent, kept, kept / "table")]
    assert modes == [0o700, 0o555, 0o444]
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in (kept.parent, kept / "table")}
    assert owners == {(os.geteuid(), os.getegid())}
    kept.chmod(0o755)


def test_the_last_twelve_lines_of_an_error_are_kept(kept: Path) -> None:
    """Empty ones do not count."""
    ended = _run("seq 1 30 >&2; echo >&2; echo over >&2; exit 3", kept)
    lines = (*map(str, range(20, 31)), "over")
    assert ended == Ended("exited with code 3", lines)
    assert ended.text == "exited with code 3\n| " + "\n| ".join(lines)
    kept.chmod(0o755)


@pytest.mark.parametrize(
    "script", ['seq 1 9 | while read k; do : > "$1/$k"; done', "exec sleep 30"]
)
def test_what_goes_beyond_the_bounds_ends_a_process(
    kept: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it runs, and at its end: here eight files more than were there."""
    monkeypatch.setattr(running, "_MOST_ENTRIES", 8)
    for name in "ab":
        (kept / name).touch()
    more = 'for k in 1 2 3 4 5 6 7 8 9; do : > "$1/$k"; done'
    assert _run(f"{more}; {script}", kept).exit == "made over 10 files and folders"
    kept.chmod(0o755)


def test_as_many_files_as_may_be_kept_are(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were there do not count."""
    monkeypatch.setattr(running, "_MOST_ENTRIES", 8)
    for name in "ab":
        (kept / name).touch()
    ended = _run('for k in 1 2 3 4 5 6 7 8; do : > "$1/$k"; done', kept)
    assert ended.exit == "exited with code 0"
    kept.chmod(0o755)


def test_a_command_that_is_not_there_is_reported(kept: Path) -> None:
    """As for a bot; nobody else can come to the folder even so."""
    launch = Launch(("/nowhere/bird",), write_paths=(str(kept),))
    ended = run_to_end(launch, Limits(), Isolation(), 1000, lambda _: None)
    assert ended == Ended("cannot start /nowhere/bird: it does not exist")
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_a_line_that_is_too_long_ends_a_process() -> None:
    """The limit is the usual one, 64 KiB, because the bot's own is smaller."""
    launch = Launch(("/bin/sh", "-c", "printf '%070000d\\n' 0; exec sleep 30"))
    ended = run_to_end(launch, Limits(line=5), Isolation(), 20_000, lambda _: None)
    assert ended.exit == "wrote a line of over 65536 bytes"


def test_who_says_that_it_works_gets_more_time() -> None:
    """From then on so much as is answered; the message says how much that was."""
    launch = Launch(("/bin/sh", "-c", r"printf 'begun \377\n'; exec sleep 30"))
    heard: list[str] = []

    def hear(line: str) -> int:
        heard.append(line)
        return 70

    ended = run_to_end(launch, Limits(), Isolation(), 20_000, hear)
    assert ended.exit == "took over 0.07 s"
    assert heard == ["begun \ufffd"]


def test_a_preparation_has_at_least_the_usual_limits() -> None:
    """A bot with less in games can be compiled; processor time is not counted."""
    least = Limits()._replace(**{key: 1 for key, value in Limits()._asdict().items() if value})
    assert running._widen_limits(least) == Limits()._replace(
        start_ms=1, cpu_ms=None, end_ms=60_000, file=1 << 30, scratch=1 << 29
    )
    most = least._replace(**dict.fromkeys(Limits._fields, 1 << 40))
    assert running._widen_limits(most) == most._replace(cpu_ms=None, end_ms=60_000)


def test_bounds_leave_room_for_what_is_there(tmp_path: Path) -> None:
    """Three files and folders, and five more."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "c").touch()
    assert Bounds.beyond([tmp_path], 7, 5) == Bounds(7, 8)
    assert Bounds.beyond([tmp_path, tmp_path / "a"], 7, 5) == Bounds(7, 10)
    assert Bounds.beyond([], 7, 5) == Bounds(7, 5)


def test_bytes_are_those_on_the_disk(tmp_path: Path) -> None:
    """Of all files and folders together, in blocks of 512; a file with a hole takes less."""
    for name in "abc":
        (tmp_path / name).write_bytes(bytes(5000))
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 30)
    size = sum(path.lstat().st_blocks for path in tmp_path.iterdir()) * 512
    assert find_excess([tmp_path], Bounds(size, 4)) is None
    assert find_excess([tmp_path], Bounds(size - 1, 4)) == "wrote over 0 MiB"
    assert find_excess([tmp_path], Bounds(size, 3)) == "made over 3 files and folders"


def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    """The others are looked through all the same."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    folders = [tmp_path / "full", tmp_path / "gone"]
    assert find_excess(folders, Bounds(1 << 20, 0)) == "made over 0 files and folders"
    assert find_excess(folders, Bounds(1 << 20, 1)) is None


def test_what_is_copied_is_its_owners_alone(tmp_path: Path) -> None:
    """Whatever its modes were: folders and programs can be entered and run."""
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "table").write_text("7")
    (folder / "below" / "tool").write_text("8")
    (folder / "below" / "tool").chmod(0o155)
    (tmp_path / "outside").write_text("9")
    (tmp_path / "outside").chmod(0o644)
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "below" / "table").chmod(0o467)
    (folder / "below").chmod(0o777)
    own_alone(folder)
    names = ("", "below", "below/table", "below/tool", "../outside")
    modes = [stat.S_IMODE(os.stat(folder / name).st_mode) for name in names]
    assert modes == [0o700, 0o700, 0o600, 0o700, 0o644]
