"""A bot forked for each game plays like a new process, and leaves nothing behind."""

import os
import signal
from pathlib import Path

import pytest

from pwtourney.sandbox.backends import Backend
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.orphans import become_subreaper
from tests.process.copying import boxed, play, pool, seen, spec, witness
from tests.thorough import thorough_but

PLACES = [None, "bwrap", "unshare"]
ONE_PLACE = pytest.mark.parametrize("sandbox", thorough_but(["bwrap"], PLACES))
"""Parametrizes a test by sandbox: bwrap always, the other places only in CI."""

OBSTACLES = {
    "threads": "import signal, threading as t\nt.Thread(target=signal.pause, daemon=True).start()",
    "open": "held = open(__file__)",
    "shares memory": "import mmap\nshared = mmap.mmap(-1, 4096)",
    "shares memory while": "import mmap\nshared = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)",
    "processes": "import subprocess\nsubprocess.Popen(['sleep', '20'])",
    "signals": "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: None)",
    "blocks signals": "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])",
    "changes into a folder": "os.mkdir('sub')\nos.chdir('sub')",
    "changes into": "os.mkdir('sub')\nos.chdir('sub')\nos.rmdir('../sub')",
    "`random`": "import random\nrandom.seed(3)",
    "generator": "import random\nown = random.Random()",
    "a pipe": "os.mkfifo('pipe')",
}


@pytest.fixture(autouse=True)
def _subreaper() -> None:
    become_subreaper()


