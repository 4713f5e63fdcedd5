"""Watching running games in the browser, to their end, without delaying the run."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from pwtourney.arena.watch.wall import Wall
from pwtourney.executor.broadcast import name_ended, pack_broadcast
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import LIVE, RUNNING
from tests.arena.serving import Server, served
from tests.arena.test_analyse_page import check
from tests.arena.test_sample import SAMPLE
from tests.arena.test_slots import game_of
from tests.arena.test_table_layout import PLACES
from tests.loops import run_apart
from tests.program import pwtourney
from tests.report.browser import DRAWN, EVERY_WINDOW, STUDY_BROWSER, Opened, wait_for
from tests.report.sizes import SMALL_TEXTS
from tests.sharing import Once
from tests.tournament.test_run import command, run

LEAGUE = """\
name: league
seed: 5
pairs: {pairs}
clock: {{move: 5s}}
processes: persistent
workers: 2
affinity: none
bots: [{bots}]
"""
BOARDS = """() => pwtourney.list().map((slot) => {
  const game = pwtourney.game(slot);
  const tile = document.querySelector(`[data-slot="${slot}"]`);
  const { pair, number } = game.facts;
  return { pair, number, plies: game.plies.map((ply) => ply.slice(0, 3)),
    label: [...tile.querySelectorAll('.quilt')].map((each) => each.getAttribute('aria-label')),
    score: [...tile.querySelectorAll('.line span:first-child')].map((each) => each.textContent),
    ending: tile.querySelector('.ending').textContent };
})"""


ENDED = """pwtourney.list().every((slot) => {
  const { pair, number } = pwtourney.game(slot).facts;
  const tile = document.querySelector(`[data-slot="${slot}"]`);
  return tile?.textContent.includes(` ${pair}.${number}`)
    && tile.querySelector('.ending')?.textContent;
})"""
"""True if each small board shows the end of the game that is in its slot."""


def league(folder: Path, pairs: int, bots: str = "greedy, frugal, random") -> Path:
    """Write a tournament of two slots; return its file."""
    path = folder / "league.yaml"
    path.write_text(LEAGUE.format(pairs=pairs, bots=bots))
    return path


def play_league(once: Once) -> Path:
    """Play a tournament, unless it was played before; return its results, which no test changes."""
    return once("watched", lambda folder: run(league(folder, 1), "--results", f"{folder}/r")) / "r"


@pytest.fixture(scope="module")
def played(once: Once) -> Path:
    """Return results that no test changes."""
    return play_league(once)


@pytest.mark.slow
def test_cancelled_reader_does_not_allow_a_second_read_at_once(played: Path) -> None:
    """Its thread continues: the next reader waits for it, and then has something new."""

    class Counted(Wall):
        def __init__(self, folder: ResultsFolder) -> None:
            super().__init__(folder)
            self.begun, self.reading, self.most = Event(), 0, 0
            self.may_end = Event()

        def read(self) -> None:
            self.reading += 1
            self.most = max(self.most, self.reading)
            self.begun.set()
            assert self.may_end.wait(30)
            super().read()
            self.reading -= 1

    async def look() -> Counted:
        wall = Counted(ResultsFolder(played))
        first = asyncio.create_task(wall.look())
        assert await asyncio.to_thread(wall.begun.wait, 30)
        first.cancel()
        await asyncio.wait((first,))
        others = [asyncio.create_task(wall.look()) for _ in range(3)]
        await asyncio.wait(others, timeout=0.05)
        wall.may_end.set()
        await asyncio.gather(*others)
        return wall

    wall = run_apart(look())
    assert (wall.most, wall.reading) == (1, 0)
    assert wall.shown


@pytest.fixture(scope="module")
def server(played: Path) -> Iterator[Server]:
    """Serve the played tournament to all tests that only read."""
    with served("serve", str(played)) as server:
        yield server


def begin(config: Path, results: Path) -> "subprocess.Popen[bytes]":
    """Begin a run."""
    return subprocess.Popen(
        command(config, "--results", str(results)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def pause_in_games(process: "subprocess.Popen[bytes]", results: Path) -> None:
    """Pause a run as soon as a game of each of two slots is shown."""
    end = time.monotonic() + 60
    while not all((results / LIVE / slot).exists() for slot in "01"):
        assert time.monotonic() < end, "no game has begun"
        time.sleep(0.01)
    process.send_signal(signal.SIGTSTP)


@pytest.mark.thorough
@STUDY_BROWSER
@pytest.mark.slow(25)
def test_two_browsers_watch_a_tournament_to_its_end(tmp_path: Path, browser: Any) -> None:
    """Both pages show the games of two slots as they grow, and the stored plies at the end."""
    results = tmp_path / "r"
    run(league(tmp_path, 1), "--results", str(results))
    with (
        served("serve", str(results)) as server,
        Opened(browser, f"{server.address}watch") as first,
        Opened(browser, f"{server.address}watch#slot=1", width=390, height=800) as second,
    ):
        pages = (first.page, second.page)
        for page in pages:
            wait_for(page, "document.querySelector('#state').textContent.includes('over')")
            assert page.inner_text("#state") == "The tournament is over: greedy won."
        process = begin(league(tmp_path, 12), results)
        try:
            pause_in_games(process, results)  # a slow browser would see only the end
            for page in pages:
                wait_for(page, "pwtourney.isRunning() && pwtourney.list().length === 2")
            wait_for(second.page, "!document.querySelector('#large').hidden")
            process.send_signal(signal.SIGCONT)
            process.wait(timeout=120)
        finally:
            process.kill()
            process.wait()
        games = "pwtourney.list().map(pwtourney.game)"
        done = f"{games}.every((game) => game.result && !game.live)"
        seen = []
        for page in pages:
            wait_for(page, f"pwtourney.isRunning() === false && {done}")
            wait_for(page, ENDED)
            seen.append(page.evaluate(BOARDS))
        assert len(seen[0]) == 2
        for board in seen[0] + seen[1]:
            check_board(board, results)
        assert first.complaints == second.complaints == []


def check_board(board: dict[str, Any], results: Path) -> None:
    """Check that a board shows the end of the stored game."""
    with closing(Store.open_in(ResultsFolder(results))) as store:
        game = store.game(board["pair"], board["number"])
    assert board["plies"] == [[ply.seat, ply.action, ply.micros] for ply in game.plies]
    scores = [str(score).replace("-", "−") for score in game.scores]
    assert board["score"] == scores
    for bot, label in zip(game.bots, board["label"], strict=True):
        assert label.startswith(f"Quilt board of {bot}: ")
    assert f"{game.bots[0]} {scores[0]}, {game.bots[1]} {scores[1]}" in board["ending"]


@pytest.mark.thorough
@STUDY_BROWSER
@pytest.mark.slow(4)
def test_without_a_run_the_last_games_are_shown(server: Server, browser: Any) -> None:
    """A message says that nothing is played; one is large, and the address keeps which."""
    with Opened(browser, f"{server.address}watch") as opened:
        page = opened.page
        wait_for(page, "document.querySelector('#state').textContent.includes('over')")
        assert page.inner_text("#state") == "The tournament is over: greedy won."
        wait_for(page, "document.querySelectorAll('#wall > li').length === 2")
        page.wait_for_selector("#large .quilt")
        assert page.evaluate("pwtourney.shown().slot") == 1  # the last one
        page.select_option("#follow", label="board 1")
        wait_for(page, "pwtourney.shown().slot === 0")
        assert page.url.endswith("#slot=0")
        page.reload()
        page.wait_for_selector("html[data-ready=yes]")
        title = page.inner_text("#title")
        assert page.evaluate("pwtourney.shown().slot") == 0
        page.focus(".skip")  # the skip link does not close the enlarged game
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        assert page.url.endswith("#slot=0")
        assert re.fullmatch(r"\w+ wins.*: \w+ −?\d+, \w+ −?\d+\.", page.inner_text("#told"))
        assert title in page.inner_text("#wall")
        page.select_option("#follow", label="the run")
        assert page.url.endswith("#")
        assert opened.complaints == []


@pytest.mark.thorough
@STUDY_BROWSER
@pytest.mark.slow(4)
@EVERY_WINDOW
def test_axe_finds_nothing_serious(server: Server, browser: Any, width: int, look: str) -> None:
    """Neither on the wall nor with an enlarged game; no text leaves the window."""
    with Opened(browser, f"{server.address}watch", width=width, color_scheme=look) as opened:
        wait_for(opened.page, "document.querySelectorAll('#wall .quilt').length === 4")
        check(opened.page, width)
        opened.page.click("#wall a >> nth=0")
        opened.page.wait_for_url("**/game/*")
        opened.page.wait_for_selector("html[data-ready=yes]")
        opened.page.wait_for_selector("#large .quilt")
        check(opened.page, width)


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_watcher_that_stops_reading_delays_nothing(tmp_path: Path) -> None:
    """It is connected from the first game to the last."""
    results = tmp_path / "r"
    run(league(tmp_path, 1), "--results", str(results))
    with (
        served("serve", str(results)) as server,
        socket.create_connection(("127.0.0.1", server.port)) as lazy,
    ):
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        lazy.sendall(
            f"GET /watch/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        )
        assert lazy.recv(15) == b"HTTP/1.1 200 OK"
        run(league(tmp_path, 6), "--results", str(results))
        assert json.loads(server.ask("/state.json").body)["over"]
    with closing(Store.open_in(ResultsFolder(results))) as store:
        games = list(store.records())
    assert len(games) == 36
    assert not [game for game in games if game.faults]
    pwtourney("verify", str(results))


@pytest.mark.slow
def test_games_of_the_sample_are_watched_without_a_tournament(
    server: Server, arena: Server
) -> None:
    """The link is in the navigation in both cases."""
    for shown in (server, arena):
        assert shown.ask("/watch").status == 200
        assert b'href="/watch"' in shown.ask("/").body
    assert b"quilting-bee" in arena.ask("/watch").body


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_leftover_files_of_a_killed_run_are_not_shown_as_running(
    played: Path, tmp_path: Path
) -> None:
    """Without a run these files are stale: the last stored games are shown instead."""
    results = shutil.copytree(played, tmp_path / "r")
    (results / "live").mkdir()
    (results / "live" / "7").write_bytes(os.urandom(100))
    with served("serve", str(results)) as server:
        news = read_event(server)
    assert (news["running"], [slot["slot"] for slot in news["slots"]]) == (False, [0, 1])
    assert all(slot["result"] and not slot["live"] for slot in news["slots"])


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_invalid_file_of_a_slot_does_not_hide_the_others(played: Path, tmp_path: Path) -> None:
    """The file has a valid checksum, and one of its numbers is larger than any float."""
    results = shutil.copytree(played, tmp_path / "r")
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 0, ["one", "two"])
        write_live(folder, 1, ["three", "four"], asked=10**400)
        news = read_event(server)
    assert news["running"]
    assert [(slot["slot"], slot["game"]["bots"]) for slot in news["slots"]] == [(0, ["one", "two"])]


ODD_NAMES = (
    "\u202eevil\u2066 \u05d0\u05d1\u05d2",
    "e" + "\u0301\u0320" * 20,
    "\U0001f469\u200d\U0001f680 <script>window.hit = 1</script>",
    "</script><img src=x onerror=window.hit=1>\x1b[31m\x00",
)
"""Direction marks, stacked accents, an emoji of two, markup, and control characters."""


@pytest.mark.thorough
@STUDY_BROWSER
@pytest.mark.slow(4)
def test_odd_names_of_bots_are_texts_on_the_wall(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """Files in the folder may name bots anything: the names are shown as texts."""
    results = shutil.copytree(played, tmp_path / "r")
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        for slot in (0, 1):
            write_live(folder, slot, ODD_NAMES[2 * slot : 2 * slot + 2])
        with Opened(browser, f"{server.address}watch#slot=1") as opened:
            page = opened.page
            wait_for(page, "document.querySelectorAll('#wall > li').length === 2")
            wait_for(page, "document.querySelector('#title').textContent")
            wall, title = (page.text_content(selector) for selector in ("#wall", "#title"))
            # as `pwtourney.sanitize` does: nothing turns the direction or steers a terminal
            shown = [re.sub("[\u202e\u2066\x1b\x00]", "?", name) for name in ODD_NAMES]
            assert all(name in wall for name in shown)
            assert title.endswith(" – ".join(shown[2:]))
            assert page.evaluate("window.hit") is None
            assert page.query_selector("main img, main script") is None
            assert opened.complaints == []


def write_live(folder: ResultsFolder, slot: int, bots: Sequence[str], **changed: Any) -> None:
    """Write the file of a slot with a game that has just begun."""
    game = game_of(**{"pair": slot, "game": 0, "bots": list(bots), **changed})
    live = folder.path / LIVE
    live.mkdir(exist_ok=True)
    (live / str(slot)).write_bytes(pack_broadcast(game))


def read_event(server: Server) -> Any:
    """Return the first event that a page is sent."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        request = f"GET /watch/events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n"
        connection.sendall(request.encode())
        with connection.makefile("rb") as lines:
            line = next(line for line in lines if line.startswith(b"data: "))
    return json.loads(line.removeprefix(b"data: "))


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_score_of_the_followed_pairing_leads_to_its_games(
    server: Server, browser: Any, played: Path
) -> None:
    """The points are those of the stored pair, from the side of the first seat of each game."""
    with closing(Store.open_in(ResultsFolder(played))) as store:
        games = store.pair(2)
    won = Counter(game.bots[game.winner] for game in games if game.winner is not None)
    with Opened(browser, f"{server.address}watch") as opened:
        page = opened.page
        for game in games:
            page.goto(f"{server.address}game/2.{game.game}")
            first, second = (won[bot] for bot in game.bots)
            words = f"'{first} – {second} in 1 pair'"
            wait_for(page, f"document.querySelector('#pairing').textContent === {words}")
            wait_for(page, f"document.querySelector('#deal').textContent === 'game 2.{game.game}'")
        page.click("#pairing")
        page.wait_for_selector("#rows tr")
        assert page.locator("#rows tr").count() == 2
        assert opened.complaints == []


