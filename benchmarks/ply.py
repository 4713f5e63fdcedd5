"""What a ply costs beside a bare loop that only writes, waits and reads, in the same run."""

import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.calibration import best_of
from pwtourney.clock import TimeControl
from pwtourney.match import BotSpec, GameSetup, play_game
from pwtourney.process import Isolation, Launch
from pwtourney.rules import State, deal, find_edition

__all__ = ["games", "one_core", "rows"]

_GAMES = 20
_REQUEST = b"position %b\ngo movetime 1000\n" % (b"x" * 160)


def rows() -> list[tuple[str, str, str]]:
    """Return measurement, value and target; all on one core, with a bot in C."""
    if shutil.which("cc") is None:
        return [("a ply", "needs a C compiler (cc)", "")]
    with one_core(), tempfile.TemporaryDirectory() as folder:
        bot = Path(folder) / "instant"
        source = Path(__file__).parent / "instant.c"
        subprocess.run(["cc", "-O2", "-w", "-o", bot, source], check=True)
        bare = best_of(lambda: _bare_loop(bot), 3)
        ply = best_of(lambda: games(bot, Isolation()), 3)
    return [
        ("a bare loop: write, poll, read", f"{bare * 1e6:.1f} µs", ""),
        ("a ply of a game, start of the bots aside", f"{ply / bare:.1f} times that", "at most 3"),
    ]


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and those that it starts to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _bare_loop(bot: Path) -> float:
    """Return the seconds of one request and answer, with a deadline and nothing else."""
    process = subprocess.Popen([bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    writer, reader = process.stdin.fileno(), process.stdout.fileno()
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    started = time.perf_counter()
    for _ in range(5000):
        os.write(writer, _REQUEST)
        poll.poll(1000)
        os.read(reader, 65536)
    seconds = (time.perf_counter() - started) / 5000
    process.stdin.close()
    process.wait()
    process.stdout.close()
    return seconds


def games(bot: Path, isolation: Isolation) -> float:
    """Return the seconds of a ply within games, from the first position to the last."""
    edition = find_edition("original")
    launch = Launch((str(bot),), reads=(str(bot.parent),))
    spec = BotSpec("instant", launch, (), TimeControl(1000), isolation=isolation)
    seconds = 0.0
    plies = 0
    for seed in range(_GAMES):
        setup = GameSetup((spec, spec), edition, deal(edition, seed), (1, 2))
        watch = _Stopwatch()
        game = play_game(setup, watch)
        plies += len(game.plies) - 1
        seconds += watch.last - watch.first
    return seconds / plies


class _Stopwatch:
    """Notes when the first ply was over and when the last."""

    def __init__(self) -> None:
        self.first = self.last = 0.0

    def __call__(self, _: State, __: object) -> None:
        self.last = time.perf_counter()
        self.first = self.first or self.last
