"""The page of a tournament and its files, from an application in this process."""

import base64
import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.analyse.evaluations import KeptEvaluations, identify_game
from pwtourney.arena.app import make_app
from pwtourney.arena.setting import Arena
from pwtourney.arena.tournament_state import read_state
from pwtourney.arena.watch.current_page import CurrentPage, News
from pwtourney.arena.watch.tournament_page import _OpenFile
from pwtourney.report.page.page import Link
from pwtourney.standings import RatingOptions
from pwtourney.store import ResultsFolder, Settings, Store
from pwtourney.store.folder import RUNNING
from tests.arena.calling import Reply, ask
from tests.arena.test_wall import play, stored
from tests.loops import run_apart
from tests.report.leagues import SCHEDULE
from tests.report.test_page_content import read_facts

NOTE = {"running": [{"pair": 7, "first": "crow", "second": "owl"}], "next": [], "odd": 1}


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what a page needs, which takes longer than a page."""
    folder = tmp_path_factory.mktemp("loaded")
    with stored(folder, play(0), play(0, 1)):
        assert request(folder, "/tournament").status == 200


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return a store with a pair."""
    with stored(tmp_path, play(0), play(0, 1)) as store:
        yield store


def request(folder: Path, path: str, method: str = "GET") -> Reply:
    """Ask the arena of a results folder."""
    return run_apart(ask(make_app(Arena(ResultsFolder(folder))), path, method))


def test_page_allows_its_own_style_and_script_only(tmp_path: Path, store: Store) -> None:
    """Their hashes are in the content policy (CSP level 3, 2.3.1), and all else is forbidden."""
    answer = request(tmp_path, "/tournament")
    policy = dict(
        part.partition(" ")[::2] for part in answer.headers["content-security-policy"].split("; ")
    )
    digests = {
        tag: [
            f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
            for code in re.findall(f"<{tag}>(.*?)</{tag}>", answer.text, re.DOTALL)
        ]
        for tag in ("style", "script")
    }
    assert [f"'self' {digest}" for digest in digests["script"]] == [policy["script-src"]]
    assert [f"'self' {digest}" for digest in digests["style"]] == [policy["style-src"]]
    assert policy["style-src-attr"] == "'unsafe-inline'"
    assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["connect-src"] == "'self'"
    # links to the views that exist
    assert re.findall(r'<li><a href="(/[a-z]*)"( aria-current="page")?>', answer.text) == [
        ("/", ""),
        ("/tournament", ' aria-current="page"'),
        ("/watch", ""),
    ]


def test_page_is_sent_again_only_if_it_has_changed(tmp_path: Path, store: Store) -> None:
    """The browser asks each time, and gets 304 without content (RFC 9110, 13.1.2)."""
    app = make_app(Arena(ResultsFolder(tmp_path)))

    async def run() -> None:
        first = await ask(app, "/tournament")
        assert first.headers["cache-control"] == "private, no-cache"
        for known in (first.headers["etag"], f'"other", {first.headers["etag"]}'):
            same = await ask(app, "/tournament", headers={"If-None-Match": known})
            assert (same.status, same.body) == (304, b"")
            assert same.headers["etag"] == first.headers["etag"]
        other = await ask(app, "/tournament", headers={"If-None-Match": '"other"'})
        assert (other.status, other.body) == (200, first.body)

    run_apart(run())


def test_page_that_waits_for_its_run_follows_when_it_begins(tmp_path: Path) -> None:
    """Before, both views of the tournament say how to begin it, and the state is asked for."""
    app = make_app(Arena(ResultsFolder(tmp_path / "cup")))

    async def run() -> None:
        for path, title in (("/tournament", "Tournament"), ("/watch", "Watch")):
            answer = await ask(app, path)
            assert answer.status == 200
            assert f"<h1>{title}</h1>" in answer.text
            assert "The run in cup has not begun." in answer.text
            assert str(tmp_path) not in answer.text
        assert json.loads((await ask(app, "/state.json")).body) == {"waiting": True}
        assert (await ask(app, "/standings.json")).status == 404
        (tmp_path / "cup").mkdir()
        with stored(tmp_path / "cup", play(0), play(0, 1)):
            assert json.loads((await ask(app, "/state.json")).body)["pairs"] == 1
            assert "2 games of Patchwork" in (await ask(app, "/tournament")).text
            name = '<h1><span class="spoken">Watch </span><a href="/tournament">test</a></h1>'
            assert name in (await ask(app, "/watch")).text

    run_apart(run())


