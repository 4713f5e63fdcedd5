"""Connections that cannot be held open for nothing: bounded in number, idle time and patience."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["MOST_CONNECTIONS", "BoundedConnection"]

MOST_CONNECTIONS = 256
"""How many connections are open at a time; of event streams there are fewer."""

_REQUEST_SECONDS = 10.0
"""How long a client may take to send a request, up to the end of the headers."""

_STALL_SECONDS = 30.0
"""How long a client may leave what is sent to it unread."""

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
        """Begin to lose patience: the client does not read."""
        self.flow.pause_writing()
        self._stalled = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Let the client be: it has read."""
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
