"""Turns at a table: what people can do, when a bot is asked, and clocks that the test sets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play import bots_apart
from pwtourney.arena.play.bots_apart import BotsApart
from pwtourney.arena.play.journal import Journal, read_journal
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import Seat, Seating
from pwtourney.clock import TimeControl
from pwtourney.notation.game import Ply
from pwtourney.rules.automa import Automa
from tests.arena.seated import (
    ANN_AND_BEN,
    DEALT,
    Watch,
    answer_with,
    begin_journal,
    opened_at,
    read_log,
    seat_people,
    until_quiet,
)
from tests.loops import SetClock, pass_time, run_apart, run_with_set_clock, settle, until
from tests.rules.positions import ORIGINAL

ANN, BEN = ANN_AND_BEN
GREEDY = Seat("bot", "greedy", "greedy", TimeControl(move_ms=10_000))
HASTY = Seat("person", "Ann", "", TimeControl(move_ms=2000))
TIMED = Seat("person", "Ann", "", TimeControl(game_ms=60_000))
SECOND = 1_000_000_000
GONE_ON = (409, "the game has gone on meanwhile: look at it and try again")


async def refused(coming: Awaitable[object]) -> tuple[int, str]:
    """Return the status and the reason of a refusal."""
    with pytest.raises(Refusal) as refusal:
        await coming
    return refusal.value.status, str(refusal.value)


def ask(table: Table, do: str, **more: object) -> Awaitable[dict[str, Any]]:
    """Ask for an action, as a page that shows the current version does."""
    return table.act({"do": do, "version": table.kept.version, **more})


def advance(table: Table) -> Awaitable[dict[str, Any]]:
    """Ask to advance."""
    return ask(table, "play", action="advance")


def entries_of(path: Path) -> list[Any]:
    """Return what a journal has about the game."""
    return read_journal(path)[1:]


@asynccontextmanager
async def timed(path: Path, *seats: Seat) -> AsyncIterator[tuple[Table, Watch]]:
    """Open a table whose clock is set together with that of the loop, by `wait`."""
    watch = Watch()
    async with opened_at(path, seat_people(*seats), now=watch) as table:
        yield table, watch


async def wait(watch: Watch, seconds: float) -> None:
    """Let time pass for the clock of the turn, and for the timers of the loop."""
    watch.ns += round(seconds * SECOND)
    await pass_time(seconds)


def test_action_of_a_person_is_played_with_its_time(tmp_path: Path) -> None:
    """The answer has the new version; the next turn begins with its own time."""

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", TIMED, BEN) as (table, watch):
            table.enter()
            watch.ns = 3 * SECOND + 999
            changed = table.changes()
            assert not changed.is_set()
            assert await advance(table) == {"version": 2}
            assert changed.is_set()
            assert not table.changes().is_set()
            watch.ns += 5 * SECOND
            assert await advance(table) == {"version": 3}
            assert table.game.plies == [
                Ply(0, "advance", 3_000_000),
                Ply(1, "advance", 5_000_000),
            ]

    run_apart(run())


def test_request_that_no_page_sends_is_refused(tmp_path: Path) -> None:
    """Unknown actions, other versions, and actions that the rules forbid are refused."""

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people()) as table:
            for do in ("jump", None, "_play"):
                assert await refused(table.act({"do": do, "version": 1})) == (
                    422,
                    "a page can ask for play, back, resign, retry",
                )
            for version in (0, 2, None, "1"):
                request = {"do": "play", "action": "advance", "version": version}
                assert await refused(table.act(request)) == GONE_ON
            status, reason = await refused(ask(table, "play", action="20:r0:a1"))
            assert (status, reason) == (
                422,
                "'20:r0:a1': patch 20 costs 10 buttons and you have 5",
            )
            status, reason = await refused(ask(table, "play"))
            assert (status, reason.split(":")[0]) == (422, "'None' is not an action")
            assert table.game.plies == []
            # the version is checked before the action
            assert await refused(table.act({"do": "play", "action": "x", "version": 2})) == GONE_ON

    run_apart(run())


def test_last_action_of_a_person_is_taken_back(tmp_path: Path) -> None:
    """Not before the first, and not after the end."""

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people()) as table:
            nothing = (409, "there is nothing to take back")
            assert await refused(ask(table, "back")) == nothing
            await advance(table)
            await advance(table)
            assert await ask(table, "back") == {"version": 4}
            assert [ply.seat for ply in table.game.plies] == [0]
            await ask(table, "back")
            assert await refused(ask(table, "back")) == nothing
            await advance(table)
            await ask(table, "resign", seat=0)
            assert await refused(ask(table, "back")) == (
                409,
                "the game is over: play on from an earlier position instead",
            )

    run_apart(run())


def test_person_resigns_also_in_the_turn_of_the_other(tmp_path: Path) -> None:
    """A bot cannot resign here, and a game that is over cannot be resigned."""

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(GREEDY, BEN)) as table:
            nobody = (422, "only a person can resign")
            for seat in (0, 2, -1, "1", None, 1.0):
                assert await refused(ask(table, "resign", seat=seat)) == nobody
            assert await ask(table, "resign", seat=1) == {"version": 2}
            assert entries_of(tmp_path / "a.jsonl") == [{"end": [1, "resigned", "resigned"]}]
            assert (table.game.winner, table.game.record().verdict) == (0, "resigned")
            over = (409, "the game is over")
            assert await refused(ask(table, "resign", seat=1)) == over
            assert await refused(advance(table)) == over
            assert await refused(table.hint("greedy", 1, 2)) == over
        assert (tmp_path / "a.game").read_text().endswith("result resigned -157 -157 0\n")

    run_apart(run())


def test_bot_answers_each_action_of_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot is asked only while a browser shows the table; it moves again while it is behind."""
    log = tmp_path / "log"
    first, second = [1, "21:r0:a1", 9, 8, "x"], [1, "advance", 7, 6, "y"]
    answer_with(monkeypatch, log, {"ply": first}, {"ply": second})

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(ANN, GREEDY)) as table:
            await advance(table)
            await settle()
            assert not table.is_thinking
            assert await refused(advance(table)) == (409, "it is the turn of greedy")
            table.enter()
            assert table.is_thinking
            assert await refused(table.hint("greedy", 1, 2)) == (409, "it is the turn of greedy")
            await until_quiet(table)
            assert table.game.plies[1:] == [Ply(*first)]
            await advance(table)  # from 1 to 4, in front of the bot on 3
            await until_quiet(table)
            assert table.game.plies[3:] == [Ply(*second)]
            assert table.trouble == ""

    run_apart(run())
    plies = [[0, "advance", 0, 0, ""], first, [0, "advance"]]
    _, earlier, later = read_log(log)
    assert earlier == {"want": "play", "plies": plies[:1]}
    assert [ply[:2] for ply in later["plies"]] == [ply[:2] for ply in plies]


