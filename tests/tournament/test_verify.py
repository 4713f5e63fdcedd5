"""`verify` finds every kind of change of a store."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game_text import parse_record, record_text, replay
from pwtourney.store import Store, dump_game, genesis, load_game, record_hash
from pwtourney.store.meta import read_meta
from pwtourney.tournament import verify
from tests.sharing import Once
from tests.tournament.test_run import play

Change = Callable[[sqlite3.Connection], object]


@pytest.fixture(scope="module")
def original(once: Once, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a tournament of 9 pairs."""
    path = tmp_path_factory.mktemp("verify") / "games.sqlite"
    return Path(shutil.copy(once("run", play) / "r" / "games.sqlite", path))


def problems(original: Path, tmp_path: Path, change: Change) -> list[str]:
    """Change a copy of the store; return the problems that `verify` finds."""
    path = tmp_path / "games.sqlite"
    shutil.copy(original, path)
    with sqlite3.connect(path) as connection:
        change(connection)
    connection.close()
    return list(verify(Store.open(path)))


def rewrite(connection: sqlite3.Connection, number: int, **changes: Any) -> None:
    """Change fields of a record and all hashes from there on, as a careful forger would."""
    rows = connection.execute("SELECT number, record FROM games ORDER BY number").fetchall()
    facts = connection.execute("SELECT key, value FROM meta")
    meta = {key: json.loads(value) for key, value in facts if key not in ("chain", "format")}
    head = genesis(read_meta(meta))
    for here, text in rows:
        if here == number:
            text = json.dumps(json.loads(text) | changes, separators=(",", ":"))
        head = record_hash(head, text)
        connection.execute(
            "UPDATE games SET record = ?, hash = ? WHERE number = ?", (text, head, here)
        )
    connection.execute(
        "UPDATE meta SET value = ? WHERE key = 'chain'",
        (json.dumps({"head": head, "records": len(rows)}),),
    )


@pytest.mark.slow
def test_untouched_store_has_no_problems(original: Path, tmp_path: Path) -> None:
    """Verify reports nothing."""
    assert problems(original, tmp_path, lambda _: None) == []


@pytest.mark.parametrize("number", [1, 9, 18])
@pytest.mark.slow
def test_one_changed_byte_is_found(original: Path, tmp_path: Path, number: int) -> None:
    """One digit of a time is changed in the first, a middle or the last record."""

    def change(connection: sqlite3.Connection) -> None:
        (text,) = connection.execute(
            "SELECT record FROM games WHERE number = ?", (number,)
        ).fetchone()
        data = json.loads(text)
        data["plies"][0][2] += 1
        changed = json.dumps(data, separators=(",", ":"))
        assert sum(a != b for a, b in zip(text, changed, strict=False)) >= 1
        connection.execute("UPDATE games SET record = ? WHERE number = ?", (changed, number))

    lines = problems(original, tmp_path, change)
    assert any(f"(record {number})" in line and "was modified" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 9, 18])
def test_removed_record_is_found(original: Path, tmp_path: Path, number: int) -> None:
    """The record is the first, a middle one, or the last, on which no later hash depends."""
    lines = problems(
        original,
        tmp_path,
        lambda connection: connection.execute("DELETE FROM games WHERE number = ?", (number,)),
    )
    assert lines


@pytest.mark.slow
def test_removed_last_pair_is_found(original: Path, tmp_path: Path) -> None:
    """Both games of the last pair are removed, so all remaining pairs are whole."""
    lines = problems(original, tmp_path, lambda c: c.execute("DELETE FROM games WHERE number > 16"))
    assert lines == ["the last record should be number 18, and 16 are there"]


@pytest.mark.slow
def test_inserted_record_is_found(original: Path, tmp_path: Path) -> None:
    """It is at the end and its hash fits, but the stored count of records does not."""

    def change(connection: sqlite3.Connection) -> None:
        text, head = connection.execute(
            "SELECT record, hash FROM games WHERE number = 18"
        ).fetchone()
        record = load_game(text)._replace(pair=99)
        text = dump_game(record)
        connection.execute(
            "INSERT INTO games VALUES (19, 99, ?, ?, 0, ?, ?)",
            (record.game, record.halves, record_hash(head, text), text),
        )

    lines = problems(original, tmp_path, change)
    assert any("the schedule has no such pair" in line for line in lines)
    assert any("the last record should be number 18" in line for line in lines)
    assert any(line == "pair 99: 1 of its two games is there" for line in lines)


def forged(original: Path, tmp_path: Path, **changes: Any) -> str:
    """Return the problems that a forged record causes although all hashes fit."""
    lines = problems(original, tmp_path, lambda c: rewrite(c, 5, **changes))
    return "\n".join(lines)


