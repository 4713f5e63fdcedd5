"""The content of a page, read from its HTML without a browser."""

import json
import math
import re
import zlib
from base64 import b64decode
from collections import Counter
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pwtourney.errors import TimeoutFault
from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Verdict
from pwtourney.process.silence import NOT_FLUSHED
from pwtourney.ratings.order import RankInterval
from pwtourney.ratings.tally import Margin, Tally
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.page import (
    Link,
    digest,
    game_page,
    live_code,
    live_page,
    load_templates,
    page,
)
from pwtourney.report.page.replays import describe_game
from pwtourney.report.summary import Conditions, Summary
from pwtourney.report.sweep import Sweep
from pwtourney.rules import deal
from pwtourney.schedule import FormatTable
from pwtourney.schedule.tuned import PathPoint, Tuned, TunedOption
from pwtourney.standings import Anchor, RatingOptions, Resources
from pwtourney.standings.gates import Checked
from pwtourney.store import Meta, result_of
from pwtourney.web import find_path
from tests.report.markup import find, parse_page, read_rows, read_text
from tests.report.tables import SEASON, make_pool, make_row, make_summary, meet
from tests.rules.positions import EXPRESS
from tests.store.helpers import META

HEADINGS = (
    "#",
    "Ranks",
    "Bot",
    "Elo",
    "±95%",
    "±all",
    "LOS",
    "OppAvg",
    "Games",
    "Deals",
    "W–L",
    "Score",
    "1st",
    "2nd",
    "Pairs",
    "Seat gain",
    "Margin",
    "±Margin",
    "Massey",
    "ms/move",
    "Slowest",
    "Faults",
)
TWO = make_pool(make_row(1, "ant", 10, 5), make_row(2, "bee", -10, 5))
NOTHING = GameIndex()


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Load the templates and scripts once, which takes longer than writing a small page."""
    load_templates()
    live_code()
    find_path("arena.css")


FEW = ("#", "Bot", "Elo", "Score", "Games", "Margin")


def show(summary: Summary, index: GameIndex = NOTHING, meta: Meta = META) -> ET.Element:
    """Return the page of a tournament as a tree."""
    return parse_page(page(summary, index, meta, EXPRESS))


def section(root: ET.Element, name: str) -> ET.Element:
    """Return a section of a page."""
    return find(root, f".//section[@id='{name}']")


def make_game(
    pair: int,
    *faults: Fault,
    bots: tuple[str, str] = ("ant", "bee"),
    plies: int = 2,
    scores: tuple[int, int] = (12, 5),
) -> Game:
    """Return a simulated game, which ends by the first of the faults, if any."""
    return Game(
        bots,
        "express",
        deal(EXPRESS, pair),
        (1, 2),
        tuple(Ply(number % 2, "advance", 1000) for number in range(plies)),
        faults[0].verdict if faults else Verdict.FINISHED,
        1 - faults[0].seat if faults else 0,
        scores,
        faults=faults,
        pair=pair,
    )


def index_games(*games: Game) -> GameIndex:
    """Return the index of games."""
    index = GameIndex()
    for game in games:
        index.add(game, result_of(game))
    return index


def read_facts(text: str) -> dict[str, Any]:
    """Return the facts that a page has for its script."""
    match = re.search(r'<script type="application/json" id="facts">(.*?)</script>', text)
    assert match is not None
    facts: dict[str, Any] = json.loads(match[1])
    return facts


def read_games(text: str) -> dict[str, Any]:
    """Return the packed games of a page."""
    match = re.search(r'id="packed">(.*?)<', text)
    assert match is not None
    games: dict[str, Any] = json.loads(zlib.decompress(b64decode(match[1])))
    return games


def test_head_of_a_page_says_what_was_played() -> None:
    """The state is complete, not over, or that no game is valid, even if it is over."""
    whole = make_summary(TWO)
    failed = Conditions(persistent=(), pondering={}, games=4, voids=4)
    for summary, state in (
        (whole, "complete"),
        (whole._replace(over=False), "not over"),
        (whole._replace(conditions=failed), "no valid game"),
    ):
        root = show(summary)
        assert read_text(find(root, "body/header/div/h1")) == "league"
        lead = read_text(find(root, "body/header/div/p[@class='lead']"))
        assert lead == f"6 games of Patchwork, edition express, seed 7; {state}"
        assert list_tabs(root) == {
            "Standings": "#standings",
            "Games": "#games",
            "Charts": "#charts",
            "How it was run": "#how",
        }


def list_tabs(root: ET.Element) -> dict[str, str | None]:
    """Return the names of the tabs of a page, and where their links lead."""
    links = root.iterfind("body/nav[@id='tabs']/ul/li/a")
    return {read_text(link): link.get("href") for link in links}


def test_page_begins_with_who_won_and_a_podium() -> None:
    """The title of the window names the winner; the podium has the best three bots."""
    rows = [
        make_row(number, f"bot{number}", 40 - 10 * number, 5, games=3) for number in range(1, 5)
    ]
    root = show(make_summary(make_pool(*rows)))
    assert read_text(find(root, "head/title")) == "league: bot1 won"
    outcome = read_text(find(root, "body/header/div/p[@class='outcome']"))
    assert outcome == "bot1 won: 0.0% of the points in 6 games, rated +30 ± 5 Elo."
    steps = section(root, "standings").findall("ol[@class='podium']/li")
    assert [read_text(step) for step in steps] == [
        f"bot{number} +{40 - 10 * number} ± 5 Elo 0.0% of the points place {number}"
        for number in range(1, 4)
    ]


def test_first_table_has_the_columns_that_matter() -> None:
    """Faults are a column if there are any; a bot without games has neither rank nor rating."""
    bee = make_row(2, "bee", -10, 5, games=2)
    for faults, heads, cells in (
        (Counter(), FEW, ["1", "ant", "+10 ± 5", "0.0%", "4", "+4.2"]),
        (
            Counter({"crash": 2}),
            (*FEW, "Faults"),
            ["1", "ant", "+10 ± 5", "0.0%", "4", "+4.2", "2"],
        ),
    ):
        ant = make_row(1, "ant", 10, 5, games=2)._replace(
            margin=Margin(8, 4.25, 1.5, 4.0), resources=Resources(games=4, faults=faults)
        )
        table = find(show(make_summary(make_pool(ant, bee))), ".//table[@class='sortable few']")
        assert tuple(map(read_text, table.findall("thead/tr/th"))) == heads
        assert read_rows(table)[0] == cells
    idle = make_pool(make_row(1, "cat", 0), make_row(1, "dog", 0))
    table = find(show(make_summary(idle)), ".//table[@class='sortable few']")
    assert [row[:3] for row in read_rows(table)] == [["–", "cat", "–"], ["–", "dog", "–"]]


def test_bots_without_games_share_one_table() -> None:
    """Before the first result there is one table, no chart, and a sentence on what is next."""
    alone = [make_pool(make_row(1, f"bot{number}", 0))._replace(deals=0) for number in range(5)]
    summary = make_summary(*alone)._replace(over=False, planned=90, stored=0)
    summary = summary._replace(standings=summary.standings._replace(games=0))
    root = show(summary)
    standings = section(root, "standings")
    assert [row[1] for row in read_rows(find(standings, ".//table"))] == [
        f"bot{number}" for number in range(5)
    ]
    assert len(standings.findall(".//table")) == 2, "the other one has all columns"
    assert standings.find("ol") is None
    assert read_text(find(root, "body/header/div/p[@class='outcome']")) == "No game is over yet."
    assert "5 bots will play at most 90 pairs" in read_text(find(root, "body/header"))
    charts = section(root, "charts")
    assert "There are no charts yet" in read_text(charts)
    assert charts.findall(".//svg") == charts.findall(".//table") == []
    notes = [read_text(note) for note in find(standings, "ul[@class='notes']")]
    assert [note for note in notes if "no games that count" in note] == ["no games that count"]


def test_notes_below_the_table_have_minus_signs() -> None:
    """The advantage of the first seat is negative here; the terminal writes it with a hyphen."""
    pool = TWO._replace(seat_elo=-36.2, seat_plus_minus=72.4)
    notes = [read_text(note) for note in section(show(make_summary(pool)), "standings").iter("li")]
    assert "First-seat advantage: −36 ± 72 Elo" in notes


@pytest.fixture(scope="module")
def standings_table() -> ET.Element:
    """Return the table of five bots: of a league, with faults, bounds, and without a rating."""
    used = Resources(games=8, faults=Counter({"crash": 2, "timeout": 1}))
    ant = make_row(1, "ant#2", 12.34567, 5)._replace(
        ranks=RankInterval(1, 2),
        tally=Tally(games=(4, 4), halves=(6, 4), wins=5, losses=3, pairs=(1, 0, 3), deals=4),
        margin=Margin(8, 4.25, 1.5, 4.0),
        resources=used,
        los=0.75,
    )
    cat = make_row(2, "cat", -12.3, games=1)
    dog = make_row(3, "dog", math.nan, bound="?", games=1)
    bee = make_row(4, "bee", -20, bound="<", games=1)._replace(bound_tells=False)
    others = (bee, make_row(5, "ant", -30, games=1))
    root = show(make_summary(make_pool(ant, cat, dog, *others))._replace(season=SEASON))
    return find(root, ".//table[@class='sortable standings']")


def list_cells(table: ET.Element) -> list[dict[str, ET.Element]]:
    """Return the cells of each row of the standings by their headings."""
    return [dict(zip(HEADINGS, row, strict=True)) for row in table.findall("tbody/tr")]


def test_standings_have_a_cell_for_each_heading(standings_table: ET.Element) -> None:
    """Cells with more than one number have the one by which their column is sorted."""
    heads = standings_table.findall("thead/tr/th")
    assert tuple(map(read_text, heads)) == HEADINGS
    words = [read_text(head) for head in heads if head.get("class") == "word"]
    assert words == ["Bot", "Faults"]
    buttons = {read_text(button): button.get("title") for button in standings_table.iter("button")}
    assert buttons["Deals"] == "On how many different deals they were played"
    rows = list_cells(standings_table)[:4]
    first, second, third, fourth = (
        {key: read_text(cell) for key, cell in row.items()} for row in rows
    )
    assert (first["Ranks"], first["Elo"], first["±95%"]) == ("1–2", "+12", "5")
    assert (first["W–L"], first["Pairs"], first["LOS"]) == ("5–3", "1–0–3", "75.0%")
    assert (first["Bot"], second["Bot"], third["Bot"]) == ("ant#2", "cat (removed)", "dog")
    assert fourth["Elo"] == "<"
    sorted_by = [{key: cell.get("data-value") for key, cell in row.items()} for row in rows]
    keys = [{key: value for key, value in row.items() if value is not None} for row in sorted_by]
    assert keys == [
        {
            "Ranks": "1",
            "Elo": "12.3457",
            "W–L": "5",
            "Pairs": "3",
            "Margin": "4.25",
            "Faults": "3",
        },
        {"Ranks": "2", "Elo": "-12.3000", "W–L": "0", "Pairs": "0", "Margin": "", "Faults": "0"},
        {"Ranks": "3", "Elo": "", "W–L": "0", "Pairs": "0", "Margin": "", "Faults": "0"},
        {"Ranks": "4", "Elo": "", "W–L": "0", "Pairs": "0", "Margin": "", "Faults": "0"},
    ]


def test_standings_lead_to_bots_and_games(standings_table: ET.Element) -> None:
    """Bots of the league have a section of their own, and what counts games leads to them."""
    links = [link.get("href") for link in standings_table.findall("tbody/tr/th/a")]
    assert links == ["#bot-ant", "#bot-cat", "#bot-bee", "#bot-ant"]
    rows = list_cells(standings_table)[:2]  # the second, cat, has no fault
    addresses = [
        {key: link.get("href") for key, cell in row.items() for link in cell.findall("a")}
        for row in rows
    ]
    assert addresses[0] == {
        "Bot": "#bot-ant",
        "Games": "#tab=games&bot=ant%232",
        "Score": "#bot=ant%232&result=won",
        "Faults": "#bot=ant%232&result=fault",
    }
    assert addresses[1].keys() == {"Bot", "Games", "Score"}
    faults = rows[0]["Faults"]
    assert (read_text(faults), faults.get("class")) == ("2 crash, 1 timeout", "word")


@pytest.mark.parametrize("level", [0.95, 0.9])
def test_tables_and_charts_name_the_level_of_intervals(level: float) -> None:
    """The level is in a heading of all columns, in the explanations, and below the chart."""
    root = show(make_summary(TWO._replace(level=level), level=level))
    table = find(root, ".//table[@class='sortable standings']")
    assert [read_text(head) for head in table.findall("thead/tr/th")][4] == f"±{100 * level:.0f}%"
    few = find(root, ".//table[@class='sortable few']")
    explanations = {read_text(button): button.get("title", "") for button in few.iter("button")}
    assert f"± Half of the rating's {100 * level:.0f} % interval" in explanations["Elo"]
    caption = read_text(find(root, ".//figure[@class='chart whiskers']/figcaption"))
    assert caption == f"Elo with {100 * level:.0f} % intervals; arrows are one-sided bounds"


def test_more_than_three_tables_are_one_table_and_a_note() -> None:
    """Two tables are numbered; of four only the first is shown, with how many are not."""
    pools = [
        make_pool(make_row(1, f"a{number}", 10), make_row(2, f"b{number}", -10))
        for number in range(4)
    ]
    for shown, total in ((2, 2), (3, 3), (1, 4)):
        root = show(make_summary(*pools[:total]))
        standings = section(root, "standings")
        for kind, column in (("few", 1), ("standings", 2)):
            tables = standings.findall(f".//table[@class='sortable {kind}']")
            names = [read_rows(table)[0][column] for table in tables]
            assert names == [f"a{number}" for number in range(shown)]
            captions = [read_text(caption) for table in tables for caption in table.iter("caption")]
            numbered = [f"Table {number}" for number in range(1, shown + 1)]
            assert captions == (numbered if shown > 1 else [])
        notes = read_text(find(standings, "ul[@class='notes']"))
        assert ("Not shown: 3 more groups (6 bots)" in notes) == (total == 4)
        assert notes.startswith("6 games of 3 pairs; edition express, seed 7")
        figures = root.findall(".//figure[@class='chart whiskers']")
        assert len(figures) == shown


def test_page_has_the_table_of_the_format_and_the_gates() -> None:
    """A gate that does not hold is marked as failed, and a table of words is set as words."""
    headings, rows = ("Answer", "Games"), (("better", "12"),)
    table = FormatTable("Sequential test", headings, rows, ("A note",), words=("Answer",))
    gates = (
        Checked("elo(ant) > 0", passed=True, numbers="10 > 0"),
        Checked("elo(bee) > 0", passed=False, numbers="-10 ≤ 0"),
    )
    root = show(make_summary(TWO)._replace(table=table, gates=gates))
    standings = section(root, "standings")
    titles = [read_text(title) for title in standings.iter("h2")]
    assert titles == ["Sequential test", "Standings", "Gates"]
    first = find(standings, ".//table")
    assert [(read_text(head), head.get("class")) for head in first.iter("th")] == [
        ("Answer", "word"),
        ("Games", None),
    ]
    assert read_rows(first) == [["better", "12"]]
    notes = standings.findall("ul[@class='notes']")
    assert read_text(notes[0]) == "A note"
    listed = {item.get("class"): read_text(item) for item in standings.findall("ul/li[@class]")}
    assert listed == {"passed": "✓ elo(ant) > 0: 10 > 0", "failed": "✗ elo(bee) > 0: -10 ≤ 0"}


def test_page_of_a_tuning_has_no_ratings() -> None:
    """The page draws the path and the sensitivity of each option instead."""
    pace = TunedOption("pace", "int", 4.0, 0.0, 10.0, 7, 6.75, 0.5, 12.0)
    path = (PathPoint(10, (6.0,), (1.0,)),)
    tuned = Tuned("ant", (), "bayes", 10, 10, 20, (pace,), path)
    root = show(make_summary(TWO)._replace(tuning=tuned), rate_games())
    assert list_tabs(root)["Tuning"] == "#standings"
    outcome = read_text(find(root, "body/header/div/p[@class='outcome']"))
    assert outcome == "ant, tuned: pace 7."
    standings = section(root, "standings")
    assert [read_text(title) for title in standings.iter("h2")] == ["Path", "Sensitivity"]
    captions = [read_text(caption) for caption in standings.iter("figcaption")]
    assert captions[0].startswith("pace: 7 ± 0.5, from 4; range 0 to 10.")
    assert standings.findall(".//table") == []
    assert "Ratings against games played" not in titles(root, "charts")


def test_page_of_a_sweep_has_a_curve_of_its_values() -> None:
    """The option's name is the title of the axis."""
    sweep = Sweep("magpie", {"pace": ["1", "2"]}, {("1",): "ant", ("2",): "bee"})
    root = show(make_summary(TWO)._replace(sweep=sweep))
    captions = [read_text(caption) for caption in section(root, "standings").iter("figcaption")]
    assert captions == ["Elo with 95 % intervals, by pace"]


