"""The tables of an arena: created, found, listed and deleted in one folder."""

import fcntl
import json
import os
import re
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play import live_tables as module
from pwtourney.arena.play.journal import read_journal
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.live_tables import Tables
from pwtourney.arena.play.new_table import read_order
from pwtourney.arena.play.seating import Seat, Seating, dump_seating
from pwtourney.arena.setting import Arena
from pwtourney.clock import TimeControl
from pwtourney.errors import UsageError
from pwtourney.notation.game import Ply
from pwtourney.store import ResultsFolder
from tests.arena.playing import GREEDY, PERSON
from tests.arena.seated import answer_with, opened_at, read_log, seat_people, until_quiet
from tests.descriptors import list_descriptors
from tests.loops import run_apart

BEN = {**PERSON, "name": "Ben"}
NAME = "abcdefghijkm"
PLY = {"ply": [0, "advance", 5, 0, ""]}


def arena(folder: Path) -> Arena:
    """Return an arena with greedy and one edition."""
    return Arena(bots={"greedy": "greedy"}, editions={"original": "original"}, games=folder)


def order(*seats: dict[str, Any], **more: Any) -> Any:
    """Return the order for a table."""
    return read_order({"seats": list(seats), "deal": "81", **more})


def lay(folder: Path, name: str, *entries: object, seating: Seating | None = None) -> Path:
    """Write a journal that no arena has open."""
    path = folder / f"{name}.jsonl"
    lines = [dump_seating(seating or seat_people()), *entries]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def count_open(folder: Path) -> int:
    """Return how many files of a folder this process has open."""
    return sum(name.startswith(f"{folder}/") for name in list_descriptors().values())


async def refused(coming: Awaitable[object]) -> tuple[int, str]:
    """Return the status and the reason of a refusal."""
    with pytest.raises(Refusal) as refusal:
        await coming
    return refusal.value.status, str(refusal.value)


def test_created_table_is_found_by_its_id(tmp_path: Path) -> None:
    """The id has twelve letters and digits; the journal has the table, and the time of it."""

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path / "games")
        names = [await tables.create(order(PERSON, BEN)) for _ in range(2)]
        assert names[0] != names[1]
        for name in names:
            assert re.fullmatch("[a-km-np-z2-9]{12}", name)
            table = await tables.find(name)
            assert await tables.find(name) is table
            assert table.seating.seed == 81
            path = tmp_path / "games" / f"{name}.jsonl"
            assert read_journal(path) == [json.loads(json.dumps(dump_seating(table.seating)))]
            assert tables.find_record(name) == path.with_suffix(".game")
        await tables.close()
        assert table.closed == "the arena has ended"
        assert count_open(tmp_path) == 0
        again = await tables.find(names[0])
        assert again.closed == ""
        await tables.close()

    run_apart(run())


def test_branch_begins_with_plies_of_its_parent(tmp_path: Path) -> None:
    """As many as were asked for, with their times where the clock is the same."""

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)
        parent = await tables.create(order(PERSON, BEN))
        for version in range(1, 4):
            table = await tables.find(parent)
            await table.act({"do": "play", "action": "advance", "version": version})
        timed = {**PERSON, "clock": {"kind": "move", "seconds": 3}}
        name = await tables.create(order(timed, BEN, branch={"table": parent, "ply": 2}, deal="5"))
        branch = await tables.find(name)
        assert branch.game.plies == [Ply(0, "advance", -1), Ply(1, "advance", 0)]
        assert (branch.seating.seed, branch.kept.version) == (81, 3)
        status = await refused(tables.create(order(PERSON, BEN, branch={"table": "x", "ply": 0})))
        assert status == (404, "there is no such game")
        with pytest.raises(UsageError, match="one of the seats must be a person's"):
            await tables.create(order(GREEDY, GREEDY))
        assert len(list(tmp_path.iterdir())) == 2
        await tables.close()

    run_apart(run())


@pytest.mark.parametrize(
    "name", ["", "abc", "abcdefghijkmn", "ABCDEFGHIJKM", "abcdefghijkl", "../../../../x", NAME]
)
def test_id_that_no_table_has_is_refused(tmp_path: Path, name: str) -> None:
    """Ids have no l, no o, no 0 and no 1, and never become paths."""
    (tmp_path / "abcdefghijkl.jsonl").write_text("{}\n")
    (tmp_path / "abc.jsonl").write_text("{}\n")
    (tmp_path / f"{NAME}.jsonl").mkdir()

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)
        assert await refused(tables.find(name)) == (404, "there is no such game")
        assert await refused(tables.delete(name)) == (404, "there is no such game")

    run_apart(run())


