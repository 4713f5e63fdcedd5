"""Races of tables: closed while in use, left while somebody comes, and few places for bots."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play import bots_apart
from pwtourney.arena.play.bots_apart import BotsApart, BotsProblem
from pwtourney.arena.play.journal import Journal, read_journal
from pwtourney.arena.play.kept_game import KeptGame
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import dump_seating
from pwtourney.errors import IllegalActionError, StoreError
from pwtourney.notation import action_text
from pwtourney.notation.game import Ply
from tests.arena.playing import GREEDY, PERSON
from tests.arena.seated import TIMED, begin_journal, opened, seat, until_quiet
from tests.descriptors import list_descriptors
from tests.loops import run_apart


def test_closed_journal_writes_nothing_into_another_file(tmp_path: Path) -> None:
    """The next opened file has the descriptor number of the closed one."""
    seating = seat(PERSON, PERSON)
    journal = begin_journal(tmp_path / "a.jsonl", seating)
    journal.close()
    journal.close()
    other = begin_journal(tmp_path / "b.jsonl", seating)
    with pytest.raises(StoreError, match=r"the journal a\.jsonl: it is closed"):
        journal.append({"spent": 96})
    assert read_journal(other.path) == other.entries == [dump_seating(seating)]
    other.close()


def test_followers_of_a_closed_table_change_nothing(tmp_path: Path) -> None:
    """Neither by leaving it, nor by requests that were waiting for their turn."""

    async def play() -> None:
        async with opened(tmp_path / "a.jsonl", TIMED, PERSON) as table:
            table.lonely_seconds = 0.0
            table.enter()
            closing = asyncio.create_task(table.close("this game has been deleted"))
            late = table.act({"do": "play", "action": "advance", "version": 1})
            results = await asyncio.gather(closing, late, return_exceptions=True)
            assert isinstance(results[1], Refusal)
            assert (results[1].status, str(results[1])) == (410, "this game has been deleted")
            written = (tmp_path / "a.jsonl").read_bytes()
            with pytest.raises(Refusal, match="deleted"):
                await table.hint("greedy", 100, 1)
            table.leave()
            table.enter()
            await asyncio.sleep(0.01)  # timers that are due at once would fire
            assert (tmp_path / "a.jsonl").read_bytes() == written
            assert not table.is_thinking

    run_apart(play())


@pytest.mark.parametrize(
    ("ply", "reason"),
    [(Ply(1, "advance"), "seat 0 is to move"), (Ply(0, "leather:a1"), "no special patch")],
)
def test_illegal_ply_is_not_written(tmp_path: Path, ply: Ply, reason: str) -> None:
    """A journal contains only records that can be read again."""
    seating = seat(PERSON, PERSON)
    journal = begin_journal(tmp_path / "a.jsonl", seating)
    kept = KeptGame(seating, journal, lambda: 0)
    with pytest.raises(IllegalActionError, match=reason):
        run_apart(kept.commit(ply))
    kept.close()
    assert len(read_journal(journal.path)) == kept.version == 1


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_browser_that_comes_during_an_undo_asks_no_bot(tmp_path: Path) -> None:
    """An answer to an undone ply would make the journal unreadable."""

    async def play() -> None:
        async with opened(tmp_path / "a.jsonl", PERSON, GREEDY) as table:
            table.enter()
            await table.act({"do": "play", "action": "advance", "version": 1})
            assert table.is_thinking
            back = asyncio.create_task(table.act({"do": "back", "version": 2}))
            while not back.done():
                table.enter()
                await asyncio.sleep(0)
            await back
            await until_quiet(table)
            assert not table.game.plies
            await table.act({"do": "play", "action": "advance", "version": 3})
            await until_quiet(table)
            assert len(table.game.plies) > 1
            assert table.trouble == ""

    run_apart(play())
    journal = Journal.open(tmp_path / "a.jsonl")
    kept = KeptGame(seat(PERSON, GREEDY), journal, lambda: 0)
    assert [ply.seat for ply in kept.game.plies][:2] == [0, 1]
    kept.close()


@pytest.mark.parametrize("seats", [(TIMED, GREEDY), (GREEDY, TIMED)])
@pytest.mark.slow
def test_clock_runs_if_somebody_comes_back_while_a_table_falls_asleep(
    tmp_path: Path, seats: tuple[dict[str, Any], ...]
) -> None:
    """At that moment the spent time is being written, or a bot is being ended."""

    async def play() -> None:
        async with opened(tmp_path / "a.jsonl", *seats) as table:
            table.lonely_seconds = 0.0
            table.enter()
            table.leave()
            while not table.is_in_use:
                await asyncio.sleep(0)
            table.enter()
            await table.open()  # after everything that was running
            assert table.kept.turn_clock.is_running
            assert table.is_thinking is (seats[0] is GREEDY)

    run_apart(play())


@pytest.mark.thorough
@pytest.mark.slow(6)
def test_bots_without_a_place_wait_for_one(tmp_path: Path) -> None:
    """Three tables ask at once with one place: each gets its answer, one after the other."""
    seating = seat(GREEDY, PERSON)
    places = ProcessLimit(1)

    async def ask() -> list[Any]:
        tables = [BotsApart(seating, [tmp_path], places) for _ in range(3)]
        seen: list[tuple[int, list[str]]] = []

        def look() -> None:
            held = sum(table.is_running or table.is_leaving for table in tables)
            seen.append((held, [table.waiting for table in tables]))

        plays = [table.play([], look) for table in tables]
        answers = await asyncio.gather(*plays)
        assert seen
        assert all(held <= 1 for held, _ in seen)
        words = {word for _, waiting in seen for word in waiting}
        text = "bots run at 1 other tables, which is the most at a time"
        assert words == {"", f"{text}: the game goes on as soon as there is a place"}
        closings = [table.close() for table in tables]
        await asyncio.gather(*closings)
        with pytest.raises(BotsProblem, match="closed"):
            await tables[0].play([], look)
        assert places.take(tables[1])  # all places were given back
        return answers

    answers = run_apart(ask())
    assert answers[0][:2] == answers[1][:2] == answers[2][:2]
    assert answers[0].seat == 0


def test_cancelled_waiter_takes_no_place(tmp_path: Path) -> None:
    """A place goes to the next waiter, even if it was given at the moment of the cancellation."""
    bots_a, bots_b, bots_c = (
        BotsApart(seat(GREEDY, PERSON), [tmp_path], ProcessLimit(1)) for _ in range(3)
    )

    async def wait() -> None:
        places = ProcessLimit(1)
        assert places.take(bots_a)
        first, second = (asyncio.create_task(places.wait(bots)) for bots in (bots_b, bots_c))
        await asyncio.sleep(0)
        first.cancel()
        places.give(bots_a)
        await asyncio.wait((first, second))
        assert (first.cancelled(), second.cancelled()) == (True, False)
        late = asyncio.create_task(places.wait(bots_b))
        await asyncio.sleep(0)
        assert not places.take(bots_a)
        places.give(bots_c)  # to one that is cancelled before it resumes
        late.cancel()
        await asyncio.wait((late,))
        assert late.cancelled()
        assert places.take(bots_a)

    run_apart(wait())


@pytest.mark.parametrize(
    "answer", ["nonsense", "[]", '{"ply": 1}', '{"fault": [0, "bored", ""]}', '{"ply": [0, null]}']
)
def test_invalid_answer_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    """Otherwise a bot would seem to think forever; the table can be asked to continue."""
    command = (sys.executable, "-c", f"input(); input(); print({answer!r})")
    monkeypatch.setattr(bots_apart, "_COMMAND", command)

    async def play() -> None:
        async with opened(tmp_path / "a.jsonl", GREEDY, PERSON) as table:
            table.enter()
            await until_quiet(table)
            assert table.trouble.startswith("the process of the bots has answered ")
            assert not table.game.plies

    run_apart(play())


@contextmanager
def full_disk(path: Path) -> Iterator[None]:
    """Make every write to an open file fail with ENOSPC, by the kernel's `/dev/full`."""
    (opened,) = (number for number, file in list_descriptors().items() if file == str(path))
    kept, full = os.dup(opened), os.open("/dev/full", os.O_RDWR)
    os.dup2(full, opened, inheritable=False)
    try:
        yield
    finally:
        os.dup2(kept, opened, inheritable=False)
        os.close(kept)
        os.close(full)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_game_continues_after_its_last_ply_could_not_be_written(tmp_path: Path) -> None:
    """The disk is full when greedy ends the game; after undoing plies, the game can be finished."""

    async def count_plies() -> int:
        async with opened(tmp_path / "whole.jsonl", PERSON, GREEDY, deal="1") as table:
            table.enter()
            await play_on(table)
            assert table.game.plies[-1].seat == 1
            return len(table.game.plies)

    async def play(plies: int) -> None:
        async with opened(tmp_path / "a.jsonl", PERSON, GREEDY, deal="1") as table:
            table.enter()
            await play_on(table, plies - 1)
            with full_disk(tmp_path / "a.jsonl"):
                await until_quiet(table)
            assert table.trouble == "the game cannot be written: No space left on device"
            assert len(table.game.plies) == plies - 1
            while not table.game.undo_problem:
                await table.act({"do": "back", "version": table.kept.version})
                await until_quiet(table)
            await play_on(table)
            assert (table.trouble, table.game.is_over) == ("", True)
            table.leave()

    run_apart(play(run_apart(count_plies())))


async def play_on(table: Table, plies: int | None = None) -> None:
    """Play the last legal action each time, until the game is over or has this many plies.

    In the latter case the bot has not answered yet, because nothing has waited for its pipe.
    """
    await until_quiet(table)
    while not table.trouble and not table.game.is_over:
        actions = table.game.state.legal_actions()
        text = action_text(actions[len(actions) - 1], table.seating.edition)
        await table.act({"do": "play", "action": text, "version": table.kept.version})
        if len(table.game.plies) == plies:
            return
        await until_quiet(table)
