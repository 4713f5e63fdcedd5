"""Events and JSON are complete, ordered and bounded, and end with the page that reads them."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pwtourney.arena.http import events
from pwtourney.arena.http.events import MOST_STREAMS, Event, read_json, stream_events
from tests.loops import run_apart

ODD = 'é\u202e\u2028\n\ndata: x "</script>'


class Counter:
    """A source of events that counts its open streams."""

    def __init__(self) -> None:
        self.open = 0
        self.all_gone = Flag()

    async def events(self) -> AsyncGenerator[Event]:
        """Yield an odd text, and then wait forever."""
        self.open += 1
        try:
            yield Event({"text": ODD}, "odd")
            await asyncio.Event().wait()
        finally:
            self.open -= 1
            if not self.open:
                self.all_gone.set()


@pytest.fixture
def counter() -> Counter:
    """Return a source of events."""
    return Counter()


@pytest.fixture
def port(counter: Counter) -> Iterator[int]:
    """Serve the source, and a handler that echoes JSON; return the port."""

    def stream(request: Request) -> Response:
        return stream_events(request, counter.events())

    async def echo(request: Request) -> Response:
        return JSONResponse(await read_json(request))

    app = Starlette(routes=[Route("/events", stream), Route("/echo", echo, methods=["POST"])])
    app.state.streams = set()
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    bound = socket.create_server(("127.0.0.1", 0))
    thread = Thread(target=server.run, args=([bound],))
    thread.start()
    yield bound.getsockname()[1]
    server.should_exit = True
    thread.join()
    bound.close()


def listen(port: int) -> Any:
    """Request the events; return the connection and the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/events")
    return connection, connection.getresponse()


def test_event_stays_one_event_whatever_its_text(port: int) -> None:
    """Line ends in a text neither end the event nor begin another one."""
    connection, answer = listen(port)
    with closing(connection):
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        lines = [answer.readline() for _ in range(5)]
    assert lines[:3] == [b"retry: 1000\n", b"\n", b"event: odd\n"]
    assert json.loads(lines[3].removeprefix(b"data: ")) == {"text": ODD}
    assert lines[4] == b"\n"


@pytest.mark.slow
def test_streams_are_bounded_and_end_with_their_pages(port: int, counter: Counter) -> None:
    """A stream above the limit is refused; when all pages are closed, their sources have ended."""
    streams = [listen(port) for _ in range(MOST_STREAMS)]
    for _, answer in streams:
        assert answer.status == 200
        answer.readline()
    connection, refused = listen(port)
    assert refused.status == 503
    connection.close()
    for connection, answer in streams:
        answer.close()
        connection.close()
    assert counter.all_gone.wait(20)


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b'{"a": 1}', 200),
        ("application/json; charset=utf-8", b"{}", 200),
        ("text/plain", b"{}", 400),
        ("application/x-www-form-urlencoded", b"a=1", 400),
        ("application/json", b"{", 400),
        ("application/json", b"[]", 400),
        ("application/json", b"\xff", 400),
        ("application/json", b"[" * 60_000, 400),
        ("application/json", b'{"a": NaN}', 400),
        ("application/json", b'{"a": [-Infinity]}', 400),
        ("application/json", b'{"a": 1e999}', 400),
        ("application/json", b'{"a": 1%s}' % (b"0" * 400), 400),
    ],
)
def test_only_a_json_object_is_read(port: int, kind: str, body: bytes, status: int) -> None:
    """The content type must be JSON, which a form of another page cannot send."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("POST", "/echo", body, {"Content-Type": kind})
        assert connection.getresponse().status == status


def test_stream_of_a_page_that_reads_nothing_ends_its_source(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream is cancelled while a comment waits to be sent."""
    monkeypatch.setattr(events, "_SILENCE_SECONDS", 0.0)

    async def run() -> None:
        app = Starlette()
        app.state.streams = set()
        request = Request({"type": "http", "app": app})
        answer = stream_events(request, counter.events())
        is_stuck = asyncio.Event()

        async def send(message: Mapping[str, Any]) -> None:
            if message.get("body") == b":\n\n":
                is_stuck.set()
                await asyncio.Event().wait()

        scope = {"type": "http", "asgi": {"spec_version": "2.4"}}
        serving = asyncio.create_task(answer(scope, _wait_for_ever, send))
        await is_stuck.wait()
        assert counter.open == 1
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        assert (counter.open, app.state.streams) == (0, set())
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run_apart(run())


async def _wait_for_ever() -> Any:
    await asyncio.Event().wait()
