"""The referee's place among the processes of the core that it shares with its bots.

Whoever wakes up waits until the others have had their slices: dozens of busy processes of a bot
delay the end of its turn by hundreds of milliseconds. While a bot has so many, the referee takes
the lowest real-time priority where it may (as root, in most cases), and comes first. It does not
always do so, because then what it does between turns would hold up the bots of other games.
"""

import os
from contextlib import suppress

__all__ = ["lower", "rise"]

_PRIORITY = 1
_crowds = 0
"""How many bots the referee has risen for."""


def rise() -> None:
    """Come before all bots on this core, for one more bot that has a crowd of processes."""
    global _crowds
    _crowds += 1
    if _crowds == 1:
        # what is started from now on does not inherit it
        _set_policy(os.SCHED_RR | os.SCHED_RESET_ON_FORK, _PRIORITY)


def lower() -> None:
    """Take one bot back; without any, share the core as everybody does."""
    global _crowds
    _crowds -= 1
    if _crowds == 0:
        _set_policy(os.SCHED_OTHER, 0)


def _set_policy(policy: int, priority: int) -> None:
    with suppress(OSError):  # nobody but root may, and not in every container
        os.sched_setscheduler(0, policy, os.sched_param(priority))