def titles(root: ET.Element, name: str) -> list[str]:
    """Return the titles of the charts of a section."""
    return [read_text(title) for title in section(root, name).iter("h2")]


def rate_games() -> GameIndex:
    """Return the index of six games of two bots, with moves that took time."""
    games = [
        make_game(number, bots=("ant", "bee") if number % 2 else ("bee", "ant"), plies=4)
        for number in range(6)
    ]
    return index_games(*games)


def test_charts_are_in_the_order_of_the_standings() -> None:
    """Best first: curves of ratings and of times, and the histograms of margins."""
    rows = (make_row(1, "bee", 10, 5), make_row(2, "ant", -10, 5))
    root = show(make_summary(make_pool(*rows)), rate_games())
    assert titles(root, "charts") == [
        "Ratings",
        "Ratings against games played",
        "Thinking",
        "Margins",
    ]
    charts = section(root, "charts")
    labels = [drawing.get("aria-label") for drawing in charts.findall(".//svg[@role='img']")]
    assert labels == [
        "Ratings with 95 % intervals: bee +10 ± 5; ant −10 ± 5",
        "Ratings against games played: bee, ant",
        "Mean time of a move: bee, ant",
        # both won by 7 three times, with the first seat
        "Margins of bee: −10 to −1: 3 games, 0 to 9: 3 games",
        "Margins of ant: −10 to −1: 3 games, 0 to 9: 3 games",
    ]


