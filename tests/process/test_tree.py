"""All processes of a bot: found, counted, stopped; and what a bot is told it used."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pwtourney.errors import BotFault
from pwtourney.process import BotProcess, Hindrance
from pwtourney.process.child import StderrBuffer
from pwtourney.process.process_tree import ProcessTree
from pwtourney.sandbox.isolation import Isolation, Pondering
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sandbox.orphans import Orphans, become_subreaper
from tests.misbehaving import LONG

MS = 1_000_000
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's"),
    pytest.mark.serial,
]
Start = Callable[..., BotProcess]

FORKS = (
    "import os, sys, time\n"
    "for _ in range(3):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    f"        end = time.monotonic() + {LONG}\n"
    "        while time.monotonic() < end: pass\n"
    "        os._exit(0)\n"
    "print('up', flush=True)\n"
    f"time.sleep({LONG})"
)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts Python code as a bot; all of them are ended after the test."""
    become_subreaper()
    running: list[BotProcess] = []

    def run(code: str, pondering: Pondering = "measure", **limits: int) -> BotProcess:
        launch = Launch((sys.executable, "-S", "-I", "-c", code))
        most = Limits(end_ms=100)._replace(**limits)
        running.append(BotProcess(launch, most, Isolation(pondering=pondering), str(tmp_path)))
        return running[-1]

    yield run
    for process in running:
        process.end()
        process.clean_up()


def wait_for(condition: Callable[[], bool]) -> None:
    """Look until something is so, for some seconds at most."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        os.sched_yield()
    assert condition()


def test_processes_of_other_sessions_are_found_counted_and_killed(start: Start) -> None:
    """Three children in sessions of their own belong to the bot, and their time does."""
    orphans = Orphans()
    process = start(FORKS)
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    wait_for(lambda: process_tree.count() == 4)
    before = process_tree.cpu_ns(time.monotonic_ns())
    wait_for(lambda: process_tree.cpu_ns(time.monotonic_ns()) - before > 20 * MS)
    process_tree.kill()
    process.end()
    assert orphans.sweep() == 3, "what was killed is waited for"
    subprocess.run(["true"], check=True)  # something new, so that there is a look
    assert process_tree.count() == 0
    process_tree.forget()


def test_an_orphan_is_nobodys_and_is_ended_where_it_is_seen(start: Start) -> None:
    """A double fork is not taken for a process of the bot that is looked at, and does not last."""
    known = subprocess.Popen([sys.executable, "-S", "-c", f"import time; time.sleep({LONG})"])
    try:
        process = start(
            "import os, time\n"
            "if os.fork() == 0:\n"
            "    orphan = os.fork()\n"
            f"    if orphan == 0: time.sleep({LONG})\n"
            "    else: print(orphan, flush=True)\n"
            "    os._exit(0)\n"
            "os.wait()\n"
            "print('up', flush=True)\n"
            f"time.sleep({LONG})"
        )
        process_tree = ProcessTree(process.pid)
        said = {process.read_line(None)[0].decode() for _ in range(2)}
        (orphan,) = (int(each) for each in said - {"up"})
        process_tree.look()
        assert orphan not in process_tree.members()
        with pytest.raises(ProcessLookupError):
            os.kill(orphan, 0)
        assert known.poll() is None, "a child that was there before is let alone"
        process_tree.forget()
    finally:
        known.kill()
        known.wait()


def test_short_lived_children_leave_no_descriptors_behind(start: Start) -> None:
    """Two hundred come and go; as many handles are open as there are living processes."""
    process = start(
        "import os, sys\n"
        "for _ in range(200):\n"
        "    if os.fork() == 0: os._exit(0)\n"
        "    os.wait()\n"
        "print('done', flush=True)\n"
        "import time; time.sleep(20)"
    )
    before = len(os.listdir("/proc/self/fd"))
    process.meter.begin(time.monotonic_ns(), None)
    end = time.monotonic() + 10
    while not process.read_unasked() and time.monotonic() < end:
        process.meter._tree.memory()
    process.meter._tree.memory()
    assert len(os.listdir("/proc/self/fd")) <= before + 2


def test_what_a_look_at_the_opponent_takes_is_given_back(start: Start) -> None:
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
    honest = start(
        "import sys, time\nsys.stdin.readline()\ntime.sleep(0.25)\nprint('answer', flush=True)"
    )
    honest.meter.opponent = crowd.meter
    asked = time.monotonic_ns()
    honest.meter.begin(asked, 300 * MS)
    honest.write("go\n", None)
    line, instant = honest.read_line(asked + 300 * MS)
    assert line == b"answer"
    assert 100 * MS < instant - asked < 300 * MS


def test_stopped_processes_use_no_time_until_they_are_resumed(start: Start) -> None:
    """Also those that left their session, which a signal to the group would not reach."""
    process = start(FORKS)
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    wait_for(lambda: process_tree.count() == 4)
    process_tree.stop()
    wait_for(lambda: all(state(pid) == "T" for pid in process_tree.members()))
    before = process_tree.cpu_ns(time.monotonic_ns())
    subprocess.run([sys.executable, "-S", "-c", "sum(range(3000000))"], check=True)
    assert process_tree.cpu_ns(time.monotonic_ns()) - before < 2 * MS
    process_tree.resume()
    wait_for(lambda: process_tree.cpu_ns(time.monotonic_ns()) - before > 5 * MS)
    process_tree.kill()
    process_tree.forget()


def state(pid: int) -> str:
    """Return the letter of a process's state."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_the_time_of_children_that_came_and_went_counts(start: Start) -> None:
    """A child that burns 300 ms and is waited for adds to its parent, whoever saw it."""
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    process = start(
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-S', '-c', {burn!r}])\n"
        f"print('done', flush=True)\nimport time; time.sleep({LONG})"
    )
    process_tree = ProcessTree(process.pid)
    process.read_line(None)
    assert 280 * MS <= process_tree.cpu_ns(time.monotonic_ns()) < 900 * MS
    process_tree.forget()


