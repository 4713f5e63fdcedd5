"""A bot put before the positions of a game that was played, whatever it answers."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pwtourney.clock import Clock, TimeControl
from pwtourney.match.company import Company
from pwtourney.match.conversation import Answer, Conversation
from pwtourney.match.job import BotSpec
from pwtourney.notation.automa import is_card
from pwtourney.notation.record import RecordedGame, RecordedPly, replay
from pwtourney.rules import State

__all__ = ["Retraced", "retrace"]


class Retraced(NamedTuple):
    """One ply of the game: its number from 1, the position before it, and what was played.

    `answer` is what the bot in this seat answers now; None for a seat that nobody is asked about.
    """

    number: int
    state: State
    ply: RecordedPly
    answer: Answer | None


def retrace(
    game: RecordedGame, bots: Mapping[int, BotSpec], seeds: tuple[int, int], company: Company
) -> Iterator[Retraced]:
    """Yield every ply of a game, with the answers of bots that sit in some of its seats.

    Each hears what it would have heard in the game, clocks as they stood and what was played
    since its turn before; what it answers is not played. `seeds` are by seat. Raises `BotFault`
    when a bot fails, `NotationError` or `IllegalActionError` for a game that is not sound.
    """
    company.open_game()
    seated: dict[int, Conversation] = {}
    failed = True
    try:
        for seat, bot in bots.items():
            seated[seat] = company.take(bot)
            seated[seat].new_game(game.edition, seat, seeds[seat])
        yield from _asked(game, bots, seated)
        failed = False
    finally:
        company.close_game(list(seated.values()), failed=failed)


def _asked(
    game: RecordedGame, bots: Mapping[int, BotSpec], seated: Mapping[int, Conversation]
) -> Iterator[Retraced]:
    one, two = (bots[seat].control if seat in bots else TimeControl() for seat in (0, 1))
    clock = Clock.start((one, two))
    unheard: tuple[list[str], list[str]] = ([], [])
    for number, (state, ply) in enumerate(zip(replay(game), game.plies, strict=False), 1):
        seat, answer = ply.seat, None
        if seat in seated:
            answer = seated[seat].turn(state, unheard[seat], clock, seat)
        unheard[seat].clear()
        if not is_card(ply.action):
            unheard[1 - seat].append(ply.action)
        clock = clock.spend(seat, 1000 * (ply.micros or 0))
        yield Retraced(number, state, ply, answer)
