"""Pictures that pages of the arena save show the pages' positions."""

import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game import Game
from pwtourney.notation.game_text import parse_record
from pwtourney.store import ResultsFolder, Store
from tests.arena.analysing import MOVES, play_games
from tests.arena.playing import PERSON, act, begin, record_of, state_of
from tests.arena.serving import Server, served
from tests.arena.test_play_browser import open_table
from tests.report.browser import STUDY_BROWSER, Opened, wait_for
from tests.report.test_sharing import list_elements, save
from tests.rules.positions import ORIGINAL
from tests.sharing import Once
from tests.web.modules import Modules

pytestmark = [STUDY_BROWSER, pytest.mark.thorough, pytest.mark.slow(3)]


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return the results of two games."""
    return once("analysis", play_games) / "r"


@pytest.fixture(scope="module")
def server(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the results."""
    with served(str(results), "--games", str(tmp_path_factory.mktemp("games"))) as server:
        yield server


@pytest.fixture(scope="module")
def game(results: Path) -> Game:
    """Return the first of them."""
    with closing(Store.open_in(ResultsFolder(results))) as store:
        return store.game(0, 0)


@pytest.fixture
def modules(browser: Any) -> Iterator[Modules]:
    """Open a page that can import the drawing modules."""
    with Modules(browser, color_scheme="light") as opened:
        yield opened


def drop_caption(markup: bytes) -> list[Any]:
    """Return all elements except the caption, because a running game has no last ply."""
    return [element for element in list_elements(markup) if "Ply " not in element[2]]


def test_analysis_saves_the_shown_position(
    server: Server, browser: Any, game: Game, modules: Modules
) -> None:
    """The page saves SVG and PNG files, named by the game and the ply."""
    address = f"{server.address}analyse?game=0.0#ply=9"
    with Opened(browser, address, color_scheme="light") as opened:
        opened.page.wait_for_selector(MOVES)
        name, content = save(opened, "svg")
        assert name == "game-0.0-ply-9.svg"
        expected = modules.draw_ply(game, ORIGINAL, 9, "0.0")
        assert list_elements(content) == list_elements(expected.encode())
        assert opened.page.inner_text("#shared") == f"{name} is saved."
        name, content = save(opened, "png")
        assert name == "game-0.0-ply-9.png"
        assert struct.unpack(">II", content[16:24]) == (2220, 1040)
        assert opened.complaints == []


def test_watch_saves_the_enlarged_game(
    server: Server, browser: Any, game: Game, modules: Modules
) -> None:
    """The last games of a tournament are shown at their ends."""
    with Opened(browser, f"{server.address}watch", color_scheme="light") as opened:
        page = opened.page
        wait_for(page, "pwtourney.list().length > 0")
        slot = page.evaluate(
            "pwtourney.list().find((slot) => `${pwtourney.game(slot).facts.pair}.`"
            "+ `${pwtourney.game(slot).facts.number}` === '0.0')"
        )
        page.click(f"[data-slot='{slot}'] a")
        wait_for(page, "pwtourney.shown()?.facts.number === 0")
        last = len(game.plies)
        name, content = save(opened, "svg")
        assert name == f"game-0.0-ply-{last}.svg"
        expected = modules.draw_ply(game, ORIGINAL, last, "0.0")
        assert drop_caption(content) == drop_caption(expected.encode())
        assert opened.complaints == []


def test_table_saves_its_current_position(arena: Server, browser: Any, modules: Modules) -> None:
    """The file is named by the table and the ply."""
    table = begin(arena, PERSON, {**PERSON, "name": "Ben"}, deal="81")
    before = state_of(arena, table)["version"]
    _, answer = act(arena, table, before, "play", action="7:r0:a1")
    act(arena, table, answer["version"], "resign", seat=1)
    played, _ = parse_record(record_of(arena, table))
    with open_table(browser, arena, table, color_scheme="light") as opened:
        name, content = save(opened, "svg")
        assert name == f"game-{table.rpartition('/')[2]}-ply-1.svg"
        expected = modules.draw_ply(played, ORIGINAL, 1)
        assert drop_caption(content) == drop_caption(expected.encode())
        assert opened.complaints == []
