"""The text of actions, positions and deals; every text parses back to its value.

The grammar is in ``docs/notation.md``.
"""

from pwtourney.notation.position_text import (
    EDITION_WORDS,
    edition_lines,
    parse_edition_lines,
    parse_position,
    position_text,
)
from pwtourney.notation.words import (
    action_text,
    card_text,
    is_card,
    parse_action,
    parse_number,
    quote,
    read_action,
)

__all__ = [
    "EDITION_WORDS",
    "action_text",
    "card_text",
    "edition_lines",
    "is_card",
    "parse_action",
    "parse_edition_lines",
    "parse_number",
    "parse_position",
    "position_text",
    "quote",
    "read_action",
]
