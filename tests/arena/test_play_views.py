"""The pages and requests of people who play, answered by the application in this process."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from pwtourney.arena.app import make_app
from pwtourney.arena.play import views as module
from pwtourney.arena.setting import Arena
from pwtourney.web import find_assets
from tests.arena.inside import ask, exchange
from tests.arena.playing import GREEDY, PERSON
from tests.arena.seated import CIRCLE, answer_with, read_log
from tests.arena.serving import Answer
from tests.loops import run_apart, until

BEN = {**PERSON, "name": "Ben"}
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module", autouse=True)
def _bundled() -> None:
    """Make the scripts of the pages once for all tests."""
    find_assets()


@asynccontextmanager
async def opened(games: Path, **more: Any) -> AsyncIterator[Starlette]:
    """Make the application of an arena, which is closed at the end."""
    chosen = {
        "bots": {"greedy": "greedy", "mine": "./mine.py"},
        "editions": {"original": "original", "express": "express"},
        **more,
    }
    arena = Arena(games=games, **chosen)
    try:
        yield make_app(arena)
    finally:
        await arena.last.aclose()


async def post(app: Starlette, path: str, body: object) -> tuple[int, Any]:
    """Send JSON as a page does; return the status and the answer."""
    answer = await ask(app, path, "POST", json.dumps(body).encode(), headers=JSON)
    return answer.status, json.loads(answer.body)


async def begin(app: Starlette, *seats: dict[str, Any], **more: Any) -> str:
    """Begin a game; return the path of its table."""
    status, answer = await post(app, "/play/new", {"seats": seats, "deal": "2014", **more})
    assert status == 200, answer
    assert list(answer) == ["id"]
    return f"/play/{answer['id']}"


def facts_of(answer: Answer) -> dict[str, Any]:
    """Return the facts that a page gives its script."""
    text = answer.body.decode().partition('id="facts">')[2].partition("</script>")[0]
    facts: dict[str, Any] = json.loads(text)
    return facts


def test_arena_without_a_folder_for_games_has_no_views_to_play() -> None:
    """It is read-only."""
    assert module.routes(Arena(), None) == []


def test_form_for_a_new_game_offers_what_the_arena_has(tmp_path: Path) -> None:
    """Bots and editions by their names, and the levels of the Automa."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            for path in ("/play", "/play/new", "/play?from=&ply=3&other=1"):
                answer = await ask(app, path)
                assert answer.status == 200
                facts = facts_of(answer)
                assert facts == {
                    "opponents": [
                        {"bot": "greedy", "levels": ["beginner", "casual", "club"]},
                        {"bot": "mine", "levels": []},
                    ],
                    "editions": [
                        {"name": "original", "title": "Patchwork (2014)", "automa": True},
                        {"name": "express", "title": "Patchwork Express (2018)", "automa": False},
                    ],
                    "levels": ["intern", "apprentice", "fellow", "master", "legend"],
                    "branch": None,
                    "given": {},
                    "unfinished": {},
                }
            text = answer.body.decode()
            assert "<title>Play · pwtourney</title>" in text
            assert 'data-opponent="greedy"' in text
            assert 'data-opponent="greedy" data-level="casual">casual' in text
            assert '<span class="elo">0 Elo <span class="scale">(greedy = 0)</span></span>' in text
            assert "Games are kept here move by move" in text
            given = facts_of(await ask(app, "/play/new?edition=express&deal=7&position=a+b&x=1"))
            assert given["given"] == {"edition": "express", "position": "a b", "deal": "7"}

    run_apart(run())


