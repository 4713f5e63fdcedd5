"""Files for programs and CI have the numbers of the store and nothing harmful."""

import csv
import io
import json
import random
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from pwtourney.errors import StoreError
from pwtourney.notation import edition_lines
from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.ratings.game_columns import Result
from pwtourney.report import publish, summarise
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.page import page
from pwtourney.report.publishing import (
    MOST_SUMMARY,
    escape_markdown,
    markdown,
    step_summary,
    whole_file,
    write_whole,
)
from pwtourney.report.summary import Summary
from pwtourney.report.text.machine import standings_csv
from pwtourney.report.text.terminal import print_standings
from pwtourney.report.tuned_values import tuned_yaml
from pwtourney.rules import deal, find_edition
from pwtourney.schedule.pairing import FormatTable
from pwtourney.schedule.season import Member, Season
from pwtourney.schedule.tuned import Tuned, TunedOption
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import Checked
from pwtourney.store import Meta, ResultsFolder, Store, StoredEdition
from tests.notation.test_record import played
from tests.program import pwtourney
from tests.report.browser import REPORT_BROWSER, Opened
from tests.report.handmade import FULL, TUNED, make_pool, make_row, make_summary
from tests.sharing import Once
from tests.tournament.test_run import run

NASTY = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"quoted\" 'twice' `code`",
    "\u202eevil\u2066",
    "a | b || c",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "+1-1",
    "::error file=x::broken",
    "line\nbreak\r\n::set-output name=a::b",
    "\x1b[31mred\x1b[0m\x07",
    "]]> &lt; &amp; %3Cscript%3E",
    "![x](javascript:alert(1)) [y](x) # h",
    "\u2028\u2029\ud800",
)
"""Texts that would do something if they were interpreted as markup, code or commands."""

LEAGUE = (
    "name: league\nseed: 5000000000000000\npairs: 4\nclock: {move: 5s}\nworkers: 1\n"
    "processes: persistent\n"
)


@pytest.fixture(scope="module")
def results(once: Once) -> Path:
    """Return results with a gate that holds and one that does not."""
    return once("files", play) / "r"


def play(folder: Path) -> None:
    """Play the league."""
    (folder / "league.yaml").write_text(
        f"{LEAGUE}gates: ['faults(greedy) == 0', 'elo(random) > elo(greedy)']\n"
        "bots: [greedy, random, frugal, {id: slow, command: [sh, -c, 'exit 3']}]\n"
    )
    run(folder / "league.yaml", "--results", str(folder / "r"), code=1)


def meta(bots: list[str], name: str = "nasty") -> Meta:
    """Return the metadata of a store, for any names of bots."""
    edition = find_edition("original")
    return Meta(
        name=name,
        bots=tuple(bots),
        facts={"seed": 1, "edition": f"original {edition.fingerprint()}", "bots": bots},
        edition=StoredEdition(name="original", lines=tuple(edition_lines(edition))),
        pairs=4,
        schedule={"format": "round-robin", "pairs": 4, "deals": "fresh", "until": {}},
        ratings=RatingOptions(),
        league_versions=(),
        over=True,
        version=NASTY[0],
        system=NASTY[1],
    )


@pytest.fixture
def nasty(tmp_path: Path) -> Iterator[Store]:
    """Return a store in which every text from outside is nasty."""
    with closing(Store.create(tmp_path / "games.sqlite", meta(list(NASTY), NASTY[0]))) as store:
        dealt = deal(find_edition("original"), 1)
        for pair, text in enumerate(NASTY):
            other = NASTY[(pair + 1) % len(NASTY)]
            plies = (Ply(0, "advance", 5, 5, text), Ply(1, "advance", 5, 5, text))
            for number, bots in enumerate(((text, other), (other, text))):
                fault = Fault(0, Verdict.CRASH, text, "\n".join(NASTY))
                game = Game(
                    bots,
                    "original",
                    dealt,
                    (1, 2),
                    plies,
                    Verdict.CRASH,
                    1,
                    (-157, -157),
                    faults=(fault,),
                    note=text,
                    pair=pair,
                    game=number,
                )
                store.add([game])
        yield store


