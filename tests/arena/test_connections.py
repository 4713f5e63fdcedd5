"""Clients that hold a connection for nothing are let go, and what they asked for with them."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Iterator
from contextlib import closing, contextmanager
from threading import Event as Flag
from threading import Thread

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pwtourney.arena.connections import BoundedConnection
from pwtourney.arena.messages import Event, stream_events


class Impatient(BoundedConnection):
    """The same, with as little patience as a test has."""

    request_seconds = 0.2
    stall_seconds = 0.2


@contextmanager
def serving(*routes: Route) -> Iterator[socket.socket]:
    """Serve with little patience; yield a connection to it."""
    app = Starlette(routes=[*routes])
    app.state.streams = set()
    config = uvicorn.Config(app, http=Impatient, log_config=None, timeout_graceful_shutdown=1)
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


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_who_asks_for_nothing_is_let_go(sent: bytes) -> None:
    """A connection on which nothing comes, or no whole request, is closed."""
    with serving() as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""


def test_half_a_second_request_is_no_request() -> None:
    """To have asked for something before buys no more time."""
    with serving() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = b""
        while not answer.endswith(b"Not Found"):
            answer += connection.recv(9999)
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert connection.recv(1) == b""


def test_who_does_not_read_is_let_go() -> None:
    """The stream for a page that reads nothing ends, after as much as the system holds for it."""
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
