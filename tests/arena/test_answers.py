"""Error answers are JSON for a page that posts, and an HTML page otherwise."""

import json
import shutil
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from pwtourney.arena.app import make_app
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.setting import Arena
from pwtourney.errors import StoreError
from pwtourney.store import ResultsFolder
from pwtourney.web import find_path
from tests.arena import playing
from tests.arena.analysing import play_games
from tests.arena.calling import ask, post
from tests.arena.playing import begin
from tests.arena.serving import Server, served
from tests.loops import run_apart
from tests.report.leagues import make_league
from tests.sharing import Once

HOME = Path("/home/ann/games")
ERRORS: dict[str, tuple[Exception, int, int, str]] = {
    "disk": (OSError(5, "Input/output error", f"{HOME}/x.jsonl"), 503, 503, "Input/output error"),
    "odd": (HTTPException(400, "Expected JSON"), 400, 400, "xpected JSON"),
    "no": (Refusal(409, f"{HOME}/x.jsonl: it is taken"), 409, 409, ".jsonl: it is taken"),
    "store": (StoreError(f"{HOME}: no results"), 422, 503, "games: no results"),
}
"""The error that a handler raises, by its path; the statuses of POST and GET; a text."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Serve an arena with handlers that fail; return the port."""

    async def fail(request: Request) -> Response:
        raise ERRORS[request.path_params["how"]][0]

    app = make_app(Arena(games=HOME))
    app.router.routes.append(Route("/fail/{how}", fail, methods=["GET", "POST"]))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1))
    bound = socket.create_server(("127.0.0.1", 0))
    thread = Thread(target=server.run, args=([bound],))
    thread.start()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join()
    bound.close()


