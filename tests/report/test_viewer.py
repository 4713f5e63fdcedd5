"""The viewer of games in a real browser: its drawings, texts and controls."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game import Game, Verdict
from pwtourney.notation.game_text import record_text, replay
from pwtourney.rules.automa import Automa
from pwtourney.store import ResultsFolder, Store
from tests.notation.games import play_solo
from tests.notation.test_record import played
from tests.program import pwtourney
from tests.report.browser import REPORT_BROWSER, Opened, wait_for
from tests.report.conftest import LONG_NAME, read_games
from tests.rules.positions import ORIGINAL

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

SPOKEN = """() => [0, 1].map((seat) => {
  const quilt = document.querySelectorAll('#game svg.quilt')[seat];
  return {
    label: quilt.getAttribute('aria-label'),
    rows: [...document.querySelectorAll('#game ul.spoken')[seat].children]
      .map((row) => row.textContent),
    marked: quilt.querySelectorAll('.placed-square').length,
  };
})"""
PLACES = """() => [...document.querySelectorAll('.controls button, .controls input, #game > *')]
  .map((each) => {
    const {x, y, width, height} = each.getBoundingClientRect();
    return [each.id, x, y + scrollY, width, height];
  })"""
CONTROLS = {"first", "back", "play", "on", "last", "ply", "previous-game", "next-game", "close"}
MIDDLES = """(all) => all.map((one) => {
  const box = one.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
})"""


def list_moved(places: list[list[list[Any]]]) -> list[tuple[int, list[Any], list[Any]]]:
    """Return the plies at which something was elsewhere than at first, with both places."""
    return [
        (ply, was, now)
        for ply, current in enumerate(places)
        for was, now in zip(places[0], current, strict=True)
        if was != now
    ]


def find_game(results: Path, *bots: str) -> Game:
    """Return the first game between two bots in which the first of them has the first seat."""
    return next(record for record in read_games(results) if record.bots == bots)


@pytest.fixture
def game(league: Path) -> Game:
    """Return a game in which both bots buy patches."""
    return find_game(league, "greedy", "frugal")


@pytest.fixture
def opened(league: Path, game: Game, browser: Any) -> Iterator[Opened]:
    """Open that game at its start."""
    address = f"file://{league}/report.html#game={game.pair}.{game.game}&ply=0"
    with Opened(browser, address) as opened_page:
        yield opened_page


def read_points(page: Any, seat: int) -> list[tuple[float, float]]:
    """Return the points of a seat's curve, in pixels of the drawing."""
    points = page.get_attribute(f"#curve-drawing .series.c{seat} polyline", "points")
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points.split())]


def parse_rows(rows: list[str], edition: Any) -> int:
    """Return the covered squares, as bits, that the spoken rows of a board name."""
    covered = 0
    for number, row in enumerate(rows):
        head, _, runs = row.partition(": ")
        assert head == f"Row {number + 1}"
        for run in runs.split(", "):
            match = re.fullmatch(r"([a-i])(?: to ([a-i]))? (empty|special patch|patch \d+)", run)
            assert match, run
            first, last = ord(match[1]) - 97, ord(match[2] or match[1]) - 97
            if match[3] != "empty":
                for column in range(first, last + 1):
                    covered |= 1 << number * edition.columns + column
    return covered


def parse_placed(label: str, edition: Any) -> int:
    """Return the squares, as bits, that a drawing's label names as just covered."""
    _, _, squares = label.partition(" on ")
    numbers = [
        (int(square[1:]) - 1) * edition.columns + ord(square[0]) - 97
        for square in filter(None, squares.split(", "))
    ]
    return sum(1 << number for number in numbers)


@pytest.mark.thorough
def test_boards_announce_what_they_show(opened: Opened, league: Path, game: Game) -> None:
    """At every ply, for each seat: the covered squares, their number, and those just covered."""
    with closing(Store.open(ResultsFolder(league).database)) as store:
        edition = store.edition()
    before = (0, 0)
    for state in replay(game, edition):
        for seat, said in enumerate(opened.page.evaluate(SPOKEN)):
            quilt = state.players[seat].quilt
            name = f"Quilt board of {game.bots[seat]}"
            assert said["label"].startswith(f"{name}: {quilt.bit_count()} of 81 squares covered")
            assert parse_rows(said["rows"], edition) == quilt
            placed = quilt & ~before[seat]
            assert parse_placed(said["label"], edition) == placed
            assert said["marked"] == placed.bit_count()
        before = (state.players[0].quilt, state.players[1].quilt)
        opened.page.keyboard.press("ArrowRight")