RUNNING_GAME = [(0, "advance", 12, "score 4.26"), (1, "advance", 12, "score -3")]


@STUDY_BROWSER
@pytest.mark.slow(4)
@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.thorough)])
def test_running_tournament_says_what_is_expected_and_what_comes_next(
    played: Path, tmp_path: Path, browser: Any, width: int
) -> None:
    """Small boards have numbers, pairs that have begun do not come next, and texts have 12 px."""
    results = shutil.copytree(played, tmp_path / "r")
    pairs = [{"pair": pair, "first": "greedy", "second": f"b{pair}"} for pair in range(1, 8)]
    (results / RUNNING).write_text(json.dumps({"running": [], "next": pairs}))
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 3, ["greedy", "frugal"])
        write_live(folder, 4, ["greedy", "newcomer"], plies=RUNNING_GAME)
        with Opened(browser, f"{server.address}watch#slot=4", width=width) as opened:
            page = opened.page
            page.wait_for_selector("#upcoming li")
            # the league of one round has pairs 0 to 2, and pairs 3 and 4 are being played
            following = page.locator("#upcoming .names").all_inner_texts()
            assert following == ["greedy – b5", "greedy – b6", "greedy – b7"]
            texts = page.locator("[data-slot='4'] .ahead").all_text_contents()
            assert texts == ["greedy by 4.3", "greedy by 3"]
            assert page.inner_text("[data-slot='3'] .expects") == ""
            wait_for(page, "document.querySelector('#pairing').textContent === 'no pair yet'")
            assert page.get_attribute("#pairing", "href") is None
            assert page.is_visible("#offer")
            assert page.locator(".band .offered").count() == 3
            assert page.evaluate(SMALL_TEXTS) == []
            assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_click_on_a_small_board_counts_although_its_game_goes_on(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """Two plies arrive while the button of the mouse is down; they are drawn when it is up."""
    results = shutil.copytree(played, tmp_path / "r")
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 3, ["greedy", "frugal"])
        write_live(folder, 4, ["greedy", "newcomer"])
        with Opened(browser, f"{server.address}watch#slot=4") as opened:
            page = opened.page
            page.hover("[data-slot='3'] a")
            page.mouse.down()
            write_live(folder, 3, ["greedy", "frugal"], plies=RUNNING_GAME)
            wait_for(page, "pwtourney.game(3).plies.length === 2")
            page.evaluate(DRAWN)
            assert page.inner_text("[data-slot='3'] .expects") == ""
            page.mouse.up()
            page.wait_for_url("**/game/3.0")
            page.wait_for_selector("#says-0 .ahead")
            assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_game_alone_gets_its_small_board_when_another_joins(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """Until then it is only shown large; a new move leaves the pictures of those before alone."""
    results = shutil.copytree(played, tmp_path / "r")
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 3, ["greedy", "frugal"], plies=RUNNING_GAME[:1])
        with Opened(browser, f"{server.address}watch") as opened:
            page = opened.page
            page.wait_for_selector("#moves li")
            page.evaluate("() => { window.first = document.querySelector('#moves li'); }")
            write_live(folder, 3, ["greedy", "frugal"], plies=RUNNING_GAME)
            wait_for(page, "document.querySelectorAll('#moves li').length === 2")
            assert page.evaluate("document.querySelector('#moves li') === window.first")
            assert page.locator("#wall [data-slot]").count() == 0
            write_live(folder, 4, ["greedy", "newcomer"])
            wait_for(page, "document.querySelectorAll('#wall .quilt').length === 4")
            assert page.is_visible("#wall")
            assert opened.complaints == []