def test_processor_time_of_turns_and_between_them_is_told_apart(start: Start) -> None:
    """A bot that works 100 ms after its answer has used them in its opponent's time."""
    process = start(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    print('answer', flush=True)\n"
        "    until = time.process_time() + 0.1\n"
        "    while time.process_time() < until: pass\n"
        "    print('done', flush=True)\n"
    )
    process.meter.rest()
    for _ in range(2):
        process.meter.begin(time.monotonic_ns(), None)
        process.write("go\n", None)
        process.read_line(None)
        assert process.meter.finish() < 60 * MS
        process.read_line(None)
    process.meter.begin(time.monotonic_ns(), None)
    assert 190 * MS <= process.meter.pondering_ns < 300 * MS


def test_a_suspended_bot_does_not_think_in_its_opponents_time(start: Start) -> None:
    """It stands still from its answer to the next request."""
    process = start(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    print('answer', flush=True)\n"
        "    for _ in range(10 ** 7): pass\n",
        "suspend",
    )
    for _ in range(3):
        process.meter.begin(time.monotonic_ns(), None)
        process.write("go\n", None)
        assert process.read_line(None)[0] == b"answer"
        process.meter.finish()
        subprocess.run([sys.executable, "-S", "-c", "sum(range(2000000))"], check=True)
    process.meter.begin(time.monotonic_ns(), None)
    assert process.meter.pondering_ns < 15 * MS


def test_a_clock_of_processor_time_is_not_spent_by_waiting(start: Start) -> None:
    """150 ms of sleep are free; 200 ms of work are over a budget of 100 and noticed on the way."""
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


def test_memory_of_the_whole_tree_is_bounded(start: Start) -> None:
    """Three children of 60 MiB each are over 128 MiB together, though none is alone."""
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


def test_pages_that_children_share_count_once(start: Start) -> None:
    """Twelve forks of a process of 60 MiB are not twelve times 60 MiB."""
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


def test_processes_are_counted_without_a_sandbox(start: Start) -> None:
    """Twelve children are over ten; the fault says so."""
    process = start(
        "import os, time\n"
        "for _ in range(12):\n"
        f"    if os.fork() == 0: time.sleep({LONG}); os._exit(0)\n"
        f"time.sleep({LONG})",
        processes=10,
    )
    with pytest.raises(BotFault, match="started over 10 processes"):
        process.read_line(time.monotonic_ns() + 10_000 * MS)


def test_a_bot_on_a_busy_core_times_out_by_the_hosts_doing(start: Start) -> None:
    """It wants the core that four others keep busy: most of its turn it stood ready in vain."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    busy = f"import time\nend = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    words = [sys.executable, "-S", "-c", busy]
    # each in a session of its own, as a bot is: Linux shares a core out among sessions first
    hogs = [subprocess.Popen(words, start_new_session=True) for _ in range(4)]
    try:
        for _ in range(5):  # again if so many other processes began that nobody is blamed
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
    assert hindrance.withheld > 100_000


def test_a_bot_that_sleeps_is_to_blame_itself(start: Start) -> None:
    """However busy the machine is, it did not want a core."""
    process = start(f"import sys, time\nsys.stdin.readline()\ntime.sleep({LONG})")
    process.meter.begin(time.monotonic_ns(), 400 * MS)
    process.write("go\n", None)
    with pytest.raises(BotFault):
        process.read_line(time.monotonic_ns() + 400 * MS)
    assert process.meter.hindrance is not None
    assert not process.meter.hindrance.is_to_blame


def test_what_a_host_withheld_is_no_more_than_nobody_used() -> None:
    """By hand: of 1000 ms the bot used 300 and its opponent 100, so 600 at most were withheld."""
    of = Hindrance(watched=1000, queued=900, stolen=50, pressure=0, cpu=300, opponent=100)
    assert (of.withheld, of.is_to_blame) == (600, True)
    assert of._replace(queued=40).withheld == 90
    assert not of._replace(queued=40).is_to_blame
    assert of._replace(cpu=950).withheld == 0
    assert not of._replace(born=17).is_to_blame, "children may have come and gone unseen"
    assert of._replace(runner=500).withheld == 100, "what it takes to read a flood is the bot's"
    asleep = of._replace(queued=0, cpu=0, stolen=700)
    assert not asleep.is_to_blame, "nothing can be stolen from a bot that sleeps"


def test_of_standard_error_beginning_and_end_are_kept() -> None:
    """Ten bytes of each from a thousand, and the rest is counted."""
    kept = StderrBuffer(10)
    for number in range(100):
        kept.add(b"%010d" % number)
    assert kept.head == "0000000000"
    assert kept.text == "0000000000\n[980 bytes left out]\n0000000099"
    assert kept.total == 1000
    small = StderrBuffer(10)
    small.add(b"all of it is kept")
    assert small.text == "all of it is kept"
