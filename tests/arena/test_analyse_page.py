"""The analysis page in a real browser: steps, branches, bots, blunders and pasted texts."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from pwtourney_bots.greedy import Greedy

from pwtourney.arena.analyse.evaluations import KeptEvaluations, identify_game
from pwtourney.clock import Limit
from pwtourney.notation import action_text, position_text, read_action
from pwtourney.notation.game import Game
from pwtourney.notation.game_text import record_text, replay
from pwtourney.rules import State
from pwtourney.sdk import Turn
from pwtourney.store import ResultsFolder, Store
from tests.arena.analysing import (
    LISTED,
    MOVES,
    play_games,
    read_covered,
    show_notation,
    started,
    wait_for,
)
from tests.arena.serving import Server, served
from tests.bundled.games import ready
from tests.program import pwtourney
from tests.report.browser import EVERY_WINDOW, STUDY_BROWSER, Opened
from tests.report.browser import wait_for as wait_in_page
from tests.report.test_access import CUT_OFF
from tests.rules.positions import ORIGINAL
from tests.sharing import Once
from tests.store.helpers import META, pair

pytestmark = [STUDY_BROWSER, pytest.mark.slow(3)]


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return the results of two games."""
    return once("analysis", play_games) / "r"


@pytest.fixture(scope="module")
def game(results: Path) -> Game:
    """Return the first of them."""
    store = Store.open(ResultsFolder(results).database)
    try:
        return store.game(0, 0)
    finally:
        store.close()


@pytest.fixture(scope="module")
def states(game: Game) -> list[State]:
    """Return its positions, computed by the engine."""
    return list(replay(game, ORIGINAL))


@pytest.fixture(scope="module")
def server(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the results."""
    games = tmp_path_factory.mktemp("arena") / "games"
    with served(str(results), "--games", str(games)) as server:
        yield server


@pytest.fixture
def opened(server: Server, browser: Any) -> Iterator[Opened]:
    """Open the game in the browser."""
    with Opened(browser, f"{server.address}analyse?game=0.0") as opened:
        opened.page.wait_for_selector(MOVES)
        yield opened
        assert opened.complaints == []


def count_covered(state: State) -> list[int]:
    """Return how many squares of each quilt board are covered in a position."""
    return [player.quilt.bit_count() for player in state.players]


def test_stored_game_is_opened_and_stepped(
    opened: Opened, game: Game, states: list[State], server: Server, browser: Any
) -> None:
    """By buttons, keys, the list and the address, each position equals the engine's."""
    page = opened.page
    assert page.inner_text("h1") == f"Game 0.0: {game.bots[0]} against {game.bots[1]}"
    first, second = (str(score).replace("-", "−") for score in game.scores)
    sides = f"{game.bots[0]} {first} – {game.bots[1]} {second}"
    assert page.title() == f"{sides} · Analyse"
    assert page.get_attribute("#to-tournament", "href") == "/tournament"
    last = len(game.plies)
    steps: list[tuple[int, Callable[[], object]]] = [
        (1, lambda: page.click("#on")),
        (2, lambda: page.keyboard.press("ArrowRight")),
        (last, lambda: page.click("#last")),
        (last - 1, lambda: page.keyboard.press("ArrowLeft")),
        (9, lambda: page.click(".lines .ply >> nth=9")),
        (0, lambda: page.keyboard.press("Home")),
    ]
    for ply, step in steps:
        step()
        assert read_covered(page) == count_covered(states[ply])
        assert page.input_value("#ply") == str(ply)
    page.click(".lines .ply >> nth=7")
    with Opened(browser, page.url) as again:
        assert read_covered(again.page) == count_covered(states[7])


@pytest.mark.thorough
def test_tournament_page_links_to_the_analysis(server: Server, browser: Any, game: Game) -> None:
    """The replay of a game leads to the same ply."""
    with Opened(browser, f"{server.address}#game=0.0&ply=6") as opened:
        page = opened.page
        page.click("#analyse-game")
        page.wait_for_selector(MOVES)
        assert page.inner_text("h1") == f"Game 0.0: {game.bots[0]} against {game.bots[1]}"
        assert page.input_value("#ply") == "6"


@pytest.mark.thorough
def test_games_are_chosen_from_a_list(server: Server, browser: Any, game: Game) -> None:
    """The list is filtered by words; a click opens the game."""
    with Opened(browser, f"{server.address}analyse") as opened:
        page = opened.page
        page.fill("#game-words", "0.1")
        page.wait_for_selector("#game-count:text('1 game')")
        page.click("#game-list button")
        page.wait_for_selector(MOVES)
        assert page.inner_text("h1") == f"Game 0.1: {game.bots[1]} against {game.bots[0]}"


@pytest.mark.thorough
def test_branch_is_tried_on_the_board_and_by_words(opened: Opened, states: list[State]) -> None:
    """A patch is placed as at a table, `advance` is typed, and the branch is removed."""
    page = opened.page
    start = states[0]
    page.click("[data-card]:not(.barred)")
    patch = int(page.get_attribute("[data-card]:not(.barred)", "data-card"))
    assert page.is_disabled("#play")
    assert page.inner_text("#preview").startswith("Click a square to place it")
    page.click('#seat-0 [data-square="40"]')
    assert page.inner_text("#preview").startswith("It fits here: press “try it”.")
    page.click("#play")
    page.wait_for_selector(".branch [aria-current=step]")
    action = page.get_attribute(".branch [aria-current=step]", "data-action")
    assert action.startswith(f"{patch}:")
    after = start.apply(read_action(action, start))
    assert read_covered(page) == count_covered(after)
    # then `advance`, typed, and with the keyboard alone back to where the branch left the game
    page.wait_for_selector(MOVES)
    show_notation(page)
    page.fill("#move-words", "advance")
    page.press("#move-words", "Enter")
    page.wait_for_selector(".branch li:nth-child(2) [aria-current=step]")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    assert page.locator(".branch [aria-current]").count() == 0
    assert page.input_value("#ply") == "1"
    page.keyboard.press("ArrowDown")
    page.click("#remove-branch")
    assert page.locator(".branch").count() == 0
    assert page.input_value("#ply") == "0"


@pytest.mark.thorough
def test_what_is_copied_is_said_next_to_its_button_until_the_next_step(opened: Opened) -> None:
    """The status of the bots, which is far away, does not mention it."""
    page = opened.page
    for button, what in (("#copy-position", "position"), ("#copy-link", "link")):
        page.click(button)
        page.wait_for_selector(f"#shared:text-is('The {what} is copied.')")
        row = page.locator(button).bounding_box()
        said = page.locator("#shared").bounding_box()
        assert abs(row["y"] - said["y"]) < row["height"]
        assert page.inner_text("#ask-status") == ""
        page.click("#on")
        assert page.inner_text("#shared") == ""


@pytest.mark.thorough
def test_patch_on_offer_is_chosen_in_the_circle(opened: Opened, states: list[State]) -> None:
    """As by its card: it is in hand, and marked in both; others cannot be chosen."""
    page = opened.page
    affordable = next(
        patch for patch in states[0].offer if ORIGINAL.patch[patch].cost <= ORIGINAL.start_buttons
    )
    page.click(f"#circle [data-lens='{states[0].circle[5]}']")
    assert page.locator("[data-card][aria-pressed=true]").count() == 0
    page.click(f"#circle [data-lens='{affordable}']")
    assert page.get_attribute("[data-card][aria-pressed=true]", "data-card") == str(affordable)
    assert page.get_attribute("#circle .chosen", "data-patch") == str(affordable)
    page.click('#seat-0 [data-square="40"]')
    assert page.is_enabled("#play")


def test_patch_is_dragged_to_the_board_as_at_a_table(opened: Opened, states: list[State]) -> None:
    """With the mouse: what is dropped where it fits can be tried, and lies there in the branch."""
    page = opened.page
    page.wait_for_selector(MOVES)
    card = page.locator("[data-card]:not(.barred)").first
    patch = card.get_attribute("data-card")
    start, end = (
        place.bounding_box() for place in (card, page.locator('#seat-0 [data-square="40"]'))
    )
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + 20)
    page.mouse.down()
    for part in (0.5, 1):
        page.mouse.move(
            start["x"] + part * (end["x"] + end["width"] / 2 - start["x"]),
            start["y"] + part * (end["y"] + end["height"] / 2 - start["y"]),
        )
    page.mouse.up()
    assert page.inner_text("#preview").startswith("It fits here: press “try it”.")
    page.click("#play")
    page.wait_for_selector(".branch [aria-current=step]")
    action = page.get_attribute(".branch [aria-current=step]", "data-action")
    assert action.split(":")[0] == patch
    after = states[0].apply(read_action(action, states[0]))
    assert after.players[0].quilt >> 40 & 1
    assert read_covered(page) == count_covered(after)


