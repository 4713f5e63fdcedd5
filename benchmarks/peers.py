"""pwtourney and other runners from start to end: games of equal length between instant bots.

The others play chess, because they play no other game; their engine, which we wrote, knows one game
with as many plies as our bots' game. All of them store the games in a file, and all have as many
cores as slots. fastchess and c-chess-cli are measured if they are on PATH, python-chess if it is
installed. A value that is faster than the bare loop of the same run is refused.
"""

import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click

import pwtourney
from benchmarks.chess_line import make_line
from benchmarks.load import LoadMeter, warn_if_busy
from benchmarks.matches import (
    FigureError,
    Match,
    Runner,
    check_speed,
    compute_ply_time,
    find_lengths,
    measure_memory,
    measure_speed,
    time_match,
)
from benchmarks.ply import BareLoop, instant_bot, list_requests, one_core, setup_of
from pwtourney.match import play_game
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.isolation import Isolation

__all__ = ["RUNNERS", "Row", "compare", "compile_engine", "list_chess_requests", "main", "rows"]

_SLOTS = (1, 2)
_BARE_GAMES = 200
_HEADINGS = ("runner", "slots", "games/s", "µs per ply", "start and end", "memory")
_PGN = "games.pgn"
_NO_COMPILER = "needs a C compiler (cc)"
_REMEDY = "see benchmarks/README.md"


def _pwtourney(processes: str) -> Callable[[Match], Sequence[str]]:
    def make_command(match: Match) -> Sequence[str]:
        bots = "\n".join(
            f"  - {{id: {name}, command: '{match.program}', trusted: true}}"
            for name in ("one", "two")
        )
        (match.folder / "two.yaml").write_text(
            f"pairs: {match.games // 2}\nseed: 1\nsandbox: none\nprocesses: {processes}\n"
            f"clock: {{game: 60s, increment: 1s}}\nbots:\n{bots}\n"
        )
        options = ("--results", "results", "--workers", str(len(match.cores)), "--quiet")
        return (sys.executable, "-m", "pwtourney", "run", "two.yaml", *options)

    return make_command


