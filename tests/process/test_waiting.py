"""Whose accounts of waits are read when, by instants that are made up."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

from pwtourney.process.process_tree import ProcessTree
from pwtourney.process.waiting import Waiting

MS = 1_000_000


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    """Return the waits of a process that is always ready, for a minute at most."""
    burn = "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
    command = [sys.executable, "-S", "-c", burn]
    with subprocess.Popen(command, start_new_session=True) as process:
        tree = ProcessTree(process.pid)
        with closing(Waiting(tree)) as waits:
            yield waits
        tree.forget()
        process.kill()


def test_an_account_serves_for_turns_that_follow_at_once(waiting: Waiting) -> None:
    """For a quarter of a millisecond, which begins when it is read and not with every turn."""
    read = []
    for instant in (0, 100_000, 200_000, 300_000, 400_000, MS):
        waiting.begin(MS + instant, is_short=False)
        read.append(waiting._read_at - MS)
    assert read == [0, 0, 0, 300_000, 300_000, MS]


def test_a_short_turn_has_an_account_of_its_own(waiting: Waiting) -> None:
    """Of a few milliseconds the exact ones count."""
    for instant in (MS, MS + 1000, MS + 2000):
        waiting.begin(instant, is_short=True)
        assert waiting._read_at == instant


def test_with_an_older_account_a_wait_goes_on_from_the_first_look(waiting: Waiting) -> None:
    """The bot may have run since it was read: only what is seen in this turn is known."""
    for instant in (MS, MS + 1000):
        waiting.begin(instant, is_short=False)
    waiting.until(6 * MS)
    assert waiting._watched[waiting._first].since == 6 * MS
