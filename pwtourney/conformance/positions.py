"""Steps about positions that many bots forget, although any position may be asked about.

Positions that play reaches are found by playing at random from a fixed seed; the others are
constructed. A runner may send either kind.
"""

from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple, TypeVar

from pwtourney.clock import Limit
from pwtourney.conformance.talk import CheckContext, NotForThisBot, Steps
from pwtourney.errors import BotFault
from pwtourney.notation import action_text
from pwtourney.rules import ADVANCE, Edition, Player, SplitMix64, State

__all__ = [
    "STEPS",
    "Situation",
    "alone_with_advance",
    "empty_circle",
    "find_first",
    "full_but_one",
    "hidden_patches",
    "last_step",
    "most_actions",
    "nearly_full",
    "no_patch_fits",
    "opponent_arrived",
    "shared_space",
    "short_circle",
    "special_patch_due",
    "thousands_of_buttons",
    "tile_taken",
]

STEPS = Steps()

_GAMES = 40
_PLENTY = 200
_ATTEMPTS = 3
_HURRY = Limit(None, 250, 60_000, 0)  # for the bot; its opponent has plenty of time
_TURN, _ACTIONS, _POSITIONS = "A turn", "Actions", "Positions"
_ANY = (
    "A position need not follow from what came before: games are also analysed, taken back, and"
    " set up by hand, and everything that can be written as a position may be asked about."
)
_CIRCLE = (
    "the patches of the circle from the neutral token clockwise, with commas, or `-`; the first"
    " ones are on offer"
)


class Situation(NamedTuple):
    """A position, and the actions played since the mover's last answer."""

    state: State
    played: tuple[str, ...] = ()


_Find = TypeVar("_Find", bound=Callable[[Edition], Situation | None])


def _about(name: str, title: str, section: str, rule: str) -> Callable[[_Find], _Find]:
    """Return a decorator that adds a step which asks about positions that a function finds.

    The function is called for every edition of the check.
    """

    def add(find: _Find) -> _Find:
        @STEPS.add(name, title, section, rule)
        def ask(context: CheckContext) -> None:
            _ask_all(context, map(find, context.editions))

        return find

    return add


def _ask_all(context: CheckContext, situations: Iterable[Situation | None]) -> None:
    some = [situation for situation in situations if situation is not None]
    if not some:
        raise NotForThisBot("no edition that it plays has this")
    # starting a bot takes far longer than its answer
    together = [some] if context.takes_many_games else [[situation] for situation in some]
    for situations in together:
        _ask(context, situations, context.limit)


def _ask(context: CheckContext, situations: Iterable[Situation], limit: Limit) -> None:
    """Ask about each position in a game of its own, all in one process."""
    with context.talk() as talk:
        for state, played in situations:
            talk.new_game(state.edition, state.to_move)
            talk.ask(state, limit, played)


def find_first(edition: Edition, is_wanted: Callable[[State], bool]) -> Situation | None:
    """Return the first position in random games that is wanted; None if there is none."""
    return next((turn for turn in _play_at_random(edition) if is_wanted(turn.state)), None)


@cache
def _play_at_random(edition: Edition) -> tuple[Situation, ...]:
    turns = []
    # the same in every check, so that a bot that failed can be asked again
    stream = SplitMix64(2014)
    for _ in range(_GAMES):
        state = State.start(edition, stream.next())
        unheard: tuple[list[str], list[str]] = ([], [])
        while not state.is_over:
            seat = state.to_move
            turns.append(Situation(state, tuple(unheard[seat])))
            unheard[seat].clear()
            actions = state.legal_actions()
            action = actions[stream.below(len(actions))]
            unheard[1 - seat].append(action_text(action, edition))
            state = state.apply(action)
    return tuple(turns)


def _find_middle(edition: Edition, seat: int) -> Situation:
    """Return a turn of a seat in the middle of a game."""
    half = edition.last_space // 2
    situation = find_first(
        edition, lambda s: s.to_move == seat and s.players[seat].space >= half and not s.pending
    )
    if situation is None:
        raise NotForThisBot(f"seat {seat} does not move in the second half of random games")
    return situation


@STEPS.add(
    "second-seat",
    "answers in the second seat, after what was played before",
    _POSITIONS,
    "A position is one line of fourteen fields:",
)
def _answers_in_the_second_seat(context: CheckContext) -> None:
    _ask(context, [_find_middle(context.edition, 1)], context.limit)


