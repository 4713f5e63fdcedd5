"""Check every request before the application answers it: its origin, its token and its size.

Every page that is open in a browser on this machine can reach a server on this machine. A foreign
page can send requests (cross-site request forgery). It can also let its own name resolve to this
address (DNS rebinding), which makes it the same origin to the browser. The headers ``Host``,
``Origin`` and ``Sec-Fetch-*`` distinguish such pages from ours, because no page can set them.
"""

import asyncio
import ipaddress
import re
import secrets
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["CONTENT_POLICY", "MOST_BODY", "Guard", "format_policy", "make_token"]

MOST_BODY = 64 * 1024
"""The most bytes in the body of a request."""

CONTENT_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
"""The content security policy: nothing from other origins, nothing inline, and no frames."""

_HEADERS = {
    # Answers contain names and messages of bots, which are untrusted. No browser may interpret
    # them as a script, and no other page may load them.
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

_READS = ("GET", "HEAD")
_TOO_LARGE = f"A request may have {MOST_BODY} bytes at most"
_CLOSE = {"Connection": "close"}
"""Closes the connection, because the rest of the request is not read."""

_BODY_SECONDS = 10.0
"""The maximum time for a client to send a body, from the first read to its end."""

_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{1,5})?", re.ASCII)
"""A ``Host`` header in lower case: an IPv6 address, an IPv4 address or a name; then a port."""


def make_token() -> str:
    """Return a random secret for the URL of an arena that other machines can reach."""
    return secrets.token_urlsafe(24)


def format_policy(policy: Mapping[str, str]) -> str:
    """Return a content policy as the value of the header."""
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())


class Guard:
    """An ASGI middleware that passes on only the requests of our own pages.

    `names` are the host names of the server. Numeric addresses are always allowed, because no
    foreign page can have one as its name. `token` is the secret that a browser must know, empty
    for none. A body must arrive within `body_seconds`.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: Iterable[str] = (),
        token: str = "",
        body_seconds: float = _BODY_SECONDS,
    ) -> None:
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}
        self._token = token
        # a browser sends its cookies to all servers of the machine, so no cookie has the token
        self._session = make_token()
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a WebSocket, which none of our pages opens
            await send({"type": "websocket.close", "code": 1008})
            return
        send = _with_headers(send)
        answer = self._refuse(scope) or self._ask_for_token(scope)
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self._app(scope, _limit_body(receive, self._body_seconds), send)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that none of our pages sends, None if it is valid."""
        headers = Headers(scope=scope)
        why = self._why_refused(scope["method"], headers)
        if why:
            return PlainTextResponse(f"{why}\n", 403)
        if "upgrade" in headers:
            return PlainTextResponse("This server speaks plain HTTP only, no WebSocket\n", 400)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY:
            return PlainTextResponse(f"{_TOO_LARGE}\n", 413, _CLOSE)
        return None

    def _why_refused(self, method: str, headers: Headers) -> str:
        """Return why a request looks like one of a foreign page, empty if it does not."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "This server does not go by this name: open the address that it has printed"
        if any(origin.partition("://")[2] != hosts[0] for origin in origins):
            return "A page of another origin may not ask for this"
        if method not in _READS and not origins:
            return "Only a page of this server may ask for this: the header Origin is missing"
        site = headers.get("sec-fetch-site", "none")
        # a link that a user follows to us is as safe as an address that a user types
        is_visit = headers.get("sec-fetch-mode") == "navigate" and (
            headers.get("sec-fetch-dest") == "document"
        )
        if site not in ("none", "same-origin") and not (is_visit and method in _READS):
            return "A page of another origin may not ask for this"
        return ""

    def _is_ours(self, host: str) -> bool:
        """Return True if a ``Host`` header has one of our names or any numeric address."""
        parts = _HOST.fullmatch(host.lower())
        if parts is None:
            return False
        if parts["name"] in self._names:
            return True
        try:
            if parts["six"]:
                ipaddress.IPv6Address(parts["six"])
            else:
                ipaddress.IPv4Address(parts["name"])
        except ValueError:
            return False
        return True

    def _ask_for_token(self, scope: Scope) -> Response | None:
        """Return a refusal or a redirect that sets the cookie; None if the session is valid.

        The token is in the first URL only. The answer is a redirect to the URL without the token,
        with a session cookie, so that nobody copies or sees the token in a later URL.
        """
        if not self._token:
            return None
        request = Request(scope)
        # Cookies ignore the port (RFC 6265, 8.5): with one name, two arenas on a machine would
        # overwrite each other's cookie.
        name = f"pwtourney-session-{scope['server'][1]}"
        words = parse_qsl(request.url.query)
        if request.method not in _READS or not _is_same(dict(words).get("token", ""), self._token):
            # Starlette's parser skips what it cannot read: other programs set cookies for this host
            # that may break the grammar.
            if _is_same(request.cookies.get(name, ""), self._session):
                return None
            return PlainTextResponse(
                "The token is missing: open the whole address that the server has printed\n", 401
            )
        others = urlencode([word for word in words if word[0] != "token"])
        # one slash: "//name" would redirect to another server
        path = "/" + request.url.path.lstrip("/")
        answer = RedirectResponse(f"{path}?{others}" if others else path, 303)
        # With SameSite=Strict a browser would not send the cookie when a user follows a link from
        # another page. Requests that change something need our own origin in any case.
        answer.set_cookie(name, self._session, httponly=True, samesite="lax")
        return answer


def _is_same(text: str, secret: str) -> bool:
    return secrets.compare_digest(text.encode(), secret.encode())


def _limit_body(receive: Receive, seconds: float) -> Receive:
    """Wrap `receive` so that it raises `HTTPException` if the body is too long or too slow.

    The error is an `HTTPException` because the application answers it with its status; it would
    treat any other error as its own failure.
    """
    size, is_whole, deadline = 0, False, 0.0

    async def take() -> Message:
        nonlocal size, is_whole, deadline
        deadline = deadline or asyncio.get_running_loop().time() + seconds
        # after the body only http.disconnect follows, which may take any time
        try:
            async with asyncio.timeout_at(None if is_whole else deadline):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408, "The request has not come to its end", _CLOSE) from error
        is_whole = not message.get("more_body", False)
        size += len(message.get("body", b""))
        if size > MOST_BODY:
            raise HTTPException(413, _TOO_LARGE, _CLOSE)
        return message

    return take


def _with_headers(send: Send) -> Send:
    """Wrap `send` so that every answer has the default headers; an answer's own headers win."""

    async def start(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", format_policy(CONTENT_POLICY))
        await send(message)

    return start
