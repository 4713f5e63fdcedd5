"""Compile what is to be compiled, once for an installation: ``python -m pwtourney.simulate``."""

import sys

from pwtourney.rules import State, find_edition
from pwtourney.simulate import Simulator

__all__ = ["main"]


def main() -> int:
    """Play a game each way; return 1 if that could not be compiled."""
    start = State.start(find_edition("original"), 1)
    simulator = Simulator(start.edition)
    for policy in (False, True):
        simulator.playouts(start, 1, seed=1, policy=policy)
    simulator.follow(start, [0])
    return 0 if simulator.is_compiled else 1


if __name__ == "__main__":
    sys.exit(main())
