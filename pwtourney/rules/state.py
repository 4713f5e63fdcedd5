"""The step from one position to the next, and perft, which counts sequences of actions.

`State` is a plain immutable tuple: small, hashable, safe to share.
"""

from pwtourney.errors import IllegalActionError
from pwtourney.rules.deal import Deal, check_deal, deal
from pwtourney.rules.edition import Edition, Taking
from pwtourney.rules.position import ADVANCE, Action, LegalActions, Player, Position, why_illegal

__all__ = [
    "State",
    "after_ply",
    "divide",
    "enter_late",
    "move_token",
    "perft",
    "take_patch",
    "use_special",
]

# Makes a named tuple from all its fields, several times as fast as its constructor; searches make
# thousands of positions a second.
_make = tuple.__new__


class State(Position):
    """A complete position that can be played on from.

    The fields are those of `Position`. Code that only reads a position, such as `LegalActions`,
    uses that class, and so does not depend on this module.
    """

    __slots__ = ()  # no `__dict__` per instance, which would double the size of a position

    @classmethod
    def start(cls, edition: Edition, dealt: Deal | int) -> "State":
        """Return the position before the first ply; an int is the seed of the deal.

        Raises `EditionError` if the deal does not belong to the edition.
        """
        if isinstance(dealt, int):
            dealt = deal(edition, dealt)
        else:
            check_deal(edition, dealt)
        player = Player(0, edition.start_buttons, 0, 0)
        return cls(edition, (player, player), dealt.circle, dealt.late, 0, 0, None)

    def legal_actions(self) -> LegalActions:
        """Return the legal actions as a lazy sequence: length, membership, k-th element."""
        return LegalActions(self)

    def apply(self, action: Action) -> "State":
        """Return the position after a legal action; raises `IllegalActionError` for another."""
        kind = action.kind
        if kind == "take":
            return self._take(action)
        edition, players, circle, late, seat, pending, tile = self
        mover, ahead = players[seat], players[1 - seat].space
        if kind == "advance":
            # the whole action is compared, not only its kind: an advance with a square is not legal
            if pending or action != ADVANCE or mover.space == edition.last_space:
                raise IllegalActionError(why_illegal(self, action))
            mover, pending = move_token(edition, mover, ahead, ahead + 1, wage=1)
        else:
            if not pending or why_illegal(self, action):
                raise IllegalActionError(why_illegal(self, action))
            square = action.square if kind == "leather" else None
            mover, pending, tile = use_special(edition, mover, seat, pending, tile, square)
        return after_ply(edition, mover, players, circle, late, seat, pending, tile)

    def hide_late(self) -> "State":
        """Return the position as both players see it, with the order of late patches hidden."""
        return self._replace(late=(0,) * len(self.late)) if self.late else self

    def reveal(self, late: tuple[int, ...]) -> "State":
        """Return this position with the late patches in a given order, for searches.

        If the circle has already shrunk enough for them to enter, they enter now. Raises ValueError
        if the order does not contain exactly the hidden patches.
        """
        hidden = self.edition.late.patches if self.edition.late and self.late else ()
        if sorted(late) != sorted(hidden):
            raise ValueError(f"the late patches are {sorted(hidden)}, not {sorted(late)}")
        circle, late = enter_late(self.edition, self.circle, late)
        return self._replace(circle=circle, late=late)

    def _take(self, action: Action) -> "State":
        edition, players, circle, late, seat, pending, tile = self
        quilt, buttons, _, space = players[seat]
        ahead = players[1 - seat].space
        # The same rules as in `why_illegal`, checked all at once: nearly every action is legal, and
        # then the reason is not needed.
        try:
            taking = edition.takings[action]
            index = circle.index(action.patch, 0, edition.offer)
        except (KeyError, ValueError):
            raise IllegalActionError(why_illegal(self, action)) from None
        mask, cost, _, _ = taking
        if cost > buttons or quilt & mask or pending or space == ahead == edition.last_space:
            raise IllegalActionError(why_illegal(self, action))
        mover, pending, circle, late, tile = take_patch(
            edition, players[seat], ahead, circle, late, seat, tile, index, taking
        )
        return after_ply(edition, mover, players, circle, late, seat, pending, tile)


