"""Pictures of positions: by Python and by the browser, and what can be seen in them."""

import re
from itertools import pairwise
from math import dist
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pwtourney.notation.game import Game
from pwtourney.notation.record import parse_record, record_text
from pwtourney.report.cloth import draw_patch, list_squares, read_looks
from pwtourney.report.drawing import Caption, Shown, draw_game, draw_picture, mark_plies
from pwtourney.report.page import game_page
from pwtourney.rules import Edition, State, Tile, parse_shape, shape_rows
from pwtourney.rules.edition import Patch
from tests.notation.test_record import played
from tests.program import pwtourney
from tests.report.browser import ONE_BROWSER, Opened
from tests.rules.positions import EXPRESS, ORIGINAL
from tests.thorough import thorough_but

SVG = "{http://www.w3.org/2000/svg}"

LONG = ORIGINAL.replace(
    name="long",
    rows=8,
    columns=16,
    last_space=240,
    income_marks=(1, 2, 30, 60, 150, 240),
    leather_marks=(2, 30, 77, 100, 239),
    patches=(
        *ORIGINAL.patches,
        Patch(700, parse_shape(["#"]), 1, 1, 5),
        Patch(701, parse_shape(["##########", "#........."]), 1, 1, 8),
    ),
    tile=Tile(3, 12),
    offer=5,
)
"""A board of 128 squares, a long track, income and leather on one line, income that is a number."""

EDITIONS = {"original": ORIGINAL, "express": EXPRESS, "long": LONG}


def flatten(markup: str) -> list[tuple[str, dict[str, str], str]]:
    """Return tag, attributes and text of each element, in their order."""
    tree = ET.fromstring(markup)
    return [(each.tag, each.attrib, (each.text or "").strip()) for each in tree.iter()]


def find_all(markup: str, name: str) -> list[ET.Element]:
    """Return the elements of a class."""
    tree = ET.fromstring(markup)
    return [each for each in tree.iter() if each.get("class") == name]


@pytest.fixture
def automa(tmp_path: Path) -> tuple[Game, Edition]:
    """Return a game against the Automa."""
    file = tmp_path / "solo.txt"
    pwtourney("play", "greedy", "automa:2", "--deal", str(2**63), "--save", str(file))
    return parse_record(file.read_text())


def open_game(game: Game, edition: Edition, browser: Any, folder: Path, **look: Any) -> Opened:
    """Open a page with one game in the browser."""
    file = folder / "game.html"
    file.write_text(game_page(game, edition))
    return Opened(browser, f"file://{file}", **look)


def compare(opened: Opened, game: Game, edition: Edition, *, dark: bool) -> None:
    """Compare the browser's pictures with those of Python: at the start, at the end, between."""
    for at in sorted({0, 1, *range(2, len(game.plies), 7), len(game.plies)}):
        opened.page.evaluate(f"location.hash = 'game=0.0&ply={at}'")
        found = opened.page.evaluate(
            f"""() => new Promise((done) => {{
              const look = () => document.getElementById('ply').value === '{at}'
                ? done(pwtourney.picture()) : requestAnimationFrame(look);
              look();
            }})"""
        )
        assert flatten(found) == flatten(draw_game(game, edition, at, dark=dark))


@ONE_BROWSER
@pytest.mark.slow(2)
@pytest.mark.parametrize("name", thorough_but(["original"], EDITIONS))
def test_python_and_the_browser_draw_the_same(name: str, browser: Any, tmp_path: Path) -> None:
    """Element by element, attribute by attribute, from the first ply to the last."""
    edition = EDITIONS[name]
    game = played(edition, 3)
    dark = name != "original"
    with open_game(
        game, edition, browser, tmp_path, color_scheme="dark" if dark else "light"
    ) as opened:
        compare(opened, game, edition, dark=dark)
        assert opened.complaints == []


@pytest.mark.thorough
@ONE_BROWSER
@pytest.mark.slow(2)
def test_the_automa_has_no_quilt_board(
    automa: tuple[Game, Edition], browser: Any, tmp_path: Path
) -> None:
    """In both pictures, which are the same: one board, and no score of it before the end."""
    game, edition = automa
    with open_game(game, edition, browser, tmp_path) as opened:
        compare(opened, game, edition, dark=False)
    midst = draw_game(game, edition, 4)
    assert len(find_all(midst, "cloths")) == 1
    assert len(re.findall(r">score -?\d+<", midst)) == 1
    assert len(re.findall(r">score -?\d+<", draw_game(game, edition))) == 2


