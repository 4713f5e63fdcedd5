"""The address of the page contains the reader's choices, and a link restores them."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pwtourney.notation.game import Fault, Verdict
from pwtourney.report import publish
from pwtourney.report.text.rows import describe_columns
from pwtourney.rules import deal, find_edition
from pwtourney.store import Store
from tests.program import pwtourney
from tests.report.browser import REPORT_BROWSER, Opened, open_tab, wait_for
from tests.report.conftest import LONG_NAME, read_games
from tests.report.leagues import make_league
from tests.report.test_publishing import NASTY, nasty  # noqa: F401

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

FILTERS = ("bot", "against", "result", "verdict")
EXPRESS = find_edition("express")
COLUMNS = len(describe_columns())


def chosen(page: "Page") -> list[str]:
    """Return the values of the filters."""
    return [page.input_value(f"#{name}") for name in FILTERS]


def listed(page: "Page") -> list[str]:
    """Return the games in the list."""
    return page.locator("#rows td:first-child").all_inner_texts()


@pytest.mark.thorough
def test_link_opens_the_filtered_list(league: Path, browser: Any) -> None:
    """The address of a filtered page, opened in another window, lists the same games."""
    with Opened(browser, f"file://{league}/report.html#games") as first:
        first.page.select_option("#bot", LONG_NAME)
        first.page.select_option("#against", "greedy")
        first.page.select_option("#result", "lost")
        address, games = first.page.evaluate("location.href"), listed(first.page)
    lost = [
        f"{game.pair}.{game.game}"
        for game in read_games(league)
        if set(game.bots) == {LONG_NAME, "greedy"}
        and game.winner is not None
        and game.bots[game.winner] == "greedy"
    ]
    assert lost
    assert sorted(games) == sorted(lost)
    with Opened(browser, address) as second:
        assert chosen(second.page) == [LONG_NAME, "greedy", "lost", ""]
        assert listed(second.page) == games
        assert second.page.is_visible("#list")
        assert second.page.evaluate("document.activeElement.id") == "games"


@pytest.mark.thorough
def test_link_to_a_game_keeps_the_filter(league: Path, browser: Any) -> None:
    """The link in the list has both; going back closes the game and keeps the filter."""
    with Opened(browser, f"file://{league}/report.html#games") as opened:
        page = opened.page
        page.select_option("#bot", "greedy")
        games = listed(page)
        page.locator("#rows a").nth(1).click()
        page.wait_for_selector("#viewer.open")
        page.click("#on")
        address = page.evaluate("location.href")
        assert address.endswith(f"#game={games[1]}&ply=1&bot=greedy")
        page.go_back()
        page.wait_for_selector("#viewer", state="hidden")
        assert listed(page) == games
        page.go_back()
        from playwright.sync_api import expect

        expect(page.locator("#bot")).to_have_value("")
        assert len(listed(page)) == len(read_games(league))
    with Opened(browser, address) as again:
        assert again.page.inner_text("#what").startswith("Ply 1 of ")
        assert again.page.inner_text("#title").startswith(f"Game {games[1]}: ")
        assert listed(again.page) == games


def test_number_in_the_schedule_opens_its_game(league: Path, browser: Any) -> None:
    """As in the replay command: game 18 is the second one of the pair with number 8."""
    by_number, by_id = (pwtourney("replay", f"{league}:{name}").stdout for name in ("18", "8.1"))
    assert by_number == by_id
    with Opened(browser, f"file://{league}/report.html#game=18") as opened:
        opened.page.wait_for_selector("#viewer.open")
        assert opened.page.inner_text("#title").startswith("Game 8.1: ")


@pytest.mark.thorough
def test_other_tab_keeps_the_filter(league: Path, browser: Any) -> None:
    """The link back to the list has it; a button clears it."""
    with Opened(browser, f"file://{league}/report.html#verdict=start") as opened:
        page = opened.page
        count = len(listed(page))
        assert 0 < count < len(read_games(league))
        open_tab(page, "faults")
        wait_for(page, "location.hash === '#faults'")
        assert not page.is_visible("#games")
        open_tab(page, "games")
        wait_for(page, "location.hash === '#verdict=start'")
        assert len(listed(page)) == count
        page.click("#clear")
        assert len(listed(page)) == len(read_games(league))
        assert page.evaluate("location.hash") == "#games"
        assert not page.is_visible("#clear")


@pytest.mark.thorough
def test_unknown_bot_in_a_link_lists_no_games(league: Path, browser: Any) -> None:
    """An old link does not silently list the games of other bots, or show another bot's page."""
    with Opened(browser, f"file://{league}/report.html#tab=games&bot=gone") as opened:
        page = opened.page
        assert page.inner_text("#count") == f"0 of {len(read_games(league))} games"
        assert chosen(page)[0] == "gone"
        page.goto(f"file://{league}/report.html#bot=gone")
        wait_for(page, "document.querySelector('#no-bot').textContent")
        assert page.inner_text("#no-bot").startswith("There is no bot “gone” here")
        page.click("#no-bot a")
        page.wait_for_selector("#tab-standings.shown")


