"""The text of actions, positions and deals; every one parses back to what it came from.

The grammar is written down in ``docs/notation.md``.
"""

from pwtourney.notation.action import action_text, parse_action, read_action
from pwtourney.notation.edition import EDITION_WORDS, edition_lines, parse_edition_lines
from pwtourney.notation.position import parse_position, position_text
from pwtourney.notation.token import parse_number, quote

__all__ = [
    "EDITION_WORDS",
    "action_text",
    "edition_lines",
    "parse_action",
    "parse_edition_lines",
    "parse_number",
    "parse_position",
    "position_text",
    "read_action",
    "quote",
]
