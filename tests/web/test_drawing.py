"""Pictures of positions, which the browser draws, show what they should."""

import math
import re
from itertools import pairwise
from math import dist
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pwtourney.notation.game import Game
from pwtourney.notation.game_text import parse_record, replay
from pwtourney.notation.marks import Marks
from pwtourney.report.page.page import game_page
from pwtourney.rules import Edition, State, parse_shape, shape_rows
from pwtourney.rules.edition import Patch
from tests.notation.test_record import played
from tests.program import pwtourney
from tests.report.browser import REPORT_BROWSER, Opened
from tests.rules.positions import EXPRESS, LONG, ORIGINAL
from tests.web.modules import Modules, list_positions

pytestmark = [REPORT_BROWSER, pytest.mark.slow]

SVG = "{http://www.w3.org/2000/svg}"

DRAW_PATCHES = """async ([address, patches]) => {
  const { drawPatch, findLook } = await import(`${address}/shared/cloth.js`);
  const write = new XMLSerializer();
  return patches.map(([number, patch]) =>
    write.serializeToString(drawPatch(number, patch, "r0", findLook(false))));
}"""

LOOKS = """async ([address]) => (await import(`${address}/shared/looks.js`)).LOOKS"""


@pytest.fixture
def modules(browser: Any) -> Any:
    """Open a page that can import the drawing modules."""
    with Modules(browser) as opened:
        yield opened


def find_all(markup: str, name: str) -> list[ET.Element]:
    """Return the elements of a class."""
    tree = ET.fromstring(markup)
    return [element for element in tree.iter() if element.get("class") == name]


def draw_patches(modules: Modules, patches: list[Patch]) -> list[str]:
    """Return the drawing of each patch as it is offered, in light colours."""
    packed = [
        (patch.id, (shape_rows(patch.shape), patch.cost, patch.time, patch.income))
        for patch in patches
    ]
    drawn: list[str] = modules.call(DRAW_PATCHES, packed)
    return drawn


def picture(opened: Opened, at: int) -> str:
    """Return the picture that a page would save after a ply."""
    opened.page.evaluate(f"location.hash = 'game=0.0&ply={at}'")
    markup: str = opened.page.evaluate(
        f"""() => new Promise((done) => {{
          const look = () => document.getElementById('ply').value === '{at}'
            ? done(pwtourney.picture()) : requestAnimationFrame(look);
          look();
        }})"""
    )
    return markup


def open_game(game: Game, edition: Edition, browser: Any, folder: Path, **look: Any) -> Opened:
    """Open a page with one game in the browser."""
    file = folder / "game.html"
    file.write_text(game_page(game, edition))
    return Opened(browser, f"file://{file}", **look)


