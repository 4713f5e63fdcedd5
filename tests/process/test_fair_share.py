"""Bots that share a core: time the opponent takes is given back, and taking too much is theft."""

import os
import re
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from pwtourney.errors import BotFault, TheftFault
from tests.misbehaving import LONG
from tests.process.conftest import Start

MS = 1_000_000
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
    pytest.mark.serial,
]

BURNERS = """
import os, sys, time
end = time.monotonic() + {seconds}
for _ in range({count} - 1):
    if os.fork() == 0:
        os.setsid()
        break
else:
    print("ready", flush=True)
while time.monotonic() < end: pass
os._exit(0)
"""
WORKER = """
import os, sys, time
print("ready", flush=True)
{first}
sys.stdin.readline()
end = time.process_time() + {work}
while time.process_time() < end: pass
print("answer", flush=True)
"""


@pytest.fixture
def one_core() -> Iterator[None]:
    """Pin this process, and everything it starts, to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


class Answered(NamedTuple):
    """What a turn cost by the bot's clock and by the wall clock, and what its opponent used.

    All values are nanoseconds.
    """

    charged: int
    wall: int
    used: int


def ask(start: Start, burners: int, work: float, budget: int, first: str = "") -> Answered:
    """Ask a bot for an answer while its opponent's `burners` processes compute.

    Return the time of the turn. `work` is in seconds of CPU time, `budget` in nanoseconds.
    """
    honest = start(WORKER.format(first=first, work=work))
    honest.read_line(None)
    thief = start(BURNERS.format(count=burners, seconds=LONG))
    thief.read_line(None)  # from now on all its processes compute
    honest.meter.opponent = thief.meter
    thief.meter.rest()
    used = thief.meter._tree.cpu_ns(time.monotonic_ns())
    turn_start = time.monotonic_ns()
    honest.meter.begin(turn_start, budget)
    honest.write("go\n", None)
    line, instant = honest.read_line(turn_start + budget)
    now = time.monotonic_ns()
    assert line == b"answer"
    return Answered(instant - turn_start, now - turn_start, thief.meter._tree.cpu_ns(now) - used)


def test_time_to_inspect_the_opponent_is_given_back(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inspecting an opponent with 41 processes that share pages costs no bot clock time."""
    crowd = start(
        "import os, time\n"
        "kept = b'\\1' * (40 << 20)\n"
        "for _ in range(40):\n"
        f"    if os.fork() == 0: time.sleep({LONG}); os._exit(0)\n"
        "print('up', flush=True)\n"
        f"time.sleep({LONG})",
        memory=256 << 20,
    )
    crowd.read_line(time.monotonic_ns() + 10_000 * MS)
    crowd.meter.rest()  # CPU time used before this turn is not theft
    honest = start(
        "import sys, time\nsys.stdin.readline()\ntime.sleep(0.25)\nprint('answer', flush=True)"
    )
    honest.meter.opponent = crowd.meter
    looks: list[int] = []
    look_at = crowd.meter._check_use

    def look(now: int) -> None:
        began = time.monotonic_ns()
        look_at(now)
        looks.append(time.monotonic_ns() - began)

    monkeypatch.setattr(crowd.meter, "_check_use", look)
    limit = 3_000 * MS  # much more than the bot needs, which may have to wait for a core
    turn_start = time.monotonic_ns()
    honest.meter.begin(turn_start, limit)
    honest.write("go\n", None)
    line, instant = honest.read_line(turn_start + limit)
    assert line == b"answer"
    assert 0 < instant - turn_start < limit
    # on a busy machine inspections take longer, and this process waits for a core now and then
    assert looks
    waited = honest.meter.gap.total_ns
    assert sum(looks) <= honest.meter.given_back_ns < sum(looks) + waited + 50 * MS


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("work", [0.15, 0.04])
def test_core_time_the_opponent_uses_is_given_back(start: Start, work: float) -> None:
    """All of it is given back, even in a turn that ends between two samples 50 ms apart."""
    turn = ask(start, 1, work, 10_000 * MS)
    assert turn.used > work / 2 * 1_000 * MS, "they shared the core"
    assert turn.charged < turn.wall - 0.8 * turn.used


@pytest.mark.usefixtures("one_core")
def test_taking_more_than_a_fair_share_of_the_core_loses(start: Start) -> None:
    """Twelve processes leave the bot 1/13 of the core; the opponent loses, not the bot."""
    with pytest.raises(TheftFault, match=r"took \d+ ms of the core in a turn .* of 200 ms"):
        ask(start, 12, 0.15, 200 * MS)


