"""Measures rating a million games from CSV: ``python -m benchmarks reading``.

evalica and `pwtourney rate` run in turn on the same games, each with its own file format, and the
median CPU time of each counts. evalica has no pairs, deals or intervals: its table has three
columns, ours five. If evalica is not on PATH, only ours is measured.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.ratings import written
from pwtourney.tables.csv_table import read_csv

__all__ = ["rows"]

_GAMES = 1_000_000
_BOTS = (20, 100)
_ROUNDS = 5


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the CPU time of rating a table, and that of evalica for its own table."""
    with tempfile.TemporaryDirectory() as directory:
        for bots in _BOTS:
            ours, theirs = Path(directory) / f"{bots}.csv", Path(directory) / f"{bots}-evalica.csv"
            written(ours, bots, _GAMES)
            name = f"{bots} bots, {_GAMES:,} games"
            for in_bulk in (True, False):
                seconds = _read(ours, in_bulk=in_bulk)
                how = "many rows at a time" if in_bulk else "row by row"
                yield f"{name}: read {how}", f"{seconds:.2f} s", ""
            commands = [[sys.executable, "-m", "pwtourney", "rate", str(ours)]]
            if evalica := shutil.which("evalica"):
                _translate(ours, theirs)
                commands.append(
                    [evalica, "-i", str(theirs), "-o", os.devnull, "pairwise", "bradley-terry"]
                )
            rate, *other = _measure(commands)
            yield f"{name}: pwtourney rate", f"{rate:.2f} s", ""
            for seconds in other:
                yield f"{name}: evalica", f"{seconds:.2f} s", ""
                yield f"{name}: pwtourney over evalica", f"{rate / seconds:.2f}", "≤ 1"


def _read(path: Path, *, in_bulk: bool) -> float:
    """Return the CPU time for reading the games of a file."""
    began = time.process_time()
    with path.open("rb") as file:
        for _ in read_csv(file, str(path), in_bulk=in_bulk):
            pass
    return time.process_time() - began


def _translate(ours: Path, theirs: Path) -> None:
    """Write a table in evalica's format."""
    winners = {"1": "left", "0": "right"}
    with ours.open() as games, theirs.open("w") as file:
        next(games)
        file.write("left,right,winner\n")
        for game in games:
            first, second, score, _ = game.split(",", 3)
            file.write(f"{first},{second},{winners[score]}\n")


def _measure(commands: Sequence[Sequence[str]]) -> list[float]:
    """Return the median CPU time of each command; the commands run in turn."""
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(_ROUNDS):
        for number, command in enumerate(commands):
            before = os.times()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            seconds = after.children_user + after.children_system
            seconds -= before.children_user + before.children_system
            times[number].append(seconds)
    return list(map(median, times))
