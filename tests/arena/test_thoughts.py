"""What is passed on of a bot's thoughts, and when."""

import time

import pytest

from pwtourney.arena.analyse.thoughts import Reporter, Thoughts
from tests.arena.reports import Output
from tests.rules.positions import START

MILLISECOND = 1_000_000
"""In nanoseconds."""


def test_event_is_a_line_that_is_sent_at_once(out: Output, reporter: Reporter) -> None:
    """A note is one line of text without control characters."""
    reporter.tell("begin", a=1)
    assert out.whole == '{"kind": "begin", "a": 1}\n'
    reporter.note("one\ntwo \x1b")
    assert out.events[1] == {"kind": "note", "text": "one?two ?"}


def test_thoughts_are_passed_on_at_intervals(
    out: Output, reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thoughts come 50 ms after the last one, or at the end; times are in ms since the question."""
    now = 1_000 * MILLISECOND
    monkeypatch.setattr(time, "monotonic_ns", lambda: now)
    thoughts = Thoughts(START, reporter)
    for milliseconds, depth in ((1, 1), (30, 2), (50.5, 3), (51, 4), (100, 5), (101, 6), (102, 7)):
        now = round((1_000 + milliseconds) * MILLISECOND)
        thoughts.hear(f"depth {depth}")
    assert [(event["kind"], event["ms"], event["depth"]) for event in out.events] == [
        ("info", 1, 1),
        ("info", 51, 4),
        ("info", 101, 6),
    ]
    now = 1_110 * MILLISECOND + 999_999
    thoughts.flush()
    assert [(event["ms"], event["depth"]) for event in out.events[3:]] == [(110, 7)]
    thoughts.flush()
    assert len(out.events) == 4


def hear(infos: list[str], lines: int, out: Output, reporter: Reporter) -> list[tuple[int, int]]:
    """Return the ranks and depths that are passed on at the end, and nothing before."""
    thoughts = Thoughts(START, reporter, lines)
    thoughts._flushed_at = time.monotonic_ns() + 10**6 * MILLISECOND
    for info in infos:
        thoughts.hear(info)
    thoughts.flush()
    return [(event["rank"], event["depth"]) for event in out.events]


def test_latest_info_of_each_line_is_passed_on(out: Output, reporter: Reporter) -> None:
    """The best line comes first; an info without a rank is about that line."""
    infos = [
        "multipv 1 depth 1",
        "multipv 2 depth 1",
        "multipv 2 depth 2",
        "depth 3 multipv 3",
        "depth 2",
    ]
    assert hear(infos, 3, out, reporter) == [(1, 2), (2, 2), (3, 3)]


@pytest.mark.parametrize("rank", ["0", "-1", "99", str(10**20), "4", "two", "01", "1.0"])
def test_lines_that_nobody_asked_for_are_left_out(
    rank: str, out: Output, reporter: Reporter
) -> None:
    """A bot was asked for three: another rank neither fails nor replaces a line."""
    infos = ["depth 7 score 1", f"multipv {rank} depth 9 score 5"]
    assert hear(infos, 3, out, reporter) == [(1, 7)]


def test_lines_that_came_together_do_not_wait_for_the_next_ones(
    out: Output, reporter: Reporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second line is passed on 50 ms after the first, although the bot is silent."""
    now = 1_000 * MILLISECOND
    monkeypatch.setattr(time, "monotonic_ns", lambda: now)
    thoughts = Thoughts(START, reporter, 2)
    thoughts.hear("multipv 1 depth 4")
    thoughts.hear("multipv 2 depth 4")
    thoughts.flush_if_due()
    assert [event["rank"] for event in out.events] == [1]
    now += 50 * MILLISECOND
    thoughts.flush_if_due()
    assert [(event["rank"], event["ms"]) for event in out.events] == [(1, 0), (2, 50)]
    thoughts.flush_if_due()
    assert len(out.events) == 2


def test_moves_of_a_line_are_given_with_their_seats(out: Output, reporter: Reporter) -> None:
    """Patch 15 moves seat 0 by 4 spaces; seat 1 passes it, advancing by 5, and seat 0 is next."""
    thoughts = Thoughts(START, reporter)
    thoughts.hear("score 1 line 15:r0:a1,advance,advance")
    thoughts.flush()
    assert out.events[-1]["seats"] == [0, 1, 0]
