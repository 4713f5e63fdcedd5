"""The time track and the circle of patches as SVG, as in ``templates/track.js`` and ``ring.js``."""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from pwtourney.report.cloth import (
    SIZE,
    Look,
    Square,
    draw_button,
    draw_leather,
    draw_patch,
    draw_pawn,
    draw_tile,
    draw_token,
    list_numbers,
    make,
    read_looks,
    round_off,
    write_text,
)
from pwtourney.rules import Edition, Patch, State, shape_rows

__all__ = ["RING_SIDE", "draw_ring", "draw_track"]

_CELL: int = read_looks()["cell"]
_FREE = 4
"""At least as many cells stay free in the middle of the track, for the special tile."""

_RING = read_looks()["ring"]
RING_SIDE: int = _RING["side"]
_MIDDLE = RING_SIDE / 2
_LARGEST = 0.9
_OFFERED = 1.35


def _find_side(last: int) -> int:
    """Return the side of the square of cells that holds a track up to its last space."""
    return math.ceil(math.sqrt(last + 1 + _FREE))


def _wind_spiral(side: int, count: int) -> list[Square]:
    """Return the first cells of a spiral, clockwise from the top left corner inwards."""
    cells: list[Square] = []
    column, row, right, down = 0, 0, 1, 0
    taken = set()
    for _ in range(count):
        cells.append((column, row))
        taken.add((column, row))
        ahead = (column + right, row + down)
        if ahead in taken or not (0 <= ahead[0] < side and 0 <= ahead[1] < side):
            right, down = -down, right
        column, row = column + right, row + down
    return cells


def _find_free(side: int, cells: Sequence[Square]) -> tuple[int, int, int] | None:
    """Return the largest square of free cells, at most four across: column, row and side."""
    taken = set(cells)
    for across in range(min(4, side), 1, -1):
        for row in range(side - across + 1):
            for column in range(side - across + 1):
                area = (
                    (column + right, row + down)
                    for right in range(across)
                    for down in range(across)
                )
                if taken.isdisjoint(area):
                    return column, row, across
    return None


def _trace_walls(cells: Sequence[Square]) -> str:
    """Return the lines between cells that touch without following each other."""
    order = {cell: space for space, cell in enumerate(cells)}
    lines = []
    for space, (column, row) in enumerate(cells):
        x, y = column * _CELL, row * _CELL
        sides = (
            ((column, row - 1), f"M{x} {y}h{_CELL}"),
            ((column, row + 1), f"M{x} {y + _CELL}h{_CELL}"),
            ((column - 1, row), f"M{x} {y}v{_CELL}"),
            ((column + 1, row), f"M{x + _CELL} {y}v{_CELL}"),
        )
        lines += [line for cell, line in sides if abs(order.get(cell, -9) - space) != 1]
    return "".join(lines)


def _find_middle(cell: Square) -> tuple[float, float]:
    return (cell[0] + 0.5) * _CELL, (cell[1] + 0.5) * _CELL


def _draw_cells(edition: Edition, cells: Sequence[Square], look: Look) -> Iterator[str]:
    for space, (column, row) in enumerate(cells):
        x, y = column * _CELL, row * _CELL
        ends = space in (0, edition.last_space)
        fill = look["goal"] if ends else look["turn" if space % 2 else "track"]
        place = {"class": "space", "data-space": space, "x": x, "y": y}
        yield make("rect", {**place, "width": _CELL, "height": _CELL, "fill": fill})
        yield write_text(x + _CELL / 2, y + 15.5, 9, look["count"], space, text_anchor="middle")