def test_every_patch_lies_where_it_was_placed() -> None:
    """Of each patch the squares of its drawing, turned as SVG turns them, are those of the game."""
    game = played(ORIGINAL, 8)
    *_, last = mark_plies(game, ORIGINAL)
    tree = ET.fromstring(draw_game(game, ORIGINAL))
    boards = [each for each in tree.iter() if each.get("class") == "cloths"]
    for board, quilt in zip(boards, last.quilts, strict=True):
        found: dict[int, set[int]] = {}
        for group in board:
            cloth = next((each for each in group if each.get("class") == "patch"), None)
            if cloth is None:
                continue
            number = int(cloth.get("data-patch") or 0)
            left, top = map(int, re.findall(r"\d+", group.get("transform") or ""))
            turned = cloth.get("transform", "matrix(1 0 0 1 0 0)")
            a, b, c, d, e, f = (float(word) for word in re.findall(r"-?[\d.]+", turned))
            found[number] = set()
            for column, row in list_squares(shape_rows(ORIGINAL.patch[number].shape)):
                x, y = (column + 0.5) * 20, (row + 0.5) * 20
                right, down = a * x + c * y + e + left, b * x + d * y + f + top
                found[number].add(int(down // 20) * 9 + int(right // 20))
        placed = {
            mark: {square for square, each in enumerate(quilt) if each == mark}
            for mark in quilt
            if mark > 0
        }
        assert found == placed


def test_a_patch_has_as_many_buttons_as_it_earns() -> None:
    """One drawn for each; more than it has squares are one with their number."""
    light = read_looks()["light"]
    for patch in LONG.patches:
        drawn = draw_patch(patch, "r0", light)
        count = drawn.count('class="button"')
        if patch.income <= len(patch.shape):
            assert count == patch.income
        else:
            assert count == 1
            assert f">×{patch.income}<" in drawn


def test_no_two_patches_look_alike() -> None:
    """143 in a row differ by colour or figure, and of any twelve in a row no two share a figure."""
    shape = parse_shape(["##"])
    light = read_looks()["light"]
    drawn = [draw_patch(Patch(number, shape, 0, 0, 0), "r0", light) for number in range(1, 144)]
    cloths = [re.sub(r'data-patch="\d+"', "", each) for each in drawn]
    assert len(set(cloths)) == 143
    figures = [re.findall(r' d="([^"]*)"', cloth)[1] for cloth in cloths]
    for number in range(len(figures) - 12):
        assert len(set(figures[number : number + 12])) == 12


def list_spaces(markup: str) -> list[tuple[float, float]]:
    """Return the corner of each space of the track, in their order."""
    spaces = find_all(markup, "space")
    assert [int(each.get("data-space") or -1) for each in spaces] == list(range(len(spaces)))
    return [(float(each.get("x") or 0), float(each.get("y") or 0)) for each in spaces]


@pytest.mark.parametrize("last", [1, 2, 3, 4, 5, 11, 29, 31, 53, 59, 60, 61, 120, 999])
def test_the_track_is_a_spiral(last: int) -> None:
    """Of any length: each space next to the one before, none twice, the last ones in the middle."""
    edition = ORIGINAL.replace(name="x", last_space=last, income_marks=(), leather_marks=())
    state = State.start(edition, 1)
    empty = (0,) * 81
    drawn = draw_picture(Shown(state, (empty, empty)), None, Caption(("a", "b"), (0, 0), "", ""))
    spaces = list_spaces(drawn)
    assert len(set(spaces)) == last + 1
    assert {dist(one, two) for one, two in pairwise(spaces)} == {24}
    assert spaces[0] == (0, 0)
    side = max(x for x, _ in spaces)
    if last > 20:
        assert max(abs(part - side / 2) for part in spaces[-1]) <= 72
    assert len(find_all(drawn, "tile")) == 1


def read_translation(element: ET.Element) -> tuple[float, float]:
    """Return where an element was moved to."""
    x, y = re.findall(r"-?[\d.]+", element.get("transform") or "")[:2]
    return float(x), float(y)


def list_track(markup: str) -> list[ET.Element]:
    """Return what is drawn of the track, in its order."""
    tree = ET.fromstring(markup)
    (track,) = (each for each in tree.iter() if any(part.get("class") == "space" for part in each))
    return list(track)


@pytest.mark.slow
def test_marks_lie_on_the_line_before_their_space() -> None:
    """Buttons and special patches, as the board has them; those that are taken are gone."""
    game = played(ORIGINAL, 5)
    shown = list(mark_plies(game, ORIGINAL))
    for at in range(0, len(game.plies), 5):
        drawn = draw_game(game, ORIGINAL, at)
        spaces = list_spaces(drawn)
        track = list_track(drawn)

        def between(space: int, spaces: list[tuple[float, float]] = spaces) -> tuple[float, float]:
            (a, b), (c, d) = spaces[space - 1], spaces[space]
            return (a + c) / 2 + 12, (b + d) / 2 + 12

        ahead = max(player.space for player in shown[at].state.players)
        leathers = [read_translation(each) for each in track if each.get("class") == "leather"]
        # a square of 20 at six tenths of its size
        assert [(x + 6, y + 6) for x, y in leathers] == [
            between(space) for space in (20, 26, 32, 44, 50) if space > ahead
        ]
        buttons = [each[0] for each in track if each.get("class") == "button"]
        assert [(float(each.get("cx") or 0), float(each.get("cy") or 0)) for each in buttons] == [
            between(space) for space in range(5, 54, 6)
        ]


@pytest.mark.slow
def test_the_token_that_moves_next_lies_on_top() -> None:
    """On one space: it is drawn last, and both can be seen."""
    game = played(ORIGINAL, 4)
    met = 0
    for at, shown in enumerate(mark_plies(game, ORIGINAL)):
        first, second = (player.space for player in shown.state.players)
        tokens = [
            each
            for each in list_track(draw_game(game, ORIGINAL, at))
            if each.get("class") == "token"
        ]
        assert len(tokens) == 2
        if first == second:
            met += 1
            assert tokens[-1].get("data-seat") == str(shown.state.to_move)
            assert dist(*map(read_translation, tokens)) > 7.6
    assert met > 1


@pytest.mark.thorough
@pytest.mark.slow
def test_the_circle_goes_clockwise_from_the_neutral_token() -> None:
    """All patches of it in their order, those on offer in a part of their own, with prices."""
    import math

    game = played(LONG, 6)
    for at, shown in enumerate(mark_plies(game, LONG)):
        tree = ET.fromstring(draw_game(game, LONG, at))
        (ring,) = (each for each in tree if any(part.get("class") == "pawn" for part in each))
        groups = [each for each in ring if each.tag == f"{SVG}g"]
        numbers = [int(each[0].get("data-patch") or 0) for each in groups]
        assert numbers == list(shown.state.circle)
        turns = [math.atan2(x - 260, 260 - y) % math.tau for x, y in map(read_translation, groups)]
        assert turns == sorted(turns)
        prices = [each.text for each in ring if each.get("class") == "price"]
        patches = [LONG.patch[number] for number in shown.state.circle]
        assert prices == [f"{patch.cost}/{patch.time}" for patch in patches]
        assert sum(each.get("class") == "offered" for each in ring) == bool(numbers)


def test_a_very_large_circle_is_cut() -> None:
    """At 48 patches, with the number of those that follow."""
    patches = tuple(Patch(number, parse_shape(["###"]), 1, 1, 0) for number in range(1, 201))
    edition = ORIGINAL.replace(name="many", patches=patches, start_patch=1)
    state = State.start(edition, 1)
    empty = (0,) * 81
    drawn = draw_picture(Shown(state, (empty, empty)), None, Caption(("a", "b"), (0, 0), "", ""))
    assert len(find_all(drawn, "patch")) == 48
    assert ">+152<" in drawn


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_contrast_is_that_of_wcag_aa(name: str) -> None:
    """4.5 for what is read, 3 for what is only seen: tokens, cloths and buttons."""
    looks = read_looks()
    look = looks[name]
    read = "ink paper, soft paper, ink table, ink offer, seam gold, cream button"
    read += ", count track, count turn, count goal"
    for one, other in (pair.split() for pair in read.split(", ")):
        assert contrast(look[one], look[other]) >= 4.5, (one, other)
    for seat in look["seats"]:
        assert contrast(seat, look["label"]) >= 4.5
        for ground in ("track", "turn", "goal"):
            # a token has a halo round it
            assert max(contrast(seat, look[ground]), contrast(look["halo"], look[ground])) >= 3
    for ground, figure in looks["hues"]:
        assert contrast(ground, figure) >= 3
        # a patch ends where its edge is, or where the board is darker
        assert max(contrast(look["edge"], look["board"]), contrast(ground, look["board"])) >= 3
    for ground in ("leather", "covered"):
        assert (
            max(contrast(look["edge"], look["board"]), contrast(look[ground], look["board"])) >= 3
        )
    assert contrast(look["placed"], look["halo"]) >= 4.5


def test_a_drawing_needs_nothing_but_itself() -> None:
    """No ids, no styles, no references, no scripts: a policy can forbid all of them."""
    drawn = draw_game(played(EXPRESS, 2), EXPRESS)
    assert not re.search(r"\b(id|style|href|on\w+)=|url\(|<(script|style|defs|use|image)\b", drawn)


def test_foreign_names_are_text() -> None:
    """Markup, control characters and a very long name in a game from anywhere."""
    name = '<script>"&\x1b[31m' + "W" * 200
    game = played(EXPRESS, 2)._replace(bots=(name, "b"))
    tree = ET.fromstring(draw_game(game, EXPRESS))
    texts = [each for each in tree.iter(f"{SVG}text") if (each.text or "").startswith("<script>")]
    assert texts
    assert not list(tree.iter(f"{SVG}script"))
    assert all("\x1b" not in (each.text or "") for each in texts)
    assert all(
        float(each.get("font-size") or 99) * 0.62 * len(each.text or "") < 1071 for each in texts
    )


def test_covered_squares_of_a_position_alone_are_drawn() -> None:
    """By what is not known: they are grey, and are as many."""
    quilt = (1_000_000,) * 5 + (0,) * 76
    state = State.start(ORIGINAL, 1)
    caption = Caption(("a", "b"), (None, None), "", "")
    drawn = draw_picture(Shown(state, (quilt, (0,) * 81)), None, caption)
    (group,) = find_all(drawn, "covered")
    assert (group[0].get("d") or "").count("M") == 5


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a game in a file."""
    file = tmp_path_factory.mktemp("saved") / "g.txt"
    file.write_text(record_text(played(ORIGINAL, 5), ORIGINAL))
    return file


@pytest.mark.slow
def test_replay_writes_a_picture(saved: Path, tmp_path: Path) -> None:
    """Of the end, or after a ply; a ply that is not there is one clear error."""
    done = pwtourney("replay", str(saved), "--svg", "end.svg", at=tmp_path)
    assert done.stderr == "picture: end.svg\n"
    game = parse_record(saved.read_text())[0]
    assert (tmp_path / "end.svg").read_text() == draw_game(game, ORIGINAL)
    pwtourney("replay", str(saved), "--svg", "4.svg", "--at", "4", at=tmp_path)
    assert f"Ply 4 of {len(game.plies)}: " in (tmp_path / "4.svg").read_text()
    wrong = pwtourney("replay", str(saved), "--svg", "5.svg", "--at", "999", at=tmp_path, code=2)
    assert f"--at 999: the game has {len(game.plies)} plies" in wrong.stderr
    assert not (tmp_path / "5.svg").exists()


@pytest.mark.thorough
@ONE_BROWSER
@pytest.mark.slow(2)
def test_a_saved_game_has_a_page(saved: Path, browser: Any, tmp_path: Path) -> None:
    """From a file without a store; one that breaks the rules has none."""
    pwtourney("replay", str(saved), "--html", "g.html", at=tmp_path)
    with Opened(browser, f"file://{tmp_path}/g.html#game=0.0&ply=3") as opened:
        assert opened.page.inner_text("#title") == "one against b 2"
        assert opened.page.inner_text("#what").startswith("Ply 3 of ")
        assert opened.requests == opened.complaints == []
    broken = saved.read_text().replace("\nply 1 0 ", "\nply 1 1 ")
    (tmp_path / "broken.txt").write_text(broken)
    done = pwtourney("replay", "broken.txt", "--html", "no.html", at=tmp_path, code=2)
    assert "ply 1: seat 0 is to move" in done.stderr
    assert not (tmp_path / "no.html").exists()