def _fastchess(restart: str) -> Callable[[Match], Sequence[str]]:
    def make_command(match: Match) -> Sequence[str]:
        options = ("-each", "tc=60+1", f"restart={restart}")
        pairs = ("-rounds", str(match.games // 2), "-games", "2")
        slots = ("-concurrency", str(len(match.cores)))
        pinned = ("-use-affinity", ",".join(map(str, match.cores)))
        games = ("-pgnout", f"file={_PGN}")
        return ("fastchess", *_engines(match), *options, *pairs, *slots, *pinned, *games)

    return make_command


def _c_chess_cli(match: Match) -> Sequence[str]:
    options = ("-each", "tc=60+1")
    many = ("-games", str(match.games), "-concurrency", str(len(match.cores)))
    return ("c-chess-cli", *options, *_engines(match), *many, "-pgn", _PGN)


def _engines(match: Match) -> Iterator[str]:
    """Yield the options of fastchess and c-chess-cli for an engine against itself."""
    for name in ("one", "two"):
        yield from ("-engine", f"cmd={match.program}", f"name={name}")


def _python_chess(match: Match) -> Sequence[str]:
    program = (str(match.program), str(match.games), _PGN)
    return (sys.executable, "-m", "benchmarks.uci_match", *program)


def _count_stored(folder: Path) -> int:
    return sum(not game.faults for game in pwtourney.stored_games(folder / "results"))


def _count_mates(folder: Path) -> int:
    """Count the games that were played to their end, in which Black or White mates."""
    text = (folder / _PGN).read_text()
    return text.count('[Result "0-1"]') + text.count('[Result "1-0"]')


def _is_on_path(program: str) -> Callable[[], bool]:
    return lambda: shutil.which(program) is not None


_own = partial(Runner, is_installed=lambda: True, count_games=_count_stored)
_chess = partial(Runner, count_games=_count_mates, record=_PGN, plays_chess=True)

RUNNERS = (
    _own("pwtourney, bots stay", make_command=_pwtourney("persistent")),
    _own("pwtourney, copies", make_command=_pwtourney("forked")),
    _own("pwtourney, new processes", make_command=_pwtourney("per-game")),
    _chess("fastchess, engines stay", _is_on_path("fastchess"), _fastchess("off")),
    _chess("fastchess, new processes", _is_on_path("fastchess"), _fastchess("on")),
    _chess("c-chess-cli, engines stay", _is_on_path("c-chess-cli"), _c_chess_cli),
    _chess(
        "python-chess, engines stay",
        lambda: find_spec("chess") is not None,
        _python_chess,
        most_slots=1,
    ),
)
"""The compared runners; ours come first."""


class Row(NamedTuple):
    """The measurements of a runner, or the reason why they were refused.

    They are games per second, microseconds per ply and slot, seconds without games, and MiB. A
    runner that is not installed has none.
    """

    name: str
    slots: int
    refusal: str = ""
    games_per_second: float | None = None
    ply_micros: float | None = None
    fixed_seconds: float | None = None
    memory: float | None = None

    def format_cells(self) -> tuple[str, str, str, str]:
        """Return the values as text, empty if unknown; without values the first cell says why."""
        if self.games_per_second is None:
            return ("refused" if self.refusal else "not installed", "", "", "")
        return (
            f"{self.games_per_second:,.0f}",
            _format("{:.1f}", self.ply_micros),
            _format("{:.2f} s", self.fixed_seconds),
            _format("{:.0f} MiB", self.memory),
        )


def _format(pattern: str, value: float | None) -> str:
    return "" if value is None else pattern.format(value)


class _Player:
    """A bot or an engine that answers immediately, with the bare loop's requests of a game."""

    def __init__(self, kind: str, program: Path, requests: Sequence[tuple[int, bytes]]) -> None:
        self.kind = kind
        self.program = program
        self.plies = len(requests)
        self.bare_seconds = math.inf
        """Seconds per ply in the fastest game of the bare loop so far."""
        self._requests = requests

    def time_bare_loop(self) -> None:
        """Play some games of the bare loop on one core."""
        with one_core(), closing(BareLoop(self.program, self._requests)) as loop:
            fastest = min(loop.play() for _ in range(_BARE_GAMES))
        self.bare_seconds = min(self.bare_seconds, fastest)


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield a row for each runner, with its values or the reason why there are none."""
    if shutil.which("cc") is None:
        yield "whole runs", _NO_COMPILER, ""
        return
    for row in compare(RUNNERS):
        what = f"{row.name}, {row.slots} slot{'s' if row.slots > 1 else ''}"
        rate, micros, fixed, memory = row.format_cells()
        if row.games_per_second is None:
            yield what, rate, row.refusal or _REMEDY
        else:
            more = f"; start and end {fixed}, {memory}" if memory else ""
            yield what, f"{rate} games/s", f"{micros} µs per ply{more}"


def compare(runners: Sequence[Runner]) -> Iterator[Row]:
    """Yield a row for each runner and number of slots, and in the end for the bare loops."""
    cores = sorted(find_usable_cores().numbers)
    with _make_players() as (bot, engine):
        for slots in _SLOTS:
            for runner in runners:
                if slots <= min(len(cores), runner.most_slots):
                    player = engine if runner.plays_chess else bot
                    yield _measure(runner, player, cores[:slots])
        for player in (bot, engine):
            player.time_bare_loop()
            bare = player.bare_seconds
            rate = 1 / bare / player.plies
            yield Row(f"bare loop, {player.kind}", 1, "", rate, 1e6 * bare)


@contextmanager
def _make_players() -> Iterator[tuple[_Player, _Player]]:
    """Compile our bot and an engine whose game has as many plies."""
    with instant_bot() as bot:
        setup = setup_of(bot, Isolation())
        game = play_game(setup)
        plies = len(game.plies)
        with compile_engine(plies) as engine:
            yield (
                _Player("bots", bot, list_requests(game, setup)),
                _Player("engines", engine, list_chess_requests(plies)),
            )


def _measure(runner: Runner, player: _Player, cores: Sequence[int]) -> Row:
    """Return the row of a runner with a slot on each core."""
    slots = len(cores)
    if not runner.is_installed():
        return Row(runner.name, slots)
    play = partial(time_match, runner, player.program, cores)
    try:
        lengths = find_lengths(play)
        speed = measure_speed(play, lengths)
        player.time_bare_loop()
        check_speed(speed.games_per_second, slots, player.plies, player.bare_seconds)
        memory = measure_memory(runner, player.program, cores, lengths[0])
    except FigureError as error:
        return Row(runner.name, slots, str(error))
    ply = compute_ply_time(speed.games_per_second, slots, player.plies)
    return Row(
        runner.name, slots, "", speed.games_per_second, 1e6 * ply, speed.fixed_seconds, memory
    )


def list_chess_requests(plies: int) -> list[tuple[int, bytes]]:
    """Return the shortest UCI requests for a game; no runner can do with less."""
    return [
        (
            ply % 2,
            f"position fen 8/8/8/8/8/8/8/8 {'wb'[ply % 2]} - - 0 {ply // 2 + 1}\n"
            "go movetime 1000\n".encode(),
        )
        for ply in range(plies)
    ]


@contextmanager
def compile_engine(plies: int) -> Iterator[Path]:
    """Compile an engine that knows a game of this many plies; yield its path during the block."""
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        folder.chmod(0o755)
        engine = folder / "instant_uci"
        source = Path(__file__).parent / "instant_uci.c"
        line = f'-DLINE="{" ".join(make_line(plies))}"'
        subprocess.run(["cc", "-O2", "-o", engine, line, source], check=True)
        yield engine


@click.command()
def main() -> None:
    """Print one table in Markdown, row by row; exit with 1 if a figure was refused."""
    if shutil.which("cc") is None:
        raise click.ClickException(_NO_COMPILER)
    meter = LoadMeter()
    refused = False
    print("| " + " | ".join(_HEADINGS) + " |\n|---|" + "--:|" * (len(_HEADINGS) - 1))
    for row in compare(RUNNERS):
        print("| " + " | ".join((row.name, str(row.slots), *row.format_cells())) + " |", flush=True)
        if row.refusal:
            click.echo(f"{row.name}: refused: {row.refusal}", err=True)
        elif row.games_per_second is None:
            click.echo(f"{row.name}: not installed, {_REMEDY}", err=True)
        refused = refused or bool(row.refusal)
        warn_if_busy(meter.lap(), f"during {row.name}")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.peers")
