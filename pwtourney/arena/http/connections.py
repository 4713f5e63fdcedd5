"""HTTP connections with limits on their number, on idle time and on stalled reads."""

import asyncio
import socket

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "BoundedConnection"]

MOST_CONNECTIONS = 256
"""The most open connections at a time; the limit for event streams is lower."""

_REQUEST_SECONDS = 10.0
"""The maximum time for a client to send a request, up to the end of the headers."""

_STALL_SECONDS = 30.0
"""The maximum time in which a client reads nothing while data waits for it."""

_SEND_BYTES = 128 * 1024
"""The size of the socket's send buffer (SO_SNDBUF), which holds data until the client reads it."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\nContent-Length: 44\r\n\r\n"
    b"Too many connections: close some and reload\n"
)


class BoundedConnection(H11Protocol):
    """A client's connection, which is aborted if the client sends no request or reads nothing."""

    request_seconds = _REQUEST_SECONDS
    stall_seconds = _STALL_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or answer 503 and close it if there are too many."""
        super().connection_made(transport)
        # With a larger buffer the kernel accepts no bytes from us for a long time while a slow
        # client reads, and the client looks stalled.
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES
        )
        # Start the timer for any unsent byte: even a few bytes that nobody reads would keep a
        # connection open after it is closed.
        transport.set_write_buffer_limits(high=0)
        self._stalled: asyncio.TimerHandle | None = None
        self._asking: asyncio.TimerHandle | None = None
        # uvicorn's own limit applies to requests only, and a client may send none
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(_FULL)
            transport.close()
            return
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Process bytes, unless the connection was refused."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._await_request()  # only a part of a request has arrived
        elif self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _await_request(self) -> None:
        """Abort the connection if the head of a request is not complete in time."""
        if self._asking is None:
            self._asking = self.loop.call_later(self.request_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """Start the stall timer: the client has not read everything."""
        self.flow.pause_writing()
        self._await_reader()

    def _await_reader(self) -> None:
        """Schedule a check that the client has read something."""
        unread = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(self.stall_seconds, self._check_reader, unread)

    def _check_reader(self, before: int) -> None:
        """Abort the connection if the client has read none of the `before` bytes that waited."""
        if self.transport.get_write_buffer_size() < before:
            self._await_reader()
        else:
            self.transport.abort()

    def resume_writing(self) -> None:
        """Stop the stall timer: the client has read everything."""
        self.flow.resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers of the connection."""
        for timer in (self._asking, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)
