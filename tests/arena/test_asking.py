"""Analyses that are closed while they are being closed."""

import asyncio
from pathlib import Path

import pytest

from pwtourney.arena.analyse.asking import MOST_ANALYSES, Analyses
from pwtourney.arena.analyse.examiner import Request
from pwtourney.clock import TimeControl
from pwtourney.rules import State, find_edition
from tests.loops import run_apart

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
    """Its readers end when its bot has ended, and another analysis can take its place."""
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
        async for told in analysis.follow():
            if told.data["kind"] == "begin":
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
        await asyncio.gather(*(each.close() for each in others))
        assert all(each.is_over for each in others)

    run_apart(run())
