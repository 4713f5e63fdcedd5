"""A bot that closes its pipes is noticed before any deadline, in every sandbox."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from pwtourney.errors import BotFault
from pwtourney.process import BotProcess
from pwtourney.sandbox.backends import BACKENDS, Backend
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.orphans import Orphans, become_subreaper
from tests.misbehaving import LONG
from tests.needs import need_sandbox
from tests.program import ROOT
from tests.sandbox.helpers import LAUNCH, LIMITS, python, said

Start = Callable[[str], BotProcess]


@pytest.fixture(params=["none", *BACKENDS])
def around(request: pytest.FixtureRequest) -> Isolation:
    """Return the isolation of each sandbox, and that of a bot without one."""
    if request.param != "none":
        backend: Backend = request.param
        need_sandbox(backend, LAUNCH, LIMITS)
    return achieve(request.param, LAUNCH, LIMITS).isolation


@pytest.fixture
def start(around: Isolation) -> Iterator[Start]:
    """Return a function that starts Python code there; it is ended after the test."""
    become_subreaper()
    orphans = Orphans()
    running: list[BotProcess] = []

    def run(code: str) -> BotProcess:
        code = f"import os, subprocess, sys, time\n{code}\ntime.sleep({LONG})"
        running.append(BotProcess(python(code), LIMITS, around))
        return running[-1]

    yield run
    for process in running:
        process.end()
        process.clean_up()
    orphans.sweep()


@pytest.mark.slow
def test_closed_output_is_a_crash_at_once(start: Start) -> None:
    """No process of the sandbox holds the other end; bubblewrap's own process once did."""
    process = start("os.close(1)")
    with pytest.raises(BotFault, match=r"^closed its standard output$") as fault:
        process.read_line(None)
    assert fault.value.verdict == "crash"


@pytest.mark.slow
def test_input_closed_before_all_was_read_is_a_crash_at_once(start: Start) -> None:
    """Such a bot cannot know the request, and the runner would wait until the bot ends."""
    process = start("os.read(0, 1)\nos.close(0)")
    process.write("go movetime 100\n", None)
    with pytest.raises(BotFault, match=r"^closed its standard input$") as fault:
        process.read_line(None)
    assert fault.value.verdict == "crash"


@pytest.mark.slow
def test_input_closed_after_all_was_read_leaves_the_answer(start: Start) -> None:
    """The bot knows the request; only the next request cannot be written."""
    process = start("os.read(0, 99)\nos.close(0)\ntime.sleep(0.1)\nprint('move', flush=True)")
    process.write("go movetime 100\n", None)
    assert process.read_line(None)[0] == b"move"
    with pytest.raises(BotFault, match=r"^closed its standard input$"):
        process.write("quit\n", None)


def test_answer_before_closed_input_counts(start: Start) -> None:
    """Unread input, such as a line meant for other bots, does not invalidate the answer."""
    process = start("os.read(0, 1)\nprint('move', flush=True)\nos.close(0)")
    process.write("go movetime 100\n", None)
    assert process.read_line(None)[0] == b"move"


def test_exit_is_a_crash_although_a_child_holds_the_pipes(start: Start) -> None:
    """The stream does not end while the child runs, so the exit itself must be noticed."""
    process = start(f"subprocess.Popen(['sleep', '{LONG}'])\nos._exit(3)")
    with pytest.raises(BotFault, match=r"^exited with code 3$") as fault:
        process.read_line(None)
    assert fault.value.verdict == "crash"


def test_bot_has_only_its_standard_streams_open(around: Isolation) -> None:
    """No descriptor of the sandbox setup and no copy of a pipe is left open."""
    # descriptor 3 is the folder that is listed
    assert said(python("import os; print(*os.listdir('/proc/self/fd'))"), around) == ["0 1 2 3"]


@pytest.mark.slow
def test_standard_streams_work_if_the_filter_is_descriptor_3() -> None:
    """In a process with few open files, the system call filter is passed as descriptor 3."""
    need_sandbox("bwrap", LAUNCH, LIMITS)
    code = """
import os
from pwtourney.sandbox.backends import enclose
from pwtourney.sandbox.isolation import Isolation
from tests.program import ROOT
from tests.sandbox.helpers import LAUNCH, LIMITS, python, said
os.closerange(3, 99)
with enclose("bwrap", LAUNCH, LIMITS, seccomp=True) as (_, descriptors):
    print(*descriptors)
print(*said(python("print('here')"), Isolation("bwrap", seccomp=True)))
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert (done.stdout, done.stderr) == ("3\nhere\n", "")
