"""A table: a game of people, bots and the Automa, with its viewers, actions and clocks."""

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
from pwtourney.notation.info import parse_score

__all__ = ["Table"]

_LONELY_SECONDS = 3.0
"""The time that bots stay and clocks run after the last browser has left a table."""

_GONE_ON = "the game has gone on meanwhile: look at it and try again"


class Table:
    """An open table: its game, its bots and the number of its viewers.

    Call all methods in one event loop, `open` first and `close` last. Changes of the game hold a
    lock and run one at a time. After each change, the clock runs if a browser shows the table, and
    a bot is asked if it is its turn.
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
        """The reason why the table is closed, empty while it is open."""
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
        """The current game, for reading only; change it through `kept`, which writes first."""
        return self.kept.game

    @property
    def is_thinking(self) -> bool:
        """True if a bot has been asked and has not answered yet."""
        return self._driver is not None and not self._driver.done()

    @property
    def is_in_use(self) -> bool:
        """True if a browser shows the table, or a change is running."""
        return self._viewers > 0 or self._lock.locked()

    @property
    def trouble(self) -> str:
        """Why the game does not continue although no person is to move, empty without trouble."""
        return self.closed or self._trouble or self.bots.waiting

    async def open(self) -> None:
        """Do what was pending when the server ended: the Automa's cards, and saving the game."""
        async with self._change():
            pass

    async def close(self, why: str) -> None:
        """End the bots and close the journal; pages show the reason `why`."""
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
        """Add a viewer; the clock runs and bots think from now on."""
        self._viewers += 1
        if self._lonely is not None:
            self._lonely.cancel()
            self._lonely = None
        self._attend()

    def leave(self) -> None:
        """Remove a viewer; the table goes to sleep 3 seconds after the last one has left."""
        self._viewers -= 1
        if not self._viewers and not self.closed:
            loop = asyncio.get_running_loop()
            self._lonely = loop.call_later(self.lonely_seconds, self._start, self._sleep)

    def changes(self) -> asyncio.Event:
        """Return an event that is set at the next change that pages show."""
        return self._changed

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def _start(self, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a coroutine as a background task."""
        task = asyncio.get_running_loop().create_task(function())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _sleep(self) -> None:
        """Pause the clock, dismiss the bots, and write how much time a person has used."""
        with suppress(Refusal):
            async with self._change():
                if self._viewers:
                    return
                # before the first await: a browser may enter during it and start the clock again
                self.kept.turn_clock.pause()
                await self._stop_driver()
                self.bots.dismiss()
                await self.kept.note_spent()

    # Actions of people, one at a time.

    @asynccontextmanager
    async def _change(self) -> AsyncIterator[None]:
        """Hold the lock of the table in a block; then show the news and resume clock and bots.

        Raises `Refusal` if the table is closed.
        """
        try:
            async with self._lock:
                self._require_open()
                try:
                    yield
                finally:  # a refused action may have stopped a bot before it failed
                    await self._settle()
        finally:
            self._attend()

    def _require_open(self) -> None:
        if self.closed:
            raise Refusal(410, self.closed)

    async def act(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out an action of a person; raise `Refusal` if it cannot be done.

        ``do`` is ``play`` with an ``action``, ``back``, ``resign`` with a ``seat``, or ``retry``.
        ``version`` is the version that the page showed.
        """
        actions = {
            "play": self._play,
            "back": self._take_back,
            "resign": self._resign,
            "retry": self._retry,
        }
        act = actions.get(str(request.get("do")))
        if act is None:
            raise Refusal(422, f"a page can ask for {', '.join(actions)}")
        async with self._change():
            # a second click, or another tab: the action was meant for an earlier position
            if request.get("version") != self.kept.version:
                raise Refusal(409, _GONE_ON)
            await act(request)
            self._trouble = ""  # every successful action also retries
        return {"version": self.kept.version}

    async def hint(self, bot: str, move_ms: int, version: int) -> dict[str, Any]:
        """Return what a bot would play for the person to move, as ``hint``.

        ``expects`` is the margin that it expects then, from the view of the person, null if it says
        none. Raises `Refusal` if it cannot play.
        """
        self._require_open()
        self._find_person()
        try:
            answer = await self.bots.hint(list(self.game.plies), bot, move_ms)
        except (BotsProblem, OSError) as error:
            raise Refusal(503, f"no hint: {error}") from error
        finally:
            if not self._viewers:  # `_sleep` may have run before the process started
                self.bots.dismiss()
        if version != self.kept.version:
            raise Refusal(409, _GONE_ON)
        return {"hint": answer["hint"], "expects": parse_score(answer["info"])}

    async def _play(self, request: Mapping[str, Any]) -> None:
        ply = Ply(self._find_person(), str(request.get("action")))
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

    async def _resign(self, request: Mapping[str, Any]) -> None:
        seat = request.get("seat")
        if self.game.is_over:
            raise Refusal(409, "the game is over")
        if not isinstance(seat, int) or seat not in self.seating.people:
            raise Refusal(422, "only a person can resign")
        await self._stop_driver()
        await self.kept.commit_end(seat, BotFault(Verdict.RESIGNED, "resigned"))

    async def _retry(self, _: Mapping[str, Any]) -> None:
        """Do nothing: `_change` asks the bot again, and `_settle` saves the game again."""

    def _find_person(self) -> int:
        """Return the seat of the person to move; raise `Refusal` if no person is to move."""
        if self.game.is_over:
            raise Refusal(409, "the game is over")
        if not self.kept.is_turn_of("person"):
            name = self.seating.seats[self.game.state.to_move].name
            raise Refusal(409, f"it is the turn of {name}")
        return self.game.state.to_move

    # Reactions to changes: the Automa, bots and clocks.

    async def _settle(self) -> None:
        """Let the Automa play, save a finished game, and notify the pages."""
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
        """Bring the clock, its timer and the bots in line with the state.

        Called after each change, and when a browser comes. During a change no bot is asked:
        `_change` calls this again at its end.
        """
        if self.closed:
            return
        if self._viewers:
            self.kept.turn_clock.run()
        if self._lock.locked():
            return
        self._watch_limit()
        if not self._viewers or self._trouble or self.is_thinking:
            return
        if self.kept.is_turn_of("bot"):
            self._driver = asyncio.get_running_loop().create_task(self._drive())
        elif self.seating.bots and not self.game.is_over and not self.bots.is_running:
            self._start(self._seat_bots)

    async def _seat_bots(self) -> None:
        """Start the bots while a person thinks; their turn reports what fails here."""
        with suppress(BotsProblem, OSError):
            await self.bots.sit()
        if not self._viewers:  # `_sleep` may have run before the process started
            self.bots.dismiss()

    async def _drive(self) -> None:
        """Ask bots for plies and commit them while a bot is to move."""
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
            self.bots.dismiss()  # their game may have a ply that was not committed
            self._tell()

    async def _stop_driver(self) -> None:
        """Cancel the task that waits for a bot, and wait until it has ended."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.cancel()
            await asyncio.wait((driver,))

    def _watch_limit(self) -> None:
        """Set the timer after which a person loses on time; bots have their own time check."""
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
                    return  # the person has played just before the timer
                try:
                    await self.kept.commit_lateness()
                except Refusal as refusal:
                    self._trouble = str(refusal)