def test_bot_that_is_still_behind_moves_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann has gone 3 spaces; patch 24 takes one, patch 15 four, and then Ann moves."""
    log = tmp_path / "log"
    answers = [{"ply": [1, "24:r0:a1", 1, 1, ""]}, {"ply": [1, "15:r0:e1", 1, 1, ""]}]
    answer_with(monkeypatch, log, {"seated": True}, *answers)
    first = (21, 24, 15)
    circle = first + tuple(patch for patch in DEALT.circle if patch not in first)
    seating = seat_people(ANN, GREEDY)._replace(deal=DEALT._replace(circle=circle))

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seating) as table:
            table.enter()
            await until(lambda: read_log(log)[1:])  # the bots have been seated
            await ask(table, "play", action="21:r0:a1")
            await until_quiet(table)
            assert [(ply.seat, ply.action) for ply in table.game.plies[1:]] == [
                (1, "24:r0:a1"),
                (1, "15:r0:e1"),
            ]

    run_apart(run())


def test_bot_that_fails_loses_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is saved, and the process of the bots ends."""
    answer_with(monkeypatch, tmp_path / "log", {"fault": [0, "crash", "it exited"]})

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(GREEDY, BEN)) as table:
            table.enter()
            await until_quiet(table)
            assert table.game.is_over
            assert not table.bots.is_running
            assert entries_of(tmp_path / "a.jsonl") == [{"end": [0, "crash", "it exited"]}]
        assert (tmp_path / "a.game").read_text().endswith("result crash -157 -157 1\n")

    run_apart(run())


