"""The start of a bot: guards, the user id of root's bots, and the files it can see."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.process import BotProcess
from pwtourney.sandbox.backends import BACKENDS, Backend, enclose
from pwtourney.sandbox.inside import NOBODY
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, LeasedUid
from tests.needs import need_sandbox, skip_for
from tests.sandbox.helpers import LIMITS, python, said

ROOT = Path(__file__).parents[2]
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root's bots become other users")
PLAY = (
    "from tests.match.helpers import bot, setup\n"
    "from pwtourney.match import play_game\n"
    "print(play_game(setup(bot('honest'), bot('honest'))).verdict)\n"
)


def verdict(path: str, folder: Path = ROOT) -> str:
    """Play a game in a process with another PATH; return its verdict."""
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["setpriv", "prlimit"])
@pytest.mark.slow
def test_guard_program_without_our_options_is_not_used(name: str, tmp_path: Path) -> None:
    """Another program of the same name must not cost every bot its games."""
    fake = tmp_path / name
    fake.write_text("#!/bin/sh\necho unrecognized option >&2\nexit 1\n")
    fake.chmod(0o755)
    assert verdict(f"{tmp_path}:{os.environ['PATH']}") == "finished"


@pytest.mark.slow
def test_relative_path_entry_finds_the_same_program(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """Bots run in their own folder, where a relative path would lead elsewhere."""
    needs("setpriv")
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "setpriv").symlink_to(shutil.which("setpriv") or "")
    assert verdict(f"rel:{os.environ['PATH']}", tmp_path) == "finished"


@pytest.mark.slow
def test_bots_play_without_any_guard_program(tmp_path: Path) -> None:
    """Systems without `setpriv` and `prlimit` still run bots."""
    assert verdict(str(tmp_path)) == "finished"


@AS_ROOT
def test_leased_uids_are_unique_until_they_are_released() -> None:
    """Fifty leased uids differ, and lie in an otherwise unused range; released uids come back."""
    leased = [LeasedUid() for _ in range(50)]
    numbers = {uid.number for uid in leased}
    assert len(numbers) == 50
    assert all(60578 <= number <= 61183 for number in numbers)
    for uid in leased:
        uid.release()
    again: set[int] = set()
    end = time.monotonic() + 20
    # other runs on this machine may hold some of them
    while not again >= numbers and time.monotonic() < end:
        user = LeasedUid()
        again.add(user.number)
        user.release()
    assert again >= numbers


TAKE_ALL = """
import os, socket, sys
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
taken = []
for number in range(60578, 61184):
    held = socket.socket(socket.AF_UNIX)
    held.bind(f"\\0pwtourney-user-{number}")
    taken.append(held)
    for folder in ("/run", "/var/lib"):
        try: taken.append(os.open(f"{folder}/pwtourney-users/{number}", os.O_RDWR | os.O_CREAT))
        except OSError: continue
        print("reached", flush=True)
for folder in ("/run", "/var/lib"):
    for step in (os.listdir, os.mkdir, os.rmdir):
        try: step(f"{folder}/pwtourney-users")
        except OSError: continue
        print("reached", step, flush=True)
print("ready", flush=True)
sys.stdin.read()
"""
ALONE = 'mount -t tmpfs -o mode=755 tmpfs /run && mount -t tmpfs -o mode=755 tmpfs /var/lib && "$@"'
"""Shell code that runs its arguments with empty /run and /var/lib, where no other run leases."""


def run_alone(code: str, *words: str) -> str:
    """Run Python code as root with its own lease folders and network; return its output."""
    command = [
        "unshare",
        "--mount",
        "--net",
        "sh",
        "-ec",
        ALONE,
        "sh",
        sys.executable,
        "-c",
        code,
        *words,
    ]
    environment = os.environ | {"HOME": "/tmp"}  # so that root's home folder is not used
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=100
    )
    if done.returncode and "sh" in done.stderr.partition(":")[0]:
        skip_for(f"no mounts can be made: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return done.stdout


DEFEND = """
import subprocess, sys
from pwtourney.sandbox.launch import LeasedUid