def test_charts_without_games_are_left_out() -> None:
    """A single bot has no chart of ratings either."""
    assert titles(show(make_summary(TWO)), "charts") == ["Ratings"]
    assert titles(show(make_summary(make_pool(make_row(1, "ant", 0)))), "charts") == []


def test_curves_of_ratings_are_on_the_scale_of_the_anchor() -> None:
    """The anchor of the tournament, bee, is rated 1000 over games and over time."""
    index = rate_games()
    for number in (10, 11):
        game = make_game(number, bots=("bee", "ant#2") if number % 2 else ("ant#2", "bee"))
        index.add(game, result_of(game))
    bots = ("bee", "ant", "ant#2", "cat")
    pool = make_pool(*(make_row(rank, bot, 0) for rank, bot in enumerate(bots, 1)))
    meta = META.model_copy(update={"ratings": RatingOptions((Anchor("bee", 1000.0),))})
    root = show(make_summary(pool)._replace(season=SEASON), index, meta)
    figure = find(root, ".//figure[@data-curves='Ratings against games played']")
    texts = [read_text(text) for text in figure.iter("text")]
    # all have won as often as they have lost
    assert [text for text in texts if len(text) > 2] == [
        "990",
        "995",
        "1000",
        "1005",
        "1010",
        "games",
    ]
    bee = find(root, ".//article[@id='bot-bee']")
    assert find(bee, ".//figure/svg").get("aria-label") == (
        "Rating of bee over time: 2026-01-01: bee +1000 Elo; 2026-02-01: bee +1000 Elo"
    )
    season = section(root, "season")
    assert read_rows(find(season, ".//table"))[0][:2] == ["2", "2026-02-01"]
    tabs = ["Standings", "Games", "Bots", "Charts", "Season", "How it was run"]
    assert list(list_tabs(root)) == tabs


