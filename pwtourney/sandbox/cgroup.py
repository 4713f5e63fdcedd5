"""Control groups (version 2), where the system lets us make some: exact accounts and real limits.

A group needs no privileges where the runner's own group was delegated to its user (by
``systemd-run --user --scope -p Delegate=yes``, say), or where the runner is root. Freezing,
killing and the processor's account work in any group; memory and the number of processes need
controllers, which not every system hands down.
"""

import os
import re
import subprocess
import time
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from secrets import token_hex

from pwtourney.sandbox.launch import Limits
from pwtourney.sandbox.procfs import read_proc

__all__ = ["Cgroup", "CgroupRoot", "join_command", "name_prefix"]

_CONTROLLERS = ("memory", "pids")
_PATIENCE_NS = 2_000_000_000
_numbers = count()


class CgroupRoot:
    """The group of one run, under which each bot gets its own; make it with `open`."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def open(cls) -> "CgroupRoot | None":
        """Make a group below our own; None where we may not, or where there is none."""
        own = own_group()
        if own is None:
            return None
        prefix = name_prefix()
        for stale in own.glob(f"{prefix}*/"):  # of runs that were killed
            pid = stale.name.removeprefix(prefix).partition("-")[0]
            if pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
                cls(str(stale)).close()
        path = own / f"{prefix}{os.getpid()}-{token_hex(3)}"
        try:
            path.mkdir()
        except OSError:
            return None
        root = cls(str(path))
        if not _hand_down(own):
            # A group that hands controllers down may hold no processes itself (except the topmost
            # one), so we go into one of our own below it.
            with suppress(OSError):
                aside = own / f"{prefix}{os.getpid()}-runner"
                aside.mkdir(exist_ok=True)
                (aside / "cgroup.procs").write_text(str(os.getpid()))
            _hand_down(own)
        _hand_down(path)
        if root._works():
            return root
        root.close()
        return None

    def close(self) -> None:
        """Remove the group and what is left in it."""
        for path in (*Path(self.path).glob("*/"), Path(self.path)):
            _remove(path)

    @property
    def controllers(self) -> frozenset[str]:
        """Which limits the bots' groups have."""
        return frozenset(_read(f"{self.path}/cgroup.subtree_control").split())

    def _works(self) -> bool:
        """Try to move a process in, by moving one that does nothing."""
        try:
            group = Cgroup(self.path, Limits())
        except OSError:  # an old kernel, without the freezer or without killing
            return False
        try:
            # killed if we are interrupted meanwhile, and silent in every case
            command = ["sh", "-c", *join_command(group.path), "true"]
            done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
        except OSError:
            return False
        finally:
            group.close()
        return done.returncode == 0


class Cgroup:
    """The group of one bot. `close` kills what is left in it and removes it."""

    def __init__(self, root: str, limits: Limits) -> None:
        self.path = f"{root}/bot-{os.getpid()}-{next(_numbers)}"
        os.mkdir(self.path)
        with ExitStack() as undo:
            undo.callback(_remove, Path(self.path))
            os.stat(f"{self.path}/cgroup.kill")  # raises before Linux 5.14, which has none
            self._cpu = os.open(f"{self.path}/cpu.stat", os.O_RDONLY | os.O_CLOEXEC)
            undo.callback(os.close, self._cpu)
            self._freezer = os.open(f"{self.path}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
            undo.pop_all()
        with suppress(OSError):
            self._write("memory.max", str(limits.memory))
            self.bounds_memory = True
            # all or nothing: a bot that lost one of its processes would play on, maimed
            self._write("memory.oom.group", "1")
            self._write("memory.swap.max", "0")
        with suppress(OSError):
            self._write("pids.max", str(limits.processes))

    bounds_memory = False

    def cpu_ns(self, _: int) -> int:
        """Return the processor time of everything that ever was in the group, up to now."""
        # kept open, because it is read in every turn
        text = os.pread(self._cpu, 64, 0)
        return 1000 * int(text.split(None, 2)[1])

    def peak(self) -> int | None:
        """Return the most memory there ever was in use, in bytes; None where nobody counts."""
        text = _read(f"{self.path}/memory.peak").strip()
        return int(text) if text else None

    def memory_exceeded(self) -> bool:
        """Tell whether the kernel has killed the bot for its memory."""
        kills = re.search(r"^oom_kill (\d+)", _read(f"{self.path}/memory.events"), re.MULTILINE)
        return kills is not None and int(kills[1]) > 0

    def raise_memory(self, limit: int) -> None:
        """Set another limit of memory, in bytes, where the kernel bounds it at all."""
        if self.bounds_memory:
            self._write("memory.max", str(limit))

    def freeze(self) -> None:
        """Stop everything in the group where it stands."""
        os.pwrite(self._freezer, b"1", 0)

    def thaw(self) -> None:
        """Let it go on."""
        os.pwrite(self._freezer, b"0", 0)

    def close(self) -> None:
        """Kill whatever is left, wait until it is gone, and remove the group."""
        os.close(self._cpu)
        os.close(self._freezer)
        _remove(Path(self.path))

    def _write(self, name: str, value: str) -> None:
        Path(self.path, name).write_text(value)


def join_command(path: str) -> tuple[str, ...]:
    """Return the script and arguments of ``sh -c`` that run a command inside a group."""
    return ('echo $$ > "$0" && exec "$@"', f"{path}/cgroup.procs")


def name_prefix() -> str:
    """Return what the names of groups begin with whose process ids mean something here.

    Runs in several namespaces of processes may share a mount of groups: to each, the others' ids
    are those of other processes, or of none.
    """
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0
    return f"pwtourney-{namespace:x}-"


def own_group() -> Path | None:
    """Return the folder of the group that we are in, if version 2 is there and is ours to use."""
    mount = re.search(
        r"^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 ", _read("/proc/self/mountinfo"), re.MULTILINE
    )
    group = re.search(r"^0::(/.*)$", _read("/proc/self/cgroup"), re.MULTILINE)
    if mount is None or group is None:
        return None
    path = Path(mount[1] + group[1])
    return path if os.access(path, os.W_OK) else None


def _hand_down(path: Path) -> bool:
    """Let the groups below have the controllers that are here; False if that is refused."""
    available = _read(str(path / "cgroup.controllers")).split()
    try:
        # one by one: the kernel takes all that are named together or none
        for name in (name for name in _CONTROLLERS if name in available):
            (path / "cgroup.subtree_control").write_text(f"+{name}")
    except OSError:
        return False
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        (path / "cgroup.kill").write_text("1")
    deadline = time.monotonic_ns() + _PATIENCE_NS
    while time.monotonic_ns() < deadline:
        try:
            return path.rmdir()
        except FileNotFoundError:
            return None
        except OSError:  # what was killed has yet to go
            os.sched_yield()
    return None


def _read(path: str) -> str:
    try:
        return os.fsdecode(read_proc(path))  # mounts and groups are named by any bytes
    except OSError:
        return ""
