"""How fast the rules are, calibrated by plain arithmetic in the same process."""

import random
import time
from collections.abc import Callable

from benchmarks.calibration import best_of, calibration
from pwtourney.notation import position_text
from pwtourney.rules import State, find_edition

__all__ = ["playouts", "rows"]


def playouts(edition_name: str, games: int) -> float:
    """Return the seconds that random games take: every legal action counted, one drawn."""
    edition, draw = find_edition(edition_name), random.Random(1).random
    started = time.perf_counter()
    for seed in range(games):
        state = State.start(edition, seed)
        while count := len(actions := state.legal_actions()):
            state = state.apply(actions[int(draw() * count)])
    return time.perf_counter() - started


def rows() -> list[tuple[str, str, str]]:
    """Return measurement, value and target."""
    playouts("original", 20)  # so that tables which are computed once are there
    found = []
    for name in ("original", "express"):
        ratio = max(300 / playouts(name, 300) * calibration() for _ in range(3))
        target = "at least 300" if name == "original" else ""
        found.append((f"random playouts a second × calibration, {name}", f"{ratio:.0f}", target))
    state = State.start(find_edition("original"), 2014)
    actions = state.legal_actions()
    middle = len(actions) // 2
    for what, call in (
        ("count the legal actions", lambda: len(state.legal_actions())),
        ("pick one of them", lambda: actions[middle]),
        ("apply one", lambda: state.apply(actions[middle])),
        ("text of the position", lambda: position_text(state)),
    ):
        found.append((what, f"{_micros(call):.1f} µs", ""))
    return found


def _micros(call: Callable[[], object]) -> float:
    def once() -> float:
        started = time.perf_counter()
        for _ in range(2000):
            call()
        return (time.perf_counter() - started) / 2000 * 1e6

    return best_of(once)