@pytest.mark.parametrize(("count", "shown"), [(40, 1), (41, 0)])
def test_matrices_are_drawn_for_forty_bots_at_most(count: int, shown: int) -> None:
    """Larger ones would be neither readable nor fast to load."""
    rows = (make_row(number, f"bot{number}", 0) for number in range(count))
    # results decided who met whom, so that the second matrix, of likelihoods, is left out
    pool = make_pool(*rows)._replace(paired_by_results=True)
    charts = find(show(make_summary(pool)), ".//section[@id='charts']")
    assert len(charts.findall(".//table")) == shown
    assert ("Too many bots for a matrix" in read_text(charts)) == (not shown)


def test_matrix_links_to_the_games_of_two_bots() -> None:
    """A matrix of likelihoods follows, unless results decided who met whom."""
    pool = make_pool(
        make_row(1, "ant#2", 10, 5),
        make_row(2, "b&b", -10, 5),
        meetings=[meet("ant#2", "b&b", 4, 3)],
        covariance=((5000, 0), (0, 5000)),
    )
    charts = section(show(make_summary(pool)), "charts")
    heat, los = charts.findall(".//table")
    assert read_text(find(heat, "caption")).startswith("Head to head")
    assert read_rows(heat) == [["1", "ant#2", "", "75"], ["2", "b&b", "25", ""]]
    assert [link.get("href") for link in heat.iter("a")] == [
        "#bot=ant%232&against=b%26b",
        "#bot=b%26b&against=ant%232",
    ]
    styles = [cell.get("style") for cell in heat.iter("td") if cell.get("style")]
    # a quarter above or below a half, times 1.1
    assert styles == ["background:rgba(var(--cold),0.28)", "background:rgba(var(--warm),0.28)"]
    assert read_text(find(los, "caption")).startswith("Likelihood of superiority")
    charts = section(show(make_summary(pool._replace(paired_by_results=True))), "charts")
    assert len(charts.findall(".//table")) == 1
    caption = read_text(find(charts, ".//figure/figcaption"))
    assert caption == "Elo, without intervals: who met whom depended on the results"


