"""The views for people who play: the form for new games, tables, and their JSON requests."""

from collections.abc import AsyncGenerator
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from pwtourney.arena.http.event_stream import (
    Event,
    answer_while_connected,
    read_json,
    stream_events,
)
from pwtourney.arena.http.pages import make_page
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.evaluators import list_evaluators
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.live_tables import Tables
from pwtourney.arena.play.new_table import read_order
from pwtourney.arena.play.opponents import (
    MOST_STRENGTH,
    SCALE,
    Opponent,
    describe_rating,
    find_sentence,
    list_opponents,
    name_level,
)
from pwtourney.arena.play.seating import Seat
from pwtourney.arena.play.table_view import describe_table, look_at
from pwtourney.arena.play.thumbnails import MOST_THUMBNAILS, describe_thumbnails
from pwtourney.arena.setting import Arena
from pwtourney.notation.game_data import edition_data
from pwtourney.rules import find_edition
from pwtourney.rules.automa import LEVELS, why_no_automa

__all__ = ["routes"]

_HINT_MS = 2000
"""The maximum time of a bot for a hint, in milliseconds."""

_STRONGEST = ("champion", "lookahead", "greedy")
"""The first of these bots that the arena has gives hints by default."""


def routes(arena: Arena, tables: Tables | None) -> list[Route]:
    """Return the routes of the play views; none if the arena has no tables."""
    if tables is None:
        return []
    views = _Views(arena, tables)
    arena.last.push_async_callback(tables.close)
    return [
        Route("/play", views.show_start),
        Route("/play/new", views.show_start),
        Route("/play/new", views.create, methods=["POST"]),
        Route("/play/{id}", views.show_table),
        Route("/play/{id}/events", views.send_events),
        Route("/play/{id}/action", views.act, methods=["POST"]),
        Route("/play/{id}/rematch", views.rematch, methods=["POST"]),
        Route("/play/{id}/hint", views.give_hint, methods=["POST"]),
        Route("/play/{id}/look", views.look, methods=["POST"]),
        Route("/play/{id}/delete", views.delete, methods=["POST"]),
        Route("/play/{id}/game", views.send_record),
    ]


