"""JSON requests from pages, and server-sent events to pages.

Events go from the server to the page only, over plain HTTP. A browser reopens a lost stream by
itself (https://html.spec.whatwg.org/multipage/server-sent-events.html). A page acts with a POST.
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
"""The most event streams at a time."""

_SILENCE_SECONDS = 15.0
"""A comment is sent after this time without an event, to detect a client that has gone."""


class Event(NamedTuple):
    """An event for a page: data for JSON, and the event name for which the page listens."""

    data: Any
    name: str = "message"


async def read_json(request: Request) -> dict[str, Any]:
    """Return the JSON object in the body of a request.

    Raises `HTTPException` (400) for anything else. The content type must be ``application/json``,
    because an HTML form on a foreign page cannot send that type.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(400, "Expected JSON, with this content type")
    try:
        body = parse_json(await request.body())
    except ValueError as error:
        raise HTTPException(400, "This is not JSON") from error
    if not isinstance(body, dict):
        raise HTTPException(400, "Expected an object of JSON")
    return body


async def answer_while_connected(request: Request, answer: Coroutine[Any, Any, _T]) -> _T:
    """Return the result of a coroutine; cancel it if the client disconnects first.

    Raises `ClientDisconnect` in that case. Read the body of the request before the call.
    """
    seeking = asyncio.create_task(answer)
    # after the body, the only message is http.disconnect
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
    """Return an answer that sends events as they come, and closes `events` at a disconnect.

    While a page does not read, `events` is suspended. It should then yield what is new at that
    time, not everything that happened before. Raises `HTTPException` (503) if there are already
    `MOST_STREAMS` streams.
    """
    streams: set[AsyncGenerator[Event]] = request.app.state.streams
    if len(streams) >= MOST_STREAMS:
        raise HTTPException(503, "Too many pages are open: close some and reload")
    streams.add(events)
    return _EventStream(events, streams)


class _EventStream(StreamingResponse):
    """An answer that counts as one of the `MOST_STREAMS` streams until it ends or fails."""

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
            # in this order: a generator cannot be closed while another one awaits it
            await self._lines.aclose()
            await self._events.aclose()


async def _with_comments(events: AsyncGenerator[Event]) -> AsyncGenerator[bytes]:
    """Yield events as bytes, and a comment after every 15 seconds without an event."""
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