def test_every_patch_is_drawn_where_it_was_placed(modules: Modules) -> None:
    """The squares of each drawing, after its SVG transform, are those of the game."""
    game = played(ORIGINAL, 8)
    *_, last = list_positions(game, ORIGINAL)
    *_, drawn = modules.draw_game(game, ORIGINAL)
    boards = find_all(drawn, "cloths")
    for board, player in zip(boards, last["players"], strict=True):
        covered: dict[int, set[int]] = {}
        for group in board:
            cloth = next((element for element in group if element.get("class") == "patch"), None)
            if cloth is None:
                continue
            number = int(cloth.get("data-patch") or 0)
            left, top = map(int, re.findall(r"\d+", group.get("transform") or ""))
            turned = cloth.get("transform", "matrix(1 0 0 1 0 0)")
            a, b, c, d, e, f = (float(word) for word in re.findall(r"-?[\d.]+", turned))
            covered[number] = set()
            for row, signs in enumerate(shape_rows(ORIGINAL.patch[number].shape)):
                for column in (index for index, sign in enumerate(signs) if sign == "#"):
                    x, y = (column + 0.5) * 20, (row + 0.5) * 20
                    right, down = a * x + c * y + e + left, b * x + d * y + f + top
                    covered[number].add(int(down // 20) * 9 + int(right // 20))
        quilt = player["quilt"]
        placed = {
            mark: {square for square, value in enumerate(quilt) if value == mark}
            for mark in quilt
            if mark > 0
        }
        assert covered == placed


def test_patch_has_as_many_buttons_as_its_income(modules: Modules) -> None:
    """One is drawn for each; if there are more than squares, one has their number."""
    for patch, drawn in zip(LONG.patches, draw_patches(modules, [*LONG.patches]), strict=True):
        count = drawn.count('class="button"')
        if patch.income <= len(patch.shape):
            assert count == patch.income
        else:
            assert count == 1
            assert f">×{patch.income}<" in drawn


def test_no_two_patches_look_alike(modules: Modules) -> None:
    """143 patches in a row differ by colour or figure; no two of twelve in a row share a figure."""
    shape = parse_shape(["##"])
    drawn = draw_patches(modules, [Patch(number, shape, 0, 0, 0) for number in range(1, 144)])
    cloths = [re.sub(r'data-patch="\d+"', "", drawing) for drawing in drawn]
    assert len(set(cloths)) == 143
    figures = [re.findall(r' d="([^"]*)"', cloth)[1] for cloth in cloths]
    for number in range(len(figures) - 12):
        assert len(set(figures[number : number + 12])) == 12


def list_spaces(markup: str) -> list[tuple[float, float]]:
    """Return the corner of each space of the track, in order."""
    spaces = find_all(markup, "space")
    assert [int(space.get("data-space") or -1) for space in spaces] == list(range(len(spaces)))
    return [(float(space.get("x") or 0), float(space.get("y") or 0)) for space in spaces]


def test_track_is_a_spiral(modules: Modules) -> None:
    """Each space is next to the one before, all differ, and the last are in the middle."""
    for last in (1, 2, 3, 4, 5, 11, 29, 31, 53, 59, 60, 61, 120, 999):
        edition = ORIGINAL.replace(name="x", last_space=last, income_marks=(), leather_marks=())
        drawn = modules.draw_state(State.start(edition, 1))
        spaces = list_spaces(drawn)
        assert len(set(spaces)) == last + 1
        assert {dist(first, second) for first, second in pairwise(spaces)} == {24}
        assert spaces[0] == (0, 0)
        side = max(x for x, _ in spaces)
        if last > 20:
            assert max(abs(part - side / 2) for part in spaces[-1]) <= 72
        assert len(find_all(drawn, "tile")) == 1


def read_translation(element: ET.Element) -> tuple[float, float]:
    """Return the translation of an element."""
    x, y = re.findall(r"-?[\d.]+", element.get("transform") or "")[:2]
    return float(x), float(y)


def list_track(markup: str) -> list[ET.Element]:
    """Return the elements of the drawn track, in order."""
    tree = ET.fromstring(markup)
    (track,) = (
        element for element in tree.iter() if any(part.get("class") == "space" for part in element)
    )
    return list(track)


def test_marks_are_on_the_line_before_their_space(modules: Modules) -> None:
    """Buttons and special patches are those of the board; taken ones are not drawn."""
    game = played(ORIGINAL, 5)
    for state, drawn in zip(replay(game, ORIGINAL), modules.draw_game(game, ORIGINAL), strict=True):
        spaces = list_spaces(drawn)
        track = list_track(drawn)

        def between(space: int, spaces: list[tuple[float, float]] = spaces) -> tuple[float, float]:
            (a, b), (c, d) = spaces[space - 1], spaces[space]
            return (a + c) / 2 + 12, (b + d) / 2 + 12

        ahead = max(player.space for player in state.players)
        leathers = [
            read_translation(element) for element in track if element.get("class") == "leather"
        ]
        # a square of 20 at six tenths of its size
        assert [(x + 6, y + 6) for x, y in leathers] == [
            between(space) for space in (20, 26, 32, 44, 50) if space > ahead
        ]
        buttons = [element[0] for element in track if element.get("class") == "button"]
        assert [(float(mark.get("cx") or 0), float(mark.get("cy") or 0)) for mark in buttons] == [
            between(space) for space in range(5, 54, 6)
        ]


def test_token_that_moves_next_is_on_top(modules: Modules) -> None:
    """On a common space the token is drawn last, and both tokens are visible."""
    game = played(ORIGINAL, 4)
    met = 0
    for state, drawn in zip(replay(game, ORIGINAL), modules.draw_game(game, ORIGINAL), strict=True):
        first, second = (player.space for player in state.players)
        tokens = [element for element in list_track(drawn) if element.get("class") == "token"]
        assert len(tokens) == 2
        if first == second:
            met += 1
            assert tokens[-1].get("data-seat") == str(state.to_move)
            assert dist(*map(read_translation, tokens)) > 7.6
    assert met > 1


def find_edges(token: ET.Element) -> tuple[float, float]:
    """Return the left and right edge of a drawn token, with its halo."""
    shape, (x, _) = token[0], read_translation(token)
    is_round = shape.tag.endswith("ellipse")
    half = float(shape.get("rx") or 0) if is_round else float(shape.get("width") or 0) / 2
    halo = float(shape.get("stroke-width") or 0) / 2
    return x - half - halo, x + half + halo


def test_tokens_on_one_space_stand_side_by_side_within_it(modules: Modules) -> None:
    """They neither overlap nor hang over the walls of the space, as at the start."""
    track = list_track(modules.draw_state(State.start(ORIGINAL, 4)))
    space = next(element for element in track if element.get("data-space") == "0")
    left, width = float(space.get("x") or 0), float(space.get("width") or 0)
    edges = sorted(find_edges(token) for token in track if token.get("class") == "token")
    (first, end_of_first), (second, end) = edges
    assert left <= first
    assert end_of_first <= second
    assert end <= left + width


def test_circle_is_clockwise_from_the_neutral_token(modules: Modules) -> None:
    """All patches are in order, those on offer in a separate part, with prices."""
    game = played(LONG, 6)
    states, shown = list(replay(game, LONG))[::8], list_positions(game, LONG)[::8]
    pictures = modules.draw_positions(LONG, [(position, None) for position in shown])
    for state, drawn in zip(states, pictures, strict=True):
        tree = ET.fromstring(drawn)
        (ring,) = (
            element for element in tree if any(part.get("class") == "pawn" for part in element)
        )
        groups = [element for element in ring if element.tag == f"{SVG}g"]
        numbers = [int(group[0].get("data-patch") or 0) for group in groups]
        assert numbers == list(state.circle)
        turns = [math.atan2(x - 260, 260 - y) % math.tau for x, y in map(read_translation, groups)]
        assert turns == sorted(turns)
        prices = [element.text for element in ring if element.get("class") == "price"]
        patches = [LONG.patch[number] for number in state.circle]
        assert prices == [f"{patch.cost}/{patch.time}" for patch in patches]
        assert sum(element.get("class") == "offered" for element in ring) == bool(numbers)


def test_very_large_circle_is_cut(modules: Modules) -> None:
    """After 48 patches, with the number of the others."""
    patches = tuple(Patch(number, parse_shape(["###"]), 1, 1, 0) for number in range(1, 201))
    edition = ORIGINAL.replace(name="many", patches=patches, start_patch=1)
    drawn = modules.draw_state(State.start(edition, 1))
    assert len(find_all(drawn, "patch")) == 48
    assert ">+152<" in drawn


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(colour: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    high, low = sorted((luminance(colour), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_contrast_meets_wcag_aa(modules: Modules, name: str) -> None:
    """The contrast is at least 4.5 for text and 3 for tokens, cloths and buttons."""
    looks = modules.call(LOOKS)
    look = looks[name]
    read = "ink paper, soft paper, ink table, ink offer, seam gold, cream button"
    read += ", count track, count turn, count goal"
    for figure, ground in (pair.split() for pair in read.split(", ")):
        assert contrast(look[figure], look[ground]) >= 4.5, (figure, ground)
    for seat in look["seats"]:
        assert contrast(seat, look["label"]) >= 4.5
        for ground in ("track", "turn", "goal"):
            # a token has a halo around it
            assert max(contrast(seat, look[ground]), contrast(look["halo"], look[ground])) >= 3
    for ground, figure in looks["hues"]:
        assert contrast(ground, figure) >= 3
        # the edge of a patch is visible, or the board is darker
        assert max(contrast(look["edge"], look["board"]), contrast(ground, look["board"])) >= 3
    for ground in ("leather", "covered"):
        assert (
            max(contrast(look["edge"], look["board"]), contrast(look[ground], look["board"])) >= 3
        )
    assert contrast(look["placed"], look["halo"]) >= 4.5


def test_drawing_is_self_contained(modules: Modules) -> None:
    """No ids, styles, references or scripts, so a CSP can forbid all of them."""
    *_, drawn = modules.draw_game(played(EXPRESS, 2), EXPRESS)
    assert not re.search(r"\b(id|style|href|on\w+)=|url\(|<(script|style|defs|use|image)\b", drawn)


def test_names_from_outside_are_text(browser: Any, tmp_path: Path) -> None:
    """Markup, control characters and a very long name of a bot are drawn as text."""
    name = '<script>"&\x1b[31m' + "W" * 200
    game = played(EXPRESS, 2)._replace(bots=(name, "b"))
    with open_game(game, EXPRESS, browser, tmp_path) as opened:
        tree = ET.fromstring(picture(opened, len(game.plies)))
    texts = [
        element
        for element in tree.iter(f"{SVG}text")
        if (element.text or "").startswith("<script>")
    ]
    assert texts
    assert not list(tree.iter(f"{SVG}script"))
    assert all("\x1b" not in (element.text or "") for element in texts)
    assert all(
        float(element.get("font-size") or 99) * 0.62 * len(element.text or "") < 1071
        for element in texts
    )


def test_covered_squares_of_a_single_position_are_drawn(modules: Modules) -> None:
    """Their patches are unknown: as many squares are grey."""
    marks = Marks(((1_000_000,) * 5 + (0,) * 76, (0,) * 81))
    drawn = modules.draw_state(State.start(ORIGINAL, 1), marks)
    (group,) = find_all(drawn, "covered")
    assert (group[0].get("d") or "").count("M") == 5


@pytest.mark.parametrize("look", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
def test_page_saves_what_its_modules_draw(
    modules: Modules, look: str, browser: Any, tmp_path: Path
) -> None:
    """The picture has names, scores and plies in the page's colours; the rings are identical."""
    game = played(EXPRESS, 3)
    with (
        open_game(game, EXPRESS, browser, tmp_path, color_scheme=look) as opened,
        Modules(browser, color_scheme=look) as coloured,
    ):
        drawn = coloured.draw_game(game, EXPRESS)
        for at in (0, 1, len(game.plies)):
            saved = picture(opened, at)
            assert f"Ply {at} of {len(game.plies)}" in saved
            assert "one against b 2" in saved
            rings = [re.findall(r"<svg x=\"340\".*", markup) for markup in (saved, drawn[at])]
            assert rings[0] == rings[1] != []
        scores = [f">score {score}<".replace("-", "−") for score in game.scores or ()]
        assert all(score in saved for score in scores)
        assert opened.complaints == []


@pytest.mark.thorough
def test_automa_has_no_quilt_board(browser: Any, tmp_path: Path) -> None:
    """There is one board, and the Automa has no score before the end."""
    file = tmp_path / "solo.txt"
    pwtourney("play", "greedy", "automa:2", "--deal", str(2**63), "--save", str(file))
    game, edition = parse_record(file.read_text())
    with open_game(game, edition, browser, tmp_path) as opened:
        midst, end = picture(opened, 4), picture(opened, len(game.plies))
    assert len(find_all(midst, "cloths")) == 1
    assert len(re.findall(r">score −?\d+<", midst)) == 1
    assert len(re.findall(r">score −?\d+<", end)) == 2