LONG_NAMES = ["greedy" * 9, "b" + "w" * 40]

POINTS_PLACE = """() => [...document.querySelectorAll(".ahead")].map((ahead) => {
  const words = document.createRange();
  words.selectNode(ahead.lastChild); // behind the name
  const points = words.getBoundingClientRect();
  const { left, right } = ahead.getBoundingClientRect();
  return [ahead.textContent, points.left > left && points.right < right + 1];
})"""
"""Returns each text about who is ahead, and true if its points are within their box."""


@STUDY_BROWSER
@pytest.mark.slow(4)
@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.thorough)])
def test_bot_that_thinks_says_what_it_expects(
    played: Path, tmp_path: Path, browser: Any, width: int
) -> None:
    """Its margin is a bar with points that no name cuts off, its line pictures, the rest words."""
    results = shutil.copytree(played, tmp_path / "r")
    info = "depth 3 nodes 40000 score 7.5 line advance,advance,99:r0:a1 __proto__ x text my score 5"
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        for slot in (0, 1):
            write_live(folder, slot, LONG_NAMES, asked=time.time(), info=info)
        with Opened(browser, f"{server.address}watch#slot=1", width=width) as opened:
            page = opened.page
            page.wait_for_selector("#large .quilt")
            expected = f"{LONG_NAMES[0]} by 7.5"
            assert page.evaluate(POINTS_PLACE) == [[expected, True]] * 3
            assert page.locator("#says-0 .sketched").count() == 2
            words = "depth 3, 40,000 nodes, __proto__ x my score 5"
            assert page.inner_text("#says-0 .words") == words
            assert page.inner_text("#says-1") == ""
            assert opened.complaints == []


