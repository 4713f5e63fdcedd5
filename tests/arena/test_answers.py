"""Error answers are JSON for a page that posts, and an HTML page otherwise."""

import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pwtourney.arena.app import make_app
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.setting import Arena
from pwtourney.errors import StoreError
from tests.arena.analysing import play_games
from tests.arena.playing import begin, post
from tests.arena.serving import Server, served
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
        assert post(arena, path, b"{") == (400, {"problem": "This is not JSON"})
    assert post(arena, "/nowhere", {}) == (404, {"problem": "Not Found"})
    assert begin(arena, {"kind": "person"}, {"kind": "person"})


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_missing_results_are_reported_without_their_path(once: Once, tmp_path: Path) -> None:
    """In the list of games that a page requests, and on the pages themselves."""
    shutil.copytree(once("analysis", play_games) / "r", tmp_path / "r")
    with served(str(tmp_path / "r"), "--games", str(tmp_path / "games")) as server:
        assert post(server, "/analyse/games", {})[0] == 200
        for file in (tmp_path / "r").glob("games.sqlite*"):
            file.unlink()
        status, answer = post(server, "/analyse/games", {})
        assert status == 422
        page = server.ask("/watch")
    assert page.status == 503
    assert answer["problem"]
    assert str(tmp_path) not in answer["problem"] + page.body.decode()
