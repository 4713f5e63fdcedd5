"""The server's side of the process that runs the bots of one table, connected by pipes."""

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.arena.piped_process import end_child, start_child
from pwtourney.arena.play.process_limit import ProcessLimit
from pwtourney.arena.play.seating import Seating, dump_seating
from pwtourney.errors import BotFault, PwtourneyError
from pwtourney.notation.game import Ply, Verdict

__all__ = ["BotsApart", "BotsProblem", "Loss"]

_COMMAND = (sys.executable, "-P", "-m", "pwtourney.arena.play.bots_inside")
_MOST_LINE = 1 << 20
_GRACE_SECONDS = 3.0
"""The time that the process has to end its bots before it is killed together with them."""

_PATIENCE_SECONDS = 5.0
"""The time that a hint waits for a place: more than a leaving process takes (`_GRACE_SECONDS`)."""


class BotsProblem(PwtourneyError):
    """Raised if the bots of a table cannot be asked; no bot loses the game for it."""


class Loss(NamedTuple):
    """The loss of a game by the fault of a bot."""

    seat: int
    fault: BotFault


class BotsApart:
    """The process with the bots of a table, started by the first request.

    The process holds one of the `places` as long as it lives. It answers one request at a time;
    others wait. A request raises `BotsProblem` if the process ends before it answers.
    """

    def __init__(self, seating: Seating, private: Sequence[Path], places: ProcessLimit) -> None:
        self._first = {"seating": dump_seating(seating), "private": [str(path) for path in private]}
        self._places = places
        self._child: asyncio.Task[Process] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._is_closed = False
        self.waiting = ""
        """Why the bots wait for a place, empty if they do not wait."""

    @property
    def is_running(self) -> bool:
        """True if there is a process that can answer requests."""
        return self._child is not None

    @property
    def is_idle(self) -> bool:
        """True if there is a process and no request waits for its answer.

        An idle process can be dismissed without loss, because each request has the whole game.
        """
        return self.is_running and not self._turn.locked()

    @property
    def is_leaving(self) -> bool:
        """True if a process was dismissed and has not ended yet."""
        return self._ending is not None and not self._ending.done()

    async def sit(self) -> None:
        """Start the process and its bots before it is the turn of any, if a place is free.

        Raises `BotsProblem` if a bot cannot be found, and `OSError` if the process cannot start.
        """
        if self._places.has_room:
            await self._ask({"want": "sit", "plies": []}, _ignore, 0)

    async def play(self, plies: Sequence[Ply], tell: Callable[[], None]) -> Ply | Loss:
        """Return the ply of the bot to move, or its loss; call `tell` when `waiting` changes.

        Raises `BotsProblem` if the bots cannot be asked, and `OSError` if the process cannot start.
        """
        answer = await self._ask({"want": "play", "plies": plies}, tell)
        match answer:
            case {"ply": [int(seat), str(action), int(micros), int(cpu), str(info)]}:
                return Ply(seat, action, micros, cpu, info)
            case {"fault": [int(seat), str(verdict), str(message)]} if verdict in set(Verdict):
                return Loss(seat, BotFault(Verdict(verdict), message))
        raise _nonsense(answer)

    async def hint(self, plies: Sequence[Ply], bot: str, move_ms: int) -> dict[str, Any]:
        """Return what a bot would play within `move_ms`, as ``hint`` and ``info``.

        Raises `BotsProblem` if the bot cannot be asked or no place is free within 5 seconds.
        """
        request = {"want": "hint", "plies": plies, "bot": bot, "move_ms": move_ms}
        answer = await self._ask(request, _ignore, _PATIENCE_SECONDS)
        match answer:
            case {"hint": str(hint), "info": str(info)}:
                return {"hint": hint, "info": info}
        raise _nonsense(answer)

    def dismiss(self) -> None:
        """Start to end the process, if there is one; the next request waits until it has ended."""
        child, self._child = self._child, None
        if child is not None:
            self._ending = asyncio.get_running_loop().create_task(self._end(child))

    async def close(self) -> None:
        """End the process and its bots, and wait until they have ended."""
        self._is_closed = True
        self.dismiss()
        if self._ending is not None:
            await asyncio.shield(self._ending)

    async def _ask(
        self, request: Mapping[str, Any], tell: Callable[[], None], patience: float | None = None
    ) -> object:
        try:
            async with self._turn:
                child = self._child or await self._start(tell, patience)
                line = b""
                try:
                    line = await _exchange(await asyncio.shield(child), request)
                finally:
                    # the process has died, or its late answer would be read as the next one
                    if not line and self._child is child:
                        self.dismiss()
        finally:
            self._places.look()
        if not line:
            raise BotsProblem("the process of the bots has ended")
        try:
            answer = json.loads(line)
        except ValueError as error:
            raise _nonsense(line) from error
        if isinstance(answer, dict) and "problem" in answer:
            raise BotsProblem(str(answer["problem"]))
        return answer

    async def _start(
        self, tell: Callable[[], None], patience: float | None
    ) -> asyncio.Task[Process]:
        """Start a process as soon as a place is free.

        Raises `BotsProblem` after `patience` seconds (None waits without limit), or if the table
        is closed.
        """
        if self._ending is not None:
            await asyncio.shield(self._ending)
        if not self._places.take(self):
            full = f"bots run at {self._places.count} other tables, which is the most at a time"
            self.waiting = f"{full}: the game goes on as soon as there is a place"
            tell()
            try:
                async with asyncio.timeout(patience):
                    await self._places.wait(self)
            except TimeoutError as error:
                raise BotsProblem(f"{full}: try again later") from error
            finally:
                self.waiting = ""
                tell()
        if self._is_closed:
            self._places.give(self)
            raise BotsProblem("the table is closed")
        self._child = asyncio.get_running_loop().create_task(self._launch())
        return self._child

    async def _launch(self) -> Process:
        process = await start_child(_COMMAND, _MOST_LINE)
        assert process.stdin is not None, "it was asked for"
        process.stdin.write(f"{json.dumps(self._first)}\n".encode())
        return process

    async def _end(self, child: asyncio.Task[Process]) -> None:
        try:
            with suppress(OSError):  # the start failed, and `_ask` has raised the error
                await end_child(await child, _GRACE_SECONDS)
        finally:
            self._places.give(self)


async def _exchange(process: Process, request: Mapping[str, Any]) -> bytes:
    """Send a request and return the line of the answer, empty if the process gives none."""
    assert process.stdin is not None, "it was asked for"
    assert process.stdout is not None, "it was asked for"
    try:
        process.stdin.write(f"{json.dumps(request)}\n".encode())
        await process.stdin.drain()
        return await process.stdout.readline()
    except (ConnectionError, ValueError):  # the process has ended, or the line exceeds 1 MiB
        return b""


def _nonsense(answer: object) -> BotsProblem:
    return BotsProblem(f"the process of the bots has answered {str(answer)[:80]!a}")


def _ignore() -> None:
    """Do nothing: pages do not show that a hint waits."""
