"""Helpers that run the program with bots that have work to do before their first game."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pwtourney.sandbox.backends import Backend
from tests import program
from tests.match.helpers import SHELL_BOT
from tests.needs import need_sandbox

SANDBOXES = ("bwrap", "unshare", "none")

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
"""A bot that plays only if the files it prepared exist and cannot be changed."""

SAID = "preparing hooked: counting to seven"


def hooked(folder: Path, work: str) -> None:
    """Write the bot, whose hook does `work` in addition to its own work."""
    (folder / "hooked.py").write_text(HOOKED.replace("WORK", work))


def command(*arguments: str, cache: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment that start the program."""
    environment = os.environ | {"PWTOURNEY_CACHE_DIR": str(cache)}
    return [sys.executable, "-m", "pwtourney", *arguments], environment


def pwtourney(
    *arguments: str,
    cache: Path,
    code: int | None = 0,
    at: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the program with its own cache folder."""
    variables = {"PWTOURNEY_CACHE_DIR": str(cache), **(environment or {})}
    return program.pwtourney(*arguments, code=code, at=at, environment=variables)


def league(folder: Path, *bots: str, more: str = "") -> str:
    """Write a tournament file with some bots and `random`; return its path."""
    entries = "".join(f"  - {bot}\n" for bot in (*bots, "random"))
    (folder / "league.yaml").write_text(f"pairs: 1\nworkers: 1\n{more}bots:\n{entries}")
    return str(folder / "league.yaml")


def bird(folder: Path) -> None:
    """Write a shell bot that must be built, and its build script."""
    (folder / "src").mkdir()
    (folder / "src" / "bird.sh").write_text(SHELL_BOT)
    (folder / "make.sh").write_text(
        "set -e\nmkdir -p out\necho building in $PWD\n"
        "{ echo '#!/bin/sh'; cat src/bird.sh; } > out/bird\nchmod +x out/bird\n"
    )


def require(sandbox: str) -> None:
    """Skip a test if a sandbox is missing; ``none`` is available everywhere."""
    if sandbox != "none":
        need_sandbox(cast("Backend", sandbox))
