"""A bot as a child process: started, spoken to under deadlines, accounted for, ended for good."""

from pwtourney.process.bot_processes import (
    SCRATCH_PREFIX,
    RunnerGone,
    make_scratch,
    remove_scratch,
    watch_lifeline,
)
from pwtourney.process.child import BotProcess

__all__ = [
    "SCRATCH_PREFIX",
    "BotProcess",
    "RunnerGone",
    "make_scratch",
    "remove_scratch",
    "watch_lifeline",
]
