"""Cores that runs divide among each other by lock files, here in a folder of the test."""

import os
import stat
from pathlib import Path

import pytest

from pwtourney.executor.local import CoreLock, hold_cores, lock_cores
from pwtourney.sandbox.cores import find_usable_cores

CORES = find_usable_cores().numbers


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the lock files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_core_lock_is_a_private_file_named_by_user_and_core(locks: Path) -> None:
    """Only its owner can read it, and started programs do not inherit its descriptor."""
    lock = CoreLock.take(7)
    assert lock is not None
    assert lock.path == f"{locks}/pwtourney-{os.getuid()}-core-7.lock"
    assert stat.S_IMODE(os.stat(lock.path).st_mode) == 0o600
    assert not os.get_inheritable(lock.descriptor)
    before = len(os.listdir("/proc/self/fd"))
    assert CoreLock.take(7) is None
    assert len(os.listdir("/proc/self/fd")) == before
    os.unlink(lock.path)
    lock.release()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(lock.descriptor)


def test_symlink_in_place_of_a_core_lock_is_not_followed(locks: Path) -> None:
    """Somebody else may have made it; then no core is locked, and cores are shared."""
    (locks / "other").touch()
    for core in CORES:
        (locks / f"pwtourney-{os.getuid()}-core-{core}.lock").symlink_to("other")
    with pytest.raises(OSError, match="symbolic link"):
        CoreLock.take(CORES[0])
    assert lock_cores(1) == {}
    kept, held = hold_cores(1)
    assert (len(kept), held) == (1, [])
    assert kept[0] is not None
    assert kept[0][0] in CORES


def test_lock_file_that_keeps_changing_is_given_up(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 20 attempts, in case another process keeps removing it."""
    real, opened = os.open, list[int]()

    def open_and_remove(path: str, *given: int) -> int:
        opened.append(real(path, *given))
        os.unlink(path)
        return opened[-1]

    monkeypatch.setattr("os.open", open_and_remove)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError, match="core-7") as caught:
        CoreLock.take(7)
    path = f"{locks}/pwtourney-{os.getuid()}-core-7.lock"
    assert str(caught.value) == f"{path}: other processes keep replacing this lock file"
    assert len(opened) == 20
    assert len(os.listdir("/proc/self/fd")) == before


def test_only_free_cores_are_locked() -> None:
    """They are locked in the order in which they are used, and no more than asked for."""
    assert lock_cores(0) == {}
    first = lock_cores(1)
    assert [*first] == [CORES[0]]
    rest = lock_cores(len(CORES))
    assert [*rest] == [*CORES[1:]]
    assert lock_cores(1) == {}
    for lock in (*first.values(), *rest.values()):
        lock.release()


def test_each_worker_gets_its_own_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free cores come first, then those that another run holds; only free ones are locked."""
    kept, held = hold_cores(len(CORES))
    assert kept == [(core,) for core in CORES]
    assert [lock.path.rpartition("-")[2] for lock in held] == [f"{core}.lock" for core in CORES]
    # if all are held, each process starts at another core
    for process, first in enumerate(CORES):
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda process=process: len(CORES) + process)
            again, none = hold_cores(len(CORES))
        assert again[0] == (first,)
        assert sorted(again, key=str) == sorted(kept, key=str)
        assert none == []
    for lock in held:
        lock.release()
    whole, held = hold_cores(1, len(CORES))
    assert whole == [CORES]
    assert len(held) == len(CORES)
    for lock in held:
        lock.release()


@pytest.mark.parametrize(
    ("workers", "per_worker"), [(3, 0), (len(CORES) + 1, 1), (1, len(CORES) + 1)]
)
def test_no_worker_is_pinned_if_there_are_too_few_cores(
    workers: int, per_worker: int, locks: Path
) -> None:
    """Nothing is locked either."""
    assert hold_cores(workers, per_worker) == ([None] * workers, [])
    assert not list(locks.iterdir())