def take_patch(
    edition: Edition,
    mover: Player,
    ahead: int,
    circle: tuple[int, ...],
    late: tuple[int, ...],
    seat: int,
    tile: int | None,
    index: int,
    taking: Taking,
) -> tuple[Player, int, tuple[int, ...], tuple[int, ...], int | None]:
    """Take the patch at an index of the circle and place it, which must be legal.

    `ahead` is the space of the opponent's token. Returns the player, the special patches due, the
    circle, the late patches, and the seat that has the special tile.
    """
    quilt, buttons, income, space = mover
    mask, cost, time, gain = taking
    quilt |= mask
    if tile is None and edition.earns_tile(quilt):
        tile = seat
    # the neutral token moves to where the patch was, so the circle begins behind that
    circle = circle[index + 1 :] + circle[:index]
    if late:
        circle, late = enter_late(edition, circle, late)
    values = (quilt, buttons - cost, income + gain, space)
    mover, pending = move_token(edition, values, ahead, space + time)
    return mover, pending, circle, late, tile


def use_special(
    edition: Edition, mover: Player, seat: int, pending: int, tile: int | None, square: int | None
) -> tuple[Player, int, int | None]:
    """Place a special patch on a free square, or decline it if `square` is None.

    Returns the player, the special patches that are left, and the seat that has the special tile.
    """
    quilt, buttons, income, space = mover
    if square is not None:
        quilt |= 1 << square
        if tile is None and edition.earns_tile(quilt):
            tile = seat
    pending = _count_placeable(edition, quilt, pending - 1)
    return _make(Player, (quilt, buttons, income, space)), pending, tile


def move_token(
    edition: Edition, mover: tuple[int, int, int, int], ahead: int, target: int, wage: int = 0
) -> tuple[Player, int]:
    """Move a token to `target` or the last space; return the player and the special patches due.

    `mover` is a player, or the values of one. Each space moved pays the `wage` in buttons, and each
    income mark passed pays the income. Only the first player to pass a mark gets its special patch,
    so only marks beyond the opponent's token, `ahead`, count.
    """
    quilt, buttons, income, space = mover
    if target > edition.last_space:
        target = edition.last_space  # an advance pays only for spaces that were really moved
    incomes = edition.incomes_passed
    buttons += wage * (target - space) + income * (incomes[target] - incomes[space])
    pending = 0
    if target > ahead:
        reached = edition.leathers_passed
        pending = reached[target] - reached[max(space, ahead)]
        if pending:
            pending = _count_placeable(edition, quilt, pending)
    return _make(Player, (quilt, buttons, income, target)), pending


def after_ply(
    edition: Edition,
    mover: Player,
    players: tuple[Player, Player],
    circle: tuple[int, ...],
    late: tuple[int, ...],
    seat: int,
    pending: int,
    tile: int | None,
) -> State:
    """Return the position after a ply of `seat`, with the turn updated.

    The player behind moves; on the same space the one that arrived later, which is the mover.
    """
    other = players[1 - seat]
    both = (other, mover) if seat else (mover, other)
    # a special patch is placed by an action of its own, before anything else happens
    to_move = 1 - seat if mover.space > other.space and not pending else seat
    return _make(State, (edition, both, circle, late, to_move, pending, tile))


def _count_placeable(edition: Edition, quilt: int, pending: int) -> int:
    """Return how many special patches are left: on a full quilt they leave the game."""
    return 0 if quilt == edition.full else pending


def enter_late(
    edition: Edition, circle: tuple[int, ...], late: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Append the late patches to the circle if it is small enough and their order is known."""
    # a hidden order is stored as zeros, and cannot enter before it is revealed
    if edition.late and late and late[0] and len(circle) <= edition.late.when_left:
        return circle + late, ()
    return circle, late


def perft(state: State, depth: int) -> int:
    """Count the sequences of exactly `depth` actions from a position.

    Placing or declining a special patch is an action of its own; placements that cover the same
    squares are one action. Sequences that end with the game before that depth do not count.

    >>> from pwtourney.rules import find_edition
    >>> state = State.start(find_edition("original"), 2014)
    >>> [perft(state, depth) for depth in range(3)]
    [1, 253, 95929]
    """
    if depth == 0:
        return 1
    actions = state.legal_actions()
    if depth == 1:
        return len(actions)  # counted as bits: the last ply, nearly all of the work, is not played
    return sum(perft(state.apply(action), depth - 1) for action in actions)


def divide(state: State, depth: int) -> dict[Action, int]:
    """Return the count below each legal action; they sum to `perft` of the same depth ≥ 1."""
    if depth < 1:
        raise ValueError("a depth of at least 1 is needed to divide")
    return {action: perft(state.apply(action), depth - 1) for action in state.legal_actions()}
