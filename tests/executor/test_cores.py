"""Cores that runs share out among each other by locks, in a folder of the test."""

import os
import stat
from pathlib import Path

import pytest

from pwtourney.executor.local import CoreLock, hold_cores, lock_cores
from pwtourney.sandbox.cores import find_usable_cores

CORES = find_usable_cores().numbers


@pytest.fixture(autouse=True)
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the locks are."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_a_lock_is_a_file_of_this_user(locks: Path) -> None:
    """Its name says which core, and nobody else can read it; a program started does not get it."""
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


def test_a_link_in_the_place_of_a_lock_is_not_followed(locks: Path) -> None:
    """Somebody else may have left it; then no core is locked, and cores are shared."""
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


def test_a_file_that_is_always_another_is_given_up(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After 20 attempts, in case the process that removes it never ends."""
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


def test_as_many_cores_are_locked_as_are_free() -> None:
    """In the order in which they are used, and no more than are asked for."""
    assert lock_cores(0) == {}
    first = lock_cores(1)
    assert [*first] == [CORES[0]]
    rest = lock_cores(len(CORES))
    assert [*rest] == [*CORES[1:]]
    assert lock_cores(1) == {}
    for lock in (*first.values(), *rest.values()):
        lock.release()


def test_each_worker_has_cores_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free ones first, then those that another run holds; the locks are those of the free ones."""
    kept, held = hold_cores(len(CORES))
    assert kept == [(core,) for core in CORES]
    assert [lock.path.rpartition("-")[2] for lock in held] == [f"{core}.lock" for core in CORES]
    # where all are held, it begins at another one in each process
    for process, first in enumerate(CORES):
        monkeypatch.setattr("os.getpid", lambda process=process: len(CORES) + process)
        again, none = hold_cores(len(CORES))
        assert again[0] == (first,)
        assert sorted(again, key=str) == sorted(kept, key=str)
        assert none == []
    monkeypatch.undo()
    for lock in held:
        lock.release()
    whole, held = hold_cores(1, len(CORES))
    assert whole == [CORES]
    assert len(held) == len(CORES)
    for lock in held:
        lock.release()


@pytest.mark.parametrize(("workers", "each"), [(3, 0), (len(CORES) + 1, 1), (1, len(CORES) + 1)])
def test_where_there_are_too_few_cores_all_share_them(workers: int, each: int, locks: Path) -> None:
    """No worker keeps to any, and nothing is locked."""
    assert hold_cores(workers, each) == ([None] * workers, [])
    assert not list(locks.iterdir())
