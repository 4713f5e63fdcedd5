"""The page of a tournament while it runs, served to this machine only, and read-only."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pwtourney.errors import PwtourneyError
from pwtourney.report.game_index import GameIndex
from pwtourney.report.page import page
from pwtourney.report.summary import summarise
from pwtourney.store import ResultsFolder, Store, record_hash
from pwtourney.store.folder import RUNNING

__all__ = ["LiveServer"]

_SHARE = 10
"""The page is made again after so many times the time that it took; making it is not free."""

_FILES = {
    "/standings.json": "application/json",
    "/standings.csv": "text/csv; charset=utf-8",
    "/report.md": "text/markdown; charset=utf-8",
    "/games.jsonl": "application/x-ndjson",
    "/junit.xml": "application/xml",
    "/benchmark.json": "application/json",
}
"""What else is served: these names, and no other."""


class LiveServer(ThreadingHTTPServer):
    """Serves one results folder on the loopback address."""

    daemon_threads = True

    def __init__(self, folder: ResultsFolder, port: int) -> None:
        self.folder = folder
        self.cache = _Cache(folder)
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of readers that go away."""


def state_of(store: Store) -> str:
    """Return a name for all that a page shows: the games, and what is said of them."""
    meta = store.meta()
    said = {key: meta.get(key) for key in ("over", "schedule", "gates", "ratings", "pairs")}
    return record_hash(store.head(), json.dumps(said, sort_keys=True))


class _Cache:
    """The page as it was made last; it is made again when there is something new, but not always.

    Several readers share it, so one at a time makes it.
    """

    def __init__(self, folder: ResultsFolder, now: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._now = now
        self._lock = threading.Lock()
        self._text = b""
        self._head = ""
        self._next = 0.0

    def page(self) -> bytes:
        """Return the page."""
        with self._lock:
            began = self._now()
            if not self._text or began >= self._next:
                self._make(began)
            return self._text

    def _make(self, began: float) -> None:
        with closing(Store.open(self._folder.database)) as store, store.as_one():
            head = state_of(store)
            if head == self._head:
                return
            index = GameIndex()
            summary = summarise(store, index.add)
            text = page(summary, index, store.meta(), store.edition(), live=head)
        self._text, self._head = text.encode(), head
        self._next = self._now() + _SHARE * (self._now() - began)


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    server_version = "pwtourney"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer with the page, the state, or one of the report files."""
        self._answer(body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers only."""
        self._answer(body=False)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""

    def _answer(self, *, body: bool) -> None:
        if not self._is_for_us():
            self.send_error(403, "This page is served to this machine only")
            return
        path = self.path.partition("?")[0]
        try:
            content = self._content_of(path)
        except (PwtourneyError, OSError) as error:
            self.send_error(503, "The results cannot be read now", str(error))
            return
        if content is None:
            self.send_error(404)
            return
        kind, data = content
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        if body:
            self.wfile.write(data)

    def _is_for_us(self) -> bool:
        """Refuse other names for this machine, by which a page elsewhere could read this one."""
        host = (self.headers.get("Host") or "").partition(":")[0]
        return host in ("127.0.0.1", "localhost")

    def _content_of(self, path: str) -> tuple[str, bytes] | None:
        if path == "/":
            return "text/html; charset=utf-8", self.server.cache.page()
        if path == "/state.json":
            return "application/json", json.dumps(self._state()).encode()
        if path in _FILES:
            file = self.server.folder.path / path[1:]
            # whoever can write to the folder must not have us show another file through a link
            if file.is_file() and not file.is_symlink():
                return _FILES[path], file.read_bytes()
        return None

    def _state(self) -> dict[str, Any]:
        with closing(Store.open(self.server.folder.database)) as store:
            meta = store.meta()
            state = {"head": state_of(store), "pairs": store.count(), "over": meta["over"]}
        try:
            if not self.server.folder.is_locked():
                raise ValueError("nobody runs: the note is of a run that was killed")
            running = json.loads((self.server.folder.path / RUNNING).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            running = []
        return {**state, "planned": meta["pairs"], "running": running}
