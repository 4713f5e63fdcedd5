"""The page of a tournament while it runs, served to this machine only, and read-only."""

import json
import threading
import time
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pwtourney.errors import PwtourneyError
from pwtourney.report.collectors import GameIndex
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

    # a reader that never closes its connection must not keep the program from ending
    daemon_threads = True

    def __init__(self, folder: ResultsFolder, port: int) -> None:
        self.folder = folder
        self.cache = _Cache(folder)
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of readers that go away."""


def _name_state(store: Store) -> str:
    """Return a name for all that a page shows: the games, and what is said of them."""
    meta = store.meta()
    # the games alone are not enough: a run that was extended shows other plans before it plays
    said = meta.model_dump(include={"over", "schedule", "gates", "ratings", "pairs"})
    return record_hash(store.head(), json.dumps(said, sort_keys=True))


class _Cache:
    """The page as it was made last; it is made again when there is something new, but not always.

    Several readers share it, so one at a time makes it.
    """

    def __init__(self, folder: ResultsFolder) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._text = b""
        self._head = ""
        self._next = 0.0

    def page(self) -> bytes:
        """Return the page."""
        # the others wait, instead of making the same page at the same time
        with self._lock:
            began = time.monotonic()
            if self._text and began < self._next:
                return self._text
            # as one, or the page could show a game that its summary does not count
            with closing(Store.open_in(self._folder)) as store, store.as_one():
                head = _name_state(store)
                if head == self._head:
                    return self._text
                index = GameIndex()
                summary = summarise(store, index.add)
                text = page(summary, index, store.meta(), store.edition(), live=head)
            self._text, self._head = text.encode(), head
            self._next = time.monotonic() + _SHARE * (time.monotonic() - began)
            return self._text


class _Handler(BaseHTTPRequestHandler):
    server: LiveServer
    # seconds: a reader that asks for nothing, or takes nothing, is let go
    timeout = 60
    # as little as possible of what runs here
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
        # a page elsewhere can give its own name this address (DNS rebinding), and would then be
        # allowed to read what it asks for: its name is in the header
        host = (self.headers.get("Host") or "").partition(":")[0]
        if host not in ("127.0.0.1", "localhost"):
            self.send_error(403, "This page is served to this machine only")
            return
        try:
            content = self._read_content(self.path.partition("?")[0])
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
        # names of bots and their messages are in what is served: no browser may take it for a
        # script, and no other page may load it
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        if body:
            self.wfile.write(data)

    def _read_content(self, path: str) -> tuple[str, bytes] | None:
        """Return the type and the bytes of what is served under a path, None for nothing."""
        folder = self.server.folder
        if path == "/":
            return "text/html; charset=utf-8", self.server.cache.page()
        if path in _FILES:
            file = folder.path / path[1:]
            # whoever can write to the folder must not have us show another file through a link
            if file.is_symlink() or not file.is_file():
                return None
            return _FILES[path], file.read_bytes()
        if path != "/state.json":
            return None
        with closing(Store.open_in(folder)) as store:
            meta = store.meta()
            state = {"head": _name_state(store), "pairs": store.count(), "over": meta.over}
        state |= {"planned": meta.pairs, "running": [], "next": []}
        # without a lock nobody runs, and the note is of a run that was killed
        note = folder.path / RUNNING
        if folder.is_locked() and note.is_file() and not note.is_symlink():
            # it comes and goes with the pairs, and may be of another version of the program
            with suppress(OSError, ValueError, KeyError, TypeError):
                noted = json.loads(note.read_text(encoding="utf-8"))
                state |= {key: noted[key] for key in ("running", "next")}
        return "application/json", json.dumps(state).encode()
