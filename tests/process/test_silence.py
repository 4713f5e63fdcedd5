"""The likely cause of a missing answer, found while the bot still runs."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pwtourney.errors import TimeoutFault
from pwtourney.process import BotProcess
from pwtourney.process.silence import Silence, observe_silence
from pwtourney.sandbox.launch import Launch, Limits
from tests.misbehaving import LONG

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the system does not tell elsewhere"
)

FORGETFUL = {
    "python": "import sys; sys.stdout.write('up\\n'); sys.stdout.flush()\n"
    "for line in sys.stdin: print('move pass')",
    "perl": "$| = 1; print qq(up\\n); $| = 0; while (<STDIN>) { print qq(move pass\\n) }",
    "awk": 'BEGIN { print "up"; fflush() } { print "move pass" }',
    "sh": "echo up; tr a-z A-Z",
}
"""Programs that answer each line into a buffer, by what runs them."""

CALLS = {
    "python": [sys.executable, "-c"],
    "perl": ["perl", "-e"],
    "awk": ["awk"],
    "sh": ["sh", "-c"],
}


LISTENS = "import threading\nthreading.Thread(target=os.read, args=(0, 9), daemon=True).start()\n"
"""A thread that waits for `stop`, as in any engine."""


@contextmanager
def running(words: list[str], scratch: Path) -> Iterator[BotProcess]:
    """Run a program that says that it is up; it is ended after the test."""
    process = BotProcess(Launch(tuple(words)), Limits(end_ms=100), scratch_root=str(scratch))
    try:
        assert process.read_line(time.monotonic_ns() + 20_000_000_000)[0] == b"up"
        yield process
    finally:
        process.end()
        process.clean_up()


def find_cause(process: BotProcess, patience: float = 20.0) -> str:
    """Wait for an answer until a cause is named, or `patience` is over; return the cause."""
    end = time.monotonic() + patience
    while True:
        with pytest.raises(TimeoutFault, match="did not answer in time") as caught:
            process.read_line(time.monotonic_ns() + 50_000_000)
        if caught.value.cause or time.monotonic() > end:
            return caught.value.cause


@pytest.mark.parametrize("language", FORGETFUL)
def test_answer_that_is_not_flushed_is_named(tmp_path: Path, language: str) -> None:
    """A bot that waits for the next line while it owes an answer keeps that in a buffer."""
    if not shutil.which(CALLS[language][0]):
        pytest.skip(f"{language} is not installed")
    with running([*CALLS[language], FORGETFUL[language]], tmp_path) as process:
        process.write("go\n", None)
        assert find_cause(process) == (
            "it waits for more input: its answer lies in a buffer (flush after each line), or it"
            " reads more than one line at a time"
        )


def test_line_without_an_end_is_named(tmp_path: Path) -> None:
    """Its bytes arrived, and are shown, but the newline is missing."""
    code = (
        "import os; os.write(1, b'up\\n'); os.read(0, 9); os.write(1, b'move pass'); os.read(0, 9)"
    )
    with running([sys.executable, "-c", code], tmp_path) as process:
        process.write("go\n", None)
        assert find_cause(process) == "its line 'move pass' has no newline at its end"


@pytest.mark.parametrize(
    "busy",
    [
        f"time.sleep({LONG})",
        f"{LISTENS}time.sleep({LONG})",
        f"end = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass",
        f"import subprocess; subprocess.run(['sleep', '{LONG}'], stdin=subprocess.PIPE)",
    ],
    ids=["asleep", "asleep and listening", "computing", "waiting for a child"],
)
def test_bot_that_is_busy_is_not_blamed_for_its_buffer(tmp_path: Path, busy: str) -> None:
    """Nothing is known of why it takes so long, so nothing is said."""
    code = f"import os, time\nos.write(1, b'up\\n'); os.read(0, 9)\n{busy}"
    with running([sys.executable, "-c", code], tmp_path) as process:
        process.write("go\n", None)
        assert find_cause(process, patience=0.3) == ""


def test_bot_that_computes_and_listens_is_not_blamed(tmp_path: Path) -> None:
    """A thread waits for `stop` while another searches, as in any engine."""
    code = (
        "import os, threading, time\nos.write(1, b'up\\n'); os.read(0, 9)\n"
        "threading.Thread(target=os.read, args=(0, 9), daemon=True).start()\n"
        f"end = time.monotonic() + {LONG}\nwhile time.monotonic() < end: pass"
    )
    with running([sys.executable, "-c", code], tmp_path) as process:
        process.write("go\n", None)
        assert find_cause(process, patience=0.3) == ""


def test_running_thread_counts_only_if_the_bot_computes(tmp_path: Path) -> None:
    """Run times have threads of their own; this test's own thread runs while it is inspected."""
    code = "import os; os.write(1, b'up\\n'); os.read(0, 9); os.read(0, 9)"
    with running([sys.executable, "-c", code], tmp_path) as process:
        process.write("go\n", None)
        assert find_cause(process)
        mine = f"/proc/self/task/{threading.get_native_id()}"
        threads = [f"/proc/{process.pid}/task/{process.pid}", mine]
        silence = observe_silence(threads, process._stdin, computes=False)
        assert silence == Silence(idle=True, reads=True)
        assert observe_silence(threads, process._stdin, computes=True) == Silence()
