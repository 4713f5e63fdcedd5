"""The first page: invitations, games to continue, tournaments, and the bots."""

from typing import NamedTuple
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from pwtourney.arena.home.cards import Card, CardReader
from pwtourney.arena.http.pages import make_page, render
from pwtourney.arena.play.live_tables import Summary, Tables
from pwtourney.arena.play.opponents import MOST_STRENGTH, SCALE, list_opponents
from pwtourney.arena.play.thumbnails import MOST_THUMBNAILS, describe_thumbnails
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch.shelved import SHELF_PATH
from pwtourney.bots.naming import name_bot
from pwtourney.report.figures import format_rating
from pwtourney.store import ResultsFolder

__all__ = ["routes"]

_MOST_RATED = 10
"""The most tournaments in which the ratings of bots are looked for, the newest first."""

_ZERO = "greedy"
"""The bot that has 0 on the ladder."""


def routes(arena: Arena, tables: Tables | None) -> list[Route]:
    """Return the routes of the first page."""
    views = _Views(arena, tables)
    own = [Route("/ratings.json", views.send_ratings)] if tables else []
    return [Route("/", views.show), Route("/tournaments", views.send_tournaments), *own]


class _Entry(NamedTuple):
    """A tournament in the list: its card, the name of its folder, and the path of its views."""

    card: Card
    folder: str
    root: str
    is_running: bool


class _Group(NamedTuple):
    """Some tournaments of the list; the heading is empty if there is no other group."""

    heading: str
    entries: list[_Entry]


class _Views:
    """The handlers of the first page."""

    def __init__(self, arena: Arena, tables: Tables | None) -> None:
        self._arena = arena
        self._tables = tables
        self._readers: dict[ResultsFolder, CardReader] = {}

    async def show(self, request: Request) -> Response:
        """Show the page at once; its script asks for what takes longer to read."""
        entries = await run_in_threadpool(self._list_entries, with_lead=False)
        games = self._list_games()
        return make_page(
            request,
            "home.html.j2",
            "Home",
            groups=_group_entries(entries),
            folder=self._arena.describe_folder(),
            watched=next(iter(_sort_by_news(entries)), None),
            is_sample=self._arena.is_sample,
            can_play=self._tables is not None,
            games=games,
            facts=describe_thumbnails(self._tables, games) if self._tables else {},
            opponents=list_opponents(self._arena.bots) if self._tables else [],
            most=MOST_STRENGTH,
            scale=SCALE,
        )

    def send_tournaments(self, _: Request) -> Response:
        """Send the list of tournaments as a part of the page."""
        entries = self._list_entries(with_lead=True)
        return HTMLResponse(
            render(
                "tournaments.html.j2",
                groups=_group_entries(entries),
                is_sample=self._arena.is_sample,
                folder=self._arena.describe_folder(),
            )
        )

    def send_ratings(self, _: Request) -> Response:
        """Send the ratings that tournaments of this arena give to bots that are not on the ladder.

        The tournament that changed last counts. Greedy has 0, as on the ladder, if it plays there;
        `scale` says so, or what else has 0.
        """
        names = {
            name_bot(opponent.bot): opponent.bot
            for opponent in list_opponents(self._arena.bots)
            if opponent.elo is None
        }
        ratings: dict[str, dict[str, str]] = {}
        for _root, folder in self._list_folders()[:_MOST_RATED]:
            reader = self._find_reader(folder)
            card = reader.read()
            zero = reader.ratings.get(_ZERO)
            scale = reader.scale if zero is None else SCALE
            for name, elo in reader.ratings.items():
                if name in names:
                    rating = {
                        "elo": format_rating(elo - (zero or 0)),
                        "tournament": card.title,
                        "scale": scale,
                    }
                    ratings.setdefault(names[name], rating)
        return JSONResponse(ratings)

    def _list_entries(self, *, with_lead: bool) -> list[_Entry]:
        entries = []
        for root, folder in self._list_folders():
            reader = self._find_reader(folder)
            # a database that was not opened yet is read as a whole, to check its pages
            is_known = with_lead or folder.is_checked() or not folder.is_used()
            card = reader.read(with_lead=with_lead) if is_known else reader.last
            card = card._replace(problem=self._arena.hide_paths(card.problem))
            entries.append(_Entry(card, folder.path.name, root, reader.is_running()))
        return entries

    def _list_folders(self) -> list[tuple[str, ResultsFolder]]:
        own = [("", self._arena.folder)] if self._arena.folder else []
        shelf = self._arena.shelf.list_folders() if self._arena.shelf else []
        return own + [(f"{SHELF_PATH}/{quote(folder.path.name)}", folder) for folder in shelf]

    def _find_reader(self, folder: ResultsFolder) -> CardReader:
        return self._readers.setdefault(folder, CardReader(folder))

    def _list_games(self) -> list[Summary]:
        """Return the games that can be continued."""
        summaries = self._tables.summarise() if self._tables else []
        return [game for game in summaries if game.is_unfinished][:MOST_THUMBNAILS]


def _sort_by_news(entries: list[_Entry]) -> list[_Entry]:
    """Return the tournaments, those that run first."""
    return sorted(entries, key=lambda entry: not entry.is_running)


def _group_entries(entries: list[_Entry]) -> list[_Group]:
    """Return the tournaments that run, and then the others."""
    running = [entry for entry in entries if entry.is_running]
    others = [entry for entry in entries if not entry.is_running]
    if running and others:
        return [_Group("Running now", running), _Group("Earlier", others)]
    return [_Group("", entries)] if entries else []
