"""One bot process and its pipes: deadlines, limits, environment, and how it ends."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pwtourney.errors import BotFault
from pwtourney.process import BotProcess, RunnerGone
from pwtourney.process.bot_processes import lifelines
from pwtourney.process.child import StderrBuffer
from pwtourney.sandbox.launch import Launch, Limits
from tests.misbehaving import LONG

LIMITS = Limits(end_ms=100, line=1000, output=5000, stderr=50)
Start = Callable[[str], BotProcess]


def soon(milliseconds: int = 20_000) -> int:
    """Return a deadline; the default of 20 s is one that no busy machine misses."""
    return time.monotonic_ns() + milliseconds * 1_000_000


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts Python code as a bot; every bot is ended after the test."""
    running: list[BotProcess] = []

    def run(code: str) -> BotProcess:
        launch = Launch((sys.executable, "-S", "-I", "-c", code), (("EXTRA", "given"),))
        running.append(BotProcess(launch, LIMITS, scratch_root=str(tmp_path)))
        return running[-1]

    yield run
    for process in running:
        process.end()
        process.clean_up()
    assert list(tmp_path.iterdir()) == []


def test_lines_go_both_ways(start: Start) -> None:
    """Lines are echoed, and each answer carries the time at which it was complete."""
    process = start("import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)")
    before = time.monotonic_ns()
    process.write("one\ntwo\n", soon())
    assert process.read_line(soon())[0] == b"ONE"
    line, instant = process.read_line(soon())
    assert (line, before < instant <= time.monotonic_ns()) == (b"TWO", True)


def test_missing_answer_is_a_timeout(start: Start) -> None:
    """The bot has written one line and owes another when the deadline passes."""
    process = start(f"print('early', flush=True); import time; time.sleep({LONG})")
    process.read_line(soon())
    with pytest.raises(BotFault, match="did not answer in time") as fault:
        process.read_line(soon(50))
    assert fault.value.verdict == "timeout"


@pytest.mark.parametrize("lines", [1, 2], ids=["in the pipe", "read with the line before"])
def test_answer_read_after_its_deadline_is_late(start: Start, lines: int) -> None:
    """An answer that is already in the pipe is late if it is read after the deadline.

    The protocol says that an answer late by any amount is late. With two lines written at once,
    reading the first also buffers the second.
    """
    process = start(
        f"import os, time\nos.write(1, b'answer\\n' * {lines})\n"
        f"os.write(2, b'written')\ntime.sleep({LONG})"
    )
    end = soon()
    while process.stderr != "written" and time.monotonic_ns() < end:
        time.sleep(0.001)
    for _ in range(lines - 1):
        process.read_line(soon())
    # A gap in the referee's own time moves the deadline: the sleep above would be one, and so is a
    # wait for a core on a busy machine, which is far below ten seconds.
    process.new_game()
    with pytest.raises(BotFault, match="did not answer in time") as fault:
        process.read_line(time.monotonic_ns() - 10_000_000_000)
    assert fault.value.verdict == "timeout"


def test_writing_to_a_bot_that_never_reads_times_out(start: Start) -> None:
    """A megabyte does not fit into a pipe; writing it has the same deadline as the answer."""
    process = start(f"import time; time.sleep({LONG})")
    started = time.monotonic()
    with pytest.raises(BotFault) as fault:
        process.write("x" * (1 << 20), soon(200))
    assert fault.value.verdict == "timeout"
    assert time.monotonic() - started < 20, "not as long as the bot sleeps"


def test_a_large_request_is_written_in_parts(start: Start) -> None:
    """A bot that reads slowly gets the whole request, and may write in the meantime."""
    process = start(
        "import sys, time\ntotal = 0\n"
        "while total < 1 << 20: time.sleep(0.001); total += len(sys.stdin.read(1 << 16))\n"
        "print(total, flush=True); time.sleep(5)"
    )
    process.write("x" * (1 << 20), soon())
    assert process.read_line(soon())[0] == str(1 << 20).encode()


def test_a_closed_standard_input_is_a_crash(start: Start) -> None:
    """Writing to a bot that closed its input is a crash of the bot, not of the runner."""
    process = start("import os, time; os.close(0); print('closed', flush=True); time.sleep(5)")
    process.read_line(soon())
    with pytest.raises(BotFault, match="closed its standard input") as fault:
        process.write("hello\n", soon())
    assert fault.value.verdict == "crash"


