"""Timeouts that the machine is to blame for, and timeouts of the bot's own making."""

import os
import subprocess
import sys
import time

import pytest

from pwtourney.errors import BotFault
from pwtourney.notation.game import Hindrance
from tests.misbehaving import LONG
from tests.process.conftest import Start

MS = 1_000_000
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
    pytest.mark.serial,
]


def test_machine_is_to_blame_for_a_timeout_on_a_busy_core(start: Start) -> None:
    """Four other processes keep the core busy; the bot waits for the core for most of its turn."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    busy = f"import time\nend = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    words = [sys.executable, "-S", "-c", busy]
    # each in its own session, like a bot: Linux divides a core among sessions first (autogroup)
    hogs = [subprocess.Popen(words, start_new_session=True) for _ in range(4)]
    try:
        for _ in range(5):  # retry if more than 16 other processes started: then nobody is blamed
            process = start("import sys\nsys.stdin.readline()\nwhile True: pass")
            process.meter.begin(time.monotonic_ns(), 500 * MS)
            process.write("go\n", None)
            with pytest.raises(BotFault):
                process.read_line(time.monotonic_ns() + 500 * MS)
            hindrance = process.meter.hindrance
            if hindrance is None or hindrance.born <= 16:
                break
    finally:
        os.sched_setaffinity(0, before)
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert hindrance is not None
    assert hindrance.is_to_blame
    assert hindrance.delay > 100_000


def test_sleeping_bot_is_to_blame_for_its_timeout(start: Start) -> None:
    """It did not want a core, however busy the machine is."""
    program = "import sys, time\nprint('ready', flush=True)\nsys.stdin.readline()"
    process = start(f"{program}\ntime.sleep({LONG})")
    # to begin, it needs a core, for which it may have to wait
    assert process.read_line(time.monotonic_ns() + 20_000 * MS)[0] == b"ready"
    process.meter.begin(time.monotonic_ns(), 1000 * MS)
    process.write("go\n", None)
    with pytest.raises(BotFault):
        process.read_line(time.monotonic_ns() + 1000 * MS)
    assert process.meter.hindrance is not None
    assert not process.meter.hindrance.is_to_blame


def test_delay_is_at_most_the_time_that_neither_bot_used() -> None:
    """Worked by hand: of 1000 ms the bot used 300, its opponent 100; the delay is at most 600."""
    of = Hindrance(watched=1000, queued=900, stolen=50, pressure=0, cpu=300, opponent=100)
    assert (of.delay, of.is_to_blame) == (600, True)
    assert of._replace(queued=40).delay == 90
    assert not of._replace(queued=40).is_to_blame
    assert of._replace(cpu=950).delay == 0
    assert not of._replace(born=17).is_to_blame, "children may have come and gone unseen"
    assert of._replace(runner=500).delay == 100, "what it takes to read a flood is the bot's"
    asleep = of._replace(queued=0, cpu=0, stolen=700)
    assert not asleep.is_to_blame, "nothing can be stolen from a bot that sleeps"