@pytest.mark.thorough
def test_coordinates_are_at_their_columns_and_rows(opened: Opened) -> None:
    """A square that was just covered is below its letter and right of its number."""
    page = opened.page
    page.click("#on")
    label = page.get_attribute("#game svg.quilt", "aria-label") or ""
    squares = label.partition(" on ")[2].split(", ")
    assert len(squares) > 1
    board = page.locator("#seat-0")
    texts = board.locator(".coordinate").all_text_contents()
    assert "".join(texts) == "abcdefghi123456789"
    places = dict(zip(texts, board.locator(".coordinate").evaluate_all(MIDDLES), strict=True))
    dots = board.locator(".placed-square").evaluate_all(MIDDLES)
    for square, (x, y) in zip(squares, dots, strict=True):
        assert places[square[0]][0] == pytest.approx(x, abs=2)
        assert places[square[1]][1] == pytest.approx(y, abs=4)


@pytest.mark.thorough
@pytest.mark.parametrize("width", [390, 1280])
def test_controls_keep_their_place(league: Path, browser: Any, width: int) -> None:
    """Controls, boards, moves, track and circle do not move at any ply of two games."""
    address = f"file://{league}/report.html#tab=games&bot={LONG_NAME}"
    with Opened(browser, address, width=width) as opened:
        page = opened.page
        page.locator("#rows a").first.click()
        page.wait_for_selector("#viewer.open")
        controls = set()
        for _ in range(2):
            places = []
            for _ in range(int(page.get_attribute("#ply", "max") or 0) + 1):
                places.append(page.evaluate(PLACES))
                page.keyboard.press("ArrowRight")
            assert all(layout == places[0] for layout in places), list_moved(places)
            controls.add(str([box for box in places[0] if box[0] in CONTROLS]))
            page.click("#next-game")
        page.click("#play")
        boxes = [box for box in page.evaluate(PLACES) if box[0] in CONTROLS]
        assert controls == {str(boxes)}


@pytest.mark.thorough
def test_focus_moves_to_the_game_and_back(league: Path, browser: Any) -> None:
    """An opened game has the focus and its name as label; after closing, its link has the focus."""
    with Opened(browser, f"file://{league}/report.html#games") as opened:
        page = opened.page
        link = page.locator("#rows a").nth(3)
        game = link.inner_text()
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#viewer.open")
        assert page.evaluate("document.activeElement.id") == "viewer"
        assert page.get_by_role("region", name=f"Game {game}: ").count() == 1
        page.keyboard.press("ArrowRight")
        assert page.inner_text("#what").startswith("Ply 1 of")
        page.click("#close")
        assert not page.is_visible("#viewer")
        assert page.evaluate("document.activeElement.textContent") == game
        assert page.evaluate("location.hash") == "#games"


@pytest.mark.thorough
def test_buttons_step_through_the_games_of_the_filter(league: Path, browser: Any) -> None:
    """From the first in the list to the last and back; at an end the button does nothing."""
    with Opened(browser, f"file://{league}/report.html#bot=greedy&against=frugal") as opened:
        page = opened.page
        games = page.locator("#rows a").all_inner_texts()
        played = [
            f"{record.pair}.{record.game}"
            for record in read_games(league)
            if set(record.bots) == {"greedy", "frugal"}
        ]
        assert sorted(games) == sorted(played)
        assert len(games) == 4
        page.locator("#rows a").first.click()
        page.wait_for_selector("#viewer.open")
        for button, order in (("next", games), ("previous", games[::-1])):
            for game in order:
                assert page.inner_text("#title").startswith(f"Game {game}: ")
                assert page.inner_text("#place") == f"{games.index(game) + 1} of 4"
                page.focus(f"#{button}-game")
                page.keyboard.press("Enter")
            assert page.get_attribute(f"#{button}-game", "aria-disabled") == "true"
            assert page.evaluate("document.activeElement.id") == f"{button}-game"


