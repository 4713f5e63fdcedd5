"""What a bot says of its thinking with ``info``, as ``docs/protocol.md`` describes it."""

import re

__all__ = ["parse_pairs", "parse_score"]

_SCORE = re.compile(
    r"(?:(?!text )[^ ]+ [^ ]+ )*?score (-?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?: |$)", re.ASCII
)
"""Words in pairs up to a score; behind ``text`` anything may stand."""


def parse_score(info: str) -> float | None:
    """Return the final margin that a bot expects, in points and from its own seat.

    None if it gave none, or not as the protocol writes numbers.
    """
    score = _SCORE.match(info)
    return float(score[1]) if score else None


def parse_pairs(info: str) -> dict[str, str]:
    """Return the words of an ``info`` by the word before each; behind ``text``, all that follows.

    A word that is given twice counts as it was given first, and one without a value is left out.
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