@pytest.mark.parametrize("how", ERRORS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_error_is_a_sentence_in_the_expected_format(port: int, how: str, method: str) -> None:
    """A script that posts gets JSON, never HTML; no path of the machine reaches a browser."""
    _, posted, seen, words = ERRORS[how]
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request(method, f"/fail/{how}")
        answer = connection.getresponse()
        body = answer.read().decode()
    assert answer.status == (posted if method == "POST" else seen)
    assert answer.headers["Content-Type"].partition(";")[0] == (
        "application/json" if method == "POST" else "text/html"
    )
    assert words in (json.loads(body)["problem"] if method == "POST" else body)
    assert str(HOME) not in body


@pytest.mark.slow
def test_invalid_json_is_refused(arena: Server) -> None:
    """The page shows the sentence, whatever was requested."""
    for path in ("/play/new", "/play/x/action", "/analyse/open"):
        assert playing.post(arena, path, b"{") == (400, {"problem": "This is not JSON"})
    assert playing.post(arena, "/nowhere", {}) == (404, {"problem": "Not Found"})
    assert begin(arena, {"kind": "person"}, {"kind": "person"})


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_damaged_results_are_reported_without_their_path(once: Once, tmp_path: Path) -> None:
    """In the list of games that a page requests, and on the pages themselves."""
    shutil.copytree(once("analysis", play_games) / "r", tmp_path / "r")
    with served(str(tmp_path / "r"), "--games", str(tmp_path / "games")) as server:
        assert playing.post(server, "/analyse/games", {})[0] == 200
        for file in (tmp_path / "r").glob("games.sqlite*"):
            file.write_bytes(b"damaged" * 1000)
        status, answer = playing.post(server, "/analyse/games", {})
        assert status == 422
        page = server.ask("/watch")
    assert page.status == 503
    assert answer["problem"]
    assert str(tmp_path) not in answer["problem"] + page.body.decode()


@asynccontextmanager
async def opened(arena: Arena, *routes: Route) -> AsyncIterator[Starlette]:
    """Run an application with more routes, from its start to its end."""
    app = make_app(arena)
    app.router.routes.extend(routes)
    async with app.router.lifespan_context(app):
        yield app


def test_page_of_an_error_says_whether_to_try_again() -> None:
    """503 is shown as "Not now", other errors by their names in HTTP, as sentences."""

    async def fail(request: Request) -> Response:
        raise ERRORS[request.path_params["how"]][0]

    async def run() -> None:
        async with opened(Arena(games=HOME), Route("/fail/{how}", fail)) as app:
            disk, odd, conflict, store = [await ask(app, f"/fail/{how}") for how in ERRORS]
            for answer, title, message in (
                (disk, "Not now", "This cannot be read or written now: Input/output error."),
                (odd, "Bad Request", "Expected JSON."),
                (conflict, "Conflict", "X.jsonl: it is taken."),
                (store, "Not now", "This cannot be read now: games: no results."),
            ):
                assert f"<title>{title} · pwtourney</title>" in answer.text
                assert f"<h1>{title}</h1>\n<p>{message}</p>" in answer.text

    run_apart(run())


def test_json_of_an_error_has_its_text_only() -> None:
    """A refused request keeps its status, and a text that names a file loses its folder."""

    async def fail(request: Request) -> Response:
        raise ERRORS[request.path_params["how"]][0]

    async def run() -> None:
        route = Route("/fail/{how}", fail, methods=["POST"])
        async with opened(Arena(games=HOME), route) as app:
            assert [await post(app, f"/fail/{how}", {}) for how in ERRORS] == [
                (503, {"problem": "this cannot be read or written now: Input/output error"}),
                (400, {"problem": "Expected JSON"}),
                (409, {"problem": "x.jsonl: it is taken"}),
                (422, {"problem": "games: no results"}),
            ]

    run_apart(run())


def test_headers_of_an_error_are_sent() -> None:
    """An answer with status 405 must list the allowed methods (RFC 9110, 15.5.6)."""

    async def run() -> None:
        async with opened(Arena(games=HOME)) as app:
            page = await ask(app, "/", "DELETE")
            posted = await ask(app, "/", "POST")
        assert (page.status, posted.status) == (405, 405)
        assert {"GET", "HEAD"} == set(page.headers["allow"].split(", "))
        assert {"GET", "HEAD"} == set(posted.headers["allow"].split(", "))
        assert "<h1>Method Not Allowed</h1>" in page.text
        assert json.loads(posted.body) == {"problem": "Method Not Allowed"}

    run_apart(run())


def test_client_that_has_gone_gets_an_empty_answer() -> None:
    """Nobody reads it: 408 is "Request Timeout" (RFC 9110, 15.5.9)."""

    async def leave(_: Request) -> Response:
        raise ClientDisconnect

    async def run() -> None:
        async with opened(Arena(), Route("/left", leave)) as app:
            answer = await ask(app, "/left")
        assert (answer.status, answer.body) == (408, b"")

    run_apart(run())


def test_views_of_an_arena_depend_on_what_it_has(tmp_path: Path) -> None:
    """A read-only arena has no play and no analysis; each page has exactly one path."""
    make_league(tmp_path).close()
    paths = ("/state.json", "/watch", "/play", "/analyse", "/analyse/")

    async def look(arena: Arena) -> list[int]:
        async with opened(arena) as app:
            return [(await ask(app, path, "HEAD")).status for path in paths]

    shown = ResultsFolder(tmp_path)
    assert run_apart(look(Arena())) == [404, 404, 404, 404, 404]
    games = tmp_path / "games"
    assert run_apart(look(Arena(games=games))) == [404, 404, 200, 200, 404]
    assert run_apart(look(Arena(shown))) == [200, 200, 404, 404, 404]


def test_style_of_pages_is_served() -> None:
    """Its name changes with its content, so browsers may keep it."""

    async def run() -> None:
        async with opened(Arena()) as app:
            answer = await ask(app, find_path("arena.css"))
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/css")

    run_apart(run())


def test_server_that_ends_runs_the_callbacks_of_its_views() -> None:
    """The processes that views have started end with it, not before."""
    arena = Arena()
    ended: list[str] = []

    async def run() -> None:
        async with opened(arena) as app:
            arena.last.callback(ended.append, "process")
            assert (await ask(app, "/")).status == 200
            assert ended == []
        assert ended == ["process"]

    run_apart(run())