def test_games_are_listed_with_their_players(tmp_path: Path) -> None:
    """A game to continue has its boards, one that is over its result; each can be deleted."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            name = table.removeprefix("/play/")
            answer = await ask(app, "/play")
            text = answer.body.decode()
            assert f'<a href="{table}"><span class="boards-of" data-game="{name}">' in text
            (drawn,) = facts_of(answer)["unfinished"].values()
            assert (drawn["names"], drawn["game"]["plies"]) == (["Ann", "Ben"], [])
            assert '<h2 id="unfinished-title">Continue</h2>' in text
            link = f'<a class="tool main" href="{table}">Continue Ann – Ben</a>'
            assert f'{link} <span class="lead">0 moves, ' in text
            assert re.search(r"Patchwork \(2014\), 0 moves, \d{4}-\d\d-\d\d<", text)
            assert f'data-delete="{name}" aria-label="delete the game Ann – Ben"' in text
            # who comes with a position has chosen already
            on = (await ask(app, "/play/new?edition=original&position=a+b")).body.decode()
            assert "<h1>Play on</h1>" in on
            assert table not in on
            assert '<details id="start"><summary>The position as text<' in on
            await post(app, f"{table}/action", {"do": "resign", "seat": 0, "version": 1})
            text = (await ask(app, "/play")).body.decode()
            assert "Continue Ann" not in text
            assert '<h2 id="games-title">Played</h2>' in text
            assert "Patchwork (2014), 0 moves: Ben won, Ann resigned<" in text
            assert f'<a href="{table}">Ann – Ben</a>' in text

    run_apart(run())


def test_branch_begins_at_the_ply_that_its_address_names(tmp_path: Path) -> None:
    """A ply beyond the last one means the last one, and a ply that is no number the first."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            name = table.removeprefix("/play/")
            for version in (1, 2, 3):
                request = {"do": "play", "action": "advance", "version": version}
                await post(app, f"{table}/action", request)
            for words, ply in (
                ("&ply=2", 2),
                ("&ply=3", 3),
                ("&ply=99999", 3),
                ("&ply=999999", 0),
                ("&ply=-1", 0),
                ("&ply=x", 0),
                ("&ply=%D9%A3", 0),  # a digit three of another script
                ("", 0),
            ):
                answer = await ask(app, f"/play/new?from={name}{words}")
                branch = facts_of(answer)["branch"]
                assert (branch["table"], branch["ply"]) == (name, ply)
                heading = f"<summary>Play on from move {ply} of an earlier game</summary>"
                assert heading in answer.body.decode()

    run_apart(run())


def test_form_of_a_branch_has_the_seats_of_its_game(tmp_path: Path) -> None:
    """The form has names, clocks, and levels of bots and the Automa; a missing game has no form."""
    seats: list[dict[str, Any]] = [
        {**PERSON, "clock": {"kind": "game", "seconds": 60, "increment": 2}},
        {"kind": "automa", "level": "2", "tactical": True},
    ]

    async def run() -> None:
        async with opened(tmp_path) as app:
            name = (await begin(app, PERSON, BEN)).removeprefix("/play/")
            branch = facts_of(await ask(app, f"/play/new?from={name}"))["branch"]
            assert branch["seating"] == {
                "edition": "original",
                "level": None,
                "tactical": False,
                "seats": [
                    {
                        "kind": "person",
                        "name": person,
                        "bot": "",
                        "level": "",
                        **UNRATED,
                        "clock": CLOCK,
                    }
                    for person in ("Ann", "Ben")
                ],
            }
            solo = (await begin(app, *seats)).removeprefix("/play/")
            seating = facts_of(await ask(app, f"/play/new?from={solo}"))["branch"]["seating"]
            assert (seating["level"], seating["tactical"]) == ("apprentice", True)
            assert seating["seats"][0]["clock"] == {
                **CLOCK,
                "game_ms": 60_000,
                "increment_ms": 2000,
            }
            casual = await begin(app, PERSON, {**GREEDY, "level": "casual"})
            path = f"/play/new?from={casual.removeprefix('/play/')}"
            bot = facts_of(await ask(app, path))["branch"]["seating"]["seats"][1]
            assert (bot["name"], bot["bot"], bot["level"]) == (
                "greedy (casual)",
                "greedy",
                "casual",
            )
            missing = await ask(app, "/play/new?from=nothing&ply=0")
            assert missing.status == 404
            assert "There is no such game." in missing.body.decode()

    run_apart(run())