@pytest.mark.thorough
def test_move_is_tried_by_keys_as_at_a_table(opened: Opened, states: list[State]) -> None:
    """1 takes the first patch, arrows move it, R turns it, and Enter plays it."""
    page = opened.page
    page.wait_for_selector(MOVES)
    number = 1 + next(
        index
        for index, patch in enumerate(states[0].offer)
        if ORIGINAL.patch[patch].cost <= ORIGINAL.start_buttons
    )
    for key in (str(number), "ArrowRight", "ArrowDown", "r"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_selector(".branch [aria-current=step]")
    action = page.get_attribute(".branch [aria-current=step]", "data-action")
    assert action.split(":")[0] == str(states[0].offer[number - 1])
    page.keyboard.press("ArrowLeft")
    assert page.input_value("#ply") == "0"


@pytest.mark.thorough
def test_position_keeps_its_patches_where_it_goes(
    opened: Opened, browser: Any, server: Server
) -> None:
    """Copied into the address of a new page, and played on from: no patch becomes grey."""
    page = opened.page
    page.click(".lines .ply >> nth=12")
    page.wait_for_selector(MOVES)
    looks = "[...document.querySelectorAll('.quilt')].map((e) => e.getAttribute('aria-label'))"
    rows = "[...document.querySelectorAll('.field .spoken li')].map((e) => e.textContent)"
    seen = page.evaluate(rows)
    assert any("patch" in row for row in seen)
    assert not any("covered" in row for row in seen)
    link = page.get_attribute("#play-on", "href")
    query = link.partition("?")[2]
    with Opened(browser, f"{server.address}analyse?{query}") as again:
        again.page.wait_for_selector(MOVES)
        assert again.page.evaluate(rows) == seen
        assert len(again.page.evaluate(looks)) == 2
    with Opened(browser, f"{server.address}{link[1:]}") as table:
        table.page.click("form .main")
        table.page.wait_for_selector("#table .quilt")
        table.page.wait_for_selector("html[data-ready=yes]")
        assert sorted(table.page.evaluate(rows)) == sorted(seen)


@pytest.mark.thorough
def test_copies_of_a_position_keep_its_patches(server: Server, browser: Any) -> None:
    """The copied link is opened, and the copied text is pasted; from there it is copied again."""
    rows = "[...document.querySelectorAll('.field .spoken li')].map((e) => e.textContent)"
    allowed: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}
    with Opened(browser, f"{server.address}analyse?game=0.0#ply=12", **allowed) as opened:
        page = opened.page
        page.wait_for_selector(MOVES)
        seen = page.evaluate(rows)
        patches = [set(re.findall(r"patch \d+", row)) for row in seen]
        assert len(set().union(*patches)) > 3
        assert not any("covered" in row for row in seen)
        text = copy(page, "position")
        link = copy(page, "link")
        paste(page, text)
        page.wait_for_selector("h1:not(:text('against'))")
        page.wait_for_selector(MOVES)
        assert page.evaluate(rows) == seen
        assert copy(page, "position") == text
        link_to_text = copy(page, "link")
        assert link_to_text != link
        for address in (link, link_to_text):
            page.goto("about:blank")  # without what the page knew
            page.goto(address)
            page.wait_for_selector(MOVES)
            assert page.evaluate(rows) == seen
        assert opened.complaints == []


