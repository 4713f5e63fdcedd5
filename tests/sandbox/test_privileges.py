"""User numbers for the bots of root."""

import sys
import time

import pytest

from pwtourney.sandbox.privileges import LeasedUid

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")


def test_no_two_bots_have_one_number_until_it_is_given_back() -> None:
    """Fifty at once differ, all from a range that is nobody else's; later they come again."""
    leased = [LeasedUid() for _ in range(50)]
    numbers = {each.number for each in leased}
    assert len(numbers) == 50
    assert all(60578 <= number <= 61183 for number in numbers)
    for each in leased:
        each.release()
    again: set[int] = set()
    end = time.monotonic() + 20
    while (
        not again >= numbers and time.monotonic() < end
    ):  # other runs here may hold some meanwhile
        user = LeasedUid()
        again.add(user.number)
        user.release()
    assert again >= numbers
