"""The referee's scheduling priority on the core that it shares with its bots.

A process that wakes up waits until the others have had their time slices: dozens of busy processes
of a bot delay the end of its turn by hundreds of milliseconds. While a bot has so many, the referee
takes the lowest real-time priority where it may (mostly as root), and so runs first. It does not
always do so, because its work between turns would then delay the bots of other games.
"""

import os
from contextlib import suppress

__all__ = ["is_less_urgent", "lower", "rise"]

_PRIORITY = 1
_crowds = 0
"""The number of bots with a crowd, for which the priority is raised."""

_usual: tuple[int, int] | None = None
"""The original policy and priority, while the priority is raised."""


def rise() -> None:
    """Run before all bots on this core, for one more bot that has a crowd of processes."""
    global _crowds, _usual
    _crowds += 1
    if _crowds == 1:
        _usual = (os.sched_getscheduler(0), os.sched_getparam(0).sched_priority)
        # Processes started from now on do not inherit it.
        _set_policy(os.SCHED_RR | os.SCHED_RESET_ON_FORK, _PRIORITY)


def lower() -> None:
    """Undo one `rise`; after the last one, restore the original priority."""
    global _crowds, _usual
    _crowds -= 1
    if _crowds == 0 and _usual:
        _set_policy(*_usual)
        _usual = None


def is_less_urgent(niceness: int, policy: int) -> bool:
    """Return True if a thread is less urgent than the referee at its original priority."""
    usual, _ = _usual or (os.sched_getscheduler(0), 0)
    gives_way = policy in (os.SCHED_BATCH, os.SCHED_IDLE) and policy != usual
    return gives_way or niceness > os.getpriority(os.PRIO_PROCESS, 0)


def _set_policy(policy: int, priority: int) -> None:
    with suppress(OSError):  # only root may, and not in every container
        os.sched_setscheduler(0, policy, os.sched_param(priority))