def copy(page: Any, what: str) -> str:
    """Press a button that copies; return what it has copied."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.click(f"#copy-{what}")
    page.wait_for_selector(f"#shared:text-is('The {what} is copied.')")
    copied: str = page.evaluate("navigator.clipboard.readText()")
    return copied


@pytest.mark.thorough
def test_branches_survive_a_reload(
    opened: Opened, browser: Any, game: Game, states: list[State]
) -> None:
    """A reload keeps all branches for this reader; a link has only the branch that was shown."""
    page = opened.page
    choices = [ply for ply, state in enumerate(states) if len(state.legal_actions()) > 2]
    for ply in choices[1:3]:
        page.click(f".lines > .line > li > .ply >> nth={ply - 1}")
        others = [action_text(action, ORIGINAL) for action in states[ply].legal_actions()]
        others.remove(game.plies[ply].action)
        total = f"{len(others) + 1} moves"
        show_notation(page)
        page.wait_for_selector(f"#move-count:text('of {total}')")
        page.fill("#move-words", others[-1])
        page.press("#move-words", "Enter")
        page.wait_for_selector(".branch [aria-current=step]")
    text, branches = page.inner_text("#what"), page.locator(".branch").count()
    assert branches == 2
    with Opened(browser, page.url) as again:
        assert again.page.inner_text("#what") == text
        assert again.page.locator(".branch").count() == 1
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.inner_text("#what") == text
    assert page.locator(".branch").count() == branches


@pytest.mark.thorough
def test_two_bots_are_asked_at_once(opened: Opened, states: list[State]) -> None:
    """Their infos deepen in the page; their answers and lines become branches."""
    page = opened.page
    page.click("#add-bot")
    page.locator(".bots .bot").nth(0).select_option("lookahead")
    page.locator(".bots .value").nth(0).fill("1.5")
    page.locator(".bots .bot").nth(1).select_option("greedy")
    page.click("#ask")
    page.wait_for_selector(".answer:nth-child(1) .state button", timeout=60_000)
    page.wait_for_selector(".answer:nth-child(2) .state button", timeout=60_000)
    progress = page.inner_text(".answer:nth-child(1) .progress")
    depth, nodes, rate = re.findall(r"[\d,]*\d", progress)
    assert progress == f"depth {depth}, {nodes} nodes, {rate} a second"
    assert int(depth) > 2
    best = ".answer:nth-child(1) .best"
    line = page.get_attribute(best, "data-line").split(" ")
    assert line[0] == page.get_attribute(".answer:nth-child(1) .state button", "data-line")
    # the move lies on the board while the mouse is over it
    page.hover(".answer:nth-child(1) .state button")
    assert page.locator("#seat-0 .laid.hint").count() == 1
    page.hover("h1")
    assert page.locator(".laid.hint").count() == 0
    first, second = page.locator("#gauge > span").all_inner_texts()
    for said, bot in ((first, "lookahead, 1.5 s"), (second, "greedy, 1 s")):
        assert "ahead by" in said or "Level" in said
        assert said.endswith(f"({bot})")
    page.click(best)
    page.wait_for_selector(".lines [aria-current=step]:not(:text('start'))")
    page.click("#last")
    current = page.locator(".lines [aria-current]")
    assert current.locator(".number").inner_text() == str(len(line))
    assert current.get_attribute("data-action") == line[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("count", [1, 4])
def test_bot_shows_as_many_lines_as_are_chosen(
    opened: Opened, states: list[State], count: int
) -> None:
    """They begin with different moves that are legal, and each says who would be ahead."""
    page = opened.page
    page.select_option("#line-count", str(count))
    page.locator(".bots .bot").nth(0).select_option("lookahead")
    page.click("#ask")
    page.wait_for_selector(".answer .state button", timeout=60_000)
    lines = page.locator(".answer .best")
    first = {(line.get_attribute("data-line") or "").split(" ")[0] for line in lines.all()}
    assert lines.count() == len(first) == count
    assert first <= {action_text(action, ORIGINAL) for action in states[0].legal_actions()}
    leads = page.locator(".answer .lead-of").all_inner_texts()
    assert len(leads) == count
    assert all(leads)


@pytest.mark.thorough
def test_bot_chooses_among_the_listed_moves_only(opened: Opened, states: list[State]) -> None:
    """The list is filtered to advance, which lookahead would not play in this position."""
    page = opened.page
    page.locator(".bots .bot").nth(0).select_option("lookahead")
    page.click("#ask")
    free = page.get_attribute(".answer .state button", "data-line", timeout=60_000)
    assert free != "advance"
    page.evaluate("document.querySelector('#notation').open = true")
    page.fill("#move-words", "advance")
    wait_in_page(page, "document.querySelectorAll('#moves button').length === 1")
    page.click("#ask-chosen")
    page.wait_for_selector(".answer .state button[data-line='advance']", timeout=60_000)
    lines = page.locator(".answer .best")
    assert {line.get_attribute("data-line").split(" ")[0] for line in lines.all()} <= {"advance"}
    assert opened.complaints == []


@pytest.mark.thorough
def test_bot_thinks_until_it_is_stopped(opened: Opened) -> None:
    """Its best lines go on changing; when the reader stops it, it says what it would play."""
    page = opened.page
    page.locator(".bots .bot").nth(0).select_option("mcts")
    page.locator(".bots .limit").nth(0).select_option("endless")
    assert page.locator(".bots .value").nth(0).is_hidden()
    page.click("#ask")
    page.wait_for_selector(".answer .best", timeout=60_000)
    said = "document.querySelector('.answer .progress').textContent"
    wait_in_page(page, f"(window.first ??= {said}) !== {said}")
    assert page.locator(".answer .state button").count() == 0
    page.click("#stop")
    page.wait_for_selector(".answer .state button", timeout=60_000)
    page.wait_for_selector("#stop", state="hidden")
    assert opened.complaints == []


def greedy_choice(state: State) -> str:
    """Return greedy's action, computed in this process."""
    chosen = ready(Greedy(), state.edition).choose(Turn(state, (), None, Limit()))
    return action_text(chosen, state.edition)


