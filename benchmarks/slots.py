"""How much faster two games at a time are than one, with bots that answer at once."""

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain

from benchmarks.ply import instant_bot, setup_of
from pwtourney.executor import LocalExecutor
from pwtourney.executor.local import available_cores
from pwtourney.match import GameSetup, Job, PairResult
from pwtourney.sandbox.isolation import Isolation

__all__ = ["rows"]

_PAIRS = 600
_ROUNDS = 5


def rows() -> list[tuple[str, str, str]]:
    """Return measurement, value and target: persistent processes, and a new one for each game."""
    if shutil.which("cc") is None or len(available_cores()) < 2:
        return [("two slots", "needs a C compiler (cc) and two cores", "")]
    table = []
    with instant_bot() as bot:
        for persistent, what in ((True, "persistent"), (False, "per-game")):
            setup = setup_of(bot, Isolation(), persistent=persistent)
            pairs = _PAIRS if persistent else _PAIRS // 4
            rates = [(_rate(1, setup, pairs), _rate(2, setup, pairs)) for _ in range(_ROUNDS)]
            one, two = (max(column) for column in zip(*rates, strict=True))
            table.append((f"games a second in one slot, processes {what}", f"{one:.0f}", ""))
            table.append(("... in two slots on two cores", f"{two / one:.2f} times that", "≥ 1.8"))
    return table


def _rate(workers: int, setup: GameSetup, pairs: int) -> float:
    """Return how many games a second so many workers play, once all are at work."""
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
    one, two = setup.bots
    for number in range(count):
        yield Job(number, (setup, setup._replace(bots=(two, one))))