@STEPS.add("no-memory", "answers about positions out of order", _TURN, _ANY)
def _needs_no_memory(context: CheckContext) -> None:
    middle = _find_middle(context.edition, 0).state
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        for state in (middle, context.start):
            talk.ask(state, context.limit)


@STEPS.add(
    "untimed",
    "answers a `go` without a limit",
    _TURN,
    "The forms of `go` (all times are whole milliseconds):",
)
def _answers_without_a_limit(context: CheckContext) -> None:
    _ask(context, [_find_middle(context.edition, 0)], Limit())


@STEPS.add(
    "game-clock",
    "answers with a clock for the whole game, with and without an increment",
    _TURN,
    "the bot has MINE left for the game, its opponent THEIRS (0 if that one is timed by the"
    " move); INC is added after each move",
)
def _answers_by_the_clock(context: CheckContext) -> None:
    # less time on the clock would require hurry, which the next step checks
    most = max(context.limit.move_ms or 0, 1000)
    for limit in (Limit(None, 30 * most, 30 * most, 0), Limit(None, 5 * most, 0, most)):
        _ask(context, [_find_middle(context.edition, 0)], limit)


@STEPS.add(
    "hurry",
    "answers when a quarter of a second is left on its clock",
    _TURN,
    "Time runs from the moment the runner writes the request to the moment it reads the newline"
    " of the answer.",
)
def _answers_in_a_hurry(context: CheckContext) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _ask(context, [_find_middle(context.edition, 0)], _HURRY)
        except BotFault as fault:
            # it may try again: a busy machine can cause a timeout
            if fault.verdict != "timeout" or attempt == _ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


@_about(
    "only-advance",
    "finds the only legal action",
    _ACTIONS,
    "move to the space in front of the opponent",
)
def alone_with_advance(edition: Edition) -> Situation | None:
    """Find a position in which nothing can be taken: ``advance`` is the only legal action."""
    return find_first(edition, lambda state: not state.pending and len(state.legal_actions()) == 1)


@_about(
    "most-actions",
    "chooses among as many legal actions as there can be (1,345)",
    _TURN,
    "every legal action; only after `feature legal`",
)
def most_actions(edition: Edition) -> Situation:
    """Construct a position with the most placements: an empty quilt board and a rich player.

    In the original edition it has 1,345 legal actions, the maximum.
    """

    def placements(number: int) -> int:
        return sum(lay.fits.bit_count() for lay in edition.orientations[number])

    circle = sorted(edition.circle_patches, key=placements, reverse=True)
    mover = Player(0, _PLENTY, 0, 0)
    return Situation(_put(edition, mover, mover, circle=tuple(circle)))


@_about(
    "shared-space",
    "moves when both tokens are on one space",
    _POSITIONS,
    "on a shared space it is the seat whose token arrived later",
)
def shared_space(edition: Edition) -> Situation | None:
    """Find both tokens on one space, not the first."""
    return find_first(edition, lambda s: s.players[0].space == s.players[1].space > 0)


@_about(
    "opponent-arrived",
    "plays on alone when its opponent has reached the last space",
    _TURN,
    "A bot is asked again at once if the rules give it another ply",
)
def opponent_arrived(edition: Edition) -> Situation | None:
    """Find the opponent on the last space and the mover not near it."""
    last = edition.last_space

    def is_wanted(state: State) -> bool:
        mover, other = state.players[state.to_move], state.players[1 - state.to_move]
        # from one space before, its first `advance` would end the game
        return other.space == last and mover.space < last - 1

    return find_first(edition, is_wanted)


@_about("last-step", "plays the last ply of a game", _TURN, _ANY)
def last_step(edition: Edition) -> Situation | None:
    """Find a position in which one ``advance`` ends the game."""
    return find_first(edition, lambda state: not state.pending and state.apply(ADVANCE).is_over)


