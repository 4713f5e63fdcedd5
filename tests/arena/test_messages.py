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
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pwtourney.arena.http import event_stream
from pwtourney.arena.http.event_stream import (
    MOST_STREAMS,
    Event,
    answer_while_connected,
    read_json,
    stream_events,
)
from tests.arena.inside import Exchange, exchange, make_scope
from tests.loops import pass_time, run_apart, run_with_set_clock, settle

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
    monkeypatch.setattr(event_stream, "_SILENCE_SECONDS", 0.0)

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
        stuck = asyncio.create_task(is_stuck.wait())
        await asyncio.wait((serving, stuck), return_when=asyncio.FIRST_COMPLETED)
        assert (stuck.done(), counter.open) == (True, 1)
        serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await serving
        assert (counter.open, app.state.streams) == (0, set())
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run_apart(run())


async def _wait_for_ever() -> Any:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("kind", "body", "reason"),
    [
        ("text/plain", b"{}", "Expected JSON, with this content type"),
        ("", b"{}", "Expected JSON, with this content type"),
        ("text/json; application/json", b"{}", "Expected JSON, with this content type"),
        ("application/json", b"{", "This is not JSON"),
        (" Application/JSON ; charset=utf-8", b"[]", "Expected an object of JSON"),
    ],
)
def test_body_that_is_not_an_object_is_refused_with_the_reason(
    kind: str, body: bytes, reason: str
) -> None:
    """The type is compared without its parameters and in any case."""
    headers = {"content-type": kind} if kind else {}

    async def read(headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        scope = make_scope("/", "POST", headers)
        return await read_json(Request(scope, Exchange(body).receive))

    with pytest.raises(HTTPException) as refused:
        run_apart(read(headers, body))
    assert (refused.value.status_code, refused.value.detail) == (400, reason)
    assert run_apart(read({"content-type": "application/json"}, b'{"a": [1]}')) == {"a": [1]}


class Source:
    """Events that a test sends one by one; None ends them."""

    def __init__(self) -> None:
        self.coming: asyncio.Queue[Event | None] = asyncio.Queue()
        self.is_closed = False

    async def events(self) -> AsyncGenerator[Event]:
        """Yield the events as they come."""
        try:
            while event := await self.coming.get():
                yield event
        finally:
            self.is_closed = True


def make_stream(source: Source) -> Starlette:
    """Return an application that streams a source."""

    async def stream(request: Request) -> Response:
        return stream_events(request, source.events())

    app = Starlette(routes=[Route("/", stream)])
    app.state.streams = set()
    return app


def test_events_are_sent_as_they_come_and_end_with_their_source() -> None:
    """The form is that of server-sent events; a browser that loses them asks again after 1 s."""

    async def run() -> None:
        source = Source()
        app = make_stream(source)
        async with exchange(app, "/") as (talk, serving):
            await settle()
            assert talk.body == b"retry: 1000\n\n"
            assert talk.answer.headers["content-type"].startswith("text/event-stream")
            assert len(app.state.streams) == 1
            source.coming.put_nowait(Event({"a": [1, "\n"]}))
            source.coming.put_nowait(Event(None, "over"))
            await settle()
            sent = b'event: message\ndata: {"a":[1,"\\n"]}\n\nevent: over\ndata: null\n\n'
            assert talk.body == b"retry: 1000\n\n" + sent
            assert not serving.done()
            source.coming.put_nowait(None)
            await settle()
            assert (serving.done(), talk.is_over) == (True, True)
            assert (source.is_closed, app.state.streams) == (True, set())

    run_apart(run())


def test_stream_ends_with_its_client() -> None:
    """Its source is closed, and another page can take its place."""

    async def run() -> None:
        source = Source()
        app = make_stream(source)
        async with exchange(app, "/") as (talk, serving):
            await settle()
            talk.leave()
            await settle()
            assert (serving.done(), source.is_closed, app.state.streams) == (True, True, set())

    run_apart(run())


def test_silent_stream_sends_a_comment_every_15_seconds() -> None:
    """Otherwise a client that has gone would not be noticed; an event begins the time again."""

    async def run() -> None:
        source = Source()
        async with exchange(make_stream(source), "/") as (talk, _):
            await settle()
            start = talk.body
            await pass_time(14.9)
            assert talk.body == start
            await pass_time(0.2)
            assert talk.body == start + b":\n\n"
            await pass_time(14)
            source.coming.put_nowait(Event(1))
            await settle()
            await pass_time(14)
            event = b"event: message\ndata: 1\n\n"
            assert talk.body == start + b":\n\n" + event
            await pass_time(1)
            assert talk.body == start + b":\n\n" + event + b":\n\n"

    run_with_set_clock(run())


def test_65th_stream_is_refused() -> None:
    """The limit counts the streams of all pages; a refused one takes no place."""

    async def run() -> None:
        app = Starlette()
        app.state.streams = set()
        request = Request({"type": "http", "app": app})
        sources = [Source().events() for _ in range(65)]
        answers = [stream_events(request, source) for source in sources[:64]]
        assert len(answers) == len(app.state.streams) == 64
        with pytest.raises(HTTPException) as refused:
            stream_events(request, sources[64])
        assert refused.value.status_code == 503
        assert refused.value.detail == "Too many pages are open: close some and reload"
        assert app.state.streams == set(sources[:64])

    run_apart(run())


def test_long_answer_is_given_up_when_its_client_leaves() -> None:
    """Its work is cancelled then; a result or an error in time is that of the work."""

    async def run() -> None:
        ended = []

        async def work(result: asyncio.Future[int]) -> int:
            try:
                return await result
            finally:
                await settle()
                ended.append(True)

        for count, outcome in enumerate((7, ValueError("ill"), None), 1):
            talk = Exchange(b"")
            request = Request(make_scope("/", "POST"), talk.receive)
            await request.body()
            result: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            answer = asyncio.create_task(answer_while_connected(request, work(result)))
            await settle()
            assert not answer.done()
            if outcome is None:
                talk.leave()
                with pytest.raises(ClientDisconnect):
                    await answer
                assert result.cancelled()
            elif isinstance(outcome, int):
                result.set_result(outcome)
                assert await answer == outcome
            else:
                result.set_exception(outcome)
                with pytest.raises(ValueError, match="ill"):
                    await answer
            assert len(ended) == count
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run_apart(run())