def test_level_of_a_bot_survives_the_server(tmp_path: Path) -> None:
    """The journal has its options and the name that shows it."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, {**GREEDY, "level": "club"})
        async with opened(tmp_path) as app:
            bot = facts_of(await ask(app, table))["seats"][1]
        assert (bot["name"], bot["level"]) == ("greedy (club)", "club")

    run_apart(run())


UNRATED = {"rating": "", "about": ""}
"""What is said of a person, and of a bot that does not come with the package."""

CLOCK = {"move_ms": None, "game_ms": None, "increment_ms": 0, "cpu": False, "wall_ms": None}


def test_page_of_a_table_has_all_that_its_script_needs(tmp_path: Path) -> None:
    """The edition, the seats, the strongest bot for hints, and the state."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, {**GREEDY, "bot": "mine"})
            answer = await ask(app, table)
            text = answer.body.decode()
            assert answer.status == 200
            assert "<title>Ann – mine · pwtourney</title>" in text
            assert '<h1 class="spoken">Ann – mine, Patchwork (2014)</h1>' in text
            assert f'<a class="tool" href="{table}/game" id="save" download>' in text
            facts = facts_of(answer)
            state, edition = facts.pop("state"), facts.pop("edition")
            assert (edition["rows"], edition["columns"], edition["last"]) == (9, 9, 53)
            assert (state["version"], state["turn"], state["plies"]) == (1, 0, [])
            assert ",".join(map(str, state["start"]["circle"])) == CIRCLE
            assert facts == {
                "id": table.removeprefix("/play/"),
                "seats": [
                    {
                        "kind": "person",
                        "name": "Ann",
                        "bot": "",
                        "level": "",
                        **UNRATED,
                        "clock": CLOCK,
                    },
                    {
                        "kind": "bot",
                        "name": "mine",
                        "bot": "mine",
                        "level": "",
                        **UNRATED,
                        "clock": {**CLOCK, "move_ms": 10_000},
                    },
                ],
                "people": [0],
                "bots": ["greedy", "mine"],
                "hint": "greedy",
                "evaluators": [{"bot": "greedy", "ms": 1000}],
            }
            solo = await begin(app, PERSON, {"kind": "automa", "level": "5"})
            text = (await ask(app, solo)).body.decode()
            assert "Patchwork (2014), Automa: legend" in text
            missing = await ask(app, "/play/abcdefghijkm")
            assert missing.status == 404

    run_apart(run())


@pytest.mark.parametrize(
    ("bots", "hint"),
    [
        (("greedy", "champion", "lookahead"), "champion"),
        (("greedy", "lookahead"), "lookahead"),
        (("mine",), ""),
    ],
)
def test_strongest_bot_of_the_arena_gives_hints(
    tmp_path: Path, bots: tuple[str, ...], hint: str
) -> None:
    """The champion, then lookahead, then greedy."""

    async def run() -> None:
        async with opened(tmp_path, bots={bot: bot for bot in bots}) as app:
            facts = facts_of(await ask(app, await begin(app, PERSON, BEN)))
            assert facts["hint"] == hint

    run_apart(run())


def test_action_is_answered_with_the_new_state(tmp_path: Path) -> None:
    """A refusal has a status and a reason; the body must be JSON."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            request = {"do": "play", "action": "21:r0:a1", "version": 1}
            status, answer = await post(app, f"{table}/action", request)
            assert (status, set(answer)) == (200, {"version", "state"})
            assert (answer["version"], answer["state"]["version"]) == (2, 2)
            assert [ply[1] for ply in answer["state"]["plies"]] == ["21:r0:a1"]
            status, answer = await post(app, f"{table}/action", request)
            assert status == 409
            assert answer["problem"].startswith("the game has gone on meanwhile")
            plain = await ask(app, f"{table}/action", "POST", b"{}")
            assert plain.status == 400
            assert (await post(app, "/play/abcdefghijkm/action", request))[0] == 404

    run_apart(run())


def test_action_is_looked_at_without_being_played(tmp_path: Path) -> None:
    """Its effect, or the rule that forbids it; the game stays as it is."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            for action, problem in (
                ("21:r0:a1", ""),
                ("20:r0:a1", "patch 20 costs 10 buttons and you have 5"),
            ):
                status, answer = await post(app, f"{table}/look", {"action": action})
                assert (status, answer["problem"]) == (200, problem)
            status, answer = await post(app, f"{table}/look", {})
            assert (status, answer["problem"].split(":")[0]) == (422, "'None' is not an action")
            assert facts_of(await ask(app, table))["state"]["plies"] == []

    run_apart(run())


def test_hint_is_given_by_a_bot_of_the_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page names the bot as the list does, and the bot has two seconds."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log, {"hint": "advance", "info": "depth 3"})
    hint = {"hint": "advance", "expects": None}

    async def run() -> None:
        async with opened(tmp_path / "games") as app:
            table = await begin(app, PERSON, BEN)
            request = {"bot": "mine", "version": 1}
            assert await post(app, f"{table}/hint", request) == (200, hint)
            reason = {"problem": "a hint needs the name of a bot and a version"}
            for wrong in ({**request, "bot": "./mine.py"}, {**request, "version": "1"}, {}):
                assert await post(app, f"{table}/hint", wrong) == (422, reason)

    run_apart(run())
    assert read_log(log)[1] == {"want": "hint", "plies": [], "bot": "./mine.py", "move_ms": 2000}