def test_journal_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """Each reason is one that a page may show, and no file stays open."""
    path = lay(tmp_path, NAME, {"jump": 1})

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)

        async def find() -> str:
            status, reason = await refused(tables.find(NAME))
            assert (status, count_open(tmp_path)) == (503, 0)
            start = f"the journal {NAME}.jsonl"
            assert reason.startswith((start, "the bot"))
            return reason.removeprefix(start)

        assert await find() == ", line 2: this is no entry of a table"
        path.write_text("{\n")
        assert await find() == ", line 1: this is not JSON"
        path.write_text("{}\n")
        assert await find() == ", line 1: this is not a table: table: Field required"
        bot = Seat("bot", "mine", "./mine.py", TimeControl(move_ms=1000))
        lay(tmp_path, NAME, seating=seat_people(Seat("person", "Ann"), bot))
        assert await find() == (
            "the bot './mine.py' is not one of this arena: start it with --bot './mine.py'"
        )
        path.unlink()
        other = lay(tmp_path, "other")
        path.symlink_to(other)
        assert await find() == ": Too many levels of symbolic links"

    run_apart(run())


def test_new_game_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """The folder of games is a file here."""
    folder = tmp_path / "games"
    folder.write_text("")

    async def run() -> None:
        tables = Tables(arena(tmp_path), folder)
        assert await refused(tables.create(order(PERSON, BEN))) == (
            507,
            "a new game cannot be written: File exists",
        )

    run_apart(run())


def test_unfinished_games_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is saved has ended; links do not count."""
    assert module.MOST_TABLES == 100  # as documented
    monkeypatch.setattr(module, "MOST_TABLES", 2)
    lay(tmp_path, "a")
    lay(tmp_path, "b")
    (tmp_path / "c.jsonl").symlink_to(tmp_path / "a.jsonl")

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)
        assert await refused(tables.create(order(PERSON, BEN))) == (
            429,
            "2 games are unfinished: finish or delete one of them first",
        )
        (tmp_path / "a.game").write_text("")
        assert await tables.create(order(PERSON, BEN))
        assert (await refused(tables.create(order(PERSON, BEN))))[0] == 429
        await tables.close()

    run_apart(run())


def test_open_tables_make_room_for_others_if_no_browser_shows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest open table is closed; if all are shown, another one is refused."""
    monkeypatch.setattr(module, "MOST_TABLES", 2)
    names = [f"{letter * 12}" for letter in "abcd"]
    for name in names:
        lay(tmp_path, name)

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)
        first, second = [await tables.find(name) for name in names[:2]]
        first.enter()
        third = await tables.find(names[2])
        assert (first.closed, third.closed) == ("", "")
        assert second.closed == "this game made room for another one: reload"
        third.enter()
        assert await refused(tables.find(names[3])) == (
            429,
            "2 games are open in browsers: close one of them",
        )
        assert count_open(tmp_path) == 2
        first.leave()
        await tables.find(names[3])
        assert first.closed
        assert (await tables.find(names[3])) is (await tables.find(names[3]))
        await tables.close()

    run_apart(run())


def test_table_that_cannot_be_opened_leaves_no_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All open tables are shown when a new one is ordered."""

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)
        table = await tables.find(await tables.create(order(PERSON, BEN)))
        table.enter()
        await table.act({"do": "resign", "seat": 0, "version": 1})
        monkeypatch.setattr(module, "MOST_TABLES", 1)
        before = set(tmp_path.iterdir())
        status, _ = await refused(tables.create(order(PERSON, BEN)))
        assert (status, set(tmp_path.iterdir())) == (429, before)
        await tables.close()

    run_apart(run())


def test_deleted_table_is_gone_with_its_record(tmp_path: Path) -> None:
    """Followers see the reason; a table that another arena plays stays."""
    path = lay(tmp_path, NAME)
    broken = tmp_path / "aaaaaaaaaaaa.jsonl"
    broken.write_text("nonsense")

    async def run() -> None:
        tables = Tables(arena(tmp_path), tmp_path)
        table = await tables.find(NAME)
        await table.act({"do": "resign", "seat": 0, "version": 1})
        assert len(list(tmp_path.iterdir())) == 3
        await tables.delete(NAME)
        assert table.closed == "this game has been deleted"
        assert [entry.name for entry in tmp_path.iterdir()] == [broken.name]
        assert (await refused(tables.find(NAME)))[0] == 404
        await tables.delete("aaaaaaaaaaaa")
        assert list(tmp_path.iterdir()) == []
        lay(tmp_path, NAME)
        with path.open() as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            assert await refused(tables.delete(NAME)) == (
                409,
                f"the journal {NAME}.jsonl: another arena plays this game; close it first",
            )
        (tmp_path / f"{NAME}.game").mkdir()
        status, reason = await refused(tables.delete(NAME))
        assert (status, reason) == (503, f"the journal {NAME}.jsonl: Is a directory")

    run_apart(run())


def test_list_has_the_last_played_games_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row has names, plies and the result; a game that cannot be read has the problem instead."""
    back = [PLY, {"ply": [1, "advance", 5, 0, ""]}, {"back": 1}, {"spent": 3}]
    first = seat_people(Seat("person", "Ann"), Seat("person", "Lee"))
    games: dict[str, list[object]] = {"one": [PLY], "two": [*back], "three": [], "four": [[]]}
    for number, (name, entries) in enumerate(games.items()):
        path = lay(tmp_path, name, *entries, seating=first)
        os.utime(path, (number, number))
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "one.jsonl")
    (tmp_path / "notes.txt").write_text("")
    tables = Tables(arena(tmp_path), tmp_path)
    broken, empty, undone, played = tables.summarise()
    assert (broken.id, broken.title, broken.seating, broken.plies, broken.result) == (
        "four",
        "four",
        None,
        0,
        "",
    )
    assert broken.problem == "the journal four.jsonl, line 2: expected an object"
    assert [(row.id, row.plies, row.result, row.problem) for row in (empty, undone, played)] == [
        ("three", 0, "", ""),
        ("two", 1, "", ""),
        ("one", 1, "", ""),
    ]
    assert undone.seating == first
    assert undone.title == "Ann – Lee"
    assert module._LISTED == 200
    monkeypatch.setattr(module, "_LISTED", 2)
    assert [row.id for row in tables.summarise()] == ["four", "three"]