def test_name_of_a_state_changes_with_all_that_the_page_shows(store: Store) -> None:
    """A game, a plan, the way of rating, and the end of the run; but not the tournament's name."""
    plan, ratings = {**SCHEDULE, "pairs": 4}, RatingOptions()
    store.set_settings(Settings(schedule=plan, ratings=ratings, pairs=4))
    names = [read_state(store).name]
    store.add([play(1), play(1, 1)])
    names.append(read_state(store).name)
    for changed in (
        Settings(schedule=plan, ratings=ratings, pairs=5),
        Settings(schedule={**plan, "pairs": 5}, ratings=ratings, pairs=4),
        Settings(schedule=plan, ratings=RatingOptions(prior=2.0), pairs=4),
    ):
        store.set_settings(changed)
        names.append(read_state(store).name)
        store.set_settings(Settings(schedule=plan, ratings=ratings, pairs=4))
        assert read_state(store).name == names[1]
    store.mark(over=True)
    names.append(read_state(store).name)
    assert len(set(names)) == len(names) == 6


def test_page_is_rendered_again_after_ten_times_the_time_that_it_took(
    tmp_path: Path, store: Store
) -> None:
    """It takes 2 s, from 100 to 102, so the next rendering begins at 122 s at the earliest."""
    times = iter([100.0, 100.0, 102.0, 121.9, 122.0, 122.0, 124.0])
    links = [Link("Watch", "/watch", is_here=False)]

    async def run() -> None:
        folder = ResultsFolder(tmp_path)
        current = CurrentPage(folder, now=lambda: next(times))
        first = await current.read(links)
        assert "2 games of Patchwork" in first.text
        assert '<a href="/watch">Watch</a>' in first.text
        with closing(Store.open_in(folder, write=True)) as writer:
            writer.add([play(1), play(1, 1)])
        assert await current.read(links) == first
        second = await current.read(links)
        assert "4 games of Patchwork" in second.text
        # without a change it is not rendered again, however much time has passed
        assert await current.read(links) is second
        assert list(times) == []

    run_apart(run())


def test_news_are_the_changed_parts_and_the_new_games(tmp_path: Path, store: Store) -> None:
    """A page names the parts that it shows with their digests, and gets those that differ."""

    async def run() -> None:
        current = CurrentPage(ResultsFolder(tmp_path), now=lambda: 0.0)
        page = await current.read([])
        facts = re.search(r'id="facts">(.*?)</script>', page.text)
        assert facts is not None
        known = json.loads(facts[1])
        live, parts = known["live"], known["parts"]
        assert parts.keys() == page.parts.keys()
        none = await current.tell(live, parts, [])
        assert none == News(live=live, title=page.title, games=2)
        with closing(Store.open_in(ResultsFolder(tmp_path), write=True)) as writer:
            writer.add([play(1), play(1, 1)])
        shown = {"headline": parts["headline"], "how": parts["how"], "gone": "1"}
        news = await current.tell(live, shown, [])
        assert (news.reload, news.games) == (False, 4)
        assert [row[:4] for row in news.rows] == [
            [1, 0, *play(1).bots],
            [1, 1, *play(1, 1).bots],
        ]
        assert [part["id"] for part in news.parts] == ["headline", "how"]
        assert "4 games of Patchwork" in news.parts[0]["text"]
        digests = {part["id"]: part["digest"] for part in news.parts}
        assert await current.tell(news.live, digests, []) == News(
            live=news.live, title=news.title, games=4
        )

    run_apart(run())


@pytest.mark.parametrize("live", ["", "x", "0-0-0", "-2-", "token-x-names"])
def test_page_of_another_server_is_loaded_again(tmp_path: Path, store: Store, live: str) -> None:
    """Its parts may have other ids, and its script may be older."""
    assert run_apart(CurrentPage(ResultsFolder(tmp_path)).tell(live, {}, [])) == News(reload=True)


