"""A bot as a child process: starting it, talking to it with deadlines, metering it, ending it."""

from pwtourney.process.bot_processes import RunnerGone, watch_lifeline
from pwtourney.process.child import BotProcess
from pwtourney.process.starting import SCRATCH_PREFIX, make_scratch, remove_scratch
from pwtourney.process.templates import Templates

__all__ = [
    "SCRATCH_PREFIX",
    "BotProcess",
    "RunnerGone",
    "Templates",
    "make_scratch",
    "remove_scratch",
    "watch_lifeline",
]
