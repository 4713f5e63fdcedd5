"""The bots in other languages: small, self-contained, and without a fault."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.bots.names import command_bot, installed_bot
from pwtourney.clock import TimeControl
from pwtourney.config import load_config
from pwtourney.constants import SandboxChoice
from pwtourney.match import BotSpec, play_game
from pwtourney.notation.game import Verdict
from pwtourney.rules import Edition
from pwtourney.sandbox.isolation import achieve
from pwtourney.sandbox.launch import Launch, Limits
from tests.match.helpers import GREEDY, RANDOM, setup
from tests.rules.positions import EDITIONS
from tests.thorough import thorough_but

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "pwtourney" / "scaffold" / "projects"
PROGRAMS = {"c/magpie.c": "cc", "javascript/magpie.js": "node", "shell/magpie.sh": "sh"}


@pytest.fixture(scope="module")
def wren(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the C bot with warnings as errors, and return its path."""
    target = tmp_path_factory.mktemp("wren") / "wren"
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror"]
    if shutil.which("cc"):
        subprocess.run(["cc", *flags, "-o", target, FOLDER / "c" / "magpie.c"], check=True)
    return target


@pytest.mark.parametrize("edition", thorough_but(EDITIONS[:1], EDITIONS))
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
def test_bot_in_another_language_plays_every_edition(
    name: str, edition: Edition, wren: Path, needs: Callable[[str], None]
) -> None:
    """It plays both seats, against a bot that fills its quilt board and a random one."""
    needs(PROGRAMS[name])
    program = shutil.which(PROGRAMS[name]) or ""
    command = (str(wren),) if PROGRAMS[name] == "cc" else (program, str(FOLDER / name))
    bot = BotSpec("magpie", Launch(command), (), TimeControl(10_000))
    for seed, (first, second) in enumerate(((bot, GREEDY), (RANDOM, bot))):
        game = play_game(setup(first, second, seed + 1, edition))
        assert (game.verdict, game.faults) == (Verdict.FINISHED, ())


@pytest.mark.parametrize("name", PROGRAMS)
def test_bot_in_another_language_is_short_enough_to_copy(name: str) -> None:
    """It has under 150 lines, in one file without third-party packages."""
    text = (FOLDER / name).read_text()
    assert len(text.splitlines()) < 150
    assert "require(" not in text.replace("require('node:readline')", "")


def test_languages_config_names_all_bots() -> None:
    """It names all three and the Python bots."""
    bots = load_config(ROOT / "configs" / "languages.yaml").config.bots
    assert {"wren", "kestrel", "dipper", "random", "greedy", "frugal"} == {b.name for b in bots}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are Linux's")
@pytest.mark.parametrize("mode", ["none", "bwrap"])
@pytest.mark.parametrize("name", [*PROGRAMS, "greedy"])
def test_bot_plays_under_default_limits_with_and_without_sandbox(
    name: str, mode: SandboxChoice, wren: Path, needs: Callable[[str], None]
) -> None:
    """The bots in C, JavaScript, shell and Python are found and isolated as in a tournament."""
    needs("bwrap" if mode == "bwrap" else "sh")
    if name == "greedy":
        setting = installed_bot("greedy")
    elif PROGRAMS[name] == "cc":
        needs("cc")
        wren.parent.chmod(0o755)
        setting = command_bot([str(wren)], FOLDER)
    else:
        needs(PROGRAMS[name])
        setting = command_bot([PROGRAMS[name], name], FOLDER)
    trusted = True if mode == "none" else None  # other users may not be able to read root's Python
    isolation = achieve(
        mode, setting.launch, Limits(), files=setting.files, trusted=trusted
    ).isolation
    bot = BotSpec("magpie", setting.launch, (), TimeControl(10_000), Limits(), isolation)
    game = play_game(setup(bot, RANDOM))
    assert (game.verdict, game.faults) == (Verdict.FINISHED, ())
    assert game.profiles[0].startswith(mode)
