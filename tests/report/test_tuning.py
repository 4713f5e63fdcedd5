"""The pages of a tuning and of a sweep in a browser."""

from pathlib import Path
from typing import Any

import pytest

from tests.report.browser import REPORT_BROWSER, Opened
from tests.report.test_access import CUT_OFF, find_problems
from tests.sharing import Once
from tests.tournament.test_sweep import sweep
from tests.tournament.test_tune import tune, tuned

pytestmark = [pytest.mark.slow(10), REPORT_BROWSER]


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return the results of a tuning."""
    return once("tune", tune) / "r"


@pytest.mark.thorough
def test_page_draws_the_path_of_each_option(results: Path, browser: Any) -> None:
    """It has a spread and a start, its last point is the estimate, and there are no ratings."""
    tuning = tuned(results)
    with Opened(browser, f"file://{results}/report.html") as opened:
        figures = opened.page.locator("#standings figure")
        labels = [
            drawing.get_attribute("aria-label") for drawing in figures.locator("svg[role]").all()
        ]
        assert [label and label.split(":")[0] for label in labels] == [
            "Path of pace",
            "Path of nook",
        ]
        first = figures.first
        pace = tuning.options[0]
        start, last = (230 - 220 * value / 4 for value in (pace.start, pace.estimate))
        assert "H620" in str(first.locator("path.start").get_attribute("d"))
        assert f" {start:g}" in str(first.locator("path.start").get_attribute("d"))
        circle = first.locator("circle")
        assert float(circle.get_attribute("cy") or 0) == pytest.approx(last, abs=0.06)
        line = str(first.locator("polyline").get_attribute("points")).split()
        assert len(line) == len(tuning.path) + 1
        assert opened.page.locator("polygon.band").count() == 2
        assert opened.page.locator(".sensitivities dt").all_text_contents() == ["pace", "nook"]
        assert opened.page.locator(".sensitivities dd").count() == 2
        assert opened.page.locator("table.standings").count() == 0
        assert opened.page.get_by_text("magpie after 60 probes").count() == 1
        assert not opened.complaints


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("kind", ["tune", "sweep"])
def test_page_of_a_tuning_or_sweep_is_accessible(
    once: Once, browser: Any, kind: str, width: int
) -> None:
    """No text is cut off, and axe-core finds nothing."""
    folder = once(kind, tune if kind == "tune" else sweep) / "r"
    with Opened(browser, f"file://{folder}/report.html", width=width) as opened:
        assert opened.page.evaluate(CUT_OFF) == []
        assert find_problems(opened.page) == []


@pytest.mark.thorough
def test_map_of_a_sweep_is_coloured_by_rating(once: Once, browser: Any) -> None:
    """The best value has the strongest cold colour, the worst the strongest warm one."""
    folder = once("sweep", sweep) / "r"
    with Opened(browser, f"file://{folder}/report.html") as opened:
        table = opened.page.locator("table", has=opened.page.get_by_text("Elo by pace (rows) and"))
        cells = table.locator("td.heat")
        assert cells.count() == 4
        styles = [str(cell.get_attribute("style")) for cell in cells.all()]
        assert styles[3] == "background:rgba(var(--cold),0.55)"
        assert any(style == "background:rgba(var(--warm),0.55)" for style in styles)
