"""The views of the tournaments on a shelf, each below a path with its name."""

from dataclasses import replace
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount, Router
from starlette.types import Receive, Scope, Send

from pwtourney.arena.setting import Arena
from pwtourney.arena.watch import tournament_page
from pwtourney.arena.watch import views as watch

__all__ = ["SHELF_PATH", "routes"]

SHELF_PATH = "/of"
"""The path below which each tournament of a shelf has its views."""


def routes(arena: Arena) -> list[BaseRoute]:
    """Return the route of all tournaments on the shelf of an arena; none without a shelf."""
    return [Mount(f"{SHELF_PATH}/{{name}}", app=_Shelved(arena))] if arena.shelf else []


class _Shelved:
    """An application that passes requests on to the views of one tournament.

    The views are made at the first request, because tournaments may begin at any time.
    """

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._routers: dict[str, Router] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a tournament, or raise `HTTPException` (404) if there is none."""
        name = scope["path_params"]["name"]
        folder = self._arena.shelf.find(name) if self._arena.shelf else None
        if folder is None:
            raise HTTPException(404, "There is no such tournament")
        if name not in self._routers:
            arena, prefix = replace(self._arena, folder=folder, shelf=None), quote(f"{name}:")
            views = [*tournament_page.routes(arena, f"{name}:"), *watch.routes(arena, prefix)]
            self._routers[name] = Router(views, redirect_slashes=False)
        await self._routers[name](scope, receive, send)
