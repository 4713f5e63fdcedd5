"""What a bot says of its thinking with ``info``, as ``docs/protocol.md`` describes it."""

import re

__all__ = ["parse_score"]

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
