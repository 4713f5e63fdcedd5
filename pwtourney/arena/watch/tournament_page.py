"""The page of a tournament, which may be running or to come, and its files."""

import asyncio
import base64
import errno
import hashlib
import json
import os
import stat
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pwtourney.arena.http.answers import name_version, send_asset
from pwtourney.arena.http.guard import CONTENT_POLICY, format_policy
from pwtourney.arena.http.pages import list_links, make_page
from pwtourney.arena.http.strict_json import parse_json
from pwtourney.arena.setting import Arena
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.page import Link, live_code, page
from pwtourney.report.summary import summarise_with_statistics
from pwtourney.store import ResultsFolder, Store, record_hash
from pwtourney.store.folder import RUNNING
from pwtourney.web import Asset

__all__ = ["routes", "show_waiting"]

_SHARE = 10
"""The page is rendered again after this many times the duration of the last rendering."""

_FILES = {
    "standings.json": "application/json",
    "standings.csv": "text/csv; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "games.jsonl": "application/x-ndjson",
    "junit.xml": "application/xml",
    "benchmark.json": "application/json",
}
"""The only other files of a results folder that are served, with their content types."""

_CHUNK = 64 * 1024
"""The bytes of a file that each download holds in memory at a time."""


def routes(arena: Arena, prefix: str = "") -> list[Route]:
    """Return the views of the arena's tournament; none without one.

    `prefix` precedes the number of a game in addresses of the analysis.
    """
    if arena.folder is None:
        return []
    folder = arena.folder
    current = _CurrentPage(folder, prefix)

    async def show(request: Request) -> Response:
        if not folder.is_used():
            return show_waiting(request, arena, "Tournament")
        asset = await current.read(list_links(request))
        fields = {
            "Content-Security-Policy": _page_policy(),
            "Cache-Control": "private, no-cache",
            "ETag": name_version(asset),
        }
        return send_asset(request, asset, fields)

    return [
        Route("/tournament", show),
        Route("/state.json", partial(_show_state, folder)),
        *(
            Route(f"/{name}", partial(_send_report, folder.path / name, kind))
            for name, kind in _FILES.items()
        ),
    ]


def show_waiting(request: Request, arena: Arena, title: str) -> Response:
    """Return the page that waits for the run of the arena's tournament."""
    name = arena.folder.path.name if arena.folder else ""
    can_play = arena.games is not None
    return make_page(request, "waiting.html.j2", title, name=name, can_play=can_play)


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


def _name_state(store: Store) -> str:
    """Return a hash of all that the page shows: the games, and the plan and verdicts of the run."""
    meta = store.meta()
    # the games alone are not enough: an extended run has a new plan before it plays a game
    said = meta.model_dump(include={"over", "schedule", "gates", "ratings", "pairs"})
    return record_hash(store.head(), json.dumps(said, sort_keys=True))


class _CurrentPage:
    """The last rendered page, rendered again if there is news and the last rendering is old enough.

    All readers share it, and only one at a time renders it. `now` returns seconds.
    """

    def __init__(
        self, folder: ResultsFolder, prefix: str = "", now: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder = folder
        self._prefix = prefix
        self._now = now
        self._lock = asyncio.Lock()
        self._page = Asset.of("", "text/html")
        self._head = ""
        self._next = 0.0

    async def read(self, links: list[Link]) -> Asset:
        """Return the page, with links to the other views."""
        # the other readers wait, instead of rendering the same page at the same time
        async with self._lock:
            if not self._head or self._now() >= self._next:
                await run_in_threadpool(self._make, links)
            return self._page

    def _make(self, links: list[Link]) -> None:
        began = self._now()
        # in one transaction: otherwise the page could show a game that its summary does not count
        with closing(Store.open_in(self._folder)) as store, store.as_one():
            head = _name_state(store)
            if head == self._head:
                return
            index = GameIndex()
            summary = summarise_with_statistics(store, index.add)
            text = page(
                summary,
                index,
                store.meta(),
                store.edition(),
                live=head,
                links=links,
                prefix=self._prefix,
            )
        self._page = Asset.of(text, "text/html")
        self._head = head
        self._next = self._now() + _SHARE * (self._now() - began)


def _show_state(folder: ResultsFolder, _: Request) -> Response:
    """Answer with the number of stored pairs, the running pairs and the next pairs."""
    if not folder.is_used():
        return JSONResponse({"waiting": True})
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
        state = {"head": _name_state(store), "pairs": store.count(), "over": meta.over}
    state |= {"planned": meta.pairs, "running": [], "next": []}
    # without a lock there is no run, and the file is from a run that was killed
    note = folder.path / RUNNING
    if folder.is_locked() and note.is_file() and not note.is_symlink():
        # the file changes with each pair, and another version of the program may have written it
        with suppress(OSError, ValueError, KeyError, TypeError):
            noted = parse_json(note.read_bytes())
            return JSONResponse(state | {key: noted[key] for key in ("running", "next")})
    return JSONResponse(state)


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
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        os.close(file)
        raise HTTPException(404, "There is no such report yet")
    headers = {"Content-Type": kind, "Content-Length": str(found.st_size)}
    if request.method == "HEAD":
        os.close(file)
        return Response(headers=headers)
    return _OpenFile(file, found.st_size, headers)


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
