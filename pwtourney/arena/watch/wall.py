"""The games that run in the slots of a results folder, and how they ended, as pages receive them.

Games never wait for this view. Workers write their games to files from time to time (see
`pwtourney.executor.broadcast`). The files of running games are read at most ten times a second for
all pages together, and each page gets what has changed since the last event that it received. The
files of ended games are read only while a page asks for one that is not stored yet.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool

from pwtourney.arena.http.event_stream import Event
from pwtourney.arena.infos import BotInfo
from pwtourney.arena.watch.running_games import (
    NO_GAME,
    SeenGame,
    SeenPly,
    SeenResult,
    SlotReader,
    parse_game,
)
from pwtourney.errors import PwtourneyError, StoreError
from pwtourney.notation.game import Game, Verdict
from pwtourney.notation.game_data import position_data
from pwtourney.rules import Edition
from pwtourney.store import ResultsFolder, Store
from pwtourney.store.folder import LIVE

__all__ = ["Wall", "WallGame", "describe_news", "follow_wall"]

_LOOK_SECONDS = 0.1
_CHECK_SECONDS = 1.0
"""The interval of checks whether a run is active and whether finished games are stored."""

_LAST_PAIRS = 8


class WallGame(NamedTuple):
    """A game, whether it is in a slot of a run, and whether it is stored.

    The result of a game that is not stored is not final: its pair may be played again.
    """

    game: SeenGame
    is_live: bool = True
    is_stored: bool = False


class Wall:
    """The contents of all slots of a results folder, read once for all pages.

    `now` returns seconds.
    """

    def __init__(self, folder: ResultsFolder, now: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._now = now
        self._reader = SlotReader(folder.path / LIVE)
        self._reading: asyncio.Task[None] | None = None
        self._edition: tuple[object, Edition] | None = None
        self._looked = self._checked = -_CHECK_SECONDS
        self.is_running = False
        self.shown: dict[int, WallGame] = {}

    async def look(self) -> None:
        """Update `shown`, unless it was updated in the last 0.1 seconds."""
        if self._reading is None and self._now() - self._looked >= _LOOK_SECONDS:
            self._reading = asyncio.create_task(self._read_apart())
            # retrieve the exception: all waiters may have gone when the task fails
            self._reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        if self._reading is not None:
            # shielded: a cancelled waiter must not cancel the read that other pages wait for
            await asyncio.shield(self._reading)

    async def _read_apart(self) -> None:
        try:
            await run_in_threadpool(self.read)
            self._looked = self._now()
        finally:
            self._reading = None

    def read(self) -> None:
        """Update `shown` from the files and the database; blocks, so call it in a thread."""
        is_time = self._now() - self._checked >= _CHECK_SECONDS
        if is_time:
            self._checked = self._now()
            # only once a second: the check takes the lock for a moment, and a run that starts
            # then would find it locked
            was_running, self.is_running = self.is_running, self._folder.is_locked()
            if self.is_running and not was_running:
                # a new run has not written its files yet, and the last ones were of another run
                self.shown, self._reader = {}, SlotReader(self._folder.path / LIVE)
        # without a lock there is no run, and the files are from a run that was killed
        games = self._reader.look(self._read_edition()) if self.is_running else {}
        for slot, game in games.items():
            old = self.shown.get(slot)
            # the stored record of the same game has more facts than the worker's file
            is_stored = old is not None and old.is_stored and old.game.identity == game.identity
            if old is None or not (is_stored or (old.game == game and old.is_live)):
                self.shown[slot] = WallGame(game)
        for slot in self.shown.keys() - games.keys():
            self.shown[slot] = self.shown[slot]._replace(is_live=False)
        if is_time:
            self._find_results()

    def find(self, pair: int, number: int) -> WallGame | None:
        """Return a game that is stored, or that ended in a slot before the current one."""
        with closing(Store.open_in(self._folder)) as store:
            game = next((record for record in store.pair(pair) if record.game == number), None)
            if game:
                return _show_stored(game, store.edition())
        if not self.is_running:
            return None  # the files are from a run that was killed: the pair is played again
        ended = self._reader.find_ended(pair, number, self._read_edition())
        return WallGame(ended, is_live=False) if ended else None

    def _read_edition(self) -> Edition:
        status = self._folder.database.stat()
        key = (status.st_dev, status.st_ino)
        if self._edition is None or self._edition[0] != key:
            with closing(Store.open_in(self._folder)) as store:
                self._edition = key, store.edition()
        return self._edition[1]

    def _find_results(self) -> None:
        """Replace finished games by their stored records.

        If there is no run, show the last stored games if they are later than those shown: while
        nobody watched, the run may have gone on and ended.
        """
        ended = {
            slot: shown
            for slot, shown in self.shown.items()
            if not shown.is_stored and (shown.game.is_over or not shown.is_live)
        }
        if not ended and self.is_running:
            return
        with closing(Store.open_in(self._folder)) as store:
            edition = store.edition()
            if not self.is_running and (last := self._find_later(store)):
                self.shown = {slot: _show_stored(game, edition) for slot, game in enumerate(last)}
                return
            for slot, shown in ended.items():
                pair = {game.game: game for game in store.pair(shown.game.pair)}
                stored = pair.get(shown.game.game)
                if stored is None or stored.deal != shown.game.deal:
                    continue  # its pair is not complete yet, or was never stored
                self.shown[slot] = _show_stored(stored, edition)._replace(is_live=shown.is_live)

    def _find_later(self, store: Store) -> list[Game]:
        """Return the games of the last stored pair, none if they are not later than those shown."""
        last = _read_last(store)
        newest = max((shown.game.pair for shown in self.shown.values()), default=-1)
        return last if last and last[0].pair > newest else []


def _read_last(store: Store) -> list[Game]:
    """Return the games of the last stored pair; look back over at most 8 pair numbers."""
    count = store.count()
    for pair in range(count - 1, max(-1, count - 1 - _LAST_PAIRS), -1):
        if games := store.pair(pair):
            return games
    return []


def _show_stored(game: Game, edition: Edition) -> WallGame:
    """Return a stored game as a finished one on the wall; raise `StoreError` if it is invalid."""
    data = {
        "pair": game.pair,
        "game": game.game,
        "bots": list(game.bots),
        "edition": edition.name,
        "circle": game.deal.circle,
        "late": game.deal.late,
        "automa": game.automa and list(game.automa),
        "plies": [(ply.seat, ply.action, ply.micros, ply.info) for ply in game.plies],
        "left": (None, None),
        "move": (None, None),
        "asked": None,
        "info": "",
        "over": True,
        "result": (game.verdict, game.winner, game.scores, game.explanation),
    }
    try:
        return WallGame(parse_game(data, edition), is_live=False, is_stored=True)
    except NO_GAME as error:
        raise StoreError(
            f"game {game.pair}.{game.game} breaks the rules of this edition"
        ) from error


async def follow_wall(wall: Wall) -> AsyncGenerator[Event]:
    """Yield the changes of a wall since the last yielded event."""
    sent: dict[int, WallGame] = {}
    was_running: bool | None = None
    while True:
        try:
            await wall.look()
        except (PwtourneyError, OSError):  # a new run may be replacing the database
            await asyncio.sleep(_CHECK_SECONDS)
            continue
        shown, is_running = dict(wall.shown), wall.is_running
        news = [
            describe_news(slot, new, sent.get(slot), time.time())
            for slot, new in shown.items()
            if new != sent.get(slot)
        ]
        gone = [slot for slot in sent if slot not in shown]
        if news or gone or is_running != was_running:
            yield Event({"running": is_running, "slots": news, "gone": gone})
        sent, was_running = shown, is_running
        await asyncio.sleep(_LOOK_SECONDS)


def describe_news(slot: int, new: WallGame, old: WallGame | None, now: float) -> Mapping[str, Any]:
    """Return the news of a slot for a page: the plies that the page does not have, and the state.

    ``game`` is present if the slot shows another game than `old`. `now` is in seconds of the system
    clock. ``spent`` is how long the bot to move has thought, in milliseconds, null if none thinks.
    """
    game = new.game
    is_on = old is not None and old.game.identity == game.identity
    begin = len(old.game.plies) if old is not None and is_on else 0
    if old is not None and is_on and game.plies[:begin] != old.game.plies:
        is_on, begin = False, 0  # the game was replayed from its start
    spent = None
    if game.asked_at is not None and new.is_live and not game.is_over:
        spent = max(0, round(1000 * (now - game.asked_at)))
    news: dict[str, Any] = {
        "slot": slot,
        "plies": [_describe_ply(ply) for ply in game.plies[begin:]],
        "changes": [change.pack() for change in game.changes[begin:]],
        "turn": game.state.to_move,
        "left": game.left,
        "move": game.move,
        "spent": spent,
        "said": _describe_said(game.said),
        "over": game.is_over,
        "live": new.is_live,
        "result": game.result and _describe_result(game.result),
        "stored": new.is_stored,
    }
    return news if is_on else news | {"game": _describe_game(game)}


def _describe_ply(ply: SeenPly) -> list[Any]:
    return [ply.seat, ply.action, ply.micros, _describe_said(ply.said)]


def _describe_result(result: SeenResult) -> dict[str, Any]:
    return result._asdict() | {"void": Verdict(result.verdict).is_void}


def _describe_said(said: BotInfo) -> dict[str, Any] | None:
    return None if said == BotInfo() else said._asdict()


def _describe_game(game: SeenGame) -> Mapping[str, Any]:
    """Return the constant facts of a game, with its start position."""
    is_solo = game.automa is not None
    return {
        "pair": game.pair,
        "number": game.game,
        "bots": game.bots,
        "start": position_data(game.start, automa=is_solo),
        "automa": is_solo,
    }
