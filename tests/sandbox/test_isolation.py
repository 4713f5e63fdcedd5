"""The isolation of a bot is chosen by trying it, and refused if it does not work."""

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
def test_auto_uses_namespaces_without_bubblewrap(no_bwrap: Path) -> None:
    """Bots start in the sandbox that needs no installed program, without a warning."""
    need_sandbox("unshare", LAUNCH, LIMITS)
    achieved = achieve("auto", LAUNCH, LIMITS)
    assert achieved.isolation.profile.startswith("unshare")
    assert not any("WITHOUT" in warning for warning in achieved.warnings)


def test_sandbox_bwrap_is_refused_without_bubblewrap(no_bwrap: Path) -> None:
    """`sandbox: bwrap` is refused with the reason."""
    with pytest.raises(SandboxError, match="`sandbox: bwrap` does not work here: bubblewrap is"):
        achieve("bwrap", LAUNCH, LIMITS)


def test_without_any_sandbox_only_untrusted_bots_are_refused(no_spaces: None) -> None:
    """Other bots run with one warning, which names the risk unless the file says `trusted`."""
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
def test_root_runs_bots_as_other_users_or_warns(tmp_path: Path) -> None:
    """The warning names the path that no other user can read."""
    need_program("setpriv")
    assert achieve("none", LAUNCH, LIMITS).isolation.profile == "none+user"
    first, second = (said(python("import os; print(os.getuid())"), _dropped()) for _ in range(2))
    assert first != second
    assert "0" not in first + second
    secret = tmp_path / "bot"
    secret.mkdir(mode=0o700)
    launch = Launch(("/usr/bin/env",), read_paths=(str(secret),))
    achieved = achieve("none", launch, LIMITS)
    assert achieved.isolation.profile == "none"
    assert "bots run as root (because no other user can read /" in achieved.warnings[0]


def _dropped() -> Isolation:
    """Return the isolation of a bot that only runs as another user."""
    return Isolation(other_user=True)


def test_process_limit_applies_to_each_sandbox(boxed: Isolation) -> None:
    """Two bots at once may have twenty each; processes outside do not count."""
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
    """Let two bots at once create timers and queues; return what each got."""
    running = [BotProcess(python(TAKE_TIMERS), LIMITS, isolation) for _ in range(2)]
    try:
        return [process.read_line(None)[0].decode() for process in running]
    finally:
        for process in running:
            process.end()
            process.clean_up()


def test_timers_and_queues_are_limited_for_each_bot(boxed: Isolation) -> None:
    """Even without the filter each of two bots gets 256 timers, far below a user's limit."""
    assert count_timers(boxed._replace(seccomp=False)) == ["256 -1 EMFILE"] * 2


def test_timers_and_queues_are_limited_without_a_sandbox() -> None:
    """Bots of one user share 256 timers, which leaves the rest to the runner and to others."""
    bare = achieve("none", LAUNCH, LIMITS).isolation
    counts = [line.split(" ", 1) for line in count_timers(bare)]
    assert all(rest == "-1 EMFILE" for _, rest in counts)
    assert 0 < max(int(count) for count, _ in counts) <= 256


def test_bot_in_the_sandbox_cannot_open_a_terminal(boxed: Isolation) -> None:
    """The machine has 3,072 for all containers; one bot could take every one of them."""
    code = (
        "import os\n"
        "try: print(os.openpty())\n"
        "except OSError: print('refused')\n"
        "print(os.access('/dev/pts', os.W_OK), open('/dev/null').read() == '')"
    )
    assert said(python(code), boxed) == ["refused", "False True"]


def test_bot_folder_that_only_root_can_read_is_refused(tmp_path: Path, boxed: Isolation) -> None:
    """In the sandbox, bots of root also run as another user, who must be able to read them."""
    backend = boxed.sandbox
    assert backend
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    launch = Launch(("/usr/bin/env",), read_paths=(str(closed),))
    if os.geteuid() == 0:
        with pytest.raises(SandboxError, match="no other user can read"):
            achieve(backend, launch, LIMITS)
        closed.chmod(closed.stat().st_mode | stat.S_IXOTH | stat.S_IROTH)
    assert achieve(backend, launch, LIMITS).isolation.sandbox == backend


def test_missing_prlimit_is_warned_of_and_stored(no_bwrap: Path) -> None:
    """The warning is given once, and the profile stored with every game says `unlimited`."""
    (no_bwrap / "prlimit").unlink()
    achieved = achieve("none", LAUNCH, LIMITS, trusted=True)
    assert "unlimited" in achieved.isolation.profile
    assert any("processes of bots are NOT limited" in line for line in achieved.warnings)


def test_auto_runs_a_bot_only_root_can_read_unsandboxed(boxed: Isolation, tmp_path: Path) -> None:
    """A warning says so; an untrusted bot is refused."""
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


def test_warning_about_all_bots_is_given_once(no_spaces: None) -> None:
    """With a trusted and another bot in one tournament, only the longer warning is given."""
    need_program("setpriv")
    spec = BotSpec("one", LAUNCH, limits=LIMITS)
    bots = [
        Entrant(spec, "", trusted=True),
        Entrant(spec._replace(id="two"), ""),
    ]
    (warning,) = isolate(bots, [], None).warnings
    assert "run only bots that you would run yourself" in warning


def test_all_refused_bots_are_named_before_any_bot_starts(no_spaces: None) -> None:
    """One is refused by its settings, one because no sandbox works; the third could start."""
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
