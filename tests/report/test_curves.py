"""Charts with curves of many bots draw the first ten, and all others on demand."""

from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.report import publish
from pwtourney.rules import deal, find_edition
from pwtourney.store import Store
from tests.report.browser import REPORT_BROWSER, Opened
from tests.report.test_publishing import meta

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

BOTS = [f"bot-{number}" for number in range(13)]


@pytest.fixture
def opened(tmp_path: Path, browser: Any) -> Iterator[Opened]:
    """Open the page of thirteen bots, of which every two have played two games."""
    edition = find_edition("original")
    plies = tuple(Ply(number % 2, "advance", 1000) for number in range(20))
    with closing(Store.create(tmp_path / "games.sqlite", meta(BOTS, "many"))) as store:
        for pair, bots in enumerate(combinations(BOTS, 2)):
            played = [
                Game(
                    (first, second),
                    "original",
                    deal(edition, pair),
                    (1, 2),
                    plies,
                    Verdict.FINISHED,
                    0,
                    (10, 0),
                    pair=pair,
                    game=number,
                )
                for number, (first, second) in enumerate((bots, bots[::-1]))
            ]
            store.add(played)
        publish(store, tmp_path / "out")
    with Opened(browser, f"file://{tmp_path}/out/report.html#charts") as opened_page:
        yield opened_page


@pytest.mark.thorough
def test_ten_curves_are_drawn_and_others_on_demand(opened: Opened) -> None:
    """In both charts; a name in the legend toggles its curve, and buttons show all or none."""
    assert opened.page.locator("figure[data-curves]").count() == 2
    for number in range(2):
        figure = opened.page.locator("figure[data-curves]").nth(number)
        curves = figure.locator("g[data-curve]").locator("visible=true")
        names = figure.locator(".legend button")
        assert sorted(names.all_inner_texts()) == sorted(BOTS)
        assert curves.count() == 10
        names.nth(12).click()
        assert names.nth(12).get_attribute("aria-pressed") == "true"
        opened.page.mouse.move(0, 0)
        assert curves.count() == 11
        figure.get_by_role("button", name="All 13 bots").click()
        assert curves.count() == 13
        figure.get_by_role("button", name="None").click()
        assert curves.count() == 0
        names.nth(11).click()
        opened.page.mouse.move(0, 0)
        assert curves.all_text_contents() == [names.nth(11).inner_text()]
        figure.get_by_role("button", name="First 10").click()
        opened.page.mouse.move(0, 0)
        assert curves.count() == 10


@pytest.mark.thorough
def test_no_two_curves_look_alike(opened: Opened) -> None:
    """Curves with the same colour have different dashes."""
    looks = (
        opened.page.locator("figure[data-curves]")
        .first.locator("polyline")
        .evaluate_all(
            "(all) => all.map((one) => `${getComputedStyle(one).stroke} "
            "${one.getAttribute('stroke-dasharray')}`)"
        )
    )
    assert len(set(looks)) == len(looks) == 13