def test_trouble_with_bots_is_shown_until_an_action_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An illegal ply of a bot's process is not played; "try again" asks another process."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log, {"ply": [0, "leather:a1", 1, 1, ""]})

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(GREEDY, BEN)) as table:
            table.enter()
            await until_quiet(table)
            reason = "'leather:a1': there is no special patch to place"
            assert (table.trouble, table.game.plies) == (reason, [])
            assert not table.bots.is_running
            table.enter()
            await settle()
            assert not table.is_thinking  # with a trouble no bot is asked
            answer_with(monkeypatch, log, {"ply": [0, "advance", 1, 1, ""]})
            assert await ask(table, "retry") == {"version": 1}
            assert (table.trouble, table.is_thinking) == ("", True)
            await until_quiet(table)
            assert [ply.action for ply in table.game.plies] == ["advance"]

    run_apart(run())


def test_program_of_bots_that_is_missing_is_a_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is that of the system."""
    monkeypatch.setattr(bots_apart, "_COMMAND", ("/nowhere/bots",))

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(GREEDY, BEN)) as table:
            table.enter()
            changed = table.changes()
            await until_quiet(table)
            assert changed.is_set()
            assert table.trouble == "[Errno 2] No such file or directory: '/nowhere/bots'"

    run_apart(run())


def test_undo_and_resignation_end_the_thinking_of_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer would be for another position."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log)

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(ANN, GREEDY)) as table:
            table.enter()
            await advance(table)
            await until(lambda: len(read_log(log)) >= 2)
            assert await ask(table, "back") == {"version": 3}
            assert (table.is_thinking, table.game.plies) == (False, [])
            await advance(table)
            assert table.is_thinking
            await ask(table, "resign", seat=0)
            assert (table.is_thinking, table.bots.is_running) == (False, False)

    run_apart(run())


def test_hint_is_the_answer_of_the_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint is for the version of the page, and its process ends if no browser is left."""
    log = tmp_path / "log"
    hint = {"hint": "advance", "info": "score 1"}
    answer_with(monkeypatch, log, hint, hint)
    answer = {"hint": "advance", "expects": 1}

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people()) as table:
            table.enter()
            assert await table.hint("greedy", 2000, 1) == answer
            assert table.bots.is_running
            assert await refused(table.hint("greedy", 2000, 2)) == GONE_ON
            answer_with(monkeypatch, log, {"problem": "it is ill"}, hint)
            table.bots.dismiss()
            assert await refused(table.hint("greedy", 2000, 1)) == (503, "no hint: it is ill")
            assert table.bots.is_running
            table.leave()
            assert await table.hint("greedy", 2000, 1) == answer
            assert not table.bots.is_running
            monkeypatch.setattr(bots_apart, "_COMMAND", ("/nowhere/bots",))
            status, reason = await refused(table.hint("greedy", 2000, 1))
            assert (status, reason.split("]")[0]) == (503, "no hint: [Errno 2")

    run_apart(run())
    request = {"want": "hint", "plies": [], "bot": "greedy", "move_ms": 2000}
    assert [line for line in read_log(log) if "want" in line] == [request] * 4


