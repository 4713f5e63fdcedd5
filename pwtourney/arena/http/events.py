"""What pages send and are sent: JSON, and events as they happen (server-sent events).

Events go one way, over plain HTTP, and a browser opens the stream again by itself
(https://html.spec.whatwg.org/multipage/server-sent-events.html). What a page does is a POST.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, NamedTuple, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from pwtourney.arena.http.strict_json import parse_json
from pwtourney.compact_json import dump_compact

__all__ = ["MOST_STREAMS", "Event", "answer_while_connected", "read_json", "stream_events"]

_T = TypeVar("_T")

MOST_STREAMS = 64
"""How many pages are sent events at a time."""

_SILENCE_SECONDS = 15.0
"""After so long without an event a comment is sent: a client that has gone is noticed."""


class Event(NamedTuple):
    """An event for a page: plain data, and the name under which the page listens."""

    data: Any
    name: str = "message"


async def read_json(request: Request) -> dict[str, Any]:
    """Return the object that a page has sent; raises `HTTPException` (400) for anything else.

    Only as ``application/json``: a form of another page cannot send that.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(400, "Expected JSON, with this content type")
    try:
        found = parse_json(await request.body())
    except ValueError as error:
        raise HTTPException(400, "This is not JSON") from error
    if not isinstance(found, dict):
        raise HTTPException(400, "Expected an object of JSON")
    return found


async def answer_while_connected(request: Request, answer: Coroutine[Any, Any, _T]) -> _T:
    """Return what a coroutine returns; if the client goes away first, cancel it.

    Then `ClientDisconnect` is raised. The body of the request has to be read before.
    """
    seeking = asyncio.create_task(answer)
    # behind the body comes nothing else
    gone = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((seeking, gone), return_when=asyncio.FIRST_COMPLETED)
        if not seeking.done():
            raise ClientDisconnect
        return seeking.result()
    finally:
        for task in (seeking, gone):
            task.cancel()
        await asyncio.gather(seeking, gone, return_exceptions=True)


def stream_events(request: Request, events: AsyncGenerator[Event]) -> Response:
    """Return an answer that sends events as they come, and ends `events` when the page goes away.

    A page that does not read makes `events` wait: let it yield what is new then, and not all that
    has happened. Answers 503 if there are `MOST_STREAMS` already.
    """
    streams: set[AsyncGenerator[Event]] = request.app.state.streams
    if len(streams) >= MOST_STREAMS:
        raise HTTPException(503, "Too many pages are open: close some and reload")
    streams.add(events)
    return _EventStream(events, streams)


class _EventStream(StreamingResponse):
    """An answer that takes one of the places for streams until it has ended, however it ends."""

    def __init__(self, events: AsyncGenerator[Event], streams: set[AsyncGenerator[Event]]) -> None:
        self._lines = _with_comments(events)
        super().__init__(self._lines, media_type="text/event-stream")
        self._events = events
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._streams.discard(self._events)
            # in this order: what reads the events has to have let go of them
            await self._lines.aclose()
            await self._events.aclose()


async def _with_comments(events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    """Yield events as bytes, and a comment whenever there was none for long."""
    yield b"retry: 1000\n\n"
    coming = asyncio.ensure_future(anext(events))
    try:
        while True:
            done, _ = await asyncio.wait((coming,), timeout=_SILENCE_SECONDS)
            if not done:
                yield b":\n\n"
                continue
            try:
                event = coming.result()
            except StopAsyncIteration:
                return
            yield f"event: {event.name}\ndata: {dump_compact(event.data)}\n\n".encode()
            coming = asyncio.ensure_future(anext(events))
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
