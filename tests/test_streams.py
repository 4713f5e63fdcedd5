"""The standard streams of a process, however it was started."""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from pwtourney.streams import take_over

SET_UP = "import os, signal, subprocess, sys; from pwtourney.streams import *; "


def start(program: str, output: int, errors: int) -> "subprocess.Popen[bytes]":
    """Start a Python program with these streams."""
    words = [sys.executable, "-c", SET_UP + program]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)


def test_missing_streams_are_opened_for_us_and_for_children(tmp_path: Path) -> None:
    """On the null device, before any other file gets their descriptors."""
    program = (
        "open_missing(); file = open('told', 'wb'); "
        'look = \'import os; [os.write(3, os.readlink(f"/proc/self/fd/{n}").encode() + b" ")'
        " for n in (0, 1, 2)]'; "
        "subprocess.run([sys.executable, '-c', look], pass_fds=[file.fileno()])"
    )
    done = subprocess.run(
        ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", sys.executable, "-c", SET_UP + program],
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert (tmp_path / "told").read_text() == f"{os.devnull} " * 3


def test_output_to_a_nonblocking_stream_is_written_completely() -> None:
    """Another program may have made the terminal or pipe non-blocking."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = start("set_up(); print('x' * 500_000)", writer, subprocess.DEVNULL)
    os.close(writer)
    wait_until_full(reader)
    with open(reader, "rb") as file:
        assert len(file.read()) == 500_001
    assert process.wait(20) == 0


def test_signal_handler_may_print_during_a_print() -> None:
    """Python's buffered writer raises an error then, and the interrupted print would fail."""
    reader, writer = os.pipe()
    process = start(
        "set_up(); signal.signal(signal.SIGUSR1, lambda *_: print('heard', file=sys.stderr)); "
        "print('x' * 500_000, file=sys.stderr)",
        subprocess.DEVNULL,
        writer,
    )
    os.close(writer)
    wait_until_full(reader)
    process.send_signal(signal.SIGUSR1)
    with open(reader, "rb") as file:
        text = file.read()
    assert process.wait(20) == 0
    assert text.count(b"x") == 500_000
    assert b"heard" in text


def wait_until_full(pipe: int) -> None:
    """Wait until a pipe is full."""
    size = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
    end = time.monotonic() + 20
    waiting = 0
    while waiting < size:
        assert time.monotonic() < end
        (waiting,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
        time.sleep(0.01)


@pytest.mark.parametrize("stream", ["/dev/full", "a pipe", "a file"])
def test_messages_that_cannot_be_written_are_dropped(stream: str, tmp_path: Path) -> None:
    """For any reason: a full disk, no reader, or a read-only stream."""
    if stream == "a pipe":
        reader, errors = os.pipe()
        os.close(reader)
    elif stream == "a file":
        (tmp_path / "file").touch()
        errors = os.open(tmp_path / "file", os.O_RDONLY)
    else:
        errors = os.open(stream, os.O_WRONLY)
    process = start(
        "set_up(); print('lost', file=sys.stderr); print('kept')", subprocess.PIPE, errors
    )
    os.close(errors)
    assert process.communicate(timeout=20)[0] == b"kept\n"
    assert process.returncode == 0


def test_output_that_cannot_be_written_is_an_error() -> None:
    """Even optional output: a full disk differs from a reader that has left."""
    full = os.open("/dev/full", os.O_WRONLY)
    process = start("set_up(); make_output_optional(); print('kept')", full, subprocess.PIPE)
    os.close(full)
    assert b"standard output: No space left on device" in process.communicate(timeout=20)[1]
    assert process.returncode == 1


def test_stream_that_is_taken_over_serves_nobody_else() -> None:
    """A bot that inherits the number reads nothing, and what it writes is lost."""
    reader, writer = os.pipe()
    commands, answers = take_over(reader, "r"), take_over(writer, "w")
    os.write(writer, b"lost")
    assert os.read(reader, 10) == b""
    answers.write("é\n")
    answers.close()
    assert commands.readlines() == ["é\n"]
    assert commands.encoding == "utf-8"
    commands.close()
    for number in (reader, writer):
        assert os.fstat(number).st_rdev == os.stat(os.devnull).st_rdev
        os.close(number)
