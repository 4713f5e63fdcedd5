"""Games between bots in this process, and positions from such games."""

from collections.abc import Iterator
from itertools import count, islice
from typing import TypeVar

from pwtourney.clock import Limit
from pwtourney.rules import Edition, SplitMix64, State, deal
from pwtourney.sdk import Action, Bot, GameStart, Turn

__all__ = ["Ending", "answer", "find_endings", "moves_of", "play", "ready"]

_MOST_POSITIONS = 400
AnyBot = TypeVar("AnyBot", bound=Bot)
Ending = tuple[State, set[Action]]
"""A position in which some actions win and others lose, and the winning actions."""


def ready(bot: AnyBot, edition: Edition, seed: int = 1, **settings: object) -> AnyBot:
    """Set a bot's options and start a game, in which it has the first seat."""
    bot.settings.update({key: str(value) for key, value in settings.items()})
    bot.new_game(GameStart(edition, 0, seed))
    return bot


def answer(bot: Bot, state: State, limit: Limit | None = None) -> Action:
    """Ask for an action in a position that is unrelated to earlier ones."""
    return bot.choose(Turn(state.hide_late(), (), None, limit or Limit()))


def moves_of(first: Bot, second: Bot, edition: Edition, seed: int) -> list[Action]:
    """Play one game like the runner, which shows each bot the other's actions; return all."""
    bots, heard = (first, second), [0, 0]
    played: list[Action] = []
    for seat, bot in enumerate(bots):
        bot.new_game(GameStart(edition, seat, seed * 2 + seat))
    state = State.start(edition, deal(edition, seed))
    while not state.is_over:
        seat = state.to_move
        action = bots[seat].choose(
            Turn(state.hide_late(), tuple(played[heard[seat] :]), None, Limit())
        )
        state = state.apply(action)
        played.append(action)
        heard[seat] = len(played)
    return played


def play(first: Bot, second: Bot, edition: Edition, seed: int) -> State:
    """Play one game, in which every action must be legal; return its final position."""
    state = State.start(edition, deal(edition, seed))
    for action in moves_of(first, second, edition, seed):
        state = state.apply(action)
    return state


def find_endings(edition: Edition, number: int) -> list[Ending]:
    """Return `number` endgames.

    They come from random games, and are solved over all actions.
    """
    return [*islice(_endings(edition), number)]


def _endings(edition: Edition) -> Iterator[Ending]:
    for seed in count():
        stream = SplitMix64(seed)
        state, before = State.start(edition, seed), []
        while actions := state.legal_actions():
            before.append(state)
            state = state.apply(actions[stream.below(len(actions))])
        ending = _first_decided(before)
        if ending:
            yield ending


def _first_decided(before: list[State]) -> Ending | None:
    """Return the earliest position that can be solved and is not decided already."""
    known: dict[State, int] = {}
    decided = None
    for state in reversed(before):
        try:
            actions = state.legal_actions()
            winning = {
                action for action in actions if _winner(state.apply(action), known) == state.to_move
            }
        except OverflowError:
            break
        if 0 < len(winning) < len(actions):
            decided = state, winning
    return decided


def _winner(state: State, known: dict[State, int]) -> int:
    if state.winner is not None:
        return state.winner
    if state not in known:
        if len(known) > _MOST_POSITIONS:
            raise OverflowError
        seat = state.to_move
        after = (state.apply(action) for action in state.legal_actions())
        known[state] = (
            seat if any(_winner(position, known) == seat for position in after) else 1 - seat
        )
    return known[state]
