"""The text of actions, positions and deals; every one parses back to what it came from.

The grammar is written down in ``docs/notation.md``.
"""

from pwtourney.notation.action import action_text, parse_action, read_action
from pwtourney.notation.position import parse_position, position_text
from pwtourney.notation.token import parse_number

__all__ = [
    "action_text",
    "parse_action",
    "parse_number",
    "parse_position",
    "position_text",
    "read_action",
]