def test_table_sleeps_three_seconds_after_its_last_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its clock stands still, its time is written, and its bots end; they return with a browser."""
    log = tmp_path / "log"
    answer_with(monkeypatch, log)

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", TIMED, GREEDY) as (table, watch):
            clock = table.kept.turn_clock
            table.enter()
            table.enter()
            table.leave()
            await wait(watch, 10)
            assert clock.is_running  # one browser is left
            table.leave()
            await wait(watch, 2)
            table.enter()
            await wait(watch, 10)
            assert clock.is_running  # it has come back in time
            table.leave()
            await wait(watch, 2.9)
            assert clock.is_running
            await wait(watch, 0.1)
            await until(lambda: not table.is_in_use)
            assert not clock.is_running
            assert entries_of(tmp_path / "a.jsonl") == [{"spent": 25_000_000}]
            await wait(watch, 20)
            assert clock.spent_ns == 25 * SECOND
            table.enter()
            await advance(table)
            await until(lambda: len(read_log(log)) >= 2)
            table.leave()
            await wait(watch, 3)
            await until(lambda: not table.is_in_use)
            assert (table.is_thinking, table.bots.is_running) == (False, False)
            table.enter()
            assert table.is_thinking

    run_with_set_clock(run())


def test_person_without_time_loses_when_the_clock_runs_out(tmp_path: Path) -> None:
    """The clock runs only while a browser shows the table."""

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", HASTY, BEN) as (table, watch):
            await wait(watch, 100)
            assert not table.game.is_over
            table.enter()
            await wait(watch, 1.9)
            table.enter()  # the timer is set again, for what is left
            await wait(watch, 0.09)
            assert not table.game.is_over
            await wait(watch, 0.01)
            await until(lambda: table.game.is_over)
            await table.open()  # after what is running
            message = "the turn took 2.0 s, and 2.0 s were left"
            assert entries_of(tmp_path / "a.jsonl") == [{"end": [0, "timeout", message]}]
            assert (tmp_path / "a.game").exists()

    run_with_set_clock(run())


def test_action_that_comes_too_late_loses(tmp_path: Path) -> None:
    """Even if the timer has not fired yet."""

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", HASTY, BEN) as (table, watch):
            table.enter()
            watch.ns = 2 * SECOND - 1
            await advance(table)
            await advance(table)
            watch.ns += 2 * SECOND + 400_000_000
            assert await advance(table) == {"version": 4}
            message = "the turn took 2.4 s, and 2.0 s were left"
            assert entries_of(tmp_path / "a.jsonl")[2:] == [{"end": [0, "timeout", message]}]

    run_apart(run())


def test_timer_that_fires_too_early_ends_no_game(tmp_path: Path) -> None:
    """The clock of the turn decides; the timer is set again for the rest."""

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", HASTY, BEN) as (table, watch):
            table.enter()
            watch.ns = SECOND
            await pass_time(2)
            await table.open()  # after what is running
            assert not table.game.is_over
            watch.ns = 2 * SECOND
            await pass_time(0.9)
            await pass_time(0.1)
            await until(lambda: table.game.is_over)

    run_with_set_clock(run())


def test_time_of_a_bot_is_its_own_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process checks it, so no timer of the table ends the game."""
    answer_with(monkeypatch, tmp_path / "log")

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", GREEDY, BEN) as (table, watch):
            table.enter()
            await wait(watch, 1000)
            await settle()
            assert not table.game.is_over
            assert table.is_thinking

    run_with_set_clock(run())


def test_lateness_that_cannot_be_written_is_a_trouble(tmp_path: Path) -> None:
    """The game stays, and the time does not run out again and again."""

    async def run() -> None:
        async with timed(tmp_path / "a.jsonl", HASTY, BEN) as (table, watch):
            table.enter()
            table.kept.close()
            await wait(watch, 2)
            await until(lambda: table.trouble)
            assert table.trouble == "the journal a.jsonl: it is closed"
            assert not table.game.is_over

    run_with_set_clock(run())


