"""Control groups (version 2) for bots, for exact accounting and hard limits.

They are used where the system lets us create some. That needs no privileges where the runner's own
group was delegated to its user (for example by ``systemd-run --user --scope -p Delegate=yes``), and
it works where the runner is root. Freezing, killing and CPU accounting work in any group. Limits of
memory and of the number of processes need controllers, which not every system delegates.
"""

import os
import re
import subprocess
import time
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from secrets import token_hex

from pwtourney.sandbox.groups import OWN, find_own_group, read_file
from pwtourney.sandbox.launch import Limits

__all__ = ["Cgroup", "CgroupRoot", "join_command", "name_prefix"]

_CONTROLLERS = ("memory", "pids")
_PATIENCE_NS = 2_000_000_000
_numbers = count()


class CgroupRoot:
    """The control group of one run, which holds a group for each bot; make it with `open`."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def open(cls) -> "CgroupRoot | None":
        """Create a group below our own; return None without cgroup v2 or permission."""
        own = own_group()
        if own is None:
            return None
        prefix = name_prefix()
        for stale in own.glob(f"{prefix}*/"):  # left by runs that were killed
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
            # A group that enables controllers for its children must not hold processes itself,
            # except the root group. So this process moves to a child group of its own.
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
        """Kill what is left in the group and its children, and remove them."""
        for path in (*Path(self.path).glob("*/"), Path(self.path)):
            _remove(path)

    @property
    def controllers(self) -> frozenset[str]:
        """The controllers, and so the limits, that the bots' groups have."""
        return frozenset(read_file(f"{self.path}/cgroup.subtree_control").split())

    def _works(self) -> bool:
        """Return True if a process can be moved in; tried with a process that does nothing."""
        try:
            group = Cgroup(self.path, Limits())
        except OSError:  # an old kernel, without cgroup.freeze or cgroup.kill
            return False
        try:
            # `subprocess.run` kills it if we are interrupted. Its errors are never shown.
            command = ["sh", "-c", *join_command(group.path), "true"]
            done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
        except OSError:
            return False
        finally:
            group.close()
        return done.returncode == 0


class Cgroup:
    """The control group of one bot. `close` kills what is left in it and removes it."""

    def __init__(self, root: str, limits: Limits) -> None:
        self.path = f"{root}/bot-{os.getpid()}-{next(_numbers)}"
        os.mkdir(self.path)
        with ExitStack() as undo:
            undo.callback(_remove, Path(self.path))
            # raises before Linux 5.14, which has no cgroup.kill
            os.stat(f"{self.path}/cgroup.kill")
            self._cpu = os.open(f"{self.path}/cpu.stat", os.O_RDONLY | os.O_CLOEXEC)
            undo.callback(os.close, self._cpu)
            self._freezer = os.open(f"{self.path}/cgroup.freeze", os.O_WRONLY | os.O_CLOEXEC)
            undo.pop_all()
        with suppress(OSError):
            self._write("memory.max", str(limits.memory))
            self.bounds_memory = True
            # Kill all processes or none: a bot that lost only one of its processes would play on,
            # crippled.
            self._write("memory.oom.group", "1")
            self._write("memory.swap.max", "0")
        with suppress(OSError):
            self._write("pids.max", str(limits.processes))

    bounds_memory = False

    def cpu_ns(self, _: int) -> int:
        """Return the CPU time so far of all processes ever in the group, in nanoseconds."""
        # The descriptor stays open, because this is read in every turn.
        text = os.pread(self._cpu, 64, 0)
        return 1000 * int(text.split(None, 2)[1])

    def peak(self) -> int | None:
        """Return the peak memory of the group in bytes; None where the kernel does not count it."""
        text = read_file(f"{self.path}/memory.peak").strip()
        return int(text) if text else None

    def memory_exceeded(self) -> bool:
        """Return True if the kernel's OOM killer has killed the bot."""
        events = read_file(f"{self.path}/memory.events")
        kills = re.search(r"^oom_kill (\d+)", events, re.MULTILINE)
        return kills is not None and int(kills[1]) > 0

    def raise_memory(self, limit: int) -> None:
        """Set a new memory limit in bytes; does nothing where the group has no memory limit."""
        if self.bounds_memory:
            self._write("memory.max", str(limit))

    def freeze(self) -> None:
        """Freeze all processes of the group."""
        os.pwrite(self._freezer, b"1", 0)

    def thaw(self) -> None:
        """Let the frozen processes run again."""
        os.pwrite(self._freezer, b"0", 0)

    def close(self) -> None:
        """Kill what is left in the group, wait for its end (2 s at most), and remove the group."""
        os.close(self._cpu)
        os.close(self._freezer)
        _remove(Path(self.path))

    def _write(self, name: str, value: str) -> None:
        Path(self.path, name).write_text(value)


def join_command(path: str) -> tuple[str, ...]:
    """Return the script and arguments of ``sh -c`` that run a command inside a group."""
    return ('echo $$ > "$0" && exec "$@"', f"{path}/cgroup.procs")


def name_prefix() -> str:
    """Return the prefix of the names of groups that runs in our pid namespace made.

    Runs in several pid namespaces may share a mount of groups. There, the process ids of other
    namespaces belong to unrelated processes or to none, so the prefix contains the namespace's
    inode.
    """
    try:
        namespace = os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        namespace = 0
    return f"pwtourney-{namespace:x}-"


def own_group(proc: Path = OWN) -> Path | None:
    """Return the folder of our own group; None without cgroup v2 or write access.

    `proc` is the folder of this process in ``/proc``.
    """
    group = find_own_group(proc)
    return group if group and os.access(group, os.W_OK) else None


def _hand_down(path: Path) -> bool:
    """Enable a group's controllers for its children; return False if the kernel refuses that."""
    available = read_file(path / "cgroup.controllers").split()
    try:
        # One at a time, because the kernel enables all that are written together or none.
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
        except OSError:  # the killed processes are not gone yet
            os.sched_yield()
    return None