@_about("rich", "counts buttons in thousands", _TURN, _ANY)
def thousands_of_buttons(edition: Edition) -> Situation:
    """Give both sides buttons in four digits."""
    player = Player(0, 4321, 30, edition.last_space // 2)
    return Situation(_put(edition, player, player))


@_about(
    "special-patch",
    "places a special patch",
    _TURN,
    "for each special patch, which is placed by an action of its own.",
)
def special_patch_due(edition: Edition) -> Situation | None:
    """Find a position in which a special patch has to be placed first."""
    return find_first(edition, lambda state: state.pending > 0)


@_about(
    "special-patch-last-square",
    "places a special patch on the only square that is left",
    _ACTIONS,
    "place a special patch on e5",
)
def full_but_one(edition: Edition) -> Situation | None:
    """Leave one square for a special patch that is due; None if the edition has none."""
    if not edition.leather_marks:
        return None
    # the player that has just reached a mark plays on, although the other one is behind
    mark = edition.leather_marks[-1]
    quilt = edition.full & ~(1 << edition.rows * edition.columns // 2)
    mover, other = Player(quilt, 3, 9, mark), Player(0, 3, 1, mark - 1)
    return Situation(_put(edition, mover, other, pending=1))


@STEPS.add(
    "declining",
    "places or declines a special patch where declining is allowed",
    _ACTIONS,
    "decline a special patch, where the edition allows it",
)
def _may_decline(context: CheckContext) -> None:
    editions = [edition for edition in context.editions if edition.declining]
    # a bot that plays any described edition has to play this one too, although it is in no file
    if not editions and context.plays_all:
        editions = [context.edition.replace(name="check-declining", declining=True)]
    _ask_all(context, map(special_patch_due, editions))


@_about("nearly-full", "plays on a board with three squares left", _TURN, _ANY)
def nearly_full(edition: Edition) -> Situation:
    """Leave three squares, two of them adjacent, to a player who can pay anything."""
    # the single one in the middle: no 7 × 7 square is covered, so neither player has the tile
    left = (0b11 | 1 << edition.rows * edition.columns // 2) & edition.full
    mover = Player(edition.full & ~left, _PLENTY, 9, edition.last_space // 2)
    return Situation(_put(edition, mover, mover))


@_about("no-patch-fits", "sees that nothing fits between single holes", _TURN, _ANY)
def no_patch_fits(edition: Edition) -> Situation:
    """Cover every other square, so that nothing larger than one square fits."""
    stripes = sum(
        1 << square
        for square in range(edition.rows * edition.columns)
        if (square // edition.columns + square % edition.columns) % 2
    )
    # near the end, because a player that has covered so much would be
    mover = Player(stripes, _PLENTY, 9, max(0, edition.last_space - 2))
    return Situation(_put(edition, mover, Player(stripes, 0, 0, edition.last_space - 1)))


@_about(
    "short-circle", "plays when fewer patches are left than can be on offer", _POSITIONS, _CIRCLE
)
def short_circle(edition: Edition) -> Situation:
    """Leave one patch in the circle, fewer than can be on offer."""
    player = Player(0, _PLENTY, 9, edition.last_space // 2)
    return Situation(_put(edition, player, player, circle=edition.circle_patches[-1:]))


@_about("empty-circle", "plays when no patch is left", _POSITIONS, _CIRCLE)
def empty_circle(edition: Edition) -> Situation:
    """Leave no patch in the circle."""
    player = Player(0, _PLENTY, 9, edition.last_space // 2)
    return Situation(_put(edition, player, player, circle=()))


@_about(
    "tile-taken",
    "reads who holds the special tile",
    _POSITIONS,
    "the seat that holds the special tile, or `-`",
)
def tile_taken(edition: Edition) -> Situation | None:
    """Give the opponent the special tile; None if the edition has none."""
    if edition.tile is None:
        return None
    mover = Player(0, 10, 2, edition.last_space // 2)
    other = Player(edition.windows[0], 10, 5, edition.last_space // 2)
    return Situation(_put(edition, mover, other))


@_about(
    "hidden-patches",
    "plays while the order of late patches is hidden",
    _POSITIONS,
    "patches that enter later: `-` for none, `?8` for eight in a hidden order",
)
def hidden_patches(edition: Edition) -> Situation | None:
    """Find a position with late patches in a hidden order."""
    return find_first(edition, lambda state: bool(state.late) and state.players[0].space > 0)


def _put(
    edition: Edition,
    mover: Player,
    other: Player,
    *,
    circle: tuple[int, ...] | None = None,
    pending: int = 0,
) -> State:
    """Construct a position in which seat 0 moves and no late patches are left."""
    patches = edition.circle_patches if circle is None else circle
    earned = (seat for seat in (0, 1) if edition.earns_tile((mover, other)[seat].quilt))
    tile = next(earned, None)  # if both have earned it, seat 0 was first
    return State(edition, (mover, other), patches, (), 0, pending, tile)
