"""The pipe to the process of a table's bots, which is a shell script here."""

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.play import bots_apart
from pwtourney.arena.play.bots_apart import BotsApart, BotsProblem, Loss
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import dump_seating
from pwtourney.errors import BotFault
from pwtourney.notation.game import Ply, Verdict
from tests.arena.seated import answer_with, read_log, seat_people
from tests.loops import pass_time, run_apart, run_with_set_clock, settle, until

SEATING = seat_people()
PLAYED = {"ply": [1, "advance", 9, 8, "hello"]}
FULL = "bots run at 1 other tables, which is the most at a time"


def ignore() -> None:
    """Do nothing when bots begin or end to wait."""


async def problem_of(coming: Awaitable[object]) -> str:
    """Return the problem of a request."""
    with pytest.raises(BotsProblem) as problem:
        await coming
    return str(problem.value)


def test_process_gets_the_table_and_then_each_request_with_the_whole_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new process therefore needs nothing else."""
    log = tmp_path / "log"
    fault = {"fault": [0, "timeout", "too late"]}
    answer_with(monkeypatch, log, PLAYED, fault, {"hint": "advance", "info": "score 3", "x": 1})
    plies = [Ply(0, "advance", 5)]

    async def run() -> None:
        bots = BotsApart(SEATING, [Path("/a"), Path("/b")], ProcessLimit(1))
        assert (bots.is_running, bots.is_idle, bots.is_leaving) == (False, False, False)
        assert bots.waiting == ""
        assert await bots.play(plies, ignore) == Ply(1, "advance", 9, 8, "hello")
        assert (bots.is_running, bots.is_idle, bots.is_leaving) == (True, True, False)
        loss = await bots.play([], ignore)
        assert isinstance(loss, Loss)
        assert isinstance(loss.fault, BotFault)
        assert (loss.seat, loss.fault.verdict, str(loss.fault)) == (0, Verdict.TIMEOUT, "too late")
        hint = await bots.hint(plies, "greedy", 2000)
        assert hint == {"hint": "advance", "info": "score 3"}
        await bots.close()
        assert (bots.is_running, bots.is_leaving) == (False, False)
        assert await problem_of(bots.play([], ignore)) == "the table is closed"

    run_apart(run())
    sent = [[0, "advance", 5, 0, ""]]
    assert read_log(log) == [
        {"seating": json.loads(json.dumps(dump_seating(SEATING))), "private": ["/a", "/b"]},
        {"want": "play", "plies": sent},
        {"want": "play", "plies": []},
        {"want": "hint", "plies": sent, "bot": "greedy", "move_ms": 2000},
    ]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ({"ply": [0, "advance", 1, 2]}, "\"{'ply': [0, 'advance', 1, 2]}\""),
        ({"fault": [0, "bored", ""]}, "\"{'fault': [0, 'bored', '']}\""),
        (["é" * 100], "\"['" + r"\xe9" * 78 + '"'),
        ("x" * 100, "\"b'" + "x" * 78 + '"'),
    ],
)
def test_answer_that_is_not_understood_is_shown_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: object, shown: str
) -> None:
    """At most 80 characters, as ASCII, whatever a bot has written."""
    answer_with(monkeypatch, tmp_path / "log", answer, answer)

    async def run() -> None:
        bots = BotsApart(SEATING, [], ProcessLimit(1))
        reason = f"the process of the bots has answered {shown}"
        assert await problem_of(bots.play([], ignore)) == reason
        assert await problem_of(bots.hint([], "greedy", 1)) == reason
        await bots.close()

    run_apart(run())


def test_problem_of_the_process_is_a_problem_of_the_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process stays, and answers the next request."""
    answer_with(monkeypatch, tmp_path / "log", {"problem": "no such bot"}, PLAYED)

    async def run() -> None:
        bots = BotsApart(SEATING, [], ProcessLimit(1))
        assert await problem_of(bots.play([], ignore)) == "no such bot"
        assert await bots.play([], ignore) == Ply(1, "advance", 9, 8, "hello")
        await bots.close()

    run_apart(run())


def test_process_that_ends_is_replaced_for_the_next_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request to a process that has ended fails, and its place is given back."""
    places = ProcessLimit(1)

    async def run() -> None:
        bots = BotsApart(SEATING, [], places)
        for script in (":", "read -r a; read -r b; head -c 1048600 /dev/zero"):
            monkeypatch.setattr(bots_apart, "_COMMAND", ("sh", "-c", script))
            reason = "the process of the bots has ended"
            assert await problem_of(bots.play([], ignore)) == reason
            assert not bots.is_running
        answer_with(monkeypatch, tmp_path / "log", PLAYED)
        assert await bots.play([], ignore) == Ply(1, "advance", 9, 8, "hello")
        await bots.close()
        assert places.take(bots)

    run_apart(run())


def test_program_that_cannot_start_is_an_error_of_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The place is given back, so another request can try it again."""
    monkeypatch.setattr(bots_apart, "_COMMAND", ("/nowhere/bots",))
    places = ProcessLimit(1)

    async def run() -> None:
        bots = BotsApart(SEATING, [], places)
        for _ in range(2):
            with pytest.raises(FileNotFoundError):
                await bots.play([], ignore)
        await bots.close()
        assert places.take(bots)

    run_apart(run())


