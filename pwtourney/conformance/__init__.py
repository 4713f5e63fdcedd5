"""Does a bot keep to the protocol? Numbered steps, from its start to whole games.

Behind ``pwtourney check``. The steps talk to the bot's own process over its pipes, as the runner
does, and ask what a runner may ask; what they hold a bot to is ``docs/protocol.md``.
"""

from pwtourney.conformance.report import (
    check_json,
    check_junit,
    failure_text,
    outcome_text,
    timing_text,
)
from pwtourney.conformance.run import AFTER_FAILURE, STEPS, take_steps
from pwtourney.conformance.step import CheckContext, Outcome, Step

__all__ = [
    "AFTER_FAILURE",
    "STEPS",
    "CheckContext",
    "Outcome",
    "Step",
    "check_json",
    "check_junit",
    "failure_text",
    "outcome_text",
    "take_steps",
    "timing_text",
]
