"""The cores that this process may use, and how many games they can play at a time.

Three things limit them: the affinity of this process (``taskset``, ``docker --cpuset-cpus``), the
quotas of its control groups, and hyper-threads, two of which do little more than one when they
share a physical core.
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
    """The cores that may be used.

    `numbers` are the hardware threads by which the system counts, one of each physical core first;
    `physical` is how many cores these belong to, and `machine` how many the machine has. `quota` is
    how many cores' worth of time the control groups allow, None if they set no limit.
    """

    numbers: tuple[int, ...]
    physical: int
    machine: int
    quota: float | None = None

    @property
    def time(self) -> float:
        """How many cores' worth of time can be used at most, with all threads busy."""
        return min(len(self.numbers), math.inf if self.quota is None else self.quota)

    @property
    def slots(self) -> int:
        """How many games, or other busy processes, run at a time without slowing each other down.

        That is one for each physical core, not more than the quota allows, and at least one.
        """
        return max(1, min(self.physical, math.floor(self.time)))

    @property
    def is_limited(self) -> bool:
        """True if anything but the number of cores of the machine decides: see `reason`."""
        return (
            self.physical < self.machine
            or self.physical < len(self.numbers)
            or self.time < len(self.numbers)
        )

    @property
    def reason(self) -> str:
        """What may be used, and why it is not more: ``2 cores, of which …``."""
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

    `proc` is its folder in ``/proc``, and `cpus` the system's folder about processors; where these
    are missing, every number is a core of its own, and nothing has a quota. `affinity` are the
    numbers that it may run on, by default those that the system says.
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
    """Return the numbers that this process may run on; all where nothing can forbid any."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def _find_core(cpus: Path, number: int) -> str:
    """Return the list of threads that share a core with one, as text; it is the same for all."""
    topology = cpus / f"cpu{number}" / "topology"
    # the second name is the one before Linux 5.3
    siblings = _read(topology / "core_cpus_list") or _read(topology / "thread_siblings_list")
    return siblings or str(number)


def _order_by_core(numbers: Iterable[int], cores: Mapping[int, str]) -> tuple[int, ...]:
    """Return the first threads of all cores, then the second ones, and so on."""
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
    """Return the line that a file holds; nothing if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