def test_answer_to_a_cancelled_request_is_not_read_as_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends, and another one answers."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log)

    async def run() -> None:
        bots = BotsApart(SEATING, [], ProcessLimit(1))
        asking = asyncio.create_task(bots.play([], ignore))
        await until(lambda: len(read_log(log)) >= 2)
        assert (bots.is_running, bots.is_idle) == (True, False)
        asking.cancel()
        await asyncio.wait((asking,))
        assert (bots.is_running, bots.is_leaving) == (False, True)
        answer_with(monkeypatch, log, PLAYED)
        assert await bots.play([], ignore) == Ply(1, "advance", 9, 8, "hello")
        assert not bots.is_leaving
        await bots.close()

    run_apart(run())


def test_bots_without_a_place_say_why_they_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They get the place of bots that have become idle, which then end."""
    answer_with(monkeypatch, tmp_path / "log", PLAYED)

    async def run() -> None:
        places = ProcessLimit(1)
        first, second = (BotsApart(SEATING, [], places) for _ in range(2))
        seen: list[str] = []
        await first.play([], ignore)
        answer = await second.play([], lambda: seen.append(second.waiting))
        assert answer == Ply(1, "advance", 9, 8, "hello")
        assert seen == [f"{FULL}: the game goes on as soon as there is a place", ""]
        assert second.waiting == ""
        assert (first.is_running, second.is_running) == (False, True)
        for bots in (first, second):
            await bots.close()
        assert places.take(first)

    run_apart(run())


def test_hint_waits_five_seconds_for_a_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person waits for it; a bot in a seat waits without a limit."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log)

    async def run() -> None:
        places = ProcessLimit(1)
        busy, waiting = (BotsApart(SEATING, [], places) for _ in range(2))
        thinking = asyncio.create_task(busy.play([], ignore))
        await until(lambda: len(read_log(log)) >= 2)
        hint: asyncio.Task[Any] = asyncio.create_task(waiting.hint([], "greedy", 1))
        await settle()
        await pass_time(4.9)
        assert not hint.done()
        assert waiting.waiting == f"{FULL}: the game goes on as soon as there is a place"
        await pass_time(0.2)
        assert await problem_of(hint) == f"{FULL}: try again later"
        assert waiting.waiting == ""
        seated = asyncio.create_task(waiting.play([], ignore))
        await settle()
        await pass_time(1000)
        assert not seated.done()
        for task in (seated, thinking):
            task.cancel()
        await asyncio.wait((seated, thinking))
        for bots in (busy, waiting):
            await bots.close()
        assert places.take(busy)

    run_with_set_clock(run())


def test_table_that_closes_while_its_bots_wait_starts_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place that they get is given back."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log, PLAYED)

    async def run() -> None:
        places = ProcessLimit(1)
        first, second = (BotsApart(SEATING, [], places) for _ in range(2))
        await first.play([], ignore)
        waiting = asyncio.create_task(second.play([], ignore))
        await second.close()
        assert await problem_of(waiting) == "the table is closed"
        assert places.take(second)
        await first.close()

    run_apart(run())
    assert len(read_log(log)) == 2


def test_process_that_does_not_end_is_killed_after_three_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots may need that time to end; the next request waits for it."""
    log = tmp_path / "log"
    script = f"read -r a; read -r b; echo '{json.dumps(PLAYED)}'; exec sleep 600"
    monkeypatch.setattr(bots_apart, "_COMMAND", ("sh", "-c", script))

    async def run() -> None:
        places = ProcessLimit(1)
        bots = BotsApart(SEATING, [], places)
        await bots.play([], ignore)
        answer_with(monkeypatch, log, PLAYED)
        bots.dismiss()
        bots.dismiss()  # there is nothing left to dismiss
        again = asyncio.create_task(bots.play([], ignore))
        await settle()
        await pass_time(2.9)
        assert (bots.is_leaving, again.done(), places.take(bots)) == (True, False, False)
        await pass_time(0.2)
        assert await again == Ply(1, "advance", 9, 8, "hello")
        await bots.close()

    run_with_set_clock(run())
