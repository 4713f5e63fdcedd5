"""The page in a real browser, from a file: it needs nothing but the file."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game_text import replay
from pwtourney.report import publish
from pwtourney.store import ResultsFolder, Store
from tests.report.browser import REPORT_BROWSER, Opened, open_tab
from tests.sharing import Once
from tests.thorough import thorough_but
from tests.tournament.test_run import run

pytestmark = [pytest.mark.slow(2), REPORT_BROWSER]

BOTS = "bots: [greedy, random, {id: slow, command: [sh, -c, 'exit 3']}]\n"
HEAD = "name: league\nseed: 5000000000000000\npairs: 3\nclock: {move: 5s}\nprocesses: persistent\n"
HEAD += "workers: 1\n"
SOLO = "format: solo\nsolo: {level: 4, deck: tactical}\n"


@pytest.fixture(
    scope="module",
    params=thorough_but(
        ["express", "anniversary"], ["original", "express", "halloween", "anniversary"]
    ),
)
def results(request: pytest.FixtureRequest, once: Once) -> Path:
    """Return results in each edition; those of the anniversary edition are against the Automa."""
    edition: str = request.param
    return once(f"page-{edition}", lambda folder: play(folder, edition)) / "r"


def play(folder: Path, edition: str) -> None:
    """Play a few pairs."""
    solo = SOLO if edition == "anniversary" else ""
    (folder / "league.yaml").write_text(f"{HEAD}edition: {edition}\n{solo}{BOTS}")
    run(folder / "league.yaml", "--results", str(folder / "r"))


@pytest.fixture
def opened(results: Path, browser: Any) -> Iterator[Opened]:
    """Open the page."""
    with Opened(browser, f"file://{results}/report.html") as opened_page:
        yield opened_page


@pytest.mark.thorough
@pytest.mark.slow
def test_page_makes_no_requests_and_logs_no_errors(opened: Opened) -> None:
    """It does not scroll sideways either."""
    assert opened.requests == []
    assert opened.complaints == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 1200


@pytest.mark.thorough
@pytest.mark.slow
def test_every_replay_equals_the_engine(opened: Opened, results: Path) -> None:
    """They agree in each position: squares, buttons, income, spaces, circle, tile, the mover."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        edition = store.edition()
        games = [record for record in store.records() if record.plies]
    assert len(games) >= 6
    for record in games:
        seen = opened.page.evaluate(f"pwtourney.positions('{record.pair}.{record.game}')")
        states = list(replay(record, edition))
        assert len(seen) == len(states)
        for theirs, ours in zip(seen, states, strict=True):
            assert theirs["circle"] == list(ours.circle)
            assert theirs["tile"] == ours.tile
            assert theirs["pending"] == ours.pending
            assert ours.is_over or theirs["toMove"] == ours.to_move
            for shown, player in zip(theirs["players"], ours.players, strict=True):
                covered = sum(1 << square for square, mark in enumerate(shown["quilt"]) if mark)
                assert (covered, shown["buttons"], shown["space"]) == (player.quilt, *player[1:4:2])
                assert record.automa or shown["income"] == player.income


@pytest.mark.thorough
@pytest.mark.slow
def test_game_is_stepped_through_to_the_stored_score(opened: Opened, results: Path) -> None:
    """Buttons, keys and the list of moves step through it, and the address follows."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        record = next(record for record in store.records() if record.verdict == "finished")
    page, game = opened.page, f"{record.pair}.{record.game}"
    open_tab(page, "games")
    page.click(f"#rows a[href='#game={game}']")
    page.click("#on")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#what").startswith(f"Ply 2 of {len(record.plies)}")
    page.keyboard.press("ArrowLeft")
    # ask the page: Playwright's own copy of the address may be updated after the key's effect
    assert page.evaluate("location.hash") == f"#game={game}&ply=1"
    page.click("#last")
    shown = page.locator("#final strong").all_inner_texts()
    assert [text.replace("−", "-") for text in shown] == [str(score) for score in record.scores]
    assert "wins (finished)" in page.inner_text("#what")
    page.click("#first")
    assert page.inner_text("#what") == f"The start of {len(record.plies)} plies"
    assert page.is_hidden("#final")
    page.locator("#moves button").nth(4).click()
    assert page.inner_text("#what").startswith("Ply 5 of")
    assert page.locator("#moves button[aria-current]").count() == 1


@pytest.mark.thorough
@pytest.mark.slow
def test_link_leads_to_a_ply(results: Path, browser: Any) -> None:
    """The page is opened with the link."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        record = next(record for record in store.records() if record.verdict == "finished")
    address = f"file://{results}/report.html#game={record.pair}.{record.game}&ply=7"
    with Opened(browser, address) as opened:
        assert opened.page.inner_text("#what").startswith("Ply 7 of")


