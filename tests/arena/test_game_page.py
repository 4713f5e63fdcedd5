"""One game has one address: to come, being played or stored."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pwtourney.arena.app import make_app
from pwtourney.arena.setting import Arena
from pwtourney.arena.shelf import Shelf
from pwtourney.notation.game_text import replay
from pwtourney.notation.marks import parse_marked
from pwtourney.store import ResultsFolder, Store
from tests.arena.calling import ask
from tests.arena.serving import Server, served
from tests.arena.test_analyse_page import check
from tests.arena.test_watch import RUNNING_GAME, play_league, write_live
from tests.loops import run_apart
from tests.report.browser import STUDY_BROWSER, Opened, wait_for
from tests.report.leagues import make_league
from tests.report.sizes import PHONE, SMALL_TARGETS, SMALL_TEXTS
from tests.rules.positions import ORIGINAL
from tests.sharing import Once

PLY = "new URLSearchParams(location.hash.slice(1)).get('ply')"


def test_number_of_the_schedule_leads_to_the_address_of_the_game(tmp_path: Path) -> None:
    """Game 14 of mirrored pairs is 6.1, below the path of the tournament; another name is none."""
    (tmp_path / "cup 1").mkdir()
    make_league(tmp_path / "cup 1").close()
    app = make_app(Arena(shelf=Shelf(tmp_path)))

    async def run() -> None:
        for name in ("14", "06.1"):
            answer = await ask(app, f"/of/cup 1/game/{name}")
            assert (answer.status, answer.headers["location"]) == (307, "/of/cup%201/game/6.1")
        page = await ask(app, "/of/cup 1/game/6.1")
        assert page.status == 200
        assert "<title>Game 6.1 · pwtourney</title>" in page.text
        assert '<a href="/of/cup%201/watch" aria-current="page">Watch</a>' in page.text
        for name in ("0", "6.2", "x"):
            assert (await ask(app, f"/of/cup 1/game/{name}")).status == 404

    run_apart(run())


def test_game_is_waited_for_before_the_run_begins(tmp_path: Path) -> None:
    """The page asks for the state of its own tournament, wherever its address is."""

    async def run() -> None:
        answer = await ask(make_app(Arena(ResultsFolder(tmp_path / "cup"))), "/game/37")
        assert answer.status == 200
        assert (
            '<p id="state" role="status" data-root="">The run in cup has not begun.' in answer.text
        )

    run_apart(run())


def test_neighbours_of_a_game_are_the_stored_ones_next_to_it(tmp_path: Path) -> None:
    """The league has pairs 0 to 6; a game that is not stored has neighbours, too."""
    make_league(tmp_path).close()
    app = make_app(Arena(ResultsFolder(tmp_path)))

    async def run() -> None:
        for name, neighbours in (
            ("0.0", [None, "0.1"]),
            ("3.1", ["3.0", "4.0"]),
            ("7.0", ["6.1", None]),
        ):
            answer = await ask(app, "/watch/latest.json", query=f"game={name}")
            assert json.loads(answer.body)["neighbours"] == neighbours, name
        assert json.loads((await ask(app, "/watch/latest.json")).body)["neighbours"] == []

    run_apart(run())


@pytest.fixture(scope="module")
def played(once: Once) -> Path:
    """Return results of three pairs, which no test changes."""
    return play_league(once)


@pytest.mark.slow
def test_position_of_a_game_is_played_on_with_its_patches(played: Path, tmp_path: Path) -> None:
    """The form gets the edition and the position after the ply; a read-only server has no form."""
    with closing(Store.open_in(ResultsFolder(played))) as store:
        game = store.game(1, 1)
    expected = list(replay(game, ORIGINAL))

    async def run() -> None:
        app = make_app(Arena(ResultsFolder(played), games=tmp_path))
        for query, ply in (("ply=9", 9), ("", len(game.plies)), ("ply=x", len(game.plies))):
            answer = await ask(app, "/game/1.1/play", query=query)
            assert answer.status == 303
            place = urlsplit(answer.headers["location"])
            words = {key: value for key, (value,) in parse_qs(place.query).items()}
            assert (place.path, words["edition"]) == ("/play/new", "original")
            state, marks = parse_marked(words["position"], ORIGINAL)
            assert state == expected[ply]
            placed = {mark for quilt in marks.quilts for mark in quilt if mark > 0}
            assert placed == {
                int(played.action.split(":")[0])
                for played in game.plies[:ply]
                if played.action.split(":")[0].isdecimal()
            }
        assert (await ask(app, "/game/9.0/play")).status == 404
        alone = make_app(Arena(ResultsFolder(played)))
        assert (await ask(alone, "/game/1.1/play")).status == 404

    run_apart(run())


@pytest.fixture(scope="module")
def arena(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the tournament in an arena where people can play and analyse."""
    games: Path = tmp_path_factory.mktemp("games")
    with served(str(played), "--games", str(games)) as server:
        yield server


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_game_is_stepped_through_by_keys_slider_and_moves(
    arena: Server, browser: Any, played: Path
) -> None:
    """The address names the ply that is shown, and opens there; the end has none."""
    with closing(Store.open_in(ResultsFolder(played))) as store:
        last = len(store.game(0, 1).plies)
    with Opened(browser, f"{arena.address}game/2#ply=30") as opened:
        page = opened.page
        assert page.url.endswith("/game/0.1#ply=30")
        step = f"document.querySelector('#step').textContent === 'move %s of {last}'"
        wait_for(page, step % 30)
        for ply in (29, 0, 1, 12, 20):
            match ply:
                case 12:
                    page.fill("#ply", "12")
                case 20:
                    page.click("#moves li:nth-child(20) button")
                case _:
                    page.keyboard.press({29: "ArrowLeft", 0: "Home", 1: "ArrowRight"}[ply])
            wait_for(page, step % ply)
            assert page.evaluate(PLY) == str(ply)
            chosen = page.locator("#moves [aria-current]").all()
            assert [button.get_attribute("data-ply") for button in chosen] == (
                [str(ply - 1)] if ply else []
            )
        assert page.get_attribute("#open-game", "href") == "/analyse?game=0.1#ply=20"
        page.evaluate("location.hash = '#ply=7'")
        wait_for(page, step % 7)
        page.locator("body").press("End")
        wait_for(page, step % last)
        assert page.evaluate(PLY) is None
        assert page.is_visible("#final")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(5)
