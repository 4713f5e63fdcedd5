"""Connections that cannot be held open for nothing: bounded in number, idle time and patience."""

import asyncio
import socket

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "BoundedConnection"]

MOST_CONNECTIONS = 256
"""How many connections are open at a time; of event streams there are fewer."""

_REQUEST_SECONDS = 10.0
"""How long a client may take to send a request, up to the end of the headers."""

_STALL_SECONDS = 30.0
"""How long a client may read nothing of what is sent to it."""

_SEND_BYTES = 128 * 1024
"""What the system holds for a client that has yet to read it."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\nContent-Length: 44\r\n\r\n"
    b"Too many connections: close some and reload\n"
)


class BoundedConnection(H11Protocol):
    """One connection of a client, which is let go if it asks for nothing or reads nothing."""

    request_seconds = _REQUEST_SECONDS
    stall_seconds = _STALL_SECONDS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or turn it away if there are too many."""
        super().connection_made(transport)
        # With more of it the system takes nothing from us for long while a slow client reads.
        transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES
        )
        # With anything that is not sent there is a timer: even a few bytes that nobody reads would
        # keep a connection open that is closed.
        transport.set_write_buffer_limits(high=0)
        self._stalled: asyncio.TimerHandle | None = None
        self._asking: asyncio.TimerHandle | None = None
        # the server's own bound refuses requests only, and a client may send none
        if len(self.connections) > MOST_CONNECTIONS:
            transport.write(_FULL)
            transport.close()
            return
        self._await_request()

    def data_received(self, data: bytes) -> None:
        """Take bytes, unless the client was turned away."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._await_request()  # a part of one has come
        elif self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _await_request(self) -> None:
        """Let the client go if it does not send the whole head of a request in time."""
        if self._asking is None:
            self._asking = self.loop.call_later(self.request_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """Begin to lose patience: the client has not read all."""
        self.flow.pause_writing()
        self._await_reader()

    def _await_reader(self) -> None:
        """Look in some time whether the client has read anything."""
        unread = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(self.stall_seconds, self._check_reader, unread)

    def _check_reader(self, before: int) -> None:
        """Let the client go if it has read nothing of so many bytes."""
        if self.transport.get_write_buffer_size() < before:
            self._await_reader()
        else:
            self.transport.abort()

    def resume_writing(self) -> None:
        """Let the client be: it has read all."""
        self.flow.resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        for timer in (self._asking, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)
