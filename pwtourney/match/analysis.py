"""Show stored games to a bot: what it would play in each position, and the margin it expects."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from statistics import fmean
from typing import Any, Literal, NamedTuple

from pwtourney.clock import Clock, TimeControl
from pwtourney.match.bot_pool import BotPool
from pwtourney.match.conversation import Answer, Conversation
from pwtourney.match.job import BotSpec
from pwtourney.notation import is_card
from pwtourney.notation.game import UNTIMED, Game, Ply, Verdict
from pwtourney.notation.game_text import replay
from pwtourney.notation.info import parse_score
from pwtourney.rules import Edition, State

__all__ = [
    "EVALUATION_SEED",
    "GRADES",
    "LATE_MS",
    "Evaluation",
    "Grade",
    "RetracedPly",
    "Summary",
    "add_swings",
    "analysis_data",
    "evaluate_game",
    "evaluate_ply",
    "find_cost",
    "find_largest_swings",
    "grade_ply",
    "retrace",
    "summarize",
]

EVALUATION_SEED = 1
"""The fixed seed of an evaluating bot, so that it gives the same answers again."""

LATE_MS = 1000
"""How late a bot may answer in an analysis, in milliseconds.

Nobody plays against it, and on a busy machine the user would otherwise get no answer.
"""

_SWINGS = 5

Grade = Literal["", "inaccuracy", "mistake", "blunder"]

GRADES: tuple[tuple[float, Grade], ...] = ((8.0, "blunder"), (4.0, "mistake"), (2.0, "inaccuracy"))
"""The name of a ply that costs at least this many points.

Two points are one empty square, and the special tile is worth seven.
"""


class RetracedPly(NamedTuple):
    """One ply of a stored game: its number from 1, the position before it, and the action.

    `answer` is what the bot in this seat answers now; None for a seat without a bot to ask. `ply`
    is None where the player of this seat lost by a fault instead of playing.
    """

    number: int
    state: State
    ply: Ply | None
    answer: Answer | None


class Evaluation(NamedTuple):
    """One ply: the action that was played, the bot's own choice, and the margin that it expects.

    `margin` is the expected margin of seat 0 before the ply, in points; None if the bot gave none.
    `swing` is how the ply changed it, from the view of the seat that played.
    """

    number: int
    seat: int
    action: str
    choice: str | None
    margin: float | None
    swing: float | None = None


class Summary(NamedTuple):
    """The quality of a seat's plies, by the evaluations of one bot.

    `plies` counts those with a known cost. `mean_loss` is their mean cost in points, and `accuracy`
    the share of them, from 0 to 1, that have no grade; both are None without such plies.
    """

    seat: int
    plies: int
    mean_loss: float | None
    accuracy: float | None
    inaccuracies: int
    mistakes: int
    blunders: int


def retrace(
    game: Game,
    edition: Edition,
    bots: Mapping[int, BotSpec],
    seeds: tuple[int, int],
    pool: BotPool,
    controls: tuple[TimeControl, TimeControl] | None = None,
    late_ms: int = 0,
) -> Iterator[RetracedPly]:
    """Yield every ply of a game, with the answers of the bots in some of its seats.

    A bot receives the actions since its turn before, and the clocks as they were: those of
    `controls`, by seat, minus the time that the plies took. Without `controls`, each bot has its
    own time control. An answer may be `late_ms` late. It is not played. If the game ended by a
    fault, the bot in that seat is asked in the final position, too. `seeds` are by seat. Raises
    `BotFault` when a bot fails, `NotationError` or `IllegalActionError` for an invalid game.
    """
    pool.open_game()
    seated: dict[int, Conversation] = {}
    failed = True
    try:
        for seat, bot in bots.items():
            seated[seat] = pool.take(bot, edition)
            seated[seat].new_game(edition, seat, seeds[seat])
        if controls is None:
            own = [bots[seat].control if seat in bots else TimeControl() for seat in (0, 1)]
            controls = (own[0], own[1])
        yield from _retrace_plies(game, edition, seated, Clock.start(controls, late_ms))
        failed = False
    finally:
        pool.close_game(list(seated.values()), failed=failed)


def evaluate_ply(retraced: RetracedPly) -> Evaluation | None:
    """Return the bot's evaluation of one ply; None if no ply was played."""
    ply, answer = retraced.ply, retraced.answer
    if ply is None:
        return None
    # Take the last score that the bot sent before its answer, from its own point of view.
    scores = map(parse_score, reversed(answer.infos)) if answer else ()
    margin = next((score for score in scores if score is not None), None)
    if margin is not None and ply.seat == 1:
        margin = -margin
    choice = answer.ply.action if answer else None
    return Evaluation(retraced.number, ply.seat, ply.action, choice, margin)


