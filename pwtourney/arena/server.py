"""An arena on an address: bound, printed, opened in the browser, and served until Ctrl-C."""

import errno
import os
import socket
import sys
import webbrowser
from ipaddress import ip_address

import uvicorn

from pwtourney.arena.app import make_app
from pwtourney.arena.connections import BoundedConnection
from pwtourney.arena.guard import Guard, make_token
from pwtourney.arena.setting import Arena
from pwtourney.errors import UsageError

__all__ = ["Address", "bind", "serve_arena"]

_FAREWELL_SECONDS = 2
"""How long the server waits for answers that it has begun when it ends."""


class Address:
    """Where an arena listens: the socket, and the address that a browser opens.

    Beyond loopback everybody who can reach the machine could open it, so the address has a token
    that only this terminal shows.
    """

    def __init__(self, bound: socket.socket, host: str) -> None:
        self.socket = bound
        self.port: int = bound.getsockname()[1]
        own = bound.getsockname()[0]
        self.token = "" if ip_address(own).is_loopback else make_token()
        self.names = (host, socket.gethostname())
        if ip_address(own).is_unspecified:
            shown = socket.gethostname()
        else:
            shown = f"[{own}]" if ":" in own else own
        self.url = f"http://{shown}:{self.port}/{f'?token={self.token}' if self.token else ''}"


def bind(host: str, port: int) -> Address:
    """Listen on an address of this machine; raises `UsageError` if that is not possible."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except socket.gaierror as error:
        reason = error.strerror
        raise UsageError(f"--host {host}: {reason}; name an address of this machine") from error
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        if error.errno == errno.EADDRNOTAVAIL:
            raise UsageError(f"--host {host}: {reason}; name an address of this machine") from error
        raise UsageError(f"--port {port}: {reason}; try another, or 0") from error
    return Address(bound, host)


def serve_arena(arena: Arena, address: Address, *, open_browser: bool) -> None:
    """Serve until an interrupt, which is raised as `KeyboardInterrupt` when all has ended."""
    config = uvicorn.Config(
        Guard(make_app(arena), address.names, address.token),
        http=BoundedConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_FAREWELL_SECONDS,
    )
    if open_browser and has_desktop():
        webbrowser.open(address.url)
    uvicorn.Server(config).run(sockets=[address.socket])


def has_desktop() -> bool:
    """Tell whether a browser that is opened here is seen by somebody."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
