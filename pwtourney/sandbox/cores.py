"""The cores that this process may use, and how many games they can play at a time.

Three things limit them: the affinity of this process (``taskset``, ``docker --cpuset-cpus``), the
quotas of its control groups, and hyper-threads: two threads of one physical core do little more
work than one.
"""

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pwtourney.sandbox.quota import list_quotas

__all__ = ["UsableCores", "find_usable_cores"]

_OWN = Path("/proc/self")
_CPUS = Path("/sys/devices/system/cpu")


class UsableCores(NamedTuple):
    """The cores that this process may use.

    `numbers` are the kernel's numbers of the hardware threads, with one thread of each physical
    core first. `physical` is the number of cores these belong to, and `machine` the number that the
    machine has. `quota` is how many cores' worth of time the control groups allow; None if they set
    no limit.
    """

    numbers: tuple[int, ...]
    physical: int
    machine: int
    quota: float | None = None

    @property
    def time(self) -> float:
        """The number of cores whose time can be used at most, with all threads busy."""
        return min(len(self.numbers), math.inf if self.quota is None else self.quota)

    @property
    def slots(self) -> int:
        """The number of games, or other busy processes, that can run at a time at full speed.

        That is one for each physical core, at most what the quota allows, and at least one.
        """
        return max(1, min(self.physical, math.floor(self.time)))

    @property
    def is_limited(self) -> bool:
        """True if something other than the machine's number of cores is the limit: see `reason`."""
        return (
            self.physical < self.machine
            or self.physical < len(self.numbers)
            or self.time < len(self.numbers)
        )

    @property
    def reason(self) -> str:
        """A text that says what may be used and why it is not more: ``2 cores, of which …``."""
        text = f"{self.physical} core{'' if self.physical == 1 else 's'}"
        if self.physical < self.machine:
            text = f"{self.physical} of {self.machine} cores (affinity)"
        if self.physical < len(self.numbers):
            text += f" with {len(self.numbers)} hyper-threads"
        if self.time < len(self.numbers):
            text += f", of which a control group allows {self.time:.4g}"
        return text


def find_usable_cores(
    proc: Path = _OWN, cpus: Path = _CPUS, affinity: Iterable[int] | None = None
) -> UsableCores:
    """Return the cores that this process may use now.

    `proc` is this process's folder in ``/proc``, and `cpus` the system's folder of processors.
    Where these are missing, every number counts as a core of its own, and there is no quota.
    `affinity` are the numbers that this process may run on; the default is what the system reports.
    """
    allowed = _list_allowed() if affinity is None else sorted(affinity)
    online = _parse_list(_read(cpus / "online")) or allowed
    cores = {number: _find_core(cpus, number) for number in {*allowed, *online}}
    quotas = [quota.cores for quota in list_quotas(proc)]
    return UsableCores(
        _order_by_core(allowed, cores),
        len({cores[number] for number in allowed}),
        len(set(cores.values())),
        min(quotas, default=None),
    )


def _list_allowed() -> list[int]:
    """Return the CPU numbers that this process may run on; all where the system has no affinity."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _find_core(cpus: Path, number: int) -> str:
    """Return the list of threads that share a core with `number`, as text; all have the same."""
    topology = cpus / f"cpu{number}" / "topology"
    # The second name is the one before Linux 5.3.
    siblings = _read(topology / "core_cpus_list") or _read(topology / "thread_siblings_list")
    return siblings or str(number)


def _order_by_core(numbers: Iterable[int], cores: Mapping[int, str]) -> tuple[int, ...]:
    """Return the first threads of all cores, then the second threads, and so on."""
    seen: Counter[str] = Counter()
    ranked = []
    for number in numbers:
        ranked.append((seen[cores[number]], number))
        seen[cores[number]] += 1
    return tuple(number for _, number in sorted(ranked))


def _parse_list(text: str) -> Sequence[int]:
    """Return the numbers of a list such as ``0-3,8``."""
    numbers: list[int] = []
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def _read(path: Path) -> str:
    """Return the content of a file without surrounding whitespace; empty if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
