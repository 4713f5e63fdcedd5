"""Measures what a watcher costs a ply: the worker's process with and without one, in turn.

With a watcher the process writes the game ten times a second, and another process reads it as the
server does. Bots in C answer immediately, so plies are as short as possible. Ten writes a second
cost less than the noise of the machine, so the game is written ten times as often, and a tenth of
the difference counts: the median over blocks of games with and without, in turn.
"""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.ply import instant_bot, one_core, setup_of
from pwtourney.executor.broadcast import (
    Broadcast,
    Slot,
    describe_game,
    pack_broadcast,
    prepare_broadcasts,
)
from pwtourney.match import BotPool, GameLoop, GameSetup, PlayedGame, play_loop
from pwtourney.sandbox.isolation import Isolation

__all__ = ["rows"]

_BLOCK_SECONDS = 0.4
_BLOCKS = 24
_SAMPLES = 1000
_PERIOD = 0.1
_TIMES = 10
"""The factor by which writing is more frequent."""

_LOOK = """\
import sys, time
from pathlib import Path
from pwtourney.arena.watch.running_games import SlotReader
from pwtourney.rules import find_edition
reader, edition = SlotReader(Path(sys.argv[1])), find_edition("original")
while True:
    reader.look(edition)
    time.sleep(0.1)
"""


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target."""
    if shutil.which("cc") is None:
        yield "a watched ply", "needs a C compiler (cc)", ""
        return
    with instant_bot() as bot, tempfile.TemporaryDirectory() as directory:
        live, setup = Path(directory) / "live", setup_of(bot, Isolation())
        prepare_broadcasts(live)
        with (
            closing(BotPool()) as pool,
            _reader(live),
            one_core(),
            closing(Broadcast(Slot(str(live), 0))) as broadcast,
        ):
            _play_block(setup, pool, broadcast, _PERIOD)  # the broadcast notices the watcher
            ratios, alone = [], []
            for block in range(_BLOCKS):
                periods = (0.0, _PERIOD / _TIMES)
                order = periods if block % 2 else periods[::-1]
                seconds = {period: _play_block(setup, pool, broadcast, period) for period in order}
                alone.append(seconds[0.0])
                ratios.append(seconds[_PERIOD / _TIMES] / seconds[0.0])
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            sample = _time_sample(setup, pool)
    yield "the worker's work for a ply that nobody watches", f"{1e6 * min(alone):.1f} µs", ""
    more = (median(ratios) - 1) / _TIMES
    yield "... with a watcher", f"{100 * more:+.2f} %", "at most 2 %"
    share = 100 * sample / _PERIOD
    yield "a sample of a game, ten times a second", f"{1e6 * sample:.0f} µs: {share:.2f} %", ""


@contextmanager
def _reader(live: Path) -> Iterator[None]:
    """Run another process that reads the games like the server, during the block."""
    process = subprocess.Popen([sys.executable, "-c", _LOOK, str(live)], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _play_block(setup: GameSetup, pool: BotPool, broadcast: Broadcast, period: float) -> float:
    """Return our CPU seconds per ply in some games.

    The game is written every `period` seconds, or never if it is 0.
    """
    signal.setitimer(signal.ITIMER_REAL, period, period)
    plies, began, used = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < _BLOCK_SECONDS:
        loop = GameLoop(PlayedGame(setup))
        broadcast.follow(0, 0, loop)
        game = play_loop(loop, pool)
        assert not game.faults, game.faults
        plies += len(game.plies)
    return (time.process_time() - used) / plies


def _time_sample(setup: GameSetup, pool: BotPool) -> float:
    """Return the seconds for converting a whole game into the bytes of a file."""
    loop = GameLoop(PlayedGame(setup))
    play_loop(loop, pool)
    fastest = 1.0
    for _ in range(_SAMPLES):
        began = time.perf_counter()
        pack_broadcast(describe_game(0, 0, loop))
        fastest = min(fastest, time.perf_counter() - began)
    return fastest
