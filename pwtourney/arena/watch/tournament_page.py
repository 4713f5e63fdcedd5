"""The page of a tournament, which may be running or to come, and its files."""

import base64
import errno
import hashlib
import os
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pwtourney.arena.analyse.evaluations import KeptEvaluations, identify_game
from pwtourney.arena.http.answers import name_version, send_asset
from pwtourney.arena.http.guard import CONTENT_POLICY, format_policy
from pwtourney.arena.http.pages import list_links, make_page
from pwtourney.arena.play.evaluators import offer_evaluators
from pwtourney.arena.setting import Arena
from pwtourney.arena.stored import StoredGames
from pwtourney.arena.tournament_state import read_state
from pwtourney.arena.watch.current_page import CurrentPage, News
from pwtourney.arena.watch.upcoming import read_note
from pwtourney.compact_json import dump_compact
from pwtourney.errors import PwtourneyError
from pwtourney.report.page.page import live_code
from pwtourney.report.page.replays import describe_game
from pwtourney.store import ResultsFolder, Store
from pwtourney.web import Asset

__all__ = ["find_root", "routes", "show_waiting"]

_FILES = {
    "standings.json": "application/json",
    "standings.csv": "text/csv; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "games.jsonl": "application/x-ndjson",
    "junit.xml": "application/xml",
    "benchmark.json": "application/json",
}
"""The only other files of a results folder that are served, with their content types."""

_MOST_ASKED = 20
"""The most games of which a page gets the kept evaluations at once; a bot's page lists ten."""

_OF_PLY = ("number", "seat", "margin", "swing")
"""What the page needs of each ply of an evaluation."""

_CHUNK = 64 * 1024
"""The bytes of a file that each download holds in memory at a time."""


def routes(arena: Arena, prefix: str = "") -> list[Route]:
    """Return the views of the arena's tournament; none without one.

    `prefix` precedes the number of a game in addresses of the analysis.
    """
    if arena.folder is None:
        return []
    folder = arena.folder
    # an arena that is read-only has no analysis
    evaluators = offer_evaluators(arena.bots) if arena.games else []
    current, games = CurrentPage(folder, prefix, evaluators), StoredGames(arena)

    async def show(request: Request) -> Response:
        if not folder.is_used():
            return show_waiting(request, arena, "Tournament")
        file = await current.read_file(list_links(request))
        fields = {
            "Content-Security-Policy": _page_policy(),
            "Cache-Control": "private, no-cache",
            "ETag": name_version(file),
        }
        return send_asset(request, file, fields)

    async def tell(request: Request) -> Response:
        params = request.query_params
        if not folder.is_used():
            return JSONResponse(News(reload=True)._asdict())
        known = dict(part.rpartition(":")[::2] for part in params.getlist("part"))
        news = await current.tell(params.get("live", ""), known, list_links(request))
        state = await run_in_threadpool(_describe_state, folder)
        return await run_in_threadpool(_send_json, request, {**news._asdict(), "state": state})

    return [
        Route("/tournament", show),
        Route("/news.json", tell),
        Route("/state.json", partial(_show_state, folder)),
        Route("/games/{id}.json", partial(_send_game, games)),
        Route("/evaluations.json", partial(_send_evaluations, games, arena.games)),
        *(
            Route(f"/{name}", partial(_send_report, folder.path / name, kind))
            for name, kind in _FILES.items()
        ),
    ]


def show_waiting(request: Request, arena: Arena, title: str) -> Response:
    """Return the page that waits for the run of the arena's tournament."""
    return make_page(
        request,
        "waiting.html.j2",
        title,
        name=arena.folder.path.name if arena.folder else "",
        folder=arena.describe_folder(),
        root=find_root(request),
        can_play=arena.games is not None,
    )


def find_root(request: Request) -> str:
    """Return the path below which a tournament of a shelf has its views; empty for the arena's."""
    return quote(request.scope.get("root_path", ""))


def _send_json(request: Request, data: Any) -> Response:
    return send_asset(request, Asset.of(dump_compact(data), "application/json"), {})


def _send_game(games: StoredGames, request: Request) -> Response:
    """Answer with one game and all of its plies."""
    try:
        record, edition = games.read_tournament(request.path_params["id"])
        return _send_json(request, describe_game(record, edition))
    except PwtourneyError:
        return JSONResponse({"problem": "this tournament has no such game"}, 404)


def _send_evaluations(games: StoredGames, folder: Path | None, request: Request) -> Response:
    """Answer with the kept evaluations of games by their ids; those without any are left out."""
    if folder is None:
        return _send_json(request, {})
    kept = KeptEvaluations(folder / "evaluations")
    described = {}
    for key in request.query_params.getlist("game")[:_MOST_ASKED]:
        with suppress(PwtourneyError):  # it is not a game of this tournament
            evaluations = kept.read(identify_game(*games.read_tournament(key)))
            if evaluations:
                described[key] = [*map(_describe_evaluation, evaluations)]
    return _send_json(request, described)


def _describe_evaluation(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page draws of an evaluation: the bot, its limit, and what it expected."""
    plies = [{key: ply.get(key) for key in _OF_PLY} for ply in kept["plies"]]
    return {"bot": kept["bot"], "limit": kept["limit"], "plies": plies}


def _page_policy() -> str:
    """Return the content policy of the report's page, whose style and scripts are inline."""
    style, script = (
        f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
        for code in live_code()
    )
    changes = {
        "script-src": f"'self' {script}",
        # drawings have the places and colours of their marks in style attributes
        "style-src": f"'self' {style}",
        "style-src-attr": "'unsafe-inline'",
    }
    return format_policy({**CONTENT_POLICY, **changes})


def _show_state(folder: ResultsFolder, _: Request) -> Response:
    """Answer with the number of stored pairs, the running pairs and the next pairs."""
    return JSONResponse(_describe_state(folder))


def _describe_state(folder: ResultsFolder) -> dict[str, Any]:
    """Return how far a tournament is, and its running and next pairs."""
    if not folder.is_used():
        return {"waiting": True}
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
        state = {"head": read_state(store).name, "pairs": store.count(), "over": meta.over}
    return state | {"planned": meta.pairs} | read_note(folder)


def _send_report(path: Path, kind: str, request: Request) -> Response:
    """Answer with a file of the results folder."""
    try:
        # A user who can write to the folder must not make us serve another file through a symbolic
        # link (O_NOFOLLOW), or block on a FIFO (O_NONBLOCK).
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ELOOP, errno.ENXIO):
            raise
        raise HTTPException(404, "There is no such report yet") from error
    status = os.fstat(file)
    if not stat.S_ISREG(status.st_mode):
        os.close(file)
        raise HTTPException(404, "There is no such report yet")
    headers = {"Content-Type": kind, "Content-Length": str(status.st_size)}
    if request.method == "HEAD":
        os.close(file)
        return Response(headers=headers)
    return _OpenFile(file, status.st_size, headers)


class _OpenFile(StreamingResponse):
    """An answer with the first `size` bytes of a file; it always closes the descriptor."""

    def __init__(self, file: int, size: int, headers: Mapping[str, str]) -> None:
        super().__init__(self._read(size), headers=headers)
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            os.close(self._file)

    async def _read(self, size: int) -> AsyncIterator[bytes]:
        """Yield chunks of the file as the client reads; stop early if the file is truncated."""
        sent = 0
        while sent < size:
            part = await run_in_threadpool(os.pread, self._file, min(_CHUNK, size - sent), sent)
            if not part:
                return
            sent += len(part)
            yield part