@pytest.mark.thorough
def test_bots_follow_the_reader(opened: Opened, states: list[State]) -> None:
    """They are asked again in each position where the reader stays, and answer for it."""
    page = opened.page
    page.locator(".bots .bot").nth(0).select_option("greedy")
    page.check("#follow")
    page.wait_for_selector(".answer .state button", timeout=60_000)
    for _ in range(4):
        page.click("#on")
    expected = greedy_choice(states[4])
    assert expected != greedy_choice(states[0])
    page.wait_for_selector(f".answer .state button[data-line='{expected}']", timeout=60_000)


@pytest.mark.thorough
def test_blunders_equal_those_of_the_command(opened: Opened, results: Path, game: Game) -> None:
    """The page lists the same plies with the same costs and grades."""
    page = opened.page
    page.locator(".bots .bot").nth(0).select_option("greedy")
    page.click("#ask-game")
    page.wait_for_selector("#blunder-list li", timeout=30_000)
    command = pwtourney("analyse", f"{results}:0.0", "--bot", "greedy", "--json")
    plies = json.loads(command.stdout)["plies"]
    graded = [ply for ply in plies if ply["grade"]]
    marks = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
    shown = page.locator("#blunder-list li button.plain").all_inner_texts()
    assert [text.split(" ", 1)[0] for text in shown] == [marks[ply["grade"]] for ply in graded]
    for text, ply in zip(shown, graded, strict=True):
        name = game.bots[ply["seat"]]
        move = ply["action"].rpartition(":")[2]
        points = f"{ply['swing']:.1f}".removesuffix(".0").replace("-", "−")
        said = " ".join(text.replace("→", "").split()[1:])  # an arrow is the picture of advance
        assert said == f"ply {ply['number']}: {name} {move}, {points} points"
    assert page.locator("#curve-drawing text.grade").count() == len(graded)
    page.locator("#blunder-list li button.plain").last.click()
    assert page.input_value("#ply") == str(graded[-1]["number"])
    assert "points" in page.inner_text(".lines [aria-current] .grade + .spoken")
    seat = graded[-1]["seat"]
    assert page.locator(f"#seat-{seat} .laid.better").count() == (":" in graded[-1]["choice"])
    players = json.loads(command.stdout)["players"]
    assert page.locator("#players-evaluated .who").all_inner_texts() == list(game.bots)
    rows = page.locator("#players-evaluated tbody tr").all_inner_texts()
    values = [
        ("points lost a ply", [f"{player['mean_loss']:.1f}" for player in players]),
        ("accuracy", [f"{100 * player['accuracy']:.0f} %" for player in players]),
        ("??blunders", [str(player["blunders"]) for player in players]),
        ("?mistakes", [str(player["mistakes"]) for player in players]),
        ("?!inaccuracies", [str(player["inaccuracies"]) for player in players]),
    ]
    assert [row.split("\t") for row in rows] == [[name, *cells] for name, cells in values]
    # the evaluation is kept with the game, and its marks are there at once
    page.reload()
    page.wait_for_selector("#blunder-list li")
    again = page.locator("#blunder-list li button.plain").all_inner_texts()
    assert again == shown
    assert page.locator("#players-evaluated tbody tr").all_inner_texts() == rows


SAMPLE = Path(__file__).parents[2] / "results" / "sample"
"""The results that the arena shows to everybody without their own."""

GRADES = {3: "inaccuracy", 5: "mistake", 8: "blunder", 11: "mistake", 12: "inaccuracy"}
"""The grades of some plies, as a bot might give them."""


def make_evaluation(
    game: Game, bot: str, grades: Mapping[int, str], margin: int, choice: str = ""
) -> dict[str, Any]:
    """Return an evaluation of a game that a bot made with a second a position."""
    plies = [
        {
            "number": number,
            "seat": ply.seat,
            "action": ply.action,
            "margin": margin,
            "grade": grades.get(number, ""),
            "swing": -5 if number in grades else 0,
            "choice": choice if number in grades else "",
        }
        for number, ply in enumerate(game.plies, 1)
    ]
    key = {"blunders": "blunder", "mistakes": "mistake", "inaccuracies": "inaccuracy"}
    players = [
        {"seat": seat, "plies": 20, "mean_loss": 1.26, "accuracy": 0.9}
        | {
            name: sum(ply["seat"] == seat and ply["grade"] == grade for ply in plies)
            for name, grade in key.items()
        }
        for seat in (0, 1)
    ]
    words = {"bot": bot, "limit": {"ms": 1000}, "made": 1_700_000_000}
    return words | {"plies": plies, "players": players}


@pytest.fixture
def evaluated(results: Path, game: Game, browser: Any, tmp_path: Path) -> Iterator[Opened]:
    """Open a game in a window of 1280 by 800, with a kept evaluation that has these grades."""
    kept = KeptEvaluations(tmp_path / "games" / "evaluations")
    kept.keep(identify_game(game, ORIGINAL), make_evaluation(game, "wren", GRADES, 0))
    with served(str(results), "--games", str(tmp_path / "games")) as server:
        address = f"{server.address}analyse?game=0.0"
        with Opened(browser, address, width=1280, height=800) as opened:
            yield opened
            assert opened.complaints == []


