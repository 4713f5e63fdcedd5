"""A bot as a child process: started, spoken to under deadlines, and ended without leftovers."""

from pwtourney.process.child import BotProcess
from pwtourney.process.launch import Launch, Limits
from pwtourney.process.lifeline import RunnerGone, watch_lifeline
from pwtourney.process.scratch import make_scratch, remove_scratch
from pwtourney.process.strays import Strays, become_subreaper

__all__ = [
    "BotProcess",
    "Launch",
    "Limits",
    "RunnerGone",
    "Strays",
    "become_subreaper",
    "make_scratch",
    "remove_scratch",
    "watch_lifeline",
]
