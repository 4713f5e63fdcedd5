"""Measures starting a bot for each game, compared with persistent bots and another commit.

``python -m benchmarks.starting`` compares new processes, forks and persistent bots. With a commit,
``python -m benchmarks.starting COMMIT`` plays the same tournaments with that version as well, from
a git worktree and a virtual environment, in turn, and compares their games. Each row is printed as
soon as it is known.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import click

from benchmarks.ply import instant_bot, setup_of
from benchmarks.versions import ROOT, check_out
from pwtourney.bots.names import file_bot
from pwtourney.executor import LocalExecutor
from pwtourney.match import BotSpec, GameSetup, Job, PairResult
from pwtourney.sandbox.isolation import Isolation

__all__ = ["main"]

_ROUNDS = 3
_PAIRS = 150
_AHEAD = 4
"""The number of pairs that are played before the measurement."""
_WAYS = ("per-game", "forked", "persistent")

_HEAD = "name: starting\nseed: 5000000000000000\nworkers: 1\nclock: {move: 10s}\n"
_QUICKSTART = (ROOT / "configs" / "quickstart.yaml").read_text()
_PLAIN = f"{_HEAD}pairs: 20\nbots: [random, frugal]\n"
_CHAMPIONS = (
    # the packages of the other version's environment are where no sandbox shows them
    f"{_HEAD}sandbox: none\npairs: 15\nbots:\n"
    "  - {id: one, bot: champion, set: {iterations: 10}}\n"
    "  - {id: two, bot: champion, set: {iterations: 10, candidates: 4}}\n"
)

_INSTANT = """
from pwtourney.sdk import ADVANCE, Bot


class Instant(Bot):
    name = "instant"

    def choose(self, turn):
        if turn.state.pending:
            return turn.state.legal_actions()[0]
        return ADVANCE
"""
"""A Python bot that does not think: its time is reading, checking and writing."""


class _Run(NamedTuple):
    """The seconds of a tournament, and the hash of its games."""

    seconds: float
    game_hash: str


@click.command()
@click.argument("commit", required=False)
def main(commit: str | None) -> None:
    """Compare new processes, copies and bots that stay, and tournaments with those of a COMMIT."""
    for row in _slot_rows():
        print(row, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        print(_compare_ways(Path(folder)), flush=True)
        if commit:
            with check_out(commit, Path(folder)) as python:
                for name, text in (("random–frugal", _PLAIN), ("champion–champion", _CHAMPIONS)):
                    print(_compare_versions(name, text, python, Path(folder)), flush=True)


def _slot_rows() -> Iterator[str]:
    """Yield the games per second in one slot, with bots in C and in Python."""
    with instant_bot() as program, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "instant.py"
        file.write_text(_INSTANT)
        in_c = setup_of(program, Isolation())
        launch = file_bot(str(file), Path(folder)).launch
        first, second = (bot._replace(launch=launch) for bot in in_c.bots)
        in_python = in_c._replace(bots=(first, second))
        for name, setup, target in (("C", in_c, 250), ("Python", in_python, 150)):
            best = dict.fromkeys(_WAYS, 0.0)
            for _ in range(_ROUNDS):
                for way in _WAYS:
                    pairs = _PAIRS if way != "per-game" else _PAIRS // 5
                    best[way] = max(best[way], _rate(_started(setup, way), pairs))
            rates = ", ".join(f"{way} {rate:.0f}" for way, rate in best.items())
            yield f"games a second in one slot, instant bots in {name}: {rates} (≥ {target} forked)"


def _rate(setup: GameSetup, pairs: int) -> float:
    """Return the games per second of one worker, once it is working."""
    first, second = setup.bots
    games = (setup, setup._replace(bots=(second, first)))
    work = (Job(number, games) for number in range(pairs + _AHEAD))
    began = 0.0
    with closing(LocalExecutor(1)) as executor:
        ended = chain.from_iterable(executor.run(lambda: next(work, None)))
        for number, outcome in enumerate(ended, 1):
            assert isinstance(outcome, PairResult)
            if number == _AHEAD:
                began = time.perf_counter()
        return 2 * pairs / (time.perf_counter() - began)


def _started(setup: GameSetup, way: str) -> GameSetup:
    """Return a game whose bots are started in one of the ways."""

    def started(bot: BotSpec) -> BotSpec:
        return bot._replace(persistent=way == "persistent", forked=way == "forked")

    first, second = setup.bots
    return setup._replace(bots=(started(first), started(second)))


def _compare_ways(folder: Path) -> str:
    """Play the quickstart with forks and with persistent bots, in turn."""
    runs: dict[str, list[_Run]] = {"forked": [], "persistent": []}
    for _ in range(_ROUNDS):
        for way, done in runs.items():
            done.append(_play(sys.executable, _QUICKSTART, folder, f"processes={way}"))
    return _describe("quickstart, forked next to persistent", runs["forked"], runs["persistent"])


def _compare_versions(name: str, text: str, python: str, folder: Path) -> str:
    """Play a tournament with this version and another one, in turn."""
    ours: list[_Run] = []
    theirs: list[_Run] = []
    for interpreter in (sys.executable, python):  # prepares the bots
        _play(interpreter, text, folder)
    for _ in range(_ROUNDS):
        ours.append(_play(sys.executable, text, folder))
        theirs.append(_play(python, text, folder))
    return _describe(f"{name}, next to the other commit", ours, theirs)


def _describe(name: str, ours: list[_Run], theirs: list[_Run]) -> str:
    our_time, their_time = (min(run.seconds for run in runs) for runs in (ours, theirs))
    same = "the same games" if len({run.game_hash for run in (*ours, *theirs)}) == 1 else "OTHERS"
    return (
        f"{name}: {our_time:.1f} s and {their_time:.1f} s, {our_time / their_time:.2f} times that;"
        f" {same}"
    )


def _play(python: str, text: str, folder: Path, *settings: str) -> _Run:
    """Play a tournament from its beginning."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        file, results = Path(own) / "league.yaml", Path(own) / "results"
        file.write_text(text)
        options = [word for setting in settings for word in ("--set", setting)]
        command = [python, "-P", "-m", "pwtourney", "run", str(file), "--quiet", *options]
        began = time.perf_counter()
        subprocess.run([*command, "--results", str(results)], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        return _Run(seconds, json.loads((results / "standings.json").read_text())["game_hash"])


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.starting")
