"""Whose fault was a time-out: what the machine itself did to a bot while it thought.

A bot that stood ready and was given no core, or whose core was lent to another machine, was held
up by the machine. What its own processes used in that time is no such delay (a bot could make its
threads wait for each other), and neither is what its opponent used, which is told apart.
"""

import os
import re
import time
from contextlib import suppress
from typing import NamedTuple

from pwtourney.process.bot_processes import BotProcesses

__all__ = ["Hindrance", "Reading"]

_NS_A_TICK = 10_000_000
_SHARE = 10
"""The machine is to blame when it withheld at least a tenth of the time."""

_FEW = 16
"""As many processes and threads may begin on the machine in such a turn."""


class Hindrance(NamedTuple):
    """One turn in microseconds: how long it was watched, and what became of that time.

    `queued` is how long the bot stood ready without a core, `stolen` what the hypervisor took,
    `pressure` how long something on the machine waited for a core, `cpu` what the bot used, and
    `opponent` what its opponent used meanwhile, `runner` what it took us to read what it wrote.
    `born` counts, not in microseconds, processes and
    threads that began on the machine and may have been the bot's.
    """

    watched: int
    queued: int
    stolen: int
    pressure: int
    cpu: int
    opponent: int
    runner: int = 0
    born: int = 0

    @property
    def withheld(self) -> int:
        """How long the machine, and nobody in the game, kept the bot from thinking.

        Time can be stolen only from a bot that runs or stands ready: one that sleeps loses none.
        """
        idle = self.watched - self.cpu - self.opponent - self.runner
        stolen = min(self.stolen, self.cpu + self.queued)
        return max(0, min(self.queued + stolen, idle))

    @property
    def is_to_blame(self) -> bool:
        """Whether the machine withheld so much that a time-out is not the bot's fault.

        Never when many processes came meanwhile: children that are gone before anybody looks are
        in no account, and a bot could stand in its own way with them.
        """
        return self.born <= _FEW and self.withheld * _SHARE >= self.watched > 0

    def __str__(self) -> str:
        return (
            f"in {_ms(self.watched)} ms it used the processor for {_ms(self.cpu)} ms, stood ready"
            f" without one for {_ms(self.queued)} ms, its opponent used {_ms(self.opponent)} ms;"
            f" stolen from the machine {_ms(self.stolen)} ms, pressure {_ms(self.pressure)} ms"
        )


class Reading(NamedTuple):
    """The counters of the machine and of a bot at one instant, in nanoseconds."""

    instant: int
    queued: int
    stolen: int
    pressure: int
    cpu: int
    opponent: int
    runner: int
    pid_counter: int

    @classmethod
    def take(cls, instant: int, tree: BotProcesses, opponent: BotProcesses | None) -> "Reading":
        """Read all counters; those that the system does not have are zero."""
        theirs = opponent.cpu_ns(instant) if opponent else 0
        used = (tree.cpu_ns(instant), theirs, time.process_time_ns(), tree.pid_counter())
        return cls(instant, tree.queued_ns(), _read_stolen(), _read_pressure(), *used)

    def until(self, later: "Reading") -> Hindrance:
        """Return what happened between two readings."""
        spans = [(b - a) // 1000 for a, b in zip(self[:-1], later[:-1], strict=True)]
        # by its size: the system begins again at low ids when the highest is reached
        return Hindrance(*spans)._replace(born=abs(later.pid_counter - self.pid_counter))


def _read_pressure() -> int:
    found = re.search(r"^some .*total=(\d+)", _read_text("/proc/pressure/cpu"), re.MULTILINE)
    return int(found[1]) * 1000 if found else 0


def _read_stolen() -> int:
    """Return what the cores that we may use had to give to other machines, on average."""
    # a virtual machine loses some cores more than others: those that bots use matter
    cores = sorted(os.sched_getaffinity(0))
    lines = (line.split() for line in _read_text("/proc/stat").splitlines())
    by_name = {fields[0]: int(fields[8]) for fields in lines if len(fields) > 8}
    return sum(by_name.get(f"cpu{core}", 0) for core in cores) * _NS_A_TICK // len(cores)


def _read_text(path: str) -> str:
    with suppress(OSError), open(path) as file:
        return file.read(65536)  # /proc/stat ends in long lists of interrupts, which nobody needs
    return ""


def _ms(micros: int) -> str:
    return f"{micros / 1000:.1f}"
