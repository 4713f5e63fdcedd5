"""A shared answer is computed once, and cancelled with its last waiter."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor

from pwtourney.arena.analyse.shared_answer import SharedAnswer


class Seeker:
    """A computation that counts how often it began and ended."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.begun = self.ended = 0

    async def seek(self) -> str:
        """Return the answer when it is set."""
        self.begun += 1
        try:
            return await self.answer
        finally:
            await asyncio.sleep(0)  # ending a process takes some time as well
            self.ended += 1


def run(play: Coroutine[None, None, None]) -> None:
    """Run a coroutine in a thread, because this thread may have a browser's event loop already."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, play).result(30)


async def begin_three(shared: SharedAnswer[str]) -> list[asyncio.Task[str]]:
    """Start three waiters."""
    waiting = [asyncio.create_task(shared.wait()) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)
    return waiting


def test_answer_is_computed_once_for_all_waiters() -> None:
    """A waiter that leaves early does not affect the others."""

    async def play() -> None:
        seeker = Seeker()
        shared = SharedAnswer(seeker.seek())
        first, *others = await begin_three(shared)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        assert (seeker.begun, seeker.ended, shared.is_over) == (1, 0, False)
        seeker.answer.set_result("yes")
        assert await asyncio.gather(*others) == ["yes", "yes"]
        assert seeker.begun == seeker.ended == 1

    run(play())


def test_computation_ends_with_its_last_waiter() -> None:
    """When the last waiter has left, the computation has ended, and no one can join."""

    async def play() -> None:
        seeker = Seeker()
        shared = SharedAnswer(seeker.seek())
        waiting = await begin_three(shared)
        for waiter in waiting:
            waiter.cancel()
        left = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in left)
        assert (seeker.begun, seeker.ended, shared.is_over) == (1, 1, True)

    run(play())


def test_error_is_the_same_for_all_waiters() -> None:
    """It is raised where the answer is awaited."""

    async def play() -> None:
        seeker = Seeker()
        waiting = await begin_three(SharedAnswer(seeker.seek()))
        problem = ValueError("no")
        seeker.answer.set_exception(problem)
        assert await asyncio.gather(*waiting, return_exceptions=True) == [problem] * 3

    run(play())
