"""Causes of faults that are read from a bot's standard error and lines."""

import time

import pytest

from pwtourney.errors import BotFault, TimeoutFault
from pwtourney.match.causes import explain, explain_unknown_line
from pwtourney.process.crash import find_reason
from pwtourney.process.silence import NOT_FLUSHED

EMPTY = "bots run in an empty folder, so their own files need a whole path"
UNKNOWN = "it wrote 'advance', whose first word is unknown: an answer is `move ACTION`"


@pytest.mark.parametrize(
    ("fault", "stderr", "expected"),
    [
        ("exited with code 3", "Error: no net", "exited with code 3: Error: no net"),
        ("exited with code 3", "depth 5", "exited with code 3"),
        ("exited with code 0", "Error: no net", "exited with code 0"),
        ("was killed by signal SIGKILL", "Error: no net", "was killed by signal SIGKILL"),
        (
            "was killed by signal SIGABRT",
            "wren.c:3: Assertion `x` failed.",
            "was killed by signal SIGABRT: wren.c:3: Assertion `x` failed.",
        ),
        (
            "exited with code 1",
            "net.txt: No such file or directory",
            f"exited with code 1: net.txt: No such file or directory; {EMPTY}",
        ),
        (
            "exited with code 1",
            "No such file or directory: '/opt/net.txt'",
            "exited with code 1: No such file or directory: '/opt/net.txt'",
        ),
    ],
)
def test_end_of_a_program_is_explained_by_its_own_words(
    fault: str, stderr: str, expected: str
) -> None:
    """Not the end of one that was killed from outside, or that had nothing more to do."""
    crash = BotFault("crash", fault)
    explained = explain(crash, stderr)
    assert str(explained) == expected
    assert (explained is crash) == (expected == fault)


def test_message_of_a_bot_that_waits_is_a_remark() -> None:
    """Engines log all the time, so the message does not replace the cause that is seen."""
    waits = TimeoutFault(NOT_FLUSHED, idle=True)
    cause = str(explain(waits, "cache: position not found"))
    assert cause.endswith("at a time; its standard error says: cache: position not found")
    assert explain(waits, "turn 12, best line 4") is waits
    busy = TimeoutFault()
    assert explain(busy, "error: no net") is busy


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (TimeoutFault(idle=True), UNKNOWN),
        (TimeoutFault(NOT_FLUSHED, idle=True), f"{UNKNOWN}; or {NOT_FLUSHED}"),
        (TimeoutFault(), ""),
        (TimeoutFault("its line 'm' has no newline at its end", idle=True), None),
    ],
    ids=["idle", "waits for input", "computes", "unfinished line"],
)
def test_unknown_line_is_a_cause_only_if_the_bot_is_idle(
    fault: TimeoutFault, expected: str | None
) -> None:
    """A bot that still computes wrote it for debugging, and an unfinished line says more."""
    explained = explain_unknown_line(fault, UNKNOWN)
    assert explained.cause == (fault.cause if expected is None else expected)
    assert explain_unknown_line(fault, "") is fault


@pytest.mark.timeout(20)
def test_long_text_takes_no_time_to_search() -> None:
    """A bot may write what a pattern searches for ten thousand times, in one line."""
    began = time.process_time()
    assert find_reason("panicked at " * 10_000 + ":1" * 60_000) is not None
    assert time.process_time() - began < 2
