"""Gaps in the referee's time (stopped, asleep, starved), measured in a separate process."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from pwtourney.errors import BotFault
from pwtourney.process.heartbeat import Gap, Heartbeat
from tests.process.conftest import Start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps accounts")

REFEREE = """\
import select, sys, time
from pwtourney.process.heartbeat import Heartbeat

heartbeat = Heartbeat()
began = time.monotonic_ns()
heartbeat.beat(began, 0)
print("ready", flush=True)
watch = select.poll()
watch.register(0, select.POLLIN)
while True:
    asked = time.monotonic_ns()
    ready = watch.poll(10)
    heartbeat.slept_ns += min(time.monotonic_ns() - asked, 10_000_000)
    if ready:
        break
{work}
now = time.monotonic_ns()
print(*heartbeat.find_gap(began, now, 0), now - began)
"""


def measure(signals: tuple[signal.Signals, ...] = (), work: str = "") -> tuple[Gap, int]:
    """Return the gap that a referee process measures, and the time span it covers in nanoseconds.

    The referee receives the signals 0.3 s apart while it sleeps in steps of 10 ms.
    """
    words = [sys.executable, "-c", REFEREE.format(work=work)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as referee:
        assert referee.stdin is not None
        assert referee.stdout is not None
        try:
            assert referee.stdout.readline() == b"ready\n"
            for number in signals:
                os.kill(referee.pid, number)
                # wait 0.3 s without sleeping in this process
                subprocess.run(["sleep", "0.3"], check=True)
            referee.stdin.close()
            stopped, starved, length = map(int, referee.stdout.readline().split())
        finally:
            referee.kill()
    return Gap(stopped, starved), length


@pytest.mark.slow
def test_stop_signal_is_a_gap_of_its_length() -> None:
    """SIGSTOP lasts 0.3 s, timed by the `sleep` program."""
    gap, length = measure((signal.SIGSTOP, signal.SIGCONT))
    assert 0.25e9 < gap.stopped_ns < length


@pytest.mark.slow
def test_intended_sleep_is_not_a_gap() -> None:
    """A referee mostly waits for bots; these 0.3 s are recorded as sleep."""
    gap, length = measure((signal.SIGCONT,))
    assert length > 0.3e9
    assert gap.stopped_ns < 0.1e9  # a busy machine may stall for a moment


@pytest.mark.slow
def test_own_cpu_time_is_not_a_gap() -> None:
    """A referee that uses at least 0.2 s of CPU time was not absent."""
    # on a slow machine, the start alone takes a good part of that
    work = "end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    gap, length = measure(work=work)
    assert gap.stopped_ns + 0.2e9 < length


def test_a_quota_moves_a_gap_from_stopped_to_starved() -> None:
    """Worked by hand: of 90 ms in which nothing ran, the quota explains 60 ms."""
    assert Gap(90, 5).without_quota(60, 0) == Gap(30, 65)
    assert Gap(90, 5).without_quota(100, 0) == Gap(0, 95)


def test_time_already_given_back_for_a_quota_is_not_a_gap() -> None:
    """Worked by hand: of 65 ms without a core, 50 ms were already given back."""
    assert Gap(90, 5).without_quota(60, 50) == Gap(30, 15)
    assert Gap(90, 5).without_quota(60, 70) == Gap(30, 0)


def test_thread_that_ends_leaves_no_open_descriptor() -> None:
    """The descriptors are counted in /proc/self/fd."""

    def beat() -> None:
        Heartbeat().beat(time.monotonic_ns(), 0)

    before = os.listdir("/proc/self/fd")
    for _ in range(3):
        thread = threading.Thread(target=beat)
        thread.start()
        thread.join()
    assert len(os.listdir("/proc/self/fd")) == len(before)


HIDES = """\
import os, sys, time
sys.stdin.readline()
while True:
    for _ in range(4):
        if os.fork() == 0:
            if os.fork() == 0:
                began = time.process_time()
                while time.process_time() - began < 0.015: pass
            os._exit(0)
    for _ in range(4):
        os.wait()
    time.sleep(0.01)
"""


@pytest.mark.slow
def test_processes_that_hide_do_not_excuse_a_timeout(start: Start) -> None:
    """Double-forked processes belong to no bot, and keep the referee off its only core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:1])
    try:
        process = start(HIDES)
        process.meter.new_game()
        began, budget = time.monotonic_ns(), 200_000_000
        process.meter.begin(began, budget)
        process.write("go\n", began + budget)
        with pytest.raises(BotFault, match="did not answer in time"):
            process.read_line(began + budget)
    finally:
        os.sched_setaffinity(0, cores)
    assert process.meter.gap.total_ns < budget
