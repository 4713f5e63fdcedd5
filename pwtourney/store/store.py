"""The database of one tournament."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError

from pwtourney.errors import NotationError, StoreError
from pwtourney.notation import parse_edition_lines
from pwtourney.notation.game import Game
from pwtourney.rules import Edition
from pwtourney.schedule.pairing import Outcomes, Shard
from pwtourney.store import caution
from pwtourney.store.chain import ChainEnd, EndFinder, find_end
from pwtourney.store.connection import HINT, connect, connect_reader, translate_errors
from pwtourney.store.folder import (
    ResultsFolder,
    check_database_files,
    prepare_draft,
    remove_database,
)
from pwtourney.store.game_numbers import GameNumbers
from pwtourney.store.meta import Chain, LeagueVersion, Meta, Settings, read_meta
from pwtourney.store.record import dump_game, genesis, head_after, load_game, record_hash

__all__ = ["FORMAT", "RawRecord", "Store"]

_SCHEMA = Path(__file__).with_name("schema.sql")
FORMAT = 5
"""The version of the schema."""


class RawRecord(NamedTuple):
    """One row of the table: the record's text and hash, and the columns next to it."""

    number: int
    pair: int
    game: int
    halves: int | None
    faults: int
    text: str
    digest: str


class Store:
    """Reads and writes one database; every failure is a `StoreError` that names the file.

    Each pair is one transaction: after a crash or a ``kill -9`` all of it is stored or nothing.
    Games are returned under the present names of their bots, except where a method says otherwise.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._writes = False
        self._known: tuple[list[tuple[str, str]], Meta] | None = None
        self._end = EndFinder()

    @classmethod
    def create(cls, path: Path, meta: Meta) -> "Store":
        """Create a database with the facts about its tournament.

        It is renamed into place when it is complete, so a run that is killed here leaves no partial
        store.
        """
        draft = prepare_draft(path)
        try:
            cls._fill(draft, meta)
            draft.replace(path)
        except BaseException:
            remove_database(draft)
            raise
        store = cls(path, connect(path, "mode=rw"))
        store._begin_writing()
        return store

    @classmethod
    def _fill(cls, path: Path, meta: Meta) -> None:
        """Create a complete database without games."""
        store = cls(path, connect(path, "mode=rwc"))
        store._begin_writing()
        with store._translate_errors() as connection:
            connection.executescript(f"BEGIN;{_SCHEMA.read_text()}")
            chain = Chain(head=genesis(meta), records=0)
            _keep(connection, format=FORMAT, chain=chain.model_dump(), **meta.model_dump())
            connection.commit()
            # Only the database is renamed, so none of it may be left in the log next to it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.close()

    @classmethod
    def open_in(cls, folder: ResultsFolder, *, write: bool = False) -> "Store":
        """Open the database of a results folder; its pages are checked the first time only."""
        store = cls.open(folder.database, write=write, checked=folder.is_checked())
        folder.note_check()
        return store

    @classmethod
    def open(cls, path: Path, *, write: bool = False, checked: bool = False) -> "Store":
        """Open a database that exists; it must be a store of ours with valid metadata.

        All of it is read to check its pages, unless they were `checked` before.
        """
        check_database_files(path)
        store = cls(path, connect(path, "mode=rw") if write else connect_reader(path))
        try:
            with store._translate_errors() as connection:
                catalogue = caution.read_catalogue(connection)
                own = caution.own_catalogue(_SCHEMA.read_text())
                problem = None if catalogue else "the database is empty"
                if not checked and catalogue == own:  # other tables are refused below
                    problem = caution.find_damage(connection, path)
                if problem:
                    raise store._reading_error(f"{problem}{HINT}")
            if any(kind == "table" and name == "meta" for kind, name, _ in catalogue & own):
                stored = store._parse_meta(store._select_meta("key = 'format'")).get("format")
                if stored != FORMAT:  # another format may have other tables
                    problem = f"they are in format {stored}, and this version reads format {FORMAT}"
            if problem is None and catalogue != own:
                problem = "its tables are not those of this version of pwtourney"
            if problem is not None:
                what = "use the version that wrote them, or play again into another folder"
                raise store._reading_error(f"{problem}; {what}")
            store.meta()
            store.chain()
            if write:
                store._begin_writing()
        except StoreError:
            store.close()
            raise
        return store

    def _begin_writing(self) -> None:
        """Switch to a write-ahead log next to the database, until it is closed."""
        self._writes = True
        with self._translate_errors() as connection:
            # A reader may have kept the last writer from switching back to a single file.
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                return
            # The change of the mode, a write to one page, would create a journal file. In memory,
            # we never leave one when we are killed, so a journal file is never ours.
            connection.execute("PRAGMA journal_mode = MEMORY")
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise StoreError(f"{self._path}: SQLite cannot keep its log on this file system")

    def close(self) -> None:
        """Close the database; the last writer leaves a single file behind."""
        with suppress(sqlite3.Error):
            if self._writes:
                self._connection.execute("PRAGMA busy_timeout = 0")  # do not wait for readers
                self._connection.execute("PRAGMA journal_mode = MEMORY")
        self._connection.close()

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Make all reads in the block see the same state, whatever a run adds meanwhile."""
        with self._translate_errors() as connection:
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                connection.execute("COMMIT")

    def meta(self) -> Meta:
        """Return the facts about the tournament."""
        rows = self._select_meta("key NOT IN ('chain', 'format')")
        # Cached, because this is called for every pair, and the rows hardly ever change.
        if self._known is None or self._known[0] != rows:
            try:
                self._known = rows, read_meta(self._parse_meta(rows))
            except ValueError as error:
                raise self._reading_error(str(error)) from error
        return self._known[1]

    def chain(self) -> Chain:
        """Return the state of the chain that was stored with the last record."""
        noted = self._parse_meta(self._select_meta("key = 'chain'")).get("chain")
        try:
            return Chain.model_validate(noted)
        except ValidationError as error:
            raise self._reading_error(f"chain is {noted!r:.60}") from error

    def _select_meta(self, condition: str) -> list[tuple[str, str]]:
        with self._translate_errors() as connection:
            query = f"SELECT key, value FROM meta WHERE {condition} ORDER BY key"
            return connection.execute(query).fetchall()

    def _parse_meta(self, rows: list[tuple[str, str]]) -> dict[str, Any]:
        try:
            return {key: json.loads(value) for key, value in rows}
        except (ValueError, RecursionError) as error:
            raise StoreError(f"{self._path}: its metadata is not JSON: {error}") from error

    def _reading_error(self, problem: str) -> StoreError:
        return StoreError(f"{self._path}: these results cannot be read: {problem}")

    def edition(self) -> Edition:
        """Return the edition that the games were played in, even if its file has changed since."""
        edition = self.meta().edition
        try:
            return parse_edition_lines(edition.name, edition.lines)
        except NotationError as error:
            raise StoreError(f"the stored edition cannot be read: {error}") from error

    def mark(self, *, over: bool) -> None:
        """Store whether everything was played."""
        with self._transaction() as connection:
            _keep(connection, over=over)

    def set_settings(self, settings: Settings) -> None:
        """Change the settings that do not affect the games that were played."""
        with self._transaction() as connection:
            _keep(connection, **settings.model_dump(include=set(Settings.model_fields)))

    def add(self, games: Sequence[Game]) -> None:
        """Store all games of a pair in one transaction, chained to what was stored before."""
        with self._transaction() as connection:
            number, head = self._end.find(connection, self.meta)
            rows = []
            for game in games:
                text = dump_game(game)
                head = record_hash(head, text)
                rows.append((game.pair, game.game, game.halves, len(game.faults), head, text))
            connection.executemany(
                "INSERT INTO games (pair, game, halves, faults, hash, record)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                rows,
            )
            # If records are cut off at the end, the rest is a valid chain; this stores its length.
            chain = Chain(head=head, records=number + len(rows))
            _keep(connection, chain=chain.model_dump())
        self._end.note(ChainEnd(number + len(rows), head))

    def extend(
        self,
        bots: Sequence[str],
        facts: dict[str, Any],
        settings: Settings,
        began: str | None = None,
        shard: Shard | None = None,
        renames: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Continue with other bots, whose pairs are numbered after all stored ones.

        `began` is the date, None if it is not known. With a `shard` only its own part of these
        pairs is played. From here on bots have the names that `renames` gives them. The settings
        change too, and the tournament is no longer over, all in one transaction.
        """
        meta, chain = self.meta(), self.chain()
        with self._transaction() as connection:
            query = "SELECT COUNT(*), COALESCE(MAX(pair) + 1, 0) FROM games"
            records, first = connection.execute(query).fetchone()
            fields = {"records": records, "first": first, "closed": meta.schedule, "began": began}
            version = LeagueVersion(
                **fields, bots=tuple(bots), facts=facts, renames=dict(renames)
            ).model_dump()
            # A link of its own in the chain: otherwise the version could be changed unnoticed.
            head = record_hash(chain.head, json.dumps(version, sort_keys=True))
            versions = [*(version.model_dump() for version in meta.league_versions), version]
            self._end.forget()
            _keep(
                connection,
                league_versions=versions,
                chain=Chain(head=head, records=records).model_dump(),
                over=False,
                shard=str(shard or ""),
                **settings.model_dump(include=set(Settings.model_fields)),
            )

    def count(self, first: int = 0, end: int | None = None) -> int:
        """Return how many pairs are stored with numbers from `first` to before `end`."""
        query = "SELECT COUNT(*) FROM games WHERE pair >= ? AND (?2 IS NULL OR pair < ?2)"
        with self._translate_errors() as connection:
            (games,) = connection.execute(query, (first, end)).fetchone()
        return int(games) // 2

    def outcomes(self) -> Outcomes:
        """Return the half points of the bot named first, in both games of each stored pair."""
        outcomes = Outcomes()
        with self._translate_errors() as connection:
            halves = "MAX(halves) FILTER (WHERE game = {})".format
            query = f"SELECT pair, {halves(0)}, {halves(1)} FROM games GROUP BY pair"
            for pair, first, second in connection.execute(query):
                outcomes.note(pair, first, second)
        return outcomes

    def faulty_pairs(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each pair that has faults, with the bot of each fault."""
        present = self.meta().present
        with self._translate_errors() as connection:
            query = "SELECT record FROM games WHERE faults > 0 ORDER BY pair, game"
            for (text,) in connection.execute(query):
                game = present.show(self._parse(text))
                yield game.pair, [game.bots[fault.seat] for fault in game.faults]

    def records(self) -> Iterator[Game]:
        """Yield all games in schedule order, one at a time."""
        return map(self.meta().present.show, self.records_as_played())

    def records_as_played(self) -> Iterator[Game]:
        """Yield all games in schedule order, under the names that their bots had then."""
        return self._read_records("pair, game")

    def newest_records(self) -> Iterator[Game]:
        """Yield all games, those that were stored last first, one at a time.

        What is not used up before the store is closed must be closed before it.
        """
        return map(self.meta().present.show, self._read_records("number DESC"))

    def _read_records(self, order: str) -> Iterator[Game]:
        with self._translate_errors() as connection:
            cursor = connection.execute(f"SELECT record FROM games ORDER BY {order}")
            with closing(cursor):
                for (text,) in cursor:
                    yield self._parse(text)

    def pair(self, pair: int) -> list[Game]:
        """Return the games of a pair."""
        return [*map(self.meta().present.show, self.pair_as_played(pair))]

    def pair_as_played(self, pair: int) -> list[Game]:
        """Return the games of a pair, under the names that their bots had then."""
        with self._translate_errors() as connection:
            query = "SELECT record FROM games WHERE pair = ? ORDER BY game"
            rows = connection.execute(query, (pair,)).fetchall()
        return [self._parse(text) for (text,) in rows]

    def numbers(self) -> GameNumbers:
        """Return how games are numbered, whether any is stored or not."""
        schedules = (generation.schedule for generation in self.meta().generations)
        return GameNumbers(1 if all(schedule.opponent for schedule in schedules) else 2)

    def game(self, pair: int, game: int) -> Game:
        """Return one game."""
        with self._translate_errors() as connection:
            row = connection.execute(
                "SELECT record FROM games WHERE pair = ? AND game = ?", (pair, game)
            ).fetchone()
        if row is None:
            raise StoreError(f"{self._path}: there is no game {pair}.{game}")
        return self.meta().present.show(self._parse(row[0]))

    def neighbours(self, pair: int, game: int) -> tuple[tuple[int, int] | None, ...]:
        """Return the stored games before and after a place in the schedule, None without one.

        A game is its pair and its index in it; there may be none at the place itself.
        """
        query = (
            "SELECT pair, game FROM games WHERE (pair, game) {} (?, ?) ORDER BY pair {}, game {}"
            " LIMIT 1"
        )
        with self._translate_errors() as connection:
            rows = [
                connection.execute(query.format(sign, order, order), (pair, game)).fetchone()
                for sign, order in (("<", "DESC"), (">", "ASC"))
            ]
        return rows[0], rows[1]

    def head(self) -> str:
        """Return the hash that the next record will be chained to; it depends on all before it."""
        meta = self.meta()
        with self._translate_errors() as connection:
            return find_end(connection, meta).head

    def is_chained(self) -> bool:
        """Return True if every record is unchanged, and none is missing at the end."""
        versions = self.meta().league_versions
        head, count = genesis(self.meta()), 0
        for raw in self.raw_records():
            if raw.digest != record_hash(head_after(head, count, versions), raw.text):
                return False
            head, count = raw.digest, count + 1
        return self.chain() == Chain(head=head_after(head, count, versions), records=count)

    def raw_records(self) -> Iterator["RawRecord"]:
        """Yield each record as it is stored, in the order of the chain."""
        with self._translate_errors() as connection:
            rows = connection.execute(
                "SELECT number, pair, game, halves, faults, record, hash FROM games ORDER BY number"
            )
            yield from map(RawRecord._make, rows)

    def _parse(self, text: str) -> Game:
        try:
            return load_game(text)
        except ValueError as error:
            raise StoreError(
                f"{self._path}: a record cannot be read: {error}: {text[:60]!r};"
                " `pwtourney verify` says more"
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._translate_errors() as connection:
            # IMMEDIATE, so that a caller that cannot write fails here and not at the first row.
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                self._end.forget()
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @contextmanager
    def _translate_errors(self) -> Iterator[sqlite3.Connection]:
        with translate_errors(self._path):
            yield self._connection


def _keep(connection: sqlite3.Connection, **facts: Any) -> None:
    rows = [(key, json.dumps(value)) for key, value in facts.items()]
    connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)
