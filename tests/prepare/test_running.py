"""A preparation process and its end."""

import os
import stat
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from pwtourney.prepare import running
from pwtourney.prepare.running import Bounds, ProcessEnding, find_excess, own_alone, run_to_end
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits


def test_last_lines_of_a_process_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are read even if it writes and exits between two polls, as on a busy machine."""
    monkeypatch.setattr(running, "_LOOKS_NS", -1)  # each poll ends before anything can be read
    heard: list[str] = []
    launch = Launch(("/bin/sh", "-c", "echo one; echo two; echo three"))
    ended = run_to_end(launch, Limits(), Isolation(), 20_000, heard.append)
    assert ended.exit == "exited with code 0"
    assert heard == ["one", "two", "three"]


@pytest.mark.slow
def test_line_written_in_time_but_read_late_extends_the_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A process that reports its work within its time limit is not ended at the limit."""
    said, patience_ms = tmp_path / "said", 60_000

    def now() -> int:  # a clock on which the time is over when the line has been written
        return time.monotonic_ns() + (patience_ms * 1_000_000 if said.exists() else 0)

    monkeypatch.setattr(running, "time", SimpleNamespace(monotonic_ns=now))
    monkeypatch.setattr(running, "_LOOKS_NS", -1)
    launch = Launch(("/bin/sh", "-c", f"echo begun; touch {said}; sleep 1; echo over"))
    answers = {"begun": 20_000}
    ended = run_to_end(launch, Limits(), Isolation(), patience_ms, answers.get)
    assert ended.exit == "exited with code 0"


def test_silent_process_is_killed_at_its_time_limit() -> None:
    """The message has the limit; `exec` makes sure that the process itself is killed."""
    launch = Launch(("/bin/sh", "-c", "exec sleep 30"))
    heard: list[str] = []
    ended = run_to_end(launch, Limits(), Isolation(), 200, heard.append)
    assert heard == []
    assert ended.exit == "took over 0.2 s"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return a folder that a process may write to, the only entry of a folder of ours."""
    (tmp_path / "place" / "kept").mkdir(parents=True)
    (tmp_path / "place").chmod(0o755)
    return tmp_path / "place" / "kept"


def _run(script: str, kept: Path, patience_ms: int = 20_000) -> ProcessEnding:
    """Run a shell script that may write to a folder."""
    launch = Launch(("/bin/sh", "-c", script, "sh", str(kept)), write_paths=(str(kept),))
    return run_to_end(launch, Limits(), Isolation(), patience_ms, lambda _: None)


def test_written_files_belong_to_us_afterwards(kept: Path) -> None:
    """Nobody can change them, and other users cannot reach them."""
    ended = _run('echo 7 > "$1/table"; chmod 666 "$1/table"; ln -s /etc "$1/way"', kept)
    assert ended == ProcessEnding("exited with code 0", ())
    assert [path.name for path in kept.iterdir()] == ["table"]
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (kept.parent, kept, kept / "table")]
    assert modes == [0o700, 0o555, 0o444]
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in (kept.parent, kept / "table")}
    assert owners == {(os.geteuid(), os.getegid())}
    kept.chmod(0o755)


def test_last_twelve_lines_of_stderr_are_kept(kept: Path) -> None:
    """Empty lines do not count."""
    ended = _run("seq 1 30 >&2; echo >&2; echo over >&2; exit 3", kept)
    lines = (*map(str, range(20, 31)), "over")
    assert ended == ProcessEnding("exited with code 3", lines)
    assert ended.text == "exited with code 3\n| " + "\n| ".join(lines)
    kept.chmod(0o755)


@pytest.mark.parametrize(
    "script", ['seq 1 9 | while read k; do : > "$1/$k"; done', "exec sleep 30"]
)
def test_process_that_makes_too_many_files_is_ended(
    kept: Path, script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This is checked while it runs and at its end: here eight more files than before."""
    monkeypatch.setattr(running, "_MOST_ENTRIES", 8)
    for name in "ab":
        (kept / name).touch()
    more = 'for k in 1 2 3 4 5 6 7 8 9; do : > "$1/$k"; done'
    assert _run(f"{more}; {script}", kept).exit == "made over 10 files and folders"
    kept.chmod(0o755)