OUTSIDE_FINAL = """() => {
  const box = document.getElementById("final").getBoundingClientRect();
  return [...document.querySelectorAll("#final > *")].flatMap((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return top < box.top || bottom > box.bottom ? [each.textContent] : [];
  });
}"""
"""The parts of the final score that are not within its frame."""


@STUDY_BROWSER
@pytest.mark.slow(5)
def test_record_that_is_not_new_is_not_drawn_again(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """A game that has ended waits for its pair; who reads its moves meanwhile keeps the place."""
    results = shutil.copytree(played, tmp_path / "r")
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 0, LONG_NAMES, pair=9, game=1)
        ended = {"plies": RUNNING_GAME, "over": True, "result": ("crash", 1, (2, 3), "fell")}
        game = game_of(**{"pair": 9, "game": 0, "bots": LONG_NAMES, **ended})
        (results / LIVE / name_ended(0)).write_bytes(pack_broadcast(game))
        with Opened(browser, f"{server.address}game/9.0", width=390) as opened:
            page = opened.page
            page.wait_for_selector("#final:visible")
            assert page.inner_text("#told") == f"{LONG_NAMES[1]} wins: {LONG_NAMES[0]}, crash."
            assert page.evaluate(OUTSIDE_FINAL) == []
            assert page.is_hidden("#open-game")
            page.evaluate("document.querySelector('#moves').firstElementChild.isOld = true")
            for _ in range(2):
                with page.expect_response("**/watch/game/9.0"):
                    pass
            page.evaluate(DRAWN)
            assert page.evaluate("document.querySelector('#moves').firstElementChild.isOld")
            assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(5)
