"""Bots that have something to do before their first game, started by the program itself."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pwtourney.process import remove_scratch

HOOKED = """
import os
from pwtourney.sdk import Bot

class Hooked(Bot):
    name = "hooked"
    preparing = "counting to seven"

    @classmethod
    def prepare(cls, cache):
        (cache / "below").mkdir()
        (cache / "below" / "table").write_text("7")
        WORK

    def new_game(self, game):
        assert self.cache and (self.cache / "below" / "table").read_text() == "7"
        if os.geteuid() == 0:
            return  # nothing is closed to it
        for place in (self.cache / "more", self.cache / "below" / "table"):
            try:
                place.write_text("8")
            except OSError:
                continue
            raise AssertionError("it can be written to")

    def choose(self, turn):
        return turn.state.legal_actions()[0]
"""
"""A bot that plays only if what it prepared is there, and cannot be changed."""

SAID = "preparing hooked: counting to seven"
BIRD = """
while read -r word rest; do
  case $word in
    pwtp) echo feature legal; echo ready ;;
    end) echo ready ;;
    legal) action=${rest%% *} ;;
    go) echo "move $action" ;;
    quit) exit ;;
  esac
done
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a bot that has a hook."""
    place = tmp_path / "bots"
    place.mkdir(mode=0o755)
    hooked(place, "pass")
    return place


@pytest.fixture
def cache() -> Iterator[Path]:
    """Return the folder for what is prepared, empty, where the bots of root can come to it."""
    place = tempfile.mkdtemp(prefix="pwtourney-tests-")
    os.chmod(place, 0o755)
    yield Path(place)
    remove_scratch(place)


def hooked(place: Path, work: str) -> None:
    """Write the bot whose hook does some work beside its own."""
    (place / "hooked.py").write_text(HOOKED.replace("WORK", work))


def command(*arguments: str, cache: Path) -> tuple[list[str], dict[str, str]]:
    """Return the words and the environment that start the program."""
    environment = os.environ | {"PWTOURNEY_CACHE_DIR": str(cache)}
    return [sys.executable, "-m", "pwtourney", *arguments], environment


def pwtourney(
    *arguments: str, cache: Path, code: int = 0, at: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    words, environment = command(*arguments, cache=cache)
    done = subprocess.run(
        words, env=environment, cwd=at, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def league(place: Path, *bots: str, more: str = "") -> str:
    """Write a tournament file with some bots and `random`; return its path."""
    entries = "".join(f"  - {bot}\n" for bot in (*bots, "random"))
    (place / "league.yaml").write_text(f"pairs: 1\nworkers: 1\n{more}bots:\n{entries}")
    return str(place / "league.yaml")


@pytest.mark.parametrize("sandbox", ["bwrap", "none"])
def test_a_bot_is_prepared_once_and_finds_what_it_kept(
    sandbox: str, folder: Path, cache: Path, needs: Callable[[str], None]
) -> None:
    """In the same sandbox, before its first game; later games start nothing, and cannot write."""
    needs("bwrap")
    play = ("play", str(folder / "hooked.py"), "random", "--sandbox", sandbox, "--trusted")
    first = pwtourney(*play, cache=cache)
    assert SAID in first.stderr
    assert "prepared hooked in" in first.stderr
    again = pwtourney(*play, cache=cache)
    assert "prepar" not in again.stderr


def test_every_command_that_starts_bots_prepares_them(
    folder: Path, cache: Path, tmp_path: Path
) -> None:
    """`run`, `rerun`, `analyse`, `check`, `duel` and `doctor`, each where nothing is prepared."""
    bot, results = str(folder / "hooked.py"), str(tmp_path / "results")
    file = league(folder, "hooked.py")
    calls: list[tuple[str, ...]] = [
        ("run", file, "--results", results),
        ("rerun", f"{results}:0.0", "--file", file),
        ("analyse", f"{results}:0.0", "--with", bot),
        ("check", bot, "--games", "1", "--dialogues", "0"),
        (
            "duel",
            bot,
            "random",
            "--elo1",
            "400",
            "--bounds",
            "logistic",
            "--results",
            f"{results}-2",
        ),
        ("doctor", "--aa", "hooked", "--file", file, "--pairs", "2"),
    ]
    for number, call in enumerate(calls):
        words, environment = command(*call, cache=cache / str(number))
        done = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=100, check=False
        )
        assert "counting to seven" in done.stderr, (call, done.stderr)
        assert "crash" not in done.stdout + done.stderr, (call, done.stdout, done.stderr)


def test_a_bot_that_was_changed_is_prepared_anew(folder: Path, cache: Path) -> None:
    """Its file, or another one that lies beside it."""
    play = ("play", str(folder / "hooked.py"), "random")
    pwtourney(*play, cache=cache)
    hooked(folder, "len('another one')")
    assert SAID in pwtourney(*play, cache=cache).stderr
    (folder / "weights").write_text("1 2 3")
    assert SAID in pwtourney(*play, cache=cache).stderr
    assert SAID not in pwtourney(*play, cache=cache).stderr


def test_a_quiet_run_says_nothing_of_it(folder: Path, cache: Path, tmp_path: Path) -> None:
    """Standard error stays empty of progress, and the bot is prepared even so."""
    call = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    assert "prepar" not in pwtourney(*call, "--quiet", cache=cache).stderr
    assert SAID not in pwtourney(*call, "--fresh", cache=cache).stderr


def test_a_bot_without_a_hook_is_asked_once(cache: Path) -> None:
    """That it has nothing to do is noted, without a word, and it gets no folder."""
    assert "prepar" not in pwtourney("play", "random", "greedy", cache=cache).stderr
    assert {path.name for path in cache.glob("*/*/*")} == {"complete"}


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("raise ValueError('seven is missing')", "| ValueError: seven is missing"),
        ("import os; os._exit(7)", "hooked cannot be prepared: exited with code 7"),
        ("[None for _ in iter(int, 1)]", "hooked cannot be prepared: took over 1 s"),
        ("bytearray(3 << 30)", "| MemoryError"),
    ],
    ids=["raises", "exits", "takes too long", "takes too much memory"],
)
def test_a_hook_that_fails_is_one_error(
    work: str, said: str, folder: Path, cache: Path, tmp_path: Path
) -> None:
    """With the bot's name and its last lines, before anything is played or written."""
    hooked(folder, work)
    file = league(folder, "hooked.py", more="limits: {prepare: 1s}\n")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    assert "error: hooked cannot be prepared: " in done.stderr
    assert said in done.stderr
    assert not (tmp_path / "r").exists()


