"""What a bot is started with: guards, a user number if it is root's, and what it sees."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import LeasedUid
from tests.sandbox.helpers import LIMITS, python, said

ROOT = Path(__file__).parents[2]
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")
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
def test_a_guard_that_does_not_know_our_options_is_left_out(name: str, tmp_path: Path) -> None:
    """Another program of the same name must not cost every bot its games."""
    fake = tmp_path / name
    fake.write_text("#!/bin/sh\necho unrecognized option >&2\nexit 1\n")
    fake.chmod(0o755)
    assert verdict(f"{tmp_path}:{os.environ['PATH']}") == "finished"


def test_a_relative_entry_of_the_path_leads_to_the_same_program(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """Bots run in a folder of their own, where a relative path would lead elsewhere."""
    needs("setpriv")
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "setpriv").symlink_to(shutil.which("setpriv") or "")
    assert verdict(f"rel:{os.environ['PATH']}", tmp_path) == "finished"


def test_without_any_guard_bots_play_too(tmp_path: Path) -> None:
    """Systems that have neither program run bots all the same."""
    assert verdict(str(tmp_path)) == "finished"


@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
def test_no_two_bots_have_one_number_until_it_is_given_back() -> None:
    """Fifty at once differ, all from a range that is nobody else's; later they come again."""
    leased = [LeasedUid() for _ in range(50)]
    numbers = {each.number for each in leased}
    assert len(numbers) == 50
    assert all(60578 <= number <= 61183 for number in numbers)
    for each in leased:
        each.release()
    again: set[int] = set()
    end = time.monotonic() + 20
    while (
        not again >= numbers and time.monotonic() < end
    ):  # other runs here may hold some meanwhile
        user = LeasedUid()
        again.add(user.number)
        user.release()
    assert again >= numbers


@ON_LINUX
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


@ON_LINUX
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


@ON_LINUX
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


@ON_LINUX
def test_what_is_hidden_below_usr_is_hidden_too(boxed: Isolation) -> None:
    """All of it is shown to every bot, and a league may lie there, as in many containers."""
    code = "import os; print(os.listdir('/usr/share'), os.path.exists('/usr/bin'))"
    assert said(python(code), boxed._replace(hidden=("/usr/share",))) == ["[] True"]


@ON_LINUX
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
