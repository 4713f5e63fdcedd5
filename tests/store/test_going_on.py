"""A store that is continued: marks, versions of a league, the chain, concurrent readers."""

import json
import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from pwtourney.errors import StoreError
from pwtourney.notation import edition_lines
from pwtourney.notation.game import Fault, Verdict
from pwtourney.standings import Anchor, RatingOptions
from pwtourney.store import Chain, Settings, Store, StoredEdition, dump_game
from tests.rules.positions import EXPRESS
from tests.store.helpers import META, game, pair

OTHER = Settings(
    schedule={"format": "round-robin", "pairs": 9, "deals": "fresh", "until": {}},
    ratings=RatingOptions((Anchor("a", 100.0),), 2.0),
    gates=("elo(a) > elo(b)",),
    deals="1 2",
    pairs=9,
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return an empty store."""
    return Store.create(tmp_path / "games.sqlite", META)


def sql(path: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Run a statement on a database from another connection."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def test_store_can_be_marked_as_over(store: Store) -> None:
    """The mark can be removed when there is more to play."""
    assert not store.meta().over
    store.mark(over=True)
    assert store.meta().over
    store.mark(over=False)
    assert not store.meta().over


def test_set_settings_changes_only_the_settings(store: Store) -> None:
    """Settings that affect no played game change; the rest of the store stays the same."""
    store.add(pair(0))
    before = store.meta()
    # a whole Meta has the settings too, and a name that must not be stored
    store.set_settings(before.model_copy(update={**dict(OTHER), "name": "other"}))
    after = store.meta()
    assert {key: getattr(after, key) for key in Settings.model_fields} == dict(OTHER)
    kept = set(type(before).model_fields) - set(Settings.model_fields)
    assert before.model_dump(include=kept) == after.model_dump(include=kept)
    assert store.is_chained()


def test_league_continues_after_the_stored_pairs(store: Store) -> None:
    """It starts at the next pair, keeps the earlier schedule, and adds a link to the chain."""
    store.add(pair(0))
    store.add(pair(4))
    store.mark(over=True)
    last = store.head()
    store.extend(["b", "c"], {"seed": 2}, OTHER)
    meta = store.meta()
    version = {
        "records": 4,
        "first": 5,
        "closed": META.model_dump()["schedule"],
        "bots": ["b", "c"],
        "facts": {"seed": 2},
    }
    link = sha256(f"{last}\n{json.dumps(version, sort_keys=True)}".encode()).hexdigest()
    assert store.chain() == Chain(head=link, records=4)
    assert store.head() == link
    assert not meta.over
    assert (meta.pairs, meta.gates, meta.schedule.pairs) == (9, ("elo(a) > elo(b)",), 9)
    (stored_version,) = meta.league_versions
    assert (stored_version.records, stored_version.first, stored_version.bots) == (4, 5, ("b", "c"))
    assert (stored_version.closed, stored_version.facts) == (META.schedule, {"seed": 2})
    store.extend(["c"], {}, OTHER)
    assert [league_version.bots for league_version in store.meta().league_versions] == [
        ("b", "c"),
        ("c",),
    ]
    store.add(pair(5))
    first = next(raw for raw in store.raw_records() if raw.pair == 5)
    assert first.digest == sha256(f"{linked_twice(link)}\n{first.text}".encode()).hexdigest()
    assert first.number == 5


def linked_twice(link: str) -> str:
    """Return the end of the chain after the second version of the league above."""
    version = {
        "records": 4,
        "first": 5,
        "closed": OTHER.model_dump()["schedule"],
        "bots": ["c"],
        "facts": {},
    }
    return sha256(f"{link}\n{json.dumps(version, sort_keys=True)}".encode()).hexdigest()


def test_league_can_be_extended_before_its_first_pair(store: Store) -> None:
    """The first pair of the version is 0, after no record."""
    store.extend(["b"], {}, OTHER)
    (version,) = store.meta().league_versions
    assert (version.records, version.first) == (0, 0)


def test_count_is_in_pairs(store: Store) -> None:
    """A pair has two games."""
    assert store.count() == 0
    for number in (7, 3, 5):
        store.add(pair(number))
    assert repr(store.count()) == "3"  # a whole number: it is printed


def test_outcomes_are_those_of_the_first_bot(store: Store) -> None:
    """It wins its first game, and the second, in which it has the other seat."""
    first, second = pair(2)
    store.add([first._replace(winner=0), second._replace(winner=1)])
    third, fourth = pair(3)
    store.add([third._replace(winner=1), fourth._replace(winner=0)])
    void, half = pair(4)
    void = void._replace(verdict=Verdict.RUNNER_ERROR, winner=None)
    both = (Fault(0, Verdict.START, "x"), Fault(1, Verdict.START, "x"))
    store.add([void, half._replace(verdict=Verdict.START, winner=None, faults=both)])
    assert dict(store.outcomes()) == {2: (1.0, 1.0), 3: (0.0, 0.0), 4: (None, 0.5)}


def test_pairs_with_faults_are_reported_with_the_bots(store: Store) -> None:
    """The order is that of the schedule, game by game; games without faults are left out."""
    crash = game(Verdict.CRASH)
    both = (Fault(0, Verdict.START, "x"), Fault(1, Verdict.START, "y"))
    store.add([record._replace(pair=6, game=k) for k, record in enumerate((crash, game()))])
    store.add(
        [
            game()._replace(pair=1, game=0),
            crash._replace(pair=1, game=1, verdict=Verdict.START, winner=None, faults=both),
        ]
    )
    assert list(store.faulty_pairs()) == [(1, ["a", "b"]), (6, ["b"])]


def test_a_pair_is_read_by_its_number(store: Store) -> None:
    """Its games are in order however they were stored; an unknown pair has no games."""
    store.add(list(reversed(pair(2))))
    assert store.pair(2) == pair(2)
    assert store.pair(3) == []


def test_raw_records_are_the_rows_of_the_table(store: Store) -> None:
    """They are in the order of storing, with the columns that are kept with each record."""
    crash = game(Verdict.CRASH)._replace(pair=9, game=0)
    void = game(Verdict.RUNNER_ERROR, None)._replace(pair=9, game=1, faults=())
    store.add([crash, void])
    store.add(pair(1))
    rows = list(store.raw_records())
    assert [tuple(row)[:6] for row in rows] == [
        (1, 9, 0, 2, 1, dump_game(crash)),
        (2, 9, 1, None, 0, dump_game(void)),
        (3, 1, 0, 2, 0, dump_game(pair(1)[0])),
        (4, 1, 1, 0, 0, dump_game(pair(1)[1])),
    ]
    assert all(len(row.digest) == 64 for row in rows)


def test_broken_chain_is_detected(tmp_path: Path, store: Store) -> None:
    """A record was changed or is missing in the middle or at the end, or a note was changed."""
    assert store.is_chained()
    store.add(pair(0))
    store.add(pair(1))
    assert store.is_chained()
    path = tmp_path / "games.sqlite"
    (noted,) = sql(path, "SELECT value FROM meta WHERE key = 'chain'")
    for harm, mend in (
        ("UPDATE games SET record = record || ' ' WHERE number = {}", "rtrim(record)"),
        ("UPDATE games SET hash = '0' || hash WHERE number = {}", None),
    ):
        for number in (1, 4):
            sql(path, harm.format(number))
            assert not store.is_chained()
            repair = f"record = {mend}" if mend else "hash = substr(hash, 2)"
            sql(path, f"UPDATE games SET {repair} WHERE number = {number}")
            assert store.is_chained()
    fewer = {**json.loads(str(noted[0])), "records": 3}
    sql(path, "UPDATE meta SET value = ? WHERE key = 'chain'", json.dumps(fewer))
    assert not store.is_chained()
    sql(path, "UPDATE meta SET value = ? WHERE key = 'chain'", *noted)
    sql(path, "DELETE FROM games WHERE number = 4")
    assert not store.is_chained()


def test_the_edition_of_a_store_is_the_one_that_was_played(tmp_path: Path, store: Store) -> None:
    """It is read from the stored lines; without them there is one clear error."""
    with pytest.raises(StoreError, match=r"^the stored edition cannot be read: "):
        store.edition()
    lines = StoredEdition(name="express", lines=tuple(edition_lines(EXPRESS)))
    whole = Store.create(tmp_path / "two.sqlite", META.model_copy(update={"edition": lines}))
    assert whole.edition() == EXPRESS


def test_reads_in_one_transaction_are_consistent(tmp_path: Path, store: Store) -> None:
    """A reader sees no pair that is stored meanwhile, in nested transactions too."""
    store.add(pair(0))
    reader = Store.open(tmp_path / "games.sqlite")
    with reader.as_one():
        assert reader.count() == 1
        store.add(pair(1))
        with reader.as_one():
            assert reader.count() == 1
        assert reader.count() == 1
    assert reader.count() == 2
    with pytest.raises(ZeroDivisionError), reader.as_one():
        raise ZeroDivisionError
    store.add(pair(2))
    assert reader.count() == 3


def test_closed_store_is_one_file(tmp_path: Path, store: Store) -> None:
    """An open store has a log next to it; readers and the writer do not block each other."""
    path = tmp_path / "games.sqlite"
    store.add(pair(0))
    assert (tmp_path / "games.sqlite-wal").stat().st_size > 0
    reader = Store.open(path)
    assert reader.count() == 1
    reader.close()
    store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games.sqlite"]
    writer = Store.open(path, write=True)
    writer.add(pair(1))
    assert (tmp_path / "games.sqlite-wal").exists()
    writer.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games.sqlite"]


def test_closed_store_is_readable_on_a_read_only_file_system(tmp_path: Path, store: Store) -> None:
    """Its header names no log: bytes 18 and 19 are 1 (https://sqlite.org/fileformat.html, 1.3)."""
    path = tmp_path / "games.sqlite"
    assert path.read_bytes()[18:20] == b"\2\2"
    store.close()
    assert path.read_bytes()[18:20] == b"\1\1"
    reader = Store.open(path)
    reader.close()
    assert path.read_bytes()[18:20] == b"\1\1"


def test_a_reader_does_not_keep_a_writer_from_closing(tmp_path: Path, store: Store) -> None:
    """The reader still sees its snapshot; the log is left to the next writer."""
    store.add(pair(0))
    reader = Store.open(tmp_path / "games.sqlite")
    with reader.as_one():
        assert reader.count() == 1
        store.close()
        assert reader.count() == 1
    reader.close()
    Store.open(tmp_path / "games.sqlite", write=True).close()
    assert [file.name for file in tmp_path.iterdir()] == ["games.sqlite"]


def test_interrupted_creation_leaves_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the store nor its draft is left."""
    path = tmp_path / "games.sqlite"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Store.create(path, META)
    assert list(tmp_path.iterdir()) == []


def test_store_opens_in_a_folder_with_an_odd_name(tmp_path: Path) -> None:
    """The name has a question mark, a blank, a percent sign, and a byte that is not UTF-8."""
    folder = tmp_path / os.fsdecode(b"a?b %41#\xff")
    folder.mkdir()
    Store.create(folder / "games.sqlite", META).close()
    assert [file.name for file in folder.iterdir()] == ["games.sqlite"]
    assert Store.open(folder / "games.sqlite").meta().name == "test"


def test_metadata_that_is_not_json_is_reported_with_the_file(tmp_path: Path, store: Store) -> None:
    """This holds for each of its rows."""
    path = tmp_path / "games.sqlite"
    for key in ("name", "chain", "format"):
        (kept,) = sql(path, "SELECT value FROM meta WHERE key = ?", key)
        sql(path, "UPDATE meta SET value = '{' WHERE key = ?", key)
        with pytest.raises(StoreError, match=r"games\.sqlite: its metadata is not JSON: "):
            Store.open(path)
        sql(path, "UPDATE meta SET value = ? WHERE key = ?", *kept, key)
    assert Store.open(path).meta() == store.meta()


def test_a_broken_database_is_reported_with_what_to_do(tmp_path: Path, store: Store) -> None:
    """The error has the file, SQLite's message and a remedy; other errors have no remedy."""
    path = tmp_path / "games.sqlite"
    (tmp_path / "text.sqlite").write_text("no database " * 500)
    hint = "; put a copy in its place, or start again with --fresh"
    with pytest.raises(StoreError) as caught:
        Store.open(tmp_path / "text.sqlite")
    assert str(caught.value) == f"{tmp_path / 'text.sqlite'}: file is not a database{hint}"
    store.add(pair(1))
    with pytest.raises(StoreError) as caught:
        store.add(pair(1))
    assert str(caught.value) == (f"{path}: UNIQUE constraint failed: games.pair, games.game")
    sql(path, "UPDATE meta SET value = '3' WHERE key = 'name'")
    with pytest.raises(StoreError) as caught:
        store.meta()
    assert str(caught.value) == f"{path}: these results cannot be read: name is 3"


def test_other_tables_and_an_invalid_chain_are_reported(tmp_path: Path, store: Store) -> None:
    """The error has the file, the problem and, if there is one, the remedy."""
    path = tmp_path / "games.sqlite"
    sql(path, "UPDATE meta SET value = ? WHERE key = 'chain'", f'"{"x" * 90}"')
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    known = f"{path}: these results cannot be read: "
    assert str(caught.value) == f"{known}chain is '{'x' * 59}"
    sql(path, "CREATE TABLE more (x)")
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    assert str(caught.value) == (
        f"{known}its tables are not those of this version of pwtourney; use the version that wrote"
        " them, or play again into another folder"
    )


def test_store_cannot_be_made_in_a_missing_folder(tmp_path: Path) -> None:
    """The error has the file and SQLite's message."""
    path = tmp_path / "gone/games.sqlite"
    with pytest.raises(StoreError) as caught:
        Store.create(path, META)
    draft = path.with_name(".games.sqlite.new")
    assert str(caught.value) == (f"{draft}: cannot open the results: unable to open database file")


def test_unreadable_record_is_quoted(tmp_path: Path, store: Store) -> None:
    """The error has its first 60 characters, the problem, and the command that shows more."""
    store.add(pair(1))
    path = tmp_path / "games.sqlite"
    sql(path, "UPDATE games SET record = ? WHERE game = 1", "x" * 90)
    with pytest.raises(StoreError) as caught:
        store.game(1, 1)
    text = str(caught.value)
    assert text.startswith(f"{path}: a record cannot be read: Expecting value: line 1 column 1")
    assert text.endswith(f": '{'x' * 60}'; `pwtourney verify` says more")
    assert store.game(1, 0) == pair(1)[0]
