"""Check that a bot keeps to the protocol, in numbered steps from its start to whole games.

This implements ``pwtourney check``. The steps talk to the bot's own process over its pipes, as the
runner does, and ask what a runner may ask. The rules that they check are in ``docs/protocol.md``.
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
