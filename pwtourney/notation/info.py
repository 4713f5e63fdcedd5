"""Parse the ``info`` lines of a bot, as described in ``docs/protocol.md``."""

import re

__all__ = ["MOST_LINES", "parse_pairs", "parse_rank", "parse_score"]

MOST_LINES = 5
"""The most lines of play that a bot is asked for at once (``multipv``)."""

_RANKS = {str(rank): rank for rank in range(1, MOST_LINES + 1)}

_SCORE = re.compile(
    r"(?:(?!text )[^ ]+ [^ ]+ )*?score (-?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?: |$)", re.ASCII
)
"""Pairs of words up to a score; after ``text`` anything may follow."""


def parse_score(info: str) -> float | None:
    """Return the final margin that a bot expects, in points and from its own seat.

    Returns None if it gave none, or not in the number format of the protocol, or only for a line
    that is not its best.
    """
    score = _SCORE.match(info)
    return float(score[1]) if score and parse_rank(info) == 1 else None


def parse_rank(info: str) -> int | None:
    """Return which line of the search an info is about: 1 is the best, and the default.

    Returns None if the info names a rank that is not a number from 1 to `MOST_LINES`.
    """
    if "multipv" not in info:  # nearly all infos: this runs on every ply
        return 1
    rank = parse_pairs(info).get("multipv")
    return 1 if rank is None else _RANKS.get(rank)


def parse_pairs(info: str) -> dict[str, str]:
    """Return the words of an ``info`` by the word before each; after ``text``, all that follows.

    Of a word that is given twice the first counts, and a word without a value is left out.
    """
    pairs: dict[str, str] = {}
    rest = info
    while rest:
        word, _, rest = rest.partition(" ")
        value, _, following = (rest, "", "") if word == "text" else rest.partition(" ")
        if word and value:
            pairs.setdefault(word, value)
        rest = following
    return pairs