@pytest.mark.thorough
@pytest.mark.slow(3)
@pytest.mark.parametrize("sandbox", PLACES)
def test_files_written_at_import_exist_in_each_game(
    tmp_path: Path, sandbox: Backend | None
) -> None:
    """They are restored for each game, whatever a copy did to them."""
    launch = witness(
        tmp_path,
        """
        os.mkdir("made")
        open("made/note", "w").write("first")
        os.symlink("note", "made/link")

        def see():
            text = open("made/link").read()
            open("made/note", "w").write("changed")
            os.unlink("made/link")
            return text
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        assert seen(play(spec(launch, boxed(sandbox, launch)), 3, opened)) == ["first"] * 3


@pytest.mark.slow(2)
@pytest.mark.parametrize("what", thorough_but(["threads", "a pipe", "processes"], OBSTACLES))
def test_state_that_copies_would_share_prevents_copying(tmp_path: Path, what: str) -> None:
    """The bot gets a new process for each game, and one remark says why."""
    launch = witness(tmp_path, f"{OBSTACLES[what]}\n\ndef see():\n    return os.getppid()\n")
    with pool(tmp_path / "scratch") as opened:
        assert seen(play(spec(launch, Isolation()), 2, opened)) == [str(os.getpid())] * 2
        (remark,) = opened.take_remarks()
    assert remark.startswith("bot gets a new process for each game: ")
    assert what in remark


@pytest.mark.parametrize("sends", [False, True])
@pytest.mark.slow
def test_signals_the_runner_blocks_do_not_prevent_copying(tmp_path: Path, sends: bool) -> None:
    """A bot inherits blocked signals from the runner; only a pending signal prevents copying."""
    top = "import signal\nos.kill(os.getpid(), signal.SIGRTMIN)\n" if sends else ""
    launch = witness(tmp_path, top + f"def see():\n    return os.getppid() == {os.getpid()}")
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    try:
        with pool(tmp_path / "scratch") as opened:
            assert seen(play(spec(launch, Isolation()), 2, opened)) == [str(sends)] * 2
            assert bool(opened.take_remarks()) == sends
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@pytest.mark.thorough
@pytest.mark.slow(3)
@pytest.mark.parametrize("sandbox", PLACES)
def test_copy_has_the_same_environment_as_a_new_process(
    tmp_path: Path, sandbox: Backend | None
) -> None:
    """Limits, session, user, folder, variables, descriptors, signals and hash seed are the same."""
    launch = witness(
        tmp_path,
        """
        import resource, signal

        def see():
            names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
            links = {name: os.readlink(f"/proc/self/fd/{name}") for name in "012"}
            return {
                **{name: resource.getrlimit(getattr(resource, name)) for name in names},
                "session": os.getsid(0) == os.getpid() == os.getpgid(0),
                "user": (os.getresuid(), os.getresgid(), os.getgroups()),
                "folder": (os.listdir("."), os.path.basename(os.getcwd())[:10]),
                "variables": sorted(key for key in os.environ if key != "COVERAGE"),
                "kinds": {name: link.partition(":")[0] for name, link in links.items()},
                "number": len(os.listdir("/proc/self/fd")),
                "hash": hash("a text"),
                "signals": [line for line in open("/proc/self/status") if line[:3] == "Sig"],
                "privileges": [line for line in open("/proc/self/status") if line[:3] == "NoN"],
            }
        """,
    )
    said = []
    for forked in (True, False):
        with pool(tmp_path / "scratch") as opened:
            bot = spec(launch, boxed(sandbox, launch), forked=forked)
            said.append(eval(seen(play(bot, 1, opened))[0]))
    copied, fresh = said
    assert copied.pop("session")
    assert fresh.pop("session") is (sandbox is None)  # in a sandbox it is the sandbox's
    if sandbox:  # the template is one more process of the sandbox
        copied["RLIMIT_NPROC"] = tuple(most - 1 for most in copied["RLIMIT_NPROC"])
    copied["signals"] = [line for line in copied["signals"] if not line.startswith("SigQ")]
    fresh["signals"] = [line for line in fresh["signals"] if not line.startswith("SigQ")]
    assert copied == fresh


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_each_copy_draws_different_random_numbers(tmp_path: Path) -> None:
    """This holds for Python's generator and for numpy's, as it does for new processes."""
    launch = witness(
        tmp_path,
        """
        import random
        import numpy

        def see():
            return random.getrandbits(40), int(numpy.random.randint(1 << 40))
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        pairs = [eval(text) for text in seen(play(spec(launch, Isolation()), 3, opened))]
        remarks = opened.take_remarks()
    if remarks:  # numpy's BLAS library starts a thread for each further core
        assert "threads" in remarks[0]
    assert len({number for number, _ in pairs}) == len({number for _, number in pairs}) == 3


@pytest.mark.slow(2)
def test_output_at_import_is_in_the_log_of_every_game(tmp_path: Path) -> None:
    """This includes buffered text and bytes that bypass Python's buffer, as C code would write."""
    launch = witness(
        tmp_path,
        """
        print("printed at import")
        os.write(1, b"written at import")

        def see():
            raise ValueError("not this game")
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        games = play(spec(launch, Isolation()), 2, opened)
    for game in games:
        (fault,) = game.faults
        assert (fault.verdict, "ValueError: not this game" in fault.message) == ("crash", True)
        assert fault.stderr.startswith("printed at import\nwritten at import")


@pytest.mark.thorough
@pytest.mark.slow(2)
@pytest.mark.parametrize("sandbox", PLACES)
def test_template_that_ended_between_games_is_restarted(
    tmp_path: Path, sandbox: Backend | None
) -> None:
    """No game is lost and no remark is made."""
    launch = witness(tmp_path, "def see():\n    return 0\n")
    with pool(tmp_path / "scratch") as opened:
        bot = spec(launch, boxed(sandbox, launch))
        assert seen(play(bot, 1, opened)) == ["0"]
        (root,) = opened._templates.roots
        os.kill(root, signal.SIGKILL)
        os.waitid(os.P_PID, root, os.WEXITED | os.WNOWAIT)
        assert seen(play(bot, 2, opened)) == ["0", "0"]
        assert opened.take_remarks() == ()


@pytest.mark.slow(2)
@ONE_PLACE
def test_template_that_a_copy_stopped_is_replaced(tmp_path: Path, sandbox: Backend | None) -> None:
    """The next game gets another template."""
    launch = witness(
        tmp_path,
        """
        import signal

        def see():
            os.kill(os.getppid(), signal.SIGSTOP)
            return 0
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        assert seen(play(spec(launch, boxed(sandbox, launch)), 2, opened)) == ["0", "0"]


@pytest.mark.slow(2)
@pytest.mark.parametrize("sandbox", ["bwrap", "unshare"])
def test_a_copy_can_neither_read_nor_change_its_template(tmp_path: Path, sandbox: Backend) -> None:
    """Both run as the same user, but the template denies access to its memory."""
    launch = witness(
        tmp_path,
        """
        def see():
            try:
                open(f"/proc/{os.getppid()}/mem", "r+b")
            except PermissionError:
                return "refused"
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        assert seen(play(spec(launch, boxed(sandbox, launch)), 1, opened)) == ["refused"]


@pytest.mark.slow(3)
def test_copy_that_kills_its_template_loses_only_that_game(tmp_path: Path) -> None:
    """The copy ends with its template; the bot's next game is played."""
    launch = witness(
        tmp_path,
        """
        import signal

        def see():
            if not os.path.exists(FLAG):
                open(FLAG, "w").close()
                os.kill(os.getppid(), signal.SIGKILL)
            return 0
        """.replace("FLAG", repr(str(tmp_path / "flag"))),
    )
    with pool(tmp_path / "scratch") as opened:
        first, second = play(spec(launch, Isolation()), 2, opened)
    assert [fault.verdict for fault in first.faults] == ["crash"]
    assert seen([second]) == ["0"]


@pytest.mark.slow(3)
def test_forged_answer_of_a_template_is_rejected(tmp_path: Path) -> None:
    """The kernel's credentials show that the sender is not a copy; a new process plays the game."""
    launch = witness(
        tmp_path,
        """
        from pwtourney.sandbox import copies
        import socket

        def forge():
            for number in range(3, 10):
                try:
                    socket.socket(fileno=os.dup(number)).send(copies.FORKED)
                except OSError:
                    pass
            return fork()

        fork, os.fork = os.fork, forge

        def see():
            return os.getppid()
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        games = play(spec(launch, Isolation()), 1, opened)
    assert seen(games) == [str(os.getpid())]


@pytest.mark.thorough
@pytest.mark.slow(3)
@ONE_PLACE
def test_cpu_time_used_in_the_template_counts_as_pondering(
    tmp_path: Path, sandbox: Backend | None
) -> None:
    """CPU time the template uses between turns is the bot's, and the template is given up."""
    launch = witness(
        tmp_path,
        """
        import time

        def burn():
            end = time.process_time() + 0.3
            while time.process_time() < end:
                pass

        os.register_at_fork(after_in_parent=burn)
        here = os.getpid()

        def see():
            return os.getppid() == here
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        games = play(spec(launch, boxed(sandbox, launch)), 7, opened)
        assert seen(games)[0] == "True"
        assert seen(games)[-1] == "False"
        (remark,) = opened.take_remarks()
    assert games[0].usage[0].pondering > 5_000
    assert "template" in remark
