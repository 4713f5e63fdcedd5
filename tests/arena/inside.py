"""Requests to an application in this process, without a server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp

from tests.arena.serving import Answer

__all__ = ["Exchange", "ask", "exchange", "make_scope"]

Message = MutableMapping[str, Any]


def make_scope(
    target: str,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a request as a server on port 8080 of this machine passes it on."""
    path, _, query = target.partition("?")
    fields = {"host": "localhost:8080", **(headers or {})}
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "server": ("127.0.0.1", 8080),
        "client": ("127.0.0.1", 50_000),
        "root_path": "",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in fields.items()],
        **more,
    }


class Exchange:
    """A request that is being answered; `leave` is what a client does that goes away."""

    def __init__(self, body: bytes) -> None:
        self.messages: asyncio.Queue[Message] = asyncio.Queue()
        self._coming: asyncio.Queue[Message] = asyncio.Queue()
        self._coming.put_nowait({"type": "http.request", "body": body, "more_body": False})
        self.start: Message = {}
        self.body = b""
        self.is_over = False

    def leave(self) -> None:
        """Disconnect."""
        self._coming.put_nowait({"type": "http.disconnect"})

    async def receive(self) -> Message:
        """Return what the client sends."""
        return await self._coming.get()

    async def send(self, message: Message) -> None:
        """Take what the application sends."""
        if message["type"] == "http.response.start":
            self.start = message
            return
        assert message["type"] == "http.response.body"
        self.body += message.get("body", b"")
        self.is_over = not message.get("more_body", False)

    @property
    def answer(self) -> Answer:
        """The answer so far; header names are in lower case."""
        fields = {name.decode(): value.decode() for name, value in self.start["headers"]}
        return Answer(self.start["status"], fields, self.body)


@asynccontextmanager
async def exchange(
    app: Callable[..., Any], target: str, method: str = "GET", body: bytes = b"", **more: Any
) -> AsyncIterator[tuple[Exchange, "asyncio.Task[None]"]]:
    """Begin a request; at the end the client leaves, and the application must have ended."""
    talk = Exchange(body)
    scope = make_scope(target, method, **more)
    serving: asyncio.Task[None] = asyncio.ensure_future(app(scope, talk.receive, talk.send))
    try:
        yield talk, serving
    finally:
        talk.leave()
        await asyncio.wait((serving,))
    serving.result()


async def ask(
    app: ASGIApp, target: str, method: str = "GET", body: bytes = b"", **more: Any
) -> Answer:
    """Send a request; return the whole answer."""
    talk = Exchange(body)
    await app(make_scope(target, method, **more), talk.receive, talk.send)
    assert talk.is_over
    return talk.answer
