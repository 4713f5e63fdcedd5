"""A picture of a position as SVG that stands on its own: quilt boards, track and circle.

The viewer of a page saves the same picture (``web/shared/picture.js``); a test compares both.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from pwtourney.notation.game import Game
from pwtourney.notation.record import replay
from pwtourney.report.cloth import (
    SIZE,
    Look,
    Square,
    draw_covered,
    draw_leather,
    draw_patch,
    draw_tile,
    draw_token,
    list_numbers,
    make,
    read_looks,
    round_off,
    trace_outline,
    write_text,
)
from pwtourney.report.track import RING_SIDE, draw_ring
from pwtourney.rules import ORIENTATIONS, Edition, State
from pwtourney.rules.geometry import all_orientations, set_bits
from pwtourney.sanitize import sanitize

__all__ = ["Caption", "Shown", "draw_game", "draw_picture", "mark_plies"]

_MARGIN: int = read_looks()["margin"]
_WIDTH, _HEIGHT = 1110, 520
_QUILT, _TALL = 300, 330
_SIDES = (20, 790)
_ABOUT = 0.62
"""How wide a letter is about, by the size of its font: an SVG cannot measure its own text."""

_PLACED = 0.22
"""How strongly squares that were just covered shine."""

Quilt = tuple[int, ...]
"""What covers each square: 0 nothing, N patch N, a negative number a special patch; any other
number something that is not known."""


class Shown(NamedTuple):
    """A position with what covers the squares of both quilts."""

    state: State
    quilts: tuple[Quilt, Quilt]


class Caption(NamedTuple):
    """What is written on a picture; a score of None is not known yet, `automa` has no quilt."""

    names: tuple[str, str]
    scores: tuple[int | None, int | None]
    title: str
    caption: str
    automa: bool = False


def mark_plies(game: Game, edition: Edition) -> Iterator[Shown]:
    """Yield the position before the first ply of a game and after each.

    Every ply is checked against the rules. Raises `NotationError`, `IllegalActionError`.
    """
    quilts = [[0] * (edition.rows * edition.columns) for _ in range(2)]
    before = (0, 0)
    for number, state in enumerate(replay(game, edition)):
        for seat, player in enumerate(state.players):
            word = game.plies[number - 1].action.partition(":")[0] if number else ""
            for square in set_bits(player.quilt & ~before[seat]):
                quilts[seat][square] = int(word) if word.isdigit() else -1 - square
        before = (state.players[0].quilt, state.players[1].quilt)
        yield Shown(state, (tuple(quilts[0]), tuple(quilts[1])))


def draw_game(
    game: Game, edition: Edition, at: int | None = None, title: str = "", *, dark: bool = False
) -> str:
    """Return a picture of a game after one of its plies, or at its end.

    Raises `NotationError` or `IllegalActionError` if the game departs from the rules.
    """
    shown = list(mark_plies(game, edition))
    at = len(game.plies) if at is None else at
    over = at == len(game.plies)
    state = shown[at].state
    first, second = sanitize(game.bots[0]), sanitize(game.bots[1])
    names = (first, second)
    ply = f": {names[game.plies[at - 1].seat]} {game.plies[at - 1].action}" if at else ""
    caption = Caption(
        names,
        game.scores if over else (state.score(0), None if game.automa else state.score(1)),
        f"{title}{first} against {second}",
        f"Ply {at} of {len(game.plies)}{ply}",
        automa=game.automa is not None,
    )
    return draw_picture(shown[at], shown[at - 1] if at else None, caption, dark=dark)


def draw_picture(
    shown: Shown, before: Shown | None, caption: Caption, *, dark: bool = False
) -> str:
    """Return a picture of a position; what changed since the position `before` is marked."""
    look: Look = read_looks()["dark" if dark else "light"]
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {_WIDTH} {_HEIGHT}",
        "width": _WIDTH,
        "height": _HEIGHT,
        "font-family": "system-ui, sans-serif",
        "role": "img",
    }
    ring = {
        "x": 340,
        "y": 48,
        "width": 430,
        "height": 430,
        "viewBox": f"0 0 {RING_SIDE} {RING_SIDE}",
    }
    paper = {"x": 0, "y": 0, "width": _WIDTH, "height": _HEIGHT, "fill": look["paper"]}
    picture = make(
        "svg",
        attributes,
        make("title", {}, escape(f"{caption.title}. {caption.caption}")),
        make("rect", paper),
        _write(20, 32, _fit(caption.title, 17, 1070), look["ink"], caption.title, "bold"),
        _write(20, 500, _fit(caption.caption, 13, 1070), look["soft"], caption.caption),
        *(part for seat in (0, 1) for part in _draw_side(shown, before, caption, seat, look)),
        make("svg", ring, draw_ring(shown.state, before and before.state, look)),
    )
    return f"{picture}\n"


def _write(x: float, y: float, size: float, fill: str, text: str, weight: str = "normal") -> str:
    return write_text(x, y, size, fill, text, font_weight=weight)


def _fit(text: str, size: float, width: float) -> float:
    """Return the size of a font with which a text has room."""
    return round_off(min(size, width / (_ABOUT * max(1, len(text)))))


def _draw_side(
    shown: Shown, before: Shown | None, caption: Caption, seat: int, look: Look
) -> Iterator[str]:
    """Yield one player: the token, the name, what it has, and the quilt board."""
    state = shown.state
    edition, player = state.edition, state.players[seat]
    x, name, score = _SIDES[seat], caption.names[seat], caption.scores[seat]
    moving = state.to_move == seat and not state.is_over
    currency = edition.currency.removesuffix("s") if player.buttons == 1 else edition.currency
    purse = f"{player.buttons} {currency}, income {player.income}, space {player.space}"
    box = {"x": x - 8, "y": 52, "width": _QUILT + 16, "height": 418, "rx": 8, "fill": "none"}
    yield make("rect", {**box, "stroke": look["accent" if moving else "table"], "stroke-width": 2})
    yield draw_token(seat, look, f"translate({x + 11} 72) scale(1.2)")
    yield _write(x + 28, 77, _fit(name, 15, 220), look["ink"], name, "bold")
    yield _write(x, 99, _fit(purse, 13, 250), look["ink"], purse)
    yield _write(x, 118, 13, look["soft"], "" if score is None else f"score {score}")
    if not (seat and caption.automa):
        frame = (
            *(-_MARGIN, -_MARGIN),
            *(edition.columns * SIZE + _MARGIN + 3, edition.rows * SIZE + _MARGIN + 3),
        )
        place = {"x": x, "y": 130, "width": _QUILT, "height": _TALL}
        view = {"viewBox": list_numbers(*frame), "preserveAspectRatio": "xMidYMin"}
        yield make(
            "svg",
            {**place, **view},
            *_draw_coordinates(edition, look),
            *_draw_quilt(edition, shown.quilts[seat], before and before.quilts[seat], look),
        )
    if edition.tile and state.tile == seat:
        yield draw_tile(edition.tile, look, f"translate({x + _QUILT - 42} 64) scale(1.1)")


def _draw_coordinates(edition: Edition, look: Look) -> Iterator[str]:
    common = {"class": "coordinate", "text_anchor": "middle"}
    for column in range(edition.columns):
        yield write_text((column + 0.5) * SIZE, -4, 11, look["soft"], chr(97 + column), **common)
    for row in range(edition.rows):
        yield write_text(-8, (row + 0.5) * SIZE + 4, 11, look["soft"], row + 1, **common)


def _draw_quilt(edition: Edition, quilt: Quilt, before: Quilt | None, look: Look) -> Iterator[str]:
    """Yield the board, its squares, what covers them, and what was just placed."""
    rows, columns = edition.rows, edition.columns
    board = {"x": -2, "y": -2, "width": columns * SIZE + 4, "height": rows * SIZE + 4, "rx": 3}
    yield make("rect", {**board, "fill": look["rim"]})
    size = {"width": SIZE, "height": SIZE}
    for square in range(rows * columns):
        row, column = divmod(square, columns)
        place = {"data-square": square, "x": column * SIZE, "y": row * SIZE}
        yield make("rect", {**place, **size, "fill": look["board"], "stroke": look["grid"]})
    marks = dict.fromkeys(mark for mark in quilt if mark)  # in the order of their first squares
    cloths = [_draw_mark(edition, quilt, mark, look) for mark in marks]
    placed = [
        (square % columns, square // columns)
        for square, mark in enumerate(quilt)
        if before and mark and not before[square]
    ]
    if placed:
        cloths += _draw_placed(placed, look)
    yield make("g", {"class": "cloths", "pointer-events": "none"}, *cloths)


def _draw_mark(edition: Edition, quilt: Quilt, mark: int, look: Look) -> str:
    """Return what one mark stands for, where it lies."""
    columns = edition.columns
    squares = [
        (square % columns, square // columns) for square, each in enumerate(quilt) if each == mark
    ]
    left, top = min(column for column, _ in squares), min(row for _, row in squares)
    if mark < 0:
        drawn = draw_leather(look)
    elif orientation := _find_orientation(edition, mark, squares):
        drawn = draw_patch(edition.patch[mark], orientation, look)
    else:
        return draw_covered(squares, look)
    return make("g", {"transform": f"translate({left * SIZE} {top * SIZE})"}, drawn)


def _find_orientation(edition: Edition, number: int, squares: Sequence[Square]) -> str | None:
    """Return the first orientation in which a patch covers squares; None if it is not known."""
    if number not in edition.patch:
        return None
    left, top = min(column for column, _ in squares), min(row for _, row in squares)
    wanted = frozenset((row - top, column - left) for column, row in squares)
    turned = all_orientations(edition.patch[number].shape)
    return next((ORIENTATIONS[k] for k, shape in enumerate(turned) if shape == wanted), None)


def _draw_placed(placed: Sequence[Square], look: Look) -> Iterator[str]:
    """Yield what marks the squares that were just covered."""
    shine = {"width": SIZE, "height": SIZE, "fill": "#ffffff", "fill-opacity": _PLACED}
    for column, row in placed:
        place = {"class": "placed-square", "x": column * SIZE, "y": row * SIZE}
        yield make("rect", {**place, **shine})
    line = {"d": trace_outline(placed), "fill": "none", "stroke-linecap": "square"}
    yield make("path", {**line, "stroke": look["halo"], "stroke-width": 5})
    yield make("path", {"class": "placed", **line, "stroke": look["placed"], "stroke-width": 2.6})