user = LeasedUid()  # so that the folder is there
command = [sys.executable, "-c", sys.argv[1]]
with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as other:
    try:
        print(other.stdout.readline().strip())
        print(len({user.number, *(LeasedUid().number for _ in range(20))}))
    finally:
        other.kill()
"""


@pytest.mark.slow
@AS_ROOT
def test_another_user_cannot_take_the_uids_of_bots() -> None:
    """Another user tried all socket names and lock files, and bots still get their uids."""
    assert run_alone(DEFEND, TAKE_ALL) == "ready\n21\n"


SHORT = """
import os, sys
from pathlib import Path
from pwtourney.errors import ShortageError
from pwtourney.sandbox.launch import LeasedUid

def shortage():
    try: return LeasedUid().release()
    except ShortageError as error: return str(error)

way = sys.argv[1]
folders = [Path("/run/pwtourney-users"), Path("/var/lib/pwtourney-users")]
for folder in folders:
    if way == "link":
        folder.parent.joinpath("elsewhere").mkdir(0o700)
        folder.symlink_to("elsewhere")
    elif way == "theirs":
        folder.mkdir(0o700)
        os.chown(folder, 65534, 65534)
    elif way == "open":
        folder.mkdir()
        folder.chmod(0o755)
    elif way == "above":
        folder.parent.chmod(0o777)
print(shortage(), [name for folder in folders if folder.exists() for name in os.listdir(folder)])
if way == "none":
    all_of_them = [LeasedUid() for _ in range(606)]
    print(shortage())
    all_of_them.pop().release()
    print(shortage())
"""


@AS_ROOT
@pytest.mark.parametrize("way", ["link", "theirs", "open", "above"])
def test_lease_folder_that_others_can_reach_is_refused(way: str) -> None:
    """Nothing is written through a link or where others can write; the error says what to do.

    It is an error of the machine, not of a bot.
    """
    message = run_alone(SHORT, way)
    assert message.startswith(
        "a user number for a bot is held in /run/pwtourney-users, which must be"
    )
    assert message.endswith(" []\n")


@pytest.mark.slow
@AS_ROOT
def test_taking_all_606_uids_is_a_shortage_until_one_is_released() -> None:
    """The range has 606 uids."""
    first, short, again = run_alone(SHORT, "none").splitlines()
    assert first.startswith("None ['60")
    assert (short, again) == ("all user numbers for bots are taken by other runs", "None")


RUN_SHORT = """
import subprocess, sys
from pwtourney.sandbox.launch import LeasedUid

def run():
    words = ["-m", "pwtourney", "run", sys.argv[1], "--workers", "1"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=80)
    print(done.returncode, done.stderr.replace("\\n", " "))