def test_hint_is_dropped_if_its_page_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bot would think for nobody."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log)

    async def run() -> None:
        async with opened(tmp_path / "games") as app:
            table = await begin(app, PERSON, BEN)
            body = json.dumps({"bot": "mine", "version": 1}).encode()
            talking = exchange(app, f"{table}/hint", "POST", body, headers=JSON)
            async with talking as (talk, serving):
                await until(lambda: len(read_log(log)) >= 2)
                talk.leave()
                await until(serving.done)
            assert talk.answer.status == 408

    run_apart(run())


def read_events(body: bytes) -> list[dict[str, Any]]:
    """Return the states in a stream."""
    return [
        json.loads(line.removeprefix(b"data: "))
        for line in body.splitlines()
        if line.startswith(b"data: ")
    ]


def test_page_follows_a_table_until_it_is_closed(tmp_path: Path) -> None:
    """The page gets the first state at once, one after each change, and the reason at the end."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            clock = {"kind": "move", "seconds": 60}
            table = await begin(app, {**PERSON, "clock": clock}, BEN)
            async with exchange(app, f"{table}/events") as (talk, serving):
                await until(lambda: len(read_events(talk.body)) == 1)
                # a browser shows the table, so its clock runs
                assert read_events(talk.body)[0]["clock"]["running"] is True
                request = {"do": "play", "action": "advance", "version": 1}
                await post(app, f"{table}/action", request)
                await until(lambda: len(read_events(talk.body)) == 2)
                assert [state["version"] for state in read_events(talk.body)] == [1, 2]
                assert not serving.done()
                assert await post(app, f"{table}/delete", {}) == (200, {})
                await until(serving.done)
            *_, last = read_events(talk.body)
            assert last["trouble"] == "this game has been deleted"
            assert talk.is_over
            assert list(tmp_path.iterdir()) == []
            assert (await post(app, f"{table}/delete", {}))[0] == 404
            assert (await ask(app, f"{table}/delete", "POST", b"")).status == 400

    run_apart(run())


def test_page_that_leaves_stops_the_clock(tmp_path: Path) -> None:
    """The table counts its viewers, and falls asleep after the last one."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            (views,) = {
                route.endpoint.__self__  # type: ignore[attr-defined]
                for route in app.routes
                if getattr(route, "path", "") == "/play/{id}"
            }
            seated = await views._tables.find(table.removeprefix("/play/"))
            async with exchange(app, f"{table}/events") as (talk, _):
                await until(lambda: talk.body.count(b"data: "))
                assert seated.is_in_use
            assert not seated.is_in_use

    run_apart(run())


def test_finished_game_can_be_downloaded(tmp_path: Path) -> None:
    """The file has the name of its table, and does not exist before the end."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            answer = await ask(app, f"{table}/game")
            assert answer.status == 404
            assert "<h1>Not found</h1>\n<p>A game is saved when it has ended.</p>" in (
                answer.body.decode()
            )
            request = {"do": "resign", "seat": 1, "version": 1}
            await post(app, f"{table}/action", request)
            answer = await ask(app, f"{table}/game")
            name = f"{table.removeprefix('/play/')}.game"
            assert answer.status == 200
            assert answer.headers["content-type"] == "text/plain; charset=utf-8"
            assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
            assert answer.body == (tmp_path / name).read_bytes()
            (tmp_path / name).unlink()
            assert (await ask(app, f"{table}/game")).status == 404

    run_apart(run())


def test_end_of_the_server_closes_all_tables(tmp_path: Path) -> None:
    """Their pages see why, and the streams end."""

    async def run() -> None:
        async with opened(tmp_path) as app:
            table = await begin(app, PERSON, BEN)
            talking = exchange(app, f"{table}/events")
            talk, serving = await talking.__aenter__()
            await until(lambda: talk.body.count(b"data: "))
        await until(serving.done)
        assert read_events(talk.body)[-1]["trouble"] == "the arena has ended"
        await talking.__aexit__(None, None, None)

    run_apart(run())
