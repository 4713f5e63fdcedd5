"""The server closes connections without requests or reading, and ends their work."""

import asyncio
import select
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from threading import Event as Flag
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.server import ServerState

from pwtourney.arena.http import connections
from pwtourney.arena.http.connections import MOST_CONNECTIONS, BoundedConnection
from pwtourney.arena.http.event_stream import Event, stream_events
from pwtourney.arena.http.guard import Guard
from tests.loops import pass_time, run_with_set_clock, settle


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


@pytest.mark.thorough
@pytest.mark.slow(5)
def test_slow_reader_is_sent_all() -> None:
    """A reader that keeps reading is not cut off, however slowly it reads."""
    size = 60_000_000

    def send(request: Request) -> Response:
        return Response(b"x" * size)

    with serving(Route("/", send), http=SlowlyImpatient) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        count, pace = 0, Flag()
        while part := connection.recv(65536):
            count += len(part)
            pace.wait(0.005)
    assert count > size


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


class Client:
    """A client of a server in this loop, connected by two sockets that are each other's peers."""

    def __init__(self, app: ASGIApp, state: ServerState) -> None:
        self._config = uvicorn.Config(app, http=BoundedConnection, log_config=None, ws="none")
        self._state = state
        self.socket, self._own = socket.socketpair()
        self.socket.settimeout(0)
        self.connection = BoundedConnection(self._config, state, {})

    async def connect(self) -> None:
        """Let the server accept the connection."""
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self.connection, sock=self._own)

    @property
    def transport(self) -> asyncio.Transport:
        """The server's end of the connection."""
        return self.connection.transport

    @property
    def is_connected(self) -> bool:
        """True until the server has no data left to send, or gives up."""
        return self.connection in self.connection.connections

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.send(data)

    def read(self, most: int = 1 << 20) -> bytes:
        """Return what has come; empty if the server has closed the connection."""
        try:
            return self.socket.recv(most)
        except BlockingIOError:
            return b"nothing"


@asynccontextmanager
async def connecting(app: ASGIApp | None = None) -> AsyncIterator[Client]:
    """Connect a client to a server that greets every request."""
    client = Client(app or PlainTextResponse("hello"), ServerState())
    await client.connect()
    try:
        yield client
    finally:
        client.socket.close()
        client.transport.abort()
        await settle()
        assert not client.is_connected


REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


def test_request_must_be_complete_ten_seconds_after_the_last_one() -> None:
    """Also on a new connection; a part of a request does not extend the time."""

    async def run() -> None:
        for begin in (b"", REQUEST):
            async with connecting() as client:
                client.send(begin)
                await settle()
                if begin:
                    assert client.read().endswith(b"hello")
                    client.send(REQUEST[:9])
                    await settle()
                await pass_time(9)
                client.send(REQUEST[:9] if not begin else REQUEST[9:12])
                await settle()
                assert client.read() == b"nothing"
                await pass_time(1)
                assert client.read() == b""

    run_with_set_clock(run())


def test_answered_request_leaves_no_timer() -> None:
    """The answer may take longer than the request; the next request has its own ten seconds."""

    async def run() -> None:
        ready = asyncio.Event()

        async def wait(_: Request) -> Response:
            await ready.wait()
            return PlainTextResponse("late")

        async with connecting(Starlette(routes=[Route("/", wait)])) as client:
            client.send(REQUEST[:9])
            await settle()
            await pass_time(5)
            client.send(REQUEST[9:])
            await settle()
            await pass_time(100)
            assert client.read() == b"nothing"
            ready.set()
            await settle()
            assert client.read().endswith(b"late")
            client.send(REQUEST[:9])
            await settle()
            await pass_time(9)
            client.send(REQUEST[9:])
            await settle()
            await pass_time(2)
            assert client.read().endswith(b"late")

    run_with_set_clock(run())


def test_client_that_reads_nothing_for_30_seconds_is_cut_off() -> None:
    """Reading a little of what waits is enough to stay."""

    async def run() -> None:
        async with connecting(PlainTextResponse("x" * 3_000_000)) as client:
            client.send(REQUEST)
            await settle()
            for _ in range(3):
                await pass_time(29)
                before = client.transport.get_write_buffer_size()
                while client.transport.get_write_buffer_size() == before:
                    assert client.read(65536) != b"nothing"
                    await asyncio.sleep(0)
                assert client.transport.get_write_buffer_size() > 0
                await pass_time(1)
                assert client.is_connected
            await pass_time(29)
            assert client.is_connected
            await pass_time(1)
            assert not client.is_connected

    run_with_set_clock(run())


def test_client_that_has_read_everything_has_no_limit() -> None:
    """The answer pauses for two minutes, and nothing waits for the client."""

    async def run() -> None:
        more = asyncio.Event()

        async def send() -> AsyncIterator[bytes]:
            yield b"x" * 1_000_000
            await more.wait()
            yield b"y"

        async def stream(_: Request) -> Response:
            return StreamingResponse(send())

        async with connecting(Starlette(routes=[Route("/", stream)])) as client:
            client.send(REQUEST)
            await settle()
            assert client.transport.get_write_buffer_size() > 0
            while client.transport.get_write_buffer_size():
                client.read()
                await settle()
            for _ in range(3):
                await pass_time(40)
                assert not client.transport.is_closing()
            client.read()
            more.set()
            await settle()
            assert client.read().endswith(b"1\r\ny\r\n0\r\n\r\n")

    run_with_set_clock(run())


def test_connection_above_the_limit_is_closed_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is not served, and the others stay; the limit is documented."""
    assert MOST_CONNECTIONS == 256
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 2)
    state = ServerState()

    async def run() -> None:
        clients = [Client(PlainTextResponse("hello"), state) for _ in range(3)]
        for client in clients:
            await client.connect()
        clients[2].connection.data_received(REQUEST)  # bytes that had come already
        await settle()
        head, _, body = clients[2].read().partition(b"\r\n\r\n")
        assert head.split(b"\r\n") == [
            b"HTTP/1.1 503 Service Unavailable",
            b"Content-Type: text/plain; charset=utf-8",
            b"Connection: close",
            b"Content-Length: 44",
        ]
        assert body == b"Too many connections: close some and reload\n"
        assert len(body) == 44
        assert clients[2].read() == b""
        assert len(state.connections) == 2
        for client in clients[:2]:
            client.send(REQUEST)
            await settle()
            assert client.read().endswith(b"hello")
        for client in clients:
            client.socket.close()
            client.transport.abort()
        await settle()
        assert state.connections == set()

    run_with_set_clock(run())


def test_kernel_buffers_little_for_a_client() -> None:
    """128 KiB, which Linux doubles for its own use (socket(7))."""

    async def run() -> None:
        async with connecting() as client:
            own = client.transport.get_extra_info("socket")
            assert own.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == 2 * 128 * 1024
            assert client.transport.get_write_buffer_limits() == (0, 0)

    run_with_set_clock(run())
