"""What every request passes before anything answers it: who asks, from where, and how much.

A server of this machine can be reached by every page that a browser here has open. A page
elsewhere can send requests (cross-site request forgery), and can give its own name this address
(DNS rebinding), which makes it the same origin to the browser. What tells them from our own pages
are the headers ``Host``, ``Origin`` and ``Sec-Fetch-*``, which no page can write.
"""

import asyncio
import ipaddress
import re
import secrets
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["CONTENT_POLICY", "MOST_BODY", "Guard", "format_policy", "make_token"]

MOST_BODY = 64 * 1024
"""The most bytes of a request's body."""

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
"""What a page may load and do: nothing from elsewhere, nothing inline, and in no frame."""

_HEADERS = {
    # names of bots and their messages are in what is served: no browser may take it for a script,
    # and no other page may load it
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

_READS = ("GET", "HEAD")
_TOO_LARGE = f"A request may have {MOST_BODY} bytes at most"
_CLOSE = {"Connection": "close"}
"""The rest of the request is not read."""

_BODY_SECONDS = 10.0
"""How long a client may take to send a body, from when it is awaited to its end."""

_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]{1,5})?", re.ASCII)
"""A header ``Host`` in lower case: an IPv6 address, or a name or an IPv4 address; and a port."""


def make_token() -> str:
    """Return a secret for the address of an arena that others can reach."""
    return secrets.token_urlsafe(24)


def format_policy(policy: Mapping[str, str]) -> str:
    """Return a content policy as the header has it."""
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())


class Guard:
    """An ASGI application around another one, which lets through what our own pages ask for.

    `names` are the names by which the server may be called, in addition to numeric addresses, which
    no other page can give itself; `token` is the secret that a browser has to know, empty for none.
    A body has to be there within `body_seconds`.
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
        # a browser shows its cookies to all servers of the machine: the token is in none
        self._session = make_token()
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # none of ours, see `_why_refused`
            await send({"type": "websocket.close", "code": 1008})
            return
        send = _with_headers(send)
        answer = self._refuse(scope) or self._ask_for_token(scope)
        if answer is not None:
            await answer(scope, receive, send)
            return
        await self._app(scope, _bounded(receive, self._body_seconds), send)

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that no page of ours sends, None for any other."""
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
        """Return why a request looks like that of a foreign page; empty if it does not."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            return "This server does not go by this name: open the address that it has printed"
        if any(origin.partition("://")[2] != hosts[0] for origin in origins):
            return "A page of another origin may not ask for this"
        if method not in _READS and not origins:
            return "Only a page of this server may ask for this: the header Origin is missing"
        site = headers.get("sec-fetch-site", "none")
        # a link that somebody follows to us is as good as an address that is typed
        is_visit = headers.get("sec-fetch-mode") == "navigate" and (
            headers.get("sec-fetch-dest") == "document"
        )
        if site not in ("none", "same-origin") and not (is_visit and method in _READS):
            return "A page of another origin may not ask for this"
        return ""

    def _is_ours(self, host: str) -> bool:
        """Tell whether a header ``Host`` names this server: by an address, or one of its names."""
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
        """Return what a browser gets that does not know the token, or tells it for the first time.

        It stands in the address once. From then on a cookie speaks for the browser, so that the
        token is in no address that somebody copies or sees.
        """
        if not self._token:
            return None
        request = Request(scope)
        # cookies are those of a machine, whatever the port: two arenas would take each other's
        name = f"pwtourney-session-{scope['server'][1]}"
        words = parse_qsl(request.url.query)
        if request.method not in _READS or not _is_same(dict(words).get("token", ""), self._token):
            if _is_same(_read_cookie(request.headers.get("cookie", ""), name), self._session):
                return None
            return PlainTextResponse(
                "The token is missing: open the whole address that the server has printed\n", 401
            )
        others = urlencode([word for word in words if word[0] != "token"])
        # one slash: two would name another server
        path = "/" + request.url.path.lstrip("/")
        answer = RedirectResponse(f"{path}?{others}" if others else path, 303)
        # Strict, a browser would not show it behind a link from elsewhere; what changes something
        # needs our own origin in any case.
        answer.set_cookie(name, self._session, httponly=True, samesite="lax")
        return answer


def _is_same(text: str, secret: str) -> bool:
    return secrets.compare_digest(text.encode(), secret.encode())


def _read_cookie(text: str, name: str) -> str:
    """Return the value that a header ``Cookie`` has for a name, empty if it has none."""
    try:
        cookie = SimpleCookie(text).get(name)
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def _bounded(receive: Receive, seconds: float) -> Receive:
    """Return the same, but raise `HTTPException` for a body that is too long or too slow.

    The application answers it: any other error is one of its own to it.
    """
    taken, is_whole, deadline = 0, False, 0.0

    async def take() -> Message:
        nonlocal taken, is_whole, deadline
        deadline = deadline or asyncio.get_running_loop().time() + seconds
        # behind the body comes only that the client has gone, which may take for ever
        try:
            async with asyncio.timeout_at(None if is_whole else deadline):
                message = await receive()
        except TimeoutError as error:
            raise HTTPException(408, "The request has not come to its end", _CLOSE) from error
        is_whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        if taken > MOST_BODY:
            raise HTTPException(413, _TOO_LARGE, _CLOSE)
        return message

    return take


def _with_headers(send: Send) -> Send:
    """Return the same, with the headers that every answer has unless it has its own."""

    async def start(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", format_policy(CONTENT_POLICY))
        await send(message)

    return start