def list_stops(page: Any) -> list[int]:
    """Return the plies at which "next mistake" stops, from the start until one comes again."""
    page.click(".lines .ply >> nth=0")
    stops: list[int] = []
    while page.is_enabled("#next-mistake"):
        page.click("#next-mistake")
        ply = int(page.input_value("#ply"))
        if ply in stops:
            break
        stops.append(ply)
    return stops


def test_mistakes_are_gone_through_of_both_or_of_one(evaluated: Opened, game: Game) -> None:
    """No inaccuracy is among them; without a player there is nothing to go to."""
    page = evaluated.page
    mistakes = [5, 8, 11]
    assert list_stops(page) == mistakes
    boxes = page.locator("#players-evaluated input")
    for seat in (0, 1):
        boxes.nth(1 - seat).uncheck()
        assert list_stops(page) == [ply for ply in mistakes if game.plies[ply - 1].seat == seat]
        boxes.nth(1 - seat).check()
    boxes.nth(0).uncheck()
    boxes.nth(1).uncheck()
    assert page.is_disabled("#next-mistake")


@pytest.mark.thorough
def test_summary_is_in_the_first_screen_and_leads_to_plies(evaluated: Opened, game: Game) -> None:
    """Each count leads to the first ply of its player with that grade."""
    page = evaluated.page
    summary = page.locator("#summary").bounding_box()
    assert page.evaluate("scrollY") == 0
    assert summary["y"] + summary["height"] <= 800
    assert page.locator("#players-evaluated").inner_text().count("90 %") == 2
    for key, grade in (("blunders", "blunder"), ("mistakes", "mistake")):
        for seat in (0, 1):
            plies = [
                ply for ply, g in GRADES.items() if g == grade and game.plies[ply - 1].seat == seat
            ]
            cell = page.locator(f"#players-evaluated [data-count={key}][data-seat='{seat}']")
            assert cell.inner_text() == str(len(plies))
            if plies:
                cell.locator("button").click()
                assert page.input_value("#ply") == str(plies[0])


def read_evaluation(page: Any) -> dict[str, Any]:
    """Return which bot each part of the page names, and what the list of moves shows of it."""
    values = page.locator(".lines .line .value > [aria-hidden]").all_inner_texts()
    return {
        "summary": page.evaluate("document.querySelector('#evaluator').value"),
        "curve": page.inner_text("#curve-legend li >> nth=0"),
        "list": page.inner_text("#valued-by"),
        "costly": page.inner_text("#blunders-about").split(" a position")[0],
        "marks": page.locator("#curve-drawing text.grade").all_text_contents(),
        "grades": page.locator(".lines .line .grade").all_inner_texts(),
        "values": set(values[:-1]),  # the last one is the result
    }


def expect_evaluation(name: str, marks: list[str], value: str) -> dict[str, Any]:
    """Return what a page shows if it shows one evaluation in all of its parts."""
    return {
        "summary": name,
        "curve": f"{name} a position",
        "list": f"values by {name} a position",
        "costly": f"By {name}",
        "marks": marks,
        "grades": marks,
        "values": {value},
    }


WREN = expect_evaluation("wren, 1 s", ["?!", "?", "??", "?", "?!"], "+3")


def test_game_is_marked_by_one_bot_until_the_reader_chooses_another(
    results: Path, game: Game, browser: Any, tmp_path: Path
) -> None:
    """Another evaluation changes nothing; each comes back in whole, also after a reload."""
    kept = KeptEvaluations(tmp_path / "games" / "evaluations")
    name = identify_game(game, ORIGINAL)
    kept.keep(name, make_evaluation(game, "wren", GRADES, 3))
    with (
        served(str(results), "--games", str(tmp_path / "games")) as server,
        Opened(browser, f"{server.address}analyse?game=0.0", width=1280, height=800) as opened,
    ):
        page = opened.page
        page.wait_for_selector("#summary")
        assert page.inner_text("#evaluated-by") == "wren, 1 s a position"
        assert read_evaluation(page) == WREN
        page.evaluate("document.querySelector('#asked').open = true")
        page.locator(".bots .bot").nth(0).select_option("greedy")
        page.click("#ask")
        page.wait_for_selector(".answer .state button", timeout=30_000)
        assert read_evaluation(page) == WREN  # an answer about one position is not the evaluator's
        page.click("#ask-game")
        page.wait_for_selector("#evaluation-news button", timeout=30_000)
        assert page.inner_text("#evaluation-news").startswith(
            "greedy, 1 s, has evaluated the game."
        )
        assert read_evaluation(page) == WREN
        page.reload()
        page.wait_for_selector("#evaluator")
        assert read_evaluation(page) == WREN
        page.select_option("#evaluator", "greedy, 1 s")
        greedy = read_evaluation(page)
        assert {greedy["summary"], greedy["costly"]} == {"greedy, 1 s", "By greedy, 1 s"}
        assert greedy["marks"] == greedy["grades"]
        assert greedy["values"] != WREN["values"]
        page.reload()
        page.wait_for_selector("#evaluator")
        assert read_evaluation(page) == greedy
        page.select_option("#evaluator", "wren, 1 s")
        assert read_evaluation(page) == WREN
        assert opened.complaints == []


@pytest.mark.thorough
def test_finished_evaluation_is_shown_when_the_reader_wants_it(evaluated: Opened) -> None:
    """The page says that another bot is done, and what it has marked is one click away."""
    page = evaluated.page
    page.evaluate("document.querySelector('#asked').open = true")
    page.locator(".bots .bot").nth(0).select_option("greedy")
    page.click("#ask-game")
    page.wait_for_selector("#evaluation-news button", timeout=30_000)
    page.click("#evaluation-news button")
    assert read_evaluation(page)["list"] == "values by greedy, 1 s a position"
    assert page.inner_text("#evaluation-news") == ""


def find_placement(game: Game) -> int:
    """Return the number of the first ply that takes a patch, from 1."""
    return next(n for n, ply in enumerate(game.plies, 1) if ply.action.count(":") == 2)


