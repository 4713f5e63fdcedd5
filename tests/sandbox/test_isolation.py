"""What is put around a bot: chosen by trying it, refused where it cannot be had."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from pwtourney.errors import SandboxError
from pwtourney.match import BotSpec
from pwtourney.process import BotProcess
from pwtourney.sandbox import bwrap as bubblewrap
from pwtourney.sandbox import privileges, unshare
from pwtourney.sandbox.cgroup import Cgroup, CgroupRoot
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.seccomp import seccomp_filter
from pwtourney.tournament import Entrant
from pwtourney.tournament.isolate import isolate
from tests.hostile.one import interpreter

LAUNCH = Launch(("/usr/bin/env",), read_paths=("/usr",))
LIMITS = Limits(end_ms=200, memory=256 << 20, processes=20)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


@pytest.fixture(params=["bwrap", "unshare"])
def boxed(request: pytest.FixtureRequest) -> Isolation:
    """Return each sandbox."""
    wanted: Literal["bwrap", "unshare"] = request.param
    needs(wanted)
    return achieve(wanted, LAUNCH, LIMITS).isolation


def needs(wanted: Literal["bwrap", "unshare"]) -> None:
    """Skip without a sandbox; fail under CI."""
    lack = {"bwrap": bubblewrap, "unshare": unshare}[wanted].problem(LAUNCH, LIMITS)
    if lack and os.environ.get("CI"):
        pytest.fail(lack)
    if lack:
        pytest.skip(lack)


@pytest.fixture
def no_bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Take bubblewrap off the PATH, and leave everything else on it; return its only folder."""
    for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for program in Path(folder).iterdir():
            link = tmp_path / program.name
            if program.name != "bwrap" and not link.is_symlink():
                link.symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    tried = (bubblewrap.problem, privileges._working_guard)
    for each in tried:
        each.cache_clear()
    yield tmp_path
    for each in tried:
        each.cache_clear()


