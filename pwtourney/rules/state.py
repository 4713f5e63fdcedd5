"""The step from one position to the next.

`State` is a plain immutable tuple: small, hashable, safe to share.
"""

from pwtourney.errors import IllegalActionError
from pwtourney.rules.action import ADVANCE, Action
from pwtourney.rules.deal import Deal, check_deal, deal
from pwtourney.rules.edition import Edition
from pwtourney.rules.illegal import why_illegal
from pwtourney.rules.legal import LegalActions
from pwtourney.rules.position import Player, Position

__all__ = ["State", "after_ply", "enter_late", "move_token"]

# makes a named tuple from all its fields, several times as fast as its constructor; searches make
# thousands of positions a second
_make = tuple.__new__


class State(Position):
    """A complete position that can be played on from.

    The fields are those of `Position`: what only reads a position, such as `LegalActions`, needs no
    more than that, and so does not depend on what is built with it.
    """

    __slots__ = ()  # no dictionary beside the tuple: searches make thousands of them a second

    @classmethod
    def start(cls, edition: Edition, dealt: Deal | int) -> "State":
        """Return the position before the first ply; an int is the seed of the deal.

        Raises `EditionError` when the deal does not belong to the edition.
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
        """Return the position after a legal action; raise `IllegalActionError` for another."""
        if action.kind == "take":
            return self._take(action)
        if action.kind == "advance":
            return self._advance(action)
        return self._place_special(action)

    def hide_late(self) -> "State":
        """Return what both players may know: the order of late patches is hidden."""
        return self._replace(late=(0,) * len(self.late)) if self.late else self

    def reveal(self, late: tuple[int, ...]) -> "State":
        """Return this position with the late patches in a given order, for those who search.

        If the circle has already shrunk to where they enter, they enter now. Raises ValueError
        when the order does not hold exactly the patches that are hidden.
        """
        hidden = self.edition.late.patches if self.edition.late and self.late else ()
        if sorted(late) != sorted(hidden):
            raise ValueError(f"the late patches are {sorted(hidden)}, not {sorted(late)}")
        circle, late = enter_late(self.edition, self.circle, late)
        return self._replace(circle=circle, late=late)

    def _take(self, action: Action) -> "State":
        edition, players, circle, late, seat, pending, tile = self
        _, number, orientation, square = action
        quilt, buttons, income, space = players[seat]
        offer = circle[: edition.offer]
        lay = edition.lays[number].get(orientation) if number in offer else None
        if lay is None or pending or square < 0 or self.is_over:
            raise IllegalActionError(why_illegal(self, action))
        _, _, cost, time, gain = edition.patch[number]
        mask = lay.mask << square
        if cost > buttons or quilt & mask or not lay.fits >> square & 1:
            raise IllegalActionError(why_illegal(self, action))
        quilt |= mask
        if tile is None:
            tile = _award_tile(edition, quilt, seat)
        index = offer.index(number)
        circle = circle[index + 1 :] + circle[:index]
        if late:
            circle, late = enter_late(edition, circle, late)
        mover = _make(Player, (quilt, buttons - cost, income + gain, space))
        moved, pending = move_token(edition, mover, players[1 - seat].space, space + time)
        return after_ply(edition, moved, players, circle, late, seat, pending, tile)

    def _advance(self, action: Action) -> "State":
        edition, players, circle, late, seat, pending, tile = self
        mover, ahead = players[seat], players[1 - seat].space
        if pending or action != ADVANCE or mover.space == edition.last_space:
            raise IllegalActionError(why_illegal(self, action))
        moved, pending = move_token(edition, mover, ahead, ahead + 1, wage=1)
        return after_ply(edition, moved, players, circle, late, seat, pending, tile)

    def _place_special(self, action: Action) -> "State":
        edition, players, circle, late, seat, pending, tile = self
        mover = players[seat]
        if not pending or why_illegal(self, action):
            raise IllegalActionError(why_illegal(self, action))
        if action.kind == "leather":
            mover = mover._replace(quilt=mover.quilt | 1 << action.square)
            if tile is None:
                tile = _award_tile(edition, mover.quilt, seat)
        left = _count_placeable(edition, mover.quilt, pending - 1)
        return after_ply(edition, mover, players, circle, late, seat, left, tile)


def move_token(
    edition: Edition, mover: Player, ahead: int, target: int, wage: int = 0
) -> tuple[Player, int]:
    """Move a token to `target` or the last space; return the player and the special patches due.

    Each space moved pays the `wage` in buttons, each income mark passed the income. A special
    patch is there only for who passes its mark first, so only marks beyond the opponent's token,
    `ahead`, count.
    """
    quilt, buttons, income, space = mover
    if target > edition.last_space:
        target = edition.last_space
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
    """Return the position after a ply of `seat`, with whose turn it is now.

    The player behind moves; on the same space the one that arrived later, which is the mover.
    """
    other = players[1 - seat]
    both = (other, mover) if seat else (mover, other)
    to_move = 1 - seat if mover.space > other.space and not pending else seat
    return _make(State, (edition, both, circle, late, to_move, pending, tile))


def _count_placeable(edition: Edition, quilt: int, pending: int) -> int:
    """Return how many special patches are left: on a full quilt they leave the game."""
    return 0 if quilt == edition.full else pending


def _award_tile(edition: Edition, quilt: int, seat: int) -> int | None:
    """Return the seat if its quilt has a fully covered window of the special tile's size."""
    if edition.tile is None or quilt.bit_count() < edition.tile.size**2:
        return None
    return seat if any(quilt & window == window for window in edition.windows) else None


def enter_late(
    edition: Edition, circle: tuple[int, ...], late: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Let the late patches join behind the circle if it is small enough and they are known."""
    if edition.late and late and late[0] and len(circle) <= edition.late.when_left:
        return circle + late, ()
    return circle, late
