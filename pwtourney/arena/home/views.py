"""The first page: invitations, games to continue, tournaments, and the bots."""

from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from pwtourney.arena.home.cards import Card, CardReader
from pwtourney.arena.http.pages import make_page, render
from pwtourney.arena.play.opponents import MOST_STRENGTH, list_opponents
from pwtourney.arena.play.tables import Summary, Tables
from pwtourney.arena.setting import Arena
from pwtourney.arena.watch.shelved import SHELF_PATH
from pwtourney.notation.game_data import edition_data
from pwtourney.store import ResultsFolder

__all__ = ["routes"]

_MOST_GAMES = 6
"""The most games to continue that are shown, the last played first."""


def routes(arena: Arena, tables: Tables | None) -> list[Route]:
    """Return the routes of the first page."""
    views = _Views(arena, tables)
    return [Route("/", views.show), Route("/tournaments", views.send_tournaments)]


class _Entry(NamedTuple):
    """A tournament in the list: its card, the name of its folder, and the path of its views."""

    card: Card
    folder: str
    root: str


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
            entries=entries,
            folder=self._arena.describe_folder(),
            watched=next((entry.root for entry in _sort_by_news(entries)), None),
            is_sample=self._arena.is_sample,
            can_play=self._tables is not None,
            games=games,
            facts=self._describe_games(games),
            opponents=list_opponents(self._arena.bots) if self._tables else [],
            most=MOST_STRENGTH,
        )

    def send_tournaments(self, _: Request) -> Response:
        """Send the list of tournaments as a part of the page."""
        entries = self._list_entries(with_lead=True)
        return HTMLResponse(
            render(
                "tournaments.html.j2",
                entries=entries,
                is_sample=self._arena.is_sample,
                folder=self._arena.describe_folder(),
            )
        )

    def _list_entries(self, *, with_lead: bool) -> list[_Entry]:
        entries = []
        for root, folder in self._list_folders():
            reader = self._find_reader(folder)
            # a database that was not opened yet is read as a whole, to check its pages
            is_known = with_lead or folder.is_checked() or not folder.is_used()
            card = reader.read(with_lead=with_lead) if is_known else reader.last
            card = card._replace(problem=self._arena.hide_paths(card.problem))
            entries.append(_Entry(card, folder.path.name, root))
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
        return [game for game in summaries if not (game.result or game.problem)][:_MOST_GAMES]

    def _describe_games(self, games: list[Summary]) -> dict[str, Any]:
        """Return what the page draws of the games, by their ids."""
        if self._tables is None:
            return {}
        described = self._tables.describe_games([game.id for game in games])
        seatings = {game.id: game.seating for game in games if game.seating}
        return {
            name: {
                "edition": edition_data(seatings[name].edition),
                "names": [seat.name for seat in seatings[name].seats],
                "people": seatings[name].people,
                "automa": seatings[name].automa is not None,
                "game": described[name],
            }
            for name in seatings.keys() & described.keys()
        }


def _sort_by_news(entries: list[_Entry]) -> list[_Entry]:
    """Return the tournaments, those that run first."""
    return sorted(entries, key=lambda entry: entry.card.state != "running")