@pytest.mark.thorough
def test_link_of_a_fault_lists_the_games_in_which_this_bot_failed(
    tmp_path: Path, browser: Any
) -> None:
    """Games in which only the opponent failed are left out; a game with two faults is in both."""
    with closing(make_league(tmp_path, weeks=1)) as store:
        sound = next(iter(store.records()))
        failed = {"crow": [*range(3, 15), 20], "wren": [*range(15, 21)]}
        for pair in range(3, 21):
            bots = [bot for bot, pairs in failed.items() if pair in pairs]
            for seats in (("crow", "wren"), ("wren", "crow")):
                # the second of two faults has another verdict
                faults = [
                    Fault(seats.index(bot), Verdict.ILLEGAL if index else Verdict.CRASH, "exited")
                    for index, bot in enumerate(bots)
                ]
                game = sound._replace(bots=seats, deal=deal(EXPRESS, pair), verdict=Verdict.CRASH)
                winner = None if len(bots) > 1 else 1 - faults[0].seat
                game = game._replace(faults=tuple(faults), winner=winner, pair=pair)
                store.add([game._replace(game=seats.index("wren") ^ 1)])
        publish(store, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html#faults") as opened:
        page = opened.page
        first = page.locator("#faults details[open]")  # the most frequent fault
        assert "crow: crash: exited (26 times)" in first.inner_text()
        page.click("#faults a:has-text('all games in which crow failed by crash')")
        wait_for(page, "document.querySelectorAll('#rows tr').length === 26")
        assert {int(game.partition(".")[0]) for game in listed(page)} == {*failed["crow"]}
        assert page.evaluate("location.hash") == "#bot=crow&result=fault&verdict=crash"
        page.select_option("#bot", "wren")
        assert {int(game.partition(".")[0]) for game in listed(page)} == {*failed["wren"]} - {20}
        page.select_option("#verdict", "illegal")
        assert listed(page) == ["20.1", "20.0"]
        assert opened.complaints == []


@pytest.mark.thorough
def test_result_filter_needs_a_bot(league: Path, browser: Any) -> None:
    """Without a bot it is ignored in an address, and its options are disabled."""
    with Opened(browser, f"file://{league}/report.html#result=won") as opened:
        page, games = opened.page, read_games(league)
        assert len(listed(page)) == len(games)
        assert chosen(page) == ["", "", "", ""]
        assert page.locator("#result option:disabled").count() == 3
        page.select_option("#bot", "greedy")
        page.select_option("#result", "won")
        won = [game for game in games if game.winner is not None]
        won = [game for game in won if game.bots[game.winner or 0] == "greedy"]
        assert 0 < len(listed(page)) == len(won) < len(games)
        page.select_option("#bot", "")
        assert len(listed(page)) == len(games)
        assert page.evaluate("location.hash") == "#games"


@pytest.mark.thorough
def test_head_to_head_cells_lead_to_their_games(league: Path, browser: Any) -> None:
    """The list has as many games as the cell's title says, and gets the focus."""
    games = read_games(league)
    with Opened(browser, f"file://{league}/report.html") as opened:
        page = opened.page
        cells = page.locator("#charts table").first.locator("td.heat a")
        assert cells.count() == 4 * 3
        for index in range(cells.count()):
            open_tab(page, "charts")
            cells.nth(index).click()
            wait_for(page, "document.activeElement.id === 'games'")
            bot, against = chosen(page)[:2]
            both = [game for game in games if set(game.bots) == {bot, against}]
            title = cells.nth(index).locator("..").get_attribute("title") or ""
            assert title.startswith(f"{bot} got ")
            assert title.endswith(f"in {len(both)} games against {against}")
            assert len(listed(page)) == len(both) == 4
            page.evaluate("document.activeElement.blur()")


@pytest.mark.thorough
def test_names_of_any_kind_work_in_the_address(
    nasty: Store,  # noqa: F811
    tmp_path: Path,
    browser: Any,
) -> None:
    """A filter by each name is the same in the window that opens its link."""
    publish(nasty, tmp_path)
    with Opened(browser, f"file://{tmp_path}/report.html#games") as opened:
        page = opened.page
        names = page.locator("#bot option").evaluate_all("(all) => all.map((one) => one.value)")
        assert len(names) == len(NASTY) + 1
        links = {}
        for name in names[1:]:
            page.select_option("#bot", name)
            links[name] = (page.evaluate("location.hash"), listed(page))
            assert len(links[name][1]) == 4
        assert page.locator("td.heat a").count() >= 2 * len(NASTY)
        open_tab(page, "charts")
        page.locator("td.heat a").nth(1).click()
        wait_for(page, "document.activeElement.id === 'games'")
        assert len(listed(page)) == 2
    for name, (fragment, games) in [*links.items()][::4]:
        with Opened(browser, f"file://{tmp_path}/report.html{fragment}") as again:
            assert chosen(again.page)[0] == name
            assert listed(again.page) == games


@pytest.mark.thorough
def test_button_shows_all_columns(league: Path, browser: Any) -> None:
    """The page begins with a few columns; the button adds a table of all, and so does a link."""
    with Opened(browser, f"file://{league}/report.html", width=390) as opened:
        page = opened.page
        few, all_columns = (page.locator(f"table.{name}") for name in ("few", "standings"))
        assert few.is_visible()
        assert not all_columns.is_visible()
        page.click("#columns")
        assert page.get_attribute("#columns", "aria-expanded") == "true"
        assert all_columns.locator("thead th").locator("visible=true").count() == COLUMNS
        address = page.evaluate("location.href")
        page.click("#columns")
        assert not all_columns.is_visible()
        assert page.evaluate("location.hash") == "#standings"
    with Opened(browser, address, width=390) as again:
        assert again.page.is_visible("table.standings")