@pytest.mark.thorough
@REPORT_BROWSER
@pytest.mark.slow(2)
def test_texts_from_outside_are_harmless_in_every_file(
    nasty: Store, tmp_path: Path, browser: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """No script runs, no element is added, no cell is a formula, no line is a CI command."""
    out = tmp_path / "out"
    summary = publish(nasty, out)
    with Opened(browser, f"file://{out}/report.html#games") as opened:
        assert opened.complaints == []
        assert opened.requests == []
        foreign = "img:not(.wordmark img), iframe, object, a[href^='javascript']"
        assert opened.page.locator(foreign).count() == 0
        opened.page.locator("#rows a").first.click()
        opened.page.wait_for_selector("#viewer.open")
        assert (
            opened.page.locator(
                "img:not(.wordmark img), script:not([id]):not(:last-of-type)"
            ).count()
            == 0
        )
        assert opened.page.locator("#faults details").count() == 2 * len(NASTY)
    ET.parse(out / "junit.xml")
    for path in out.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode()
            assert "\x1b" not in text, path
            assert not set("\u202e\u2066\u2028\x07\r") & set(text), path
            assert not re.search(r"^\s*::", text, re.MULTILINE), path
            if path.suffix == ".json":
                json.loads(text)
            if path.suffix == ".svg":
                ET.parse(path)
    for row in csv.reader(io.StringIO((out / "standings.csv").read_text())):
        assert not any(cell[:1] in ("=", "@", "+") for cell in row)
    markdown = (out / "report.md").read_text()
    assert not re.search(r"(?<!\\)[<>]", markdown)
    assert not re.search(r"(?<!\\)\]\(", markdown)
    from rich.console import Console

    console = Console(width=200, force_terminal=False)
    print_standings(summary, console)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert not re.search(r"^::", printed, re.MULTILINE)


@pytest.mark.thorough
@pytest.mark.slow(12)
def test_csv_has_the_numbers_of_the_json(results: Path) -> None:
    """One row for each bot, with the same columns and values."""
    rows = list(csv.DictReader(io.StringIO((results / "standings.csv").read_text())))
    tables = json.loads((results / "standings.json").read_text())["tables"]
    bots = [bot for table in tables for bot in table["bots"]]
    assert [row["bot"] for row in rows] == [bot["bot"] for bot in bots]
    assert {row["level"] for row in rows} == {str(table["level"]) for table in tables} == {"0.95"}
    for row, bot in zip(rows, bots, strict=True):
        for key, value in row.items():
            if key not in ("table", "level", "faults"):
                assert value == ("" if bot[key] is None else str(bot[key])), key
    assert next(row["faults"] for row in rows if row["bot"] == "slow").startswith("start:")


@pytest.mark.slow(3)
def test_another_level_changes_only_what_depends_on_it(results: Path, tmp_path: Path) -> None:
    """Intervals are wider by the ratio of Student's t from printed tables; gates stay unchanged."""
    out = tmp_path / "out"
    shown = pwtourney("report", str(results), "--level", "99%", "--out", str(out))
    assert "±99%" in shown.stdout
    assert "95" not in shown.stdout.partition("\nElo 0")[2].partition("First-seat")[0]
    usual, strict = (
        json.loads((folder / "standings.json").read_text()) for folder in (results, out)
    )
    assert strict["gates"] == usual["gates"]
    assert strict["game_hash"] == usual["game_hash"]
    (before,), (after,) = usual["tables"], strict["tables"]
    assert (before["level"], after["level"]) == (0.95, 0.99)
    assert before["covariance"] == after["covariance"]
    rated = [
        (old, new)
        for old, new in zip(before["bots"], after["bots"], strict=True)
        if old["plus_minus"]
    ]
    assert rated
    for old, new in rated:
        assert old["elo"] == new["elo"]
        # each has played on 12 deals, on 8 of them against bots with ratings: 7 degrees of freedom
        assert old["deals"] == 12
        assert new["plus_minus"] / old["plus_minus"] == pytest.approx(3.499 / 2.365, rel=0.001)
    page = (out / "report.html").read_text()
    assert "Elo with 99 % intervals" in page
    assert "±99%" in page
    assert "| ±99% |" in (out / "report.md").read_text()
    assert "95 %" not in page


@pytest.mark.slow
def test_page_opens_as_many_games_as_the_user_wants(results: Path, tmp_path: Path) -> None:
    """Only in another folder, because `verify` compares the page among the results."""
    out = tmp_path / "out"
    pwtourney("report", str(results), "--out", str(out), "--replays", "all")
    assert "Every game that has a move can be opened." in (out / "report.html").read_text()
    for words, problem in (
        (("--out", str(results), "--replays", "9"), "choose another folder, or leave --replays"),
        (("--replays", "9"), "--replays: it is about a page; name a folder for it with --out"),
        (("--out", str(out), "--replays", "x"), "expected a number of games, or all, not 'x'"),
        (("--out", str(out), "--replays", "-1"), "expected a number of games, or all, not '-1'"),
        (("--bot", "greedy", "--replays", "9"), "leave --replays out: --bot prints other tables"),
    ):
        done = pwtourney("report", str(results), *words, code=2)
        assert problem in done.stderr


@pytest.mark.slow
def test_reports_in_the_results_folder_keep_their_level(results: Path, tmp_path: Path) -> None:
    """`verify` compares them, so another level is refused there; invalid levels are refused too."""
    before = (results / "standings.json").read_bytes()
    own = pwtourney("report", str(results), "--out", str(results), "--level", "90", code=2)
    assert "which `verify` checks; choose another folder, or leave --level out" in own.stderr
    assert (results / "standings.json").read_bytes() == before
    for word in ("99.99%", "49%", "x", "", "-1%"):
        refused = pwtourney("report", str(results), "--level", word, code=2)
        assert f"a level from 50% to 99.9%, such as 99%, not {word!r}" in refused.stderr


@pytest.mark.slow(2)
def test_details_are_printed_on_request(results: Path) -> None:
    """Without --details, notes about valid results are left out; warnings are not."""
    brief, whole = (
        pwtourney("report", str(results), *words).stdout.splitlines()
        for words in ((), ("--details",))
    )
    more = [line for line in whole if line not in brief]
    assert [line for line in brief if line not in whole] == []
    assert any(line.startswith("One process for many games") for line in more)
    assert all(line.startswith(("No sign", "Sandbox", "One process", "Mirrored")) for line in more)


@pytest.mark.slow
def test_games_file_gives_the_ratings_of_the_store(results: Path) -> None:
    """Ratings of `pwtourney rate games.jsonl` equal those of the standings."""
    again = pwtourney("rate", str(results / "games.jsonl"), "--json")
    elos = {bot["bot"]: bot["elo"] for bot in json.loads(again.stdout)["tables"][0]["bots"]}
    tables = json.loads((results / "standings.json").read_text())["tables"]
    assert elos == {bot["bot"]: bot["elo"] for bot in tables[0]["bots"]}


@pytest.mark.slow(2)
def test_junit_has_a_case_for_each_gate_and_bot(results: Path) -> None:
    """The gate that does not hold and the bot with faults fail."""
    suite = ET.parse(results / "junit.xml").getroot().find("testsuite")
    assert suite is not None
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {"elo(random) > elo(greedy)", "slow"}
    assert suite.get("failures") == "2"
    assert suite.get("tests") == str(len(suite)) == "6"


@pytest.mark.slow(2)
def test_badges_and_benchmarks_have_the_rating(results: Path) -> None:
    """They are in JSON for shields.io, as SVG, and in the format of github-action-benchmark."""
    tables = json.loads((results / "standings.json").read_text())["tables"]
    bots = {bot["bot"]: bot for bot in tables[0]["bots"]}
    badge = json.loads((results / "badges" / "frugal.json").read_text())
    assert badge["schemaVersion"] == 1
    elo = round(bots["frugal"]["elo"])
    assert badge["message"].startswith(f"{elo:+d} ±" if elo else "0 ±")
    assert badge["message"] in (results / "badges" / "frugal.svg").read_text()
    series = {
        entry["name"]: entry for entry in json.loads((results / "benchmark.json").read_text())
    }
    assert series["frugal Elo"]["value"] == bots["frugal"]["elo"]
    assert series["frugal Elo"]["extra"].endswith(", ± at 95 %")
    assert "slow Elo" not in series, "it has only a bound"


@pytest.mark.thorough
@pytest.mark.slow
def test_job_summary_is_appended_and_bounded(results: Path, tmp_path: Path) -> None:
    """Earlier content stays; a report that is too long is cut at a line, with a note."""
    shutil.copytree(results.parent, tmp_path / "own")
    results, page = tmp_path / "own" / "r", tmp_path / "summary.md"
    page.write_text("before\n")
    again = ("run", str(results.parent / "league.yaml"), "--results", str(results))
    pwtourney(*again, code=1, environment={"GITHUB_STEP_SUMMARY": str(page)})
    assert page.read_text() == "before\n" + (results / "report.md").read_text()
    with closing(Store.open(ResultsFolder(results).database)) as store:
        summary = summarise(store)
    pool = summary.standings.pools[0]
    long = pool._replace(rows=pool.rows * 3000)
    cut = step_summary(
        summary._replace(standings=summary.standings._replace(pools=(long,)))
    ).encode()
    assert len(cut) <= MOST_SUMMARY
    assert cut.decode().endswith("too long for this place.*\n")


def drawn_plies(plies: tuple[Ply, ...], rng: random.Random, *, talks: bool) -> tuple[Ply, ...]:
    """Return the plies with random times, and with random info texts if the bots talk."""
    timed = (ply._replace(micros=rng.randrange(10**6)) for ply in plies)
    return tuple(ply._replace(info=rng.randbytes(60).hex()) if talks else ply for ply in timed)


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_page_of_many_games_stays_small() -> None:
    """30,000 games take less than 3 MB, whatever bots write as info or to standard error."""
    edition, rng = find_edition("original"), random.Random(1)
    bots = [f"bot-{number}" for number in range(12)]
    games: list[tuple[Ply, ...]] = []
    index = GameIndex()
    dealt = [played(edition, seed) for seed in range(200)]
    for number in range(30_000):
        first, second = rng.sample(bots, 2)
        talks = number > 28_000
        if talks or number < 1000:  # few of the others are kept, and 1000 different ones suffice
            games.append(drawn_plies(dealt[number % 200].plies, rng, talks=talks))
        plies = games[-1] if talks else games[number % 1000]
        noise = rng.randbytes(32_000).hex() if number % 200 == 0 else ""
        faults = (Fault(0, Verdict.CRASH, noise[:500], noise),) if noise else ()
        scores = (rng.randrange(-60, 60), rng.randrange(-60, 60))
        game = Game(
            (first, second),
            "original",
            dealt[number % 200].deal,
            (1, 2),
            plies,
            Verdict.FINISHED,
            int(scores[1] > scores[0]),
            scores,
            faults,
            pair=number // 2,
            game=number % 2,
        )
        result = Result(first, second, game.points and game.points[0], str(number), 1, str(number))
        index.add(game, result)
    assert len(index.listed) == 20_000
    kept = index.replayable_games()
    assert 3_000 <= len(kept) <= 3_300
    assert (kept[-1].pair, kept[-1].game) == (14_999, 1)
    with closing(_empty()) as store:
        summary = summarise(store)
        text = page(summary, index, store.meta(), edition)
    assert len(text.encode()) < 3_000_000


def _empty() -> Store:
    import tempfile

    return Store.create(Path(tempfile.mkdtemp()) / "games.sqlite", meta(["bot-1", "bot-2"]))


@pytest.mark.slow(2)
def test_spreadsheets_get_no_formulas(results: Path) -> None:
    """A name that begins like a formula gets a leading apostrophe."""
    with closing(Store.open(ResultsFolder(results).database)) as store:
        summary = summarise(store)
    pool = summary.standings.pools[0]
    line = pool.rows[0]._replace(bot="=1+1")
    changed = summary._replace(
        standings=summary.standings._replace(pools=(pool._replace(rows=(line,)),))
    )
    assert "'=1+1" in standings_csv(changed)


def test_file_is_written_with_its_folders(tmp_path: Path) -> None:
    """It replaces an existing file."""
    for text in ("one\n", "two\n"):
        write_whole(tmp_path / "below" / "a.txt", text)
        assert (tmp_path / "below" / "a.txt").read_text() == text
    assert [path.name for path in (tmp_path / "below").iterdir()] == ["a.txt"]


def test_failed_write_keeps_the_old_file(tmp_path: Path) -> None:
    """No partial file and no draft is left."""
    write_whole(tmp_path / "a.txt", "old")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "a.txt") as file:
        file.write("new")
        print(1 / 0)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_unwritable_place_is_one_clear_error(tmp_path: Path) -> None:
    """A file exists where a folder is needed."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"a\.txt: cannot write"):
        write_whole(tmp_path / "file" / "a.txt", "x")


def test_tuned_values_are_read_back_under_their_names() -> None:
    """Even if YAML 1.1, as of PyYAML, reads a name as a boolean, number or date."""
    names = ("on", "null", "007", ".5", "1.5", "2026-11-21", "-", "...", "y", "edge_penalty")
    options = tuple(TunedOption(name, "int", 4.0, 0, 9, 7, 7.0, 1.0, 1.0) for name in names)
    text = tuned_yaml(Tuned("magpie", (), "bayes", 60, 60, 120, options, ()))
    assert yaml.safe_load(text) == {"set": dict.fromkeys(names, 7)}
    assert "  edge_penalty: 7  # 4\n" in text
    assert '  "on": 7          # 4\n' in text


LEFT = Season({"owl": Member("owl", "owl", "old", None, None)})
"""A league in which another version of owl plays."""

PAGE = """\
# t

