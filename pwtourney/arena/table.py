"""A table: a game of people, bots and the Automa, kept ply by ply.

Whatever happens is written to the journal first, and shown only then. So a server that is killed at
any moment has shown nothing that it does not find again.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pwtourney.arena.bots_apart import BotsApart, BotsProblem
from pwtourney.arena.journal import Entry, Journal
from pwtourney.arena.refusal import Refusal
from pwtourney.arena.seating import Seating
from pwtourney.arena.table_game import TableGame
from pwtourney.arena.turn_clock import TurnClock
from pwtourney.errors import BotFault, IllegalActionError, NotationError, PwtourneyError, StoreError
from pwtourney.human.game import describe_lateness
from pwtourney.notation import read_action
from pwtourney.notation.game import Ply, Verdict
from pwtourney.notation.record import record_text
from pwtourney.report.files import write_whole

__all__ = ["Table", "record_path"]

_LONELY_SECONDS = 3.0
"""How long bots stay, and clocks run on, when no browser looks at a table."""

_GONE_ON = "the game has gone on meanwhile: look at it and try again"


def record_path(journal: Path) -> Path:
    """Return where the game of a journal is saved when it has ended."""
    return journal.with_suffix(".game")


class Table:
    """One table that is open: its game, its journal, its bots, and how many look at it.

    `admit` lets its bots start, or says in a `Refusal` why they cannot now. All methods are to be
    called in one event loop; `open` first, and `close` last.
    """

    def __init__(
        self,
        seating: Seating,
        journal: Journal,
        bots: BotsApart,
        admit: "Callable[[Table], Coroutine[Any, Any, None]]",
        now: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.seating = seating
        self.game = TableGame(seating)
        self.bots = bots
        self.clock = TurnClock(now)
        self.trouble = ""
        self.version = len(journal.entries)
        self._journal = journal
        self._admit = admit
        self._viewers = 0
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._driver: asyncio.Task[None] | None = None
        self._lonely: asyncio.TimerHandle | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        for number, entry in enumerate(journal.entries[1:], 2):
            try:
                self._replay(entry)
            except (PwtourneyError, TypeError, ValueError, LookupError) as error:
                raise StoreError(f"{journal.path}, line {number}: {error}") from error

    @property
    def is_thinking(self) -> bool:
        """Whether a bot has been asked and owes an answer."""
        return self._driver is not None and not self._driver.done()

    @property
    def is_watched(self) -> bool:
        """Whether a browser looks at it."""
        return self._viewers > 0

    async def open(self) -> None:
        """Do what was due when the server ended: cards of the Automa, saving the game."""
        async with self._lock:
            await self._settle()

    async def close(self) -> None:
        """End the bots and let go of the journal."""
        async with self._lock:
            await self._rest()
            self._journal.close()

    # Browsers.

    def enter(self) -> None:
        """Count a browser that looks from now on: time passes, and bots think."""
        self._viewers += 1
        if self._lonely is not None:
            self._lonely.cancel()
            self._lonely = None
        self.clock.run()
        self._watch_limit()
        self._wake()

    def leave(self) -> None:
        """Count a browser no longer. When the last has gone, the table falls asleep in a moment."""
        self._viewers -= 1
        if not self._viewers:
            loop = asyncio.get_running_loop()
            self._lonely = loop.call_later(_LONELY_SECONDS, self._start, self._sleep)

    def changes(self) -> asyncio.Event:
        """Return what is set when there is something newer to be shown than now."""
        return self._changed

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _start(self, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something of our own, which nobody waits for."""
        task = asyncio.get_running_loop().create_task(function())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sleep(self) -> None:
        async with self._lock:
            if not self._viewers:
                await self._rest()

    async def _rest(self) -> None:
        """Send the bots away, and note how much of a person's time is gone."""
        await self._stop_bots()
        self.clock.pause()
        self._watch_limit()
        # each time that a page is left is not worth a line: only where time is limited
        if self._limit_ns() is not None and self._is_turn_of("person"):
            with suppress(Refusal):
                await self._write({"spent": self.clock.spent_ns // 1000})

    # What people do, one thing at a time.

    async def act(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Do what a person wants; raises `Refusal` if it cannot be done.

        ``do`` is one of ``play`` with an ``action``, ``back``, ``resign`` with a ``seat``, and
        ``retry``; ``version`` is what the page showed.
        """
        actions = {
            "play": self._play,
            "back": self._take_back,
            "resign": self._resign,
            "retry": self._retry,
        }
        act = actions.get(str(asked.get("do")))
        if act is None:
            raise Refusal(422, f"a page can ask for {', '.join(actions)}")
        async with self._lock:
            # a second click, or another tab: what it meant is about a position that is gone
            if asked.get("version") != self.version:
                raise Refusal(409, _GONE_ON)
            try:
                await act(asked)
            finally:  # what was refused may have sent bots away all the same
                await self._settle()
                self._wake()
        return {"version": self.version}

    async def hint(self, bot: str, move_ms: int, version: int) -> dict[str, Any]:
        """Ask a bot what it would play in place of the person to move; raises `Refusal`."""
        self._find_person()
        await self._admit(self)
        try:
            answer = await self.bots.hint(list(self.game.plies), bot, move_ms)
        except (BotsProblem, OSError) as error:
            raise Refusal(503, f"no hint: {error}") from error
        if version != self.version:
            raise Refusal(409, _GONE_ON)
        return answer

    async def _play(self, asked: Mapping[str, Any]) -> None:
        seat = self._find_person()
        try:
            read_action(str(asked.get("action")), self.game.state)
        except (IllegalActionError, NotationError) as error:
            raise Refusal(422, str(error)) from error
        spent, limit = self.clock.spent_ns, self._limit_ns()
        if limit is not None and spent > limit:
            await self._lose_on_time()
        else:
            await self._commit(Ply(seat, str(asked["action"]), spent // 1000))

    async def _take_back(self, _: Mapping[str, Any]) -> None:
        if self.game.is_over:
            raise Refusal(409, "the game is over: play on from an earlier position instead")
        if problem := self.game.undo_problem:
            raise Refusal(409, problem)
        await self._stop_bots()
        await self._write({"back": self.game.undo_count})
        self.game.take_back()
        self.clock.begin()

    async def _resign(self, asked: Mapping[str, Any]) -> None:
        seat = asked.get("seat")
        if self.game.is_over:
            raise Refusal(409, "the game is over")
        if not isinstance(seat, int) or seat not in self.seating.people:
            raise Refusal(422, "only a person can resign")
        await self._stop_bots()
        await self._end(seat, BotFault(Verdict.RESIGNED, "resigned"))

    async def _retry(self, _: Mapping[str, Any]) -> None:
        self.trouble = ""

    def _find_person(self) -> int:
        """Return the seat to move, which must be a person's; raises `Refusal`."""
        if self.game.is_over:
            raise Refusal(409, "the game is over")
        if not self._is_turn_of("person"):
            name = self.seating.seats[self.game.state.to_move].name
            raise Refusal(409, f"it is the turn of {name}")
        return self.game.state.to_move

    def _is_turn_of(self, kind: str) -> bool:
        return not self.game.is_over and self.seating.seats[self.game.state.to_move].kind == kind

    # What happens then.

    async def _commit(self, ply: Ply) -> None:
        """Write a ply that was judged, and play it."""
        await self._write({"ply": list(ply)})
        self.game.follow(ply)
        self.clock.begin()

    async def _end(self, seat: int, fault: BotFault) -> None:
        """Write that a seat has lost, and end the game."""
        await self._write({"end": [seat, fault.verdict, str(fault)]})
        self.game.lose(seat, fault)
        self.clock.begin()

    async def _write(self, entry: Entry) -> None:
        """Write an entry; raises `Refusal` if that cannot be done: then nothing has happened."""
        try:
            await asyncio.to_thread(self._journal.append, entry)
        except OSError as error:
            raise Refusal(507, f"the game cannot be written: {error.strerror}") from error
        except StoreError as error:
            raise Refusal(507, str(error)) from error
        self.version += 1

    def _replay(self, entry: Entry) -> None:
        """Do once more what an entry of the journal says."""
        match entry:
            case {"ply": [int(seat), str(action), int(micros), int(cpu), str(info)]}:
                self.game.follow(Ply(seat, action, micros, cpu, info))
                self.clock.begin()
            case {"back": int(count)}:
                if self.game.undo_problem or self.game.undo_count != count:
                    raise NotationError("this cannot have been taken back")
                self.game.take_back()
                self.clock.begin()
            case {"end": [int(seat), str(verdict), str(message)]}:
                self.game.lose(seat, BotFault(Verdict(verdict), message))
            case {"spent": int(micros)}:
                self.clock.begin(1000 * micros)
            case _:
                raise NotationError("this is no entry of a table")

    async def _settle(self) -> None:
        """Let the Automa play, save a game that has ended, and show what is new."""
        try:
            while self._is_turn_of("automa"):
                await self._commit(self.game.draw_card())
            if self.game.is_over:
                await self.bots.close()
                await asyncio.to_thread(self._save)
        except Refusal as refusal:
            self.trouble = str(refusal)
        self._watch_limit()
        self._tell()

    def _save(self) -> None:
        """Save the game in our notation."""
        text = record_text(self.game.game(), self.seating.edition)
        try:
            write_whole(record_path(self._journal.path), text)
        except StoreError as error:
            raise Refusal(507, f"the game cannot be saved: {error}") from error

    # Bots and clocks.

    def _wake(self) -> None:
        """Ask the bot whose turn it is, if somebody looks."""
        if self._is_turn_of("bot") and self._viewers and not self.trouble and not self.is_thinking:
            self._driver = asyncio.get_running_loop().create_task(self._drive())

    async def _drive(self) -> None:
        """Ask for plies as long as it is the turn of a bot."""
        try:
            while self._is_turn_of("bot"):
                await self._admit(self)
                answer = await self.bots.play(list(self.game.plies))
                async with self._lock:
                    await self._take(answer)
                    await self._settle()
        except (PwtourneyError, OSError) as error:
            self.trouble = str(error)
            self._tell()

    async def _take(self, answer: Mapping[str, Any]) -> None:
        """Play what a bot has answered."""
        if "fault" in answer:
            seat, verdict, message = answer["fault"]
            await self._end(seat, BotFault(Verdict(verdict), message))
        else:
            ply = Ply(*answer["ply"])
            read_action(ply.action, self.game.state)
            await self._commit(ply)

    async def _stop_bots(self) -> None:
        """Send the bots away: one that is thinking owes an answer that nobody wants any more."""
        driver, self._driver = self._driver, None
        if driver is not None and not driver.done():
            driver.cancel()
            with suppress(asyncio.CancelledError):
                await driver
            await self.bots.close()
        elif not self._viewers:
            await self.bots.close()

    def _limit_ns(self) -> int | None:
        """Return how long whoever is to move may take in all; None without a limit."""
        return None if self.game.is_over else self.game.allowance(self.game.state.to_move)

    def _watch_limit(self) -> None:
        """See to it that a person who does not play in time loses; bots are judged by their own."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        limit = self._limit_ns()
        if limit is not None and self.clock.is_running and self._is_turn_of("person"):
            left = max(0.0, (limit - self.clock.spent_ns) / 1e9)
            loop = asyncio.get_running_loop()
            self._limit = loop.call_later(left, self._start, self._run_out)

    async def _run_out(self) -> None:
        async with self._lock:
            limit = self._limit_ns()
            # it may have been played in the last moment
            if limit is None or not self._is_turn_of("person") or self.clock.spent_ns < limit:
                return
            with suppress(Refusal):
                await self._lose_on_time()
            await self._settle()

    async def _lose_on_time(self) -> None:
        limit = self._limit_ns()
        assert limit is not None, "there is a limit"
        late = describe_lateness(max(self.clock.spent_ns, limit), limit)
        await self._end(self.game.state.to_move, BotFault(Verdict.TIMEOUT, late))
