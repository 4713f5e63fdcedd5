"""Played leagues of untrusted bots: what bots see, and what results reveal about the machine."""

import base64
import os
import platform
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from pwtourney.errors import EXIT_USAGE
from pwtourney.library import stored_games
from pwtourney.tournament.concealment import Concealment
from tests.needs import need_sandbox
from tests.program import pwtourney

pytestmark = pytest.mark.slow(3)

LEAGUE = """
edition: express
format: gauntlet
challengers: [random]
pairs: 1
seed: 1
workers: 1
clock: {move: 20s}
bots:
  - random
"""
BIRD = """
from pwtourney.sdk import Bot

class Bird(Bot):
    def choose(self, turn):
        self.say("|".join(seen))
        return turn.state.legal_actions()[0]
"""
SPY = """
import os
from pwtourney.sdk import Bot

here = os.path.dirname(os.path.abspath(__file__))
seen = sorted(
    os.path.relpath(os.path.join(top, name), here)
    for top, below, names in os.walk(here) for name in names
    if ".cpython-" not in name  # of Python's own making, below /tmp in the memory of the sandbox
)
closed = [name for name in seen if not os.access(os.path.join(here, name), os.R_OK)]

class Spy(Bot):
    def choose(self, turn):
        self.say(" ".join(name for name in seen if name not in closed))
        return turn.state.legal_actions()[0]
"""


@pytest.fixture(autouse=True)
def boxed() -> None:
    """Skip the tests if bwrap is not available; fail under CI."""
    need_sandbox("bwrap")


