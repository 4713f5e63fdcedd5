"""Measures the speed of the rules, calibrated by plain arithmetic in the same process."""

import random
import time
from collections.abc import Callable, Iterator

from benchmarks.calibration import best_of, calibration
from pwtourney.notation import position_text
from pwtourney.rules import Edition, State, find_edition
from pwtourney.rules.playout import play_out

__all__ = ["rows"]

_GAMES, _TIMES = 50, 15


def time_playouts(edition: Edition, games: int, choose: Callable[[int], int]) -> float:
    """Return the seconds of random games in which legal actions are counted and one is drawn."""
    started = time.perf_counter()
    for seed in range(games):
        play_out(State.start(edition, seed), choose)
    return time.perf_counter() - started


def time_plies(edition: Edition, games: int, choose: Callable[[int], int]) -> float:
    """Return the seconds of the same games with a position and an action for every ply."""
    started = time.perf_counter()
    for seed in range(games):
        state = State.start(edition, seed)
        while count := len(actions := state.legal_actions()):
            state = state.apply(actions[choose(count)])
    return time.perf_counter() - started


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target."""
    for name in ("original", "express"):
        edition = find_edition(name)
        time_playouts(edition, _GAMES, _draws())  # fills tables that are computed once
        rounds = [
            (time_playouts(edition, _GAMES, _draws()), time_plies(edition, _GAMES, _draws()))
            for _ in range(_TIMES)
        ]
        at_once, by_plies = (min(seconds) for seconds in zip(*rounds, strict=True))
        rate = _GAMES / at_once * best_of(calibration)
        target, faster = ("at least 500", "at least 1.3") if name == "original" else ("", "")
        yield f"random playouts a second × calibration, {name}", f"{rate:.0f}", target
        yield "... compared with the same ply by ply", f"{by_plies / at_once:.2f} times", faster
    state = State.start(find_edition("original"), 2014)
    actions = state.legal_actions()
    middle = len(actions) // 2
    for what, call in (
        ("count the legal actions", lambda: len(state.legal_actions())),
        ("pick one of them", lambda: actions[middle]),
        ("apply one", lambda: state.apply(actions[middle])),
        ("text of the position", lambda: position_text(state)),
    ):
        yield what, f"{_micros(call):.1f} µs", ""


def _draws() -> Callable[[int], int]:
    """Return a function that draws a number below its argument, the same sequence every time."""
    draw = random.Random(1).random
    return lambda count: int(draw() * count)


def _micros(call: Callable[[], object]) -> float:
    def once() -> float:
        started = time.perf_counter()
        for _ in range(2000):
            call()
        return (time.perf_counter() - started) / 2000 * 1e6

    return best_of(once)