@pytest.mark.thorough
def test_tables_sort(opened: Opened) -> None:
    """By a click, descending and then ascending, with `aria-sort`."""
    page = opened.page
    names = page.locator("table.few").first.locator("tbody th")
    before = names.all_inner_texts()
    page.locator("table.few thead button", has_text="Elo").first.click()
    head = page.locator("table.few th[aria-sort]").first
    assert head.get_attribute("aria-sort") == "descending"
    page.locator("table.few thead button", has_text="Bot").first.click()
    assert names.all_inner_texts() == sorted(before, reverse=True)
    page.locator("table.few thead button", has_text="Bot").first.click()
    assert names.all_inner_texts() == sorted(before)


def test_games_are_filtered(opened: Opened, results: Path) -> None:
    """Bot, result and verdict filter them, and the numbers equal those of the store."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        records = list(store.records())
    page = opened.page
    open_tab(page, "games")
    rows = page.locator("#rows tr")
    assert rows.count() == len(records)
    page.select_option("#bot", "slow")
    assert rows.count() == sum("slow" in record.bots for record in records)
    page.select_option("#result", "won")
    assert rows.count() == 0
    page.select_option("#bot", "")
    page.select_option("#result", "")
    verdict = next(record.verdict for record in records if record.faults)
    page.select_option("#verdict", verdict)
    assert rows.count() == sum(record.verdict == verdict for record in records)
    (fault,) = page.locator("#faults summary").all_inner_texts()
    assert fault == f"slow: start: exited with code 3 ({rows.count()} times)"


@pytest.mark.thorough
@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, {"width": 360, "height": 740}])
@pytest.mark.slow
def test_page_is_readable_in_dark_mode_and_on_a_phone(
    results: Path, browser: Any, look: dict[str, Any]
) -> None:
    """The page does not scroll sideways, and text has enough contrast (WCAG AA: 4.5 to 1)."""
    with Opened(browser, f"file://{results}/report.html", **look) as opened:
        page = opened.page
        assert page.evaluate("document.documentElement.scrollWidth") == look.get("width", 1200)
        for selector in ("body", ".lead", "a", ".notes", "figcaption"):
            ratio = page.evaluate(CONTRAST, selector)
            assert ratio >= 4.5, (selector, ratio)


def test_reports_are_reproducible(results: Path, tmp_path: Path) -> None:
    """Every file is equal to the byte, from the store alone."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        publish(store, tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert len(made) >= 13
    for name in made:
        assert (tmp_path / name).read_bytes() == (results / name).read_bytes(), name


@pytest.mark.thorough
def test_tables_and_charts_work_without_scripts(results: Path, browser: Any) -> None:
    """All sections are one below the other, in full; only games need a script."""
    with Opened(browser, f"file://{results}/report.html", scripts=False) as opened:
        page = opened.page
        assert page.locator("table.standings tbody tr").locator("visible=true").count() >= 3
        assert page.locator("#charts svg").locator("visible=true").count() >= 3
        assert page.locator("#bots > article").locator("visible=true").count() >= 2
        assert page.is_visible("#how")
        assert page.locator("noscript").count() == 1


def test_facts_of_the_page_are_json(results: Path) -> None:
    """Their text cannot end the script element."""
    text = (results / "report.html").read_text()
    facts = text.split('<script type="application/json" id="facts">')[1].split("</script>")[0]
    names = {
        "bots",
        "verdicts",
        "games",
        "edition",
        "live",
        "parts",
        "absences",
        "evaluators",
        "saved",
    }
    assert set(json.loads(facts)) == names


CONTRAST = """(selector) => {
  const colour = (text) => (text.match(/[0-9.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const element = document.querySelector(selector);
  let behind = element;
  while (behind.parentElement && colour(getComputedStyle(behind).backgroundColor)[3] === 0) {
    behind = behind.parentElement;
  }
  const [a, b] = [light(colour(getComputedStyle(element).color)),
    light(colour(getComputedStyle(behind).backgroundColor))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""
