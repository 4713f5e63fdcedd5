"""A few places for many guests: each waits for its turn, and idle guests leave for others."""

import asyncio

import pytest

from pwtourney.arena.play.process_limit import ProcessLimit
from tests.loops import run_apart, settle


class Visitor:
    """A guest whose state a test sets; it leaves as soon as it is dismissed."""

    def __init__(self) -> None:
        self.is_idle = False
        self.is_leaving = False

    def dismiss(self) -> None:
        """Begin to leave; the test gives the place back."""
        self.is_idle, self.is_leaving = False, True


def wait(places: ProcessLimit, *guests: Visitor) -> list[asyncio.Task[None]]:
    """Let guests wait for a place, in this order."""
    return [asyncio.create_task(places.wait(guest)) for guest in guests]


def test_place_is_taken_only_if_one_is_free_and_nobody_waits() -> None:
    """Two places take two guests; a guest that comes later does not pass one that waits."""
    first, second, third, fourth = (Visitor() for _ in range(4))

    async def run() -> None:
        places = ProcessLimit(2)
        assert places.count == 2
        assert [places.take(guest) for guest in (first, second, third)] == [True, True, False]
        (waiting,) = wait(places, third)
        await settle()
        assert not waiting.done()
        places.give(first)
        assert not places.take(fourth)  # the place belongs to the third, which has not resumed yet
        await waiting
        assert not places.take(fourth)
        places.give(third)
        assert places.take(fourth)
        with pytest.raises(ValueError, match="not in list"):
            places.give(third)

    run_apart(run())


def test_waiting_guests_get_places_in_the_order_in_which_they_came() -> None:
    """One place goes from guest to guest."""
    guests = [Visitor() for _ in range(4)]

    async def run() -> None:
        places = ProcessLimit(1)
        assert places.take(guests[0])
        waiting = wait(places, *guests[1:])
        for number in range(3):
            await settle()
            assert [task.done() for task in waiting] == [index < number for index in range(3)]
            places.give(guests[number])
        await asyncio.gather(*waiting)

    run_apart(run())


def test_as_many_idle_guests_are_dismissed_as_wait() -> None:
    """The first idle ones leave; those that are leaving already count."""
    busy, *idle = (Visitor() for _ in range(4))

    async def run() -> None:
        places = ProcessLimit(4)
        assert all(places.take(guest) for guest in (busy, *idle))
        for guest in idle:
            guest.is_idle = True
        places.look()
        assert not any(guest.is_leaving for guest in idle)  # nobody waits
        (first,) = wait(places, Visitor())
        await settle()
        assert [guest.is_leaving for guest in (busy, *idle)] == [False, True, False, False]
        places.look()  # one is leaving for the one that waits
        assert [guest.is_leaving for guest in idle] == [True, False, False]
        (second,) = wait(places, Visitor())
        await settle()
        assert [guest.is_leaving for guest in idle] == [True, True, False]
        idle[0].is_leaving = False
        places.give(idle[0])
        await settle()
        assert (first.done(), second.done()) == (True, False)
        assert not idle[2].is_leaving
        second.cancel()

    run_apart(run())


def test_guest_that_stops_waiting_leaves_the_others_in_their_order() -> None:
    """No guest is dismissed for it, and no place is given to it."""
    holder, guest_a, guest_b, guest_c = (Visitor() for _ in range(4))

    async def run() -> None:
        places = ProcessLimit(1)
        assert places.take(holder)
        first, second, third = wait(places, guest_a, guest_b, guest_c)
        await settle()
        second.cancel()
        await asyncio.wait((second,))
        places.give(holder)
        await settle()
        assert (first.done(), third.done()) == (True, False)
        third.cancel()
        await asyncio.wait((third,))
        guest_a.is_idle = True
        places.look()
        assert not guest_a.is_leaving  # nobody waits any more
        places.give(guest_a)
        assert places.take(guest_b)

    run_apart(run())
