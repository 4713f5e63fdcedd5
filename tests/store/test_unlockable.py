"""A file system that cannot lock: the kernel answers each lock of a real process with an error."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_FAILED, EXIT_OK, EXIT_STORE, StoreError
from pwtourney.sandbox.seccomp import seccomp_problem
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.filesystem import can_lock, find_lack, read_shared_kind
from tests.needs import need_program, skip_for
from tests.program import pwtourney, run_module
from tests.sharing import Once

pytestmark = pytest.mark.slow


@pytest.fixture
def played(once: Once, tmp_path: Path) -> Path:
    """Return a folder with a tournament and its results."""
    return shutil.copytree(once("unlockable", play), tmp_path / "own")


def play(folder: Path) -> None:
    """Play a tournament whose bots start quickly."""
    bot = "while read -r w rest; do case $w in pwtp|end) echo ready;; go) exit;; esac; done"
    bots = f"{{id: a, command: [sh, -c, '{bot}']}}, {{id: b, command: [sh, -c, '{bot}']}}"
    config = f"name: x\nseed: 5\npairs: 1\nsandbox: none\nbots: [{bots}]\n"
    (folder / "x.yaml").write_text(config)
    pwtourney("run", "x.yaml", "--quiet", at=folder, code=EXIT_FAILED)


def unlockable(
    *words: str, at: Path, code: int = EXIT_OK, error: str = "ENOLCK", which: str = "all"
) -> subprocess.CompletedProcess[str]:
    """Run the program with locks refused, and check its exit code."""
    if problem := seccomp_problem():
        skip_for(problem)
    done = run_module("tests.store.unlockable", error, which, *words, at=at)
    assert done.returncode == code, done.stderr
    return done


def list_bytes(folder: Path) -> dict[str, bytes]:
    """Return the name and content of each file in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("which", ["flock", "fcntl"])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("ENOLCK", "No locks available"),
        ("EOPNOTSUPP", "Operation not supported"),
        ("EACCES", "Permission denied"),
        ("EINVAL", "Invalid argument"),
        ("ENOSYS", "Function not implemented"),
    ],
)
def test_run_is_refused_if_files_cannot_be_locked(
    played: Path, error: str, text: str, which: str
) -> None:
    """The error does not blame another run, whichever lock is refused with whatever error."""
    results = played / "results" / "x"
    before = list_bytes(results)
    done = unlockable("run", "x.yaml", at=played, code=EXIT_STORE, error=error, which=which)
    assert done.stdout == ""
    assert done.stderr == (
        f"error: {results}: the file system cannot lock files ({text}), so results cannot be"
        " written here; use a folder on a local disk (--results DIR)."
        f" `pwtourney doctor --results {results}` says what it lacks\n"
    )
    assert list_bytes(results) == before | {"run.lock": b""}


def test_new_folder_that_cannot_be_locked_is_removed(played: Path) -> None:
    """No file of the attempt is left, whichever lock was refused."""
    for which in ("flock", "fcntl"):
        words = ("run", "x.yaml", "--results", "new")
        unlockable(*words, at=played, code=EXIT_STORE, which=which)
        assert not (played / "new").exists()


def test_results_can_be_read_without_locks(played: Path) -> None:
    """Output and files are unchanged; plain SQLite would say "database is locked"."""
    results = played / "results" / "x"
    (results / "run.lock").unlink()  # copied results have no lock file
    before = list_bytes(results)
    for words in (
        ("report", "x"),
        ("replay", "x:0.0"),
        ("rate", "x"),
        ("verify", "x"),
        ("run", "x.yaml", "--dry-run"),
    ):
        done = unlockable(*words, at=played)
        assert list_bytes(results) == before
        assert done.stdout == pwtourney(*words, at=played).stdout


def test_log_of_a_killed_run_is_read_without_locks(played: Path) -> None:
    """Only the log has the last pairs; neither it nor the database is changed."""
    results = played / "results" / "x"
    leave_log(results / "games.sqlite")
    before = list_bytes(results)
    assert before["games.sqlite-wal"]
    for error in ("ENOLCK", "EOPNOTSUPP", "EACCES"):
        done = unlockable("report", "x", at=played, error=error)
        assert "\n8 games of 4 pairs;" in done.stdout
        assert list_bytes(results) == before


def leave_log(database: Path) -> None:
    """Store more pairs like a run that is killed: they are only in the log."""
    process = os.fork()
    if process == 0:
        store = Store.open(database, write=True)
        for number in range(1, 4):
            store.add([game._replace(pair=number) for game in store.pair(0)])
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0