def test_the_environment_is_an_allow_list(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens in the runner's environment do not reach a bot; its home is its scratch folder."""
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    process = start("import os; print(sorted(os.environ), os.getcwd() == os.environ['HOME'])")
    listed = process.read_line(soon())[0].decode()
    assert "SECRET_TOKEN" not in listed
    assert listed.endswith("True")
    for name in ("EXTRA", "HOME", "LANG", "LC_ALL", "PATH", "PYTHONHASHSEED", "TMPDIR"):
        assert repr(name) in listed


@pytest.mark.skipif(sys.platform != "linux", reason="limits are set on Linux")
def test_resource_limits_are_set(start: Start) -> None:
    """Core files are disabled; memory, open files and file sizes are limited."""
    process = start(
        "import resource as r, sys\nsys.stdin.readline()\n"
        "print([r.getrlimit(k)[1] for k in (r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE,"
        " r.RLIMIT_DATA)])"
    )
    process.write("go\n", soon())
    assert process.read_line(soon())[0].decode() == str(
        [0, LIMITS.file, LIMITS.files, LIMITS.memory * 5 // 4]
    )


def test_unasked_output_is_returned_as_lines_or_is_a_fault(start: Start) -> None:
    """Whole lines are returned; a partial answer before the request is a fault."""
    process = start("print('info a\\ninfo b', flush=True); import time; time.sleep(5)")
    lines: list[bytes] = []
    end = time.monotonic() + 5
    while len(lines) < 2 and time.monotonic() < end:
        lines += process.read_unasked()
    assert lines == [b"info a", b"info b"]
    process = start("print('x\\nmove adv', end='', flush=True); import time; time.sleep(5)")
    with pytest.raises(BotFault, match="spoke out of turn"):
        while time.monotonic() < end:
            process.read_unasked()


def test_stderr_of_a_process_keeps_its_beginning(start: Start) -> None:
    """The first bytes up to the limit are kept, no matter how much follows."""
    process = start("import sys; sys.stderr.write('e' * 9999); sys.stderr.flush(); print('done')")
    process.read_line(soon())
    process.end()
    assert process.stderr == "e" * 50


def test_waiting_for_a_bot_ends_when_the_runner_dies(start: Start) -> None:
    """A wait for a bot ends at once when the lifeline becomes readable."""
    reader, writer = os.pipe()
    lifelines.append(reader)
    try:
        process = start(f"import time; time.sleep({LONG})")
        os.close(writer)
        with pytest.raises(RunnerGone):
            process.read_line(soon())
    finally:
        lifelines.remove(reader)
        os.close(reader)


def test_stderr_buffer_keeps_its_beginning_and_end() -> None:
    """Of 1,000 bytes the first and last ten are kept, and the other 980 are counted."""
    kept = StderrBuffer(10)
    for number in range(100):
        kept.add(b"%010d" % number)
    assert kept.head == "0000000000"
    assert kept.text == "0000000000\n[980 bytes left out]\n0000000099"
    assert kept.total == 1000
    small = StderrBuffer(10)
    small.add(b"all of it is kept")
    assert small.text == "all of it is kept"


def test_late_line_is_kept_with_the_leftover_output(start: Start) -> None:
    """The late line is a timeout, and is still listed with the rest of the unread output."""
    process = start("print('answer')")
    assert process.exits_within(20_000)
    process.new_game()
    with pytest.raises(BotFault, match="did not answer in time"):
        process.read_line(time.monotonic_ns() - 10_000_000_000)
    assert process.leftover() == [b"answer"]


def test_slow_bot_is_waited_for_without_a_vain_read(start: Start) -> None:
    """The runner polls before it reads, until an answer was already there when it polled."""
    process = start(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    time.sleep(float(line))\n"
        "    print('answer', flush=True)"
    )
    quick: list[bool] = []
    while quick[-2:] != [False, False] and len(quick) < 20:  # a busy machine can delay any look
        # between two looks of the runner, which come every 50 ms
        process.write("0.325\n", soon())
        assert process.read_line(soon())[0] == b"answer"
        quick.append(process._is_quick)
    assert quick[-2:] == [False, False]
    for _ in range(100):  # a busy machine can make any wait long
        process.write("0\n", soon())
        assert process._spoken.poll(20_000), "it answers"
        assert process.read_line(soon())[0] == b"answer"
        if process._is_quick:
            break
    assert process._is_quick
