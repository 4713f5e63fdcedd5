"""Bots that share a core: what one takes is given back to the other, and too much is a theft."""

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
    """Let everything that is started run on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


class Answered(NamedTuple):
    """What a turn took by the bot's clock and by the wall's, and what its opponent used of it."""

    charged: int
    wall: int
    used: int


def ask(start: Start, burners: int, work: float, budget: int, first: str = "") -> Answered:
    """Ask a bot that works while its opponent's processes do."""
    honest = start(WORKER.format(first=first, work=work))
    honest.read_line(None)
    thief = start(BURNERS.format(count=burners, seconds=LONG))
    thief.read_line(None)  # from now on all of its processes burn
    honest.meter.opponent = thief.meter
    thief.meter.rest()
    used = thief.meter._tree.cpu_ns(time.monotonic_ns())
    asked = time.monotonic_ns()
    honest.meter.begin(asked, budget)
    honest.write("go\n", None)
    line, instant = honest.read_line(asked + budget)
    now = time.monotonic_ns()
    assert line == b"answer"
    return Answered(instant - asked, now - asked, thief.meter._tree.cpu_ns(now) - used)


def test_what_a_look_at_the_opponent_takes_is_given_back(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An opponent with many processes that share pages costs nobody's clock."""
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
    crowd.meter.rest()  # what it used until here is no theft
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
    asked = time.monotonic_ns()
    honest.meter.begin(asked, 300 * MS)
    honest.write("go\n", None)
    line, instant = honest.read_line(asked + 300 * MS)
    assert line == b"answer"
    assert 0 < instant - asked < 300 * MS
    # on a busy machine looks take long, but no more is given back
    assert looks
    assert sum(looks) <= honest.meter.given_back_ns < sum(looks) + 50 * MS


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize("work", [0.15, 0.04])
def test_what_the_opponent_takes_of_the_core_is_given_back(start: Start, work: float) -> None:
    """All that it used, also of a turn that ends between two looks: two looks are 50 ms apart."""
    turn = ask(start, 1, work, 10_000 * MS)
    assert turn.used > work / 2 * 1_000 * MS, "they shared the core"
    assert turn.charged < turn.wall - 0.8 * turn.used


@pytest.mark.usefixtures("one_core")
def test_who_takes_more_than_a_fair_share_loses(start: Start) -> None:
    """A dozen processes leave a bot a thirteenth of the core, and it does not run out of time."""
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
def test_a_helper_that_gives_way_costs_a_bot_nothing(start: Start, what: str) -> None:
    """What counts is what a thread waited that is as urgent as all are."""
    with pytest.raises(TheftFault, match="of its opponent of 200 ms"):
        ask(start, 12, 0.15, 200 * MS, HELPER.format(what))


@pytest.mark.usefixtures("one_core")
@pytest.mark.parametrize(
    "first",
    ["os.nice(19)", "os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))"],
    ids=["nice", "batch"],
)
def test_nobody_frames_an_opponent_that_ponders_by_giving_way(start: Start, first: str) -> None:
    """Who is nice leaves the core to the other one, and loses by its own time-out."""
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
def test_nobody_frames_one_thread_by_giving_way_for_a_while(start: Start) -> None:
    """However it looks at the end: one thread gets an even share at most."""
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
def test_a_stopped_bot_that_wakes_itself_gains_nothing(start: Start, budget: int | None) -> None:
    """It is stopped again, and loses if that is more than a tenth of the time of the turn."""
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
def test_a_bot_that_never_answers_frames_nobody(start: Start) -> None:
    """Its opponent takes the half that is its share, and nothing while it sleeps or mostly does.

    Nor does sleeping first help, and wanting the core when its time is nearly over.
    """
    late = "time.sleep(0.16)\nwhile True: pass"
    naps = "while True:\n    time.sleep(0.02)\n    for _ in range(2000): pass"
    for first in ("", "time.sleep(4)", late, naps):
        with pytest.raises(BotFault, match="did not answer in time") as caught:
            ask(start, 1, LONG, 200 * MS, first)
        assert caught.value.verdict == "timeout"


def test_nothing_is_given_back_outside_of_a_turn(start: Start) -> None:
    """A bot that is slow to get ready has no opponent to blame, whatever that one does."""
    slow = start(
        f"import time\nend = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    )
    slow.meter.opponent = start(BURNERS.format(count=1, seconds=LONG)).meter
    slow.meter.begin(time.monotonic_ns(), 1 * MS)
    slow.meter.rest()
    with pytest.raises(BotFault, match="did not answer in time") as caught:
        slow.read_line(time.monotonic_ns() + 200 * MS)
    assert caught.value.verdict == "timeout"
    assert slow.meter.given_back_ns < 100 * MS, "but for our own looks at that one"