def test_lock_held_by_another_process_is_not_a_missing_feature(tmp_path: Path) -> None:
    """Another process has both locks, so files can be locked, and another run is reported."""
    (tmp_path / "run.lock").write_text("{}")
    held, done = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        with (tmp_path / "run.lock").open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            fcntl.lockf(lock, fcntl.LOCK_EX)
            os.write(held[1], b"x")
            os.close(done[1])
            os.read(done[0], 1)  # block until the test is over
        os._exit(0)
    try:
        os.read(held[0], 1)
        assert can_lock(tmp_path)
        with (tmp_path / "run.lock").open("r+b") as own:
            assert find_lack(own.fileno()) == ""
        assert ResultsFolder(tmp_path).is_locked()
        with pytest.raises(StoreError, match="another run is writing here"):
            ResultsFolder(tmp_path).__enter__()
    finally:
        for descriptor in (*held, *done):
            os.close(descriptor)
        os.waitpid(process, 0)


def test_doctor_reports_what_a_results_folder_lacks(played: Path) -> None:
    """The exit code is 1, with the system's error, its meaning and a remedy; no file is left."""
    results = played / "results" / "x"
    before = list_bytes(results)
    done = unlockable("doctor", "--results", "results/x", at=played, code=EXIT_FAILED)
    for name in ("lock of a run", "locks of SQLite"):
        assert f"✗ {name}: No locks available\n" in done.stdout
    assert "without it results can only be read, so `run` refuses\n" in done.stdout
    assert "to get it: use a folder on a local disk (--results DIR)" in done.stdout
    assert "✓ replacement: " in done.stdout
    assert list_bytes(results) == before


def test_doctor_checks_all_that_a_results_folder_needs(tmp_path: Path) -> None:
    """A folder that does not exist is checked where it would be created, and is not created."""
    done = pwtourney("doctor", "--results", "new/x", at=tmp_path)
    assert (
        f"✓ writable folder: {tmp_path}/new/x, which would be made in {tmp_path}\n" in done.stdout
    )
    names = [line.split(":")[0] for line in done.stdout.splitlines()]
    assert names == [
        "✓ files of results",
        "✓ writable folder",
        "✓ lock of a run",
        "✓ locks of SQLite",
        "✓ flushing",
        "✓ replacement",
        "✓ database",
        "✓ free space",
        "✓ local disk",
    ]
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "logs").symlink_to(tmp_path)
    done = pwtourney("doctor", "--results", "x", at=tmp_path, code=EXIT_FAILED)
    assert f"✗ files of results: {tmp_path}/x/logs is a link" in done.stdout
    (tmp_path / "file").write_text("")
    done = pwtourney("doctor", "--results", "file/x", at=tmp_path, code=EXIT_FAILED)
    assert f"✗ writable folder: {tmp_path}/file: Not a directory\n" in done.stdout


MOUNTS = rb"""22 28 0:21 / /proc rw - proc proc rw
28 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 28 0:40 / /home/a\040b rw - nfs4 server:/home rw
31 30 0:41 / /home/a\040b/local rw - xfs /dev/sdb1 rw
32 28 0:42 / /mnt rw - ext4 /dev/sdc1 rw
33 32 0:43 / /mnt rw - fuse.sshfs me@there: rw
34 28 0:44 / /var rw - fuse.fuse-overlayfs fuse-overlayfs rw
"""
MOUNTS += b"35 28 0:45 / /a\rb\xff rw - cifs //server/x rw\n"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/a b/league", "nfs4"),
        ("/home/a b/local/x", ""),
        ("/home/a", ""),
        ("/mnt/x", "fuse.sshfs"),
        ("/mntx", ""),
        ("/var/x", ""),
        ("/a\rb\udcff/x", "cifs"),
    ],
)
def test_network_file_system_is_that_of_the_nearest_mount(path: str, kind: str) -> None:
    """Of two mounts at one path the later counts; a blank in a path is octal (proc(5))."""
    assert read_shared_kind(MOUNTS, Path(path)) == kind


def test_run_warns_about_a_network_file_system(played: Path) -> None:
    """In a namespace, the kernel's list of mounts is replaced by one with one more line."""
    need_program("unshare")
    mounts = played / "mounts"
    more = f"999 1 0:99 / {played} rw - nfs4 server:/x rw\n"
    mounts.write_text(Path("/proc/self/mountinfo").read_text() + more)
    script = f'mount --bind {mounts} /proc/$$/mountinfo && exec "$@"'
    run = [sys.executable, "-m", "pwtourney", "run", "x.yaml", "--results", "new", "--quiet"]
    namespace = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    words = [*namespace, "sh", "-c", script, "sh", *run]
    done = subprocess.run(words, cwd=played, capture_output=True, text=True, timeout=100)
    if "unshare" in done.stderr:
        skip_for(done.stderr)
    assert done.returncode == EXIT_FAILED, done.stderr  # the bots crash
    warning = f"warning: {played}/new is on a network file system (nfs4): SQLite's log breaks if"
    assert warning in done.stderr
