"""A forked copy cannot leave state behind for the next copy, by any known channel."""

from pathlib import Path

import pytest

from pwtourney.sandbox.backends import Backend
from pwtourney.sandbox.orphans import become_subreaper
from tests.process.copying import boxed, play, pool, seen, spec, witness

PLACES = [None, "bwrap", "unshare"]

COUNTS = """
def see():
    try:
        before = open(PATH).read()
    except FileNotFoundError:
        before = ""
    with open(PATH, "a") as file:
        file.write("x")
    return len(before)
"""

CARRIERS = {
    "file": "PATH = 'note'" + COUNTS,
    "folder": "PATH = 'below/note'\nos.makedirs('below', exist_ok=True)" + COUNTS,
    "mode": """
        def see():
            before = os.stat(".").st_mode & 0o7777
            os.chmod(".", 0o1711)
            return before == 0o1711
        """,
    "times": """
        def see():
            before = os.stat(".").st_mtime_ns
            os.utime(".", (1, 1))
            return before == 10**9
        """,
    "closed folder": """
        def see():
            before = os.path.exists("below")
            os.makedirs("below/deep", exist_ok=True)
            os.chmod("below", 0)
            return before
        """,
    "attribute": """
        def see():
            before = "user.note" in os.listxattr(".")
            try:
                os.setxattr(".", "user.note", b"")
            except OSError:
                pass
            return before
        """,
    "access control list": """
        import struct

        LIST = ((1, 7, -1), (2, 5, 12345), (4, 0, -1), (16, 7, -1), (32, 0, -1))
        WORDS = b"".join(struct.pack("<HHi", *words) for words in LIST)

        def see():
            names = "system.posix_acl_default", "system.posix_acl_access"
            before = any(name in names for name in os.listxattr("."))
            for name in names:
                try:
                    os.setxattr(".", name, struct.pack("<I", 2) + WORDS)
                except OSError:
                    pass
            return before
        """,
    "limit": """
        import resource

        def see():
            soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
            resource.prlimit(os.getppid(), resource.RLIMIT_STACK, (1 << 22, hard))
            return soft == 1 << 22
        """,
    "niceness": """
        def see():
            before = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PROCESS, os.getppid(), 17)
            return before == 17
        """,
    "policy": """
        def see():
            before = os.sched_getscheduler(0)
            os.sched_setscheduler(os.getppid(), os.SCHED_BATCH, os.sched_param(0))
            return before == os.SCHED_BATCH
        """,
    "link": """
        def see():
            before = os.path.lexists("link")
            if not before:
                os.symlink("/usr", "link")
            return before
        """,
    "daemon": """
        import socket, time

        def see():
            there = socket.socket(socket.AF_UNIX)
            try:
                there.connect("\\0pwtourney-test-carrier")
                return True
            except OSError:
                pass
            here = socket.socket(socket.AF_UNIX)
            here.bind("\\0pwtourney-test-carrier")
            here.listen()
            for _ in range(2):
                if os.fork():
                    if _:
                        os._exit(0)
                    os.wait()
                    return False
                os.setsid()
            time.sleep(20)
            os._exit(0)
        """,
}


@pytest.fixture(autouse=True)
def _subreaper() -> None:
    become_subreaper()


@pytest.mark.thorough
@pytest.mark.slow(5)
@pytest.mark.parametrize("sandbox", PLACES)
@pytest.mark.parametrize("way", CARRIERS)
def test_no_state_of_a_copy_reaches_the_next_game(
    tmp_path: Path, way: str, sandbox: Backend | None
) -> None:
    """Each copy sees the same state as the first one, and no remark reports a failed fork."""
    launch = witness(tmp_path, CARRIERS[way])
    with pool(tmp_path / "scratch") as opened:
        said = seen(play(spec(launch, boxed(sandbox, launch)), 3, opened))
        assert opened.take_remarks() == ()
    assert said in (["False"] * 3, ["0"] * 3)
