"""What is put around a bot: chosen by trying it, refused where it is not available."""

import os
import stat
import sys
from pathlib import Path

import pytest

from pwtourney.errors import SandboxError
from pwtourney.match import BotSpec
from pwtourney.process import BotProcess
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.launch import Launch
from pwtourney.tournament import Entrant
from pwtourney.tournament.isolating import isolate
from tests.needs import expected_remedy, need_program, need_sandbox
from tests.sandbox.helpers import LAUNCH, LIMITS, python, said

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


@pytest.mark.slow
def test_without_bubblewrap_auto_takes_namespaces(no_bwrap: Path) -> None:
    """The bots start in the sandbox that needs nothing installed, and nobody is warned of it."""
    need_sandbox("unshare", LAUNCH, LIMITS)
    achieved = achieve("auto", LAUNCH, LIMITS)
    assert achieved.isolation.profile.startswith("unshare")
    assert not any("WITHOUT" in warning for warning in achieved.warnings)


def test_without_bubblewrap_a_file_that_asks_for_it_starts_nothing(no_bwrap: Path) -> None:
    """`sandbox: bwrap` is refused with the reason."""
    with pytest.raises(SandboxError, match="`sandbox: bwrap` does not work here: bubblewrap is"):
        achieve("bwrap", LAUNCH, LIMITS)


