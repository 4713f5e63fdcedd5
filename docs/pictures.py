"""Take the pictures of the docs from results: python docs/pictures.py results/quickstart."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

__all__: list[str] = []

PLACE = Path(__file__).parent / "images"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")
GAME, PLY = 4, 34
"""The game of the pictures, counted from 0, and the ply that they show."""

BOT = "bot-greedy"
"""The page of a bot."""

MOVES = 10
"""The moves that a person plays before the picture of a table is taken."""


def main(results: Path) -> None:
    """Take all pictures."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(QUIET))
        show_leaderboard(browser, results)
        show_replay(browser, results)
        show_bot(browser, results)
        save_position(browser, results)
        with arena(results) as address:
            show_table(browser, address)
            show_home(browser, address)
            show_analysis(browser, address)
        show_watch(browser)
        browser.close()


def show_leaderboard(browser: Browser, results: Path) -> None:
    """Take the beginning of the page of a tournament."""
    page = browser.new_page(color_scheme="light", viewport={"width": 1000, "height": 840})
    page.goto(f"file://{results.resolve()}/report.html#standings")
    page.wait_for_selector("html[data-ready=yes]")
    page.screenshot(path=PLACE / "leaderboard.png")
    page.close()


def show_replay(browser: Browser, results: Path) -> None:
    """Take a replay in dark colours."""
    page = browser.new_page(color_scheme="dark", viewport={"width": 1280, "height": 1000})
    page.goto(f"file://{results.resolve()}/report.html#sort=oldest")
    page.wait_for_selector("html[data-ready=yes]")
    page.locator("#rows a").nth(GAME).click()
    page.wait_for_selector("#viewer.open")
    page.locator("#ply").fill(str(PLY))
    page.locator("#viewer").screenshot(path=PLACE / "replay.png")
    page.close()


def show_bot(browser: Browser, results: Path) -> None:
    """Take the page of one bot."""
    page = browser.new_page(color_scheme="light", viewport={"width": 1280, "height": 800})
    page.goto(f"file://{results.resolve()}/report.html#{BOT}")
    page.wait_for_selector("html[data-ready=yes]")
    page.locator(f"#{BOT}").screenshot(path=PLACE / "bot.png")
    page.close()


def save_position(browser: Browser, results: Path) -> None:
    """Save the picture that a page makes of a position."""
    page = browser.new_page(color_scheme="light")
    page.goto(f"file://{results.resolve()}/report.html#sort=oldest")
    page.wait_for_selector("html[data-ready=yes]")
    page.locator("#rows a").nth(GAME).click()
    page.wait_for_selector("#viewer.open")
    page.locator("#ply").fill(str(PLY))
    (PLACE / "position.svg").write_text(page.evaluate("pwtourney.picture()"), encoding="utf-8")
    page.close()


@contextmanager
def arena(results: Path) -> Iterator[str]:
    """Serve an arena that keeps no games; yield its address."""
    with tempfile.TemporaryDirectory() as games:
        words = ("arena", str(results), "--no-open", "--port", "0", "--games", games)
        command = (sys.executable, "-m", "pwtourney", *words)
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None, "it was asked for"
            try:
                yield server.stdout.readline().split()[0]
            finally:
                server.terminate()


def show_table(browser: Browser, address: str) -> None:
    """Take a game of a person against greedy after some moves, with a patch in hand."""
    page = open_page(browser, f"{address}play/new?", deal="81")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.fill("fieldset[data-seat='0'] [name=name]", "you")
    page.click("#begin")
    page.wait_for_url("**/play/*")
    page.wait_for_selector("html[data-ready=yes]")
    cards = page.locator("button.card:not(.barred):not(.plain)")
    for number in range(MOVES):
        page.wait_for_selector("button.card")
        if cards.count() and (number % 3 or not page.locator("#advance").count()):
            cards.first.focus()
            page.keyboard.press("Enter")
            page.keyboard.press("Enter")
        else:
            page.click("#advance")
        page.wait_for_timeout(1500)  # the bot answers, and its moves are shown one by one
    cards.first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#preview.fit")
    page.screenshot(path=PLACE / "play.png")
    page.close()


def show_home(browser: Browser, address: str) -> None:
    """Take the first page, with the game of the table that can be continued."""
    page = open_page(browser, address)
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.wait_for_selector(".tournaments .sentence:not(:text-is('…'))")
    page.screenshot(path=PLACE / "home.png")
    page.close()


def show_analysis(browser: Browser, address: str) -> None:
    """Take a stored game that a bot has gone through, and what two bots think of one position."""
    page = open_page(browser, f"{address}analyse?", game=f"{GAME // 2}.{GAME % 2}")
    page.locator(".bots .bot").first.select_option("greedy")
    page.click("#ask-game")
    page.wait_for_selector("#blunder-list li")
    page.wait_for_selector("#stop", state="hidden")
    page.locator("#ply").fill(str(PLY - 2))
    page.click("#asked summary")  # it was folded away when the game was evaluated
    page.click("#add-bot")
    for row, (bot, seconds) in enumerate((("lookahead", "2"), ("greedy", "1"))):
        page.locator(".bots .bot").nth(row).select_option(bot)
        page.locator(".bots .value").nth(row).fill(seconds)
    page.click("#ask")
    page.wait_for_selector("#stop")
    page.wait_for_selector("#stop", state="hidden")
    page.set_viewport_size({"width": 1360, "height": 900})
    page.evaluate("document.querySelector('#desk').scrollIntoView()")
    page.screenshot(path=PLACE / "analyse.png")
    page.close()


def show_watch(browser: Browser) -> None:
    """Take one large game of a tournament that is being played in two slots."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "watch.yaml").write_text(
            "name: watch\nseed: 5\npairs: 20\nworkers: 2\nclock: {move: 300ms}\n"
            "bots: [lookahead, mcts, greedy]\n"
        )
        words = ("run", str(folder / "watch.yaml"), "--results", str(folder / "results"))
        command = (sys.executable, "-m", "pwtourney", *words, "--quiet")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as tournament:
            try:
                while not list((folder / "results").glob("live/*")):
                    tournament.poll()
                with arena(folder / "results") as address:
                    page = open_page(browser, f"{address}watch#slot=1")
                    page.wait_for_selector("#moves li:last-child [data-ply='29']")
                    page.screenshot(path=PLACE / "watch.png")
                    page.close()
            finally:
                tournament.terminate()


def open_page(browser: Browser, address: str, **words: str) -> Page:
    """Open a view of the arena."""
    page = browser.new_page(color_scheme="light", viewport={"width": 1360, "height": 900})
    page.goto(address + urlencode(words))
    page.wait_for_selector("html[data-ready=yes]")
    return page


if __name__ == "__main__":
    main(Path(sys.argv[1]))
