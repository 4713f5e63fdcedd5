"""Wait times of processes are read again after a while, tested with made-up times."""

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
    """Yield the waits of a process that is always ready to run, for a minute at most."""
    burn = "end = time.monotonic() + 60\nwhile time.monotonic() < end: pass"
    command = [sys.executable, "-S", "-c", f"import time\nprint('up', flush=True)\n{burn}"]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()  # until then it may sleep, for example to read a module
        tree = ProcessTree(process.pid)
        with closing(Waiting(tree)) as waits:
            yield waits
        tree.forget()
        process.kill()


def test_wait_times_are_reused_for_a_quarter_millisecond(waiting: Waiting) -> None:
    """The 0.25 ms start when wait times are read, not with every turn."""
    read = []
    for instant in (0, 100_000, 200_000, 300_000, 400_000, MS):
        waiting.begin(MS + instant, is_short=False)
        read.append(waiting._read_at - MS)
    assert read == [0, 0, 0, 300_000, 300_000, MS]


def test_short_turn_always_reads_wait_times(waiting: Waiting) -> None:
    """In a turn of a few milliseconds the exact wait times matter."""
    for instant in (MS, MS + 1000, MS + 2000):
        waiting.begin(instant, is_short=True)
        assert waiting._read_at == instant


def test_reused_wait_times_count_from_the_first_sample(waiting: Waiting) -> None:
    """The bot may have run since they were read, so the wait starts at this turn's first sample."""
    for instant in (MS, MS + 1000):
        waiting.begin(instant, is_short=False)
    waiting.until(6 * MS)
    assert waiting._watched[waiting._first].since == 6 * MS
