"""The steps in which a bot is asked about positions that come up and are easily forgotten."""

from collections.abc import Callable, Iterable

from pwtourney.clock import Limit
from pwtourney.conformance import situations as find
from pwtourney.conformance.situations import Situation
from pwtourney.conformance.step import CheckContext, NotForThisBot, Step
from pwtourney.errors import BotFault
from pwtourney.rules import Edition, State

__all__ = ["STEPS"]

_ATTEMPTS = 3
_HURRY = Limit(None, 250, 60_000, 0)


def _about(look: Callable[[Edition], Situation | None]) -> Callable[[CheckContext], None]:
    """Return the step that asks about a situation, in every edition that has it."""

    def step(context: CheckContext) -> None:
        _ask_all(context, map(look, context.editions))

    return step


def _ask_all(context: CheckContext, situations: Iterable[Situation | None]) -> None:
    found = [each for each in situations if each is not None]
    if not found:
        raise NotForThisBot("no edition that it plays has this")
    for situation in found:
        _ask(context, situation, context.limit)


def _ask(context: CheckContext, situation: Situation, limit: Limit) -> None:
    state = situation.state
    with context.talk() as talk:
        talk.new_game(state.edition, state.to_move)
        talk.ask(state, limit, situation.played)


def _middle(edition: Edition, seat: int) -> Situation:
    """Return a turn of a seat in the middle of a game."""
    half = edition.last_space // 2
    situation = find.find_first(
        edition, lambda s: s.to_move == seat and s.players[seat].space >= half and not s.pending
    )
    if situation is None:
        raise NotForThisBot(f"seat {seat} does not move in the second half of random games")
    return situation


def _answers_in_the_second_seat(context: CheckContext) -> None:
    _ask(context, _middle(context.edition, 1), context.limit)


def _needs_no_memory(context: CheckContext) -> None:
    states = [_middle(context.edition, 0).state, State.start(context.edition, 2014)]
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        for state in states:
            talk.ask(state, context.limit)


def _answers_without_a_limit(context: CheckContext) -> None:
    _ask(context, _middle(context.edition, 0), Limit())


def _answers_by_the_clock(context: CheckContext) -> None:
    most = max(context.limit.move_ms or 0, 1000)
    for limit in (Limit(None, 30 * most, 30 * most, 0), Limit(None, 5 * most, 0, most)):
        _ask(context, _middle(context.edition, 0), limit)


def _answers_in_a_hurry(context: CheckContext) -> None:
    """Let it try more than once: a busy machine can be late where a bot is not."""
    for attempt in range(_ATTEMPTS):
        try:
            return _ask(context, _middle(context.edition, 0), _HURRY)
        except BotFault as fault:
            if fault.verdict != "timeout" or attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("the last attempt returns or raises")


def _may_decline(context: CheckContext) -> None:
    editions = [each for each in context.editions if each.declining]
    if not editions and context.plays_all:
        editions = [find.declining_variant(context.edition)]
    _ask_all(context, map(find.special_patch_due, editions))


_TURN, _ACTIONS, _POSITIONS = "A turn", "Actions", "Positions"
_ANY = (
    "A position need not follow from what came before: games are also analysed, taken back, and"
    " set up by hand, and everything that can be written as a position may be asked about."
)

STEPS = (
    Step(
        "second-seat",
        "answers in the second seat, after what was played before",
        _POSITIONS,
        "A position is one line of fourteen fields:",
        _answers_in_the_second_seat,
    ),
    Step("no-memory", "answers about positions out of order", _TURN, _ANY, _needs_no_memory),
    Step(
        "untimed",
        "answers a `go` without a limit",
        _TURN,
        "The forms of `go` (all times are whole milliseconds):",
        _answers_without_a_limit,
    ),
    Step(
        "game-clock",
        "answers with a clock for the whole game, with and without an increment",
        _TURN,
        "the bot has MINE left for the game, its opponent THEIRS (0 if that one is timed by the"
        " move); INC is added after each move",
        _answers_by_the_clock,
    ),
    Step(
        "hurry",
        "answers when a quarter of a second is left on its clock",
        _TURN,
        "Time runs from the moment the runner writes the request to the moment it reads the"
        " newline of the answer.",
        _answers_in_a_hurry,
    ),
    Step(
        "only-advance",
        "finds the only legal action",
        _ACTIONS,
        "move to the space in front of the opponent",
        _about(find.alone_with_advance),
    ),
    Step(
        "most-actions",
        "chooses among as many legal actions as there can be (1,345)",
        _TURN,
        "every legal action; only after `feature legal`",
        _about(find.most_actions),
    ),
    Step(
        "shared-space",
        "moves when both tokens are on one space",
        _POSITIONS,
        "on a shared space it is the seat whose token arrived later",
        _about(find.shared_space),
    ),
    Step(
        "opponent-arrived",
        "plays on alone when its opponent has reached the last space",
        _TURN,
        "A bot is asked again at once if the rules give it another ply",
        _about(find.opponent_arrived),
    ),
    Step("last-step", "plays the last ply of a game", _TURN, _ANY, _about(find.last_step)),
    Step("rich", "counts buttons in thousands", _TURN, _ANY, _about(find.thousands_of_buttons)),
    Step(
        "special-patch",
        "places a special patch",
        _TURN,
        "for each special patch, which is placed by an action of its own.",
        _about(find.special_patch_due),
    ),
    Step(
        "special-patch-last-square",
        "places a special patch on the only square that is left",
        _ACTIONS,
        "place a special patch on e5",
        _about(find.full_but_one),
    ),
    Step(
        "declining",
        "places or declines a special patch where declining is allowed",
        _ACTIONS,
        "decline a special patch, where the edition allows it",
        _may_decline,
    ),
    Step(
        "nearly-full",
        "plays on a board with three squares left",
        _TURN,
        _ANY,
        _about(find.nearly_full),
    ),
    Step(
        "no-patch-fits",
        "sees that nothing fits between single holes",
        _TURN,
        _ANY,
        _about(find.no_patch_fits),
    ),
    Step(
        "short-circle",
        "plays when fewer patches are left than can be on offer",
        _POSITIONS,
        "the patches of the circle from the neutral token clockwise, with commas, or `-`; the"
        " first ones are on offer",
        _about(find.short_circle),
    ),
    Step(
        "empty-circle",
        "plays when no patch is left",
        _POSITIONS,
        "the patches of the circle from the neutral token clockwise, with commas, or `-`; the"
        " first ones are on offer",
        _about(find.empty_circle),
    ),
    Step(
        "tile-taken",
        "reads who holds the special tile",
        _POSITIONS,
        "the seat that holds the special tile, or `-`",
        _about(find.tile_taken),
    ),
    Step(
        "hidden-patches",
        "plays while the order of late patches is hidden",
        _POSITIONS,
        "patches that enter later: `-` for none, `?8` for eight in a hidden order",
        _about(find.hidden_patches),
    ),
)