## Swiss \\*

| Bot | Points |
| :-- | --: |
| a\\|b | 1 |

- a \\#note

| # | Ranks | Bot | Elo | ±90% | ±all | LOS | OppAvg | Games | Deals | W–L | Score | 1st |\
 2nd | Pairs | Seat gain | Margin | ±Margin | Massey | ms/move | Slowest | Faults |
| --: | --: | :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\
 --: | --: | --: | --: | --: | :-- |
| 2 | 1–3 | crow | +112 | 31 | 46 | 97.7% | -14 | 8 | 9 | 4–2 | 62.5% | 87.5% | 37.5% | 1–0–3 |\
 +65 ± 12% | +5.3 | 2.3 | +6.1 ± 3.5 | 7.8 | 988 | 2 crash, 3 timeout |
| 3 | 3 | owl (old) | -12 | – | – | – | – | 4 | 2 | 2–2 | 50.0% | 50.0% | 50.0% | 0–0–0 | – | – |\
 – | – | – | 0 | 0 |

- 24 games of 12 pairs; edition express, seed 7
- Elo 0 = average of these bots; 90 % confidence intervals, clustered by deal (40 deals)
- First-seat advantage: +12 ± 9 Elo
- Game hash a hash, pwtourney 1.2.3

## Gates

- ✓ a \\> 0: +3

