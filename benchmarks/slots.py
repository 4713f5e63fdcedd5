"""Measures how much faster two parallel games are than one, with instant bots."""

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain

from benchmarks.ply import instant_bot, setup_of
from pwtourney.executor import LocalExecutor
from pwtourney.match import GameSetup, Job, PairResult
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.isolation import Isolation

__all__ = ["rows"]

_PAIRS = 600
_ROUNDS = 5


_WAYS = {"persistent": "600", "forked": "250", "per-game": ""}
"""The settings of `processes`, and the target of games per second in one slot."""


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target, for each setting of `processes`."""
    if shutil.which("cc") is None or find_usable_cores().slots < 2:
        yield "two slots", "needs a C compiler (cc) and two cores", ""
        return
    with instant_bot() as bot:
        for way, target in _WAYS.items():
            setup = setup_of(bot, Isolation(), way)
            pairs = _PAIRS if way == "persistent" else _PAIRS // 4
            rates = [(_rate(1, setup, pairs), _rate(2, setup, pairs)) for _ in range(_ROUNDS)]
            single, double = (max(column) for column in zip(*rates, strict=True))
            yield f"games a second in one slot, processes {way}", f"{single:.0f}", target
            yield "... in two slots on two cores", f"{double / single:.2f} times that", "≥ 1.8"


def _rate(workers: int, setup: GameSetup, pairs: int) -> float:
    """Return the games per second of this many workers, once all are working."""
    ahead = 4 * workers
    work = _jobs(setup, pairs + ahead)
    with closing(LocalExecutor(workers)) as executor:
        outcomes = chain.from_iterable(executor.run(lambda: next(work, None)))
        for number, outcome in enumerate(outcomes, 1):
            assert isinstance(outcome, PairResult)
            if number == ahead:
                began = time.perf_counter()
            if number == pairs:
                break
        return 2 * (pairs - ahead) / (time.perf_counter() - began)


def _jobs(setup: GameSetup, count: int) -> Iterator[Job]:
    first, second = setup.bots
    for number in range(count):
        yield Job(number, (setup, setup._replace(bots=(second, first))))
