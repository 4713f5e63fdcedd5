"""Analyses: their events, their number, and their end."""

import asyncio
import os
import pickle
from contextlib import aclosing
from pathlib import Path

import pytest

from pwtourney.arena.analyse import asking
from pwtourney.arena.analyse.asking import MOST_ANALYSES, Analyses, Analysis
from pwtourney.arena.analyse.examiner import Request
from pwtourney.arena.http.refusal import Refusal
from pwtourney.clock import TimeControl
from pwtourney.rules import State, find_edition
from tests.loops import run_apart
from tests.rules.positions import ORIGINAL, START

STUBBORN = """\
import signal, time
from pwtourney.sdk import Action, Bot, Turn


class Stubborn(Bot):
    name = "Stubborn"

    def choose(self, turn: Turn) -> Action:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
        raise AssertionError
"""


@pytest.mark.slow(5)
def test_analysis_that_is_closed_twice_is_over(tmp_path: Path) -> None:
    """The readers end when the bot has ended, and another analysis can take its place."""
    tmp_path.chmod(0o755)
    bot = tmp_path / "stubborn.py"
    bot.write_text(STUBBORN)
    edition = find_edition("original")
    request = Request(
        str(bot), edition, TimeControl(move_ms=600_000), state=State.start(edition, 81)
    )

    async def run() -> None:
        analyses = Analyses()
        analysis = analyses.begin([request])
        reader = asyncio.create_task(analysis.collect())
        async for event in analysis.follow():
            if event.data["kind"] == "begin":
                break
        first = asyncio.create_task(analysis.close())
        while not first.done():
            second = asyncio.create_task(analysis.close())
            third = asyncio.create_task(analysis.close())
            await asyncio.sleep(0.01)
            third.cancel()  # a page that no longer waits
            await asyncio.wait((third,))
        await second
        assert analysis.is_over
        assert (await reader)[-1]["kind"] in ("begin", "info", "note")
        others = [analyses.begin([request]) for _ in range(MOST_ANALYSES)]
        closings = [other.close() for other in others]
        await asyncio.gather(*closings)
        assert all(other.is_over for other in others)

    run_apart(run())


BOT = Request("wren", ORIGINAL, state=START)
BEGIN = """echo '{"kind": "begin"}'"""
END = """echo '{"kind": "end"}'"""
UNTIL_CLOSED = f"{BEGIN}; cat > /dev/null; {END}"
"""Waits until its input is closed, as an examiner does when nobody wants its answer."""


