"""Alpha-beta search compared with plain minimax over all lines, with signs by seat."""

from itertools import count

import pytest
from pwtourney_bots.lookahead import Lookahead
from pwtourney_bots.prospects import best_placement, prospect

from pwtourney.clock import Limit
from pwtourney.notation import read_action
from pwtourney.rules import ADVANCE, Action, Edition, SplitMix64, State
from pwtourney.sdk import Turn
from tests.bundled.games import Ending, answer, ready
from tests.rules.positions import EDITIONS, ORIGINAL


def moves(state: State) -> list[Action]:
    """Return the actions that the search considers, from all legal actions."""
    actions = list(state.legal_actions())
    if state.pending:
        return [best_placement(state, [action for action in actions if action.kind == "leather"])]
    of_patch: dict[int, list[Action]] = {}
    for action in actions[1:]:
        of_patch.setdefault(action.patch, []).append(action)
    best = [best_placement(state, placements) for placements in of_patch.values()]
    return [*best, ADVANCE]


def value(state: State, plies: int) -> float:
    """Return the minimax value of a position for seat 0."""
    if state.winner is not None:
        return state.score(0) - state.score(1) + (1e9 if state.winner == 0 else -1e9)
    if plies <= 0 and not state.pending:
        return prospect(state, 0) - prospect(state, 1)
    values = [value(state.apply(action), plies - 1) for action in moves(state)]
    return max(values) if state.to_move == 0 else min(values)


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_lookahead_plays_an_action_of_minimax_value(edition: Edition, depth: int) -> None:
    """In each position of a random game its action has the same value as the best one."""
    bot = ready(Lookahead(), edition, depth=depth)
    stream = SplitMix64(3)
    state = State.start(edition, 3)
    while actions := state.legal_actions():
        sign = 1 if state.to_move == 0 else -1
        best = max(sign * value(state.apply(action), depth - 1) for action in moves(state))
        chosen = bot.choose(Turn(state, (), None, Limit()))
        assert sign * value(state.apply(chosen), depth - 1) == pytest.approx(best)
        state = state.apply(actions[stream.below(len(actions))])


@pytest.mark.thorough
@pytest.mark.slow
def test_lookahead_wins_most_solved_endgames(endings: list[Ending]) -> None:
    """Of 25 endgames that were solved over all actions it wins at least 22."""
    bot = ready(Lookahead(), ORIGINAL, depth=6)
    assert sum(answer(bot, state) in winning for state, winning in endings) >= 22


def test_lookahead_stops_when_its_time_is_up() -> None:
    """With a clock that advances 0.1 s at each look, it stops at the tenth look."""
    ticks = count()
    bot = ready(Lookahead(), ORIGINAL)
    bot.clock = lambda: next(ticks) / 10
    said: list[str] = []
    bot.say = said.append
    answer(bot, State.start(ORIGINAL, 1), Limit(move_ms=1133))
    assert next(ticks) == 11  # one at the start, and ten during the search
    assert said


def test_lookahead_reports_its_line_and_margin() -> None:
    """The line has one action for each ply of depth, and ends with the reported margin."""
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
        # a special patch would be placed before a position is evaluated
        assert len(line) == depth
        margin = prospect(after, 0) - prospect(after, 1)
        assert float(words[3]) == pytest.approx(margin, abs=0.051)
    assert read_action(line[0], state) == choice


def test_lookahead_without_time_plays_the_best_first_ply() -> None:
    """With 20 ms, all of which are reserved, it still does not play just the first action."""
    bot = ready(Lookahead(), ORIGINAL)
    for seed in range(20):
        state = State.start(ORIGINAL, seed)
        best = max(prospect(state.apply(action), 0) for action in moves(state))
        chosen = answer(bot, state, Limit(move_ms=20))
        assert prospect(state.apply(chosen), 0) == best


@pytest.mark.slow
def test_lookahead_reports_the_exact_margin_near_the_end() -> None:
    """The last report is in points, without the bonus for winning, and matches the result."""
    said: list[str] = []
    bot = ready(Lookahead(), ORIGINAL, depth=4)
    bot.say = said.append
    state = State.start(ORIGINAL, 5)
    while not state.is_over:
        seat = state.to_move
        said.clear()
        state = state.apply(answer(bot, state))
        if said:
            report = seat, float(said[-1].split()[3])
    seat, expected = report
    assert expected == state.score(seat) - state.score(1 - seat)
