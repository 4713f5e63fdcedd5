"""A bot as a child process: started, kept apart, spoken to under deadlines, ended for good."""

from pwtourney.process.cgroup import CgroupRoot
from pwtourney.process.child import BotProcess
from pwtourney.process.hindrance import Hindrance
from pwtourney.process.isolation import Achieved, Isolation, Pondering, Wanted, achieve
from pwtourney.process.launch import Launch
from pwtourney.process.lifeline import RunnerGone, watch_lifeline
from pwtourney.process.limits import Limits
from pwtourney.process.orphans import Orphans, become_subreaper
from pwtourney.process.private import keep_private
from pwtourney.process.scratch import make_scratch, remove_scratch

__all__ = [
    "Achieved",
    "BotProcess",
    "CgroupRoot",
    "Hindrance",
    "Pondering",
    "Isolation",
    "Launch",
    "Limits",
    "RunnerGone",
    "Orphans",
    "Wanted",
    "achieve",
    "become_subreaper",
    "keep_private",
    "make_scratch",
    "remove_scratch",
    "watch_lifeline",
]
