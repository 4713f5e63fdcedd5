"""Does a bot keep to the protocol? Numbered steps, from its start to whole games.

Behind ``pwtourney check``. The steps talk to the bot's own process over its pipes, as the runner
does, and ask what a runner may ask; what they hold a bot to is ``docs/protocol.md``.
"""

from pwtourney.conformance.check import (
    AFTER_FAILURE,
    STEPS,
    Outcome,
    check_json,
    check_junit,
    closing_text,
    outcome_text,
    take_steps,
)
from pwtourney.conformance.talk import CheckContext, Step

__all__ = [
    "AFTER_FAILURE",
    "STEPS",
    "CheckContext",
    "Outcome",
    "Step",
    "check_json",
    "check_junit",
    "closing_text",
    "outcome_text",
    "take_steps",
]
