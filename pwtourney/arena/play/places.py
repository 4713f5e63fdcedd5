"""The places for processes of bots, of which there are few: who finds none waits for one."""

import asyncio
from collections import deque
from typing import Protocol

__all__ = ["Guest", "Places"]


class Guest(Protocol):
    """What takes a place."""

    @property
    def is_idle(self) -> bool:
        """Whether it could be sent away without loss."""

    @property
    def is_leaving(self) -> bool:
        """Whether it is going to give its place back."""

    def dismiss(self) -> None:
        """Send it away: it gives its place back when it has gone."""


class Places:
    """So many places. Those who wait get one in turn; a guest that is idle makes room for them.

    `look` is to be called whenever a guest has become idle. All in one event loop.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._held: list[Guest] = []
        self._waiting: deque[tuple[Guest, asyncio.Future[None]]] = deque()

    def take(self, guest: Guest) -> bool:
        """Take a place if there is one that nobody waits for; tell whether it was taken."""
        if self._waiting or len(self._held) >= self.count:
            return False
        self._held.append(guest)
        return True

    async def wait(self, guest: Guest) -> None:
        """Wait for a place and take it."""
        coming = asyncio.get_running_loop().create_future()
        self._waiting.append((guest, coming))
        self.look()
        try:
            await coming
        except asyncio.CancelledError:
            if coming.cancelled():
                self._waiting = deque(each for each in self._waiting if each[1] is not coming)
            else:  # it was given in the same moment
                self.give(guest)
            raise

    def give(self, guest: Guest) -> None:
        """Give back the place of a guest."""
        self._held.remove(guest)
        self.look()

    def look(self) -> None:
        """Give out places that are free, and send idle guests away for those who still wait."""
        while self._waiting and len(self._held) < self.count:
            guest, coming = self._waiting.popleft()
            if not coming.cancelled():
                self._held.append(guest)
                coming.set_result(None)
        missing = len(self._waiting) - sum(guest.is_leaving for guest in self._held)
        for guest in [each for each in self._held if each.is_idle][: max(0, missing)]:
            guest.dismiss()