def test_a_stranger_whose_hook_fails_stops_nobody(
    folder: Path, cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """One warning; the league goes on, and the bot loses both games for want of its table."""
    needs("bwrap")
    hooked(folder, "raise ValueError('no')")
    file = league(folder, "{file: hooked.py, trusted: false}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache)
    assert done.stderr.count("ValueError: no") == 1
    assert "warning: hooked cannot be prepared: its `prepare` raised an error" in done.stderr
    again = pwtourney("run", file, "--strangers", "--results", str(tmp_path / "s"), cache=cache)
    assert again.stderr.count("warning: hooked cannot be prepared") == 1


@pytest.mark.parametrize("when", ["import", "hook"])
def test_what_is_not_installed_is_one_error_with_the_command(
    when: str, folder: Path, cache: Path, tmp_path: Path
) -> None:
    """Whether the bot says so when it is imported or in its hook; nothing is written."""
    says = "raise RequirementMissing('it needs flour', install='pip install flour')"
    line = "from pwtourney.sdk import RequirementMissing; " + says
    hooked(folder, line if when == "hook" else "pass")
    if when == "import":
        text = (folder / "hooked.py").read_text()
        (folder / "hooked.py").write_text(f"{line}\n{text}")
    call = ("run", league(folder, "hooked.py"), "--results", str(tmp_path / "r"))
    done = pwtourney(*call, cache=cache, code=2)
    lines = [each for each in done.stderr.splitlines() if not each.startswith("preparing")]
    expected = "hooked cannot play here: it needs flour; to install it: pip install flour"
    assert lines == [f"error: {expected}"]
    assert not (tmp_path / "r").exists()


def test_a_bot_that_cannot_be_loaded_is_left_to_lose(folder: Path, cache: Path) -> None:
    """The verdict of its game says more, with its standard error."""
    (folder / "hooked.py").write_text("import no_such_module\n")
    done = pwtourney("play", str(folder / "hooked.py"), "random", cache=cache, code=1)
    assert "start" in done.stdout
    assert "No module named 'no_such_module'" in done.stdout
    assert "prepar" not in done.stderr


def test_two_runs_at_a_time_prepare_a_bot_once(folder: Path, cache: Path) -> None:
    """The second one says that it waits for the first, and then plays with what that has made."""
    os.mkfifo(folder / "gate")
    (folder / "gate").chmod(0o644)
    hooked(folder, f"open({str(folder / 'gate')!r}).read()")
    words, environment = command("play", str(folder / "hooked.py"), "random", cache=cache)
    runs = []
    try:
        for said in (SAID, "another run is preparing hooked: waiting for it"):
            run = subprocess.Popen(
                words,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            runs.append(run)
            assert run.stderr is not None
            assert run.stderr.readline().strip() == said
        (folder / "gate").write_text("open")  # waits until the hook reads
        for run in runs:
            _, errors = run.communicate(timeout=60)
            assert run.returncode == 0, errors
            assert SAID not in errors
    finally:
        for run in runs:
            run.kill()
            run.communicate()


def test_where_nothing_can_be_kept_it_plays_and_says_so(folder: Path) -> None:
    """One warning that names the folder and how to have another; what was made is removed."""
    done = pwtourney("play", str(folder / "hooked.py"), "random", cache=Path("/proc/no"))
    (warning,) = [line for line in done.stderr.splitlines() if line.startswith("warning: /proc")]
    assert "/proc/no cannot be used" in warning
    assert "PWTOURNEY_CACHE_DIR" in warning


def bird(place: Path) -> None:
    """Write a bot in shell that is yet to be built, and what builds it."""
    (place / "src").mkdir()
    (place / "src" / "bird.sh").write_text(BIRD)
    (place / "make.sh").write_text(
        "set -e\nmkdir -p out\necho building in $PWD\n"
        "{ echo '#!/bin/sh'; cat src/bird.sh; } > out/bird\nchmod +x out/bird\n"
    )


@pytest.mark.parametrize("sandbox", ["bwrap", "none"])
def test_what_is_built_is_found_by_its_command(
    sandbox: str, tmp_path: Path, cache: Path, needs: Callable[[str], None]
) -> None:
    """Once, in a copy: the folder of the file stays as it is; a changed source is built anew."""
    needs("bwrap")
    place = tmp_path / "league"
    place.mkdir(mode=0o755)
    bird(place)
    terms = f"sandbox: {sandbox}\ndefaults: {{trusted: true}}\n"
    file = league(place, "{command: ./out/bird, build: sh make.sh}", more=terms)
    call = ("run", file, "--results", str(tmp_path / "r"), "--fresh")
    first = pwtourney(*call, cache=cache)
    assert "preparing bird: building, once" in first.stderr
    assert " bird " in first.stdout
    assert "crash" not in first.stderr
    assert not (place / "out").exists()
    assert "building" not in pwtourney(*call, cache=cache).stderr
    dry = pwtourney(*call, "--dry-run", cache=cache)
    assert "bird" in dry.stdout
    (place / "src" / "bird.sh").write_text(f"# another\n{BIRD}")
    assert "building" in pwtourney(*call, cache=cache).stderr


def test_a_build_sees_nothing_of_other_bots(
    folder: Path, cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """What other entries name is not in the copy, nor is the tournament file."""
    needs("bwrap")
    bird(folder)
    (folder / "make.sh").write_text("find . -type f; exit 3\n")
    file = league(folder, "hooked.py", "{id: bird, command: ./bird, build: sh make.sh}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    seen = sorted(line.split("| ")[1] for line in done.stderr.splitlines() if "| ./" in line)
    assert seen == ["./make.sh", "./src/bird.sh"]
    assert not (tmp_path / "r").exists()


def test_a_build_cannot_change_what_lies_outside(
    cache: Path, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """It runs in the sandbox of its bot: another folder is not even there."""
    needs("bwrap")
    place, other = tmp_path / "league", tmp_path / "other"
    for each in (place, other):
        each.mkdir(mode=0o777)
        each.chmod(0o755)
    other.chmod(0o777)
    (place / "make.sh").write_text(f"echo stolen > {other}/here\n")
    file = league(place, "{id: bird, command: ./bird, build: sh make.sh}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache, code=2)
    assert "bots[0].build: the build ended with exit code" in done.stderr
    assert not list(other.iterdir())


def test_a_file_that_is_built_finds_what_lies_beside_it(
    cache: Path, tmp_path: Path, folder: Path
) -> None:
    """A Python bot imports what its build has generated."""
    text = (folder / "hooked.py").read_text().replace("Bot\n", "Bot\nfrom made import CHOICE\n", 1)
    (folder / "hooked.py").write_text(text.replace("actions()[0]", "actions()[CHOICE]"))
    (folder / "make.py").write_text("open('made.py', 'w').write('CHOICE = 0')")
    file = league(folder, "{file: hooked.py, build: python make.py}")
    done = pwtourney("run", file, "--results", str(tmp_path / "r"), cache=cache)
    assert "crash" not in done.stderr
    assert "start" not in done.stderr
    assert not (folder / "made.py").exists()


@pytest.mark.timeout(300)  # the first one compiles
@pytest.mark.parametrize("sandbox", ["bwrap", "none"])
def test_the_bots_that_search_need_nothing_by_hand(
    sandbox: str, tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """A file that says nothing of compiling: not one fault; and nothing is done a second time."""
    needs("bwrap")
    cache = Path(os.environ["PWTOURNEY_CACHE_DIR"])
    (tmp_path / "a.yaml").write_text(
        "pairs: 1\nclock: {move: 30s}\nlimits: {start: 60s}\n"
        f"sandbox: {sandbox}\ndefaults: {{trusted: true, set: {{rounds: 20}}}}\n"
        "bots: [champion, mcts]\ngates: [faults(champion) == 0, faults(mcts) == 0]\n"
    )
    pwtourney("run", "a.yaml", cache=cache, at=tmp_path)
    again = pwtourney("run", "a.yaml", "--fresh", cache=cache, at=tmp_path)
    assert "preparing" not in again.stderr
