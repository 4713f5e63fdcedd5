"""The Starlette application that combines all views of an arena."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from pwtourney.arena.analyse import views as analyse
from pwtourney.arena.home import views as home
from pwtourney.arena.http import pages
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play import views as play
from pwtourney.arena.play.live_tables import Tables
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch import shelved, tournament_page
from pwtourney.arena.watch import views as watch
from pwtourney.errors import PwtourneyError

__all__ = ["make_app"]

_LEVEL = 6
"""The level of gzip; above it, answers take longer and hardly get smaller."""


def make_app(arena: Arena) -> Starlette:
    """Return the application of an arena.

    It has no access checks; `pwtourney.arena.http.guard` adds them.
    """

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        async with arena.last:
            yield

    tables = Tables(arena, arena.games) if arena.games else None
    routes: list[BaseRoute] = [
        *pages.routes(),
        *home.routes(arena, tables),
        *tournament_page.routes(arena),
        *watch.routes(arena),
        *shelved.routes(arena),
        *play.routes(arena, tables),
        *analyse.routes(arena),
    ]
    app = Starlette(
        routes=routes,
        # not for event streams, which it passes on as they come
        middleware=[Middleware(GZipMiddleware, compresslevel=_LEVEL)],
        lifespan=live,
        exception_handlers={
            **dict.fromkeys(
                (HTTPException, PwtourneyError, OSError), partial(_answer_failure, arena)
            ),
            ClientDisconnect: _answer_nobody,
        },
    )
    app.state.streams = set()
    app.router.redirect_slashes = False  # each page has exactly one path
    return app


def _answer_failure(arena: Arena, request: Request, error: Exception) -> Response:
    """Return the answer to a failed request: JSON for a POST, an HTML page for other methods."""
    headers = None
    if isinstance(error, HTTPException):
        status, text, headers = error.status_code, error.detail, error.headers
    elif isinstance(error, Refusal):
        status, text = error.status, str(error)
    elif isinstance(error, OSError):
        status, text = 503, f"this cannot be read or written now: {error.strerror}"
    elif request.method == "POST":
        status, text = 422, str(error)
    else:
        status, text = 503, f"this cannot be read now: {error}"
    text = arena.hide_paths(text)
    if request.method == "POST":
        return JSONResponse({"problem": text}, status, headers)
    title = "Not now" if status == 503 else HTTPStatus(status).phrase
    message = f"{text[:1].upper()}{text[1:]}."
    answer = pages.make_page(request, "message.html.j2", title, status, message=message)
    answer.headers.update(headers or {})
    return answer


def _answer_nobody(_: Request, __: Exception) -> Response:
    """Return the answer to a client that has disconnected; nobody reads it."""
    return Response(status_code=408)