HELPER = """
if os.fork() == 0:
    os.nice(19)
    end = time.monotonic() + 5
    while time.monotonic() < end: {}
    os._exit(0)
"""


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("what", ["pass", "time.sleep(1)"])
def test_niced_helper_process_costs_its_bot_nothing(start: Start, what: str) -> None:
    """Only waits of threads at the normal priority count, so a niced helper does not hide theft."""
    with pytest.raises(TheftFault, match="of its opponent of 200 ms"):
        ask(start, 12, 0.15, 200 * MS, HELPER.format(what))


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize(
    "first",
    ["os.nice(19)", "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))"],
    ids=["nice", "batch"],
)
def test_lowering_its_priority_does_not_frame_the_opponent(start: Start, first: str) -> None:
    """A bot that lowers its priority leaves the core to its opponent, and times out itself."""
    with pytest.raises(BotFault, match="did not answer in time") as caught:
        ask(start, 1, LONG, 200 * MS, first)
    assert caught.value.verdict == "timeout"


MODEST = """
if os.fork() == 0:
    os.setsid()
    for urgency, end in (("19", time.monotonic() + 0.45), ("0", time.monotonic() + 5)):
        with open("/proc/self/autogroup", "w") as file:
            file.write(urgency)
        while time.monotonic() < end: pass
    os._exit(0)
time.sleep(5)
"""


@pytest.mark.usefixtures("one_core")
def test_lowering_priority_for_a_while_frames_no_single_thread(start: Start) -> None:
    """A single thread gets at most an even share, whatever the priorities are at the end."""
    for _ in range(3):
        with pytest.raises(BotFault, match="did not answer in time") as caught:
            ask(start, 1, LONG, 200 * MS, MODEST)
        assert caught.value.verdict == "timeout"


WAKES = """
import ctypes, os, signal, struct, time
signal.signal(signal.SIGCONT, lambda *_: None)
libc = ctypes.CDLL(None)
event = struct.pack("qii48x", 0, signal.SIGCONT, 0)
for number in range(40):  # a timer whose signal was lost to the one that stops does not go on
    timer = ctypes.c_void_p()
    assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
    when = 1_000_000 + 700_000 * number
    libc.timer_settime(timer, 0, struct.pack("4q", 0, when, 0, when), None)
print("ready", flush=True)
end = time.monotonic() + 5
while time.monotonic() < end: pass
os._exit(0)
"""


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("budget", [200 * MS, None])
def test_suspended_bot_that_wakes_itself_gains_nothing(start: Start, budget: int | None) -> None:
    """It is stopped again, and loses if it used more than a tenth of the turn's time."""
    honest = start(WORKER.format(first="", work=2))
    thief = start(WAKES, "suspend")
    for bot in (honest, thief):
        assert bot.read_line(None)[0] == b"ready"
    honest.meter.opponent = thief.meter
    thief.meter.rest()
    before = thief.meter._tree.cpu_ns(time.monotonic_ns())
    honest.meter.begin(time.monotonic_ns(), budget)
    honest.write("go\n", None)
    try:
        honest.read_line(None)
    except TheftFault as fault:
        assert re.search(r"used \d+ ms in a turn .*, in which it had to stop", str(fault))
    assert thief.meter._tree.cpu_ns(time.monotonic_ns()) - before < (100 if budget else 700) * MS


@pytest.mark.usefixtures("one_core")
def test_bot_that_never_answers_does_not_frame_its_opponent(start: Start) -> None:
    """The opponent takes the half that is its share, and nothing counts while the bot sleeps.

    Sleeping first and asking for the core when the time is nearly over does not help either.
    """
    late = "time.sleep(0.16)\nwhile True: pass"
    naps = "while True:\n    time.sleep(0.02)\n    for _ in range(2000): pass"
    for first in ("", "time.sleep(4)", late, naps):
        with pytest.raises(BotFault, match="did not answer in time") as caught:
            ask(start, 1, LONG, 200 * MS, first)
        assert caught.value.verdict == "timeout"


def test_no_time_is_given_back_outside_a_turn(start: Start) -> None:
    """A bot that starts slowly cannot blame its opponent, whatever the opponent does."""
    slow = start(
        f"import time\nend = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    )
    slow.meter.opponent = start(BURNERS.format(count=1, seconds=LONG)).meter
    slow.meter.begin(time.monotonic_ns(), 1 * MS)
    slow.meter.rest()
    with pytest.raises(BotFault, match="did not answer in time") as caught:
        slow.read_line(time.monotonic_ns() + 200 * MS)
    assert caught.value.verdict == "timeout"
    waited = slow.meter.gap.total_ns
    assert slow.meter.given_back_ns < waited + 100 * MS, "but for our own looks at that one"
