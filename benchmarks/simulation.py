"""Measures the speed of simulated games, compared with the rules in the same run."""

import time
from collections.abc import Callable, Iterator

from benchmarks.calibration import best_of
from pwtourney.rules import State, find_edition
from pwtourney.simulate import Simulator

__all__ = ["rows"]

_FAST, _SLOW, _TIMES = 5000, 100, 5


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield measurement, value and target: random games and games of the policy."""
    start = State.start(find_edition("original"), 1)
    fast, slow = Simulator(start.edition), Simulator(start.edition, compiled=False)
    if not fast.is_compiled:
        yield "simulated games", "needs numba: the extra pwtourney[fast]", ""
        return
    fast.playouts(start, 1, 1)  # compiles
    for policy, what, target in ((False, "by chance", "at least 10"), (True, "by the policy", "")):

        def quick(policy: bool = policy) -> object:
            return fast.playouts(start, _FAST, 1, policy=policy)

        def plain(policy: bool = policy) -> object:
            return slow.playouts(start, _SLOW, 1, policy=policy)

        compiled, ruled = _seconds(quick) / _FAST, _seconds(plain) / _SLOW
        yield f"games a second {what}, compiled", f"{1 / compiled:,.0f}", ""
        yield "... compared with the rules", f"{ruled / compiled:.0f} times", target


def _seconds(call: Callable[[], object]) -> float:
    def once() -> float:
        began = time.perf_counter()
        call()
        return time.perf_counter() - began

    return best_of(once, _TIMES)