@pytest.mark.thorough
def test_chart_shows_what_a_bot_expected(opened: Opened, game: Game) -> None:
    """It has a point for each ply with a score, in order; a click leads to the position before."""
    page = opened.page
    scores = {
        number: float(ply.info.removeprefix("score "))
        for number, ply in enumerate(game.plies, 1)
        if ply.info.startswith("score ")
    }
    assert set(scores) == {number for number, ply in enumerate(game.plies, 1) if ply.seat == 0}
    middles = read_points(page, 0)
    assert len(middles) == len(scores)
    assert [x for x, _ in middles] == sorted(x for x, _ in middles)
    heights = {scores[number]: y for number, (_, y) in zip(scores, middles, strict=True)}
    assert len(heights) > 2
    assert sorted(heights, key=lambda score: -heights[score]) == sorted(heights)
    chosen = sorted(scores)[len(scores) // 2]
    point = middles[sorted(scores).index(chosen)]
    page.click("#curve-drawing svg", position={"x": point[0], "y": point[1]})
    assert page.inner_text("#what").startswith(f"Ply {chosen - 1} of ")
    label = page.get_attribute("#curve-drawing svg", "aria-label") or ""
    first, last = min(scores), max(scores)
    shown = f"greedy: {scores[first]:+g} before ply {first}, {scores[last]:+g} before ply {last}"
    assert shown in re.sub(r"(?<= )0(?= before)", "+0", label.replace("−", "-"))
    assert page.locator("#curve-legend li").all_inner_texts() == ["greedy", "result"]


def test_notation_is_shown_only_on_hover(opened: Opened, game: Game) -> None:
    """What greedy expected with its first ply is shown in words."""
    opened.page.click("#on")
    thought = opened.page.locator("#thought")
    assert re.match(r"greedy expects: (level|(greedy|frugal) by \d)", thought.inner_text())
    assert "score" not in thought.inner_text()
    assert game.plies[0].action not in thought.inner_text()
    assert (thought.get_attribute("title") or "").startswith(f"{game.plies[0].action} · score ")


@pytest.mark.thorough
def test_scores_of_the_second_seat_are_drawn_upside_down(league: Path, browser: Any) -> None:
    """Its 12 is drawn where the first seat's −12 would be; without scores there is no chart."""
    game = find_game(league, "frugal", "greedy")
    address = f"file://{league}/report.html#game={game.pair}.{game.game}"
    with Opened(browser, address) as opened:
        scores = [float(ply.info.removeprefix("score ")) for ply in game.plies if ply.info]
        heights = [y for _, y in read_points(opened.page, 1)]
        by_height = dict(zip(scores, heights, strict=True))
        assert len(by_height) > 2
        # y grows downwards on the screen
        assert sorted(by_height, key=lambda score: by_height[score]) == sorted(by_height)
        silent = find_game(league, "frugal", LONG_NAME)
        opened.page.goto(f"file://{league}/report.html#game={silent.pair}.{silent.game}")
        wait_for(opened.page, "document.getElementById('title').textContent.includes('mm')")
        assert not opened.page.is_visible("#curve")


STEP = 800
"""Milliseconds after which a game that is played shows its next ply, and not the one after it."""

REDRAWN = """(({ clientWidth, firstElementChild }) =>
  Math.abs(clientWidth - innerWidth) < innerWidth / 2
  && firstElementChild.width.baseVal.value === clientWidth
)(document.getElementById("curve-drawing"))"""
"""True if the curve is drawn for the current window."""


@pytest.mark.thorough
def test_curve_keeps_its_height_in_any_window(opened: Opened) -> None:
    """A narrow window does not make it flatter, neither then nor when the window is wide again."""
    page = opened.page
    heights = set()
    for width in (1280, 390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        wait_for(page, REDRAWN)
        height = "document.querySelector('#curve-drawing svg').getBoundingClientRect().height"
        heights.add(round(page.evaluate(height)))
    assert len(heights) == 1


@pytest.mark.thorough
def test_game_is_played_again_from_its_end(opened: Opened) -> None:
    """The button shows the start at once, and the address names the ply that is shown."""
    page = opened.page
    page.clock.install(time=0)
    page.clock.pause_at(3600)
    page.click("#last")
    assert page.is_visible("#final")
    page.click("#play")
    assert page.inner_text("#what").startswith("The start of ")
    assert page.is_hidden("#final")
    page.clock.run_for(STEP)
    page.click("#play")  # pause
    assert page.inner_text("#what").startswith("Ply 1 of ")
    assert page.url.endswith("&ply=1")


@pytest.mark.thorough
def test_lost_game_says_why_in_the_place_of_its_score(browser: Any, tmp_path: Path) -> None:
    """The verdict stands in the place of the points, which do not explain who won."""
    whole = played(ORIGINAL, 5)
    state = [*replay(whole, ORIGINAL)][6]
    winner = 1 - state.to_move
    game = whole._replace(
        plies=whole.plies[:6], verdict=Verdict.CRASH, winner=winner, scores=state.scores
    )
    (tmp_path / "g.txt").write_text(record_text(game, ORIGINAL))
    pwtourney("replay", "g.txt", "--html", "g.html", at=tmp_path)
    with Opened(browser, f"file://{tmp_path}/g.html#game=0.0&ply=6", width=390) as opened:
        assert opened.page.inner_text("#final h3") == "Decided by a fault"
        words = opened.page.locator("#final strong").all_inner_texts()
        assert words == (["won", "crash"] if winner == 0 else ["crash", "won"])
        assert opened.page.get_attribute("#final .won .who", "title") == game.bots[winner]
        assert opened.page.inner_text("#what").endswith(f"{game.bots[winner]} wins (crash).")


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "caption"), [(1280, "time used"), (390, "used")])
def test_clock_says_that_it_is_the_time_used(
    browser: Any, tmp_path: Path, width: int, caption: str
) -> None:
    """It grows from 0 in a game that is over; on a phone the caption is short."""
    game = played(ORIGINAL, 5)
    plies = tuple(ply._replace(micros=20_000) for ply in game.plies)
    (tmp_path / "g.txt").write_text(record_text(game._replace(plies=plies), ORIGINAL))
    pwtourney("replay", "g.txt", "--html", "g.html", at=tmp_path)
    with Opened(browser, f"file://{tmp_path}/g.html#game=0.0", width=width) as opened:
        page = opened.page
        assert page.inner_text("#clock-0") == "0.00 s"
        page.click("#last")
        count = sum(ply.seat == 0 for ply in plies)
        assert page.inner_text("#clock-0") == f"{count * 0.02:.2f} s"
        assert page.locator(".timer small").all_inner_texts() == [caption] * 2


