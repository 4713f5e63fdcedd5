"""The bots of one table as the server sees them: a process of their own, asked through a pipe."""

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pwtourney.arena.child import end_child, start_child
from pwtourney.arena.seating import Seating, dump_seating
from pwtourney.errors import PwtourneyError
from pwtourney.notation.game import Ply

__all__ = ["BotsApart", "BotsProblem"]

_COMMAND = (sys.executable, "-P", "-m", "pwtourney.arena.bots_inside")
_MOST_LINE = 1 << 20
_GRACE_SECONDS = 3.0
"""How long the process may take to end its bots before it is killed, and they with it."""


class BotsProblem(PwtourneyError):
    """The bots of a table cannot be asked, through no fault of theirs in the game."""


class BotsApart:
    """A process with the bots of a table; it is started with the first request.

    One request at a time; others wait. `close` ends the process and with it what is under way,
    whose request then raises `BotsProblem`.
    """

    def __init__(self, seating: Seating, private: Sequence[Path]) -> None:
        self._first = {"seating": dump_seating(seating), "private": [str(path) for path in private]}
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return self._turn.locked()

    async def play(self, plies: Sequence[Ply]) -> dict[str, Any]:
        """Let the bot whose turn it is play: ``ply``, or ``fault`` with seat, verdict, message."""
        return await self._ask({"want": "play", "plies": plies})

    async def hint(self, plies: Sequence[Ply], bot: str, move_ms: int) -> dict[str, Any]:
        """Ask what a bot would play: ``hint`` and ``info``."""
        return await self._ask({"want": "hint", "plies": plies, "bot": bot, "move_ms": move_ms})

    async def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        async with self._turn:
            process = self._process or await self._start()
            assert process.stdin is not None, "it was asked for"
            assert process.stdout is not None, "it was asked for"
            line = b""
            with suppress(ConnectionError):
                process.stdin.write(f"{json.dumps(request)}\n".encode())
                await process.stdin.drain()
                line = await process.stdout.readline()
            if not line:
                if self._process is process:
                    await self.close()
                raise BotsProblem("the process of the bots has ended")
            answer: dict[str, Any] = json.loads(line)
            if "problem" in answer:
                raise BotsProblem(answer["problem"])
            return answer

    async def _start(self) -> asyncio.subprocess.Process:
        process = self._process = await start_child(_COMMAND, _MOST_LINE)
        assert process.stdin is not None, "it was asked for"
        process.stdin.write(f"{json.dumps(self._first)}\n".encode())
        return process

    async def close(self) -> None:
        """End the process and its bots, if there is one, and wait until they are gone."""
        process, self._process = self._process, None
        if process is not None:
            await end_child(process, _GRACE_SECONDS)