@pytest.mark.parametrize(
    ("end", "result"),
    [
        ("resigned -157 -157 1", "Ben won, Ann resigned"),
        ("timeout -157 -157 0", "Ann won, Ben lost by timeout"),
        ("finished -157 -157 0", "−157 to −157, Ann won"),
        ("crash -157 -3 -", "nobody won (crash)"),
        ("nonsense", None),
    ],
)
def test_list_has_the_result_of_a_saved_game(tmp_path: Path, end: str, result: str | None) -> None:
    """It is read from the record; a game that broke off has a reason instead of totals."""

    async def save() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people()) as table:
            await table.act({"do": "resign", "seat": 0, "version": 1})

    run_apart(save())
    record = tmp_path / "a.game"
    record.write_text(record.read_text().replace("resigned -157 -157 1", end))
    (summary,) = Tables(arena(tmp_path), tmp_path).summarise()
    if result is None:
        assert summary.problem.startswith("a line is: result VERDICT ")
        assert (summary.id, summary.seating) == ("a", None)
    else:
        assert (summary.result, summary.problem) == (result, "")


def test_list_is_read_again_only_where_something_has_changed(tmp_path: Path) -> None:
    """The time, the size, or the record of a journal."""
    path = lay(tmp_path, "one", PLY)
    os.utime(path, (5, 5))
    tables = Tables(arena(tmp_path), tmp_path)
    (first,) = tables.summarise()
    size = path.stat().st_size
    path.write_text(path.read_text().replace("ply", "pla"))
    os.utime(path, (5, 5))
    assert path.stat().st_size == size
    assert tables.summarise() == [first]  # neither time nor size has changed
    assert tables.summarise()[0] is first
    os.utime(path, (6, 6))
    assert tables.summarise()[0].plies == 0
    lay(tmp_path, "one", PLY, PLY)
    os.utime(path, (6, 6))
    assert tables.summarise()[0].plies == 2
    (tmp_path / "one.game").write_text("nonsense")
    assert tables.summarise()[0].problem
    path.unlink()
    assert tables.summarise() == []
    assert tables._known == {}


def test_journal_that_cannot_be_read_is_listed_with_the_reason(tmp_path: Path) -> None:
    """A folder has the name of a journal, or its first line is not a table."""
    path = tmp_path / "one.jsonl"
    path.write_text("{}\n")
    (summary,) = Tables(arena(tmp_path), tmp_path).summarise()
    reason = "the journal one.jsonl, line 1: this is not a table: table: Field required"
    assert (summary.seating, summary.problem) == (None, reason)
    path.unlink()
    path.mkdir()
    (summary,) = Tables(arena(tmp_path), tmp_path).summarise()
    assert summary.problem == "the journal one.jsonl: Is a directory"
    assert (summary.id, summary.title) == ("one", "one")


def test_bots_may_read_neither_games_nor_the_tournament(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both folders are private; bots of all tables share the places."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log, {"ply": [0, "advance", 1, 1, ""]})
    results = ResultsFolder(tmp_path / "results")

    async def play(table: Table) -> None:
        table.enter()
        await until_quiet(table)
        assert table.trouble == ""
        table.leave()

    async def run() -> None:
        alone = arena(tmp_path)
        shown = Arena(results, alone.bots, alone.editions)
        for setting, name in ((alone, "a"), (shown, "b")):
            tables = Tables(setting, tmp_path / name)
            assert tables._places.count == 8  # as documented
            await play(await tables.find(await tables.create(order(GREEDY, BEN))))
            await tables.close()

    run_apart(run())
    private = [line["private"] for line in read_log(log) if "private" in line]
    assert private == [[str(tmp_path / "a")], [str(tmp_path / "b"), str(tmp_path / "results")]]


def test_table_with_a_bot_that_the_arena_lacks_is_refused(tmp_path: Path) -> None:
    """A bot of a person's file is one of the arena, whatever its seat."""
    bots = [Seat("bot", "mine", "./mine.py", TimeControl(move_ms=1)), Seat("person", "Ann")]
    lay(tmp_path, NAME, seating=seat_people(*bots))

    async def run() -> None:
        known = Arena(bots={"my bot": "./mine.py"}, editions={}, games=tmp_path)
        tables = Tables(known, tmp_path)
        table = await tables.find(NAME)
        assert table.seating.seats[0].name == "mine"
        await tables.close()

    run_apart(run())
