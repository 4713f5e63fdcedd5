"""Requests to an application in this process, without a server and its sockets."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from starlette.types import ASGIApp

__all__ = ["Reply", "ask", "post", "read_events"]


class Reply(NamedTuple):
    """An answer of an application; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


def _describe(
    path: str, method: str, headers: Mapping[str, str] | None, query: str
) -> dict[str, Any]:
    """Return a request as a server passes it on (asgi.readthedocs.io, HTTP connection scope)."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (name.lower().encode(), value.encode()) for name, value in (headers or {}).items()
        ],
        "client": ("127.0.0.1", 40_000),
        "server": ("127.0.0.1", 80),
    }


class _Client:
    """A client that sends a body, stays connected, and keeps what it receives."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self.messages: list[Mapping[str, Any]] = []
        self.news = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        """Return the body, and then wait forever."""
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Mapping[str, Any]) -> None:
        """Keep a message."""
        self.messages.append(message)
        self.news.set()

    @property
    def body(self) -> bytes:
        """The parts of the body that have been received, joined."""
        return b"".join(message.get("body", b"") for message in self.messages)


async def ask(
    app: ASGIApp,
    path: str,
    method: str = "GET",
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    query: str = "",
) -> Reply:
    """Send a request, and return the whole answer."""
    client = _Client(body)
    await app(_describe(path, method, headers, query), client.receive, client.send)
    begun = client.messages[0]
    fields = {name.decode(): value.decode() for name, value in begun["headers"]}
    return Reply(begun["status"], fields, client.body)


async def post(app: ASGIApp, path: str, words: object) -> tuple[int, Any]:
    """Send JSON as a page does; return the status and the answer."""
    kind = {"Content-Type": "application/json"}
    reply = await ask(app, path, "POST", json.dumps(words).encode(), kind)
    return reply.status, json.loads(reply.body)


async def read_events(
    app: ASGIApp, path: str, count: int, query: str = ""
) -> list[tuple[str, Any]]:
    """Return the first events of a stream: names and data; then leave it."""
    client = _Client(b"")
    serving: asyncio.Task[None] = asyncio.ensure_future(
        app(_describe(path, "GET", None, query), client.receive, client.send)
    )
    try:
        while True:
            parts = client.body.decode().split("\n\n")[:-1]
            events = [part for part in parts if part.startswith("event: ")]
            if len(events) >= count or serving.done():
                break
            client.news.clear()
            coming = asyncio.create_task(client.news.wait())
            await asyncio.wait((coming, serving), return_when=asyncio.FIRST_COMPLETED)
            coming.cancel()
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
    lines = [event.split("\n") for event in events[:count]]
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in lines
    ]
