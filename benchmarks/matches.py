"""Whole matches of a runner, from its start to the last stored game: games per second, and memory.

Two matches of different lengths are compared, so that starting and ending do not count. Some
runners check for their last game only once a second, so a match ends when its last game is written.
"""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from benchmarks.memory import find_peak
from pwtourney.errors import PwtourneyError

__all__ = [
    "FigureError",
    "Match",
    "MatchTimes",
    "Runner",
    "Speed",
    "check_speed",
    "compute_ply_time",
    "find_lengths",
    "measure_memory",
    "measure_speed",
    "time_match",
]

_ROUNDS = 2
_SHORT_SECONDS = 2.0
_TIMES_LONGER = 5
_FIRST_GAMES = 10
_GROWTH = (2, 10)
_MOST_GAMES = 100_000
"""No runner plays this many games in two seconds."""

_MOST_SECONDS = 120.0
"""A match that takes longer is killed, because its runner hangs."""


class Match(NamedTuple):
    """The match that a runner plays: a program against itself, on some cores, in an empty folder.

    One game is played at a time on each core.
    """

    program: Path
    games: int
    cores: tuple[int, ...]
    folder: Path


class Runner(NamedTuple):
    """A runner: its name, its command for a match, and a function that counts games in a folder.

    A `record` is a file in the folder to which the runner appends every game; then only the
    time until its last write counts. Engines play chess, bots play Patchwork.
    """

    name: str
    is_installed: Callable[[], bool]
    make_command: Callable[[Match], Sequence[str]]
    count_games: Callable[[Path], int]
    record: str | None = None
    plays_chess: bool = False
    most_slots: int = 1_000


class MatchTimes(NamedTuple):
    """Seconds from the start of a match to the end of its last game and to that of its process."""

    played: float
    whole: float


class Speed(NamedTuple):
    """Games per second, and the seconds that a match takes without its games."""

    games_per_second: float
    fixed_seconds: float


class FigureError(RuntimeError):
    """A runner's speed is unknown, because its match failed or the value is impossible."""


def time_match(runner: Runner, program: Path, cores: Sequence[int], games: int) -> MatchTimes:
    """Play a match and return its times. Raise FigureError if not all of its games were played."""
    # files have wall-clock times
    began, began_at = time.perf_counter(), time.time()
    with _start(runner, program, cores, games) as (process, folder):
        process.wait()
        whole = time.perf_counter() - began
        written = folder / runner.record if runner.record else None
        if written is None or not written.exists():
            return MatchTimes(whole, whole)
        return MatchTimes(min(whole, written.stat().st_mtime - began_at), whole)


def measure_memory(runner: Runner, program: Path, cores: Sequence[int], games: int) -> float:
    """Return the peak memory of a runner in MiB, without its bots or engines."""
    with _start(runner, program, cores, games) as (process, _):
        return find_peak(process.pid, program) / (1 << 20)


@contextmanager
def _start(
    runner: Runner, program: Path, cores: Sequence[int], games: int
) -> Iterator[tuple["subprocess.Popen[bytes]", Path]]:
    """Start a match in a new folder; at its end check that all of its games were played."""
    modules = [str(Path(__file__).parents[1]), os.getenv("PYTHONPATH")]
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryFile() as errors:
        folder = Path(directory)
        folder.chmod(0o755)  # a bot may run as another user
        process = subprocess.Popen(
            runner.make_command(Match(program, games, tuple(cores), folder)),
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, modules))},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        limit = Timer(_MOST_SECONDS, process.kill)
        limit.start()
        try:
            yield process, folder
            process.wait()
        finally:
            limit.cancel()
            process.kill()
            process.wait()
        played = _count_games(runner, folder)
        if process.returncode or played != games:
            errors.seek(0)
            last_words = errors.read().decode(errors="replace").strip()[-500:]
            if process.returncode == -signal.SIGKILL:
                last_words += f" (a match is killed after {_MOST_SECONDS:g} s)"
            raise FigureError(
                f"{played} of {games} games were played, exit code "
                f"{process.returncode}: {last_words or 'no error message'}"
            )


def _count_games(runner: Runner, folder: Path) -> int:
    """Return the number of games that a runner has stored, 0 if there is no readable file."""
    try:
        return runner.count_games(folder)
    except (OSError, PwtourneyError):
        return 0


def find_lengths(
    play: Callable[[int], MatchTimes], seconds: float = _SHORT_SECONDS
) -> tuple[int, int]:
    """Return the games of a short and of a long match, both even: two and ten seconds of play.

    The number of games grows until the additional time, not the whole time, is long enough,
    because most of a short match is its start. Raises FigureError if it never is.
    """
    games, games_before, seconds_before = _FIRST_GAMES, 0, 0.0
    while games <= _MOST_GAMES:
        played = play(games).played
        estimate = games * (played - seconds_before) / (games - games_before)
        if games_before and estimate >= 0.8 * seconds:
            return games, games * _TIMES_LONGER
        games_before, seconds_before = games, played
        least, most = _GROWTH
        growth = min(most, max(least, seconds / estimate)) if estimate > 0 else most
        games = 2 * round(games * growth / 2)
    raise FigureError(
        f"{games_before:,} games took {seconds_before:.3f} s: no runner plays so fast"
    )


def measure_speed(
    play: Callable[[int], MatchTimes], lengths: tuple[int, int], rounds: int = _ROUNDS
) -> Speed:
    """Return the speed, measured with a short and a long match; the fastest round counts.

    Raises FigureError if the long match took no longer than the short one.
    """
    few, many = lengths
    times = [(play(few), play(many)) for _ in range(rounds)]
    short = min(short.played for short, _ in times)
    long = min(long.played for _, long in times)
    if long <= short:
        raise FigureError(
            f"a match of {many} games took {long:.3f} s, no longer than one of {few} games: "
            f"{short:.3f} s"
        )
    games_per_second = (many - few) / (long - short)
    fixed = min(short.whole for short, _ in times) - few / games_per_second
    return Speed(games_per_second, max(0.0, fixed))


def compute_ply_time(games_per_second: float, slots: int, plies: int) -> float:
    """Return the seconds for a ply in a slot, in games of this many plies."""
    return slots / games_per_second / plies


def check_speed(games_per_second: float, slots: int, plies: int, bare_seconds: float) -> None:
    """Raise FigureError if a ply takes less than in the bare loop, which is impossible."""
    seconds = compute_ply_time(games_per_second, slots, plies)
    if seconds < bare_seconds:
        raise FigureError(
            f"{games_per_second:,.0f} games/s would be {1e6 * seconds:.1f} µs per ply, faster than "
            f"the bare loop of the same run, which takes {1e6 * bare_seconds:.1f} µs. The times of "
            "its matches were wrong; close what else uses the machine and measure again"
        )