def test_without_any_sandbox_only_bots_that_are_not_trusted_are_refused(no_spaces: None) -> None:
    """All others run with one warning, which names the risk unless the file says `trusted`."""
    need_program("setpriv")
    with pytest.raises(SandboxError, match="it is not trusted, and there is no sandbox"):
        achieve("auto", LAUNCH, LIMITS, trusted=False)
    with pytest.raises(SandboxError, match="not trusted, and `sandbox: none` is refused"):
        achieve("none", LAUNCH, LIMITS, trusted=False)
    for trusted in (None, True):
        achieved = achieve("auto", LAUNCH, LIMITS, trusted=trusted)
        assert achieved.isolation.profile in ("none", "none+user")
        (warning,) = achieved.warnings
        assert warning.startswith("bots run WITHOUT a sandbox: namespaces do not work")
        assert expected_remedy("to allow them") in warning
        assert ("run only bots that you would run yourself" in warning) == (trusted is None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_bots_of_root_are_other_users_or_run_as_root_with_a_warning(tmp_path: Path) -> None:
    """What no other user can read is named in the warning."""
    need_program("setpriv")
    assert achieve("none", LAUNCH, LIMITS).isolation.profile == "none+user"
    one, two = (said(python("import os; print(os.getuid())"), _dropped()) for _ in range(2))
    assert one != two
    assert "0" not in one + two
    secret = tmp_path / "bot"
    secret.mkdir(mode=0o700)
    launch = Launch(("/usr/bin/env",), read_paths=(str(secret),))
    achieved = achieve("none", launch, LIMITS)
    assert achieved.isolation.profile == "none"
    assert "bots run as root (because no other user can read /" in achieved.warnings[0]


def _dropped() -> Isolation:
    return Isolation(other_user=True)


def test_the_limit_of_processes_is_of_each_sandbox(boxed: Isolation) -> None:
    """Two bots at once have twenty each; what others run does not count."""
    code = (
        "import os, time\n"
        "count = 0\n"
        "for _ in range(60):\n"
        "    try:\n"
        "        if os.fork() == 0: time.sleep(3); os._exit(0)\n"
        "        count += 1\n"
        "    except OSError: break\n"
        "print(count, flush=True); time.sleep(3)"
    )
    running = [BotProcess(python(code), LIMITS, boxed) for _ in range(2)]
    try:
        counts = [int(process.read_line(None)[0]) for process in running]
    finally:
        for process in running:
            process.end()
            process.clean_up()
    assert all(15 <= count < 20 for count in counts)


TAKE_TIMERS = """
import ctypes, errno, os, time
libc = ctypes.CDLL(None, use_errno=True)
def take():
    event, timer = (ctypes.c_int * 16)(0, 0, 18, 0), ctypes.c_void_p()
    return libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer)) == 0
count = 0
while count < 400 and take(): count += 1
name = b"/of-bot-%d" % os.getpid()
queue = libc.mq_open(name, 0o102, 0o600, None)
print(count, queue, errno.errorcode.get(ctypes.get_errno()), flush=True)
libc.mq_unlink(name)
time.sleep(3)
"""


def count_timers(isolation: Isolation) -> list[str]:
    """Let two bots at once take timers and queues; return what each got."""
    running = [BotProcess(python(TAKE_TIMERS), LIMITS, isolation) for _ in range(2)]
    try:
        return [process.read_line(None)[0].decode() for process in running]
    finally:
        for process in running:
            process.end()
            process.clean_up()


def test_no_bot_uses_up_the_timers_and_queues_of_another(boxed: Isolation) -> None:
    """Without the filter as well each of two bots gets 256, which a user's limit is far above."""
    assert count_timers(boxed._replace(seccomp=False)) == ["256 -1 EMFILE"] * 2


def test_without_a_sandbox_bots_take_no_more_timers_and_no_queues() -> None:
    """Those of one user share the 256, and leave the rest to the runner and all others."""
    bare = achieve("none", LAUNCH, LIMITS).isolation
    counts = [line.split(" ", 1) for line in count_timers(bare)]
    assert all(rest == "-1 EMFILE" for _, rest in counts)
    assert 0 < max(int(count) for count, _ in counts) <= 256


def test_a_bot_in_the_sandbox_makes_no_terminal(boxed: Isolation) -> None:
    """The machine has 3,072 for all containers together: one bot could take every one."""
    code = (
        "import os\n"
        "try: print(os.openpty())\n"
        "except OSError: print('refused')\n"
        "print(os.access('/dev/pts', os.W_OK), open('/dev/null').read() == '')"
    )
    assert said(python(code), boxed) == ["refused", "False True"]


def test_a_bot_folder_that_only_root_can_read_is_refused(tmp_path: Path, boxed: Isolation) -> None:
    """Bots of root run as another user in the sandbox too, who must be able to read them."""
    wanted = boxed.sandbox
    assert wanted
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    launch = Launch(("/usr/bin/env",), read_paths=(str(closed),))
    if os.geteuid() == 0:
        with pytest.raises(SandboxError, match="no other user can read"):
            achieve(wanted, launch, LIMITS)
        closed.chmod(closed.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    assert achieve(wanted, launch, LIMITS).isolation.sandbox == wanted


def test_without_prlimit_it_is_said_that_limits_are_not_set(no_bwrap: Path) -> None:
    """Once in a warning, and in the profile that is stored with every game."""
    (no_bwrap / "prlimit").unlink()
    achieved = achieve("none", LAUNCH, LIMITS, trusted=True)
    assert "unlimited" in achieved.isolation.profile
    assert any("processes of bots are NOT limited" in line for line in achieved.warnings)


def test_a_bot_that_only_root_can_read_runs_without_the_sandbox(
    boxed: Isolation, tmp_path: Path
) -> None:
    """Loudly; one that is not trusted is refused."""
    if os.geteuid() != 0:
        pytest.skip("only root becomes another user")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    launch = Launch(("/usr/bin/env",), read_paths=(str(closed),))
    achieved = achieve("auto", launch, LIMITS)
    assert achieved.isolation.profile == "none"
    assert "WITHOUT a sandbox as root" in achieved.warnings[0]
    with pytest.raises(SandboxError, match="not trusted"):
        achieve("auto", launch, LIMITS, trusted=False)


def test_what_holds_for_all_bots_is_said_once(no_spaces: None) -> None:
    """A trusted bot and another in one tournament: the longer of the two warnings."""
    need_program("setpriv")
    spec = BotSpec("one", LAUNCH, limits=LIMITS)
    bots = [
        Entrant(spec, "", trusted=True),
        Entrant(spec._replace(id="two"), ""),
    ]
    (warning,) = isolate(bots, [], None).warnings
    assert "run only bots that you would run yourself" in warning


def test_every_bot_that_must_not_start_is_named_before_any_starts(no_spaces: None) -> None:
    """One by what is wanted of it, one because nothing works here; the third could be started."""
    spec = BotSpec("one", LAUNCH, limits=LIMITS)
    bots = [
        Entrant(spec, "", trusted=False, sandbox="none"),
        Entrant(spec._replace(id="two"), "", trusted=False),
        Entrant(spec._replace(id="three"), ""),
    ]
    with pytest.raises(SandboxError) as caught:
        isolate(bots, [], None)
    first, *named = str(caught.value).split("\n")
    assert first == "no bot was started:"
    assert [line.split(":")[0] for line in named] == ["one", "two"]
    assert "one: it is not trusted, and `sandbox: none` is refused" in named[0]
