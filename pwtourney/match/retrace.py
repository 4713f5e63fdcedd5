"""A bot put before the positions of a game that was played, whatever it answers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pwtourney.clock import Clock, TimeControl
from pwtourney.match.bot_pool import BotPool
from pwtourney.match.conversation import Answer, Conversation
from pwtourney.match.job import BotSpec
from pwtourney.notation import is_card
from pwtourney.notation.record import FINISHED, RecordedGame, RecordedPly, replay
from pwtourney.rules import State

__all__ = ["Retraced", "retrace"]


class Retraced(NamedTuple):
    """One ply of the game: its number from 1, the position before it, and what was played.

    `answer` is what the bot in this seat answers now; None for a seat that nobody is asked about.
    `ply` is None where the bot of this seat lost the game by a fault instead of playing.
    """

    number: int
    state: State
    ply: RecordedPly | None
    answer: Answer | None


Spent = Sequence[tuple[int, int]]
"""Wall and processor time of each ply, in microseconds."""


def retrace(
    game: RecordedGame,
    bots: Mapping[int, BotSpec],
    seeds: tuple[int, int],
    pool: BotPool,
    controls: tuple[TimeControl, TimeControl] | None = None,
    spent: Spent = (),
) -> Iterator[Retraced]:
    """Yield every ply of a game, with the answers of bots that sit in some of its seats.

    Each hears what was played since its turn before, and clocks as they stood: those of `controls`,
    by seat, after what was `spent`. Without controls each has the time of its own. What a bot
    answers is not played; where a bot lost by a fault, it is asked as it was then. `seeds` are by
    seat. Raises `BotFault` when a bot fails, `NotationError` or `IllegalActionError` for a game
    that is not sound.
    """
    pool.open_game()
    seated: dict[int, Conversation] = {}
    failed = True
    try:
        for seat, bot in bots.items():
            seated[seat] = pool.take(bot)
            seated[seat].new_game(game.edition, seat, seeds[seat])
        if controls is None:
            own = [bots[seat].control if seat in bots else TimeControl() for seat in (0, 1)]
            controls = (own[0], own[1])
        yield from _retrace_plies(game, seated, Clock.start(controls), spent)
        failed = False
    finally:
        pool.close_game(list(seated.values()), failed=failed)


def _retrace_plies(
    game: RecordedGame, seated: Mapping[int, Conversation], clock: Clock, spent: Spent
) -> Iterator[Retraced]:
    unheard: tuple[list[str], list[str]] = ([], [])
    failed = None if game.verdict == FINISHED or game.winner is None else 1 - game.winner
    for index, (state, ply) in enumerate(zip_longest(replay(game), game.plies)):
        seat = state.to_move
        if ply is None and (state.is_over or seat != failed or not game.plies):
            return
        answer = None
        if seat in seated:
            answer = seated[seat].turn(state, unheard[seat], clock, seat)
        yield Retraced(index + 1, state, ply, answer)
        if ply is not None:
            unheard[seat].clear()
            if not is_card(ply.action):
                unheard[1 - seat].append(ply.action)
            wall, cpu = spent[index] if spent else (ply.micros or 0, 0)
            clock = clock.spend(seat, 1000 * wall, 1000 * cpu)
