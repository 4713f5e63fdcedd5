"""The switch that pauses games, and a bot that stands still while it is on."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.process import pausing
from pwtourney.process.pausing import PauseSwitch, is_paused, wait_for_end_of_pause, watch_pauses
from tests.process.conftest import Start

MS = 1_000_000
COUNTS = """\
import sys, time
sys.stdin.readline()
began = time.process_time()
while time.process_time() - began < 0.2: pass
print("answer", flush=True)
"""

ANSWERS = """\
import sys, time
sys.stdin.readline()
time.sleep(0.05)
print("answer", flush=True)
sys.stdin.readline()
print("answer", flush=True)
open({path!r}, "w").close()
"""


@pytest.fixture
def switch() -> Iterator[PauseSwitch]:
    """Return a switch that this process watches."""
    with closing(PauseSwitch()) as switch:
        watch_pauses(switch.line)
        try:
            yield switch
        finally:
            pausing.pause_lines.remove(switch.line)


def test_a_pause_lasts_until_the_switch_is_off(switch: PauseSwitch) -> None:
    """Turning it on twice is one pause, and turning it off twice ends no later one."""
    assert not is_paused()
    switch.turn_on()
    switch.turn_on()
    assert is_paused()
    switch.turn_off()
    switch.turn_off()
    assert not is_paused()
    assert wait_for_end_of_pause() < 10_000 * MS


def test_closing_the_switch_ends_the_pause(switch: PauseSwitch) -> None:
    """A run that ends leaves nobody waiting."""
    switch.turn_on()
    switch.close()
    assert not switch.is_on


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="bots are stopped on Linux only")
def test_a_bot_and_its_clock_stand_still_in_a_pause(start: Start, switch: PauseSwitch) -> None:
    """It has 2 s and is paused for 2.5 s; it neither runs meanwhile nor is it late."""
    process = start(COUNTS)
    process.meter.begin(time.monotonic_ns(), 2_000 * MS)
    began = time.monotonic_ns()
    process.write("go\n", began + 2_000 * MS)
    switch.turn_on()
    used: list[int] = []

    def end_pause() -> None:
        used.append(process.meter.count_use(time.monotonic_ns()))
        switch.turn_off()

    timer = threading.Timer(2.5, end_pause)
    timer.start()
    try:
        line, instant = process.read_line(began + 2_000 * MS)
    finally:
        timer.join()
    assert line == b"answer"
    assert instant - began < 2_000 * MS < time.monotonic_ns() - began
    assert used[0] < 200 * MS, "it went on computing"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="bots are stopped on Linux only")
def test_a_pause_is_no_time_of_an_answer_before_it(
    start: Start, switch: PauseSwitch, tmp_path: Path
) -> None:
    """Both come in one look of the referee: the answer took more than no time."""
    path = tmp_path / "answered"
    process = start(ANSWERS.format(path=str(path)))
    end = time.monotonic() + 20
    deadline = time.monotonic_ns() + 60_000 * MS
    process.write("go\n", deadline)
    process.read_line(deadline)  # not there at once: so the next one is waited for as well
    began = time.monotonic_ns()
    process.meter.begin(began, 60_000 * MS)
    process.write("go\n", deadline)
    while not path.exists() and time.monotonic() < end:
        pass
    switch.turn_on()
    timer = threading.Timer(0.3, switch.turn_off)
    timer.start()
    try:
        _, instant = process.read_line(deadline)
    finally:
        timer.join()
    assert instant > began
