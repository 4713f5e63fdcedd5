"""Serve an arena on an address until Ctrl-C, and open it in the browser."""

import errno
import html
import os
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from pwtourney.arena.app import make_app
from pwtourney.arena.http.connections import BoundedConnection
from pwtourney.arena.http.guard import Guard, make_token
from pwtourney.arena.setting import Arena
from pwtourney.errors import UsageError
from pwtourney.signals import ENDING, temporary_handler

__all__ = ["Address", "bind", "serve_arena"]

_FAREWELL_SECONDS = 2
"""The time that the server waits at shutdown for answers that it has begun."""

_REDIRECT = """\
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>The arena</title>
<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url={url}">
<p><a href="{url}">Open the arena</a></p></html>
"""


class Address:
    """The socket where an arena listens, and the URL that a browser opens.

    On any address except loopback, everybody who can reach the machine could open the URL. It
    then has a token that only this terminal shows.
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
    """Listen on an address of this machine.

    Raises `UsageError` if the address or the port cannot be used.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (socket.gaierror, UnicodeError) as error:  # the latter for a..b, or a part of 64 letters
        reason = error.strerror if isinstance(error, OSError) else "not a host name"
        raise UsageError(f"--host {host}: {reason}; name an address of this machine") from error
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        if error.errno == errno.EADDRNOTAVAIL:
            raise UsageError(f"--host {host}: {reason}; name an address of this machine") from error
        raise UsageError(f"--port {port}: {reason}; try another, or 0") from error
    # connections inherit it; without it the body of an answer waits for the receiver's delayed
    # acknowledgement of the head, 40 ms: asyncio sets it only where a socket names its protocol
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Address(bound, host)


def serve_arena(arena: Arena, address: Address, *, open_browser: bool) -> None:
    """Serve until an ending signal; raise `KeyboardInterrupt` after the server has shut down."""
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
    with ExitStack() as opened:
        if open_browser and has_desktop():
            webbrowser.open(opened.enter_context(hide_token(address)))
        _Server(config).run(sockets=[address.socket])


class _Server(uvicorn.Server):
    """A server that leaves ignored signals ignored and shuts down on the other ending signals.

    After the first signal it completes the answers that it has begun; the second stops it at once.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals in a block; raises `KeyboardInterrupt` after it if there were any."""
        with temporary_handler(ENDING, self._stop):
            yield
        if self.should_exit:
            raise KeyboardInterrupt

    def _stop(self, _: int) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


@contextmanager
def hide_token(address: Address) -> Iterator[str]:
    """Yield the URL to pass to a browser, without the token.

    All users of the machine can read the command line of the browser. If there is a token, the URL
    is that of a file which redirects to the address. Only this user can read the file, and it is
    removed at the end of the block.
    """
    if not address.token:
        yield address.url
        return
    with tempfile.TemporaryDirectory(prefix="pwtourney-") as folder:  # of mode 0700
        path = Path(folder) / "arena.html"
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(file, "w", encoding="utf-8") as text:
            text.write(_REDIRECT.format(url=html.escape(address.url)))
        yield path.as_uri()


def has_desktop() -> bool:
    """Return True if there is a desktop on which a browser can open."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
