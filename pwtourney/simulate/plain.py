"""Whole games by the rules themselves, for those who have no numba; and what the policy is.

The policy is meant for the ends of games that a search thinks out: much better than chance, and
nearly as fast. One action in eight is drawn from all that are legal. Otherwise it looks at what
each patch that can be taken brings for a space of its time: two points a square, its income at
every payday that is left to the player, less its cost. An advance brings one. It takes what brings
most, the nearest to the neutral token of equals; of up to six placements that it draws, the first
of those which touch most sides of covered squares and of the border. A special patch goes anywhere.
"""

from collections.abc import Iterable, Iterator

from pwtourney.errors import IllegalActionError
from pwtourney.rules import Action, Edition, LegalActions, SplitMix64, State
from pwtourney.simulate.tables import edges_of

__all__ = ["choose", "follow", "no_such", "playout"]

_TRIES = 6
_RANDOM_SHARE = 8


def playout(state: State, seed: int, *, policy: bool) -> tuple[int, int, int, int]:
    """Play a position to its end; return both scores, the seat that has won, and the plies."""
    stream = SplitMix64(seed)
    state = _draw_late(state, stream)
    plies = 0
    while total := len(actions := state.legal_actions()):
        index = choose(state, actions, stream) if policy else stream.below(total)
        state = state.apply(actions[index])
        plies += 1
    winner = state.winner
    assert winner is not None, "a game without legal actions is over"
    return *state.scores, winner, plies


def choose(state: State, actions: LegalActions, stream: SplitMix64) -> int:
    """Return the number of an action by the policy."""
    total = len(actions)
    if state.pending or total == 1 or stream.below(_RANDOM_SHARE) == 0:
        return stream.below(total)
    best, begin, count = 1000, 0, 0
    for patch, first, placements in actions.takings():
        worth = _worth_of(state, patch)
        if worth > best:
            best, begin, count = worth, first, placements
    if not count:
        return 0
    placement, most = 0, -1
    for _ in range(min(_TRIES, count)):
        index = stream.below(count)
        contact = _contact(state, actions[begin + index])
        if contact > most:
            placement, most = index, contact
    return begin + placement


def _draw_late(state: State, stream: SplitMix64) -> State:
    """Draw the order of late patches, if that is hidden."""
    if not state.late or state.late[0]:
        return state
    late = sorted(state.edition.late.patches) if state.edition.late else []
    stream.shuffle(late)
    return state.reveal(tuple(late))


def _worth_of(state: State, patch: int) -> int:
    """Return what a patch brings in points a space, times a thousand."""
    edition = state.edition
    incomes = edition.incomes_passed
    paydays = incomes[-1] - incomes[state.players[state.to_move].space]
    _, shape, cost, time, income = edition.patch[patch]
    points = 2 * len(shape) + income * paydays - cost
    return 1000 * points // max(time, 1)


def _contact(state: State, action: Action) -> int:
    """Count the sides at which squares to be covered meet covered ones or the border."""
    edition = state.edition
    lay = edition.lays[action.patch][action.orientation]
    mask = lay.mask << action.square
    covered = state.players[state.to_move].quilt | mask
    border = sum((mask & edge).bit_count() for edge in edges_of(edition))
    return border + sum((side & covered).bit_count() for side in _sides(edition, mask))


def _sides(edition: Edition, mask: int) -> Iterator[int]:
    """Yield the squares above, below, left and right of some squares, but for the border."""
    _, _, left, right = edges_of(edition)
    yield mask >> edition.columns
    yield mask << edition.columns & edition.full
    yield (mask & ~left) >> 1
    yield (mask & ~right) << 1


def follow(state: State, numbers: Iterable[int]) -> State:
    """Play actions by their numbers; raises `IllegalActionError` for one that there is not."""
    for number in numbers:
        actions = state.legal_actions()
        if not 0 <= number < len(actions):
            raise no_such(number, len(actions))
        state = state.apply(actions[number])
    return state


def no_such(number: int, total: int) -> IllegalActionError:
    """Make the error for a number that is none of an action."""
    return IllegalActionError(f"there are {total} legal actions, and no number {number}")