@pytest.mark.slow
def test_consistent_forgery_is_found_by_replaying(original: Path, tmp_path: Path) -> None:
    """Scores, winner, points, verdict, plies, deal and seeds follow from the game."""
    store = Store.open(original)
    (text,) = [row.text for row in store.raw_records() if row.number == 5]
    record = load_game(text)
    other = 1 - (record.winner or 0)
    points = (1.0, 0.0) if other == 0 else (0.0, 1.0)
    other_deal = record.deal._replace(circle=record.deal.circle[::-1])
    cases: list[tuple[dict[str, Any], str]] = [
        ({"scores": (99, 0)}, "the scores are"),
        ({"winner": other, "points": points}, "the winner is seat"),
        ({"points": points}, "its points are"),
        ({"verdict": "crash"}, "so its verdict is not crash"),
        ({"plies": record.plies[:-1]}, "the scores are"),
        ({"deal": other_deal, "deal_id": other_deal.id()}, "its deal is not the one"),
        ({"deal": other_deal}, "its deal is not the one"),
        ({"seeds": (1, 2)}, "its seeds are not those"),
        ({"edition": "express"}, "it was played in another edition"),
        ({"bots": record.bots[::-1]}, "its seeds are not those"),
    ]
    for number, (changes, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert message in forged(original, folder, **changes), changes


@pytest.mark.slow
def test_forged_faults_and_void_games_are_found(original: Path, tmp_path: Path) -> None:
    """A void game with scores, impossible faults and unknown verdicts are each reported."""
    (row,) = [row for row in Store.open(original).raw_records() if row[0] == 5]
    record = load_game(row.text)
    fault = {"seat": 0, "verdict": "crash", "message": "", "stderr": "", "machine": None}
    slow = tuple(ply._replace(micros=-5) for ply in record.plies)
    void = {"verdict": "runner-error", "plies": (), "points": None}
    cases: list[tuple[dict[str, Any], str]] = [
        (void | {"scores": (9, 0), "winner": 0}, "it is void, and yet"),
        (void | {"points": (1.0, 0.0)}, "its points are"),
        ({"verdict": "banana"}, "it cannot be read: wrong: verdict"),
        ({"faults": (fault | {"verdict": "banana"},)}, "cannot be read: wrong: faults.0.verdict"),
        ({"faults": (fault | {"verdict": "finished"},)}, "a verdict that is no fault"),
        ({"faults": (fault, fault)}, "its faults are of the seats [0, 0]"),
        ({"plies": slow}, "a negative time"),
    ]
    for number, (changes, message) in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = forged(original, folder, **changes)
        assert message in text or "so its verdict is not" in text, (changes, text)
        assert text


META_CHANGES: list[tuple[str, Callable[[Any], Any]]] = [
    ("name", lambda _: "another"),
    ("version", lambda _: "9.9"),
    ("bots", lambda bots: bots[::-1]),
    ("facts", lambda facts: facts | {"edition": "express ffff"}),
    ("facts", lambda facts: facts | {"bots": ["a"]}),
    ("facts", lambda facts: facts | {"bots.greedy.content": "other"}),
    ("facts", lambda facts: facts | {"seed": 6}),
    (
        "edition",
        lambda e: e | {"lines": [x.replace("declining 0", "declining 1") for x in e["lines"]]},
    ),
    ("edition", lambda e: e | {"lines": [*e["lines"], "tile 7 0"]}),
    ("pairs", lambda _: 4),
    ("pairs", lambda _: -1),
    ("schedule", lambda schedule: schedule | {"format": "focus"}),
    ("schedule", lambda schedule: schedule | {"pairs": 2}),
    ("deals", lambda _: "1,2,3 -"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "change"), META_CHANGES)
def test_change_of_the_stored_facts_is_found(
    original: Path, tmp_path: Path, key: str, change: Callable[[Any], Any]
) -> None:
    """The first record is chained to them, and the schedule follows from them."""

    def rewrite_meta(connection: sqlite3.Connection) -> None:
        (text,) = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        changed = json.dumps(change(json.loads(text)))
        assert changed != text
        connection.execute("UPDATE meta SET value = ? WHERE key = ?", (changed, key))

    assert problems(original, tmp_path, rewrite_meta)


@pytest.mark.slow
def test_record_that_is_not_json_is_found(original: Path, tmp_path: Path) -> None:
    """The records after it are still checked."""
    lines = problems(
        original,
        tmp_path,
        lambda c: c.execute("UPDATE games SET record = 'x' WHERE number = 3"),
    )
    assert any("(record 3): it cannot be read" in line for line in lines)


@pytest.mark.slow
def test_stored_games_are_complete_on_their_own(original: Path) -> None:
    """Every game can be exported as text with its edition, and replayed from it."""
    store = Store.open(original)
    edition = store.edition()
    games = list(store.records())
    assert len(games) == 18
    for game in games:
        again, played = parse_record(record_text(game, edition))
        assert (played, again.bots, again.deal) == (edition, game.bots, game.deal)
        *_, final = replay(again, played)
        assert final.scores == game.scores