def test_automa_plays_its_cards_at_once(tmp_path: Path) -> None:
    """Also those that were due when the server ended; a browser need not be there."""
    automa = Seat("automa", "automa")
    seating = Seating(ORIGINAL, DEALT, (ANN, automa), (0, 5), Automa("intern"))
    path = tmp_path / "a.jsonl"

    async def run() -> None:
        async with opened_at(path, seating) as table:
            await advance(table)
            assert table.kept.is_turn_of("person")
            assert [ply.seat for ply in table.game.plies][:2] == [0, 1]
            assert await refused(ask(table, "back")) == (
                409,
                "this cannot be taken back: since then, the Automa has turned over a card",
            )
        cut = path.read_bytes().splitlines(keepends=True)[:2]
        path.write_bytes(b"".join(cut))  # without the card
        journal = Journal.open(path)
        table = Table(seating, journal, BotsApart(seating, [], ProcessLimit(1)))
        assert table.kept.is_turn_of("automa")
        await table.open()
        assert table.kept.is_turn_of("person")
        await table.close("the test is over")

    run_apart(run())


def test_game_that_has_ended_is_saved_when_its_table_opens(tmp_path: Path) -> None:
    """The server may have ended between the last ply and the saving."""
    path, seating = tmp_path / "a.jsonl", seat_people()
    journal = begin_journal(path, seating)
    journal.append({"end": [0, "resigned", "resigned"]})
    journal.close()

    async def run() -> None:
        table = Table(seating, Journal.open(path), BotsApart(seating, [], ProcessLimit(1)))
        changed = table.changes()
        await table.open()
        assert changed.is_set()
        assert (tmp_path / "a.game").exists()
        await table.close("the test is over")

    run_apart(run())


def test_game_that_cannot_be_saved_is_a_trouble_that_can_be_retried(tmp_path: Path) -> None:
    """A folder has the name of the record."""
    record = tmp_path / "a.game"
    record.mkdir()

    async def run() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people()) as table:
            await ask(table, "resign", seat=0)
            assert table.game.is_over
            trouble = table.trouble
            record.rmdir()
            await ask(table, "retry")
            assert record.is_file()
            assert trouble == "the game cannot be saved: Is a directory"
            assert table.trouble == ""

    run_apart(run())


def test_closed_table_shows_the_reason_and_has_written_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its timers, its bots and its journal are closed; a closed table refuses every action."""
    answer_with(monkeypatch, tmp_path / "log")
    path = tmp_path / "a.jsonl"

    async def run() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SetClock)
        async with timed(path, TIMED, GREEDY) as (table, watch):
            table.enter()
            watch.ns = 7 * SECOND
            changed = table.changes()
            await table.close("it is late")
            assert changed.is_set()
            assert (table.trouble, table.closed) == ("it is late", "it is late")
            assert entries_of(path) == [{"spent": 7_000_000}]
            assert not table.kept.turn_clock.is_running
            closed = (410, "it is late")
            assert await refused(advance(table)) == closed
            assert await refused(table.hint("greedy", 1, 1)) == closed
            table.leave()
            table.enter()
            assert not table.kept.turn_clock.is_running
            await wait(watch, 100)
            assert entries_of(path) == [{"spent": 7_000_000}]
        other = tmp_path / "other"
        answer_with(monkeypatch, other)
        async with timed(tmp_path / "b.jsonl", GREEDY, BEN) as (table, _):
            table.enter()
            await until(lambda: len(read_log(other)) >= 2)
            await table.close("it is late")
            assert (table.is_thinking, table.bots.is_running) == (False, False)
            assert not table.bots.is_leaving

    run_with_set_clock(run())


def test_timers_of_a_table_that_closes_are_silent(tmp_path: Path) -> None:
    """A table may close while it falls asleep, or while a time runs out: nobody waits for these."""

    async def run() -> None:
        failures: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: failures.append(context))
        async with timed(tmp_path / "a.jsonl", HASTY, BEN) as (table, watch):
            table.enter()
            table.leave()
            watch.ns = 3 * SECOND
            assert isinstance(loop, SetClock)
            loop.now += 3
            await asyncio.sleep(0)  # both timers are due, and fire next
            await asyncio.create_task(table.close("it is late"))
            await settle()
            assert failures == []

    run_with_set_clock(run())
