"""The view of running games: a wall of live boards, one of them large."""

import re
import time
from contextlib import closing
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pwtourney.arena.http.events import stream_events
from pwtourney.arena.http.pages import make_page
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch.latest import Latest
from pwtourney.arena.watch.tournament_page import show_waiting
from pwtourney.arena.watch.wall import Wall, describe_news, follow_wall
from pwtourney.notation.game_data import edition_data
from pwtourney.sanitize import sanitize
from pwtourney.store import Store

__all__ = ["routes"]

_ID = re.compile(r"([0-9]{1,9})\.([01])", re.ASCII)
_NO_SLOT = -1
"""The slot of a game that is sent alone."""


def routes(arena: Arena, prefix: str = "") -> list[Route]:
    """Return the routes of the view of running games; none without a tournament.

    `prefix` precedes the number of a game in addresses of the analysis.
    """
    if arena.folder is None:
        return []
    folder = arena.folder
    wall = Wall(folder)

    def show(request: Request) -> Response:
        if not folder.is_used():
            return show_waiting(request, arena, "Watch")
        with closing(Store.open_in(folder)) as store:
            facts = {
                "edition": edition_data(store.edition()),
                "name": sanitize(store.meta().name),
                "games": "tournament#game=" if arena.games is None else f"/analyse?game={prefix}",
            }
        return make_page(
            request,
            "watch.html.j2",
            "Watch",
            facts=facts,
            folder=arena.describe_folder(),
            can_play=arena.games is not None,
        )

    def send(request: Request) -> Response:
        return stream_events(request, follow_wall(wall))

    latest = Latest(folder)

    def tell(request: Request) -> Response:
        return JSONResponse(latest.read(_read_pairing(request)))

    return [
        Route("/watch", show),
        Route("/watch/game/{id}", partial(_send_game, wall)),
        Route("/watch/events", send),
        Route("/watch/latest.json", tell),
    ]


def _send_game(wall: Wall, request: Request) -> Response:
    """Answer with one game of the tournament; null if there is none of this id."""
    match = _ID.fullmatch(request.path_params["id"])
    if match is None:
        raise HTTPException(404)
    shown = wall.find(int(match[1]), int(match[2]))
    # null, because a browser would report 404 as an error of the page
    return JSONResponse(describe_news(_NO_SLOT, shown, None, time.time()) if shown else None)


def _read_pairing(request: Request) -> tuple[str, str] | None:
    """Return the two bots whose score a page asks for; None if it does not name two."""
    bots = request.query_params.getlist("bot")
    return (bots[0], bots[1]) if len(bots) == 2 else None