## Resources

| Bot | Starts | Start ms | p50 ms | p99 ms | Max ms | CPU ms/move | Ponder CPU ms/game |\
 Peak MiB | In KiB/game | Out KiB/game | Stderr KiB | Sandbox |
| :-- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | :-- |
| crow | 4 | 1250.0 | 2.0 | 4.0 | 987.7 | 3.3 | 6.0 | 964.5 | 2.0 | 1.5 | 5.5 | – |
| owl (old) | 0 | – | – | – | – | – | 0.0 | – | 0.0 | 0.0 | 0.0 | – |
"""


def test_markdown_has_all_tables_and_notes() -> None:
    """Words are aligned to the left, numbers to the right, and special characters escaped."""
    pool = make_pool(FULL, make_row("owl", -12.0, 3), level=0.9)
    swiss = FormatTable("Swiss *", ("Bot", "Points"), (("a|b", "1"),), ("a #note",))
    gates = (Checked("a > 0", passed=True, numbers="+3"),)
    summary = make_summary([pool], table=swiss, gates=gates, season=LEFT)
    assert markdown(summary) == PAGE
    assert step_summary(summary) == PAGE
    assert "## Gates" not in markdown(summary._replace(gates=()))


def test_markdown_of_a_tuning_has_no_ratings() -> None:
    """The bots of a tuning have resources all the same."""
    swiss = FormatTable("Tuned", ("Option", "Start"), (("pace", "1"),))
    text = markdown(make_summary([make_pool(FULL)], table=swiss, tuning=TUNED))
    assert "| pace | 1 |" in text
    assert "| # | Ranks |" not in text
    assert "Elo 0" not in text
    assert "| crow | 4 | 1250.0 |" in text


def test_markdown_of_a_format_aligns_its_own_words_to_the_left() -> None:
    """The table says which columns these are, in addition to the names of bots."""
    ring = FormatTable("Ring", ("Bot", "Home", "Step"), (("owl", "oak", "1"),), words=("Home",))
    text = markdown(make_summary([make_pool(FULL)], table=ring))
    assert "| Bot | Home | Step |\n| :-- | :-- | --: |\n" in text


def test_markdown_numbers_several_tables_and_hides_very_many() -> None:
    """Of four, the largest is shown without a number, unless all are wanted."""
    pool = make_pool(make_row("crow"), make_row("owl", rank=2))
    four = make_summary([pool] * 4)
    assert markdown(four).count("| # | Ranks |") == 1
    assert "## Table" not in markdown(four)
    assert "- Not shown: 3 more groups (6 bots) that have" in markdown(four)
    whole = markdown(four, all_tables=True)
    assert re.findall(r"^## Table .*\n\n\| # ", whole, re.MULTILINE) == [
        f"## Table {number}\n\n| # " for number in range(1, 5)
    ]
    assert "Not shown" not in whole


def pad_summary(size: int) -> Summary:
    """Return a summary whose Markdown has this many bytes: its name, in the first line, is long."""
    plain = make_summary([], name="")
    return plain._replace(name="x" * (size - len(markdown(plain).encode())))


def test_job_summary_of_512_kib_is_kept_whole() -> None:
    """That is half of what GitHub takes."""
    summary = pad_summary(512 * 1024)
    assert step_summary(summary) == markdown(summary)


def test_longer_job_summary_is_cut_at_the_end_of_a_line() -> None:
    """One byte more is too much; a note follows the last line that fits with it."""
    summary = pad_summary(512 * 1024 + 1)
    text = step_summary(summary)
    kept, _, note = text.partition("\n\n*Cut here")
    assert note == ": the whole report is too long for this place.*\n"
    whole = markdown(summary)
    assert whole.startswith(f"{kept}\n")
    following = whole[len(kept) + 1 :].partition("\n")[0]
    assert len(text) <= 512 * 1024 <= len(f"{text}\n{following}")


def test_special_characters_of_markdown_are_escaped() -> None:
    """Control characters are replaced, and plain text stays as it is."""
    assert escape_markdown("a_b*c`d\\[x](y)<z>!@|#~&\n") == (
        r"a\_b\*c\`d\\\[x\](y)\<z\>\!\@\|\#\~\&?"
    )
    assert escape_markdown("plain 1–2 ± é") == "plain 1–2 ± é"


def test_file_has_unix_line_ends_and_the_usual_mode(tmp_path: Path) -> None:
    """Its text is UTF-8, and others can read it as any new file."""
    write_whole(tmp_path / "a.txt", "é\n")
    (tmp_path / "b.txt").write_text("")
    assert (tmp_path / "a.txt").read_bytes() == b"\xc3\xa9\n"
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


def test_error_of_a_write_names_the_file_and_the_reason(tmp_path: Path) -> None:
    """The reason is that of the system: a file is where its folder would be."""
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "a.txt"
    with pytest.raises(StoreError) as caught:
        write_whole(path, "x")
    assert str(caught.value) == f"{path}: cannot write: File exists"
