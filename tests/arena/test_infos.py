"""Infos of bots, read by the position in which the bot thinks."""

import pytest

from pwtourney.arena.infos import BotInfo, read_info
from pwtourney.rules import ADVANCE
from tests.rules.positions import START


def test_words_that_are_no_known_pairs_are_a_text() -> None:
    """Known words are depth, nodes, score and line; a text without pairs is shown whole."""
    info = read_info("depth 3 seldepth 9 time 40 text so so", START)
    assert (info.depth, info.text) == (3, "seldepth 9 time 40 so so")
    assert read_info("nodes 5 score 1", START).text == ""
    assert read_info("thinking hard about it", START).text != ""
    assert read_info("hm", START).text == "hm"
    assert read_info("", START) == BotInfo(None, None, None, (), "")
    assert read_info("text " + "x" * 301, START).text == "x" * 300
    assert read_info("text \x1b[31m\u202e", START).text == "?[31m?"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("0", 0),
        ("9" * 15, 999_999_999_999_999),
        ("9" * 16, None),
        ("-1", None),
        ("1.5", None),
        ("\N{ARABIC-INDIC DIGIT THREE}", None),
        ("\N{SUPERSCRIPT TWO}", None),
    ],
)
def test_counts_have_at_most_fifteen_digits(text: str, count: int | None) -> None:
    """JavaScript holds such integers exactly (below 2**53)."""
    info = read_info(f"depth {text} nodes {text}", START)
    assert (info.depth, info.nodes) == (count, count)


def test_line_of_a_bot_ends_before_its_first_impossible_move() -> None:
    """Both seats advance; patch 20 is not on offer, and `pass` is not an action."""
    for wrong in ("20:r0:a1", "pass"):
        info = read_info(f"line advance,advance,{wrong},advance", START)
        assert info.line == ("advance", "advance")
    # empty words are skipped, and every spelling of a placement becomes the usual one
    assert read_info("line advance,,15:r0:a1", START).line == ("advance", "15:r0:a1")


def test_line_of_a_bot_has_at_most_forty_moves() -> None:
    """Both seats advance; seat 1 comes first to the special patches on 20, 26, 32 and 44."""
    advances = (20, 6, 6, 12)
    line = [
        word
        for count, square in zip(advances, "abcd", strict=True)
        for word in (*["advance"] * count, f"leather:{square}1")
    ]
    assert len(line) == 48
    assert read_info(f"line {','.join(line)}", START).line == tuple(line[:40])
    assert read_info(f"line {','.join(line)}", START, 3).line == ("advance",) * 3


def test_info_is_read_in_parts() -> None:
    """An info has a depth, nodes, a margin, and the legal part of a line."""
    info = read_info("depth 3 nodes 40 score 2.5 line advance,advance,leather:a1", START)
    assert info == BotInfo(3, 40, 2.5, ("advance", "advance"))


def test_margin_is_that_of_the_first_seat() -> None:
    """A bot gives it from its own seat; seat 1 is to move after the first one has advanced."""
    assert read_info("score 4.5", START).margin == 4.5
    assert read_info("score 4.5", START.apply(ADVANCE)).margin == -4.5
    assert read_info("score low", START).margin is None
    assert read_info("text my score 5", START) == BotInfo(text="my score 5")


def test_rank_of_an_info_is_not_a_part_of_its_text() -> None:
    """The rank belongs to a line; a word that pages do not know is part of the text."""
    info = read_info("multipv 2 depth 3 time 40 score 2.5", START)
    assert (info.depth, info.margin, info.text) == (3, 2.5, "time 40")