@contextmanager
def show_blunder(
    results: Path, game: Game, browser: Any, folder: Path, better: str
) -> Iterator[Any]:
    """Open the analysis at the first placement, which a bot has called a blunder."""
    number = find_placement(game)
    evaluation = make_evaluation(game, "wren", {number: "blunder"}, 0, better)
    KeptEvaluations(folder / "games" / "evaluations").keep(
        identify_game(game, ORIGINAL), evaluation
    )
    with served(str(results), "--games", str(folder / "games")) as server:
        address = f"{server.address}analyse?game=0.0#ply={number}"
        with Opened(browser, address, width=1280, height=800) as opened:
            yield opened.page
            assert opened.complaints == []


def test_better_move_hides_nothing_and_is_explained(
    results: Path, game: Game, states: list[State], browser: Any, tmp_path: Path
) -> None:
    """Its picture is cut where patches lie; text names it next to the sign of its outline."""
    played = game.plies[find_placement(game) - 1].action
    patch, _, square = played.split(":")
    # the same placement: all of its squares are covered by what was played
    with show_blunder(results, game, browser, tmp_path, played) as page:
        page.wait_for_selector(".laid.better .outline")
        assert not page.get_attribute(".laid.better clipPath path", "d")
        assert f"patch {patch} on {square}" in page.inner_text("#what")
        edge = "getComputedStyle(document.querySelector('.laid-key')).borderTopColor"
        outline = "getComputedStyle(document.querySelector('.laid.better .outline')).stroke"
        assert page.evaluate(edge) == page.evaluate(outline)


def test_better_move_is_tried_next_to_the_ply_that_is_shown(
    results: Path, game: Game, browser: Any, tmp_path: Path
) -> None:
    """It becomes a branch from the position before, and nothing else on the page moves."""
    number = find_placement(game)
    with show_blunder(results, game, browser, tmp_path, "advance") as page:
        page.wait_for_selector("#what button")
        before = [page.locator(part).bounding_box() for part in ("#gauge", "#seat-0")]
        page.click("#what button")
        page.wait_for_selector(".branch [aria-current][data-action=advance]")
        assert page.inner_text(".branch [aria-current] .number") == str(number)
        assert page.locator("#what button").count() == 0
        assert page.evaluate("document.activeElement.matches('.lines .ply')")
        after = [page.locator(part).bounding_box() for part in ("#gauge", "#seat-0")]
        assert after == before
        # the arrow of an advance is as legible as the other text of its row
        colours = [
            page.evaluate(f"getComputedStyle(document.querySelector({part!r})).color")
            for part in (".lines [aria-current]", ".lines [aria-current] .no-cloth")
        ]
        assert colours[0] == colours[1]


def test_end_of_a_game_says_why_no_bot_can_be_asked(opened: Opened) -> None:
    """The reason is shown where the answers come, as long as the button is disabled."""
    page = opened.page
    page.click("#last")
    assert page.is_disabled("#ask")
    assert page.is_visible("#unasked")
    assert page.inner_text("#unasked") == "The game is over here: step back to ask bots."
    page.click("#back")
    assert page.is_enabled("#ask")
    assert page.inner_text("#unasked").startswith("The best lines of the bots")


def test_evaluator_that_plays_itself_is_named_in_the_summary(
    results: Path, game: Game, browser: Any, tmp_path: Path
) -> None:
    """Another evaluator is not; accuracy is explained for both."""
    kept = KeptEvaluations(tmp_path / "games" / "evaluations")
    name = identify_game(game, ORIGINAL)
    own = game.bots[0]
    for bot in ("wren", own):
        kept.keep(name, make_evaluation(game, bot, GRADES, 0))
    with (
        served(str(results), "--games", str(tmp_path / "games")) as server,
        Opened(browser, f"{server.address}analyse?game=0.0", width=1280, height=800) as opened,
    ):
        page = opened.page
        page.wait_for_selector("#evaluator")
        for bot, ending in (("wren", ""), (own, f"; {own} evaluates its own moves, too")):
            page.select_option("#evaluator", f"{bot}, 1 s")
            note = f"Accuracy: the share of plies that cost less than 2 points{ending}."
            assert page.inner_text("#accuracy-note") == note
        assert opened.complaints == []


def test_names_of_tournaments_and_of_bots_are_whole(browser: Any, tmp_path: Path) -> None:
    """At 1280: the number of a game of one of two tournaments, and nine letters next to a tile."""
    for name in ("evening", "quilting-bee"):
        copytree(SAMPLE, tmp_path / "shelf" / name)
    with (
        served(str(tmp_path / "shelf"), "--games", str(tmp_path / "games")) as server,
        Opened(browser, f"{server.address}analyse", width=1280, height=800) as opened,
    ):
        page = opened.page
        page.wait_for_selector("#game-list tbody button")
        edges = """(cells) => cells.map((cell) => cell.scrollWidth - cell.clientWidth)"""
        cells = page.locator("#game-list td:first-child")
        assert cells.first.inner_text().startswith("quilting-bee:")
        assert max(cells.evaluate_all(edges)) <= 0
        page.goto(f"{server.address}analyse?game=evening:22.1")
        page.wait_for_selector("html[data-ready=yes]")
        page.click("#last")
        names = page.locator(".player .who")
        assert "lookahead" in names.all_inner_texts()
        assert page.locator(".player .icon").count() > 2  # the special tile is there
        assert max(names.evaluate_all(edges)) <= 0
        assert opened.complaints == []


def test_list_of_moves_covers_nothing_when_the_page_is_scrolled(evaluated: Opened) -> None:
    """Nothing of the right column reaches into what is under the game."""
    page = evaluated.page
    page.wait_for_selector("#blunder-list li")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    aside = page.locator("#side").bounding_box()
    for part in ("#blunders", "#notation", ".under > .tools"):
        box = page.locator(part).bounding_box()
        assert box["x"] + box["width"] <= aside["x"], part