def examine(script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shell script write the lines of each examiner; starting a bot takes longer."""
    monkeypatch.setattr(asking, "COMMAND", ("/bin/sh", "-c", script))


class Clock:
    """Seconds of the event loop, which stand still until a test sets them."""

    def __init__(self) -> None:
        self.now = 1000.0
        asyncio.get_running_loop().time = lambda: self.now  # type: ignore[method-assign]


async def wait_until_over(analysis: Analysis) -> None:
    """Wait until an analysis has ended, without following it."""
    await asyncio.wait((analysis._task,))


def test_request_is_sent_to_the_examiner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request is pickled, and the events of the examiner come back with their numbers."""
    examine(f"dd bs=65536 count=1 of={tmp_path}/request 2>/dev/null; {BEGIN}; {END}", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([BOT])
        assert not analysis.is_over
        assert [tuple(event) async for event in analysis.follow()] == [
            (1, {"bot": 0, "kind": "begin"}),
            (2, {"bot": 0, "kind": "end"}),
        ]
        assert analysis.is_over

    run_apart(run())
    assert pickle.loads((tmp_path / "request").read_bytes()) == BOT


def test_events_of_several_bots_are_numbered_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events have the number of their bot; a page that reconnects gets those after its last one."""
    examine(f"{BEGIN}; {END}", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([BOT, BOT])
        events = await analysis.collect()
        for bot in (0, 1):
            assert [event["kind"] for event in events if event["bot"] == bot] == ["begin", "end"]
        assert len(events) == 4
        late = [event async for event in analysis.follow(2)]
        assert [event.number for event in late] == [3, 4]
        assert [event.data for event in late] == events[2:]
        assert [event async for event in analysis.follow(4)] == []
        assert [event async for event in analysis.follow(9)] == []

    run_apart(run())


def test_examiner_that_dies_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page would wait for an answer forever; the other bots answer."""
    examine(f"{BEGIN}; exit 3", monkeypatch)

    async def run() -> None:
        assert await Analyses().begin([BOT]).collect() == [
            {"bot": 0, "kind": "begin"},
            {"bot": 0, "kind": "fault", "text": "its examiner has died"},
            {"bot": 0, "kind": "end"},
        ]

    run_apart(run())


def test_unasked_analyses_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unasked analyses take no place of those that somebody asked for."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        analyses = Analyses()
        first = await analyses.begin_unasked([BOT])
        waiting = asyncio.create_task(analyses.begin_unasked([BOT, BOT]))
        others = [analyses.begin([BOT]) for _ in range(MOST_ANALYSES)]
        with pytest.raises(Refusal):
            analyses.begin([BOT])
        assert not waiting.done()
        await first.close()
        second = await waiting
        assert second.requests == [BOT, BOT]
        assert not second.is_over
        await analyses.close()
        assert all(analysis.is_over for analysis in (*others, second))

    run_apart(run())


def test_unasked_analysis_is_shared_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tabs that show one game follow one analysis; one that is ending has no answer."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        analyses = Analyses()
        first = await analyses.begin_unasked([BOT])
        assert await analyses.begin_unasked([BOT]) is first
        ending = asyncio.create_task(first.close())
        await asyncio.sleep(0)
        second = await analyses.begin_unasked([BOT])
        assert second is not first
        assert first.is_over
        await ending
        await analyses.close()

    run_apart(run())


def test_lines_of_an_examiner_may_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """All plies of a long game are one line, longer than the 64 KiB that asyncio reads."""
    text = "head -c 200000 /dev/zero | tr '\\0' x"
    examine(f"""printf '{{"kind": "end", "text": "'; {text}; echo '"}}'""", monkeypatch)

    async def run() -> None:
        (event,) = await Analyses().begin([BOT]).collect()
        assert event["text"] == "x" * 200_000

    run_apart(run())


def test_latest_two_thousand_events_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that comes later gets these events, whose numbers count all."""
    examine(f"""yes '{{"kind": "info"}}' | head -n 2004; {END}""", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([BOT])
        await wait_until_over(analysis)
        numbers = [event.number async for event in analysis.follow()]
        assert numbers == list(range(6, 2006))

    run_apart(run())


def test_closed_analysis_ends_its_followers_and_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A closed analysis has no fault and no answer."""
    examine(f"echo $$ > {tmp_path}/pid; {UNTIL_CLOSED}", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([BOT])
        async with aclosing(analysis.follow()) as events:
            assert (await anext(events)).data == {"bot": 0, "kind": "begin"}
            follower = asyncio.create_task(analysis.collect())
            await analysis.close()
            assert analysis.is_over
            assert [event.data async for event in events] == []
        assert await follower == [{"bot": 0, "kind": "begin"}]
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)

    run_apart(run())


def test_analysis_without_a_follower_ends_after_three_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The seconds count from the beginning, and then from when the last follower leaves."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        clock = Clock()
        analysis = Analyses().begin([BOT])
        clock.now = 1003.0
        assert not analysis.is_left
        clock.now = 1003.125
        assert analysis.is_left
        async with aclosing(analysis.follow()) as events, aclosing(analysis.follow()) as others:
            await anext(events)
            await anext(others)
            clock.now = 1010.0
            assert not analysis.is_left
            await events.aclose()
            clock.now = 1020.0
            assert not analysis.is_left
        assert not analysis.is_left
        clock.now = 1023.0
        assert not analysis.is_left
        assert not analysis.is_over
        clock.now = 1023.125
        assert analysis.is_left
        await wait_until_over(analysis)
        assert [event.data async for event in analysis.follow()] == [{"bot": 0, "kind": "begin"}]

    run_apart(run())


def test_four_analyses_run_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ended analysis leaves its place, and can be found as long as a page may follow it."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        clock = Clock()
        analyses = Analyses()
        first, *others = [analyses.begin([BOT]) for _ in range(4)]
        assert len({analysis.id for analysis in (first, *others)}) == 4
        assert [analyses.find(analysis.id) for analysis in (first, *others)] == [first, *others]
        assert analyses.find("nothing") is None
        with pytest.raises(Refusal) as refusal:
            analyses.begin([BOT])
        assert refusal.value.status == 429
        assert str(refusal.value) == (
            "4 analyses are running, which is the most at a time; stop one, or wait until it ends"
        )
        await first.close()
        assert analyses.find(first.id) is first
        clock.now = 1003.0
        fifth = analyses.begin([BOT])
        assert analyses.find(first.id) is first
        await fifth.close()
        clock.now = 1003.125
        sixth = analyses.begin([BOT])
        assert analyses.find(first.id) is None
        assert analyses.find(fifth.id) is fifth
        assert analyses.find(others[0].id) is others[0]
        # the end of the server ends all of them
        await analyses.close()
        assert all(analysis.is_over for analysis in (*others, sixth))

    run_apart(run())


def test_short_question_is_no_analysis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question is asked although four analyses run; its process ends with the page that asks."""
    examine(UNTIL_CLOSED, monkeypatch)

    async def run() -> None:
        analyses = Analyses()
        for _ in range(MOST_ANALYSES):
            analyses.begin([BOT])
        examine(f"{BEGIN}; {END}", monkeypatch)
        assert await analyses.ask_aside(BOT) == [
            {"bot": 0, "kind": "begin"},
            {"bot": 0, "kind": "end"},
        ]
        os.mkfifo(tmp_path / "pid")
        examine(f"echo $$ > {tmp_path}/pid; {UNTIL_CLOSED}", monkeypatch)
        question = asyncio.create_task(analyses.ask_aside(BOT))
        pid = int(await asyncio.to_thread((tmp_path / "pid").read_text))
        question.cancel()
        await asyncio.wait((question,))
        assert question.cancelled()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        await analyses.close()

    run_apart(run())


ENDLESS = BOT._replace(endless=True)
ANSWER = """echo '{"kind": "answer", "action": "advance"}'"""


def list_kinds(events: list[dict[str, object]], bot: int) -> list[object]:
    """Return the kinds of the events about a bot."""
    return [event["kind"] for event in events if event["bot"] == bot]


def test_stopped_bots_that_think_endlessly_answer_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other bots end without an answer; followers get all events before the end."""
    examine(f"{BEGIN}; cat > /dev/null; {ANSWER}; {END}", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([ENDLESS, BOT])
        async with aclosing(analysis.follow()) as events:
            assert {(await anext(events)).data["kind"] for _ in range(2)} == {"begin"}
            follower = asyncio.create_task(analysis.collect())
            await asyncio.gather(*(analysis.stop() for _ in range(3)))
        assert analysis.is_over
        history = await follower
        assert list_kinds(history, 0) == ["begin", "answer", "end"]
        assert list_kinds(history, 1) == ["begin"]

    run_apart(run())


def test_stopped_examiner_that_ends_without_an_answer_is_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bot did not know how to stop, or had not begun."""
    examine(f"{BEGIN}; cat > /dev/null; exit 1", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([ENDLESS])
        async with aclosing(analysis.follow()) as events:
            await anext(events)
            await analysis.stop()
        assert list_kinds(await analysis.collect(), 0) == ["begin"]

    run_apart(run())


def test_examiner_that_does_not_stop_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page that stops it waits no longer than for others."""
    monkeypatch.setattr(asking, "_STOP_SECONDS", 0.05)
    monkeypatch.setattr(asking, "_END_SECONDS", 0.05)
    examine(f"echo $$ > {tmp_path}/pid; {BEGIN}; exec sleep 60", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([ENDLESS])
        async with aclosing(analysis.follow()) as events:
            await anext(events)
            await analysis.stop()
        assert analysis.is_over
        with pytest.raises(ProcessLookupError):
            os.kill(int((tmp_path / "pid").read_text()), 0)

    run_apart(run())


def test_stop_goes_on_when_its_page_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is kept for other followers, and for a page that reconnects."""
    examine(f"{BEGIN}; cat > /dev/null; {ANSWER}; {END}", monkeypatch)

    async def run() -> None:
        analysis = Analyses().begin([ENDLESS])
        async with aclosing(analysis.follow()) as events:
            await anext(events)
            page = asyncio.create_task(analysis.stop())
            await asyncio.sleep(0)
            page.cancel()
            await asyncio.wait((page,))
            assert list_kinds(await analysis.collect(), 0) == ["begin", "answer", "end"]

    run_apart(run())