def test_results_stay_in_place_while_the_next_pairs_are_unknown(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """A schedule that waits for results shows nothing, and keeps the place of what follows."""
    results = shutil.copytree(played, tmp_path / "r")
    note = results / RUNNING
    pair = {"pair": 7, "first": "greedy", "second": "frugal"}
    note.write_text(json.dumps({"running": [], "next": [pair]}))
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 0, ["greedy", "frugal"], pair=6)
        with Opened(browser, f"{server.address}watch") as opened:
            page = opened.page
            page.wait_for_selector("#upcoming:visible")
            boxes = page.evaluate(PLACES, ["#results"])
            note.write_text(json.dumps({"running": [], "next": []}))
            page.wait_for_selector("#upcoming", state="hidden")
            assert page.evaluate(PLACES, ["#results"]) == boxes
            assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_nothing_looks_choosable_after_the_end(server: Server, browser: Any, played: Path) -> None:
    """The final score takes the place of the patches on offer, until the reader steps back."""
    with closing(Store.open_in(ResultsFolder(played))) as store:
        game = store.game(0, 1)
    scores = [str(score).replace("-", "−") for score in game.scores]
    with Opened(browser, f"{server.address}game/0.1") as opened:
        page = opened.page
        page.wait_for_selector("#final:visible")
        assert page.locator("#final strong").all_inner_texts() == scores
        winner = page.get_attribute("#final .won .who", "title")
        assert winner == game.bots[game.winner or 0]
        parts = page.locator("#final tr:has(td + td) td").all_inner_texts()
        numbers = [int(part.replace("−", "-").removeprefix("+")) for part in parts]
        assert [sum(numbers[0::2]), sum(numbers[1::2])] == list(game.scores)
        assert page.is_hidden("#offer")
        assert page.locator(".band .offered").count() == 0
        boxes = page.evaluate(PLACES, ["#offer", "#circle", "#seat-1"])
        page.click("#earlier")
        assert page.is_hidden("#final")
        assert page.is_visible("#offer")
        assert page.evaluate(PLACES, ["#offer", "#circle", "#seat-1"]) == boxes
        page.click("#now")
        assert page.is_visible("#final")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_without_a_run_the_page_leads_on(server: Server, browser: Any) -> None:
    """To the page of the tournament; on a phone, where the results come later, to the last one."""
    with Opened(browser, f"{server.address}watch") as opened:
        page = opened.page
        page.wait_for_selector("#results li")
        assert page.is_hidden("#ways")  # the results are in sight
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_selector(".last-result:visible")
        newest = page.locator("#results li").first
        assert page.get_attribute(".last-result", "href") == (
            f"/game/{newest.get_attribute('data-game')}"
        )
        names = newest.locator("span:not(.points)").all_inner_texts()
        assert all(name in page.inner_text(".last-result") for name in names)
        assert page.is_hidden("#nothing")
        page.click("h1 a >> text=league")
        page.wait_for_selector("#tabs")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_last_game_of_what_is_followed_is_shown(browser: Any) -> None:
    """The list of `pwtourney games` has the sample's games, the newest first.

    The choice stays where there is no game, and leads back to the run.
    """
    with (
        served(str(SAMPLE)) as server,
        Opened(browser, f"{server.address}watch", width=1280, height=800) as opened,
    ):
        page = opened.page
        for wish, game in (
            ("#", "23.1"),
            ("#bot=greedy", "20.1"),
            ("#bot=lookahead", "22.1"),
            ("#bot=greedy&against=lookahead", "22.1"),
            ("#bot=greedy&against=champion", "12.1"),
        ):
            page.evaluate("(wish) => { location.hash = wish; }", wish)
            wait_for(page, f"document.querySelector('#deal').textContent === 'game {game}'")
            assert page.is_visible("#follow")
            assert page.is_hidden("#missing")
        page.goto(f"{server.address}watch#bot=heron")
        text = "No game of heron is being played, and none is stored yet. Watch the run"
        wait_for(page, f"document.querySelector('#missing').innerText === '{text}'")
        assert page.is_hidden("#nothing")
        page.click("#missing a")
        page.wait_for_selector("#deal:has-text('game 23.1')")  # on a new page
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(6)
def test_tournament_without_games_says_how_to_begin(
    played: Path, tmp_path: Path, browser: Any
) -> None:
    """It names the command and leads to Play; while a run begins, it waits for its games."""
    with closing(Store.open_in(ResultsFolder(played))) as store:
        meta = store.meta().model_copy(update={"over": False})
    (tmp_path / "r").mkdir()
    Store.create(tmp_path / "r" / "games.sqlite", meta).close()
    results = ResultsFolder(tmp_path / "r")
    with served(str(results.path), "--games", str(tmp_path / "games")) as server:
        address = f"{server.address}watch"
        with Opened(browser, address, width=390, color_scheme="dark") as opened:
            page = opened.page
            idle = "Nothing is being played now."
            assert page.inner_text("#state") == idle
            assert page.inner_text("#nothing pre") == "pwtourney run CONFIG --results FOLDER"
            assert page.is_hidden("#large")
            check(page, 390)
            with results:
                page.wait_for_selector("#to-come:visible")
                assert page.is_hidden("#to-begin")
                assert page.inner_text("#state") == "A run goes on; no game is being played now."
            page.wait_for_selector("#to-begin:visible")
            page.click("#nothing >> text=play")
            page.wait_for_selector("h1 >> text=Play")
            assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_results_and_standings_stand_next_to_the_games(server: Server, browser: Any) -> None:
    """Each result names both bots and their points, and leads to its game on this server."""
    with Opened(browser, f"{server.address}watch") as opened:
        page = opened.page
        # what is known of the pairing comes last, and draws the results again
        wait_for(page, "document.querySelector('#pairing').textContent")
        assert page.locator("#results li").count() == 6
        for row in page.locator("#results li").all():
            left, right = (points.bounding_box() for points in row.locator(".points").all())
            assert left is not None
            assert right is not None
            assert (
                left["y"] + left["height"] <= right["y"] or left["x"] + left["width"] <= right["x"]
            )
        head = page.locator("#standings th[scope=col]").all_inner_texts()
        assert head == ["#", "Bot", "Elo", "±95%", "Games"]
        assert page.locator("#standings tbody tr").count() == 3
        assert page.inner_text("#progress") == "3 pairs played."
        first = page.locator("#results a").first
        game = page.locator("#results li").first.get_attribute("data-game")
        assert first.get_attribute("href") == f"/game/{game}"
        first.click()
        wait_for(page, f"document.querySelector('#deal')?.textContent === 'game {game}'")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