@pytest.mark.parametrize("width", [1280, 390])
def test_empty_view_has_one_first_thing_to_do(
    server: Server, browser: Any, game: Game, width: int
) -> None:
    """One button stands out, in the first screen: it opens the game that is listed first."""
    with Opened(browser, f"{server.address}analyse", width=width, height=800) as opened:
        page = opened.page
        page.wait_for_selector("#open-latest")
        assert page.locator("main .tool.main:visible").count() == 1
        box = page.locator("#open-latest").bounding_box()
        assert box["y"] + box["height"] <= 400
        first = page.inner_text("#game-list tbody tr >> nth=0").split()[0]
        page.click("#open-latest")
        page.wait_for_selector(MOVES)
        assert page.inner_text("h1").startswith(f"Game {first}: ")
        assert opened.complaints == []


@pytest.mark.thorough
def test_new_deal_comes_first_without_stored_games(tmp_path: Path, browser: Any) -> None:
    """The button that opens a deal is the one that stands out."""
    (tmp_path / "r").mkdir()
    arguments = (str(tmp_path / "r"), "--games", str(tmp_path / "games"))
    with (
        served(*arguments) as server,
        Opened(browser, f"{server.address}analyse") as opened,
    ):
        opened.page.wait_for_selector("#game-count:text('There are no stored games')")
        assert opened.page.locator("main .tool.main:visible").all_inner_texts() == ["Open the deal"]


BETTER_TO_ADVANCE = """pwtourney-game 1
edition express 0e0bc88a247173a9
deal 14,9,11,13,4,5,8,3,12,6,15,7,2,10,1 16,17,18,19,23,22,20,21
seat 0 random
seat 1 packer
ply 1 0 9:r180:e3
ply 2 1 4:r0:a1
ply 3 1 advance
ply 4 0 5:f90:b4
ply 5 0 leather:e3
ply 6 1 3:r270:a3
ply 7 1 15:r90:c2
ply 8 1 7:r90:c5
ply 9 0 1:r270:a5
result timeout -70 -57 1
"""
"""A game whose eighth ply costs two points by `greedy`, which would advance."""


def paste(page: Any, text: str) -> None:
    """Open a text."""
    if page.is_hidden("#opening"):
        page.click("#show-opening")
    page.fill("#text", text)
    page.click("#paste button")


@pytest.mark.thorough
def test_texts_are_opened_or_refused_by_the_rules(
    server: Server, browser: Any, game: Game, states: list[State]
) -> None:
    """A position or a game is opened; invalid ones are refused with the reason."""
    with Opened(browser, f"{server.address}analyse") as opened:
        page = opened.page
        text = position_text(states[8])
        for wrong, reason in (
            (text.replace(",50 ", " ", 1), "the special patches left must be"),
            ("9/9 5", "a position has 14 fields"),
            (text.replace("/", "//", 1), "a quilt has 9 rows, not 10"),
            (record_text(game, ORIGINAL).replace("ply 3 ", "ply 4 "), "a line is: ply 3 SEAT"),
        ):
            paste(page, wrong)
            page.wait_for_selector("#problem:not(:empty)")
            assert reason in page.inner_text("#problem")
        paste(page, text)
        page.wait_for_selector(MOVES)
        assert page.inner_text("#problem") == ""
        assert read_covered(page) == count_covered(states[8])
        assert f"position={text[:8].replace('/', '%2F')}" in page.url
        link = page.get_attribute("#play-on", "href")
        assert link.startswith("/play/new?edition=original&position=")
        paste(page, record_text(game, ORIGINAL))
        page.wait_for_selector("h1:text('against')")
        assert page.input_value("#ply") == "0"
        assert page.get_attribute("#ply", "max") == str(len(game.plies))


@pytest.mark.thorough
def test_advance_that_was_better_is_shown_on_the_track(server: Server, browser: Any) -> None:
    """Both tokens were on space 7, so an advance would have passed one space, and ended there."""
    with Opened(browser, f"{server.address}analyse") as opened:
        page = opened.page
        paste(page, BETTER_TO_ADVANCE)
        page.wait_for_selector("h1:text('against')")
        page.locator(".bots .bot").nth(0).select_option("greedy")
        page.click("#ask-game")
        page.wait_for_selector("#blunder-list li", timeout=30_000)
        page.click("#last")
        page.click("#back")
        wait_in_page(
            page, "document.querySelector('#what').textContent.includes('Better: advance')"
        )
        ways = [page.locator(f"#track .{part}").count() for part in ("passed", "goal")]
        assert (ways, page.locator(".laid.better").count()) == ([1, 1], 0)
        page.click("#back")
        wait_in_page(page, "!document.querySelector('#track .goal')")
        assert opened.complaints == []


@pytest.mark.thorough
def test_page_works_by_keyboard_alone(server: Server, browser: Any) -> None:
    """A game is opened, stepped, a move tried and a bot asked with Tab, arrows and Enter."""
    with Opened(browser, f"{server.address}analyse") as opened:
        page = opened.page
        page.wait_for_selector("#game-list button")

        def tab_to(selector: str) -> None:
            for _ in range(120):
                page.keyboard.press("Tab")
                if page.evaluate(f"document.activeElement.matches({selector!r})"):
                    return
            pytest.fail(f"{selector} cannot be reached")

        tab_to("#game-list button")
        page.keyboard.press("Enter")
        page.wait_for_selector(MOVES)
        page.keyboard.press("ArrowRight")
        assert page.input_value("#ply") == "1"
        tab_to(".lines .ply")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(MOVES)
        tab_to("#ask")
        tab_to("#notation summary")
        page.keyboard.press("Enter")
        tab_to("#move-words")
        tab_to(LISTED)
        page.keyboard.press("Enter")
        page.wait_for_selector(".lines [aria-current=step] .number")
        assert page.evaluate("document.activeElement.matches('.lines .ply')")
        page.wait_for_selector(MOVES)
        page.keyboard.press("Shift+Tab")
        tab_to("#ask")
        page.keyboard.press("Enter")
        page.wait_for_selector(".answer .state button", timeout=60_000)


