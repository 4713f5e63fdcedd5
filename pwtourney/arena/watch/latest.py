"""Reads what is shown next to watched games: last results, standings, progress, coming games."""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from itertools import islice
from threading import Lock
from typing import Any

from pwtourney.arena.leading import describe_lead
from pwtourney.arena.pace import Pace
from pwtourney.arena.tournament_state import RunState, read_state
from pwtourney.arena.watch.pairing_scores import PairingScores
from pwtourney.arena.watch.upcoming import list_upcoming
from pwtourney.notation.game import Game
from pwtourney.report.figures import WORD_HEADINGS
from pwtourney.report.summary import Summary, summarise
from pwtourney.report.text.measures import UNKNOWN
from pwtourney.report.text.rows import format_row, interval_heading
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store

__all__ = ["Latest"]

_MOST_RESULTS = 12
_MOST_ROWS = 20
_MOST_MESSAGE = 200
_MOST_SEARCHED = 2000
"""The most games, the newest first, among which the last one of some bots is looked for."""

_NOTE_SECONDS = 1.0
"""The interval between looks for the next pairs; each takes the lock of the folder for a moment."""


class Latest:
    """The latest results of a folder, read once for all pages; for several threads.

    `now` returns seconds.
    """

    def __init__(self, folder: ResultsFolder, now: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._now = now
        self._lock, self._rating = Lock(), Lock()
        self._listed: RunState | None = None
        self._pace = Pace(now)
        self._noted = 0.0
        self._results: list[dict[str, Any]] = []
        self._newest: dict[frozenset[str], str | None] = {}
        self._table: dict[str, Any] = {"headings": [], "words": [], "rows": [], "bots": []}
        self._scores: PairingScores | None = None
        self._upcoming: list[dict[str, Any]] = []
        self._problem = self._lead = ""

    def read(
        self,
        pairing: tuple[str, str] | None = None,
        place: tuple[int, int] | None = None,
        followed: Collection[str] = (),
    ) -> dict[str, Any]:
        """Return the last 12 games, the newest first, the first 20 bots, and how far the run is.

        A result has the id of its game, the bots, the scores, the winner (a seat or null), the
        verdict, and the message of a fault. ``pairing`` is the score of the two bots of `pairing`,
        of the same games as the standings, and ``next`` are the next pairs, as far as they are
        known. ``neighbours`` are the ids of the stored games before and after the game `place`,
        null for none. ``newest`` is the id of the last stored game of all the bots `followed`, null
        if there are no such bots, or no game of them among the last 2,000. ``problem`` says why the
        games give no result, empty if they do, and ``lead`` who leads or has won. Raises the errors
        of `Store`.
        """
        with closing(Store.open_in(self._folder)) as store, store.as_one():
            meta, state = store.meta(), read_state(store)
            with self._lock:
                self._look(store, state)
                newest = self._newest
            self._rate(store, state)
            known = {*map(sanitize, meta.bots), *self._table["bots"]}
            bots = frozenset(followed)
            if bots and bots <= known and bots not in newest:
                newest[bots] = _find_newest(store, bots)
            return {
                "results": self._results,
                "table": self._table,
                "pairing": self._scores.describe(*pairing) if pairing and self._scores else None,
                "next": self._upcoming,
                "neighbours": [
                    key and "{}.{}".format(*key)
                    for key in (store.neighbours(*place) if place else ())
                ],
                "newest": newest.get(bots),
                "stored": store.count(),
                "planned": meta.pairs,
                "over": meta.over,
                "problem": self._problem,
                "lead": self._lead,
            }

    def _look(self, store: Store, state: RunState) -> None:
        """Update the last results and the next pairs, if they may have changed."""
        if state != self._listed:
            self._results = [_describe(game) for game in _list_last(store)]
            self._newest = {}
            self._listed = state
        if self._now() >= self._noted:
            self._upcoming = list_upcoming(self._folder, store)
            self._noted = self._now() + _NOTE_SECONDS

    def _rate(self, store: Store, state: RunState) -> None:
        """Update the standings and the scores, if that is due.

        While one reader does, which takes seconds with many games, the others get the old ones;
        only the first readers wait.
        """
        is_first = self._scores is None
        if not self._pace.is_due(state) or not self._rating.acquire(blocking=is_first):
            return
        try:
            if self._pace.is_due(state):  # no other reader has done it meanwhile
                with self._pace.measure(state):
                    summary = summarise(store)
                self._table, self._scores = _tabulate(summary), PairingScores(summary.standings)
                self._problem = summary.conditions.explain_no_result()
                self._lead = sanitize(describe_lead(summary))
        finally:
            self._rating.release()


def _list_last(store: Store) -> Iterator[Game]:
    """Yield the last games, the newest first; pairs may be missing between others."""
    count, left = store.count(), _MOST_RESULTS
    for pair in range(count - 1, max(-1, count - 1 - 2 * _MOST_RESULTS), -1):
        for game in reversed(store.pair(pair)):
            yield game
            left -= 1
            if not left:
                return


def _find_newest(store: Store, bots: frozenset[str]) -> str | None:
    """Return the id of the last stored game of some bots, if it is one of the last 2,000."""
    games = islice(store.newest_records(), _MOST_SEARCHED)
    own = (game for game in games if bots <= set(map(sanitize, game.bots)))
    return next((_name(game) for game in own), None)


def _name(game: Game) -> str:
    return f"{game.pair}.{game.game}"


def _describe(game: Game) -> dict[str, Any]:
    return {
        "id": _name(game),
        "bots": [sanitize(bot) for bot in game.bots],
        "scores": list(game.scores),
        "winner": game.winner,
        "verdict": str(game.verdict),
        "message": sanitize(game.explanation[:_MOST_MESSAGE]),
    }


def _tabulate(summary: Summary) -> dict[str, Any]:
    """Return the first rows of the standings, with the few columns that matter, and all bots."""
    headings = ["#", "Bot", "Elo", interval_heading(summary.level), "Games"]
    ranked = [row for pool in summary.standings.pools for row in pool.rows]
    rows = []
    for row in ranked[:_MOST_ROWS]:
        cells = format_row(row, summary.level, summary.season)
        if not row.tally.game_count:
            cells["#"] = UNKNOWN  # before its first game all bots would share a rank
        rows.append([sanitize(cells[heading]) for heading in headings])
    words = [heading for heading in headings if heading in WORD_HEADINGS]
    bots = [sanitize(row.bot) for row in ranked]
    return {"headings": headings, "words": words, "rows": rows, "bots": bots}
