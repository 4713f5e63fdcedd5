"""The page of a running tournament as a server holds it: rendered now and then, sent in parts.

A page that is open asks for news. It names the parts that it shows with digests of what it has, and
gets those that have changed, and the rows of the games that have ended since it asked last.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool

from pwtourney.arena.pace import Pace
from pwtourney.arena.tournament_state import read_state
from pwtourney.report.collectors import GameIndex, ListedGame
from pwtourney.report.page.page import Link, LivePage, digest, live_page
from pwtourney.report.page.replays import name_row
from pwtourney.report.summary import summarise_with_statistics
from pwtourney.store import ResultsFolder, Store
from pwtourney.web import Asset

__all__ = ["CurrentPage", "News"]

_TOKEN_BYTES = 4


class News(NamedTuple):
    """The changes that an open page lacks: `parts` by their ids, and the `rows` of games.

    `live` identifies the state of the page after them. If `reload` is True the page must be
    loaded again, and the rest is empty.
    """

    reload: bool = False
    live: str = ""
    title: str = ""
    games: int = 0
    parts: tuple[Mapping[str, str], ...] = ()
    rows: tuple[list[Any], ...] = ()


class CurrentPage:
    """The last rendered page, rendered again if there is news and the last rendering is old enough.

    All readers share it, and only one at a time renders it. `evaluators` are the bots that can
    evaluate games, each with its limit. `now` returns seconds.
    """

    def __init__(
        self,
        folder: ResultsFolder,
        prefix: str = "",
        evaluators: Sequence[Mapping[str, Any]] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._prefix = prefix
        self._evaluators = evaluators
        self._pace = Pace(now)
        self._lock = asyncio.Lock()
        self._page: LivePage | None = None
        self._file = Asset.of("", "text/html")
        self._count = 0
        self._tournament = ""
        self._token = ""
        self._rows: dict[tuple[int, int], ListedGame] = {}

    async def read_file(self, links: list[Link]) -> Asset:
        """Return the page as a file to send, with links to the other views."""
        await self.read(links)
        return self._file

    async def read(self, links: list[Link]) -> LivePage:
        """Return the page, with links to the other views."""
        # the other readers wait, instead of rendering the same page at the same time
        async with self._lock:
            await run_in_threadpool(self._update, links)
            assert self._page is not None, "it was made, or an error was raised"
            return self._page

    async def tell(self, live: str, known: Mapping[str, str], links: list[Link]) -> News:
        """Return the news for a page that has the games and the parts that it names.

        `live` is that of its last news, or of its first load. `known` maps the ids of the parts
        that it shows to their digests.
        """
        page = await self.read(links)
        token, _, rest = live.partition("-")
        count, _, names = rest.partition("-")
        if (token, names) != (self._token, page.names) or not count.isdecimal():
            return News(reload=True)
        texts = {name: page.parts[name] for name in known if name in page.parts}
        digests = {name: digest(text) for name, text in texts.items()}
        return News(
            live=f"{self._token}-{len(self._rows)}-{page.names}",
            title=page.title,
            games=self._count,
            parts=tuple(
                {"id": name, "digest": digests[name], "text": text}
                for name, text in texts.items()
                if digests[name] != known[name]
            ),
            rows=tuple(map(name_row, islice(self._rows.values(), int(count), None))),
        )

    def _update(self, links: list[Link]) -> None:
        """Render the page, if that is due."""
        with closing(Store.open_in(self._folder)) as store:
            state = read_state(store)
        if self._pace.is_due(state):
            with self._pace.measure(state):
                self._render(links)

    def _render(self, links: list[Link]) -> None:
        # in one transaction: otherwise the page could show a game that its summary does not count
        with closing(Store.open_in(self._folder)) as store, store.as_one():
            meta, edition = store.meta(), store.edition()
            index = GameIndex(newest=0)  # a page of a server asks for each game that is opened
            summary = summarise_with_statistics(store, index.add)
        self._note_rows(f"{meta.name} {meta.seed} {meta.created}", index)
        live = f"{self._token}-{len(self._rows)}"
        self._page = live_page(
            summary,
            index,
            meta,
            edition,
            live=live,
            links=links,
            prefix=self._prefix,
            evaluators=self._evaluators,
        )
        self._file = Asset.of(self._page.text, "text/html")
        self._count = index.count

    def _note_rows(self, tournament: str, index: GameIndex) -> None:
        """Add the games that are new, in the order in which they were seen.

        The rows begin again, with another token, for another tournament in the folder, and if they
        are twice as many as a page lists.
        """
        listed = index.listed
        most = 2 * (listed.maxlen or len(listed))
        if tournament != self._tournament or len(self._rows) > most:
            self._tournament, self._token = tournament, secrets.token_hex(_TOKEN_BYTES)
            self._rows = {}
        for game in listed:
            self._rows.setdefault((game.pair, game.game), game)
