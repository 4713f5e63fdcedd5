"""Change the form of a position, and compute what follows from the change by the rules.

A page says what its reader has done: placed a patch, put one back, or covered a square. A patch is
placed as if its player took it now; the circle keeps its order.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pwtourney.arena.analyse.form import Form, Numbers, pack_quilt
from pwtourney.errors import NotationError
from pwtourney.notation.marks import UNKNOWN, Quilt
from pwtourney.rules import ORIENTATIONS, Edition, Player, square_name, take
from pwtourney.rules.geometry import set_bits
from pwtourney.rules.state import move_token

__all__ = ["apply_change"]


def apply_change(form: Form, change: Mapping[str, Any], edition: Edition) -> Form:
    """Return a form after a change, with the numbers that follow from it.

    A change has a ``kind``. ``place`` puts ``patch`` in ``orientation`` with its top left corner on
    ``square`` of the quilt of ``seat``; ``back`` returns ``patch`` to the end of the circle;
    ``square`` covers ``square`` of ``seat``, or uncovers it. Raises `NotationError` if a patch does
    not fit, and the errors of `read_form` if the change is malformed.
    """
    kinds: Mapping[Any, Callable[[Form, Mapping[str, Any], Edition], Form]] = {
        "place": _place,
        "back": _put_back,
        "square": _toggle,
    }
    return kinds[change["kind"]](form, change, edition)


def _place(form: Form, change: Mapping[str, Any], edition: Edition) -> Form:
    """Return the form after a player takes a patch and places it."""
    seat, patch, square = _read_seat(change), int(change["patch"]), int(change["square"])
    number = ORIENTATIONS.index(change["orientation"])
    action = take(patch, edition.aliases[patch][number], square)
    taking = edition.takings.get(action)
    if taking is None or pack_quilt(form.quilts[seat]) & taking.mask:
        name = square_name(square, edition.columns)
        raise NotationError(f"patch {patch} does not fit on {name}")
    covered = set(set_bits(taking.mask))
    quilt = tuple(patch if k in covered else mark for k, mark in enumerate(form.quilts[seat]))
    laid = form.lay(seat, quilt, tuple(other for other in form.circle if other != patch))
    if form.numbers is None:
        return laid
    player, ahead = form.numbers.players[seat], form.numbers.players[1 - seat].space
    paid = player._replace(
        quilt=player.quilt | taking.mask,
        buttons=player.buttons - taking.cost,
        income=player.income + taking.income,
    )
    moved, due = move_token(edition, paid, ahead, player.space + taking.time)
    pending = form.numbers.pending + due
    tile = _award(form.numbers.tile, seat, moved.quilt, edition)
    return laid._replace(numbers=form.numbers.follow(seat, moved, pending=pending, tile=tile))


def _put_back(form: Form, change: Mapping[str, Any], edition: Edition) -> Form:
    """Return the form after a patch has left the board, as if it had been placed last."""
    patch = int(change["patch"])
    cost, time, income = (getattr(edition.patch[patch], key) for key in ("cost", "time", "income"))
    circle = (*(other for other in form.circle if other != patch), patch)
    seat = next((seat for seat in (0, 1) if patch in form.quilts[seat]), None)
    if seat is None:
        return form._replace(circle=circle)
    quilt = tuple(0 if mark == patch else mark for mark in form.quilts[seat])
    laid = form.lay(seat, quilt, circle)
    if form.numbers is None:
        return laid
    player, ahead = form.numbers.players[seat], form.numbers.players[1 - seat].space
    space = max(0, player.space - time)
    marks = edition.incomes_passed[player.space] - edition.incomes_passed[space]
    reached = edition.leathers_passed
    due = max(0, reached[player.space] - reached[max(space, ahead)])
    before = Player(
        pack_quilt(quilt),
        player.buttons + cost - marks * player.income,
        player.income - income,
        space,
    )
    pending = max(0, form.numbers.pending - due)
    tile = _withdraw(form.numbers.tile, seat, before.quilt, edition)
    return laid._replace(numbers=form.numbers.follow(seat, before, pending=pending, tile=tile))


def _toggle(form: Form, change: Mapping[str, Any], edition: Edition) -> Form:
    """Return the form with a square covered that was empty, or empty that was covered.

    A lone covered square is a special patch; next to others it is a part of an unknown one.
    """
    seat, square = _read_seat(change), int(change["square"])
    if not 0 <= square < edition.rows * edition.columns:
        raise ValueError("the square is not on the board")
    if form.quilts[seat][square]:
        return _uncover(form, seat, square, edition)
    numbers = form.numbers
    is_due = numbers is not None and numbers.pending > 0 and numbers.to_move == seat
    laid = form.lay(seat, _cover(form.quilts[seat], square, edition, is_due=is_due))
    if numbers is None:
        return laid
    player = numbers.players[seat]
    player = player._replace(quilt=player.quilt | 1 << square)
    tile = _award(numbers.tile, seat, player.quilt, edition)
    if not is_due:
        return laid._replace(numbers=numbers.seat(seat, player, tile=tile))
    pending = 0 if player.quilt == edition.full else numbers.pending - 1
    return laid._replace(numbers=numbers.follow(seat, player, pending=pending, tile=tile))


def _cover(quilt: Quilt, square: int, edition: Edition, *, is_due: bool) -> Quilt:
    """Return the marks after a square was covered; `is_due` if a special patch must be placed."""
    marks = list(quilt)
    marks[square] = -1 - square
    group = _find_group(quilt, square, edition)
    is_special = not group and all(len(patch.shape) > 1 for patch in edition.patches)
    if not is_due and not (is_special and edition.leathers_passed[-1]):
        for other in (square, *group):
            marks[other] = UNKNOWN
    return tuple(marks)


def _find_group(quilt: Quilt, square: int, edition: Edition) -> set[int]:
    """Return the squares next to a square that no known patch covers, and those next to them."""
    group, edge = set[int](), {square}
    while edge:
        near = {other for start in edge for other in _list_near(start, edition)}
        edge = {k for k in near if quilt[k] < 0 or quilt[k] == UNKNOWN} - group - {square}
        group |= edge
    return group


def _list_near(square: int, edition: Edition) -> list[int]:
    """Return the squares that share a side with a square."""
    row, column = divmod(square, edition.columns)
    near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [
        down * edition.columns + right
        for down, right in near
        if 0 <= down < edition.rows and 0 <= right < edition.columns
    ]


def _uncover(form: Form, seat: int, square: int, edition: Edition) -> Form:
    """Return the form without what covers a square; a special patch is to be placed again."""
    quilt = tuple(0 if k == square else mark for k, mark in enumerate(form.quilts[seat]))
    laid = form.lay(seat, quilt)
    numbers = form.numbers
    if numbers is None:
        return laid
    player = numbers.players[seat]._replace(quilt=pack_quilt(quilt))
    tile = _withdraw(numbers.tile, seat, player.quilt, edition)
    after = numbers.seat(seat, player, tile=tile)
    if form.quilts[seat][square] < 0 and _was_passed(form, numbers, edition):
        after = after._replace(pending=numbers.pending + 1, to_move=seat)
    return laid._replace(numbers=after)


def _was_passed(form: Form, numbers: Numbers, edition: Edition) -> bool:
    """Return True if the tokens have passed all special patches that lie on the boards."""
    passed = edition.leathers_passed[max(player.space for player in numbers.players)]
    placed = sum(mark < 0 for quilt in form.quilts for mark in quilt)
    return placed + numbers.pending <= passed


def _award(tile: int | None, seat: int, quilt: int, edition: Edition) -> int | None:
    """Return who has the special tile after a seat has covered more squares."""
    return seat if tile is None and edition.earns_tile(quilt) else tile


def _withdraw(tile: int | None, seat: int, quilt: int, edition: Edition) -> int | None:
    """Return who has the special tile after squares of a seat have become empty."""
    return None if tile == seat and not edition.earns_tile(quilt) else tile


def _read_seat(change: Mapping[str, Any]) -> int:
    return (0, 1).index(change["seat"])
