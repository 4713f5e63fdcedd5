"""Games as plain data for pages: an edition, a position, and the changes of each ply.

A page receives the start position of a game, and a `Change` for each ply. It assigns the changed
values, and implements no rules of the game. Its side is ``web/shared/changes.js``, with the types
in ``web/types.d.ts``.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from pwtourney.notation.game import Game
from pwtourney.notation.game_text import replay
from pwtourney.notation.marks import Marks
from pwtourney.notation.words import is_card
from pwtourney.rules import EMPTY_SQUARE, Edition, Points, State
from pwtourney.rules.automa import AUTOMA_SEAT
from pwtourney.rules.geometry import shape_rows

__all__ = [
    "Change",
    "change_data",
    "edition_data",
    "follow_game",
    "position_data",
    "taken_patch",
]


class Change(NamedTuple):
    """The changes of a ply, in the order in which they are sent to pages.

    `buttons`, `income`, `spaces` and `score` are the gains of the seat that plays; `score` is 0 for
    the Automa. `turn` is 1 if the other seat is to move next, 0 if the same is. `patch_index` is
    the index in the circle of the patch that is taken, −1 for none: the circle begins behind it.
    `others` are further values of the position that changed, by their names in `position_data`; a
    change of ``late`` means that the late patches join the circle at its end.

    The action itself determines the covered squares.
    """

    buttons: int
    income: int
    spaces: int
    score: int
    turn: int
    patch_index: int = -1
    others: tuple[tuple[str, Any], ...] = ()

    def pack(self) -> list[Any]:
        """Return the change as sent to a page; unchanged values are left out at the end."""
        if self.others:
            return [*self[:-1], dict(self.others)]
        return list(self[:-2] if self.patch_index < 0 else self[:-1])


def edition_data(edition: Edition) -> dict[str, Any]:
    """Return what pages show of an edition: its board, its track and its patches."""
    tile = edition.tile
    return {
        "title": edition.title,
        "currency": edition.currency,
        "rows": edition.rows,
        "columns": edition.columns,
        "last": edition.last_space,
        "incomes": edition.income_marks,
        "leathers": edition.leather_marks,
        "offer": edition.offer,
        "tile": None if tile is None else [tile.size, tile.points],
        "empty": EMPTY_SQUARE,
        "patches": {
            patch.id: [shape_rows(patch.shape), patch.cost, patch.time, patch.income]
            for patch in edition.patches
        },
    }


def position_data(
    state: State,
    marks: Marks | None = None,
    micros: tuple[int, int] = (0, 0),
    *,
    automa: bool = False,
) -> dict[str, Any]:
    """Return a position; `micros` is the thinking time of each seat, in microseconds.

    Without `marks`, covered squares are `UNKNOWN`. The Automa has no score before the end, when it
    is computed by its level. ``leathers`` are the spaces where special patches are left. When the
    game is over, ``points`` has the parts of both scores, null for the Automa.
    """
    quilts = (marks or Marks.of(state)).quilts
    position = {
        "players": [
            {
                "quilt": list(quilts[seat]),
                "buttons": player.buttons,
                "income": player.income,
                "space": player.space,
                "score": None if automa and seat == AUTOMA_SEAT else state.score(seat),
                "micros": micros[seat],
            }
            for seat, player in enumerate(state.players)
        ],
        "circle": list(state.circle),
        "late": list(state.late),
        "leathers": list(state.leather_left),
        "toMove": state.to_move,
        "pending": state.pending,
        "tile": state.tile,
        "over": state.is_over,
    }
    return position | {"points": [*_list_points(state, automa)]} if state.is_over else position


def _list_points(state: State, automa: bool) -> tuple[Points | None, Points | None]:
    """Return the parts of both scores; None for the Automa, whose level counts in another way."""
    return state.points(0), None if automa else state.points(AUTOMA_SEAT)


def change_data(before: State, after: State, action: str, *, automa: bool = False) -> Change:
    """Return the changes of an action that leads from one position to the next.

    `automa` is True in games against the Automa, whose score is not known before the end.
    """
    seat = before.to_move
    has_score = not (automa and seat == AUTOMA_SEAT)
    score = after.score(seat) - before.score(seat) if has_score else 0
    return _compare(before, after, action, score, automa)


def _compare(before: State, after: State, action: str, score: int, automa: bool) -> Change:
    """Return the changes of an action whose gain in `score` is known."""
    # it is called for tens of thousands of plies per page, so fields are unpacked
    edition, players, circle, late, seat, pending, tile = before
    _, players_now, _, late_now, to_move, pending_now, tile_now = after
    _, buttons, income, space = players[seat]
    _, buttons_now, income_now, space_now = players_now[seat]
    patch = taken_patch(action)
    patch_index = circle.index(patch) if patch else -1
    turn = 0 if to_move == seat else 1
    passed = edition.leathers_passed
    is_rare = (
        pending != pending_now
        or tile != tile_now
        or late != late_now
        or passed[space] != passed[space_now]
        or space_now == edition.last_space
    )
    others = _list_others(before, after, automa) if is_rare else ()
    gains = (buttons_now - buttons, income_now - income, space_now - space, score)
    return _make_change(Change, (*gains, turn, patch_index, others))


_make_change = tuple.__new__  # several times as fast as the constructor of a named tuple


def _list_others(before: State, after: State, automa: bool) -> tuple[tuple[str, Any], ...]:
    """Return the rarer changes by the names of the values."""
    _, _, _, late, _, pending, tile = before
    _, _, _, late_now, _, pending_now, tile_now = after
    others: list[tuple[str, Any]] = []
    if pending != pending_now:
        others.append(("pending", pending_now))
    if tile != tile_now:
        others.append(("tile", tile_now))
    if late != late_now:
        others.append(("late", late_now))
    leathers = after.leather_left
    if leathers != before.leather_left:
        others.append(("leathers", leathers))
    if after.is_over and not before.is_over:
        others += [("over", True), ("points", _list_points(after, automa))]
    return tuple(others)


@lru_cache(maxsize=1 << 14)
def taken_patch(action: str) -> int:
    """Return the patch that an action, or a card of the Automa, takes; 0 for none."""
    words = action.split(":")
    number = words[-1] if is_card(action) else words[0]
    return int(number) if number.isdecimal() else 0


def follow_game(game: Game, edition: Edition) -> tuple[State, Iterator[Change]]:
    """Return the start position of a game, and the changes of each of its plies.

    Raises `NotationError`, and the iteration of the changes also `IllegalActionError`, if the game
    breaks the rules. Its result is not checked.
    """
    states = replay(game, edition)
    start = next(states)
    return start, _list_changes(game, start, states)


def _list_changes(game: Game, before: State, states: Iterator[State]) -> Iterator[Change]:
    # computing a score costs as much as finding all other changes, so each is computed once
    scores = [before.score(0), before.score(1)]
    solo = game.automa is not None
    # the plies come first in `zip`: after the last of them, `replay` would check the result
    for ply, after in zip(game.plies, states, strict=False):
        seat, gained = ply.seat, 0
        if not (solo and seat == AUTOMA_SEAT):
            score = after.score(seat)
            gained, scores[seat] = score - scores[seat], score
        yield _compare(before, after, ply.action, gained, solo)
        before = after
