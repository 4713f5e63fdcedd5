"""The switch that pauses games, and a bot that is stopped while the switch is on."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.process import pause_switch
from pwtourney.process.pause_switch import (
    PauseSwitch,
    is_paused,
    wait_for_end_of_pause,
    watch_pauses,
)
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
            pause_switch.pause_lines.remove(switch.line)


def test_pause_lasts_until_the_switch_is_off(switch: PauseSwitch) -> None:
    """Turning it on twice is one pause, and turning it off twice does not end a later one."""
    assert not is_paused()
    switch.turn_on()
    switch.turn_on()
    assert is_paused()
    switch.turn_off()
    switch.turn_off()
    assert not is_paused()
    assert wait_for_end_of_pause() < 10_000 * MS


def test_closing_the_switch_ends_the_pause(switch: PauseSwitch) -> None:
    """A run that ends leaves no process waiting."""
    switch.turn_on()
    switch.close()
    assert not switch.is_on


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="bots are stopped on Linux only")
def test_bot_and_its_clock_stop_during_a_pause(start: Start, switch: PauseSwitch) -> None:
    """The bot has 2 s and is paused for 2.5 s; it does not run meanwhile, and is not late."""
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
def test_pause_does_not_shorten_an_answer_before_it(
    start: Start, switch: PauseSwitch, tmp_path: Path
) -> None:
    """The referee reads the answer and the pause at once; the answer still took more than 0 ns."""
    path = tmp_path / "answered"
    process = start(ANSWERS.format(path=str(path)))
    end = time.monotonic() + 20
    deadline = time.monotonic_ns() + 60_000 * MS
    process.write("go\n", deadline)
    process.read_line(deadline)  # it takes 50 ms, so the referee polls before the next read
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
