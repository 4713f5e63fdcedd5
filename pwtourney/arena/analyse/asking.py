"""Running analyses: start an examiner for each bot, keep its events, pass them on, and end it.

Each bot has an examiner process of its own (`pwtourney.arena.analyse.examiner`). An analysis that
no page follows ends within seconds, together with its bots.
"""

import asyncio
import json
import pickle
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pwtourney.arena.analyse.examiner import COMMAND, Request
from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.piped_process import end_child, start_child

__all__ = ["MOST_ANALYSES", "MOST_BOTS", "Analyses", "Analysis", "Listener", "NumberedEvent"]

MOST_ANALYSES = 4
"""The most analyses that run at a time."""

_MOST_ASIDE = 2
"""The most bots that are asked for their options at a time."""

MOST_BOTS = 4
"""The most bots in one analysis."""

_UNWATCHED_SECONDS = 3.0
"""An analysis ends after this time without a follower."""

_STOP_SECONDS = 3.0
"""The time that an examiner has to report the answer of a bot that it stops."""

_END_SECONDS = 4.0
"""The time that an examiner has to end its bot and itself."""

_MOST_KEPT = 2000
"""The number of latest events that are kept for a page that reconnects."""

_LONGEST_LINE = 1 << 20
"""The most bytes in a line of an examiner; the longest line has all plies of the longest game."""


class NumberedEvent(NamedTuple):
    """An event of an examiner: its number from 1, and its data with the number of the bot."""

    number: int
    data: dict[str, Any]


Listener = Callable[[dict[str, Any]], Awaitable[None]]
"""A coroutine function that is called with the data of each event."""


class Analysis:
    """An analysis: one or more bots that answer the same question at once.

    `is_over` is True when all bots have answered, failed or been ended. `hear` is called with the
    data of each event, before pages see it.
    """

    def __init__(self, requests: Sequence[Request], hear: Listener | None = None) -> None:
        self._hear = hear
        self.requests = requests
        self.id = secrets.token_urlsafe(12)
        self.is_over = False
        self._events: deque[NumberedEvent] = deque(maxlen=_MOST_KEPT)
        self._count = 0
        self._news = asyncio.Condition()
        self._readers = 0
        self._left = asyncio.get_running_loop().time()
        self._cancelled: set[asyncio.Task[None]] = set()
        self._stopping: asyncio.Task[None] | None = None
        self._endless: dict[int, asyncio.StreamWriter] = {}
        """The inputs of examiners whose bots think endlessly, by the number of the bot."""
        self._examiners = [
            asyncio.create_task(self._ask(bot, request)) for bot, request in enumerate(requests)
        ]
        self._task = asyncio.create_task(self._run())

    async def follow(self, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        """Yield the events after number `after`, then new ones as they come, until the end.

        Close the generator to stop following.
        """
        self._readers += 1
        try:
            while True:
                for event in [event for event in self._events if event.number > after]:
                    after = event.number
                    yield event
                if self.is_over and after >= self._count:
                    return
                async with self._news:
                    while self._count <= after and not self.is_over:
                        await self._news.wait()
        finally:
            self._readers -= 1
            self._left = asyncio.get_running_loop().time()

    @property
    def is_left(self) -> bool:
        """True if nobody has followed it for 3 seconds."""
        since = asyncio.get_running_loop().time() - self._left
        return not self._readers and since > _UNWATCHED_SECONDS

    async def stop(self) -> None:
        """End the analysis as `close` does, but let bots answer that think endlessly."""
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop())
        # asyncio.wait does not cancel the task if this request is cancelled
        await asyncio.wait((self._stopping,))

    async def _stop(self) -> None:
        for examiner in self._endless.values():
            examiner.close()
        answering = [self._examiners[bot] for bot in self._endless]
        self._cancel(task for task in self._examiners if task not in answering)
        if answering:
            await asyncio.wait(answering, timeout=_STOP_SECONDS)
        await self.close()

    async def close(self) -> None:
        """End the analysis, and wait until all of its processes have ended."""
        self._cancel(self._examiners)
        await asyncio.wait((self._task,))

    def _cancel(self, tasks: Iterable[asyncio.Task[None]]) -> None:
        """Cancel examiners; further calls do nothing."""
        for task in tasks:
            # a second cancel would interrupt the wait for a process that is ending
            if task not in self._cancelled:
                self._cancelled.add(task)
                task.cancel()

    async def collect(self) -> list[dict[str, Any]]:
        """Wait until the analysis ends, and return all events."""
        return [event.data async for event in self.follow()]

    @property
    def is_ending(self) -> bool:
        """True if it is over, or its bots are being ended."""
        return self.is_over or bool(self._cancelled)

    async def wait(self) -> None:
        """Wait until the analysis is over, without following it."""
        await asyncio.wait((self._task,))

    async def _run(self) -> None:
        """Wait until all examiners have ended; cancel them when nobody follows the analysis."""
        pending = set(self._examiners)
        while pending:
            _, pending = await asyncio.wait(pending, timeout=_UNWATCHED_SECONDS / 4)
            if self.is_left:
                self._cancel(self._examiners)
        await asyncio.gather(*self._examiners, return_exceptions=True)
        self.is_over = True
        async with self._news:
            self._news.notify_all()

    async def _ask(self, bot: int, request: Request) -> None:
        """Run one examiner, and store its events."""
        process = await start_child(COMMAND, _LONGEST_LINE)
        assert process.stdin is not None, "it was asked for"
        assert process.stdout is not None, "it was asked for"
        ended = False
        try:
            process.stdin.write(pickle.dumps(request))
            with suppress(ConnectionError):
                await process.stdin.drain()
            if request.endless:
                self._endless[bot] = process.stdin
            async for line in process.stdout:
                data = json.loads(line)
                ended = ended or data["kind"] == "end"
                await self._note({"bot": bot} | data)
            if not ended and self._stopping is None:
                await self._note({"bot": bot, "kind": "fault", "text": "its examiner has died"})
                await self._note({"bot": bot, "kind": "end"})
        finally:
            await asyncio.shield(end_child(process, _END_SECONDS))

    async def _note(self, data: dict[str, Any]) -> None:
        if self._hear is not None:
            await self._hear(data)
        self._count += 1
        self._events.append(NumberedEvent(self._count, data))
        async with self._news:
            self._news.notify_all()