@pytest.mark.thorough
def test_automa_has_neither_a_quilt_nor_a_clock(browser: Any, tmp_path: Path) -> None:
    """It turns over cards at once; its opponent has both."""
    game = play_solo(ORIGINAL, Automa("fellow", tactical=True), 0)
    (tmp_path / "g.txt").write_text(record_text(game, ORIGINAL))
    pwtourney("replay", "g.txt", "--html", "g.html", at=tmp_path)
    with Opened(browser, f"file://{tmp_path}/g.html#game={game.pair}.{game.game}") as opened:
        page = opened.page
        page.click("#last")
        assert page.locator("#game svg.quilt").count() == 1
        assert "The Automa has no quilt board" in page.inner_text("#seat-1")
        assert page.inner_text("#clock-1") == ""
        shown = page.locator("#final strong").all_inner_texts()
        assert [text.replace("−", "-") for text in shown] == [str(score) for score in game.scores]


@pytest.mark.thorough
def test_saved_game_has_a_page(browser: Any, tmp_path: Path) -> None:
    """The page is made from a file without a store; a game that breaks the rules has none."""
    text = record_text(played(ORIGINAL, 5), ORIGINAL)
    (tmp_path / "g.txt").write_text(text)
    pwtourney("replay", "g.txt", "--html", "g.html", at=tmp_path)
    with Opened(browser, f"file://{tmp_path}/g.html#game=0.0&ply=3") as opened:
        assert opened.page.inner_text("#title") == "one against b 2"
        assert opened.page.inner_text("#what").startswith("Ply 3 of ")
        assert opened.requests == opened.complaints == []
    (tmp_path / "broken.txt").write_text(text.replace("\nply 1 0 ", "\nply 1 1 "))
    done = pwtourney("replay", "broken.txt", "--html", "no.html", at=tmp_path, code=2)
    assert "ply 1: seat 0 is to move" in done.stderr
    assert not (tmp_path / "no.html").exists()