def test_equal_faults_are_one_line_with_their_games() -> None:
    """The first ten games of a kind are listed, each with its log and what the machine did."""
    held_up = Hindrance(9000, 2000, 0, 0, 500, 250)
    first = Fault(1, Verdict.TIMEOUT, "used 5100 ms", "late\n::error\n<b>\x1b[0m", held_up)
    later = first._replace(message="used 5200 ms", machine=None, stderr="")
    games = [make_game(3, first, plies=4), *(make_game(4 + n, later) for n in range(10))]
    other = make_game(20, Fault(0, Verdict.CRASH, "ended"), plies=0)
    root = show(make_summary(TWO), index_games(*games, other))
    faults = section(root, "faults")
    assert read_text(find(faults, "p")) == "12 games with a fault; equal faults are one line."
    timeout, crash = faults.findall("div/details")
    kinds = [fault.get("data-kind") for fault in (timeout, crash)]
    assert kinds == ["bee: timeout: used 0 ms", "ant: crash: ended"]
    assert read_text(find(timeout, "summary")) == "bee: timeout: used 5100 ms (11 times)"
    items = [read_text(item) for item in timeout.iter("li")]
    assert items[0] == (
        "Game 3.0, logs/bee/3.0.log. The machine: in 9.0 ms it used the processor for 0.5 ms,"
        " stood ready without one for 2.0 ms, its opponent used 0.2 ms; stolen from the machine"
        " 0.0 ms, pressure 0.0 ms."
    )
    assert items[1] == "Game 4.0, logs/bee/4.0.log"
    assert len(items) == 11
    assert items[-1] == "and 1 more: all games in which bee failed by timeout"
    links = [link.get("href") for link in timeout.iter("a")]
    assert links[:2] == ["#game=3.0&ply=4", "#game=4.0&ply=2"]
    assert links[-1] == "#bot=bee&result=fault&verdict=timeout"
    # every line begins with a bar, so that no program that reads logs takes one for a command
    assert find(timeout, "pre").text == "| late\n| ::error\n| <b>?[0m"
    assert read_text(find(crash, "summary")) == "ant: crash: ended (game 20.0)"
    # a game without plies cannot be replayed
    assert [read_text(item) for item in crash.iter("li")] == ["Game 20.0, logs/ant/20.0.log"]
    assert list(crash.iter("a")) == []
    assert crash.find("pre") is None