def _draw_marks(edition: Edition, cells: Sequence[Square], ahead: int, look: Look) -> Iterator[str]:
    """Yield what lies on the lines before spaces: buttons, and special patches that are left."""
    for space in range(1, len(cells)):
        income = space in edition.income_marks
        leather = space in edition.leather_marks and space > ahead
        (column, row), (before, above) = cells[space], cells[space - 1]
        x, y = (column + before + 1) * _CELL / 2, (row + above + 1) * _CELL / 2
        upright = row == above
        apart = 6 if income and leather else 0
        if leather:
            left, top = (x, y + apart) if upright else (x + apart, y)
            corner = list_numbers(round_off(left - 6), round_off(top - 6))
            yield draw_leather(look, f"translate({corner}) scale(0.6)")
        if income:
            left, top = (x, y - apart) if upright else (x - apart, y)
            yield draw_button(left, top, 5.4, look)


def _draw_trail(
    state: State, before: State | None, cells: Sequence[Square], look: Look
) -> Iterator[str]:
    """Yield the way that a token has just gone."""
    for seat, player in enumerate(state.players):
        start = before.players[seat].space if before else player.space
        if start < player.space:
            way = "L".join(
                list_numbers(*_find_middle(cell)) for cell in cells[start : player.space + 1]
            )
            line = {"class": "trail", "d": f"M{way}", "fill": "none", "stroke-opacity": 0.55}
            joined = {"stroke-width": 4, "stroke-linejoin": "round", "stroke-linecap": "round"}
            yield make("path", {**line, "stroke": look["seats"][seat], **joined})


def _draw_tokens(state: State, cells: Sequence[Square], look: Look) -> Iterator[str]:
    """Yield the tokens; on one space, the one that moves next lies on top."""
    shared = state.players[0].space == state.players[1].space
    for place, seat in enumerate((1 - state.to_move, state.to_move)):
        x, y = _find_middle(cells[state.players[seat].space])
        away = (4 if place else -4) if shared else 0
        yield draw_token(seat, look, f"translate({list_numbers(x + away, y - away)})")


def draw_track(state: State, before: State | None, look: Look) -> tuple[int, str]:
    """Return the side of the track and all that is drawn of it."""
    edition = state.edition
    side = _find_side(edition.last_space)
    cells = _wind_spiral(side, edition.last_space + 1)
    ahead = max(player.space for player in state.players)
    across = side * _CELL
    frame = {"x": 0, "y": 0, "width": across, "height": across, "rx": 4, "fill": look["table"]}
    wall = {"fill": "none", "stroke": look["wall"], "stroke-width": 1.8, "stroke-linecap": "round"}
    parts = [
        make("rect", frame),
        *_draw_cells(edition, cells, look),
        make("path", {"d": _trace_walls(cells), **wall}),
    ]
    free = _find_free(side, cells)
    if edition.tile and state.tile is None and free:
        column, row, wide = free
        corner = list_numbers(column * _CELL + 3, row * _CELL + 3)
        scale = list_numbers(round_off((wide * _CELL - 6) / 40))
        parts.append(draw_tile(edition.tile, look, f"translate({corner}) scale({scale})"))
    parts += _draw_trail(state, before, cells, look)
    parts += _draw_marks(edition, cells, ahead, look)
    parts += _draw_tokens(state, cells, look)
    return across, "".join(parts)


class _Slot(NamedTuple):
    """The part of the circle that a patch has, as shares of it."""

    middle: float
    width: float


def _divide(count: int, offer: int) -> list[_Slot]:
    """Return the parts of the patches; those on offer have more, and the neutral token has one."""
    widths = [_OFFERED if place < offer else 1.0 for place in range(count)]
    total = 1 + sum(widths)
    ends = accumulate(widths, initial=0.5)
    next(ends)
    return [
        _Slot((end - width / 2) / total, width / total)
        for end, width in zip(ends, widths, strict=True)
    ]


def _place(share: float, radius: float) -> tuple[float, float]:
    turn = share * 2 * math.pi
    return (
        round_off(_MIDDLE + radius * math.sin(turn)),
        round_off(_MIDDLE - radius * math.cos(turn)),
    )