@pytest.mark.parametrize(
    ("width", "height"),
    [(1280, 800), pytest.param(1920, 1080, marks=pytest.mark.thorough)],
)
def test_standings_stand_next_to_the_boards_in_the_first_screen(
    server: Server, browser: Any, width: int, height: int
) -> None:
    """All rows are in it, at the height of the quilt boards, and right of both."""
    with Opened(browser, f"{server.address}watch", width=width, height=height) as opened:
        page = opened.page
        wait_for(page, "document.querySelector('#standings tbody tr')")
        page.wait_for_selector("#large .quilt")
        page.evaluate(DRAWN)
        boards = [page.locator(f"#seat-{seat} .quilt").bounding_box() for seat in (0, 1)]
        rows = [row.bounding_box() for row in page.locator("#standings tr").all()]
        assert len(rows) == 1 + 3
        for row in rows:
            assert row is not None
            assert row["x"] + row["width"] <= width
            for board in boards:
                assert board is not None
                assert board["x"] + board["width"] <= row["x"]
                assert row["y"] + row["height"] <= board["y"] + board["height"] <= height


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_button_fills_the_screen_with_the_games_and_leaves_it(server: Server, browser: Any) -> None:
    """Its name says what it does next, after Escape of the browser, too; the games are drawn."""
    with Opened(browser, f"{server.address}watch") as opened:
        page = opened.page
        page.wait_for_selector("#large .quilt")
        filled = "document.fullscreenElement?.id ?? ''"
        assert page.inner_text("#full") == "full screen"
        page.click("#full")
        wait_for(page, f"({filled}) === 'evening'")
        page.wait_for_selector("#full >> text=leave full screen")
        assert page.is_visible("#large .quilt >> nth=0")
        assert page.is_visible("#standings")
        page.click("#full")
        wait_for(page, f"({filled}) === ''")
        page.wait_for_selector("#full:text-is('full screen')")
        page.click("#full")
        wait_for(page, f"({filled}) === 'evening'")
        page.evaluate("document.exitFullscreen()")  # as the browser does after Escape
        page.wait_for_selector("#full:text-is('full screen')")
        assert opened.complaints == []


@STUDY_BROWSER
@pytest.mark.slow(4)
def test_sentence_is_about_the_game_that_is_shown(server: Server, browser: Any) -> None:
    """A reader who changes to another game reads about the bots of that game at once."""
    with Opened(browser, f"{server.address}watch#slot=0") as opened:
        page = opened.page
        page.wait_for_selector("#large .quilt")
        for slot in (1, 0, 1):
            page.evaluate(f"location.hash = '#slot={slot}'")
            wait_for(page, f"pwtourney.shown()?.slot === {slot}")
            page.evaluate(DRAWN)
            game = page.evaluate(f"pwtourney.game({slot})")
            (first, second), scores = game["facts"]["bots"], game["result"]["scores"]
            ending = f"{first} {scores[0]}, {second} {scores[1]}.".replace(" -", " −")
            assert ending in page.inner_text("#told")
        assert opened.complaints == []