def test_faults_name_the_machine_where_the_notes_count_it() -> None:
    """The list and the viewer have one cause for one event."""
    machine = Hindrance(9000, 2000, 0, 0, 500, 250)
    fault = Fault(1, Verdict.TIMEOUT, str(TimeoutFault(NOT_FLUSHED)), machine=machine)
    game = make_game(3, fault, plies=4)
    root = show(make_summary(TWO), index_games(game))
    cause = "timeout: did not answer in time: the machine held it up (game 3.0)"
    assert read_text(find(section(root, "faults"), "div/details/summary")) == f"bee: {cause}"
    ((_, _, shown),) = describe_game(game, EXPRESS)["game"]["faults"]
    assert shown == "did not answer in time: the machine held it up"


def test_long_error_output_is_cut() -> None:
    """Of 1501 characters the first 1500 are shown, and an ellipsis; 1500 are shown as they are."""
    games = [
        make_game(0, Fault(0, Verdict.CRASH, "a", "x" * 1500)),
        make_game(1, Fault(0, Verdict.CRASH, "b", "y" * 1501)),
    ]
    faults = section(show(make_summary(TWO), index_games(*games)), "faults")
    whole, cut = (find(details, "pre").text for details in faults.findall("div/details"))
    assert whole == f"| {'x' * 1500}"
    assert cut == f"| {'y' * 1500}…"


def test_faults_of_too_many_kinds_are_counted() -> None:
    """A hundred kinds are listed; without any, the page says so."""
    kinds = (Fault(0, Verdict.CRASH, f"kind {chr(0x4E00 + number)}") for number in range(103))
    faults = section(show(make_summary(TWO), index_games(make_game(0, *kinds))), "faults")
    assert len(faults.findall("div/details")) == 100
    assert read_text(find(faults, "p")) == (
        "1 game with a fault; equal faults are one line. 3 faults of other kinds are not listed"
        " here."
    )
    faults = section(show(make_summary(TWO)), "faults")
    assert read_text(find(faults, "p")) == "No bot lost a game by a fault."