def test_news_come_with_the_state_of_the_run(tmp_path: Path, store: Store) -> None:
    """In one answer; malformed parts and marks are ignored."""
    answer = request(tmp_path, "/news.json")
    assert answer.headers["content-type"].startswith("application/json")
    news = json.loads(answer.body)
    assert news["reload"] is True
    assert news["state"]["pairs"] == 1


def test_each_stored_game_is_sent_by_its_number(tmp_path: Path, store: Store) -> None:
    """The row names the bots; a game that does not exist is a 404, also by a malformed number."""
    answer = request(tmp_path, "/games/0.1.json")
    assert answer.status == 200
    data = json.loads(answer.body)
    assert data["row"][:4] == [0, 1, *play(0, 1).bots]
    assert [ply[1] for ply in data["game"]["plies"]] == ["advance", "advance"]
    assert len(data["game"]["changes"]) == 2
    for number in ("7.0", "0.2", "x", "..%2f0.0"):
        missing = request(tmp_path, f"/games/{number}.json")
        assert missing.status == 404, number


EVALUATION = {
    "bot": "ant",
    "limit": {"ms": 50},
    "plies": [
        {"number": 1, "seat": 0, "action": "advance", "margin": 3.0, "swing": -1.0, "grade": ""},
        {"number": 2, "seat": 1, "action": "advance", "margin": 2.0, "swing": None, "grade": ""},
    ],
    "players": [],
    "made": 7,
}
"""An evaluation of a game of two plies as the analysis keeps it."""


def test_kept_evaluations_of_games_are_sent_by_their_numbers(tmp_path: Path, store: Store) -> None:
    """With what the page draws; other games, and an arena that is read-only, have none."""
    games = tmp_path / "games"
    kept = KeptEvaluations(games / "evaluations")
    kept.keep(identify_game(play(0, 1), store.edition()), EVALUATION)
    query = "game=0.0&game=0.1&game=7.0&game=x"
    folder = ResultsFolder(tmp_path)
    app = make_app(Arena(folder, {"ant": "ant"}, games=games))
    answer = run_apart(ask(app, "/evaluations.json", query=query))
    assert json.loads(answer.body) == {
        "0.1": [
            {
                "bot": "ant",
                "limit": {"ms": 50},
                "plies": [
                    {"number": 1, "seat": 0, "margin": 3.0, "swing": -1.0},
                    {"number": 2, "seat": 1, "margin": 2.0, "swing": None},
                ],
            }
        ]
    }
    closed = run_apart(ask(make_app(Arena(folder)), "/evaluations.json", query=query))
    assert json.loads(closed.body) == {}


def test_page_offers_evaluators_only_where_bots_can_be_asked(tmp_path: Path, store: Store) -> None:
    """A read-only arena shows neither the panel of a bot nor the column that it fills."""
    folder = ResultsFolder(tmp_path)
    shown = []
    for games in (tmp_path / "games", None):
        app = make_app(Arena(folder, {"ant": "ant"}, games=games))
        text = run_apart(ask(app, "/tournament")).text
        evaluators = read_facts(text)["evaluators"]
        shown.append((evaluators, "Fell at" in text, 'class="evaluating"' in text))
    assert shown == [([{"bot": "ant", "ms": 1000}], True, True), ([], False, False)]


def test_answers_are_compressed_for_clients_that_accept_it(tmp_path: Path, store: Store) -> None:
    """The page takes less than a third; others get it as it is."""
    app = make_app(Arena(ResultsFolder(tmp_path)))
    plain, packed = (
        run_apart(ask(app, "/tournament", headers={"Accept-Encoding": word}))
        for word in ("br", "gzip, br")
    )
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body).startswith(b"<!doctype html>")
    assert len(packed.body) < len(plain.body) / 3


def test_state_has_counts_and_no_pairs_without_a_run(tmp_path: Path, store: Store) -> None:
    """A note that a killed run has left is not read."""
    (tmp_path / RUNNING).write_text(json.dumps(NOTE))
    state = {"head": read_state(store).name, "pairs": 1, "over": False, "planned": 4}
    answer = request(tmp_path, "/state.json")
    assert answer.headers["content-type"] == "application/json"
    assert json.loads(answer.body) == state | {"running": [], "next": []}
    store.add([play(1), play(1, 1)])
    store.mark(over=True)
    new_state = json.loads(request(tmp_path, "/state.json").body)
    assert (new_state["pairs"], new_state["over"]) == (2, True)
    assert new_state["head"] == read_state(store).name != state["head"]


