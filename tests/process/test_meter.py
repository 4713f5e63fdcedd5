"""The meter of a bot: its charges, turn by turn, and the limits that it enforces."""

import subprocess
import sys
import time

import pytest

from pwtourney.errors import BotFault
from tests.misbehaving import LONG
from tests.process.conftest import Start

MS = 1_000_000
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
    pytest.mark.serial,
]


def test_cpu_time_in_turns_and_between_turns_is_distinguished(start: Start) -> None:
    """A bot that works 100 ms after its answer used them in its opponent's time."""
    process = start(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    print('answer', flush=True)\n"
        "    until = time.process_time() + 0.1\n"
        "    while time.process_time() < until: pass\n"
        "    print('done', flush=True)\n"
    )
    process.meter.rest()
    turns = []
    for _ in range(2):
        process.meter.begin(time.monotonic_ns(), None)
        process.write("go\n", None)
        process.read_line(None)
        turns.append(process.meter.finish())
        process.read_line(None)
    process.meter.begin(time.monotonic_ns(), None)
    assert max(turns) < 60 * MS
    assert process.meter.pondering_ns < 300 * MS
    # on a busy machine it works before we read its answer; that time belongs to its turn
    assert process.meter.pondering_ns + sum(turns) >= 190 * MS


def test_suspended_bot_uses_no_cpu_in_its_opponents_turn(start: Start) -> None:
    """It is stopped until the next request, no matter how long that takes.

    On a busy machine it may run for a while before the stop takes effect; CPU time used until then
    is not checked here.
    """
    process = start(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    print('answer', flush=True)\n"
        "    for _ in range(10 ** 7): pass\n",
        "suspend",
    )
    tree = process.meter._tree
    for _ in range(3):
        process.meter.begin(time.monotonic_ns(), None)
        process.write("go\n", None)
        assert process.read_line(None)[0] == b"answer"
        process.meter.finish()
        used = tree.cpu_ns(time.monotonic_ns())
        # its opponent works for 20 ms at least
        subprocess.run([sys.executable, "-S", "-c", "sum(range(2000000))"], check=True)
        assert tree.cpu_ns(time.monotonic_ns()) - used < 5 * MS
    process.meter.begin(time.monotonic_ns(), None)
    until = time.monotonic_ns() + 20_000 * MS
    while tree.cpu_ns(time.monotonic_ns()) - used < 5 * MS and time.monotonic_ns() < until:
        time.sleep(0.01)  # it was stopped, not ended: it continues in its own turn
    assert tree.cpu_ns(time.monotonic_ns()) - used >= 5 * MS


def test_cpu_clock_does_not_run_while_a_bot_waits(start: Start) -> None:
    """150 ms of sleep are free; work beyond the budget of 100 ms is noticed while it runs."""
    process = start(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    if line == 'sleep\\n': time.sleep(0.15)\n"
        "    else:\n"
        "        while time.process_time() < 20: pass\n"
        "    print('answer', flush=True)\n"
    )
    process.meter.begin(time.monotonic_ns(), None, 100 * MS)
    process.write("sleep\n", None)
    process.read_line(None)
    assert process.meter.finish() < 60 * MS
    process.meter.begin(time.monotonic_ns(), None, 100 * MS)
    process.write("work\n", None)
    started = time.monotonic()
    with pytest.raises(BotFault, match="ms of the processor") as fault:
        process.read_line(time.monotonic_ns() + 10_000 * MS)
    assert fault.value.verdict == "timeout"
    assert time.monotonic() - started < 2


def test_memory_limit_covers_the_whole_process_tree(start: Start) -> None:
    """Three children of 60 MiB exceed 128 MiB together, although none does alone."""
    process = start(
        "import os, time\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        f"        kept = b'\\1' * (60 << 20); time.sleep({LONG}); os._exit(0)\n"
        f"time.sleep({LONG})",
        memory=128 << 20,
    )
    with pytest.raises(BotFault, match="used over 128 MiB of memory") as fault:
        process.read_line(time.monotonic_ns() + 10_000 * MS)
    assert fault.value.verdict == "memory"


def test_pages_shared_with_children_count_once(start: Start) -> None:
    """Twelve forks of a process of 60 MiB do not hold twelve times 60 MiB."""
    process = start(
        "import os, time\n"
        "kept = b'\\1' * (60 << 20)\n"
        "for _ in range(12):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.6); os._exit(0)\n"
        "time.sleep(0.4); print('ready', flush=True)\n"
        f"time.sleep({LONG})",
        memory=256 << 20,
    )
    assert process.read_line(time.monotonic_ns() + 10_000 * MS)[0] == b"ready"
    assert process.meter.peak() > 60 << 20


def test_process_limit_holds_without_a_sandbox(start: Start) -> None:
    """Twelve children exceed the limit of ten, and the fault says so."""
    process = start(
        "import os, time\n"
        "for _ in range(12):\n"
        f"    if os.fork() == 0: time.sleep({LONG}); os._exit(0)\n"
        f"time.sleep({LONG})",
        processes=10,
    )
    with pytest.raises(BotFault, match="started over 10 processes"):
        process.read_line(time.monotonic_ns() + 10_000 * MS)


def test_cpu_time_after_the_last_turn_counts_as_pondering(start: Start) -> None:
    """A bot that gets no further turn still used its opponent's time."""
    process = start(
        "import time\nprint('answer', flush=True)\nwhile time.process_time() < 0.2: pass"
    )
    process.meter.begin(time.monotonic_ns(), None)
    process.read_line(None)
    process.meter.finish()
    before = process.meter.pondering_ns
    process.exits_within(10_000)
    process.meter.settle(time.monotonic_ns())
    assert 50 * MS < process.meter.pondering_ns - before < 250 * MS
    process.meter.begin(time.monotonic_ns(), None)
    before = process.meter.pondering_ns
    process.meter.settle(time.monotonic_ns())
    assert process.meter.pondering_ns == before, "in its own turn nothing is settled"


def test_bot_is_not_sampled_in_its_first_milliseconds(start: Start) -> None:
    """A bot that starts quickly is done before a sample would be worth its cost."""
    process = start(f"import time\nprint('up', flush=True)\ntime.sleep({LONG})")
    now = time.monotonic_ns()
    process.look_if_due(now)
    assert process.meter._reading is None
    process.look_if_due(now + 50 * MS)
    assert process.meter._reading is not None
