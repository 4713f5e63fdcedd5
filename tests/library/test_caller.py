"""A program that calls the library keeps its children, threads, signals and settings."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from pwtourney.sandbox.orphans import parents

pytestmark = pytest.mark.slow(4)

PROGRAM = r"""
import atexit, ctypes, json, locale, logging, multiprocess, numpy, os, pydantic, random, resource
import signal, subprocess, sys, threading, warnings

import pwtourney  # no main guard: nobody imports this program again

def children():
    return sorted(
        pid for pid in os.listdir("/proc") if pid.isdigit() and parent_of(pid) == os.getpid()
    )

def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0

def flag(option):
    found = ctypes.c_int(-1)
    if option == 37:  # PR_GET_CHILD_SUBREAPER
        ctypes.CDLL(None).prctl(option, ctypes.byref(found), 0, 0, 0)
        return found.value
    return ctypes.CDLL(None).prctl(option, 0, 0, 0, 0)  # PR_GET_DUMPABLE is 3

def look():
    mask = os.umask(0o77); os.umask(mask)
    return {
        "handlers": [str(signal.getsignal(each)) for each in sorted(signal.valid_signals())],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "cwd": os.getcwd(),
        "environment": dict(os.environ),
        "path": sys.path[:],
        "umask": mask,
        "streams": [id(sys.stdin), id(sys.stdout), id(sys.stderr)],
        "logging": [str(logging.root.handlers), logging.root.level, logging.raiseExceptions],
        "warnings": [str(each) for each in warnings.filters],
        "exit": atexit._ncallbacks(),
        "random": hash(random.getstate()),
        "numpy": hash(str(numpy.random.get_state())),
        "threads": sorted(each.name for each in threading.enumerate()),
        "children": children(),
        "subreaper": flag(37),
        "dumpable": flag(3),
        "limits": [resource.getrlimit(each) for each in range(16)],
        "affinity": sorted(os.sched_getaffinity(0)),
        "locale": locale.setlocale(locale.LC_ALL),
        "files": sorted(os.listdir("/proc/self/fd")),
        "group": [os.getpgrp(), os.getsid(0)],
        "groups": open("/proc/self/cgroup").read(),
        "profile": [str(sys.gettrace()), str(sys.getprofile()), str(sys.excepthook)],
    }

died = []
def on_child(number, frame):
    died.append(number)

signal.signal(signal.SIGCHLD, on_child)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
sleeps = [subprocess.Popen(["sleep", "300"])]
stop = threading.Event()
threading.Thread(target=stop.wait, name="mine").start()
pwtourney.rate([("a", "b", 1)])
os.listdir("/proc/self/fd")
before = look()

def begin_a_sleep(event):
    if isinstance(event, pwtourney.PairBegun):
        thread = threading.Thread(
            target=lambda: sleeps.append(
                subprocess.Popen(["sleep", "300"], start_new_session=len(sleeps) == 2)
            )
        )
        thread.start()
        thread.join()

result = pwtourney.play_tournament(
    {
        "bots": ["random", "frugal"], "pairs": 2, "seed": 1, "workers": 1,
        "processes": "persistent",
    },
    results=sys.argv[1], on_event=begin_a_sleep,
)
game = pwtourney.play_game("random", "frugal", deal=1, edition="express")
alive = [each.poll() is None for each in sleeps]
for each in sleeps[1:]:
    each.kill()
    each.wait()
after = look()
changed = sorted(key for key in before if before[key] != after[key])
stop.set()
sleeps[0].kill()
sleeps[0].wait()
print(json.dumps([alive, changed, result.ending, game.verdict, len(died) > 0]))
"""
REAPER = r"""
import os, signal, subprocess, sys, pwtourney

def reap(number, frame):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass

signal.signal(signal.SIGCHLD, reap if sys.argv[1] == "reap" else signal.SIG_IGN)
game = pwtourney.play_game("random", "frugal", deal=1, edition="express")
print(game.verdict, len(game.plies) > 10)
"""
FORKING = r"""
import os, signal, sys, time, pwtourney

