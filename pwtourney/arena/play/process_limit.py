"""A fair semaphore for bot processes: a waiter gets the place of an idle process."""

import asyncio
from collections import deque
from typing import Protocol

__all__ = ["Guest", "ProcessLimit"]


class Guest(Protocol):
    """The holder of a place."""

    @property
    def is_idle(self) -> bool:
        """True if it can be dismissed without loss."""

    @property
    def is_leaving(self) -> bool:
        """True if it is ending and will give its place back."""

    def dismiss(self) -> None:
        """Start to end it; it gives its place back when it has ended."""


class ProcessLimit:
    """A fixed number of places, given to waiting guests in the order of their requests.

    Idle guests are dismissed if others wait. Call `look` whenever a guest has become idle. Use an
    object in one event loop only.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._held: list[Guest] = []
        self._waiting: deque[tuple[Guest, asyncio.Future[None]]] = deque()

    @property
    def has_room(self) -> bool:
        """True if a place is free and nobody waits."""
        return not self._waiting and len(self._held) < self.count

    def take(self, guest: Guest) -> bool:
        """Take a place if there is room; return True if it was taken."""
        if not self.has_room:
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
                self._waiting = deque(waiter for waiter in self._waiting if waiter[1] is not coming)
            else:  # the place was given before the cancellation arrived
                self.give(guest)
            raise

    def give(self, guest: Guest) -> None:
        """Give back the place of a guest."""
        self._held.remove(guest)
        self.look()

    def look(self) -> None:
        """Assign free places to waiting guests, and dismiss idle guests for the remaining ones."""
        while self._waiting and len(self._held) < self.count:
            guest, coming = self._waiting.popleft()
            if not coming.cancelled():
                self._held.append(guest)
                coming.set_result(None)
        missing = len(self._waiting) - sum(guest.is_leaving for guest in self._held)
        for guest in [holder for holder in self._held if holder.is_idle][: max(0, missing)]:
            guest.dismiss()
