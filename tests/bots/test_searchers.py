"""The bots that grow a tree: what they find, what they keep, and when they stop."""

import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from pwtourney_bots.champion import Champion
from pwtourney_bots.mcts import Mcts
from pwtourney_bots.searcher import Searcher

from pwtourney.clock import Limit
from pwtourney.rules import State
from pwtourney.sdk import Turn
from tests.bots.games import answer, endings, ready
from tests.rules.positions import EXPRESS, ORIGINAL

pytestmark = pytest.mark.timeout(300)  # the first one compiles
SEARCHERS = pytest.mark.parametrize("bot", [Mcts, Champion])


def nodes(said: list[str]) -> int:
    """Return how many rounds a bot says it went."""
    return int(said[-1].split()[1])


@SEARCHERS
def test_it_sees_who_wins_at_the_end(bot: type[Searcher]) -> None:
    """Of 25 ends that were thought out with all actions it wins 23 or more."""
    searcher = ready(bot(), ORIGINAL, rounds=1000)
    assert sum(answer(searcher, state) in winning for state, winning in endings(ORIGINAL, 25)) >= 23


@SEARCHERS
def test_it_stops_when_its_time_is_up(bot: type[Searcher]) -> None:
    """With a clock that moves 10 ms at each look it stops at most one look late."""
    ticks = count()
    searcher = ready(bot(), ORIGINAL)
    searcher.clock = lambda: next(ticks) / 100
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=1000))
    assert 3 <= next(ticks) <= 0.88 * 100 + 2


@SEARCHERS
def test_it_goes_as_many_rounds_as_it_is_told(bot: type[Searcher]) -> None:
    """A hundred are too few for the choice to be decided early; the clock does not count."""
    searcher = ready(bot(), ORIGINAL, rounds=100)
    said: list[str] = []
    searcher.say = said.append
    answer(searcher, State.start(ORIGINAL, 1), Limit(move_ms=1))
    assert nodes(said) == 100


def test_what_is_decided_is_played_at_once() -> None:
    """With a million rounds it stops once no other action can be looked at as often."""
    searcher = ready(Champion(), ORIGINAL, rounds=1_000_000)
    said: list[str] = []
    searcher.say = said.append
    state, winning = next(
        each for each in endings(ORIGINAL, 25) if len(each[0].legal_actions()) < 4
    )
    assert answer(searcher, state) in winning
    assert nodes(said) < 600_000


@SEARCHERS
def test_the_tree_is_kept_for_what_follows(bot: type[Searcher]) -> None:
    """After its own action and the answer to it, what was looked at there is not lost."""
    searcher = ready(bot(), ORIGINAL, rounds=3000)
    said: list[str] = []
    searcher.say = said.append
    state = State.start(ORIGINAL, 1)
    first = answer(searcher, state)
    state = state.apply(first)
    played = []
    while state.to_move == 1:
        reply = answer(ready(bot(), ORIGINAL, rounds=3000), state)
        played.append(reply)
        state = state.apply(reply)
    searcher.choose(Turn(state, tuple(played), None, Limit()))
    assert searcher.looked > nodes(said) + 50


@SEARCHERS
def test_a_position_out_of_the_blue_is_thought_about_anew(bot: type[Searcher]) -> None:
    """What was found elsewhere does not count there."""
    searcher = ready(bot(), ORIGINAL, rounds=500)
    said: list[str] = []
    searcher.say = said.append
    for seed in (1, 2, 1):
        action = answer(searcher, State.start(ORIGINAL, seed))
        assert action in State.start(ORIGINAL, seed).legal_actions()
        assert searcher.looked == nodes(said)


def test_a_hidden_order_is_not_looked_at() -> None:
    """What a bot plays does not depend on the late patches that it cannot know."""
    one = State.start(EXPRESS, 1)
    assert one.late
    other = one._replace(late=tuple(reversed(one.late)))
    first, second = (
        answer(ready(Champion(), EXPRESS, rounds=500), each.public()) for each in (one, other)
    )
    assert first == second


def test_without_numba_it_says_what_to_install() -> None:
    """In a Python that cannot import it the error ends with the command."""
    code = "import sys; sys.modules['numba'] = None; import pwtourney_bots.mcts"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "this bot needs numba: pip install 'pwtourney[fast]'" in done.stderr


def test_compiled_once_it_is_ready_in_the_sandbox(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """`python -m pwtourney_bots` is enough: where nothing can be written nothing is compiled."""
    needs("bwrap")
    subprocess.run([sys.executable, "-m", "pwtourney_bots"], check=True)
    code = (
        "from pwtourney.rules import State, find_edition\n"
        "from pwtourney.sdk import GameStart\n"
        "from pwtourney_bots.champion import Champion\n"
        "from pwtourney_bots import tree\n"
        "Champion().new_game(GameStart(find_edition('express'), 0, 1))\n"
        "stats = tree.grow.stats\n"
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))\n"
    )
    sandbox = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    sandbox += ["--bind", str(tmp_path), str(tmp_path)]
    sandbox += ["--setenv", "HOME", str(tmp_path), "--setenv", "TMPDIR", str(tmp_path)]
    done = subprocess.run(
        [*sandbox, sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "1 0\n"