def add_swings(evaluations: Sequence[Evaluation], game: Game) -> list[Evaluation]:
    """Return the evaluations with swings: the change to the next evaluation, or to the result."""
    done: list[Evaluation] = []
    complete = len(evaluations) == len(game.plies) and game.verdict is Verdict.FINISHED
    following = float(game.scores[0] - game.scores[1]) if complete else None
    for evaluation in reversed(evaluations):
        swing = None
        if evaluation.margin is not None and following is not None:
            swing = (following - evaluation.margin) * (1 if evaluation.seat == 0 else -1)
        done.append(evaluation._replace(swing=swing))
        # The Automa's cards are not evaluated: the swing of the ply before a card is measured
        # against the evaluation after it.
        if not is_card(evaluation.action):
            following = evaluation.margin
    return done[::-1]


def evaluate_game(
    game: Game, edition: Edition, bot: BotSpec, pool: BotPool
) -> Iterator[Evaluation]:
    """Yield the bot's evaluation of every ply, one by one; `add_swings` adds the swings later.

    The bot takes all seats that bots had in the game. Raises what `retrace` raises.
    """
    seats = dict.fromkeys(game.bot_seats, bot)
    seeds = (EVALUATION_SEED, EVALUATION_SEED)
    plies = retrace(game, edition, seats, seeds, pool, late_ms=LATE_MS)
    return filter(None, map(evaluate_ply, plies))


def find_cost(evaluation: Evaluation) -> float | None:
    """Return how many points a ply cost, at least 0; None if that is not known.

    If the bot would have played the same, the ply cost nothing: a loss then shows that the bot
    expected too much.
    """
    if evaluation.swing is None:
        return None
    return 0.0 if evaluation.choice == evaluation.action else max(0.0, -evaluation.swing)


def grade_ply(evaluation: Evaluation) -> Grade:
    """Return the grade of a ply by what it cost; empty if it cost little, or nobody knows."""
    cost = find_cost(evaluation) or 0.0
    return next((grade for least, grade in GRADES if cost >= least), "")


def summarize(evaluations: Sequence[Evaluation]) -> tuple[Summary, Summary]:
    """Return how well both seats played; the evaluations must have swings (see `add_swings`)."""
    return _summarize_seat(evaluations, 0), _summarize_seat(evaluations, 1)


def analysis_data(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Return evaluations with swings as plain data: `plies` with their grades, and `players`."""
    plies = [evaluation._asdict() | {"grade": grade_ply(evaluation)} for evaluation in evaluations]
    return {
        "plies": plies,
        "players": [summary._asdict() for summary in summarize(evaluations)],
    }


def _summarize_seat(evaluations: Sequence[Evaluation], seat: int) -> Summary:
    own = [evaluation for evaluation in evaluations if evaluation.seat == seat]
    graded = [evaluation for evaluation in own if find_cost(evaluation) is not None]
    grades = Counter(grade_ply(evaluation) for evaluation in graded)
    known = len(graded)
    return Summary(
        seat,
        known,
        fmean(find_cost(evaluation) or 0.0 for evaluation in graded) if known else None,
        grades[""] / known if known else None,
        grades["inaccuracy"],
        grades["mistake"],
        grades["blunder"],
    )


def find_largest_swings(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Return the five plies that cost or won most, in the order of the game."""
    swung = [evaluation for evaluation in evaluations if evaluation.swing]
    largest = sorted(swung, key=lambda evaluation: -abs(evaluation.swing or 0.0))[:_SWINGS]
    return sorted(largest, key=lambda evaluation: evaluation.number)


def _retrace_plies(
    game: Game, edition: Edition, seated: Mapping[int, Conversation], clock: Clock
) -> Iterator[RetracedPly]:
    unheard: tuple[list[str], list[str]] = ([], [])
    failed = None if game.verdict is Verdict.FINISHED or game.winner is None else 1 - game.winner
    for index, (state, ply) in enumerate(zip_longest(replay(game, edition), game.plies)):
        seat = state.to_move
        # A bot was asked in the position after the last ply only if it lost there by a fault.
        if ply is None and (state.is_over or seat != failed or not game.plies):
            return
        answer = None
        if seat in seated:
            answer = seated[seat].turn(state, unheard[seat], clock, seat)
        yield RetracedPly(index + 1, state, ply, answer)
        if ply is not None:
            unheard[seat].clear()
            if not is_card(ply.action):
                unheard[1 - seat].append(ply.action)
            wall = 0 if ply.micros == UNTIMED else ply.micros
            clock = clock.spend(seat, 1000 * wall, 1000 * ply.cpu)
