"""User numbers for the bots of root."""

import sys

import pytest

from pwtourney.process.users import LentUser

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")


def test_no_two_bots_have_one_number_until_it_is_given_back() -> None:
    """Fifty at once differ, all from a range that is nobody else's; later they come again."""
    lent = [LentUser() for _ in range(50)]
    numbers = {each.number for each in lent}
    assert len(numbers) == 50
    assert all(60578 <= number <= 61183 for number in numbers)
    for each in lent:
        each.give_back()
    again = []
    for _ in range(606):
        user = LentUser()
        again.append(user.number)
        user.give_back()
    assert set(again) >= numbers
