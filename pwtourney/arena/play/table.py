"""A table: a game of people, bots and the Automa; who looks at it, what they do, what follows."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.bots_apart import BotsApart, BotsProblem, Loss
from pwtourney.arena.play.journal import Journal
from pwtourney.arena.play.kept_game import KeptGame
from pwtourney.arena.play.seating import Seating
from pwtourney.errors import BotFault, IllegalActionError, NotationError, PwtourneyError
from pwtourney.match import PlayedGame
from pwtourney.notation.game import Ply, Verdict

__all__ = ["Table"]

_LONELY_SECONDS = 3.0
"""How long bots stay, and clocks run on, when no browser looks at a table."""

_GONE_ON = "the game has gone on meanwhile: look at it and try again"


class Table:
    """One table that is open: its game, its bots, and how many look at it.

    All methods are to be called in one event loop; `open` first, and `close` last. What changes the
    game has the table to itself until it is done. After that, clock and bots run or stand still as
    it is their turn and somebody looks.
    """

    lonely_seconds = _LONELY_SECONDS

    def __init__(
        self,
        seating: Seating,
        journal: Journal,
        bots: BotsApart,
        now: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.seating = seating
        self.kept = KeptGame(seating, journal, now)
        self.bots = bots
        self.closed = ""
        """Why nothing can be done here any more; empty as long as it is open."""
        self._trouble = ""
        self._viewers = 0
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._driver: asyncio.Task[None] | None = None
        self._lonely: asyncio.TimerHandle | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def game(self) -> PlayedGame:
        """The game as it stands, for reading; it is changed through `kept`, which writes first."""
        return self.kept.game

    @property
    def is_thinking(self) -> bool:
        """Whether a bot has been asked and owes an answer."""
        return self._driver is not None and not self._driver.done()

    @property
    def is_in_use(self) -> bool:
        """Whether a browser looks at it, or something is being done."""
        return self._viewers > 0 or self._lock.locked()

    @property
    def trouble(self) -> str:
        """Why the game does not go on, though nobody waits for a person; empty if it does."""
        return self.closed or self._trouble or self.bots.waiting

    async def open(self) -> None:
        """Do what was due when the server ended: cards of the Automa, saving the game."""
        async with self._change():
            pass

    async def close(self, why: str) -> None:
        """End the bots and let go of the journal, for a reason that pages show."""
        self.closed = why
        async with self._lock:
            for timer in (self._lonely, self._limit):
                if timer is not None:
                    timer.cancel()
            await self._stop_driver()
            self.kept.turn_clock.pause()
            with suppress(Refusal):
                await self.kept.note_spent()
            await self.bots.close()
            self.kept.close()
        self._tell()

    # Browsers.

    def enter(self) -> None:
        """Count a browser that looks from now on: time passes, and bots think."""
        self._viewers += 1
        if self._lonely is not None:
            self._lonely.cancel()
            self._lonely = None
        self._attend()

    def leave(self) -> None:
        """Count a browser no longer. When the last has gone, the table falls asleep in a moment."""
        self._viewers -= 1
        if not self._viewers and not self.closed:
            loop = asyncio.get_running_loop()
            self._lonely = loop.call_later(self.lonely_seconds, self._start, self._sleep)

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
        """Send the bots away, and note how much of a person's time is gone."""
        with suppress(Refusal):
            async with self._change():
                if self._viewers:
                    return
                # before anything is waited for: a browser may come meanwhile, and let it run
                self.kept.turn_clock.pause()
                await self._stop_driver()
                self.bots.dismiss()
                await self.kept.note_spent()

    # What people do, one thing at a time.

    @asynccontextmanager
    async def _change(self) -> AsyncIterator[None]:
        """Have the table to oneself; then show what is new and let clock and bots go on from there.

        Raises `Refusal` if the table is closed.
        """
        try:
            async with self._lock:
                self._require_open()
                try:
                    yield
                finally:  # what was refused may have stopped a bot all the same
                    await self._settle()
        finally:
            self._attend()

    def _require_open(self) -> None:
        if self.closed:
            raise Refusal(410, self.closed)

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
        async with self._change():
            # a second click, or another tab: what it meant is about a position that is gone
            if asked.get("version") != self.kept.version:
                raise Refusal(409, _GONE_ON)
            await act(asked)
            self._trouble = ""  # what has been done is another try
        return {"version": self.kept.version}

    async def hint(self, bot: str, move_ms: int, version: int) -> dict[str, Any]:
        """Ask a bot what it would play in place of the person to move; raises `Refusal`."""
        self._require_open()
        self._find_person()
        try:
            answer = await self.bots.hint(list(self.game.plies), bot, move_ms)
        except (BotsProblem, OSError) as error:
            raise Refusal(503, f"no hint: {error}") from error
        finally:
            if not self._viewers:  # the page has gone meanwhile, and nobody else sends it away
                self.bots.dismiss()
        if version != self.kept.version:
            raise Refusal(409, _GONE_ON)
        return answer

    async def _play(self, asked: Mapping[str, Any]) -> None:
        ply = Ply(self._find_person(), str(asked.get("action")))
        try:
            self.game.check(ply)
        except (IllegalActionError, NotationError) as error:
            raise Refusal(422, str(error)) from error
        if self.kept.is_late:
            await self.kept.commit_lateness()
        else:
            await self.kept.commit(ply._replace(micros=self.kept.turn_clock.spent_ns // 1000))

    async def _take_back(self, _: Mapping[str, Any]) -> None:
        if self.game.is_over:
            raise Refusal(409, "the game is over: play on from an earlier position instead")
        if problem := self.game.undo_problem:
            raise Refusal(409, problem)
        await self._stop_driver()
        await self.kept.commit_back()

    async def _resign(self, asked: Mapping[str, Any]) -> None:
        seat = asked.get("seat")
        if self.game.is_over:
            raise Refusal(409, "the game is over")
        if not isinstance(seat, int) or seat not in self.seating.people:
            raise Refusal(422, "only a person can resign")
        await self._stop_driver()
        await self.kept.commit_end(seat, BotFault(Verdict.RESIGNED, "resigned"))

    async def _retry(self, _: Mapping[str, Any]) -> None:
        """Do nothing but go on."""

    def _find_person(self) -> int:
        """Return the seat to move, which must be a person's; raises `Refusal`."""
        if self.game.is_over:
            raise Refusal(409, "the game is over")
        if not self.kept.is_turn_of("person"):
            name = self.seating.seats[self.game.state.to_move].name
            raise Refusal(409, f"it is the turn of {name}")
        return self.game.state.to_move

    # What happens then.

    async def _settle(self) -> None:
        """Let the Automa play, save a game that has ended, and show what is new."""
        try:
            while self.kept.is_turn_of("automa"):
                await self.kept.commit(self.game.draw_card())
            if self.game.is_over:
                self.bots.dismiss()
                await self.kept.save()
        except Refusal as refusal:
            self._trouble = str(refusal)
        self._tell()

    def _attend(self) -> None:
        """Let the clock run and ask the bot whose turn it is, if somebody looks.

        While something is being done nothing is begun: this is done once more when it is over.
        """
        if self.closed:
            return
        if self._viewers:
            self.kept.turn_clock.run()
        if self._lock.locked():
            return
        self._watch_limit()
        may_ask = self._viewers and not self._trouble and not self.is_thinking
        if may_ask and self.kept.is_turn_of("bot"):
            self._driver = asyncio.get_running_loop().create_task(self._drive())

    async def _drive(self) -> None:
        """Ask for plies as long as it is the turn of a bot."""
        try:
            while self.kept.is_turn_of("bot"):
                version = self.kept.version
                answer = await self.bots.play(list(self.game.plies), self._tell)
                async with self._change():
                    if version != self.kept.version:
                        continue
                    if isinstance(answer, Loss):
                        await self.kept.commit_end(*answer)
                    else:
                        await self.kept.commit(answer)
        except (PwtourneyError, OSError) as error:
            self._trouble = str(error)
            self.bots.dismiss()  # what they have played was not, or it was nothing
            self._tell()

    async def _stop_driver(self) -> None:
        """Want no answer any more from a bot that is thinking."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.cancel()
            await asyncio.wait((driver,))

    def _watch_limit(self) -> None:
        """See to it that a person who does not play in time loses; bots are judged by their own."""
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        clock, limit = self.kept.turn_clock, self.kept.limit_ns
        if self._trouble or not clock.is_running:
            return
        if limit is not None and self.kept.is_turn_of("person"):
            left = max(0.0, (limit - clock.spent_ns) / 1e9)
            loop = asyncio.get_running_loop()
            self._limit = loop.call_later(left, self._start, self._run_out)

    async def _run_out(self) -> None:
        with suppress(Refusal):
            async with self._change():
                if not self.kept.is_late:
                    return  # it has been played in the last moment
                try:
                    await self.kept.commit_lateness()
                except Refusal as refusal:
                    self._trouble = str(refusal)
