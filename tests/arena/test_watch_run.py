"""Watching a tournament that is really played: what is said belongs to the game that is shown."""

import json
import shutil
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import tests.misbehaving
from pwtourney.notation.game import Game
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import RUNNING
from tests.arena.serving import served
from tests.arena.test_table_layout import PLACES
from tests.arena.test_watch import begin, play_league, write_live
from tests.report.browser import STUDY_BROWSER, Opened, wait_for
from tests.sharing import Once

pytestmark = [STUDY_BROWSER, pytest.mark.slow(8)]

READING = 5000
"""The milliseconds for which docs/arena.md promises that a result stays."""

RECORD = """() => {
  globalThis.scenes = [];
  let last = "";
  const text = (id) => document.getElementById(id).textContent;
  const look = () => {
    const scene = { name: text("deal"), title: text("title"), told: text("told"),
      tab: document.title,
      ended: document.getElementById("told").classList.contains("ended"),
      final: document.getElementById("final").hidden ? "" : text("final") };
    const key = JSON.stringify(scene);
    if (key !== last && !document.getElementById("large").hidden) {
      scenes.push({ at: performance.now(), ...scene });
    }
    last = key;
    setTimeout(look, 10);
  };
  look();
}"""
"""Records what the page shows whenever it changes, in `scenes`, with milliseconds."""

SHOWN_FAULT = "scenes.some(({ final }) => final.startsWith('Decided by a fault'))"


def write_league(folder: Path) -> Path:
    """Write a tournament of one slot in which one of three bots crashes in each of its games."""
    crash = [sys.executable, tests.misbehaving.__file__, "crash"]
    path = folder / "league.yaml"
    path.write_text(
        "name: league\nseed: 5\npairs: 400\nclock: {move: 5s}\nworkers: 1\naffinity: none\n"
        "processes: persistent\nmax_faults: never\nbots:\n- greedy\n- frugal\n"
        f"- {{id: clumsy, command: {json.dumps(crash)}}}\n"
    )
    return path