def test_page_says_how_the_tournament_was_run() -> None:
    """Lists are joined by commas, maps are names with values, and unknown values a dash."""
    facts = {
        "seed": 7,
        "edition": "express x",
        "bots": ["ant", "bee"],
        "clock": {"move": "5s", "game": "1m"},
        "bots.ant.set": {},
        "none": None,
    }
    meta = META.model_copy(update={"facts": facts, "created": "2026-01-05T06:00:00Z"})
    how = section(show(make_summary(TWO), meta=meta), "how")
    assert read_rows(find(how, ".//table")) == [
        ["pwtourney", "1.2.3"],
        ["Python", "–"],
        ["System", "–"],
        ["Begun", "2026-01-05T06:00:00Z"],
        ["Chain of records ends with", "4567"],
        ["seed", "7"],
        ["edition", "express x"],
        ["bots", "ant, bee"],
        ["clock", "move 5s, game 1m"],
        ["bots.ant.set", "–"],
        ["none", "None"],
    ]
    _, resources = how.findall(".//table")
    heads = [read_text(head) for head in resources.iter("th")]
    assert (len(heads), heads[0], heads[-1]) == (13, "Bot", "Sandbox")
    assert [row[0] for row in read_rows(resources)] == ["ant", "bee"]


def test_machine_is_described_unless_bots_are_untrusted() -> None:
    """Its Python and its system could help an attacker."""
    machine = {"python": "3.12.1", "system": "Linux 6", "created": None}
    for untrusted, described in (
        (False, [["Python", "3.12.1"], ["System", "Linux 6"]]),
        (True, []),
    ):
        meta = META.model_copy(update=machine | {"untrusted": untrusted})
        rows = read_rows(find(section(show(make_summary(TWO), meta=meta), "how"), ".//table"))
        assert rows[1 : 1 + len(described)] == described
        assert rows[1 + len(described)] == ["Begun", "–"]


def test_page_says_which_games_it_opens() -> None:
    """A game without plies has nothing to step through; one against the rules is in no file."""
    good, empty = make_game(0), make_game(1, plies=0)
    wrong = make_game(2)._replace(plies=(Ply(0, "advance"), Ply(0, "advance")))
    every = "Every game that has a move can be opened."
    some = (
        "1 of 2 games open in this file: the newest, as many as fit. To make a file with all of"
        " them: pwtourney report FOLDER --out DIR --replays all. A page of one game: pwtourney"
        " replay FOLDER:GAME --html FILE."
    )
    for games, sentence in (((good,), every), ((good, empty), every), ((good, wrong), some)):
        text = page(make_summary(TWO), index_games(*games), META, EXPRESS)
        shown = section(parse_page(text), "games")
        assert read_text(shown.findall("p")[-1]) == sentence
        assert read_games(text)["replays"].keys() == {"0.0"}
        assert len(read_games(text)["list"]) == len(games)
        assert read_facts(text)["games"] == len(games)


def test_index_with_fewer_games_names_the_notable_ones() -> None:
    """With none of the newest kept, the page still opens the most one-sided and the closest."""
    index = GameIndex(newest=0)
    for number in range(250):
        game = make_game(number, scores=(number, 0))
        index.add(game, result_of(game))
    text = page(make_summary(TWO), index, META, EXPRESS)
    replays = read_games(text)["replays"]
    assert {"0.0", "99.0", "150.0", "249.0"} <= replays.keys()
    assert "120.0" not in replays
    assert f"{len(replays)} of 250 games open in this file: the newest, those with faults" in text


def test_facts_of_a_page_cannot_end_its_script() -> None:
    """Angle brackets and ampersands of names are escaped in JSON, control characters replaced."""
    names = ("</script><b>&", "bee\x07")
    index = index_games(make_game(0, Fault(1, Verdict.CRASH, "ended"), bots=names))
    text = page(make_summary(TWO), index, META, EXPRESS)
    assert r'"\u003c/script\u003e\u003cb\u003e\u0026"' in text
    facts = read_facts(text)
    assert facts["bots"] == ["</script><b>&", "bee?"]
    assert facts["verdicts"] == ["crash"]
    assert (facts["games"], facts["live"], facts["saved"], facts["parts"]) == (1, "", False, {})
    assert facts["edition"]["title"] == EXPRESS.title
    assert facts["edition"]["columns"] == EXPRESS.columns


def test_texts_from_outside_are_escaped_and_on_one_line() -> None:
    """A name is no markup, and a mark that turns the writing direction is a question mark."""
    name = "<b>\u202eevil\n"
    summary = make_summary(make_pool(make_row(1, name, 10), make_row(2, "bee", -10)))
    text = page(summary._replace(name=name), NOTHING, META, EXPRESS)
    assert "<b>" not in text
    assert "\u202e" not in text
    assert "<h1>&lt;b&gt;?evil?</h1>" in text
    assert text.endswith("</html>\n")
    assert text.startswith("<!doctype html>\n")