def test_game_leads_to_its_neighbours_to_analysis_and_to_play(arena: Server, browser: Any) -> None:
    """Nobody plays on from the end, and there is no game before the first."""
    with Opened(browser, f"{arena.address}game/0.0") as opened:
        page = opened.page
        page.wait_for_selector("#final:visible")
        wait_for(page, "document.querySelector('#game-after').href")
        assert page.get_attribute("#game-before", "href") is None
        assert page.get_attribute("#play-on", "href") is None
        assert page.get_attribute("#game-after", "href") == "/game/0.1"
        page.click("#game-after")
        page.wait_for_url("**/game/0.1")
        page.wait_for_selector("#final:visible")
        page.click("#earlier")
        page.click("#play-on")
        page.wait_for_url("**/play/new?*")
        page.wait_for_selector("h1 >> text=Play")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_replay_of_the_tournament_leads_to_the_page_of_the_game(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """At the same ply, below the path of the tournament, and there on to play from here."""
    shutil.copytree(played, tmp_path / "shelf" / "cup 1")
    with (
        served(str(tmp_path / "shelf"), "--games", str(tmp_path / "games")) as server,
        Opened(browser, f"{server.address}of/cup%201/tournament#game=1.1&ply=9") as opened,
    ):
        page = opened.page
        page.wait_for_selector("#viewer.open")
        page.click("#on")
        page.click("#game-page")
        page.wait_for_url("**/of/cup%201/game/1.1#ply=10")
        wait_for(page, "document.querySelector('#step')?.textContent.startsWith('move 10 of ')")
        assert page.get_attribute("#play-on", "href") == "/of/cup%201/game/1.1/play?ply=10"
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_link_to_a_position_is_copied(arena: Server, browser: Any) -> None:
    """From Watch it is that of the game which is shown, as the page of the game has it."""
    permissions: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}
    with Opened(browser, f"{arena.address}watch", **permissions) as opened:
        page = opened.page
        page.wait_for_selector("#final:visible")
        address = page.evaluate("document.querySelector('#deal').href")
        page.click("#earlier")
        page.click("#copy-link")
        page.wait_for_selector("#shared >> text=The link is copied.")
        link = page.evaluate("navigator.clipboard.readText()")
        moves = page.locator("#moves li").count()
        assert link == f"{address}#ply={moves - 1}"
        page.goto(link)
        wait_for(
            page, f"document.querySelector('#step')?.textContent.startsWith('move {moves - 1} ')"
        )
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_old_addresses_of_games_lead_to_the_new_ones(arena: Server, browser: Any) -> None:
    """Also with a ply, and while Watch is open."""
    with Opened(browser, f"{arena.address}watch#game=1.1&ply=5") as opened:
        page = opened.page
        page.wait_for_url("**/game/1.1#ply=5")
        page.goto(f"{arena.address}watch")
        page.wait_for_selector("html[data-ready=yes]")
        page.evaluate("location.hash = '#game=3'")
        page.wait_for_url("**/game/1.0")
        wait_for(page, "pwtourney.shown()?.facts.pair === 1")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(5)
