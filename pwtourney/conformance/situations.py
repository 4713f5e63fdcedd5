"""Positions that a bot may be asked about at any time and that many bots forget.

Those that play reaches are found by playing at random from a fixed seed; the others are put
together. Either is a position that a runner may send: a bot may be asked about any.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from pwtourney.notation import action_text
from pwtourney.rules import (
    ADVANCE,
    Edition,
    Late,
    Patch,
    Player,
    SplitMix64,
    State,
    parse_shape,
)

__all__ = [
    "Situation",
    "alone_with_advance",
    "declining_variant",
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
    "unseen_edition",
]

_GAMES = 40
_PLENTY = 200


class Situation(NamedTuple):
    """A position, and the words of what was played since the mover's last answer."""

    state: State
    played: tuple[str, ...] = ()


def find_first(edition: Edition, is_wanted: Callable[[State], bool]) -> Situation | None:
    """Return the first position that is wanted in random games; None if none comes up."""
    return next((turn for turn in _walk(edition) if is_wanted(turn.state)), None)


@cache
def _walk(edition: Edition) -> tuple[Situation, ...]:
    return tuple(_played_at_random(edition))


def _played_at_random(edition: Edition) -> Iterator[Situation]:
    stream = SplitMix64(2014)
    for _ in range(_GAMES):
        state = State.start(edition, stream.next())
        unheard: tuple[list[str], list[str]] = ([], [])
        while not state.is_over:
            seat = state.to_move
            yield Situation(state, tuple(unheard[seat]))
            unheard[seat].clear()
            actions = state.legal_actions()
            action = actions[stream.below(len(actions))]
            unheard[1 - seat].append(action_text(action, edition))
            state = state.apply(action)


def alone_with_advance(edition: Edition) -> Situation | None:
    """Find where nothing can be taken: ``advance`` is the only legal action."""
    return find_first(edition, lambda state: not state.pending and len(state.legal_actions()) == 1)


def shared_space(edition: Edition) -> Situation | None:
    """Find both tokens on one space, not the first."""
    return find_first(edition, lambda s: s.players[0].space == s.players[1].space > 0)


def opponent_arrived(edition: Edition) -> Situation | None:
    """Find the opponent on the last space and the mover not near it."""
    last = edition.last_space

    def is_wanted(state: State) -> bool:
        mover, other = state.players[state.to_move], state.players[1 - state.to_move]
        return other.space == last and mover.space < last - 1

    return find_first(edition, is_wanted)


def last_step(edition: Edition) -> Situation | None:
    """Find where one ``advance`` ends the game."""
    return find_first(edition, lambda state: not state.pending and state.apply(ADVANCE).is_over)


def special_patch_due(edition: Edition) -> Situation | None:
    """Find where a special patch has to be placed before anything else."""
    return find_first(edition, lambda state: state.pending > 0)


def hidden_patches(edition: Edition) -> Situation | None:
    """Find where patches are yet to enter, in an order that nobody knows."""
    return find_first(edition, lambda state: bool(state.late) and state.players[0].space > 0)


def most_actions(edition: Edition) -> Situation:
    """Put the patches with most placements on offer to an empty quilt and a rich player.

    In the original edition that makes 1,345 legal actions, the most there can be.
    """

    def placements(number: int) -> int:
        return sum(lay.fits.bit_count() for lay in edition.orientations[number])

    circle = sorted(edition.circle_patches, key=placements, reverse=True)
    mover = Player(0, _PLENTY, 0, 0)
    return Situation(_put(edition, mover, mover, circle=tuple(circle)))


def thousands_of_buttons(edition: Edition) -> Situation:
    """Give both sides buttons in four digits."""
    player = Player(0, 4321, 30, edition.last_space // 2)
    return Situation(_put(edition, player, player))


def no_patch_fits(edition: Edition) -> Situation:
    """Cover every other square: nothing larger than one square fits."""
    stripes = sum(
        1 << square
        for square in range(edition.rows * edition.columns)
        if (square // edition.columns + square % edition.columns) % 2
    )
    mover = Player(stripes, _PLENTY, 9, max(0, edition.last_space - 2))
    return Situation(_put(edition, mover, Player(stripes, 0, 0, edition.last_space - 1)))


def nearly_full(edition: Edition) -> Situation:
    """Leave three squares, two of them together, to a player who can pay anything."""
    left = (0b11 | 1 << edition.rows * edition.columns - 1) & edition.full
    mover = Player(edition.full & ~left, _PLENTY, 9, edition.last_space // 2)
    return Situation(_put(edition, mover, mover))


def full_but_one(edition: Edition) -> Situation | None:
    """Leave one square for a special patch that is due; None where there are none."""
    if not edition.leather_marks:
        return None
    mark = edition.leather_marks[-1]
    quilt = edition.full & ~(1 << edition.rows * edition.columns // 2)
    mover, other = Player(quilt, 3, 9, mark), Player(0, 3, 1, mark - 1)
    return Situation(_put(edition, mover, other, pending=1))


def short_circle(edition: Edition) -> Situation:
    """Leave one patch in the circle, fewer than can be on offer."""
    player = Player(0, _PLENTY, 9, edition.last_space // 2)
    return Situation(_put(edition, player, player, circle=edition.circle_patches[-1:]))


def empty_circle(edition: Edition) -> Situation:
    """Leave no patch at all."""
    player = Player(0, _PLENTY, 9, edition.last_space // 2)
    return Situation(_put(edition, player, player, circle=()))


def tile_taken(edition: Edition) -> Situation | None:
    """Give the opponent the special tile; None where there is none."""
    if edition.tile is None:
        return None
    mover = Player(0, 10, 2, edition.last_space // 2)
    other = Player(edition.windows[0], 10, 5, edition.last_space // 2)
    return Situation(_put(edition, mover, other, tile=1))


def declining_variant(edition: Edition) -> Edition:
    """Return an edition that differs from one in that special patches may be declined."""
    return edition.replace(name="check-declining", declining=True)


def unseen_edition() -> Edition:
    """Return an edition that nobody has seen: small, not square, with a wide offer."""
    shapes = {1: "##", 2: "###", 3: "##/#.", 4: "#.#/###", 5: "##/##", 8: "#", 9: "####"}
    patches = [
        Patch(number, parse_shape(shape.split("/")), number % 4, 1 + number % 3, number % 2)
        for number, shape in shapes.items()
    ]
    return Edition(
        name="check-unseen",
        rows=4,
        columns=6,
        last_space=17,
        start_buttons=3,
        income_marks=(2, 9, 17),
        leather_marks=(3, 4, 11),
        patches=patches,
        start_patch=1,
        late=Late(2, (8, 9)),
        offer=4,
        declining=True,
    )


def _put(
    edition: Edition,
    mover: Player,
    other: Player,
    *,
    circle: tuple[int, ...] | None = None,
    pending: int = 0,
    tile: int | None = None,
) -> State:
    """Put a position together in which seat 0 moves and no patch is yet to enter."""
    patches = edition.circle_patches if circle is None else circle
    return State(edition, (mover, other), patches, (), 0, pending, tile)