def test_live_page_has_links_and_the_code_that_its_policy_allows() -> None:
    """A saved page has its policy inside, another script, and no links to views of a server."""
    style, script = live_code()
    links = [
        Link("Tournament", "/tournament", is_here=True),
        Link("Analysis", "/analyse", is_here=False),
    ]
    live = live_page(make_summary(TWO), NOTHING, META, EXPRESS, live="abc-0", links=links)
    assert f"<style>{style}</style>" in live.text
    assert f"<script>{script}</script>" in live.text
    assert read_facts(live.text)["live"] == f"abc-0-{live.names}"
    root = parse_page(live.text)
    views = find(root, "body/header/div/nav")
    assert [
        (read_text(link), link.get("href"), link.get("aria-current")) for link in views.iter("a")
    ] == [
        ("Tournament", "/tournament", "page"),
        ("Analysis", "/analyse", None),
    ]
    sheet = find(root, "head/link[@rel='stylesheet']").get("href", "")
    assert re.fullmatch(r"/static/arena\.[0-9a-f]{16}\.css", sheet)
    assert find(root, ".//p[@id='live']").get("role") == "status"
    assert read_text(find(root, ".//a[@id='game-page']")) == "game page"
    assert root.find(".//meta[@http-equiv]") is None
    saved = page(make_summary(TWO), NOTHING, META, EXPRESS)
    assert f"<style>{style}</style>" in saved
    assert script not in saved
    root = parse_page(saved)
    assert root.find("body/header/div/nav") is None
    assert find(root, "body/header/div/span/img").get("src", "").startswith("data:image/svg+xml,")
    assert find(root, "head/link[@rel='icon']").get("href", "").startswith("data:image/svg+xml,")
    assert root.find(".//p[@id='live']") is None
    assert root.find(".//a[@id='game-page']") is None
    assert find(root, ".//meta[@http-equiv]").get("content", "").startswith("default-src 'none'")


def test_parts_of_a_live_page_are_its_elements() -> None:
    """Each is in the page as it is, with its digest among the facts; each bot has its own."""
    summary = make_summary(make_pool(*(make_row(1, bot, 0, games=2) for bot in SEASON.members)))
    empty = make_game(1, plies=0)
    live = live_page(
        summary._replace(season=SEASON),
        index_games(make_game(0), empty),
        META,
        EXPRESS,
        live="abc-2",
    )
    assert set(live.parts) >= {"headline", "tabs", "standings", "charts", "how", "bot-ant"}
    root = parse_page(live.text)
    for name, text in live.parts.items():
        assert text in live.text
        assert find(root, f".//*[@id='{name}']").tag == text[1:].partition(" ")[0]
    assert read_facts(live.text)["parts"] == {
        name: digest(text) for name, text in live.parts.items()
    }
    assert live.title == "league: bee and ant#2 share the first place"
    games = read_games(live.text)
    assert len(games["list"]) == 2
    assert games["replays"] == {}, "the server sends each game that is opened"


def test_page_of_a_game_replays_only_that_game() -> None:
    """A game of a tournament has its number, and a saved game the names of its bots."""
    game = make_game(4)._replace(game=1)
    text = game_page(game, EXPRESS)
    root = parse_page(text)
    assert read_text(find(root, "head/title")) == "pwtourney: ant against bee"
    assert read_text(find(root, "body/header/h1")) == "pwtourney"
    assert read_text(find(root, "body/header/p")) == f"A saved game; edition {EXPRESS.title}"
    facts = read_facts(text)
    assert (facts["games"], facts["saved"], facts["live"]) == (1, True, "")
    assert facts["bots"] == ["ant", "bee"]
    assert read_games(text)["list"] == [[4, 1, 0, 1, 12, 5, 0, 0, 2]]
    assert read_games(text)["columns"]["actions"] == ["advance", "advance"]
    assert live_code()[1] not in text
    assert root.find(".//a[@id='game-page']") is None
    text = game_page(game, EXPRESS, "league")
    root = parse_page(text)
    assert read_text(find(root, "head/title")) == "league: game 4.1"
    lead = read_text(find(root, "body/header/p"))
    assert lead == f"Game 4.1 of this tournament; edition {EXPRESS.title}"
    assert read_facts(text)["saved"] is False
    assert root.find(".//section[@id='standings']") is None
