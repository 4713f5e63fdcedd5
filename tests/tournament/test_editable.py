"""A change of a bot that is installed as editable is detected between two runs."""

import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from pwtourney.errors import EXIT_FAILED, EXIT_STORE
from tests.environment import PIP, make_environment
from tests.executor.test_dask import cluster
from tests.program import pwtourney
from tests.tournament.test_run import stored_pairs

pytestmark = [pytest.mark.slow(40), pytest.mark.thorough]

LEAGUE = """
name: league
edition: express
format: gauntlet
challengers: [my-bot]
seed: 5000000000000000
pairs: 2
clock: {move: 60s}
limits: {start: 60s}
sandbox: none
workers: 1
bots:
  - {bot: my-bot, trusted: true}
  - {bot: random, trusted: true}
"""
BOT = "src/my_bot/bot.py"
READS = """
import plumage
BOOK = (__import__("pathlib").Path(__file__).parent / "book.txt").read_text()
"""
FILES = {"src/my_bot/book.txt": "a\n", "src/plumage.py": "1\n"}
DIFFERENCE = "my-bot has changed: its content is not what played"


class Author(NamedTuple):
    """The interpreter in which the bot is installed, and the folder of the bot's project."""

    python: Path
    project: Path

    def run(self, *words: str, code: int = 0) -> str:
        """Run pwtourney next to the project; return all that it printed."""
        done = subprocess.run(
            [str(self.python), "-m", "pwtourney", *words],
            cwd=self.project.parent,
            capture_output=True,
            text=True,
            timeout=170,
            check=False,
        )
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr


@pytest.fixture
def author(tmp_path: Path) -> Author:
    """Install a new bot as its README says; it imports a module and reads a file."""
    pwtourney("new-bot", "my-bot", at=tmp_path)
    project = tmp_path / "my-bot"
    for name, text in FILES.items():
        (project / name).write_text(text)
    bot = project / BOT
    bot.write_text(bot.read_text().replace("\nfrom pwtourney", f"\n{READS}\nfrom pwtourney", 1))
    python = make_environment(tmp_path / "venv")
    words = [str(python), *PIP, "--editable", "."]
    subprocess.run(words, cwd=project, check=True, timeout=170, capture_output=True)
    (tmp_path / "league.yaml").write_text(LEAGUE)
    return Author(python, project)


def begin_duel(author: Author) -> None:
    """Play the first pairs of a duel, then interrupt it."""
    folder = author.project.parent
    words = ["duel", "my-bot", "random", "--edition", "express", "--trusted", "--sandbox", "none"]
    command = [str(author.python), "-m", "pwtourney", *words, "--results", "duel", "--workers", "1"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as duel:
        try:
            end = time.monotonic() + 150
            while not stored_pairs(folder / "duel"):
                assert time.monotonic() < end
                assert duel.poll() is None
                time.sleep(0.02)
            duel.send_signal(signal.SIGINT)
            duel.wait(60)
        finally:
            duel.kill()


def check_refusals(author: Author, far: list[str]) -> None:
    """Check that each way to continue from stored games names the bot's changed content."""
    duel = ("my-bot", "random", "--edition", "express", "--trusted", "--sandbox", "none")
    for words in (
        ("run", "league.yaml"),
        ("duel", *duel, "--results", "duel"),
        ("run", "league.yaml", "--shard", "1/2", "--results", "part-1"),
        ("run", *far),
    ):
        assert DIFFERENCE in author.run(*words, code=EXIT_STORE)
    checked = author.run("verify", "league", "--file", "league.yaml", code=EXIT_FAILED)
    assert f"✗ {DIFFERENCE}" in checked
    assert "my-bot#2" in author.run("run", "league.yaml", "--extend", "--dry-run")


def test_changes_of_an_editable_bot_are_seen_in_every_way_to_play(author: Author) -> None:
    """The bot's module, its data, and a module next to its package are each changed.

    The ways are `run`, `duel`, `--extend`, `--shard`, `verify`, and a Dask cluster whose
    workers keep running. Undoing a change restores the same bot.
    """
    folder = author.project.parent
    with cluster(folder, author.python) as (address, _, _):
        (folder / "far.yaml").write_text(
            f"extends: league.yaml\nexecutor: {{scheduler: '{address}'}}\n"
        )
        far = ["far.yaml", "--results", "far"]
        author.run("run", "league.yaml")
        author.run("run", "league.yaml", "--shard", "1/2", "--results", "part-1")
        author.run("run", *far)
        begin_duel(author)
        for name in (BOT, *FILES):
            file = author.project / name
            before = file.read_text()
            file.write_text(before + "\n")
            check_refusals(author, far)
            file.write_text(before)
        assert "nothing was left to play" in author.run("run", "league.yaml")
        assert "✓ 4 games" in author.run("verify", "league", "--file", "league.yaml")

        (author.project / BOT).write_text((author.project / BOT).read_text() + "\n")
        for words in (["league.yaml"], far):
            author.run("run", *words, "--extend")
        for results in ("league", "far"):
            listed = author.run("report", results, "--format", "csv")
            bots = {line.split(",")[6] for line in listed.splitlines()[1:]}
            assert bots == {"my-bot", "my-bot#2", "random"}
        author.run("run", "league.yaml", "--shard", "2/2", "--results", "part-2")
        message = author.run("merge", "part-1", "part-2", "--out", "whole", code=EXIT_STORE)
        assert DIFFERENCE in message
