"""The two sandboxes and the system call filter: how they are found, and remedies if not."""

import fcntl
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from pwtourney.sandbox.backends import find_problem, find_remedy
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.seccomp import seccomp_filter
from tests.needs import expected_remedy, need_program, skip_for
from tests.sandbox.helpers import LAUNCH, LIMITS, python, said

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


@ON_LINUX
def test_bubblewrap_outside_the_system_folders_works(
    boxed: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is found by the PATH and started, by root and by any other user."""
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
def test_remedy_depends_on_what_failed(said: str, helps: str) -> None:
    """Docker's masks of /proc, old kernels and forbidden namespaces need different remedies.

    In a chroot the only remedy is to leave it.
    """
    assert (helps if "restrict" in said else expected_remedy(helps)) in find_remedy(said)


SIGNALS = """
import ctypes, errno, fcntl, os, struct, sys

def tell(what, *arguments):
    try:
        found = what(*arguments)
        print(len(found) if isinstance(found, bytes) else "done")
    except OSError as error:
        print(errno.errorcode[error.errno])

file = open(sys.argv[1], "rb")
now = fcntl.LOCK_NB
tell(fcntl.flock, file, fcntl.LOCK_EX | now)
tell(fcntl.flock, file, fcntl.LOCK_UN)
tell(fcntl.lockf, file, fcntl.LOCK_SH | now)
lock = struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0)
for command in (5, 37, 36):  # F_GETLK, F_OFD_SETLK, F_OFD_GETLK
    tell(fcntl.fcntl, file, command, lock)
print(fcntl.fcntl(file, 5, lock) == lock)
tell(os.preadv, file.fileno(), [bytearray(4)], 0, os.RWF_NOWAIT)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.inotify_init(), errno.errorcode[ctypes.get_errno()])
own = open("own", "w")
tell(fcntl.fcntl, own, fcntl.F_SETLEASE, fcntl.F_WRLCK)
tell(fcntl.fcntl, os.open(".", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)
for call in (lambda: libc.mincore(None, 0, None), lambda: libc.syscall(206, 1, None)):
    print(call(), errno.errorcode[ctypes.get_errno()])
print(os.pread(file.fileno(), 4, 0).decode(), fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE)
"""


@ON_LINUX
def test_bot_cannot_observe_what_others_do_with_a_shared_file(boxed: Isolation) -> None:
    """Locks of others neither block a bot nor are visible to it; reading works as usual."""
    if "seccomp" not in boxed.profile.split("+"):
        skip_for("there is no filter of system calls")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        shared = Path(folder, "shared")
        shared.write_text("text of a library")
        launch = python(SIGNALS, folder)
        with shared.open("r+b") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            fcntl.lockf(held, fcntl.LOCK_EX)
            lines = said(launch._replace(command=(*launch.command, str(shared))), boxed)
    assert lines[:3] == ["done"] * 3
    assert lines[3:6] == ["32"] * 3
    assert lines[6:9] == ["True", "ENOTSUP", "-1 ENOSYS"]
    assert lines[9:11] == ["EINVAL"] * 2, "no lease and no notice, also of a file of one's own"
    if os.uname().machine == "x86_64":  # 206 is io_setup on x86-64
        assert lines[11:13] == ["-1 ENOSYS"] * 2
    assert lines[13:] == ["text 0"]


UNCHANGED = """
import os, socket, sys

def read_from_disk():
    with open("/proc/self/io") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("read_bytes"))

with open(sys.argv[1], "rb", buffering=0) as file:
    file.read()
    before = read_from_disk()
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    os.pread(file.fileno(), 1, 0)
    print(read_from_disk() - before)
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
    with socket.socket(socket.AF_UNIX) as one:
        before = one.getsockopt(socket.SOL_SOCKET, option)
        one.setsockopt(socket.SOL_SOCKET, option, 2 * before)
        print(one.getsockopt(socket.SOL_SOCKET, option) - before)
"""


@ON_LINUX
def test_bot_cannot_drop_a_file_from_the_cache_or_enlarge_buffers(boxed: Isolation) -> None:
    """Both calls succeed without effect: the page cache and the socket buffers stay the same."""
    if "seccomp" not in boxed.profile.split("+"):
        skip_for("there is no filter of system calls")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        shared = Path(folder, "shared")
        shared.write_bytes(bytes(1 << 20))
        os.sync()  # dirty pages would stay in the page cache anyway
        launch = python(UNCHANGED, folder)
        lines = said(launch._replace(command=(*launch.command, str(shared))), boxed)
    assert lines == ["0", "0", "0"]


@ON_LINUX
def test_system_call_filter_is_a_bpf_program_for_the_kernel(boxed: Isolation) -> None:
    """Libseccomp builds it, in instructions of 8 bytes; the sandbox profile lists it."""
    program = seccomp_filter()
    assert program is not None
    assert len(program) % 8 == 0
    assert "seccomp" in boxed.profile.split("+")
    code = "import ctypes; print(ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0))"
    assert said(python(code), boxed) == ["-1"]
