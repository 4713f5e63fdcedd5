"""Check whether a game can reach a position, as far as its numbers tell.

Patches that have left the circle were paid for, placed and moved for, so squares, incomes, spaces
and buttons must add up. It is not checked whether the covered squares of a quilt can be formed by
the patches.
"""

from typing import NamedTuple

from pwtourney.rules.automa import AUTOMA_SEAT, richest_income
from pwtourney.rules.edition import Edition, Patch
from pwtourney.rules.position import Position

__all__ = ["why_impossible"]


class _Totals(NamedTuple):
    """The patches that have left the circle, and their sums."""

    patches: tuple[Patch, ...]
    squares: int
    income: int
    cost: int
    time: int
    longest: int

    @classmethod
    def of(cls, state: Position) -> "_Totals":
        edition = state.edition
        waiting = edition.late.patches if edition.late and state.late else ()
        ahead = {*state.circle, *waiting}
        patches = tuple(patch for patch in edition.patches if patch.id not in ahead)
        return cls(
            patches,
            sum(len(patch.shape) for patch in patches),
            sum(patch.income for patch in patches),
            sum(patch.cost for patch in patches),
            sum(patch.time for patch in patches),
            max((patch.time for patch in patches), default=0),
        )


def why_impossible(state: Position) -> str:
    """Return why no game can reach a position; empty if nothing rules it out.

    The position must be consistent, as `pwtourney.notation.parse_position` ensures. A second seat
    without a patch may be the Automa, which takes patches and does not place them.
    """
    totals = _Totals.of(state)
    problem = _why_not_so_far(state, totals)
    if problem or _fits_the_automa(state, totals):
        return problem
    return _why_not_shared(state, totals) or _why_not_paid(state, totals)


def _why_not_so_far(state: Position, totals: _Totals) -> str:
    """Return what is wrong with the late patches, the tile, and how far the tokens have moved."""
    edition, (first, second) = state.edition, state.players
    if edition.late:
        enter, late = edition.late.when_left, set(edition.late.patches)
        if state.late and len(state.circle) <= enter:
            return f"the late patches enter when {enter} are left in the circle, and have not"
        if not state.late and len(set(state.circle) - late) > enter:
            return f"the late patches enter only when {enter} others are left in the circle"
    if state.tile == 0 and edition.tile and not edition.earns_tile(first.quilt):
        return "seat 0 has not earned the special tile"
    if first.space == second.space == 0 and state.to_move != 0:
        return "seat 0 starts, so seat 1 is not to move while both tokens are on space 0"
    lead = abs(first.space - second.space)
    # the token in front moved there from behind the other, so no further than one move reaches
    if lead > max(1, totals.longest):
        return (
            f"one token is {lead} spaces ahead of the other, but no patch that has left the circle"
            f" moves a token more than {totals.longest}"
        )
    moved = first.space + second.space
    if totals.time > moved + _slack(state, totals):
        return (
            f"the patches that have left the circle moved the tokens {totals.time} spaces, but"
            f" these have moved {moved}"
        )
    for seat, player in enumerate(state.players):
        most = _most_buttons(edition, player.space, player.income)
        if player.buttons > most and (seat, player.quilt) != (AUTOMA_SEAT, 0):
            return f"seat {seat} can have {most} {edition.currency} at most, not {player.buttons}"
    return ""


def _slack(state: Position, totals: _Totals) -> int:
    """Return how many spaces of time may have been lost beyond the last space."""
    arrived = sum(player.space == state.edition.last_space for player in state.players)
    return arrived * max(0, totals.longest - 1)


def _most_buttons(edition: Edition, space: int, income: int) -> int:
    """Return the buttons of a player who advanced all the way with this income from the start."""
    return edition.start_buttons + space + edition.incomes_passed[space] * income


