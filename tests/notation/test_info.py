"""What is read from the infos of bots, which may write anything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.notation.info import MOST_LINES, parse_rank, parse_score


@pytest.mark.parametrize(
    ("info", "rank"),
    [
        ("", 1),
        ("depth 3 score 2", 1),
        ("multipv 1 depth 3", 1),
        ("depth 3 multipv 5", 5),
        ("multipv 2 multipv 3", 2),
        ("depth 3 text multipv 2", 1),
        ("depth 3 multipv", 1),
        ("a-multipv 2", 1),
        ("multipv 0", None),
        ("multipv -1", None),
        ("multipv 6", None),
        ("multipv 99", None),
        (f"multipv {10**20}", None),
        ("multipv 02", None),
        ("multipv 2.0", None),
        ("multipv two", None),
        ("multipv \N{ARABIC-INDIC DIGIT TWO}", None),
    ],
)
def test_info_is_about_one_of_five_lines(info: str, rank: int | None) -> None:
    """Without a rank it is about the best line; other ranks are about none."""
    assert parse_rank(info) == rank


@pytest.mark.parametrize("rank", ["2", "0", "99", "x"])
def test_score_of_another_line_is_not_the_score_of_the_bot(rank: str) -> None:
    """The rank may come before or after the score."""
    assert parse_score("multipv 1 score 4.5") == 4.5
    assert parse_score(f"multipv {rank} score 4.5") is None
    assert parse_score(f"score 4.5 multipv {rank}") is None


@given(st.lists(st.sampled_from(["multipv", "score", "text", "1", "2", "-3", "x", ""]), max_size=9))
def test_any_info_has_a_rank_of_a_line_or_none(words: list[str]) -> None:
    """No order of words fails, and only infos about the best line have a score."""
    info = " ".join(words)
    rank = parse_rank(info)
    assert rank is None or 1 <= rank <= MOST_LINES
    assert rank == 1 or parse_score(info) is None
