"""The database: whole pairs, the chain, and errors that name the file."""

import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from pwtourney.errors import StoreError
from pwtourney.notation.game import Game, Verdict
from pwtourney.store import (
    Chain,
    GameHash,
    Store,
    dump_game,
    genesis,
    load_game,
    record_hash,
    result_of,
)
from pwtourney.store.meta import read_meta
from pwtourney.store.store import FORMAT
from tests.store.helpers import META, game, pair


def write_meta(path: Path, key: str, value: object) -> None:
    """Write a metadata value that the store itself would not write."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return an empty store."""
    return Store.create(tmp_path / "games.sqlite", META)


def test_records_are_read_back_in_schedule_order(store: Store) -> None:
    """Every field survives, whatever the order of storing."""
    store.add(pair(4))
    store.add(pair(2))
    assert list(store.records()) == [*pair(2), *pair(4)]
    assert list(store.newest_records()) == [*reversed(pair(2)), *reversed(pair(4))]
    assert store.game(4, 1) == pair(4)[1]
    assert set(store.outcomes()) == {2, 4}
    assert store.meta().name == "test"


def test_a_pair_is_stored_whole_or_not_at_all(store: Store) -> None:
    """A pair whose second game cannot be stored leaves no trace of its first."""
    store.add(pair(1))
    broken = [pair(2)[0], pair(1)[1]]
    with pytest.raises(StoreError, match="UNIQUE"):
        store.add(broken)
    assert set(store.outcomes()) == {1}


def test_each_hash_covers_the_record_and_the_previous_hash(store: Store) -> None:
    """Each hash can be computed from the text and the hash before."""
    store.add(pair(1))
    store.add(pair(2))
    head = genesis(store.meta())
    assert store.chain() == Chain(head=store.head(), records=4)
    for raw in store.raw_records():
        head = record_hash(head, raw.text)
        assert raw.digest == head
    assert store.head() == head


def test_chain_holds_with_a_second_writer(store: Store, tmp_path: Path) -> None:
    """Neither a pair stored by another connection nor a failed pair breaks the chain."""
    store.add(pair(1))
    with closing(Store.open(tmp_path / "games.sqlite", write=True)) as other:
        other.add(pair(2))
        store.add(pair(3))
        with pytest.raises(StoreError, match="UNIQUE"):
            store.add(pair(3))
        store.add(pair(4))
        other.add(pair(5))
    assert store.is_chained()
    assert set(store.outcomes()) == {1, 2, 3, 4, 5}


def digits(*records: Game) -> str:
    """Return the hash of some games."""
    game_hash = GameHash()
    for record in records:
        game_hash.add(record)
    return game_hash.digits()


def test_game_hash_ignores_times_but_no_outcome(store: Store) -> None:
    """Slower plies change nothing; another action, verdict or score does."""
    first, second = pair(1)
    slower = first._replace(plies=tuple(ply._replace(micros=9999) for ply in first.plies))
    assert digits(first, second) == digits(slower, second)
    for other in (
        first._replace(scores=(4, -4)),
        first._replace(plies=first.plies[:1]),
        first._replace(verdict=Verdict.CRASH, faults=game(Verdict.CRASH).faults),
    ):
        assert digits(first, second) != digits(other, second)


def test_game_hash_covers_seats_and_verdicts_of_faults() -> None:
    """It covers how a game ended (docs/reports.md), with both faults if both bots failed.

    Messages of a fault may contain times, and are not covered.
    """
    both = game(Verdict.START, winner=None)
    first, second = both.faults[0]._replace(seat=0), both.faults[0]
    both = both._replace(faults=(first, second))
    for faults in (
        (first,),
        (second,),
        (first, second._replace(verdict=Verdict.TIMEOUT)),
    ):
        assert digits(both) != digits(both._replace(faults=faults))
    said = second._replace(message="after 3 s", stderr="at 10:15")
    assert digits(both) == digits(both._replace(faults=(first, said)))


def test_points_follow_from_the_verdict() -> None:
    """A game gives 1 or 0, half a point each if both failed, and none if it is void."""
    assert game(winner=1).points == (0, 1)
    assert game(Verdict.START, None).points == (0.5, 0.5)
    assert game(Verdict.RUNNER_ERROR, None).points is None


def test_result_for_ratings_has_points_of_the_first_seat() -> None:
    """It has the margin only if the game was played to its end."""
    result = result_of(game())
    assert (result.first, result.second, result.points, result.margin) == ("a", "b", 1.0, 7)
    assert result_of(game(Verdict.CRASH)).margin is None