def _fits_the_automa(state: Position, totals: _Totals) -> bool:
    """Return True if seat 0's numbers are possible with the Automa in seat 1."""
    first, second = state.players
    edition = state.edition
    if edition.tile is None or second.quilt or second.income:
        return False
    # it begins without buttons, and gets at each mark the income of its card
    if second.buttons > edition.incomes_passed[second.space] * richest_income():
        return False
    covered, most = first.quilt.bit_count(), _leathers_of(state, 0)[1]
    squares = _share(state, totals).get(first.income, 0)
    return any(squares >> covered - count & 1 for count in range(min(most, covered) + 1))


def _why_not_shared(state: Position, totals: _Totals) -> str:
    """Return why the patches that have left the circle do not match both quilts."""
    first, second = state.players
    income = first.income + second.income
    if income != totals.income:
        return (
            f"the patches that have left the circle have an income of {totals.income}, but both"
            f" players together have {income}"
        )
    quilts = first.quilt.bit_count(), second.quilt.bit_count()
    # a special patch that was not placed was declined, or found a full quilt
    specials = state.edition.leathers_passed[max(first.space, second.space)] - state.pending
    fixed = not state.edition.declining and all(
        player.quilt != state.edition.full for player in state.players
    )
    placed = sum(quilts) - totals.squares
    if placed < 0 or placed > specials or (fixed and placed != specials):
        most = totals.squares + specials
        cover = str(most) if fixed or not specials else f"{totals.squares} to {most}"
        with_special = f" and {specials} special patches" if specials else ""
        return (
            f"the patches that have left the circle{with_special} cover {cover} squares, but"
            f" {sum(quilts)} are covered"
        )
    squares = _share(state, totals).get(first.income, 0)
    (least, most), (other_least, other_most) = _leathers_of(state, 0), _leathers_of(state, 1)
    for count in range(least if fixed else 0, min(most, quilts[0], placed) + 1):
        others = placed - count
        in_bounds = (other_least if fixed else 0) <= others <= other_most
        if in_bounds and squares >> quilts[0] - count & 1:
            return ""
    return (
        f"the patches that have left the circle cannot be shared out so that seat 0 covers"
        f" {quilts[0]} squares with an income of {first.income}, and seat 1"
        f" {quilts[1]} squares with {second.income}"
    )


def _why_not_paid(state: Position, totals: _Totals) -> str:
    """Return why both players cannot have this many buttons together."""
    edition = state.edition
    moved = sum(player.space for player in state.players)
    # a button for each space that no patch moved a token; the cost of patches is spent
    kept = 2 * edition.start_buttons - totals.cost
    advanced = max(0, moved - totals.time)
    paid = sum(edition.incomes_passed[player.space] * player.income for player in state.players)
    least, most = kept + advanced, kept + moved - totals.time + _slack(state, totals) + paid
    buttons = sum(player.buttons for player in state.players)
    if least <= buttons <= most:
        return ""
    bound = f"{most} at most" if buttons > most else f"{least} at least"
    return f"both players together have {buttons} {edition.currency}, and can have {bound}"


def _leathers_of(state: Position, seat: int) -> tuple[int, int]:
    """Return the fewest and the most special patches that a seat can have placed."""
    passed = state.edition.leathers_passed
    mine, others = passed[state.players[seat].space], passed[state.players[1 - seat].space]
    pending = state.pending if seat == state.to_move else 0
    return max(0, mine - others - pending), max(0, mine - pending)


def _share(state: Position, totals: _Totals) -> dict[int, int]:
    """Return the possible square counts of seat 0 for each income: as bits, by the income."""
    edition, target = state.edition, state.players[0].income
    on_board = (1 << edition.rows * edition.columns + 1) - 1
    spaces = [player.space for player in state.players]
    shares = {0: 1}
    for patch in totals.patches:
        # no player has a patch that would have moved a token further than it is
        may = [patch.time <= space or space == edition.last_space for space in spaces]
        following: dict[int, int] = {}
        for income, squares in shares.items():
            if may[1]:
                following[income] = following.get(income, 0) | squares
            more = income + patch.income
            if may[0] and more <= target:
                shifted = squares << len(patch.shape) & on_board
                following[more] = following.get(more, 0) | shifted
        shares = following
    return shares