def test_as_many_files_as_the_limit_are_kept(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that existed before do not count."""
    monkeypatch.setattr(running, "_MOST_ENTRIES", 8)
    for name in "ab":
        (kept / name).touch()
    ended = _run('for k in 1 2 3 4 5 6 7 8; do : > "$1/$k"; done', kept)
    assert ended.exit == "exited with code 0"
    kept.chmod(0o755)


def test_missing_command_is_reported(kept: Path) -> None:
    """The message is the same as for a bot; the folder is closed to other users anyway."""
    launch = Launch(("/nowhere/bird",), write_paths=(str(kept),))
    ended = run_to_end(launch, Limits(), Isolation(), 1000, lambda _: None)
    assert ended == ProcessEnding("cannot start /nowhere/bird: it does not exist")
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_process_with_a_too_long_line_is_ended() -> None:
    """The limit is the default, 64 KiB, because the bot's own limit is lower."""
    launch = Launch(("/bin/sh", "-c", "printf '%070000d\\n' 0; exec sleep 30"))
    ended = run_to_end(launch, Limits(line=5), Isolation(), 20_000, lambda _: None)
    assert ended.exit == "wrote a line of over 65536 bytes"


def test_process_that_reports_its_work_gets_more_time() -> None:
    """The callback returns the new limit, which the message shows."""
    launch = Launch(("/bin/sh", "-c", r"printf 'begun \377\n'; exec sleep 30"))
    heard: list[str] = []

    def hear(line: str) -> int:
        heard.append(line)
        return 70

    ended = run_to_end(launch, Limits(), Isolation(), 20_000, hear)
    assert ended.exit == "took over 0.07 s"
    assert heard == ["begun \ufffd"]


def test_preparation_has_at_least_the_default_limits() -> None:
    """A bot with lower limits in games can still be compiled; CPU time is not limited."""
    least = Limits()._replace(**{key: 1 for key, value in Limits()._asdict().items() if value})
    assert running._widen_limits(least) == Limits()._replace(
        start_ms=1, cpu_ms=None, end_ms=60_000, file=1 << 30, scratch=1 << 29
    )
    most = least._replace(**dict.fromkeys(Limits._fields, 1 << 40))
    assert running._widen_limits(most) == most._replace(cpu_ms=None, end_ms=60_000)


def test_bounds_are_added_to_existing_files(tmp_path: Path) -> None:
    """There are three files and folders, and five more are allowed."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "c").touch()
    assert Bounds.beyond([tmp_path], 7, 5) == Bounds(7, 8)
    assert Bounds.beyond([tmp_path, tmp_path / "a"], 7, 5) == Bounds(7, 10)
    assert Bounds.beyond([], 7, 5) == Bounds(7, 5)


def test_size_is_counted_in_disk_blocks(tmp_path: Path) -> None:
    """Blocks of 512 bytes of all files are summed; a sparse file takes less than its size."""
    for name in "abc":
        (tmp_path / name).write_bytes(bytes(5000))
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 30)
    size = sum(path.lstat().st_blocks for path in tmp_path.iterdir()) * 512
    assert find_excess([tmp_path], Bounds(size, 4)) is None
    assert find_excess([tmp_path], Bounds(size - 1, 4)) == "wrote over 0 MiB"
    assert find_excess([tmp_path], Bounds(size, 3)) == "made over 3 files and folders"


def test_missing_folder_counts_as_empty(tmp_path: Path) -> None:
    """The other folders are still inspected."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    folders = [tmp_path / "full", tmp_path / "gone"]
    assert find_excess(folders, Bounds(1 << 20, 0)) == "made over 0 files and folders"
    assert find_excess(folders, Bounds(1 << 20, 1)) is None


def test_copied_files_are_private_to_their_owner(tmp_path: Path) -> None:
    """This holds whatever their modes were; folders and programs stay usable."""
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
