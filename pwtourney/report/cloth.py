"""Patches of cloth, special patches, buttons and tokens as SVG.

The browser draws the same in ``web/shared/cloth.js``; colours, cloths and measures of both are in
``web/shared/looks.js``. Nothing has an id, a style or a reference, so that each part can be copied
as it is.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pwtourney.web
from pwtourney.rules import Patch, Tile, shape_rows

__all__ = [
    "SIZE",
    "Look",
    "Square",
    "draw_button",
    "draw_covered",
    "draw_leather",
    "draw_patch",
    "draw_pawn",
    "draw_tile",
    "draw_token",
    "list_numbers",
    "list_squares",
    "make",
    "read_looks",
    "round_off",
    "trace_outline",
    "write_text",
]

Look = Mapping[str, Any]
"""Colours by what they paint: ``light`` or ``dark`` of the looks."""

Square = tuple[int, int]
"""Column and row."""

_SIDES = ((0, -1, "top"), (0, 1, "bottom"), (-1, 0, "left"), (1, 0, "right"))

_ACROSS = "h3.5m1.5 0h3.5m1.5 0h3.5m1.5 0h3.5"
_DOWN = "v3.5m0 1.5v3.5m0 1.5v3.5m0 1.5v3.5"
_EDGE = {"fill": "none", "stroke-width": 1.6, "stroke-linecap": "round"}


@cache
def read_looks() -> Mapping[str, Any]:
    """Return the colours, cloths and measures of all drawings."""
    file = Path(pwtourney.web.__file__).parent / "shared" / "looks.js"
    text = file.read_text(encoding="utf-8")
    looks: Mapping[str, Any] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return looks


SIZE: int = read_looks()["square"]
"""The side of a square."""


def round_off(number: float) -> float:
    """Round to hundredths, halves up, as the browser does."""
    return math.floor(number * 100 + 0.5) / 100


def _write_number(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(number)


def list_numbers(*numbers: float) -> str:
    """Return numbers with blanks between them, as transforms and paths have them."""
    return " ".join(map(_write_number, numbers))


def make(name: str, attributes: Mapping[str, object], *content: str) -> str:
    """Return an element; its content is markup."""
    written = "".join(
        f" {key}={quoteattr(_write_number(value) if isinstance(value, float) else str(value))}"
        for key, value in attributes.items()
    )
    inside = "".join(content)
    return f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"


def write_text(
    x: float, y: float, size: float, fill: str, text: object, **attributes: object
) -> str:
    """Return a line of text; in the names of attributes, ``_`` stands for ``-``."""
    given = {key.replace("_", "-"): value for key, value in attributes.items()}
    placed = {"x": x, "y": y, "font-size": size, "fill": fill, **given}
    return make("text", placed, escape(str(text)))


def list_squares(rows: Sequence[str]) -> list[Square]:
    """Return the squares of a shape, row by row."""
    return [
        (column, row)
        for row, line in enumerate(rows)
        for column, mark in enumerate(line)
        if mark == "#"
    ]


def _list_sides(squares: Sequence[Square]) -> Iterator[tuple[int, int, str]]:
    """Yield the corner and the side of each square where no other of them lies."""
    own = set(squares)
    for column, row in squares:
        for right, down, side in _SIDES:
            if (column + right, row + down) not in own:
                yield column * SIZE, row * SIZE, side


def trace_outline(squares: Sequence[Square]) -> str:
    """Return the outline of squares as a path."""
    lines = {
        "top": lambda x, y: f"M{x} {y}h{SIZE}",
        "bottom": lambda x, y: f"M{x} {y + SIZE}h{SIZE}",
        "left": lambda x, y: f"M{x} {y}v{SIZE}",
        "right": lambda x, y: f"M{x + SIZE} {y}v{SIZE}",
    }
    return "".join(lines[side](x, y) for x, y, side in _list_sides(squares))


def _trace_stitches(squares: Sequence[Square]) -> str:
    """Return four stitches along each side, a little within it, as a path."""
    lines = {
        "top": lambda x, y: f"M{x + 0.75} {y + 2.5}{_ACROSS}",
        "bottom": lambda x, y: f"M{x + 0.75} {y + SIZE - 2.5}{_ACROSS}",
        "left": lambda x, y: f"M{x + 2.5} {y + 0.75}{_DOWN}",
        "right": lambda x, y: f"M{x + SIZE - 2.5} {y + 0.75}{_DOWN}",
    }
    return "".join(lines[side](x, y) for x, y, side in _list_sides(squares))


def _fill_squares(squares: Sequence[Square]) -> str:
    return "".join(
        f"M{column * SIZE} {row * SIZE}h{SIZE}v{SIZE}h-{SIZE}z" for column, row in squares
    )


def draw_button(x: float, y: float, radius: float, look: Look) -> str:
    """Return a button with four holes around a point."""
    hole = round_off(radius * 0.3)
    dots = "".join(
        f"M{list_numbers(round_off(x + right * hole), round_off(y + down * hole))}h0.01"
        for right, down in ((-1, -1), (1, -1), (-1, 1), (1, 1))
    )
    middle = {"cx": round_off(x), "cy": round_off(y)}
    holes = {
        "d": dots,
        "stroke": look["cream"],
        "stroke-width": round_off(radius * 0.28),
        "stroke-linecap": "round",
        "fill": "none",
    }
    return make(
        "g",
        {"class": "button"},
        make("circle", {**middle, "r": radius, "fill": look["cream"]}),
        make("circle", {**middle, "r": round_off(radius * 0.84), "fill": look["button"]}),
        make("path", holes),
    )


def _draw_income(squares: Sequence[Square], income: int, look: Look) -> Iterator[str]:
    """Yield as many buttons as a patch earns; one with their number if it has fewer squares."""

    def find_middle(index: int) -> tuple[float, float]:
        column, row = squares[index]
        return (column + 0.5) * SIZE, (row + 0.5) * SIZE

    if income > len(squares):
        x, y = find_middle(len(squares) // 2)
        yield draw_button(x, y, 9, look)
        bold = {"text_anchor": "middle", "font_weight": "bold"}
        yield write_text(x, y + 3, 8, look["cream"], f"×{income}", **bold)
        return
    for number in range(income):
        yield draw_button(*find_middle(int((number + 0.5) * len(squares) / income)), 6.5, look)


def _find_turn(orientation: str, width: int, height: int) -> str:
    """Return how an orientation moves a shape of this width and height, as SVG writes it."""
    return {
        "r90": f"0 1 -1 0 {height} 0",
        "r180": f"-1 0 0 -1 {width} {height}",
        "r270": f"0 -1 1 0 0 {width}",
        "f0": f"-1 0 0 1 {width} 0",
        "f90": f"0 -1 -1 0 {height} {width}",
        "f180": f"1 0 0 -1 0 {height}",
        "f270": "0 1 1 0 0 0",
    }[orientation]


def draw_patch(patch: Patch, orientation: str, look: Look) -> str:
    """Return a patch at the origin: its cloth with the figure, stitches, outline and buttons."""
    looks, rows = read_looks(), shape_rows(patch.shape)
    squares = list_squares(rows)
    ground, figure = looks["hues"][(patch.id - 1) % len(looks["hues"])]
    motif, line = looks["motifs"][(patch.id - 1) % len(looks["motifs"])]
    pattern = "".join(f"M{column * SIZE} {row * SIZE}{motif}" for column, row in squares)
    drawn = {"fill": "none", "stroke": figure, "stroke-width": line} if line else {"fill": figure}
    attributes: dict[str, object] = {"class": "patch", "data-patch": patch.id}
    if orientation != "r0":
        turn = _find_turn(orientation, len(rows[0]) * SIZE, len(rows) * SIZE)
        attributes["transform"] = f"matrix({turn})"
    thread = {"fill": "none", "stroke": look["thread"], "stroke-width": 0.9}
    return make(
        "g",
        attributes,
        make("path", {"d": _fill_squares(squares), "fill": ground}),
        make("path", {"d": pattern, **drawn}),
        make("path", {"d": _trace_stitches(squares), **thread}),
        make("path", {"d": trace_outline(squares), "stroke": look["edge"], **_EDGE}),
        *_draw_income(squares, patch.income, look),
    )


def draw_leather(look: Look, transform: str = "") -> str:
    """Return a special patch: one square of leather."""
    one = ((0, 0),)
    hide = {"fill": "none", "stroke": look["hide"]}
    return make(
        "g",
        {"class": "leather"} | ({"transform": transform} if transform else {}),
        make("path", {"d": _fill_squares(one), "fill": look["leather"]}),
        make("path", {"d": _trace_stitches(one), "stroke-width": 0.9, **hide}),
        make("path", {"d": "M7 7l6 6m0 -6l-6 6", **_EDGE, **hide}),
        make("path", {"d": trace_outline(one), "stroke": look["edge"], **_EDGE}),
    )


def draw_covered(squares: Sequence[Square], look: Look) -> str:
    """Return squares of which only is known that they are covered."""
    edge = {"fill": "none", "stroke": look["edge"], "stroke-width": 1.6}
    return make(
        "g",
        {"class": "covered"},
        make("path", {"d": _fill_squares(squares), "fill": look["covered"]}),
        make("path", {"d": trace_outline(squares), **edge}),
    )


def draw_token(seat: int, look: Look, transform: str) -> str:
    """Return the token of a seat: round for the first, square for the second."""
    painted = {"fill": look["seats"][seat], "stroke": look["halo"], "stroke-width": 1.4}
    bold = {"text_anchor": "middle", "font_weight": "bold"}
    return make(
        "g",
        {"class": "token", "data-seat": seat, "transform": transform},
        make("rect", {"x": -7, "y": -7, "width": 14, "height": 14, "rx": 3, **painted})
        if seat
        else make("circle", {"cx": 0, "cy": 0, "r": 7.6, **painted}),
        write_text(0, 3.6, 10, look["label"], seat + 1, **bold),
    )


def draw_tile(tile: Tile, look: Look, transform: str) -> str:
    """Return the special tile, 40 wide: the squares across that it asks for, and its points."""
    across = min(tile.size, 12)
    places = (
        _write_number(round_off(3 + (number + 1) * 34 / across)) for number in range(across - 1)
    )
    seam, gold = look["seam"], look["gold"]
    frame = {"x": 1, "y": 1, "width": 38, "height": 38, "rx": 4, "stroke-width": 1.5}
    lines = "".join(f"M3 {place}h34M{place} 3v34" for place in places)
    return make(
        "g",
        {"class": "tile", "transform": transform},
        make("rect", {**frame, "fill": gold, "stroke": seam}),
        make("path", {"d": lines, "fill": "none", "stroke": seam, "stroke-width": 0.4}),
        make("circle", {"cx": 20, "cy": 20, "r": 11, "fill": gold, "stroke": seam}),
        write_text(20, 25, 14, seam, tile.points, text_anchor="middle", font_weight="bold"),
    )


def draw_pawn(look: Look, transform: str) -> str:
    """Return the neutral token: a wooden pawn, 22 high."""
    return make(
        "path",
        {
            "class": "pawn",
            "fill": look["pawn"],
            "stroke": look["bark"],
            "stroke-width": 1.4,
            "stroke-linejoin": "round",
            "transform": transform,
            "d": "M-9 12q0 -4 4 -5q3 -5 2 -9a5 5 0 1 1 6 0q-1 4 2 9q4 1 4 5z",
        },
    )