def _find_scale(patches: Sequence[Patch], slots: Sequence[_Slot]) -> float:
    """Return the scale at which each patch has room, with its long side towards the middle."""
    scale = _LARGEST
    for patch, slot in zip(patches, slots, strict=True):
        rows = shape_rows(patch.shape)
        short, long = sorted((len(rows), len(rows[0])))
        arc = 2 * math.pi * _RING["radius"] * slot.width * 0.8
        scale = min(scale, _RING["depth"] / (long * SIZE), arc / (short * SIZE))
    return round_off(scale)


def _trace_offer(slots: Sequence[_Slot]) -> str:
    """Return the part of the ring in which the patches on offer lie, as a path."""
    start = slots[0].middle - slots[0].width / 2
    end = slots[-1].middle + slots[-1].width / 2
    near, far = _RING["radius"] - _RING["depth"] / 2, RING_SIDE / 2 - 2
    large = 1 if end - start > 0.5 else 0
    outer, inner = list_numbers(far, far), list_numbers(near, near)
    return (
        f"M{list_numbers(*_place(start, far))}"
        f"A{outer} 0 {large} 1 {list_numbers(*_place(end, far))}"
        f"L{list_numbers(*_place(end, near))}"
        f"A{inner} 0 {large} 0 {list_numbers(*_place(start, near))}z"
    )


def _draw_place(patch: Patch, slot: _Slot, scale: float, look: Look) -> Iterator[str]:
    """Yield a patch in its place in the circle, and its price."""
    rows = shape_rows(patch.shape)
    width, height = len(rows[0]) * SIZE, len(rows) * SIZE
    turn = round_off(slot.middle * 360) + (90 if width > height else 0)
    middle = list_numbers(*_place(slot.middle, _RING["radius"]))
    back = list_numbers(-width / 2, -height / 2)
    transform = (
        f"translate({middle}) rotate({list_numbers(round_off(turn))})"
        f" scale({list_numbers(scale)}) translate({back})"
    )
    yield make("g", {"transform": transform}, draw_patch(patch, "r0", look))
    left, top = _place(slot.middle, _RING["radius"] + _RING["depth"] / 2 + 12)
    price = {"class": "price", "text_anchor": "middle"}
    text = f"{patch.cost}/{patch.time}"
    yield write_text(left, round_off(top + 3.5), 10.5, look["ink"], text, **price)


def draw_ring(state: State, before: State | None, look: Look) -> str:
    """Return the circle of patches, clockwise from the neutral token, with the track in it."""
    edition, most = state.edition, _RING["most"]
    patches = [edition.patch[number] for number in state.circle[:most]]
    slots = _divide(len(patches), edition.offer)
    table = {"cx": _MIDDLE, "cy": _MIDDLE, "r": _MIDDLE - 2, "fill": look["table"]}
    parts = [make("circle", table)]
    if patches:
        offer = {"class": "offered", "d": _trace_offer(slots[: edition.offer])}
        parts.append(make("path", {**offer, "fill": look["offer"], "stroke": look["accent"]}))
    top = list_numbers(_MIDDLE, _MIDDLE - _RING["radius"])
    parts.append(draw_pawn(look, f"translate({top}) scale(1.3)"))
    scale = _find_scale(patches, slots)
    for patch, slot in zip(patches, slots, strict=True):
        parts += _draw_place(patch, slot, scale, look)
    if len(state.circle) > most:
        more = f"+{len(state.circle) - most}"
        y = _MIDDLE - _RING["radius"] + 30
        parts.append(write_text(_MIDDLE, y, 10.5, look["ink"], more, text_anchor="middle"))
    across, track = draw_track(state, before, look)
    inner = _RING["track"]
    corner = _MIDDLE - inner / 2
    box = {"x": corner, "y": corner, "width": inner, "height": inner}
    parts.append(make("svg", {**box, "viewBox": f"-1 -1 {across + 2} {across + 2}"}, track))
    return "".join(parts)
