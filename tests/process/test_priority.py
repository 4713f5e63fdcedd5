"""The referee's priority on a core that it shares with many bot processes."""

import os
import subprocess
import sys
import time

import pytest

from pwtourney.errors import BotFault
from tests.misbehaving import LONG
from tests.process.conftest import Start

MS = 1_000_000
CROWD = f"""
import os, time
end = time.monotonic() + {LONG}
for _ in range({{count}}):
    if os.fork() == 0:
        os.setsid()
        break
print("up", flush=True)
while time.monotonic() < end: pass
os._exit(0)
"""
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="priorities are Linux's"),
    pytest.mark.serial,
]


def may_rise() -> bool:
    """Return True if the system allows this process a real-time priority."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except PermissionError:
        return False
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return True


@pytest.mark.parametrize(("count", "rises"), [(2, False), (12, True)])
def test_referee_rises_while_a_bot_has_many_processes(
    start: Start, count: int, rises: bool
) -> None:
    """The priority rises for twelve processes but not for two, and not for started processes.

    It drops again when the bot ends.
    """
    expected = os.SCHED_RR if rises and may_rise() else os.SCHED_OTHER
    crowd = start(CROWD.format(count=count))
    crowd.meter.begin(time.monotonic_ns(), None)
    for _ in range(count + 1):
        crowd.read_line(None)
    crowd.meter.look(time.monotonic_ns())
    assert os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == expected
    code = "import os; print(os.sched_getscheduler(0))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, check=True)
    assert int(done.stdout) == os.SCHED_OTHER
    crowd.end()
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_many_processes_do_not_delay_the_deadline(start: Start) -> None:
    """Forty processes keep the referee's core busy, and it must wake up at the deadline."""
    if not may_rise():
        pytest.skip("only root may come before others")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        crowd = start(CROWD.format(count=40))
        crowd.meter.begin(time.monotonic_ns(), None)
        for _ in range(41):
            crowd.read_line(None)
        late = []
        for _ in range(12):
            deadline = time.monotonic_ns() + 60 * MS
            with pytest.raises(BotFault, match="did not answer in time"):
                crowd.read_line(deadline)
            late.append((time.monotonic_ns() - deadline) / MS)
        assert min(late) >= 0
        # in its turn among forty it would wait for a tenth of a second, on a slow machine for more
        assert sorted(late)[9] < 15, "of twelve, all but the two that the machine may have held up"
    finally:
        os.sched_setaffinity(0, before)
