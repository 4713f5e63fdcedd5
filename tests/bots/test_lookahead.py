"""Alpha-beta compared with what it saves: every line thought out, with the signs by seat."""

from itertools import count

import pytest
from pwtourney_bots.lookahead import Lookahead
from pwtourney_bots.prospects import best_placement, prospect

from pwtourney.clock import Limit
from pwtourney.notation import read_action
from pwtourney.rules import ADVANCE, Action, Edition, SplitMix64, State
from pwtourney.sdk import Turn
from tests.bots.games import Ending, answer, ready
from tests.rules.positions import EDITIONS, ORIGINAL


def moves(state: State) -> list[Action]:
    """List what is looked at, from all legal actions."""
    actions = list(state.legal_actions())
    if state.pending:
        return [best_placement(state, [each for each in actions if each.kind == "leather"])]
    of_patch: dict[int, list[Action]] = {}
    for each in actions[1:]:
        of_patch.setdefault(each.patch, []).append(each)
    return [*(best_placement(state, each) for each in of_patch.values()), ADVANCE]


def value(state: State, plies: int) -> float:
    """Return what a position is worth to seat 0: the best of all lines, for each in its turn."""
    if state.winner is not None:
        return state.score(0) - state.score(1) + (1e9 if state.winner == 0 else -1e9)
    if plies <= 0 and not state.pending:
        return prospect(state, 0) - prospect(state, 1)
    values = [value(state.apply(each), plies - 1) for each in moves(state)]
    return max(values) if state.to_move == 0 else min(values)


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS, ids=lambda each: each.name)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_it_plays_what_all_lines_say(edition: Edition, depth: int) -> None:
    """In every position of a game by chance its action is worth as much as the best one."""
    bot = ready(Lookahead(), edition, depth=depth)
    stream = SplitMix64(3)
    state = State.start(edition, 3)
    while actions := state.legal_actions():
        sign = 1 if state.to_move == 0 else -1
        best = max(sign * value(state.apply(each), depth - 1) for each in moves(state))
        chosen = bot.choose(Turn(state, (), None, Limit()))
        assert sign * value(state.apply(chosen), depth - 1) == pytest.approx(best)
        state = state.apply(actions[stream.below(len(actions))])


@pytest.mark.thorough
@pytest.mark.slow
def test_it_sees_who_wins_at_the_end(endings: list[Ending]) -> None:
    """Of 25 ends that were thought out with all actions it wins 22 or more."""
    bot = ready(Lookahead(), ORIGINAL, depth=6)
    assert sum(answer(bot, state) in winning for state, winning in endings) >= 22


def test_it_stops_when_its_time_is_up() -> None:
    """With a clock that moves a tenth of a second at each look it stops at the tenth look."""
    ticks = count()
    bot = ready(Lookahead(), ORIGINAL)
    bot.clock = lambda: next(ticks) / 10
    said: list[str] = []
    bot.say = said.append
    answer(bot, State.start(ORIGINAL, 1), Limit(move_ms=1133))
    assert next(ticks) == 11  # at the start, and ten times while it searched
    assert said


def test_it_says_the_line_that_it_plays_for() -> None:
    """The line has all plies except up to eight, and ends with the margin that it claims."""
    bot = ready(Lookahead(), ORIGINAL, depth=4)
    said: list[str] = []
    bot.say = said.append
    state = State.start(ORIGINAL, 1)
    choice = answer(bot, state)
    for depth, text in enumerate(said, 1):
        words = text.split()
        line = words[words.index("line") + 1].split(",")
        after = state
        for action in line:
            after = after.apply(read_action(action, after))
        # a special patch is placed before a position is looked at
        assert len(line) == depth
        margin = prospect(after, 0) - prospect(after, 1)
        assert float(words[3]) == pytest.approx(margin, abs=0.051)
    assert read_action(line[0], state) == choice


def test_without_time_it_plays_what_looks_best_at_once() -> None:
    """With 20 ms, all of which are for the way, it still does not play the first thing it sees."""
    bot = ready(Lookahead(), ORIGINAL)
    for seed in range(20):
        state = State.start(ORIGINAL, seed)
        best = max(prospect(state.apply(each), 0) for each in moves(state))
        chosen = answer(bot, state, Limit(move_ms=20))
        assert prospect(state.apply(chosen), 0) == best


@pytest.mark.slow
def test_it_tells_the_margin_of_games_that_it_sees_the_end_of() -> None:
    """In points, without what winning counts: what the last move says is what comes."""
    said: list[str] = []
    bot = ready(Lookahead(), ORIGINAL, depth=4)
    bot.say = said.append
    state = State.start(ORIGINAL, 5)
    while not state.is_over:
        seat = state.to_move
        said.clear()
        state = state.apply(answer(bot, state))
        if said:
            told = seat, float(said[-1].split()[3])
    seat, expected = told
    assert expected == state.score(seat) - state.score(1 - seat)