def test_missing_or_invalid_database_is_a_clear_error(tmp_path: Path) -> None:
    """Covers a text file, a later format, an invalid record and a missing game, too."""
    with pytest.raises(StoreError, match="there are no results here"):
        Store.open(tmp_path / "games.sqlite")
    (tmp_path / "text.sqlite").write_text("this is no database, but it is long enough " * 50)
    with pytest.raises(StoreError, match=r"text\.sqlite"):
        Store.open(tmp_path / "text.sqlite")
    store = Store.create(tmp_path / "new.sqlite", META)
    write_meta(tmp_path / "new.sqlite", "format", 99)
    with pytest.raises(StoreError, match="they are in format 99"):
        Store.open(tmp_path / "new.sqlite")
    with sqlite3.connect(tmp_path / "new.sqlite") as connection:
        connection.execute("INSERT INTO games VALUES (1, 1, 0, 2, 0, 'x', '{\"pair\": 1}')")
    with pytest.raises(StoreError, match="a record cannot be read"):
        list(store.records())
    with pytest.raises(StoreError, match=r"there is no game 9\.1"):
        store.game(9, 1)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

LONG = "NOT NULL AS (instr(hex(zeroblob(9000000)), hex(zeroblob(3000000)) || 1))"
"""A search for six million zeros and a one in three times as many zeros: half an hour."""

LATER = (
    "PRAGMA writable_schema = ON;"
    f"UPDATE sqlite_master SET sql = replace(sql, 'AS (1)', '{LONG}') WHERE name = 't'"
)
"""Sets the column afterwards: otherwise it would be computed on insertion.

A check of the pages computes it, too.
"""


@pytest.mark.timeout(20)  # reading the view would never end
@pytest.mark.parametrize(
    "change",
    [
        f"DROP TABLE games; CREATE VIEW games AS {ENDLESS} i AS pair, i AS record FROM n",
        f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS} i AS key, i AS value FROM n",
        "DROP TABLE meta; CREATE TABLE meta (key TEXT, value AS (hex(zeroblob(100))))",
        "CREATE TRIGGER t AFTER INSERT ON games BEGIN DELETE FROM games; END",
        "DROP INDEX faulty",
        "CREATE TABLE more (one)",
        f"CREATE TABLE t (a, b AS (1)); INSERT INTO t (a) VALUES (1); {LATER}",
    ],
)
def test_database_with_other_tables_is_refused(tmp_path: Path, store: Store, change: str) -> None:
    """It is refused before any row is read, because it may come from anybody."""
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        connection.executescript(change)
    with pytest.raises(StoreError, match="its tables are not those of this version"):
        Store.open(tmp_path / "games.sqlite")


def test_other_formats_and_empty_databases_have_their_own_errors(
    tmp_path: Path, store: Store
) -> None:
    """For another format the error gives its number, whatever tables it has."""
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        connection.executescript(
            "DROP INDEX faulty; UPDATE meta SET value = 4 WHERE key = 'format'"
        )
    with pytest.raises(StoreError, match="they are in format 4, and this version reads format 5"):
        Store.open(tmp_path / "games.sqlite")
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(StoreError, match="the database is empty; put a copy in its place"):
        Store.open(tmp_path / "empty.sqlite")


def test_changed_tables_need_a_new_format_number(store: Store, tmp_path: Path) -> None:
    """A store is recognized by the exact text of its tables, so a change needs a new number."""
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2")
        catalogue = sha256(repr(rows.fetchall()).encode()).hexdigest()[:16]
    assert (FORMAT, catalogue) == (5, "5b975e856e8fd435")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", 3),
        ("bots", []),
        ("bots", ["a", "a"]),
        ("bots", "ab"),
        ("facts", []),
        ("facts", {"seed": "1"}),
        ("edition", {"name": "x"}),
        ("edition", {"name": "x", "lines": [1]}),
        ("pairs", None),
        ("chain", 5),
        ("chain", {}),
        ("over", 1),
        ("ratings", {}),
        ("ratings", {"anchor": ["a"], "prior": 0}),
        ("gates", [1]),
        ("schedule", []),
        ("schedule", {}),
        ("schedule", {"format": "banana", "pairs": 4, "deals": "fresh", "until": {}}),
        ("shard", "3/2"),
        ("league_versions", [{}]),
    ],
)
def test_store_with_invalid_metadata_is_refused(
    tmp_path: Path, store: Store, key: str, value: object
) -> None:
    """Each missing value or value of another type is one clear error."""
    write_meta(tmp_path / "games.sqlite", key, value)
    with pytest.raises(StoreError, match="these results cannot be read"):
        Store.open(tmp_path / "games.sqlite")