all_of_them = [LeasedUid() for _ in range(606)]
run()
for user in all_of_them: user.release()
run()
"""


@pytest.mark.thorough
@AS_ROOT
@pytest.mark.slow(3)
def test_run_without_free_uids_stops_and_can_be_continued(tmp_path: Path) -> None:
    """It stops with the exit code of a system shortage, and no bot loses a game."""
    file = tmp_path / "league.yaml"
    file.write_text(
        "edition: express\npairs: 1\nseed: 5000000000000000\nresults: r\n"
        "bots: [{id: a, command: 'false'}, {id: b, command: 'true'}]\n"
    )
    short, again = run_alone(RUN_SHORT, str(file)).splitlines()
    assert short.startswith("3 ")
    assert "error: the system ran out of something: all user numbers for bots are taken" in short
    assert "nothing is lost: see to it and run again" in short
    assert again.startswith("1 ")  # exit code 1 because no game is valid: neither program is a bot
    assert "1/1 pairs" in again


@ON_LINUX
def test_bot_in_the_sandbox_sees_only_its_own_files(boxed: Isolation, tmp_path: Path) -> None:
    """Its folder appears at its own path, read-only and without hidden files."""
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


@ON_LINUX
def test_bot_in_the_sandbox_writes_to_its_scratch_up_to_a_limit(boxed: Isolation) -> None:
    """Its home is an in-memory file system whose size is `limits.scratch`."""
    code = (
        "import os\n"
        "free = lambda path: (lambda s: s.f_frsize * s.f_blocks)(os.statvfs(path))\n"
        "print(os.getcwd(), os.environ['HOME'], free('/tmp'), free('/dev/shm'))\n"
        "for place in ('/', '/dev', '/usr'):\n"
        "    print(os.access(place, os.W_OK))"
    )
    lines = said(python(code), boxed, LIMITS._replace(scratch=1 << 20))
    assert lines == ["/tmp /tmp 1048576 1048576", "False", "False", "False"]


@ON_LINUX
def test_hidden_file_is_hidden_through_links_too(boxed: Isolation, tmp_path: Path) -> None:
    """A folder shown through a link hides the same files as the folder itself."""
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


@ON_LINUX
def test_hidden_folder_below_usr_is_hidden(boxed: Isolation) -> None:
    """Every bot sees all of /usr, and in many containers a league lies below it."""
    code = "import os; print(os.listdir('/usr/share'), os.path.exists('/usr/bin'))"
    assert said(python(code), boxed._replace(hidden=("/usr/share",))) == ["[] True"]


@ON_LINUX
def test_closed_folder_shows_only_the_bots_files_and_nothing_new(
    boxed: Isolation, tmp_path: Path
) -> None:
    """Others may write to a folder such as /usr/src while a bot starts and runs."""
    for name in ("league/bot/data", "league/bot/results", "league/rival", "common"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "league/same").symlink_to("bot")
    code = (
        "import os, sys\n"
        "def look():\n"
        f"    walk = os.walk({str(tmp_path)!r})\n"
        f"    names = (os.path.relpath(top, {str(tmp_path)!r}) for top, *_ in walk)\n"
        "    print(*sorted(names), flush=True)\n"
        "look()\nsys.stdin.readline()\nlook()\n"
        f"print(os.access({str(tmp_path / 'league')!r}, os.W_OK), flush=True)"
    )
    own = (str(tmp_path), *(str(tmp_path / f"league/{name}") for name in ("bot", "same")))
    around = boxed._replace(
        closed=(str(tmp_path / "league"),),
        hidden=tuple(str(tmp_path / f"league/{name}") for name in ("bot/results", "rival")),
    )
    process = BotProcess(python(code, *own), LIMITS, around)
    try:
        first = process.read_line(None)[0]
        (tmp_path / "league/secret").mkdir()
        process.write("go on\n", None)
        lines = [first, *(process.read_line(None)[0] for _ in range(2))]
    finally:
        process.end()
        process.clean_up()
    seen = ". common league league/bot league/bot/data league/bot/results league/same"
    assert [line.decode() for line in lines] == [
        *2 * [f"{seen} league/same/data league/same/results"],
        "False",
    ]


@ON_LINUX
@pytest.mark.parametrize("kind", ["file", "folder"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_vanishing_files_of_others_do_not_stop_a_bot_starting(
    backend: Backend, kind: str, tmp_path: Path
) -> None:
    """A file next to the bot may be removed between listing the files and mounting them."""
    need_sandbox(backend)
    league, other = tmp_path / "league", tmp_path / "league" / "other"
    (league / "bot").mkdir(parents=True)
    other.mkdir() if kind == "folder" else other.write_text("")
    launch = Launch(("/usr/bin/true",), read_paths=(str(tmp_path), str(league / "bot")))
    user = NOBODY if os.geteuid() == 0 else None
    # bubblewrap fails if a file that it covers is missing, so it gets the folder around it
    closed, hidden = ([str(league)], []) if backend == "bwrap" else ([], [str(other)])
    with enclose(backend, launch, LIMITS, hidden=hidden, closed=closed, user=user) as (
        command,
        descriptors,
    ):
        other.rmdir() if kind == "folder" else other.unlink()
        done = subprocess.run(
            command,
            cwd="/",
            env={"PATH": os.environ["PATH"]},
            pass_fds=descriptors,
            capture_output=True,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@ON_LINUX
def test_only_a_write_path_can_be_written_to(boxed: Isolation, tmp_path: Path) -> None:
    """Files that a bot writes there stay after the game; the folder around it is read-only."""
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
