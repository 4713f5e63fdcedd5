"""The server closes connections without requests or reading, and ends their work."""

import asyncio
import select
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import closing, contextmanager
from threading import Event as Flag
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pwtourney.arena.http.connections import BoundedConnection
from pwtourney.arena.http.events import Event, stream_events
from pwtourney.arena.http.guard import Guard


class Impatient(BoundedConnection):
    """A connection handler with short timeouts for tests."""

    request_seconds = 0.2
    stall_seconds = 0.2


@contextmanager
def serving(*routes: Route, http: type[Impatient] = Impatient) -> Iterator[socket.socket]:
    """Serve with short timeouts; yield a connection to the server."""
    app = Starlette(routes=[*routes])
    app.state.streams = set()
    guard = Guard(app, names=["a"], body_seconds=0.2)
    config = uvicorn.Config(guard, http=http, log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        thread = Thread(target=server.run, args=([bound],))
        thread.start()
        try:
            with closing(socket.create_connection(bound.getsockname(), timeout=30)) as connection:
                yield connection
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_connection_without_a_request_is_closed(sent: bytes) -> None:
    """Whether nothing is sent, or an incomplete request."""
    with serving() as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""


@pytest.mark.slow
def test_half_a_second_request_is_closed() -> None:
    """An earlier request does not extend the time."""
    with serving() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = b""
        while not answer.endswith(b"Not Found"):
            answer += connection.recv(9999)
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert connection.recv(1) == b""


@pytest.mark.slow
def test_stream_without_a_reader_ends() -> None:
    """The stream ends once the kernel's buffers are full and the timeout has passed."""
    ended = Flag()
    made = 0

    async def endless() -> AsyncGenerator[Event]:
        nonlocal made
        try:
            while True:
                made += 1
                yield Event("x" * 60_000)
                await asyncio.sleep(0)
        finally:
            ended.set()

    def stream(request: Request) -> Response:
        return stream_events(request, endless())

    with serving(Route("/", stream)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert ended.wait(30)
    assert made < 1000, "60 MB: it waits for its reader, and does not fill the memory"


@pytest.mark.slow
def test_dripping_body_is_cut_off() -> None:
    """The time is for the whole body, however often a part comes."""

    async def read(request: Request) -> Response:
        return Response(await request.body())

    with serving(Route("/", read, methods=["POST"])) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\n")
        connection.sendall(b"Content-Length: 60000\r\n\r\n")
        for _ in range(200):
            if select.select([connection], [], [], 0.05)[0]:
                break
            connection.sendall(b" ")
        else:
            pytest.fail("it is still open after ten seconds")
        assert connection.recv(9999).startswith(b"HTTP/1.1 408 ")


class SlowlyImpatient(Impatient):
    """A timeout that a reader survives when other processes delay it."""

    stall_seconds = 2.0


@pytest.mark.slow(5)
def test_slow_reader_is_sent_all() -> None:
    """It takes twice as long as a reader that reads nothing may take."""
    size = 60_000_000

    def send(request: Request) -> Response:
        return Response(b"x" * size)

    with serving(Route("/", send), http=SlowlyImpatient) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        taken, pace = 0, Flag()
        while part := connection.recv(65536):
            taken += len(part)
            pace.wait(0.005)
    assert taken > size


@pytest.mark.slow
def test_unread_last_bytes_do_not_hold_a_connection() -> None:
    """The answer is complete, and the connection only waits to send its last bytes."""
    lost = Flag()
    made: list[asyncio.Transport] = []

    class Noted(Impatient):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            made.append(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.set()

    async def fill() -> AsyncIterator[bytes]:
        while not made[0].get_write_buffer_size():
            yield b"x" * 1000

    def send(request: Request) -> Response:
        return StreamingResponse(fill(), headers={"Connection": "close"})

    with serving(Route("/", send), http=Noted) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert lost.wait(10)