class Analyses:
    """All analyses of an arena: at most `MOST_ANALYSES` at a time, and one that nobody asked for.

    A page asks for that one by itself, at the end of a game.
    """

    def __init__(self) -> None:
        self._known: dict[str, Analysis] = {}
        self._unasked: Analysis | None = None
        self._unasked_turn = asyncio.Lock()
        self._aside = asyncio.Semaphore(_MOST_ASIDE)

    def begin(self, requests: Sequence[Request], hear: Listener | None = None) -> Analysis:
        """Start an analysis; raise `Refusal` (429) if too many run.

        `hear` is called with the data of each event.
        """
        running = [analysis for analysis in self._known.values() if not analysis.is_over]
        if len([other for other in running if other is not self._unasked]) >= MOST_ANALYSES:
            raise Refusal(
                429,
                f"{MOST_ANALYSES} analyses are running, which is the most at a time; stop one, or"
                " wait until it ends",
            )
        return self._begin(requests, hear)

    async def begin_unasked(
        self, requests: Sequence[Request], hear: Listener | None = None
    ) -> Analysis:
        """Start an analysis that nobody asked for, as soon as the last such one is over.

        If that one has the same requests, return it: another tab shows the same game.
        """
        async with self._unasked_turn:
            last = self._unasked
            if last is not None:
                if last.requests == requests and not last.is_ending:
                    return last
                await last.wait()
            self._unasked = self._begin(requests, hear)
            return self._unasked

    def _begin(self, requests: Sequence[Request], hear: Listener | None) -> Analysis:
        """Start an analysis, and forget those that nobody will follow any more."""
        self._known = {
            key: other
            for key, other in self._known.items()
            if not (other.is_over and other.is_left)
        }
        analysis = Analysis(requests, hear)
        self._known[analysis.id] = analysis
        return analysis

    async def ask_aside(self, request: Request) -> list[dict[str, Any]]:
        """Return the events of a short question, which does not count as an analysis."""
        async with self._aside:
            analysis = Analysis([request])
            try:
                return await analysis.collect()
            finally:
                await analysis.close()

    def find(self, key: str) -> Analysis | None:
        """Return an analysis that runs or has recently ended, None if there is none."""
        return self._known.get(key)

    async def close(self) -> None:
        """End all analyses."""
        closings = [analysis.close() for analysis in self._known.values()]
        await asyncio.gather(*closings)