def test_state_of_a_run_has_the_running_and_next_pairs(tmp_path: Path, store: Store) -> None:
    """Nothing else of the note is passed on, and no invalid note, link or folder is read."""
    note = tmp_path / RUNNING

    def read() -> tuple[Any, Any]:
        state = json.loads(request(tmp_path, "/state.json").body)
        assert state.keys() == {"head", "pairs", "over", "planned", "running", "next"}
        return state["running"], state["next"]

    with ResultsFolder(tmp_path):
        assert read() == ([], [])
        note.write_text(json.dumps(NOTE | {"next": [{"pair": 8}]}))
        assert read() == (NOTE["running"], [{"pair": 8}])
        for text in ("[]", "5", '{"running": [1]}', '{"next": [1]}', '{"running": [1], "next'):
            note.write_text(text)
            assert read() == ([], [])
        note.unlink()
        (tmp_path / "note").write_text(json.dumps(NOTE))
        note.symlink_to(tmp_path / "note")
        assert read() == ([], [])
        note.unlink()
        note.mkdir()
        assert read() == ([], [])


KINDS = {
    "standings.json": "application/json",
    "standings.csv": "text/csv; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "games.jsonl": "application/x-ndjson",
    "junit.xml": "application/xml",
    "benchmark.json": "application/json",
}
"""The media types of the reports: RFC 8259, 7111, 7763 and 7303; of JSON lines there is none."""


def test_report_is_sent_whole_with_its_type(tmp_path: Path, store: Store) -> None:
    """In parts of 64 KiB; HEAD has the same headers and no content."""

    async def run() -> None:
        app = make_app(Arena(ResultsFolder(tmp_path)))
        for number, (name, kind) in enumerate(KINDS.items()):
            content = bytes(range(251)) * (300 * number)  # from nothing to 376,500 bytes
            (tmp_path / name).write_bytes(content)
            for method, body in (("GET", content), ("HEAD", b"")):
                answer = await ask(app, f"/{name}", method)
                assert (answer.status, answer.body) == (200, body)
                assert answer.headers["content-type"] == kind
                assert answer.headers["content-length"] == str(len(content))

    before = len(os.listdir("/proc/self/fd"))
    run_apart(run())
    assert len(os.listdir("/proc/self/fd")) == before


def test_only_regular_files_are_reports(tmp_path: Path, store: Store) -> None:
    """No link is followed, a FIFO does not block, and other files are not served."""
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "standings.json").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "standings.csv").mkdir()
    os.mkfifo(tmp_path / "report.md")
    before = len(os.listdir("/proc/self/fd"))
    for name in ("standings.json", "standings.csv", "report.md", "games.jsonl"):
        answer = request(tmp_path, f"/{name}")
        assert answer.status == 404
        assert "<p>There is no such report yet.</p>" in answer.text
    assert len(os.listdir("/proc/self/fd")) == before
    assert "<p>Not Found.</p>" in request(tmp_path, "/secret.txt").text


def test_report_that_cannot_be_opened_is_another_error(tmp_path: Path) -> None:
    """Here a file lies where the results folder was."""
    (tmp_path / "r").write_text("no folder")
    answer = request(tmp_path / "r", "/games.jsonl")
    assert answer.status == 503
    assert "<p>This cannot be read or written now: Not a directory.</p>" in answer.text


def test_report_that_becomes_shorter_ends_early(tmp_path: Path) -> None:
    """The client notices it by the length that was announced; the file is closed."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"x" * 70_000)
    file = os.open(path, os.O_RDONLY)
    answer = run_apart(ask(_OpenFile(file, 90_000, {"Content-Length": "90000"}), "/games.jsonl"))
    assert answer.body == b"x" * 70_000
    assert answer.headers["content-length"] == "90000"
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(file)


def test_report_that_becomes_longer_is_sent_up_to_its_announced_size(tmp_path: Path) -> None:
    """More bytes than announced would be an error of the protocol (RFC 9110, 8.6)."""
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"x" * 70_000 + b"y")
    file = os.open(path, os.O_RDONLY)
    answer = run_apart(ask(_OpenFile(file, 70_000, {"Content-Length": "70000"}), "/games.jsonl"))
    assert answer.body == b"x" * 70_000
