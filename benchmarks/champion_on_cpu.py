"""The champion with a clock of CPU time: a bot that any version of the project can run.

As a program it measures the champion's speed: for each line that it reads, it searches the same
positions once more and prints the visits per second of CPU time.
"""

import sys
import time

from pwtourney_bots.champion import Champion
from pwtourney_bots.greedy import Greedy

from pwtourney.clock import Limit
from pwtourney.rules import State, deal, find_edition
from pwtourney.sdk import GameStart, Turn

__all__ = ["CpuChampion", "find_positions", "measure"]

_ITERATIONS = 20_000
_SEEDS = 3
_EVERY = 9


class CpuChampion(Champion):
    """Thinks for its share of CPU time, whatever the load of the machine."""

    name = "cpu-champion"
    clock = staticmethod(time.process_time)


def find_positions() -> list[State]:
    """Return every ninth position of games that `greedy` plays against itself."""
    edition, positions = find_edition("original"), []
    for seed in range(_SEEDS):
        state, bot = State.start(edition, deal(edition, seed)), Greedy()
        bot.new_game(GameStart(edition, 0, 1))
        plies = 0
        while actions := state.legal_actions():
            if plies % _EVERY == 0 and len(actions) > 1:
                positions.append(state)
            state = state.apply(bot.choose(Turn(state, (), None, Limit())))
            plies += 1
    return positions


def measure(positions: list[State]) -> float:
    """Search each position with a new tree; return the visits per second."""
    edition = find_edition("original")
    bot = Champion()
    bot.settings["iterations"] = str(_ITERATIONS)
    visits, seconds = 0, 0.0
    for state in positions:
        bot.new_game(GameStart(edition, 0, 1))
        began = time.process_time()
        bot.choose(Turn(state, (), None, Limit()))
        seconds += time.process_time() - began
        visits += bot.root_visits
    return visits / seconds


def main() -> None:
    """Answer each line with a measurement."""
    positions = find_positions()
    for _ in sys.stdin:
        print(measure(positions), flush=True)


if __name__ == "__main__":
    main()
