"""pwtourney and other runners from end to end: as many plies between bots that answer at once.

The others play chess, for they play nothing else; their engine, which we wrote, knows one game, as
long as the one that our bots play. All of them keep the games in a file, and all have as many cores
as slots. fastchess and c-chess-cli are measured if they are on PATH, python-chess if it is
installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click

import pwtourney
from benchmarks.chess_line import make_line
from benchmarks.memory import find_peak
from benchmarks.ply import instant_bot, setup_of
from pwtourney.match import play_game
from pwtourney.sandbox.isolation import Isolation

__all__ = ["RUNNERS", "Match", "Measured", "Runner", "compile_engine", "measure", "rows"]

_ROUNDS = 3
_SLOTS = (1, 2)
_HEADINGS = ("runner", "slots", "games/s", "µs per ply, all told", "start and end", "memory")


class Match(NamedTuple):
    """What a runner is to play: a bot or engine against itself, in a folder that is empty."""

    program: Path
    games: int
    slots: int
    folder: Path


class Runner(NamedTuple):
    """A runner by name: its command for a match, and how many games it has finished.

    It is there if `find` says so. Two matches with so many `games` tell what a game takes. Does it
    play `chess`, the program is an engine.
    """

    name: str
    find: Callable[[], bool]
    command: Callable[[Match], Sequence[str]]
    count_games: Callable[[Path], int]
    games: tuple[int, int]
    chess: bool = True
    most_slots: int = 1_000


class Measured(NamedTuple):
    """Games a second; the seconds that a run takes without its games; MiB without its bots."""

    rate: float
    fixed: float
    memory: float


def _own(processes: str) -> Callable[[Match], Sequence[str]]:
    def command(match: Match) -> Sequence[str]:
        bots = "\n".join(
            f"  - {{id: {name}, command: '{match.program}', trusted: true}}"
            for name in ("one", "two")
        )
        (match.folder / "two.yaml").write_text(
            f"pairs: {match.games // 2}\nseed: 1\nsandbox: none\nprocesses: {processes}\n"
            f"clock: {{move: 1s}}\nbots:\n{bots}\n"
        )
        options = ("--results", "results", "--workers", str(match.slots), "--quiet")
        return (sys.executable, "-m", "pwtourney", "run", "two.yaml", *options)

    return command


def _fastchess(restart: str) -> Callable[[Match], Sequence[str]]:
    def command(match: Match) -> Sequence[str]:
        engines = (
            word
            for name in ("one", "two")
            for word in ("-engine", f"cmd={match.program}", f"name={name}")
        )
        each = ("-each", "tc=60+1", f"restart={restart}")
        many = ("-rounds", str(match.games // 2), "-games", "2", "-concurrency", str(match.slots))
        return ("fastchess", *engines, *each, *many, "-pgnout", "file=games.pgn")

    return command


def _c_chess_cli(match: Match) -> Sequence[str]:
    engines = (
        word
        for name in ("one", "two")
        for word in ("-engine", f"cmd={match.program}", f"name={name}")
    )
    many = ("-games", str(match.games), "-concurrency", str(match.slots))
    return ("c-chess-cli", "-each", "tc=60+1", *engines, *many, "-pgn", "games.pgn")


def _python_chess(match: Match) -> Sequence[str]:
    program = (str(match.program), str(match.games), "games.pgn")
    return (sys.executable, "-m", "benchmarks.uci_match", *program)


def _count_stored(folder: Path) -> int:
    return sum(not game.faults for game in pwtourney.stored_games(folder / "results"))


def _count_mates(folder: Path) -> int:
    """Count the games that were played to their end, where Black or White mates."""
    text = (folder / "games.pgn").read_text()
    return text.count('[Result "0-1"]') + text.count('[Result "1-0"]')


def _is_on_path(program: str) -> Callable[[], bool]:
    return lambda: shutil.which(program) is not None


RUNNERS = (
    Runner(
        *("pwtourney, bots stay", lambda: True, _own("persistent"), _count_stored, (100, 900)),
        chess=False,
    ),
    Runner(
        *("pwtourney, new processes", lambda: True, _own("per-game"), _count_stored, (40, 240)),
        chess=False,
    ),
    Runner(
        *("fastchess, engines stay", _is_on_path("fastchess"), _fastchess("off")),
        *(_count_mates, (100, 900)),
    ),
    Runner(
        *("fastchess, new processes", _is_on_path("fastchess"), _fastchess("on")),
        *(_count_mates, (40, 240)),
    ),
    Runner("c-chess-cli", _is_on_path("c-chess-cli"), _c_chess_cli, _count_mates, (100, 900)),
    Runner(
        *("python-chess", lambda: find_spec("chess") is not None, _python_chess),
        *(_count_mates, (20, 120)),
        most_slots=1,
    ),
)
"""Who is compared, us first."""


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield what each runner does, a row each, or that it is not there."""
    for name, slots, measured, plies in _compare():
        what = f"{name}, {slots} slot{'s' if slots > 1 else ''}"
        if measured is None:
            yield what, "not on PATH", "docs/speed.md: how to build it"
        else:
            micros = 1e6 * slots / measured.rate / plies
            more = f"start and end {measured.fixed:.2f} s, {measured.memory:.0f} MiB"
            yield what, f"{measured.rate:,.0f} games/s", f"{micros:.0f} µs per ply; {more}"


