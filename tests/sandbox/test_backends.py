"""The two sandboxes and the filter of system calls: where they are found, and what helps if not."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from pwtourney.sandbox.backends import find_problem, find_remedy, seccomp_filter
from pwtourney.sandbox.isolation import Isolation
from tests.needs import expected_remedy, need_program
from tests.sandbox.helpers import LAUNCH, LIMITS, python, said

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


@ON_LINUX
def test_a_bubblewrap_outside_the_system_works_as_well(
    boxed: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a folder of its own is found by the PATH and started, as root and as anybody."""
    need_program("bwrap")
    program = tmp_path / "bwrap"
    shutil.copy(shutil.which("bwrap") or "", program)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    find_problem.cache_clear()
    try:
        assert find_problem("bwrap", LAUNCH, LIMITS) is None
        assert said(python("print('here')"), boxed) == ["here"]
    finally:
        find_problem.cache_clear()


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        ("cannot restrict /new/usr: Function not implemented", "Linux 5.12"),
        ("mount proc /new/proc: Operation not permitted", "systempaths=unconfined"),
        ("unshare: Operation not permitted", "to allow them"),
        ("anything else", "bubblewrap may work"),
    ],
)
def test_what_helps_depends_on_what_failed(said: str, helps: str) -> None:
    """Docker's masks of /proc, old kernels and forbidden namespaces each need something else.

    In a chroot nothing helps but to leave it.
    """
    assert (helps if "restrict" in said else expected_remedy(helps)) in find_remedy(said)


@ON_LINUX
def test_the_filter_of_system_calls_is_a_program_for_the_kernel(boxed: Isolation) -> None:
    """Built by libseccomp, in instructions of eight bytes; the profile says that it is there."""
    program = seccomp_filter()
    assert program is not None
    assert len(program) % 8 == 0
    assert "seccomp" in boxed.profile.split("+")
    code = (
        "import errno, fcntl, tempfile\n"
        "file = tempfile.TemporaryFile()\n"
        "try: fcntl.flock(file, fcntl.LOCK_EX); print('locked')\n"
        "except OSError as error: print(errno.errorcode[error.errno])"
    )
    assert said(python(code), boxed) == ["ENOSYS"]
