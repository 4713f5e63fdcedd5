"""The view of running games: a wall of live boards, one of them large; and that of one game."""

import time
from contextlib import closing
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from pwtourney.arena.analyse.study import Point
from pwtourney.arena.http.event_stream import stream_events
from pwtourney.arena.http.pages import make_page
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch.latest import Latest
from pwtourney.arena.watch.running_games import SeenGame
from pwtourney.arena.watch.tournament_page import find_root, show_waiting
from pwtourney.arena.watch.wall import Wall, describe_news, follow_wall
from pwtourney.errors import UsageError
from pwtourney.notation.game_data import edition_data
from pwtourney.notation.marks import Marks, marked_text
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store

__all__ = ["routes"]

_NO_SLOT = -1
"""The slot of a game that is sent alone."""

_END = 9999
"""A ply behind the end of any game."""

_MOST_FOLLOWED = 2
"""The most bots whose last game a page asks for: those of a pairing."""


def routes(arena: Arena, prefix: str = "") -> list[Route]:
    """Return the routes of the view of running games; none without a tournament.

    `prefix` precedes the number of a game in addresses of the analysis.
    """
    if arena.folder is None:
        return []
    views = _Views(arena, arena.folder, prefix)
    return [
        Route("/watch", views.show),
        Route("/game/{id}", views.show_game),
        *([Route("/game/{id}/play", views.play_on)] if arena.games else []),
        Route("/watch/game/{id}", views.send_game),
        Route("/watch/events", views.send_events),
        Route("/watch/latest.json", views.tell_latest),
    ]


class _Views:
    """The views of the games of one results folder, whose run may not have begun."""

    def __init__(self, arena: Arena, folder: ResultsFolder, prefix: str) -> None:
        self._arena = arena
        self._folder = folder
        self._prefix = prefix
        self._wall = Wall(folder)
        self._latest = Latest(folder)

    def show(self, request: Request) -> Response:
        """Show the games that are being played."""
        if not self._folder.is_used():
            return show_waiting(request, self._arena, "Watch")
        return self._make_page(request, "Watch")

    def show_game(self, request: Request) -> Response:
        """Show one game, whether it is to come, being played or stored.

        A number of the schedule leads to the game's own address.
        """
        if not self._folder.is_used():
            return show_waiting(request, self._arena, "Watch")
        own = "{}.{}".format(*self._find_place(request.path_params["id"]))
        if own != request.path_params["id"]:
            return RedirectResponse(f"{find_root(request)}/game/{own}")
        return self._make_page(request, f"Game {own}", own)

    def _make_page(self, request: Request, title: str, own: str = "") -> Response:
        """Return the page of the run, or of its game `own`."""
        arena = self._arena
        with closing(Store.open_in(self._folder)) as store:
            edition = store.edition()
            facts = {
                "edition": edition_data(edition),
                "name": sanitize(store.meta().name),
                "root": find_root(request),
                "own": own,
                "analysis": f"/analyse?game={self._prefix}" if arena.games else "",
                "canPlay": bool(arena.games) and edition.name in arena.editions,
            }
        return make_page(
            request,
            "watch.html.j2",
            title,
            facts=facts,
            folder=arena.describe_folder(),
            can_play=arena.games is not None,
        )

    def play_on(self, request: Request) -> Response:
        """Lead to the form for a new game from a position of a game, after ``ply`` plies."""
        place = self._find_place(request.path_params["id"])
        # a copy: another thread may read the files of the slots meanwhile
        games = [shown.game for shown in list(self._wall.shown.values())]
        stored = self._wall.find(*place)
        game = stored.game if stored else next((game for game in games if game.key == place), None)
        if game is None or game.automa:
            raise HTTPException(404, "This game cannot be played on")
        start = {
            "edition": game.start.edition.name,
            "position": _write_position(game, _read_ply(request)),
        }
        return RedirectResponse(f"/play/new?{urlencode(start)}", 303)

    def send_game(self, request: Request) -> Response:
        """Answer with one game of the tournament; null if there is none of this name."""
        shown = self._wall.find(*self._find_place(request.path_params["id"]))
        # null, because a browser would report 404 as an error of the page
        return JSONResponse(describe_news(_NO_SLOT, shown, None, time.time()) if shown else None)

    def send_events(self, request: Request) -> Response:
        """Send the changes of the running games as they come."""
        return stream_events(request, follow_wall(self._wall))

    def tell_latest(self, request: Request) -> Response:
        """Answer with what stands next to the games: results, standings and progress."""
        name = request.query_params.get("game")
        place = self._find_place(name) if name else None
        followed = request.query_params.getlist("follow")[:_MOST_FOLLOWED]
        return JSONResponse(self._latest.read(_read_pairing(request), place, followed))

    def _find_place(self, name: str) -> tuple[int, int]:
        """Return the pair and the index of a game by its name; raise `HTTPException` (404)."""
        with closing(Store.open_in(self._folder)) as store:
            try:
                return store.numbers().locate(name)
            except UsageError as error:
                raise HTTPException(404, str(error)) from error


def _write_position(game: SeenGame, ply: int) -> str:
    """Return the position of a game after a ply as text, with the patches that lie in it."""
    point = Point(game.start, Marks.of(game.start))
    for played in game.plies[:ply]:
        point = point.play(played.action)
    return marked_text(point.state.hide_late(), point.marks)


def _read_ply(request: Request) -> int:
    """Return the ply that a page names, `_END` if it names none."""
    words = request.query_params.get("ply", "")
    return int(words) if words.isdecimal() and len(words) < len(str(_END)) else _END


def _read_pairing(request: Request) -> tuple[str, str] | None:
    """Return the two bots whose score a page asks for; None if it does not name two."""
    bots = request.query_params.getlist("bot")
    return (bots[0], bots[1]) if len(bots) == 2 else None