class _Views:
    """The handlers of the play views."""

    def __init__(self, arena: Arena, tables: Tables) -> None:
        self._tables = tables
        self._arena = arena

    async def show_start(self, request: Request) -> Response:
        """Show the form for a new game, filled in from the URL, and the list of games."""
        words = request.query_params
        branch = None
        if words.get("from"):
            source = await self._tables.find(words["from"])
            ply = min(int(words["ply"]), len(source.game.plies)) if _is_number(words) else 0
            branch = {"table": words["from"], "ply": ply, "seating": self._describe_seats(source)}
        opponents = list_opponents(self._arena.bots)
        facts: dict[str, Any] = {
            "opponents": [_describe_opponent(opponent) for opponent in opponents],
            "editions": [_describe_edition(*item) for item in self._arena.editions.items()],
            "levels": LEVELS,
            "branch": branch,
            "given": {key: words[key] for key in ("edition", "position", "deal") if key in words},
        }
        games = self._tables.summarise()
        unfinished = [game for game in games if game.is_unfinished]
        opened = bool(branch or facts["given"])
        facts["unfinished"] = {}
        if not (branch or facts["given"].get("position")):
            shown = unfinished[:MOST_THUMBNAILS]
            facts["unfinished"] = describe_thumbnails(self._tables, shown)
        return make_page(
            request,
            "play.html.j2",
            "Play",
            facts=facts,
            opponents=opponents,
            games=[game for game in games if game.result or game.problem],
            unfinished=unfinished,
            most_drawn=MOST_THUMBNAILS,
            branch=branch,
            opened=opened,
            most=MOST_STRENGTH,
            scale=SCALE,
        )

    def _describe_seats(self, table: Table) -> dict[str, Any]:
        seating = table.seating
        return {
            "edition": seating.edition.name,
            "level": seating.automa.level if seating.automa else None,
            "tactical": bool(seating.automa and seating.automa.tactical),
            "seats": [self._describe_seat(seat) for seat in seating.seats],
        }

    def _describe_seat(self, seat: Seat) -> dict[str, Any]:
        """Return a seat; ``bot`` is empty without a bot, or if the arena no longer has it."""
        bots = self._arena.bots.items()
        bot = next((name for name, text in bots if seat.bot and text == seat.bot), "")
        return {
            "kind": seat.kind,
            "name": seat.name,
            "bot": bot,
            "level": name_level(bot, seat.options),
            "rating": describe_rating(bot, seat.options),
            "about": find_sentence(bot),
            "clock": seat.control._asdict(),
        }

    async def create(self, request: Request) -> Response:
        """Create a table."""
        order = read_order(await read_json(request))
        return JSONResponse({"id": await self._tables.create(order)})

    async def rematch(self, request: Request) -> Response:
        """Create a table for the same players, who swap their seats."""
        await read_json(request)
        return JSONResponse({"id": await self._tables.rematch(request.path_params["id"])})

    async def _find(self, request: Request) -> Table:
        return await self._tables.find(request.path_params["id"])

    async def show_table(self, request: Request) -> Response:
        """Show one table."""
        name, table = request.path_params["id"], await self._find(request)
        seating = table.seating
        facts = {
            "id": name,
            "edition": edition_data(seating.edition),
            "seats": self._describe_seats(table)["seats"],
            "people": seating.people,
            "bots": list(self._arena.bots),
            "evaluators": list_evaluators(self._arena.bots),
            "hint": next((bot for bot in _STRONGEST if bot in self._arena.bots), ""),
            "state": describe_table(table),
        }
        names = " – ".join(seat.name for seat in seating.seats)
        return make_page(
            request, "table.html.j2", names, facts=facts, seating=seating, names=names, id=name
        )

    async def send_events(self, request: Request) -> Response:
        """Stream the state of a table after every change."""
        table = await self._find(request)
        return stream_events(request, _follow(table))

    async def act(self, request: Request) -> Response:
        """Carry out the action of a person, and answer with the new state."""
        body = await read_json(request)
        table = await self._find(request)
        answer = await table.act(body)
        # the page that asked gets the state at once, without waiting for the event
        return JSONResponse(answer | {"state": describe_table(table)})

    async def give_hint(self, request: Request) -> Response:
        """Answer with the hint of a bot of the list."""
        body = await read_json(request)
        bot, version = str(body.get("bot")), body.get("version")
        if bot not in self._arena.bots or not isinstance(version, int):
            raise Refusal(422, "a hint needs the name of a bot and a version")
        table = await self._find(request)
        hint = table.hint(self._arena.bots[bot], _HINT_MS, version)
        return JSONResponse(await answer_while_connected(request, hint))

    async def look(self, request: Request) -> Response:
        """Answer with what an action would change, or why it is illegal."""
        body = await read_json(request)
        table = await self._find(request)
        return JSONResponse(look_at(table.game, str(body.get("action"))))

    async def delete(self, request: Request) -> Response:
        """Delete a table."""
        await read_json(request)
        await self._tables.delete(request.path_params["id"])
        return JSONResponse({})

    async def send_record(self, request: Request) -> Response:
        """Send a finished game in our notation, or a 404 page before it has ended."""
        name, table = request.path_params["id"], await self._find(request)
        record = self._tables.find_record(name)
        if not table.game.is_over or not record.is_file():
            return make_page(
                request,
                "message.html.j2",
                "Not found",
                404,
                message="A game is saved when it has ended.",
            )
        return FileResponse(record, media_type="text/plain; charset=utf-8", filename=f"{name}.game")


async def _follow(table: Table) -> AsyncGenerator[Event]:
    """Yield the state of a table, again after every change, and last when it is closed."""
    table.enter()
    try:
        while not table.closed:
            changed = table.changes()
            yield Event(describe_table(table))
            await changed.wait()
        yield Event(describe_table(table))
    finally:
        table.leave()


def _is_number(words: Any) -> bool:
    text = words.get("ply", "")
    return text.isdecimal() and text.isascii() and len(text) < 6


def _describe_opponent(opponent: Opponent) -> dict[str, Any]:
    levels = [level.name for level in opponent.levels]
    return {"bot": opponent.bot, "levels": levels}


def _describe_edition(name: str, path: str) -> dict[str, Any]:
    edition = find_edition(path)
    return {"name": name, "title": edition.title, "automa": not why_no_automa(edition)}
