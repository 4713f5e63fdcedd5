"""The tables of an arena: stored in one folder, opened on demand, and limited in number."""

import asyncio
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.arena.days import format_day
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.bots_apart import BotsApart
from pwtourney.arena.play.journal import Entry, Journal, delete_journal, read_journal
from pwtourney.arena.play.kept_game import KeptGame, record_path
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.new_table import Order, branch_plies, seat_rematch, seat_table
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import Seating, dump_seating, load_seating
from pwtourney.arena.setting import Arena
from pwtourney.errors import NotationError, PwtourneyError, StoreError
from pwtourney.notation.game import Ply, Verdict
from pwtourney.notation.game_text import parse_record
from pwtourney.report.figures import sign_numbers
from pwtourney.sandbox.launch import keep_private
from pwtourney.text_files import read_text

__all__ = ["MOST_TABLES", "MOST_WITH_BOTS", "Summary", "Tables"]

MOST_TABLES = 100
"""The most unfinished games, and the most open tables at a time."""

MOST_WITH_BOTS = 8
"""The most tables with running bots at a time."""

_LISTED = 200
"""The most games that a page lists, the newest first."""

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_ID_LENGTH = 12


class Summary(NamedTuple):
    """A table in a list; if it cannot be opened, `problem` says why and the rest is empty."""

    id: str
    seating: Seating | None
    plies: int = 0
    result: str = ""
    problem: str = ""

    @property
    def title(self) -> str:
        """The names of both seats, or the id of a table that cannot be opened."""
        if self.seating is None:
            return self.id
        return " – ".join(seat.name for seat in self.seating.seats)

    @property
    def is_unfinished(self) -> bool:
        """True if the game can be continued."""
        return not (self.result or self.problem)

    @property
    def date(self) -> str:
        """The day on which the table was made, in the time zone of this machine."""
        if self.seating is None:
            return ""
        return format_day(self.seating.made)


