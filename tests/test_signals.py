"""The reactions of processes of pwtourney to signals."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtourney import signals
from pwtourney.signals import (
    ENDING,
    end_at_once,
    handle,
    hold_signals,
    ignore,
    raise_interrupts,
    temporary_handler,
)
from tests.needs import need_new_processes

ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Restore the signal handlers that a test changes."""
    before = {number: signal.getsignal(number) for number in (*ENDING, signal.SIGUSR1)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def run(program: str, *words: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a Python program to its end."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_ignored_signals_stay_ignored_and_others_interrupt() -> None:
    """`nohup` relies on this: it starts programs with SIGHUP ignored."""
    end_at_once()
    ignore((signal.SIGHUP,))
    for install in (raise_interrupts, end_at_once, raise_interrupts):
        install()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    signal.raise_signal(signal.SIGHUP)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


def test_own_signals_are_handled_even_if_ignored() -> None:
    """A parent that ignores them does not mean that they should not end us."""
    ignore((signal.SIGTERM,))
    raise_interrupts(even_ignored=(signal.SIGTERM,))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)


def test_handlers_are_restored_after_a_block() -> None:
    """Ignored signals stay ignored."""
    seen: list[int] = []
    handle((signal.SIGUSR1,), seen.append)
    ignore((signal.SIGHUP,))
    with temporary_handler((signal.SIGUSR1, signal.SIGHUP), lambda number: seen.append(-number)):
        signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGHUP)
    signal.raise_signal(signal.SIGUSR1)
    assert seen == [-signal.SIGUSR1, signal.SIGUSR1]
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_signals_are_held_back_until_the_block_ends() -> None:
    """Also if the kernel delivers them to another thread because this one blocks them."""
    raise_interrupts()
    done: list[str] = []
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt), hold_signals():
            with hold_signals():
                os.kill(os.getpid(), signal.SIGTERM)
                os.kill(os.getpid(), signal.SIGINT)
                end = time.monotonic() + 20
                while len(signals._hold.waiting) < 2 and time.monotonic() < end:
                    pass  # the kernel may take a while; a later signal would end the test run
            done.append("steps that belong together")
        with hold_signals():
            done.append("nothing is left of it")
    finally:
        stop.set()
        other.join()
    assert len(done) == 2


STARTED = """
import os, select, signal, sys, threading
from pwtourney.executor.worker import WorkerProcess
from pwtourney.signals import raise_interrupts

raise_interrupts()
arrived, arriving = os.pipe()
os.set_blocking(arriving, False)
signal.set_wakeup_fd(arriving)
threading.Thread(target=threading.Event().wait, daemon=True).start()

def interrupt(frame, event, argument):
    # multiprocess opens the pipe by which a process that it has started gets to know its job
    if event == "c_call" and argument is open and frame.f_code.co_name == "_launch":
        os.kill(os.getpid(), signal.SIGINT)
        select.select([arrived], [], [], 10)

sys.setprofile(interrupt)
try:
    WorkerProcess(None, None)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
def test_interrupted_start_of_a_worker_prints_nothing() -> None:
    """It printed an EOFError when Ctrl-C came between its start and its first message."""
    done = run(STARTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")


GRACE = """
import signal, time
from pwtourney.signals import SoftStop

signal.signal(signal.SIGALRM, signal.SIG_IGN)
try:
    with SoftStop(0.05, lambda: None) as stop:
        stop.ask()
        time.sleep(30)
except KeyboardInterrupt:
    print(stop.is_requested)
"""


def test_grace_ends_even_if_alarms_are_ignored() -> None:
    """The parent process does not know about our timer."""
    assert run(GRACE, timeout=20).stdout == "True\n"


ASKED_TWICE = """
import signal
from pwtourney.signals import SoftStop

seconds = 0.0
for first, second, later in (
    ("SIGTERM", "SIGTERM", 0.9), ("SIGINT", "SIGHUP", 60), ("SIGHUP", "SIGTERM", 0.9),
    ("SIGTERM", "SIGTERM", 1.1), ("SIGHUP", "SIGINT", 0), ("SIGINT", "SIGINT", 0),
):
    try:
        with SoftStop(1000, lambda: None, lambda: seconds):
            signal.raise_signal(getattr(signal, first))
            seconds += later
            signal.raise_signal(getattr(signal, second))
            print("waits")
    except KeyboardInterrupt:
        print("ends")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_grace_stands_still_while_a_run_is_paused() -> None:
    """It has all that was left when the pause ends; without a request there is nothing to hold."""
    done = run("""
from signal import ITIMER_REAL, getitimer
from pwtourney.signals import SoftStop, hold_timer

left = []
with SoftStop(1000, lambda: None) as stop:
    with hold_timer():
        pass
    left.append(getitimer(ITIMER_REAL)[0])
    stop.ask()
    with hold_timer():
        left.append(getitimer(ITIMER_REAL)[0])
    left.append(getitimer(ITIMER_REAL)[0])
left.append(getitimer(ITIMER_REAL)[0])
print([round(each) for each in left])
""")
    assert done.stdout == "[0, 0, 1000, 0]\n", done.stderr


def test_only_a_second_request_ends_a_run_at_once() -> None:
    """A second signal of one event does not: of a closed terminal, or a SIGTERM within a second."""
    assert run(ASKED_TWICE).stdout.split() == ["waits"] * 3 + ["ends"] * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["arena.analyse.examiner", "arena.play.bots_inside", "library.separate_process"]
)
def test_own_processes_without_a_request_print_nothing(module: str) -> None:
    """Their parent may end before it sends a request."""
    done = run(f"from pwtourney.{module} import main; main()")
    assert (done.stdout, done.stderr) == ("", "")


LOADING = """
import os, signal, time
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(30)
"""


def test_first_process_of_a_container_ends_while_loading(tmp_path: Path) -> None:
    """The kernel drops signals with default handlers; shells report SIGTERM as 143."""
    (tmp_path / "click").mkdir()
    (tmp_path / "click" / "__init__.py").write_text(LOADING)
    done = subprocess.run(
        [*need_new_processes(), sys.executable, "-m", "pwtourney", "bots"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")
