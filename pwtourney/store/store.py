"""The database of one tournament."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
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
from pwtourney.store.meta import Chain, LeagueVersion, Meta, Settings, read_meta
from pwtourney.store.record import dump_game, genesis, head_after, load_game, record_hash

__all__ = ["FORMAT", "RawRecord", "Store"]

_SCHEMA = Path(__file__).with_name("schema.sql")
FORMAT = 5
"""The version of the schema."""


class RawRecord(NamedTuple):
    """One row of the table: the record's text and hash, and what is kept with it."""

    number: int
    pair: int
    game: int
    halves: int | None
    faults: int
    text: str
    digest: str


class Store:
    """Reads and writes one database; every failure is a `StoreError` that names the file.

    Each pair is one transaction: after a crash or a ``kill -9`` it is there whole or not at all.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection
        self._writes = False
        self._known: tuple[list[tuple[str, str]], Meta] | None = None
        self._end = EndFinder()

    @classmethod
    def create(cls, path: Path, meta: Meta) -> "Store":
        """Make a new database with the facts about its tournament.

        It takes its place whole: a run that is killed here leaves no half-made store.
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
        """Make a whole database, with no games in it yet."""
        store = cls(path, connect(path, "mode=rwc"))
        store._begin_writing()
        with store._translate_errors() as connection:
            connection.executescript(f"BEGIN;{_SCHEMA.read_text()}")
            chain = Chain(head=genesis(meta), records=0)
            _keep(connection, format=FORMAT, chain=chain.model_dump(), **meta.model_dump())
            connection.commit()
            # only the database is renamed, so nothing of it may be left in the log next to it
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
        """Open a database that exists; it must be a store of ours, and its metadata readable.

        All of it is read to see whether its pages are sound, unless that was `checked` before.
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
                    raise store._unreadable(f"{problem}{HINT}")
            if any(kind == "table" and name == "meta" for kind, name, _ in catalogue & own):
                stored = store._parse_meta(store._select_meta("key = 'format'")).get("format")
                if stored != FORMAT:  # of another one the tables may be others
                    problem = f"they are in format {stored}, and this version reads format {FORMAT}"
            if problem is None and catalogue != own:
                problem = "its tables are not those of this version of pwtourney"
            if problem is not None:
                what = "use the version that wrote them, or play again into another folder"
                raise store._unreadable(f"{problem}; {what}")
            store.meta()
            store.chain()
            if write:
                store._begin_writing()
        except StoreError:
            store.close()
            raise
        return store

    def _begin_writing(self) -> None:
        """Keep what is written in a log next to the database, until it is closed."""
        self._writes = True
        with self._translate_errors() as connection:
            # who reads it may have kept the last one to write from leaving a single file behind
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                return
            # The change of the mode, which is of one page, would have a journal in a file: so we
            # never leave one, whenever we are killed, and none that lies there is ours.
            connection.execute("PRAGMA journal_mode = MEMORY")
            if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
                raise StoreError(f"{self._path}: SQLite cannot keep its log on this file system")

    def close(self) -> None:
        """Close the database; the last to write leaves a single file behind."""
        with suppress(sqlite3.Error):
            if self._writes:
                self._connection.execute("PRAGMA busy_timeout = 0")  # readers are not waited for
                self._connection.execute("PRAGMA journal_mode = MEMORY")
        self._connection.close()

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """Let everything that is read meanwhile be of one moment, whatever a run adds."""
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
        # it is asked for with every pair, and hardly ever differs from what it was before
        if self._known is None or self._known[0] != rows:
            try:
                self._known = rows, read_meta(self._parse_meta(rows))
            except ValueError as error:
                raise self._unreadable(str(error)) from error
        return self._known[1]

    def chain(self) -> Chain:
        """Return what was noted of the chain of records when the last one was stored."""
        noted = self._parse_meta(self._select_meta("key = 'chain'")).get("chain")
        try:
            return Chain.model_validate(noted)
        except ValidationError as error:
            raise self._unreadable(f"chain is {noted!r:.60}") from error

    def _select_meta(self, condition: str) -> list[tuple[str, str]]:
        with self._translate_errors() as connection:
            query = f"SELECT key, value FROM meta WHERE {condition} ORDER BY key"
            return connection.execute(query).fetchall()

    def _parse_meta(self, rows: list[tuple[str, str]]) -> dict[str, Any]:
        try:
            return {key: json.loads(value) for key, value in rows}
        except (ValueError, RecursionError) as error:
            raise StoreError(f"{self._path}: its metadata is not JSON: {error}") from error

    def _unreadable(self, problem: str) -> StoreError:
        return StoreError(f"{self._path}: these results cannot be read: {problem}")

    def edition(self) -> Edition:
        """Return the edition that the games were played in, whatever files say today."""
        edition = self.meta().edition
        try:
            return parse_edition_lines(edition.name, edition.lines)
        except NotationError as error:
            raise StoreError(f"the stored edition cannot be read: {error}") from error

    def mark(self, *, over: bool) -> None:
        """Note whether everything was played."""
        with self._transaction() as connection:
            _keep(connection, over=over)

    def set_settings(self, settings: Settings) -> None:
        """Change what may be said otherwise of the games that were played."""
        with self._transaction() as connection:
            _keep(connection, **settings.model_dump(include=set(Settings.model_fields)))

    def add(self, games: Sequence[Game]) -> None:
        """Store the games of a pair, all or none, chained to what was stored before."""
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
            # records cut off at the end leave a chain that is whole; this tells how long it was
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
    ) -> None:
        """Go on with other bots, whose pairs are numbered from behind all that are stored.

        `began` is the date, None if it is not known; of a `shard` only its own of these pairs are
        played. The settings change with it, and the tournament is not over any more: all or none.
        """
        meta, chain = self.meta(), self.chain()
        with self._transaction() as connection:
            query = "SELECT COUNT(*), COALESCE(MAX(pair) + 1, 0) FROM games"
            records, first = connection.execute(query).fetchone()
            place = {"records": records, "first": first, "closed": meta.schedule, "began": began}
            version = LeagueVersion(**place, bots=tuple(bots), facts=facts).model_dump()
            # a link of its own, or the version could be changed with the chain unbroken
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
        """Return how many pairs are stored, of those with numbers from `first` to before `end`."""
        query = "SELECT COUNT(*) FROM games WHERE pair >= ? AND (?2 IS NULL OR pair < ?2)"
        with self._translate_errors() as connection:
            (games,) = connection.execute(query, (first, end)).fetchone()
        return int(games) // 2

    def outcomes(self) -> Outcomes:
        """Return what the bot that is named first got in both games of each stored pair."""
        outcomes = Outcomes()
        with self._translate_errors() as connection:
            halves = "MAX(halves) FILTER (WHERE game = {})".format
            query = f"SELECT pair, {halves(0)}, {halves(1)} FROM games GROUP BY pair"
            for pair, first, second in connection.execute(query):
                outcomes.note(pair, first, second)
        return outcomes

    def faulty_pairs(self) -> Iterator[tuple[int, list[str]]]:
        """Yield each pair that has faults, with the bot of each fault."""
        with self._translate_errors() as connection:
            query = "SELECT record FROM games WHERE faults > 0 ORDER BY pair, game"
            for (text,) in connection.execute(query):
                game = self._parse(text)
                yield game.pair, [game.bots[fault.seat] for fault in game.faults]

    def records(self) -> Iterator[Game]:
        """Yield all games in schedule order, one at a time."""
        with self._translate_errors() as connection:
            cursor = connection.execute("SELECT record FROM games ORDER BY pair, game")
            with closing(cursor):
                for (text,) in cursor:
                    yield self._parse(text)

    def pair(self, pair: int) -> list[Game]:
        """Return the games of a pair."""
        with self._translate_errors() as connection:
            query = "SELECT record FROM games WHERE pair = ? ORDER BY game"
            rows = connection.execute(query, (pair,)).fetchall()
        return [self._parse(text) for (text,) in rows]

    def game(self, pair: int, game: int) -> Game:
        """Return one game."""
        with self._translate_errors() as connection:
            row = connection.execute(
                "SELECT record FROM games WHERE pair = ? AND game = ?", (pair, game)
            ).fetchone()
        if row is None:
            raise StoreError(f"{self._path}: there is no game {pair}.{game}")
        return self._parse(row[0])

    def head(self) -> str:
        """Return what the next record will be chained to, which stands for all before it."""
        meta = self.meta()
        with self._translate_errors() as connection:
            return find_end(connection, meta).head

    def is_chained(self) -> bool:
        """Tell whether every record is as it was stored, and none is missing at the end."""
        versions = self.meta().league_versions
        head, count = genesis(self.meta()), 0
        for raw in self.raw_records():
            if raw.digest != record_hash(head_after(head, count, versions), raw.text):
                return False
            head, count = raw.digest, count + 1
        return self.chain() == Chain(head=head_after(head, count, versions), records=count)

    def raw_records(self) -> Iterator["RawRecord"]:
        """Yield each record as it lies there, in the order of the chain."""
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
            # At once, and not with the first row: a caller that cannot write must learn it before.
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