def split_games(scenes: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the scenes of each game that was shown, in turn."""
    games: list[list[dict[str, Any]]] = []
    for scene in scenes:
        if not games or games[-1][-1]["name"] != scene["name"]:
            games.append([])
        games[-1].append(scene)
    return games


@pytest.mark.slow(30)
def test_what_is_said_belongs_to_the_game_that_is_shown(tmp_path: Path, browser: Any) -> None:
    """Name, sentence and result change with the game, and each result stays for its time."""
    results = tmp_path / "r"
    process = begin(write_league(tmp_path), results)
    try:
        while not (results / "games.sqlite").exists():
            assert process.poll() is None
        with (
            served("serve", str(results)) as server,
            Opened(browser, f"{server.address}watch#bot=clumsy") as opened,
        ):
            page = opened.page
            page.evaluate(RECORD)
            wait_for(page, "new Set(scenes.map(({ name }) => name)).size > 2")
            wait_for(page, SHOWN_FAULT)
            scenes = page.evaluate("scenes")
            assert opened.complaints == []
    finally:
        process.kill()
        process.wait()
    *left, _ = split_games(scenes)  # the last one may not be stored
    with closing(Store.open_in(ResultsFolder(results))) as store:
        for game in left:
            pair, index = map(int, game[0]["name"].removeprefix("game ").split("."))
            for scene in game:
                check_scene(scene, store.game(pair, index))
    assert left
    for index, game in enumerate(left):
        shown = [scene["at"] for scene in game if scene["ended"]]
        assert shown, "its result was shown before the game was left"
        following = scenes[sum(map(len, left[: index + 1]))]["at"]
        assert following - shown[0] >= READING - 500  # a busy browser records the first scene late


def check_scene(scene: dict[str, Any], game: Game) -> None:
    """Check that all texts of a scene are about its game, in which the bot clumsy fails."""
    assert "clumsy" in game.bots
    assert scene["title"] == " – ".join(game.bots)
    assert all(bot in scene["tab"] for bot in game.bots)
    (other,) = {"greedy", "frugal"} - {*game.bots}
    assert other not in scene["told"]
    if scene["ended"]:
        assert game.winner is not None
        assert scene["told"] == f"{game.bots[game.winner]} wins: clumsy, crash."
        assert scene["final"].startswith("Decided by a fault")
    else:
        assert any(bot in scene["told"] for bot in game.bots)


MOVES = """() => {
  const moves = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    if (this.matches("#standings tr")) moves.push([this.cells[1].textContent, options.duration]);
    return animate.call(this, frames, options);
  };
  globalThis.moves = moves;
}"""
"""Records the rows of the standings that move, in `moves`."""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_row_moves_when_a_bot_changes_its_rank(
    once: Once, tmp_path: Path, browser: Any, motion: str
) -> None:
    """Within 0.3 s, with a mark; who prefers reduced motion sees the mark only."""
    results = shutil.copytree(play_league(once), tmp_path / "r")
    with (
        served("serve", str(results)) as server,
        Opened(browser, f"{server.address}watch", reduced_motion=motion) as opened,
    ):
        page = opened.page
        page.wait_for_selector("#standings tbody tr")
        names = page.locator("#standings tbody th").all_inner_texts()
        page.evaluate(MOVES)
        turned = [names[1], names[0], *names[2:]]

        news = json.loads(server.ask("/watch/latest.json").body)
        news["table"]["rows"][0][1], news["table"]["rows"][1][1] = turned[:2]
        news["table"]["bots"] = turned
        page.route("**/watch/latest.json*", lambda route: route.fulfill(json=news))
        page.wait_for_selector(".moved")
        assert page.locator("#standings tbody th").all_inner_texts() == turned
        ranks = page.locator("#standings td:first-child").all_text_contents()
        assert ranks[:2] == ["▲1", "▼2"]
        moves = page.evaluate("moves")
        assert sorted(name for name, _ in moves) == (
            sorted(names[:2]) if motion == "no-preference" else []
        )
        assert all(duration <= 300 for _, duration in moves)
        wait_for(page, "!document.querySelector('.moved')")
        link = page.locator("#standings th a").first
        assert link.get_attribute("href") == f"/tournament#bot={turned[0]}"
        assert opened.complaints == []


def test_pairing_is_followed_and_every_bot_offered(
    once: Once, tmp_path: Path, browser: Any
) -> None:
    """The bots of the standings and of the boards, the pairings that are played, and the boards."""
    results = shutil.copytree(play_league(once), tmp_path / "r")
    (results / RUNNING).write_text(json.dumps({"running": [], "next": []}))
    with ResultsFolder(results) as folder, served("serve", str(results)) as server:
        write_live(folder, 0, ["greedy", "frugal"], pair=7)
        write_live(folder, 1, ["newcomer", "greedy"], pair=8)
        with Opened(browser, f"{server.address}watch") as opened:
            page = opened.page
            wait_for(page, "document.querySelectorAll('#standings tbody tr').length === 3")
            groups = page.locator("#follow optgroup").evaluate_all(
                "groups => groups.map((group) => [group.label,"
                " ...[...group.children].map((option) => option.textContent)])"
            )
            assert [sorted(group[1:]) for group in groups] == [
                ["frugal", "greedy", "newcomer", "random"],
                ["frugal – greedy", "greedy – newcomer"],
                ["board 1", "board 2"],
            ]
            page.select_option("#follow", label="greedy – newcomer")
            assert page.url.endswith("#bot=greedy&against=newcomer")
            wait_for(page, "document.querySelector('#deal').textContent === 'game 8.0'")
            assert page.title() == "newcomer 81 – greedy 81 empty · Watch"
            assert page.inner_text("#progress").startswith("3 ")
            assert page.get_attribute("#progress-level", "width") == "100"
            assert opened.complaints == []


def test_standings_come_before_the_small_boards_on_a_phone(
    once: Once, tmp_path: Path, browser: Any
) -> None:
    """The tournament is named first, then come the game, its standings, the results, the others."""
    with (
        served("serve", str(play_league(once))) as server,
        Opened(browser, f"{server.address}watch", width=390, height=844) as opened,
    ):
        page = opened.page
        page.wait_for_selector("#results li")
        wait_for(page, "document.querySelectorAll('#wall > li').length === 2")
        parts = ["h1", "#large", "#standings", "#results", "#wall"]
        tops = [top for _, top, *_ in page.evaluate(PLACES, parts)]
        assert tops == sorted(tops)
        assert page.inner_text("h1").endswith("league")
        assert opened.complaints == []
