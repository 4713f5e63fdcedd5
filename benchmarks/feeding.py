"""Measures how many slots the runner can feed: 256 simulated slots, several kinds of games."""

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.filling import league
from benchmarks.simulated import Feeding, SimulatedClock, SimulatedExecutor
from pwtourney.match import Job
from pwtourney.store import FaultLogs, ResultsFolder
from pwtourney.tournament import (
    Event,
    load_tournament,
    make_plan,
    open_results,
    run_tournament,
)
from pwtourney.tournament.events import LogWriter, RunningNote

__all__ = ["KINDS", "feed", "rows"]

_SLOTS = 256
_GAMES_A_SECOND = 2_000
_MOST_WAITING = 0.01
_PAIRS = 12_000
_SHORT = 0.004
_TAIL = 1.5
"""The exponent of a Pareto distribution that has a mean but no variance."""

_LONGEST = 100.0
"""The duration of the longest pair in means; without a limit, one pair could dominate a run."""

KINDS: dict[str, Callable[[random.Random], float]] = {
    "of one length": lambda rng: rng.uniform(0.9, 1.1),
    "of any length": lambda rng: rng.expovariate(1.0),
    "heavy-tailed": lambda rng: min(_LONGEST, rng.paretovariate(_TAIL) * (_TAIL - 1) / _TAIL),
}
"""Random durations of pairs, with a mean of 1."""

_SETTINGS = {"heavy-tailed": ("max_faults=never",)}
"""Settings that docs/scale.md recommends if some pairs last a hundred times as long as others."""


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the maximal speed, and the slots' waiting time at the required speed."""
    fed = feed(_SLOTS, _SHORT, KINDS["of one length"], _PAIRS)
    name = f"{_SLOTS} simulated slots, pairs of {1e3 * _SHORT:g} ms: games a second"
    yield name, f"{fed.games_per_second:,.0f}", f"at least {_GAMES_A_SECOND:,}"
    yield "... the runner's work for a game", f"{1e6 * fed.work_per_game:.0f} µs", ""
    seconds = 2 * _SLOTS / _GAMES_A_SECOND
    for kind, draw in KINDS.items():
        for bots in (10, 2):
            settings = _SETTINGS.get(kind, ())
            fed = feed(_SLOTS, seconds, draw, _PAIRS, bots, settings)
            name = f"pairs of {1e3 * seconds:.0f} ms, {kind}, {bots} bots: the longest wait"
            yield name, f"{100 * fed.longest_wait:.2f} %", f"≤ {100 * _MOST_WAITING:g} %"
            yield "... games a second", f"{fed.games_per_second:,.0f}", ""


def feed(
    slots: int,
    mean: float,
    draw: Callable[[random.Random], float],
    pairs: int,
    bots: int = 10,
    settings: Sequence[str] = (),
) -> Feeding:
    """Play this many simulated pairs, which last `mean` seconds on average, in simulated slots.

    The `settings` change the tournament, like those of `pwtourney run`.
    """
    clock, rng = SimulatedClock(), random.Random(slots)
    drawn = [draw(rng) for _ in range(pairs)]
    scale = mean * len(drawn) / sum(drawn)  # the mean of a heavy-tailed sample is arbitrary

    def last(job: Job) -> float:
        return scale * drawn[job.pair % pairs]

    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory) / "league.yaml"
        league(config, bots, 2 * pairs)
        plan = make_plan(load_tournament(config, settings), seed=1)
        folder = ResultsFolder(Path(directory) / "results")
        folder.prepare()
        executor = SimulatedExecutor(slots, last, clock)
        logs = LogWriter(FaultLogs(folder.logs), folder.path, config)
        with (
            closing(open_results(folder, plan)) as store,
            closing(executor),
            RunningNote(folder.path, clock.now) as note,
        ):

            def listen(event: Event) -> None:
                for listener in (note, logs):
                    listener(event)

            run_tournament(plan, store, executor, listen, clock.now, follow=note.follow)
            return executor.feeding()
