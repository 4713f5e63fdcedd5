"""Take the pictures of the README from results: python docs/pictures.py results/quickstart."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

__all__: list[str] = []

PLACE = Path(__file__).parent / "images"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync")


def main(results: Path) -> None:
    """Open the page, and take the leaderboard in light and a replay in dark colours."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(QUIET))
        for look, name in (("light", "leaderboard"), ("dark", "replay")):
            size = {"width": 1000 if name == "leaderboard" else 1360, "height": 1000}
            page = browser.new_page(color_scheme=look, viewport=size)
            page.goto(f"file://{results.resolve()}/report.html")
            page.wait_for_selector("html[data-ready=yes]")
            if name == "replay":
                page.locator("#rows a").nth(4).click()
                page.locator("#ply").fill("34")
                page.evaluate("document.querySelector('#viewer .plies').remove()")
                page.locator("#viewer").screenshot(path=PLACE / f"{name}.png")
            else:
                page.screenshot(path=PLACE / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