def test_address_shows_a_game_before_during_and_after(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """A read-only server waits for it, follows it as it grows, and keeps the position looked at."""
    results = shutil.copytree(played, tmp_path / "r")
    with (
        ResultsFolder(results) as folder,
        served("serve", str(results)) as server,
        Opened(browser, f"{server.address}game/9.0") as opened,
    ):
        page = opened.page
        missing = "Game 9.0 is neither being played nor stored. Watch the run"
        assert page.inner_text("#missing") == missing
        assert page.is_hidden("#large")
        write_live(folder, 0, ["greedy", "frugal"], pair=9, plies=RUNNING_GAME)
        wait_for(page, "document.querySelector('#step').textContent === 'move 2 of 2'")
        assert page.is_hidden("#missing")
        page.click("#earlier")
        assert page.url.endswith("/game/9.0#ply=1")
        ended = {"over": True, "result": ("crash", 1, (2, 3), "fell")}
        write_live(folder, 0, ["greedy", "frugal"], pair=9, plies=RUNNING_GAME, **ended)
        wait_for(page, "pwtourney.shown().over")
        assert page.inner_text("#step") == "move 1 of 2"
        write_live(folder, 0, ["greedy", "frugal"], pair=10)
        page.click("#now")
        assert page.url.endswith("/game/9.0")
        assert "crash" in page.inner_text("#told")
        assert page.locator("#open-game:visible, #play-on:visible").count() == 0
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
@pytest.mark.parametrize("look", [pytest.param("light", marks=pytest.mark.thorough), "dark"])
def test_page_of_a_game_is_read_and_touched_on_a_phone(
    arena: Server, browser: Any, look: str
) -> None:
    """Texts have 12 pixels, targets 44, and nothing is cut off."""
    window: dict[str, Any] = {"width": 390, "height": 844, "color_scheme": look, **PHONE}
    with Opened(browser, f"{arena.address}game/0.1#ply=20", **window) as opened:
        page = opened.page
        page.wait_for_selector("#large .quilt")
        wait_for(page, "document.querySelector('#game-after').href")
        assert page.evaluate(SMALL_TEXTS) == []
        assert page.evaluate(SMALL_TARGETS) == []
        check(page, 390)
        assert opened.complaints == []
