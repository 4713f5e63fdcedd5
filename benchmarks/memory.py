"""The memory of a program with all of its child processes, except for bots."""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["find_peak"]

_SECONDS = 0.05


def find_peak(pid: int, bot: Path) -> int:
    """Return the peak memory in bytes of a program, sampled until it ends.

    Shared pages are split equally between processes (PSS); processes of `bot` do not count. The
    program must be a child of ours, and is not reaped.
    """
    most = 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        most = max(most, sum(_read_share(process, bot) for process in _list_tree(pid)))
        time.sleep(_SECONDS)
    return most


def _list_tree(root: int) -> Iterator[int]:
    """Yield a process and all of its descendants."""
    children = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                # the name, in parentheses, may contain anything
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                children[int(parent)].append(int(entry.name))
    todo = [root]
    while todo:
        pid = todo.pop()
        yield pid
        todo += children[pid]


def _read_share(pid: int, bot: Path) -> int:
    """Return the bytes of a process, or 0 for a bot or an ended process."""
    with suppress(OSError):
        if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(bot):
            return 0
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0
