"""The referee's place among the processes of the core that it shares with its bots.

A process that wakes up waits until the others have had their slices: dozens of busy processes of a
bot delay the end of its turn by hundreds of milliseconds. While a bot has so many, the referee
takes the lowest real-time priority where it may (as root, in most cases), and comes first. It does
not always do so, because its work between turns would then hold up the bots of other games.
"""

import os
from contextlib import suppress

__all__ = ["is_less_urgent", "lower", "rise"]

_PRIORITY = 1
_crowds = 0
"""How many bots the referee has risen for."""

_usual: tuple[int, int] | None = None
"""The policy and priority that it was started with, while it has another."""


def rise() -> None:
    """Come before all bots on this core, for one more bot that has a crowd of processes."""
    global _crowds, _usual
    _crowds += 1
    if _crowds == 1:
        _usual = (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority)
        # what is started from now on does not inherit it
        _set_policy(os.SCHED_RR | os.SCHED_RESET_ON_FORK, _PRIORITY)


def lower() -> None:
    """Take one bot back; without any, share the core as everybody does."""
    global _crowds, _usual
    _crowds -= 1
    if _crowds == 0 and _usual:
        _set_policy(*_usual)
        _usual = None


def is_less_urgent(niceness: int, policy: int) -> bool:
    """Tell whether a thread comes after the referee where both are as they were started."""
    usual, _ = _usual or (os.sched_getscheduler(0), 0)
    gives_way = policy in (os.SCHED_BATCH, os.SCHED_IDLE) and policy != usual
    return gives_way or niceness > os.getpriority(os.PRIO_PROCESS, 0)


def _set_policy(policy: int, priority: int) -> None:
    with suppress(OSError):  # nobody but root may, and not in every container
        os.sched_setscheduler(0, policy, os.sched_param(priority))