@pytest.fixture
def no_spaces(no_bwrap: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take namespaces away too, by an interpreter that cannot make any."""
    stub = no_bwrap / "python-without-rights"
    stub.write_text("#!/bin/sh\necho 'unshare: Operation not permitted' >&2\nexit 125\n")
    stub.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stub))
    unshare.problem.cache_clear()
    yield
    unshare.problem.cache_clear()


def said(launch: Launch, isolation: Isolation, limits: Limits = LIMITS) -> list[str]:
    """Start a program, and return the lines it writes until it ends."""
    process = BotProcess(launch, limits, isolation)
    lines = []
    try:
        with pytest.raises(Exception, match=r"exited with code 0|closed its standard output"):
            while True:
                lines.append(process.read_line(None)[0].decode())
    finally:
        process.end()
        process.clean_up()
    return lines


def python(code: str, *read_paths: str) -> Launch:
    """Return the launch of Python code."""
    own = (sys.prefix, sys.base_prefix)
    return Launch((interpreter(), "-S", "-c", code), read_paths=(*read_paths, *own))


def test_without_bubblewrap_auto_takes_namespaces(no_bwrap: Path) -> None:
    """The bots start in the sandbox that needs nothing installed, and nobody is warned of it."""
    needs("unshare")
    achieved = achieve("auto", LAUNCH, LIMITS)
    assert achieved.isolation.profile.startswith("unshare")
    assert not any("WITHOUT" in warning for warning in achieved.warnings)


def test_without_bubblewrap_a_file_that_asks_for_it_starts_nothing(no_bwrap: Path) -> None:
    """`sandbox: bwrap` is refused with the reason."""
    with pytest.raises(SandboxError, match="`sandbox: bwrap` cannot be had: bubblewrap is not"):
        achieve("bwrap", LAUNCH, LIMITS)


def test_without_any_sandbox_only_bots_that_are_not_trusted_are_refused(no_spaces: None) -> None:
    """All others run with one warning, which names the risk unless the file says `trusted`."""
    with pytest.raises(SandboxError, match="it is not trusted, and there is no sandbox"):
        achieve("auto", LAUNCH, LIMITS, trusted=False)
    with pytest.raises(SandboxError, match="not trusted, and `sandbox: none` is refused"):
        achieve("none", LAUNCH, LIMITS, trusted=False)
    for trusted in (None, True):
        achieved = achieve("auto", LAUNCH, LIMITS, trusted=trusted)
        assert achieved.isolation.profile in ("none", "none+user")
        (warning,) = achieved.warnings
        assert warning.startswith("bots run WITHOUT a sandbox: namespaces cannot be had")
        assert "to allow them" in warning
        assert ("run only bots that you would run yourself" in warning) == (trusted is None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_bots_of_root_are_other_users_or_run_as_root_with_a_warning(tmp_path: Path) -> None:
    """What no other user can read is named in the warning."""
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


def test_a_bot_in_the_sandbox_sees_its_own_files_and_no_others(
    boxed: Isolation, tmp_path: Path
) -> None:
    """Its folder is there at its own path, read-only; what is hidden in it is not."""
    for name in ("bot.py", "secret.txt"):
        (tmp_path / name).write_text(name)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "games").write_text("all")
    code = (
        "import os\n"
        f"os.chdir({str(tmp_path)!r})\n"
        "try: print(open('secret.txt').read())\n"
        "except PermissionError: print('denied')\n"
        "print(sorted(os.listdir()), open('bot.py').read(), os.listdir('results'),"
        " os.access('.', os.W_OK), os.getuid())"
    )
    hidden = (str(tmp_path / "secret.txt"), str(tmp_path / "results"))
    denied, line = said(python(code, str(tmp_path)), boxed._replace(hidden=hidden))
    assert denied == "denied"
    assert line == "['bot.py', 'results', 'secret.txt'] bot.py [] False 65534"


def test_a_bot_in_the_sandbox_may_write_to_its_scratch_and_only_so_much(boxed: Isolation) -> None:
    """Its home is a file system in memory of the size that the limits say."""
    code = (
        "import os\n"
        "free = lambda path: (lambda s: s.f_frsize * s.f_blocks)(os.statvfs(path))\n"
        "print(os.getcwd(), os.environ['HOME'], free('/tmp'), free('/dev/shm'))\n"
        "for place in ('/', '/dev', '/usr'):\n"
        "    print(os.access(place, os.W_OK))"
    )
    lines = said(python(code), boxed, LIMITS._replace(scratch=1 << 20))
    assert lines == ["/tmp /tmp 1048576 1048576", "False", "False", "False"]


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


def test_the_filter_of_system_calls_is_a_program_for_the_kernel(boxed: Isolation) -> None:
    """Built by libseccomp, in instructions of eight bytes; the profile says that it is there."""
    program = seccomp_filter()
    assert program is not None
    assert len(program) % 8 == 0
    assert "seccomp" in boxed.profile.split("+")
    code = (
        "import fcntl, os, tempfile\n"
        "file = tempfile.TemporaryFile()\n"
        "try: fcntl.flock(file, fcntl.LOCK_EX); print('locked')\n"
        "except PermissionError: print('refused')"
    )
    assert said(python(code), boxed) == ["refused"]


def test_groups_are_removed_with_the_run_and_after_one_that_was_killed() -> None:
    """Nothing is left below our own group; a stale one of a dead process goes with the next."""
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    dead = subprocess.Popen(["true"])
    dead.wait()
    stale = Path(groups.path).with_name(f"pwtourney-{dead.pid}")
    (stale / "bot-1-0").mkdir(parents=True)
    groups.close()
    assert not Path(groups.path).exists()
    again = CgroupRoot.open()
    assert again is not None
    again.close()
    assert not stale.exists()


def test_a_group_freezes_counts_and_kills() -> None:
    """A busy process in it stands still while it is frozen, and is gone when it is closed."""
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    process = BotProcess(
        python("print('up', flush=True)\nwhile True: pass"),
        LIMITS,
        Isolation(group=groups.path, pondering="suspend"),
    )
    try:
        process.read_line(None)
        process.meter.begin(0, None)
        assert process.meter.finish() >= 0
        used = _used(groups)
        assert _used(groups) == used > 0
    finally:
        process.end()
        process.clean_up()
        groups.close()
    assert not Path(groups.path).exists()


def _used(groups: CgroupRoot) -> int:
    """Return the processor time of all groups in nanoseconds, after some time has gone by."""
    subprocess.run([sys.executable, "-S", "-c", "sum(range(2000000))"], check=True)
    (path,) = Path(groups.path).glob("*/")
    return int((path / "cpu.stat").read_text().split()[1])


def test_the_memory_of_a_group_is_bounded_where_the_system_lends_the_controller() -> None:
    """The limits are written; without the controller the tree is looked at instead."""
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    group = Cgroup(groups.path, LIMITS)
    try:
        assert group.bounds_memory == ("memory" in groups.controllers)
        if group.bounds_memory:
            assert Path(group.path, "memory.max").read_text().strip() == str(LIMITS.memory)
    finally:
        group.close()
        groups.close()


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
    assert "processes of bots are NOT limited" in achieved.warnings[0]


def test_what_is_hidden_is_hidden_by_every_way_to_it(boxed: Isolation, tmp_path: Path) -> None:
    """A folder that is shown through a link covers the same files as the folder itself."""
    (tmp_path / "real").mkdir(mode=0o755)
    (tmp_path / "real" / "secret.txt").write_text("secret")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    code = (
        "for place in ('real', 'link'):\n"
        f"    try: print(open({str(tmp_path)!r} + '/' + place + '/secret.txt').read())\n"
        "    except PermissionError: print('denied')\n"
    )
    launch = python(code, str(tmp_path / "link"), str(tmp_path / "real"))
    hidden = (str(tmp_path / "real" / "secret.txt"),)
    assert said(launch, boxed._replace(hidden=hidden)) == ["denied", "denied"]


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


def test_a_bubblewrap_outside_the_system_works_as_well(
    boxed: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in a folder of its own is found by the PATH and started, as root and as anybody."""
    program = tmp_path / "bwrap"
    shutil.copy(shutil.which("bwrap") or "", program)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bubblewrap.problem.cache_clear()
    try:
        assert bubblewrap.problem(LAUNCH, LIMITS) is None
        assert said(python("print('here')"), boxed) == ["here"]
    finally:
        bubblewrap.problem.cache_clear()


def test_a_folder_that_is_lent_can_be_written_to_and_nothing_else(
    boxed: Isolation, tmp_path: Path
) -> None:
    """What a bot writes there is there afterwards; next to it nothing can be made."""
    lent = tmp_path / "lent"
    lent.mkdir()
    code = (
        "import os\n"
        f"open({str(lent)!r} + '/kept', 'w').write('this')\n"
        f"print(os.access({str(tmp_path)!r}, os.W_OK))"
    )
    launch = python(code, str(tmp_path))._replace(write_paths=(str(lent),))
    assert said(launch, boxed) == ["False"]
    assert (lent / "kept").read_text() == "this"


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
    """Docker's masks of /proc, old kernels and forbidden namespaces each need something else."""
    assert helps in unshare.remedy(said)


def test_what_holds_for_all_bots_is_said_once(no_spaces: None) -> None:
    """A trusted bot and another in one tournament: the longer of the two warnings."""
    spec = BotSpec("one", LAUNCH, limits=LIMITS)
    bots = [
        Entrant(spec, "", trusted=True),
        Entrant(spec._replace(id="two"), ""),
    ]
    (warning,) = isolate(bots, [], None).warnings
    assert "run only bots that you would run yourself" in warning
