"""The state of a table for its page: one object, sent whole after every change."""

from typing import Any

from pwtourney.arena.choices import describe_choices, describe_step
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.live_table import Table
from pwtourney.errors import NotationError
from pwtourney.match import PlayedGame
from pwtourney.notation import parse_action
from pwtourney.notation.game import Verdict
from pwtourney.report.figures import sign_numbers
from pwtourney.rules import why_illegal

__all__ = ["describe_table", "look_at"]

_MS = 1_000_000


def describe_table(table: Table) -> dict[str, Any]:
    """Return the state of a table for its page.

    ``choices`` has the choices of the person to move (see `describe_choices`), null if no person
    is to move. ``undo`` is the reason why nothing can be taken back, empty if something can.
    ``over`` describes the end of the game, null before it.
    """
    game, seat = table.game, table.game.state.to_move
    is_person = table.kept.is_turn_of("person") and not table.closed
    return {
        "version": table.kept.version,
        **table.kept.describe(),
        "turn": None if game.is_over else seat,
        "choices": describe_choices(game.state) if is_person else None,
        "undo": game.undo_problem if not game.is_over else "the game is over",
        "clock": _describe_clock(table),
        "thinking": table.is_thinking,
        "trouble": table.trouble,
        "over": _describe_end(table) if game.is_over else None,
    }


def look_at(game: PlayedGame, text: str) -> dict[str, Any]:
    """Return why an action is illegal as ``problem``, or what it changes (see `describe_step`).

    Raises `Refusal` (422) if the text is not an action.
    """
    state = game.state
    try:
        action = parse_action(text, state.edition)
    except NotationError as error:
        raise Refusal(422, str(error)) from error
    problem = "the game is over" if game.is_over else why_illegal(state, action)
    return {"problem": problem} if problem else {"problem": "", **describe_step(state, action)}


def _describe_clock(table: Table) -> dict[str, Any]:
    """Return the clock: the limit of each seat for its turn, and the time spent in this turn.

    Times are in milliseconds. A limit is null if the seat has none.
    """
    limits = [table.game.clock.allowance(seat).wall_ns for seat in (0, 1)]
    return {
        "limits": [None if limit is None else limit // _MS for limit in limits],
        "spent": table.kept.turn_clock.spent_ns // _MS,
        "running": table.kept.turn_clock.is_running and not table.game.is_over,
    }


def _describe_end(table: Table) -> dict[str, Any]:
    """Return the verdict, the winner and the scores.

    ``headline`` says who won and by how much, and ``text`` says it with the scores and the reason.
    """
    game = table.game.record()
    names, winner = [seat.name for seat in table.seating.seats], game.winner
    first, second = map(sign_numbers, game.scores)
    scores = f"{names[0]} {first}, {names[1]} {second}"
    gap = abs(game.scores[0] - game.scores[1])
    if winner is None:
        headline = "Nobody wins"
        text = f"{headline}: {scores}."
    elif game.verdict is Verdict.FINISHED:
        won = _tell_winner(names[winner])
        headline = f"{won} by {gap} point{'' if gap == 1 else 's'}" if gap else f"{won} the tie"
        tie = "; on equal scores the seat that reached the last space first wins"
        text = f"{won}: {scores}{'' if gap else tie}."
    elif game.verdict is Verdict.RESIGNED:
        headline = f"{names[1 - winner]} resigned: {_tell_winner(names[winner])}"
        text = f"{headline}."
    else:
        headline = f"{names[1 - winner]} lost by {game.verdict}"
        text = f"{headline}: {game.faults[0].message}."
    return {
        "verdict": game.verdict,
        "winner": winner,
        "scores": list(game.scores),
        "headline": headline,
        "text": text,
    }


def _tell_winner(name: str) -> str:
    """Return "NAME wins", or "You win" for a person called "you"."""
    return "You win" if name.lower() == "you" else f"{name} wins"
