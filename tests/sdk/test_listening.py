"""The lines that a bot reads, and whether it must stop, through real pipes."""

import os
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.sdk.listening import RunnerLines


class Pipe:
    """A pipe from a runner to a bot."""

    def __init__(self) -> None:
        source, self.sink = os.pipe()
        self.source = source
        self.lines = RunnerLines(source)
        self.coming = iter(self.lines)

    def write(self, data: bytes) -> None:
        """Write what the runner says."""
        os.write(self.sink, data)

    def close_input(self) -> None:
        """Let the runner go."""
        os.close(self.sink)
        self.sink = -1

    def close(self) -> None:
        """Close both ends."""
        for descriptor in (self.source, self.sink):
            if descriptor >= 0:
                os.close(descriptor)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """Return a pipe, which is closed at the end."""
    opened_pipe = Pipe()
    yield opened_pipe
    opened_pipe.close()


def comes_to_stop(lines: RunnerLines) -> bool:
    """Return True if the bot must stop, after the few milliseconds between two looks."""
    end = time.monotonic() + 1
    while time.monotonic() < lines._next_look:
        assert time.monotonic() < end
    return lines.must_stop()


@given(st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b""))), st.data())
def test_lines_are_the_same_however_they_arrive(lines: list[bytes], data: st.DataObject) -> None:
    """Only the newline ends a line; the last one needs none."""
    text = b"\n".join(lines)
    cut = data.draw(st.integers(0, len(text)))
    pipe = Pipe()
    try:
        pipe.write(text[:cut])
        if cut:
            assert not pipe.lines._has_ended
            pipe.lines._receive()
        pipe.write(text[cut:])
        pipe.close_input()
        expected = text.decode("utf-8", "replace").split("\n")
        assert list(pipe.coming) == (expected if expected[-1] else expected[:-1])
    finally:
        pipe.close()


def test_line_longer_than_a_read_is_complete(pipe: Pipe) -> None:
    """A list of legal actions may be longer than 8 KiB."""
    line = b"legal " + b"x" * 50_000
    pipe.write(line + b"\ngo\n")
    assert [next(pipe.coming), next(pipe.coming)] == [line.decode(), "go"]


def test_bot_must_stop_once_the_runner_says_so(pipe: Pipe) -> None:
    """Other lines, which a newer runner may send, change nothing; none of them is lost."""
    pipe.write(b"go infinite\n")
    assert next(pipe.coming) == "go infinite"
    assert not pipe.lines.must_stop()
    pipe.write(b"\nweather fine\nsto")
    assert not comes_to_stop(pipe.lines)
    pipe.write(b"p\n")
    assert comes_to_stop(pipe.lines)
    assert pipe.lines.must_stop()
    pipe.write(b"position x\n")
    assert [next(pipe.coming) for _ in range(4)] == ["", "weather fine", "stop", "position x"]


def test_stop_that_came_with_the_question_is_seen(pipe: Pipe) -> None:
    """Both are read at once, so that nothing is left in the pipe."""
    pipe.write(b"go infinite\nstop\r\n")
    assert next(pipe.coming) == "go infinite"
    assert pipe.lines.must_stop()


def test_stop_of_an_earlier_turn_does_not_count(pipe: Pipe) -> None:
    """It crossed the answer: it is read before the next question."""
    pipe.write(b"go infinite\n")
    assert next(pipe.coming) == "go infinite"
    pipe.write(b"stop\nposition x\ngo infinite\n")
    assert [next(pipe.coming) for _ in range(3)] == ["stop", "position x", "go infinite"]
    assert not comes_to_stop(pipe.lines)


@pytest.mark.parametrize("leave", [Pipe.close_input, lambda pipe: pipe.write(b"quit\n")])
def test_bot_must_stop_when_the_runner_leaves(leave: object, pipe: Pipe) -> None:
    """Nobody reads its answer."""
    assert callable(leave)
    leave(pipe)
    assert pipe.lines.must_stop()
    assert comes_to_stop(pipe.lines)


def test_pipe_is_looked_at_every_few_milliseconds(pipe: Pipe) -> None:
    """A bot may ask at every node: between two looks, it costs no system call."""
    assert not pipe.lines.must_stop()
    pipe.write(b"stop\n")
    pipe.lines._next_look = time.monotonic() + 60
    assert not pipe.lines.must_stop()
    pipe.lines._next_look = 0
    assert pipe.lines.must_stop()