# what a shell does with all that it starts in its background, and more; it is left all the same
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
forks = []
def fork(event):
    if isinstance(event, pwtourney.PairBegun):
        forks.append(os.fork())
        if not forks[-1]:
            time.sleep(100)
            os._exit(0)
        raise LookupError

config = {
    "bots": ["random", "frugal"], "pairs": 5000, "workers": 1, "processes": "persistent",
}
try:
    pwtourney.play_tournament(config, results=sys.argv[1], on_event=fork)
except LookupError:
    print("left", os.waitpid(forks[0], os.WNOHANG)[0])
os.kill(forks[0], 9)
"""
CLOSED = r"""
import os, sys, pwtourney

os.closerange(0, 3)
game = pwtourney.play_game("random", "frugal", deal=1, edition="express")
with open(sys.argv[1], "w") as file:
    file.write(f"{file.fileno()} {game.verdict}")
"""
INTERRUPTED = r"""
import os, signal, sys, threading, pwtourney

config = {
    "bots": ["random", "frugal"], "pairs": 5000, "workers": 1, "processes": "persistent",
}
def tell(event):
    if isinstance(event, pwtourney.PairDone):
        print(event.pair, flush=True)

try:
    pwtourney.play_tournament(config, results=sys.argv[1], on_event=tell)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def start(program: str, *arguments: str) -> "subprocess.Popen[str]":
    """Start another program."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def below(pid: int) -> set[int]:
    """Return the ids of all descendants of a process."""
    pids, parent_of = {pid}, parents()
    while more := {child for child, parent in parent_of.items() if parent in pids} - pids:
        pids |= more
    return pids - {pid}


def wait_until_gone(pids: set[int]) -> None:
    """Wait until each of these processes has ended or is a zombie."""
    end = time.monotonic() + 30
    while any(map(is_running, pids)):
        assert time.monotonic() < end, f"still there: {sorted(filter(is_running, pids))}"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Return True if a process exists and is not a zombie."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] != b"Z"
    return False


@pytest.mark.thorough
def test_state_of_the_calling_process_is_unchanged(tmp_path: Path) -> None:
    """Its children from before and during the run survive in any session; all state is restored."""
    process = start(PROGRAM, str(tmp_path / "r"))
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    alive, changed, ending, verdict, heard = json.loads(output)
    assert alive == [True, True, True]
    assert changed == []
    assert (ending, verdict) == ("over", "finished")
    assert heard, "the handler of the caller hears of the process that played, as of any child"


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["reap", "ignore"])
def test_game_ends_if_the_caller_reaps_every_child(how: str) -> None:
    """A handler reaps all children, or the system does because SIGCHLD is ignored."""
    output, errors = start(REAPER, how).communicate(timeout=120)
    assert output == "finished True\n", errors


@pytest.mark.thorough
def test_fork_of_the_caller_does_not_delay_the_end(tmp_path: Path) -> None:
    """The fork has a copy of every pipe, and the run ends while it still lives."""
    output, errors = start(FORKING, str(tmp_path / "r")).communicate(timeout=60)
    assert output == "left 0\n", errors


def test_caller_may_have_closed_its_standard_streams(tmp_path: Path) -> None:
    """Daemons do this; games are played, and the streams stay closed."""
    _, errors = start(CLOSED, str(tmp_path / "told")).communicate(timeout=120)
    assert (tmp_path / "told").read_text() == "0 finished", errors


@pytest.mark.thorough
def test_ctrl_c_raises_keyboard_interrupt_after_bots_have_ended(tmp_path: Path) -> None:
    """The caller gets `KeyboardInterrupt` when all bots have ended."""
    process = start(INTERRUPTED, str(tmp_path / "r"))
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    others = below(process.pid)
    assert len(others) >= 2, "a process that plays, and its worker"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert output.endswith("interrupted\n")
    assert not any(map(is_running, others))


@pytest.mark.thorough
def test_workers_and_bots_end_when_the_caller_is_killed(tmp_path: Path) -> None:
    """The stored games stay."""
    process = start(INTERRUPTED, str(tmp_path / "r"))
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    others = below(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    wait_until_gone(others)
    assert (tmp_path / "r" / "games.sqlite").exists()
