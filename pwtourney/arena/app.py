"""All views of an arena as one application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pwtourney.arena import analysis, pages, play, tournament, watch
from pwtourney.arena.setting import Arena
from pwtourney.errors import PwtourneyError

__all__ = ["make_app"]


def make_app(arena: Arena) -> Starlette:
    """Return the application of an arena, without what guards it (`pwtourney.arena.guard`)."""

    @asynccontextmanager
    async def live(_: Starlette) -> AsyncIterator[None]:
        async with arena.last:
            yield

    found: list[Route] = [
        *pages.routes(),
        *tournament.routes(arena),
        *watch.routes(arena),
        *play.routes(arena),
        *analysis.routes(arena),
    ]
    app = Starlette(
        routes=found,
        lifespan=live,
        exception_handlers={
            HTTPException: _say_status,
            PwtourneyError: _say_error,
            OSError: _say_error,
        },
    )
    app.state.streams = set()
    app.router.redirect_slashes = False  # a path leads to one thing, or to none
    return app


def _say_status(request: Request, error: Exception) -> Response:
    """Answer what leads nowhere."""
    assert isinstance(error, HTTPException), "it is registered for nothing else"
    answer = pages.make_page(
        *(request, "message.html.j2", HTTPStatus(error.status_code).phrase, error.status_code),
        message=f"{error.detail}.",
    )
    answer.headers.update(error.headers or {})
    return answer


def _say_error(request: Request, error: Exception) -> Response:
    """Answer when something cannot be read now; it may be there again in a moment."""
    what = error.strerror if isinstance(error, OSError) else str(error)
    return pages.make_page(
        request, "message.html.j2", "Not now", 503, message=f"This cannot be read now: {what}"
    )