class Tables:
    """The tables in the folder of an arena; call `close` when the server ends."""

    def __init__(self, arena: Arena, folder: Path) -> None:
        self._arena = arena
        self._folder = folder
        self._open: dict[str, Table] = {}
        self._opening = asyncio.Lock()
        self._places = ProcessLimit(MOST_WITH_BOTS)
        self._known: dict[Path, tuple[tuple[int, int, bool], Summary]] = {}
        self._described: dict[str, tuple[tuple[int, int], dict[str, Any]]] = {}
        # our memory has facts that the rules hide, and bots may run as the same user
        keep_private()

    async def create(self, order: Order) -> str:
        """Create a table and return its id; raises `Refusal` and the errors of `seat_table`."""
        parent, plies = None, []
        if order.branch:
            source = await self.find(order.branch.table)
            plies = list(source.game.plies[: order.branch.ply])
            parent = source.seating
        async with self._opening:
            self._require_room()
            seating = seat_table(order, self._arena, parent)
            if parent:
                plies = branch_plies(plies, parent, seating)
            return await self._begin(seating, plies)

    async def rematch(self, name: str) -> str:
        """Create a table for the players of another one, in swapped seats, and return its id.

        Raises `Refusal`.
        """
        source = await self.find(name)
        async with self._opening:
            self._require_room()
            return await self._begin(seat_rematch(source.seating), ())

    def _require_room(self) -> None:
        """Raise `Refusal` if too many games are unfinished."""
        unfinished = [path for path in self._list_journals() if not record_path(path).exists()]
        if len(unfinished) >= MOST_TABLES:
            raise Refusal(
                429, f"{MOST_TABLES} games are unfinished: finish or delete one of them first"
            )

    async def _begin(self, seating: Seating, plies: Sequence[Ply]) -> str:
        """Write the journal of a new table and open it; return its id."""
        entries: list[Entry] = [dump_seating(seating), *({"ply": list(ply)} for ply in plies)]
        name = "".join(secrets.choice(_LETTERS) for _ in range(_ID_LENGTH))
        path = self._folder / f"{name}.jsonl"
        try:
            journal = await asyncio.to_thread(Journal.create, path, entries)
        except OSError as error:
            raise Refusal(507, f"a new game cannot be written: {error.strerror}") from error
        try:
            await self._seat(name, journal, seating)
        except PwtourneyError:
            path.unlink()
            raise
        return name

    async def find(self, name: str) -> Table:
        """Return a table by its id; raise `Refusal` if it is missing or cannot be read."""
        if table := self._open.get(name):
            return table  # without the lock, which another table may hold while it closes
        async with self._opening:
            if name in self._open:
                return self._open[name]
            path = self._find_journal(name)
            try:
                journal = await asyncio.to_thread(Journal.open, path)
                try:
                    seating = _load_seating(path, journal.entries[0])
                except StoreError:
                    journal.close()
                    raise
                return await self._seat(name, journal, seating)
            except OSError as error:
                raise Refusal(503, f"the journal {path.name}: {error.strerror}") from error
            except Refusal:
                raise
            except PwtourneyError as error:
                raise Refusal(503, str(error)) from error

    async def delete(self, name: str) -> None:
        """Delete a table and its saved game, even an unreadable one; raise `Refusal` on failure."""
        async with self._opening:
            path = self._find_journal(name)
            table = self._open.pop(name, None)
            if table is not None:
                await table.close("this game has been deleted")
            try:
                delete_journal(path)
                record_path(path).unlink(missing_ok=True)
            except OSError as error:
                raise Refusal(503, f"the journal {path.name}: {error.strerror}") from error
            except StoreError as error:
                raise Refusal(409, str(error)) from error

    def find_record(self, name: str) -> Path:
        """Return the path where the finished game of a table is saved."""
        return record_path(self._folder / f"{name}.jsonl")

    def summarise(self) -> list[Summary]:
        """Return the newest 200 tables, the last played first; unchanged files are not reread."""
        paths = self._list_journals()
        stats = {path: path.stat() for path in paths}
        newest = sorted(paths, key=lambda path: -stats[path].st_mtime_ns)[:_LISTED]
        summaries = []
        for path in newest:
            record = record_path(path)
            state = (stats[path].st_mtime_ns, stats[path].st_size, record.exists())
            known = self._known.get(path)
            if known is None or known[0] != state:
                known = self._known[path] = (state, _summarise(path, record))
            summaries.append(known[1])
        self._known = {path: self._known[path] for path in newest}
        return summaries

    def describe_games(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the games of some tables by name, without opening these; see `Trail.describe`.

        Unchanged files are not reread. A game that cannot be read is left out.
        """
        games = {}
        for name in names:
            with suppress(PwtourneyError, OSError):
                path = self._find_journal(name)
                stat = path.stat()
                state, known = (stat.st_mtime_ns, stat.st_size), self._described.get(name)
                games[name] = known if known and known[0] == state else (state, _describe(path))
        self._described = games
        return {name: game for name, (_, game) in games.items()}

    async def close(self) -> None:
        """Close all tables; their games stay in the folder."""
        async with self._opening:
            tables, self._open = self._open, {}
            await asyncio.gather(*(table.close("the arena has ended") for table in tables.values()))

    def _find_journal(self, name: str) -> Path:
        """Return the journal of a table by its id; raise `Refusal` (404) if there is none."""
        path = self._folder / f"{name}.jsonl"
        if len(name) != _ID_LENGTH or not set(name) <= set(_LETTERS) or not path.is_file():
            raise Refusal(404, "there is no such game")
        return path

    def _list_journals(self) -> list[Path]:
        return [path for path in self._folder.glob("*.jsonl") if not path.is_symlink()]

    async def _seat(self, name: str, journal: Journal, seating: Seating) -> Table:
        """Open a table; if `MOST_TABLES` are open, close one that no browser shows.

        Raises `StoreError` for an unknown bot or an invalid journal, and `Refusal` if all open
        tables are in use.
        """
        private = [self._folder, *self._arena.private_results]
        allowed = set(self._arena.bots.values())
        for seat in seating.bots:
            if seating.seats[seat].bot not in allowed:
                journal.close()
                raise StoreError(
                    f"the bot {seating.seats[seat].bot!r} is not one of this arena:"
                    f" start it with --bot {seating.seats[seat].bot!r}"
                )
        try:
            table = Table(seating, journal, BotsApart(seating, private, self._places))
        except StoreError:
            journal.close()
            raise
        while len(self._open) >= MOST_TABLES:
            unseen = next((key for key, other in self._open.items() if not other.is_in_use), None)
            if unseen is None:
                journal.close()
                raise Refusal(429, f"{MOST_TABLES} games are open in browsers: close one of them")
            await self._open.pop(unseen).close("this game made room for another one: reload")
        await table.open()
        self._open[name] = table
        return table


def _load_seating(path: Path, first: Entry) -> Seating:
    try:
        return load_seating(first)
    except NotationError as error:
        raise StoreError(f"the journal {path.name}, line 1: {error}") from error


def _describe(path: Path) -> dict[str, Any]:
    """Return the game of a journal for a page; raise `StoreError` if it is invalid."""
    journal = Journal.view(path)
    seating = _load_seating(path, journal.entries[0])
    return KeptGame(seating, journal, time.monotonic_ns).describe()


def _summarise(path: Path, record: Path) -> Summary:
    """Return the row of a table in a list."""
    try:
        first, *entries = read_journal(path)
        seating = _load_seating(path, first)
        plies = 0
        for entry in entries:
            plies = entry["back"] if "back" in entry else plies + ("ply" in entry)
        result = _read_result(record, seating) if record.exists() else ""
        return Summary(path.stem, seating, int(plies), result)
    except OSError as error:
        return Summary(path.stem, None, problem=f"the journal {path.name}: {error.strerror}")
    except (PwtourneyError, ValueError, TypeError, LookupError, OverflowError) as error:
        return Summary(path.stem, None, problem=str(error))


def _read_result(record: Path, seating: Seating) -> str:
    """Return who won a saved game, with the scores, or else with the reason why it broke off."""
    game, _ = parse_record(read_text(record))
    names = [seat.name for seat in seating.seats]
    won = "nobody won" if game.winner is None else f"{names[game.winner]} won"
    if game.verdict is Verdict.FINISHED:
        return f"{' to '.join(map(sign_numbers, game.scores))}, {won}"
    if game.winner is None:
        return f"{won} ({game.verdict})"
    loser = names[1 - game.winner]
    how = "resigned" if game.verdict is Verdict.RESIGNED else f"lost by {game.verdict}"
    return f"{won}, {loser} {how}"