def _compare() -> Iterator[tuple[str, int, Measured | None, int]]:
    """Yield each runner with each number of slots, and the plies of a game."""
    if shutil.which("cc") is None:
        return
    cores = sorted(os.sched_getaffinity(0))
    with instant_bot() as bot:
        plies = _count_plies(bot)
        with compile_engine(plies) as engine:
            for slots in _SLOTS:
                for runner in RUNNERS:
                    if slots > min(len(cores), runner.most_slots):
                        continue
                    program = engine if runner.chess else bot
                    there = runner.find()
                    found = measure(runner, program, slots) if there else None
                    yield runner.name, slots, found, plies


def measure(runner: Runner, program: Path, slots: int, rounds: int = _ROUNDS) -> Measured:
    """Measure a runner with so many slots, on as many cores; the fastest of some runs counts."""
    few, many = runner.games
    times = [[_time(runner, program, games, slots) for games in (few, many)] for _ in range(rounds)]
    short, long = (min(column) for column in zip(*times, strict=True))
    # on a machine that others use the longer match may look the faster one
    rate = (many - few) / (long - short) if long > short else many / long
    with _start(runner, program, many, slots) as process:
        memory = find_peak(process.pid, program)
    return Measured(rate, max(0.0, short - few / rate), memory / (1 << 20))


def _time(runner: Runner, program: Path, games: int, slots: int) -> float:
    """Return the seconds of a whole match."""
    began = time.perf_counter()
    with _start(runner, program, games, slots) as process:
        process.wait()
        return time.perf_counter() - began


@contextmanager
def _start(
    runner: Runner, program: Path, games: int, slots: int
) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a match; at its end make sure that all of its games were played."""
    cores = sorted(os.sched_getaffinity(0))[:slots]
    path = os.pathsep.join(filter(None, (str(Path(__file__).parents[1]), os.getenv("PYTHONPATH"))))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)  # a bot may be another user
        command = runner.command(Match(program, games, slots, folder))
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        try:
            yield process
            _, errors = process.communicate()
        finally:
            process.kill()
        try:
            played = runner.count_games(folder)
        except (OSError, pwtourney.PwtourneyError):
            played = 0
        if process.returncode or played != games:
            told = errors.decode(errors="replace").strip()[-500:]
            raise RuntimeError(f"{runner.name}: {played} of {games} games were played: {told}")


@contextmanager
def compile_engine(plies: int) -> Iterator[Path]:
    """Compile an engine that knows a game of so many plies; it is there until the block ends."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        engine = folder / "instant_uci"
        source = Path(__file__).parent / "instant_uci.c"
        line = f'-DLINE="{" ".join(make_line(plies))}"'
        subprocess.run(["cc", "-O2", "-o", engine, line, source], check=True)
        yield engine


def _count_plies(bot: Path) -> int:
    """Return how many plies a game between our bots has."""
    return len(play_game(setup_of(bot, Isolation())).plies)


@click.command()
def main() -> None:
    """Print one table in Markdown, row by row."""
    print("| " + " | ".join(_HEADINGS) + " |\n|---|" + "--:|" * (len(_HEADINGS) - 1))
    for name, slots, measured, plies in _compare():
        cells = ["not on PATH", "", "", ""]
        if measured is not None:
            micros = 1e6 * slots / measured.rate / plies
            cells = [f"{measured.rate:,.0f}", f"{micros:.0f}", f"{measured.fixed:.2f} s"]
            cells.append(f"{measured.memory:.0f} MiB")
        print("| " + " | ".join((name, str(slots), *cells)) + " |", flush=True)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.peers")