DATE = "2026-03-02T06:00:00Z"


def test_metadata_is_stored_word_by_word(tmp_path: Path) -> None:
    """Covers a name that is not Unicode, a shard, an anchor, and versions of a league.

    The first record is chained to its JSON, so the JSON must never change.
    """
    schedule = {
        "format": "gauntlet",
        "pairs": 4,
        "deals": "fresh",
        "until": {"interval": 9.5, "anchor": None},
        "challengers": ["a"],
    }
    version = {"records": 2, "first": 1, "closed": schedule, "bots": ["b"], "facts": {"x.y": None}}
    stored = {
        "name": "\udcff",
        "bots": ["a", "b"],
        "facts": {"seed": 2**62, "edition": "x y", "b": [1]},
        "edition": {"name": "x", "lines": ["tile 7 7"]},
        "schedule": schedule,
        "gates": ["elo(a) > elo(b)"],
        "ratings": {"anchor": ["a", -3.5], "prior": 0.25},
        "deals": "",
        "pairs": 4,
        "withdrawn": ["a"],
        "bans": [{"bot": "a", "reason": "x", "since": DATE, "keeps_games": True}],
        "over": True,
        "league_versions": [version, version | {"renames": {"b": "e"}, "bots": ["e"]}],
        "shard": "2/3",
        "created": "1",
        "version": "2",
        "untrusted": True,
        "python": "3",
        "system": "4",
    }
    Store.create(tmp_path / "games.sqlite", read_meta(stored)).close()
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        rows = dict(connection.execute("SELECT key, value FROM meta"))
    assert rows.pop("format") == "5"
    head = json.loads(rows.pop("chain"))["head"]
    assert rows == {key: json.dumps(value) for key, value in stored.items()}
    fixed = ("name", "bots", "facts", "edition", "created", "version")
    first = json.dumps({key: stored[key] for key in fixed}, sort_keys=True)
    assert head == sha256(first.encode()).hexdigest()
    with closing(Store.open(tmp_path / "games.sqlite")) as store:
        assert store.meta().model_dump() == read_meta(stored).model_dump()
        with pytest.raises(ValueError, match="frozen"):
            store.meta().over = False  # type: ignore[misc]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("bots", ["a"]),
        ("bots", [1, 2]),
        ("scores", ["1", 2]),
        ("points", [3, 4]),
        ("plies", [[0, "advance"]]),
        ("plies", [[0, 5, 1, ""]]),
        ("faults", [{}]),
        ("faults", 3),
        ("winner", 7),
        ("winner", True),
        ("winner", 1),
        ("verdict", "banana"),
        ("deal_id", "0" * 12),
        ("replays", 2**63),
        ("automa", ["nobody", False]),
        ("deal", [1]),
        ("pair", "x"),
    ],
)
def test_record_with_an_invalid_value_is_refused(key: str, value: object) -> None:
    """All invalid values in a database lead to the same kind of error."""
    data = json.loads(dump_game(pair(1)[0]))
    assert load_game(json.dumps(data))
    with pytest.raises(ValueError, match=r"wrong|Error|values"):
        load_game(json.dumps(data | {key: value}))


def test_unfinished_store_of_a_killed_run_is_replaced(tmp_path: Path) -> None:
    """An unfinished store has another name."""
    (tmp_path / ".games.sqlite.new").write_text("half a database")
    path = tmp_path / "games.sqlite"
    Store.create(path, META).close()
    assert Store.open(path).meta().name == "test"
    assert [file.name for file in tmp_path.iterdir() if file.name.endswith(".new")] == []


def test_store_opened_for_reading_cannot_be_changed(tmp_path: Path, store: Store) -> None:
    """It uses a connection that cannot write."""
    store.add(pair(1))
    reader = Store.open(tmp_path / "games.sqlite")
    with pytest.raises(StoreError, match="readonly"):
        reader.add(pair(2))


def test_open_reader_does_not_block_a_later_writer(tmp_path: Path, store: Store) -> None:
    """It keeps the log from being removed at the end of a run; the next run continues it."""
    store.add(pair(1))
    with closing(sqlite3.connect(f"file:{tmp_path / 'games.sqlite'}?mode=ro", uri=True)) as reader:
        assert reader.execute("SELECT COUNT(*) FROM games").fetchone() == (2,)
        store.close()
        with closing(Store.open(tmp_path / "games.sqlite", write=True)) as again:
            again.add(pair(2))
        assert reader.execute("SELECT COUNT(*) FROM games").fetchone() == (4,)
