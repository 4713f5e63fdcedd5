"""Tests of which files of other bots are hidden from a bot."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

import pwtourney as library
from pwtourney.match import BotSpec
from pwtourney.notation.game_text import deals_text
from pwtourney.rules import deal, find_edition
from pwtourney.sandbox.backends import BACKENDS, Backend
from pwtourney.sandbox.launch import Launch
from pwtourney.tournament.entrants import Entrant
from pwtourney.tournament.isolating import list_hidden
from tests.needs import need_sandbox
from tests.program import pwtourney

SHELL_BOT = Path(library.__file__).parent / "scaffold/projects/shell/magpie.sh"


def entrant(name: str, *read_paths: str, files: tuple[str, ...] = ()) -> Entrant:
    """Return a bot that consists of some files and reads some folders."""
    return Entrant(BotSpec(name, Launch(("x",), read_paths=read_paths)), "", files)


def test_league_below_usr_is_hidden_but_system_folders_are_not() -> None:
    """In many containers everything lies in /usr/src, and Python in /usr/local."""
    league = "/usr/src/app/bots"
    first = entrant("one", f"{league}/one", "/usr/local/lib/x", files=(f"{league}/one/bot.py",))
    second = entrant(
        "two",
        "/usr",
        "/usr/local",
        "/usr/lib/node",
        sys.prefix,
        f"{league}/two",
        "/opt/data",
        files=(f"{league}/two/bot.py", "/usr/bin/python3", f"{sys.prefix}/bin/python"),
    )
    assert list_hidden(first, (first, second), ()) == ("/opt/data", f"{league}/two")
    assert list_hidden(second, (first, second), ()) == (f"{league}/one",)


@pytest.mark.parametrize("program", ["/bin/sh", "/sbin/init", "/lib64/ld-linux-x86-64.so.2"])
def test_system_programs_of_a_bot_are_not_hidden_from_others(program: str) -> None:
    """/bin, /sbin and /lib64 are links into /usr, which every bot needs to start."""
    other = entrant("other", "/league/other", files=(program, "/league/other/bot.sh"))
    own = entrant("own", "/league/own", files=("/league/own/bot.py",))
    assert list_hidden(own, (own, other), ()) == ("/league/other",)


@pytest.mark.parametrize("folder", ["/bin", "/sbin", "/lib", "/lib64"])
def test_folders_of_the_system_that_a_bot_reads_are_not_hidden_from_others(folder: str) -> None:
    """A bot with the command /bin/sh reads /bin; its cover would fall on /usr/bin, the target."""
    other = entrant("other", folder, "/league/other", files=("/league/other/bot.sh",))
    own = entrant("own", "/league/own", files=("/league/own/bot.py",))
    assert list_hidden(own, (own, other), ()) == ("/league/other",)


@pytest.mark.slow(2)
@pytest.mark.parametrize("sandbox", BACKENDS)
def test_bot_with_an_interpreter_in_bin_leaves_it_to_its_opponent(
    tmp_path: Path, sandbox: Backend
) -> None:
    """Both bots play to the end: the one of Debian's shell, and the one of Python."""
    need_sandbox(sandbox)
    tmp_path.chmod(0o755)
    shutil.copy(SHELL_BOT, tmp_path)
    (tmp_path / "t.yaml").write_text(
        f"name: t\nedition: express\nseed: 1\npairs: 1\nsandbox: {sandbox}\n"
        "bots: [{id: shell, command: /bin/sh magpie.sh}, random]\n"
    )
    pwtourney("run", "t.yaml", at=tmp_path)
    games = library.stored_games(tmp_path / "results/t")
    assert [game.verdict for game in games] == ["finished", "finished"]


def test_paths_named_for_a_bot_are_not_hidden_from_it(tmp_path: Path) -> None:
    """Another bot cannot hide a part of them or use a link; the other bot itself stays hidden."""
    (tmp_path / "data/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("data")
    bot, rival, data = (str(tmp_path / name) for name in ("bot.py", "rival.py", "data"))
    own = entrant("own", bot, data, files=(bot,))
    for named in (f"{data}/deep", str(tmp_path / "link"), f"{tmp_path}/link/deep"):
        other = entrant("other", rival, named, files=(rival,))
        assert list_hidden(own, (own, other), ()) == (rival,)
    at_home = entrant("own", str(tmp_path), files=(bot,))
    assert list_hidden(at_home, (at_home, other), ()) == (f"{tmp_path}/link/deep", rival)


@pytest.mark.thorough
@pytest.mark.skipif(not os.access("/usr/src", os.W_OK), reason="/usr/src is not ours to write to")
@pytest.mark.slow(4)
@pytest.mark.parametrize("sandbox", BACKENDS)
def test_bot_of_a_league_below_usr_sees_only_its_own_folder(sandbox: Backend) -> None:
    """It sees no tournament file, base, deals, results, other bots or files around the league."""
    need_sandbox(sandbox)
    look = (
        "import os, sys\n"
        "from pwtourney.sdk import Bot\n"
        "class Spy(Bot):\n"
        "    def choose(self, turn):\n"
        "        for top, folders, names in os.walk('/usr/src/PROJECT'):\n"
        "            for name in names:\n"
        "                path = os.path.join(top, name)\n"
        "                try: print('READ', os.path.relpath(path, '/usr/src/PROJECT/league'),\n"
        "                           len(open(path).read()), file=sys.stderr)\n"
        "                except OSError: pass\n"
        "        raise SystemExit(3)\n"
    )
    with tempfile.TemporaryDirectory(dir="/usr/src") as folder:
        project = Path(folder)
        project.chmod(0o755)
        (project / "secret.env").write_text("not for bots")
        league = project / "league"
        league.mkdir()
        for name in ("spy/lib", "other", ".git", "notes"):
            (league / name).mkdir(parents=True)
        (league / "spy/spy.py").write_text(look.replace("PROJECT", project.name))
        (league / "spy/lib/book.txt").write_text("mine")
        (league / "other/other.py").write_text(look.replace("PROJECT", project.name))
        for name in (".git/config", "notes/todo.txt", "secret.env"):
            (league / name).write_text("not for bots")
        (league / "same").symlink_to("spy")
        (league / "base.yaml").write_text(f"edition: express\nsandbox: {sandbox}\n")
        (league / "deals.txt").write_text(deals_text((deal(find_edition("express"), 1),)))
        (league / "league.yaml").write_text(
            "extends: base.yaml\ndeals: deals.txt\npairs: 1\nbots:\n"
            "  - {id: spy, file: spy/spy.py}\n  - {id: other, file: other/other.py}\n"
        )
        pwtourney("run", "league.yaml", "--fresh", at=league, code=1)  # the bots only look
        (game, _) = library.stored_games(league / "results/league")
    (fault,) = game.faults
    assert fault.verdict == "crash", fault
    seen = [line.split()[1] for line in fault.stderr.splitlines() if "READ" in line]
    own = {"spy": ["spy/lib/book.txt", "spy/spy.py"], "other": ["other/other.py"]}
    assert sorted(seen) == own[game.bots[fault.seat]]
