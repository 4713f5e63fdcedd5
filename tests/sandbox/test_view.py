"""What a bot in a sandbox sees, and where it may write."""

import sys
from pathlib import Path

import pytest

from pwtourney.sandbox.isolation import Isolation
from tests.sandbox.helpers import LIMITS, python, said

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="isolation is for Linux")


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
