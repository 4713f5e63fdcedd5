"""An answer that several wait for: sought once, and given up with the last who waits."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor

from pwtourney.arena.analyse.shared_answer import SharedAnswer


class Seeker:
    """Something that is sought, and what has happened to it."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.begun = self.ended = 0

    async def seek(self) -> str:
        """Return the answer when it is there."""
        self.begun += 1
        try:
            return await self.answer
        finally:
            await asyncio.sleep(0)  # as the end of a process it takes some time
            self.ended += 1


def run(play: Coroutine[None, None, None]) -> None:
    """Run to the end, in a thread: the one of the tests may have a loop already, of a browser's."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(asyncio.run, play).result(30)


async def begin_three(shared: SharedAnswer[str]) -> list[asyncio.Task[str]]:
    """Begin to wait three times."""
    waiting = [asyncio.create_task(shared.wait()) for _ in range(3)]
    for _ in range(5):
        await asyncio.sleep(0)
    return waiting


def test_it_is_sought_once_for_all_who_wait() -> None:
    """A waiter that leaves early takes nothing from the others."""

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


def test_with_the_last_who_waits_it_ends() -> None:
    """When the last has gone, what sought the answer has ended, and it is too late to join."""

    async def play() -> None:
        seeker = Seeker()
        shared = SharedAnswer(seeker.seek())
        waiting = await begin_three(shared)
        for each in waiting:
            each.cancel()
        left = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) for each in left)
        assert (seeker.begun, seeker.ended, shared.is_over) == (1, 1, True)

    run(play())


def test_a_problem_is_the_same_for_all() -> None:
    """It is raised where the answer is awaited."""

    async def play() -> None:
        seeker = Seeker()
        waiting = await begin_three(SharedAnswer(seeker.seek()))
        problem = ValueError("no")
        seeker.answer.set_exception(problem)
        assert await asyncio.gather(*waiting, return_exceptions=True) == [problem] * 3

    run(play())
