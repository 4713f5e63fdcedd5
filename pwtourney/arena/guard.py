"""What every request passes before anything answers it: who asks, from where, and how much.

A server of this machine can be reached by every page that a browser here has open. A page
elsewhere can send requests (cross-site request forgery), and can give its own name this address
(DNS rebinding), which makes it the same origin to the browser. What tells them from our own pages
are the headers ``Host``, ``Origin`` and ``Sec-Fetch-*``, which no page can write.
"""

import asyncio
import ipaddress
import secrets
from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
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
_BODY_SECONDS = 20.0
"""How long a client may take for the next part of a body."""


def make_token() -> str:
    """Return a secret for the address of an arena that others can reach."""
    return secrets.token_urlsafe(24)


def format_policy(policy: Mapping[str, str]) -> str:
    """Return a content policy as the header has it."""
    return "; ".join(f"{name} {sources}" for name, sources in policy.items())


class _TooLarge(Exception):
    """A body has more bytes than are taken."""


class Guard:
    """An ASGI application around another one, which lets through what our own pages ask for.

    `names` are the names by which the server may be called, in addition to numeric addresses, which
    no other page can give itself; `token` is the secret that a browser has to know, empty for none.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str] = (), token: str = "") -> None:
        self._app = app
        self._names = {"localhost", *(name.lower() for name in names)}
        self._token = token

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
        started = False

        async def note_start(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, _bounded(receive), note_start)
        except (_TooLarge, TimeoutError) as error:
            if not started:
                answer = _too_large() if isinstance(error, _TooLarge) else _too_slow()
                await answer(scope, receive, send)

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
            return _too_large()
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
        name = host.lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        if name in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _ask_for_token(self, scope: Scope) -> Response | None:
        """Return what a browser gets that does not know the token, or tells it for the first time.

        It stands in the address once. From then on a cookie has it, so that it is in no address
        that somebody copies or sees.
        """
        if not self._token:
            return None
        request = Request(scope)
        # cookies are those of a machine, whatever the port: two arenas would take each other's
        name = f"pwtourney-token-{scope['server'][1]}"
        if self._is_token(_read_cookie(request.headers.get("cookie", ""), name)):
            return None
        words = parse_qsl(request.url.query)
        if request.method not in _READS or not self._is_token(dict(words).get("token", "")):
            return PlainTextResponse(
                "The token is missing: open the whole address that the server has printed\n", 401
            )
        others = urlencode([word for word in words if word[0] != "token"])
        # one slash: two would name another server
        path = "/" + request.url.path.lstrip("/")
        answer = RedirectResponse(f"{path}?{others}" if others else path, 303)
        answer.set_cookie(name, self._token, httponly=True, samesite="strict")
        return answer

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self._token.encode())


def _read_cookie(text: str, name: str) -> str:
    """Return the value that a header ``Cookie`` has for a name, empty if it has none."""
    try:
        cookie = SimpleCookie(text).get(name)
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def _too_large() -> Response:
    return PlainTextResponse(
        f"A request may have {MOST_BODY} bytes at most\n", 413, {"Connection": "close"}
    )


def _too_slow() -> Response:
    return PlainTextResponse("The request has not come to its end\n", 408, {"Connection": "close"})


def _bounded(receive: Receive) -> Receive:
    """Return the same, but raise an error for a body that is longer, or slower, than it may be."""
    taken, is_whole = 0, False

    async def take() -> Message:
        nonlocal taken, is_whole
        # behind the body comes only that the client has gone, which may take for ever
        message = await asyncio.wait_for(receive(), None if is_whole else _BODY_SECONDS)
        is_whole = not message.get("more_body", False)
        taken += len(message.get("body", b""))
        if taken > MOST_BODY:
            raise _TooLarge
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
