"""Parse the ``info`` lines of a bot, as described in ``docs/protocol.md``."""

import re

__all__ = ["parse_pairs", "parse_score"]

_SCORE = re.compile(
    r"(?:(?!text )[^ ]+ [^ ]+ )*?score (-?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?: |$)", re.ASCII
)
"""Pairs of words up to a score; after ``text`` anything may follow."""


def parse_score(info: str) -> float | None:
    """Return the final margin that a bot expects, in points and from its own seat.

    Returns None if it gave none, or not in the number format of the protocol.
    """
    score = _SCORE.match(info)
    return float(score[1]) if score else None


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