def write(folder: Path, texts: dict[str, str]) -> Path:
    """Write files by their names into a folder that every user may enter."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_text(text)
    return folder


def infos(results: Path, bot: str) -> set[str]:
    """Return what a bot said in its games."""
    return {
        ply.info
        for game in stored_games(results)
        for ply in game.plies
        if game.bots[ply.seat] == bot
    }


NEXT_TO_IT = {
    "league/notes.txt": "of somebody else",
    "league/other.py": SPY,
    "league/data/book.txt": "openings",
    "league/data/__pycache__/book.pyc": "not counted",
    "league/data/cache/run.lock": "",
    "league/data/cache/more.txt": "not counted, either",
    "league/nest/__init__.py": "",
    "league/nest/egg.txt": "3",
    "league/taste.py": "import nest",
}


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        pytest.param("", "spy.py", marks=pytest.mark.thorough),
        (", read_paths: [data]", "data/book.txt spy.py"),
        pytest.param(", read_paths: [notes.txt]", "notes.txt spy.py", marks=pytest.mark.thorough),
    ],
)
def test_bot_sees_only_named_files_of_its_folder(tmp_path: Path, more: str, seen: str) -> None:
    """It sees nothing of its folder or its read paths that is not part of its content.

    A file that does not count could change while the bot keeps its identity.
    """
    write(tmp_path, NEXT_TO_IT | {"league/spy.py": SPY})
    text = f"{LEAGUE}  - {{file: spy.py{more}}}\n  - {{file: other.py, read_paths: [nest]}}\n"
    write(tmp_path, {"league/league.yaml": text})
    pwtourney("run", "league.yaml", "--untrusted", at=tmp_path / "league")
    assert infos(tmp_path / "league/results/league", "spy") == {seen}


def test_bot_sees_the_modules_that_it_imports(tmp_path: Path) -> None:
    """These are the modules that its identity finds next to its file, and their imports."""
    write(tmp_path, NEXT_TO_IT | {"league/spy.py": f"import taste\n{SPY}"})
    text = f"{LEAGUE}  - {{file: spy.py}}\n"
    write(tmp_path, {"league/league.yaml": text})
    pwtourney("run", "league.yaml", "--untrusted", at=tmp_path / "league")
    expected = {"nest/__init__.py nest/egg.txt spy.py taste.py"}
    assert infos(tmp_path / "league/results/league", "spy") == expected


@pytest.mark.thorough
def test_command_sees_only_the_files_that_it_names(tmp_path: Path) -> None:
    """A shell script lists its folder and finds only itself."""
    answer = (
        "while read word rest; do case $word in\n"
        "pwtp) echo feature legal; echo ready;; end) echo ready;; quit) exit;;\n"
        "legal) legal=${rest%% *};;\n"
        'go) echo info $(cd "${0%/*}" && ls); echo move $legal;; esac; done\n'
    )
    write(tmp_path, NEXT_TO_IT | {"league/drone.sh": answer})
    more = "{id: drone, command: sh drone.sh}"
    write(tmp_path, {"league/league.yaml": f"{LEAGUE}  - {more}\n"})
    pwtourney("run", "league.yaml", "--untrusted", at=tmp_path / "league")
    assert infos(tmp_path / "league/results/league", "drone") == {"drone.sh"}


@pytest.mark.parametrize("setting", [False, True])
def test_untrusted_bots_are_not_built(tmp_path: Path, setting: bool) -> None:
    """The error names the key of the build command, which does not run."""
    build = "[touch, built]"
    own = "" if setting else f", build: {build}"
    write(tmp_path, {"league.yaml": f"{LEAGUE}  - {{command: ./bird{own}}}\n"})
    more = ["--set", f"bots[1].build={build}"] if setting else []
    done = pwtourney("run", "league.yaml", "--untrusted", *more, code=EXIT_USAGE, at=tmp_path)
    where = "--set bots[1].build" if setting else "league.yaml:11:"
    assert done.stderr.startswith(f"error: {where}")
    assert "with --untrusted nothing is built; build it first" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["league.yaml"]


TELLING = "telltale"
FAILING = {
    "crash.py": "from pwtourney.sdk import Bot\nclass Crash(Bot):\n"
    "    def choose(self, turn): raise RuntimeError('of the bot')\n",
    "broken.py": "import no_such_module\n",
    "talks.sh": "echo $0 $PWD >&2; exit 3\n",
}


def play(root: Path, *options: str) -> Path:
    """Play a league of failing bots, in which every name contains a marker; return its results."""
    folder, home, temporary = (root / f"{TELLING}-{name}" for name in ("league", "home", "tmp"))
    for path in (home, temporary):
        path.mkdir(mode=0o755)
    bots = "".join(f"  - {{file: {name}}}\n" for name in ("crash.py", "broken.py"))
    bots += "  - {id: talks, command: sh talks.sh}\n"
    write(folder, FAILING | {"league.yaml": f"{LEAGUE}{bots}"})
    names = ("USER", "LOGNAME", "HOSTNAME", "TOKEN")
    environment = os.environ | {name: f"{TELLING}-{name}" for name in names}
    environment |= {"HOME": str(home), "TMPDIR": str(temporary)}
    command = [sys.executable, "-m", "pwtourney", "run", "league.yaml", *options]
    if os.geteuid() == 0:  # the name of the machine contains the marker, too
        script = f'hostname {TELLING}-machine && exec "$@"'
        command = ["unshare", "--uts", "sh", "-c", script, "sh", *command]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=110)
    assert done.returncode == 1, done.stderr  # no game is valid
    return folder / "results" / "league"


def read_all(results: Path) -> bytes:
    """Return the contents of all result files, including the data that is packed in base64."""
    written = b""
    for path in sorted(results.rglob("*")):
        written += os.fsencode(path.relative_to(results)) + b"\n"
        written += path.read_bytes() if path.is_file() else b""
    for packed in re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", written):
        written += zlib.decompress(base64.b64decode(packed))
    return written


def find_telling(written: bytes) -> set[str]:
    """Return the facts about this machine that occur in the results."""
    facts = {
        TELLING,
        platform.python_version(),
        platform.machine(),
        sys.prefix,
        sys.base_prefix,
        str(Path(__file__).parents[2]),
        "/tmp/pytest",
    }
    return {fact for fact in facts if fact.encode() in written}


@pytest.mark.thorough
def test_results_of_untrusted_bots_do_not_reveal_the_machine(tmp_path: Path) -> None:
    """Database, logs, tables and page have no folder, user, name, variable or version of it.

    A bot's output is stored, without the machine's folders. The next test plays the same bots
    as trusted and finds all these facts, so the search works.
    """
    results = play(tmp_path, "--untrusted")
    written = read_all(results)
    assert find_telling(written) == set()
    log = min((results / "logs/crash").iterdir()).read_text()
    assert "to play it again: pwtourney rerun results/league:" in log
    assert "--file league.yaml\n" in log
    assert re.search(r'\| +File "./crash.py", line 3, in choose', log)
    assert "RuntimeError: of the bot" in log
    assert b"| ./talks.sh /tmp" in written
    for words in ([], ["--file", str(results.parents[1] / "league.yaml")]):
        pwtourney("verify", str(results), *words)


@pytest.mark.thorough
def test_results_of_trusted_bots_contain_the_machine(tmp_path: Path) -> None:
    """The same bots and the same search find version, architecture and folders."""
    words = find_telling(read_all(play(tmp_path)))
    assert {TELLING, platform.python_version(), platform.machine()} <= words


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("/home/ann/league/bird.py", "./bird.py"),
        ("in /home/ann/league: no", "in .: no"),
        ("/home/ann/league.", ".."),
        ("/home/ann/league.old/x", "~/league.old/x"),
        ("/home/ann/leagues", "~/leagues"),
        ("/home/anna/x /home/an", "/home/anna/x /home/an"),
        ("'/srv/r/logs' \"/home/ann\"", "'<results>/logs' \"~\""),
        ("/tmp/x /usr/lib/x", "/tmp/x /usr/lib/x"),
    ],
)
def test_whole_paths_are_replaced_the_longest_first(
    monkeypatch: pytest.MonkeyPatch, text: str, hidden: str
) -> None:
    """A folder within another has its own name; a folder that shares a prefix is not its part."""
    monkeypatch.setenv("HOME", "/home/ann")
    concealment = Concealment.of(Path("/home/ann/league"), Path("/srv/r"))
    assert concealment.hide_in_text(text) == hidden


def test_bots_do_not_see_git_repositories(tmp_path: Path) -> None:
    """A bot sees its read paths, but no `.git` folder in or around them."""
    need_sandbox("bwrap")
    (tmp_path / "own").mkdir(mode=0o755)
    (tmp_path / "own" / "data.txt").write_text("data")
    for folder in (tmp_path, tmp_path / "own"):
        (folder / ".git").mkdir()
        (folder / ".git" / "config").write_text("token")
    look = (
        "import os\n"
        "def read(path):\n"
        "    try: return open(path).read() + ' '.join(os.listdir(path))\n"
        "    except OSError: pass\n"
        "    try: return 'holds:' + ' '.join(os.listdir(path))\n"
        "    except OSError: return 'nothing'\n"
        "names = ['/.git', '/.git/config', '/own/.git/config', '/own']\n"
        f"seen = [read({str(tmp_path)!r} + name) for name in names]\n"
    )
    (tmp_path / "bird.py").write_text(f"{look}{BIRD}")
    (tmp_path / "league.yaml").write_text(
        "edition: express\npairs: 1\nseed: 1\nworkers: 1\n"
        "bots: [random, {file: bird.py, read_paths: [own]}]\n"
    )
    pwtourney("run", "league.yaml", "--untrusted", at=tmp_path)
    (game, _) = stored_games(tmp_path / "results/league")
    (seen,) = {ply.info for ply in game.plies if game.bots[ply.seat] == "bird"}
    git, *configs, own = seen.split("|")
    assert git in ("nothing", "holds:")
    assert configs == ["nothing"] * 2
    assert own.startswith("holds:")  # shows that the bot looked at the right folder
