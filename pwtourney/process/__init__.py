"""A bot as a child process: started, spoken to under deadlines, accounted for, ended for good."""

from pwtourney.process.child import BotProcess
from pwtourney.process.hindrance import Hindrance
from pwtourney.process.lifeline import RunnerGone, watch_lifeline
from pwtourney.process.scratch import make_scratch, remove_scratch

__all__ = [
    "BotProcess",
    "Hindrance",
    "RunnerGone",
    "make_scratch",
    "remove_scratch",
    "watch_lifeline",
]