@pytest.mark.thorough
def test_closed_page_frees_its_bots(server: Server, browser: Any) -> None:
    """They end within 15 s, although they were given minutes."""
    with Opened(browser, f"{server.address}analyse?game=0.0") as opened:
        page = opened.page
        unfold_limits(page)
        page.locator(".bots .value").nth(0).fill("300")
        page.click("#ask")
        page.wait_for_selector(".answer .best", timeout=60_000)
        assert started(server)
    assert wait_for(lambda: not started(server)) < 15


@pytest.mark.thorough
@EVERY_WINDOW
def test_axe_finds_nothing_serious(server: Server, browser: Any, width: int, look: str) -> None:
    """In all states of the page; no text leaves the window."""
    address = f"{server.address}analyse"
    with Opened(browser, address, width=width, color_scheme=look) as opened:
        page = opened.page
        page.wait_for_selector("#game-list button")
        check(page, width)
        page.click("#set-up")
        page.wait_for_selector("#edit-verdict.passed")
        check(page, width)
        page.click("#show-opening")
        page.click("#game-list button >> nth=0")
        page.wait_for_selector(MOVES)
        unfold_limits(page)
        page.locator(".bots .bot").nth(0).select_option("greedy")
        page.click("#ask-game")
        page.wait_for_selector("#blunder-list li", timeout=30_000)
        show_notation(page)
        page.click(f"{LISTED} >> nth=0")
        page.wait_for_selector(".lines [aria-current=step] .number")
        page.click("#ask")
        page.wait_for_selector(".answer .state button", timeout=60_000)
        check(page, width)


def unfold_limits(page: Any) -> None:
    """Show which bots are asked: they are folded next to what was evaluated before."""
    if not page.is_visible("#bots"):
        page.click("#asked summary")


def check(page: Any, width: int) -> None:
    """Check for violations of axe-core's rules, and for texts that are cut off."""
    from axe_playwright_python.sync_playwright import Axe  # imports playwright, which takes 0.5 s

    violations = Axe().run(page).response["violations"]
    serious = [
        violation for violation in violations if violation["impact"] in ("serious", "critical")
    ]
    assert [(violation["id"], violation["nodes"][0]["html"][:200]) for violation in serious] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    # the skip link is off screen until it has the focus
    assert [text for text in page.evaluate(CUT_OFF) if not text.startswith("Skip")] == []


RUBBISH = """
for (const storage of [localStorage, sessionStorage]) {
  storage.setItem("analyse-bots", '{"greedy": 1}');
  storage.setItem("analyse-judge", "nobody");
  storage.setItem("analyse-branches?game=0.0", '[["x", 5], 7]');
}
const key = Object.keys(JSON.parse(sessionStorage.getItem("analyse-answers") ?? "{}"))[0] ?? "x";
const answers = ANSWERS;
sessionStorage.setItem("analyse-answers", JSON.stringify(answers && { [key]: answers }));
"""
"""Puts into the storage of a tab what no version of this page writes."""

BLOCKED = """
for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(globalThis, name, {
    get() { throw new DOMException("denied", "SecurityError"); },
  });
}
"""
"""Forbids storage, as a browser does that keeps nothing."""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(BLOCKED, id="blocked"),
        pytest.param(RUBBISH.replace("ANSWERS", "null"), id="null"),
        pytest.param(RUBBISH.replace("ANSWERS", "5"), id="number"),
        pytest.param(RUBBISH.replace("ANSWERS", "[5]"), id="numbers"),
        pytest.param(RUBBISH.replace("ANSWERS", "[{}]"), id="objects"),
    ],
)
def test_analysis_works_with_any_memory(server: Server, browser: Any, script: str) -> None:
    """A bot is asked about a position, and the page is loaded again."""
    with Opened(browser, f"{server.address}analyse?game=0.0#ply=0") as opened:
        page = opened.page
        page.add_init_script(script)
        for _ in range(2):
            page.reload()
            page.wait_for_selector("html[data-ready=yes]")
            page.wait_for_selector(MOVES)
            page.click("#ask")
            page.wait_for_selector(".answer .state button", timeout=60_000)


def test_nothing_moves_at_the_end_of_a_game(server: Server, browser: Any) -> None:
    """The link to play on is hidden there, and its place stays."""
    place = "document.querySelector('#game').getBoundingClientRect().y + scrollY"
    with Opened(browser, f"{server.address}analyse?game=0.0", width=1280, height=800) as opened:
        page = opened.page
        page.wait_for_selector(MOVES)
        assert page.is_visible("#play-on")
        before = page.evaluate(place)
        page.click("#last")
        assert page.is_hidden("#play-on")
        assert page.evaluate(place) == before


@pytest.mark.thorough
def test_further_games_are_listed_once_while_others_end(tmp_path: Path, browser: Any) -> None:
    """The newest come first, so that a pair that ends moves two games to the next page."""
    with closing(Store.create(tmp_path / "games.sqlite", META)) as store:
        store.add([record for number in range(30) for record in pair(number)])
        with (
            served(str(tmp_path), "--games", str(tmp_path / "g")) as server,
            Opened(browser, f"{server.address}analyse") as opened,
        ):
            page = opened.page
            page.wait_for_selector("#more-games:visible")
            assert page.locator("#game-list tbody tr").count() == 50
            store.add(pair(30))
            page.click("#more-games")
            page.wait_for_selector("#game-list tr[data-game='0.0']")
            rows = page.locator("#game-list tbody tr")
            games = rows.evaluate_all("rows => rows.map(row => row.dataset.game)")
    assert games == [f"{pair}.{number}" for pair in reversed(range(30)) for number in (1, 0)]
