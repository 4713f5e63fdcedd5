"""The memory of a program with all processes that it starts, except for the bots among them."""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

__all__ = ["find_peak"]

_SECONDS = 0.05


def find_peak(pid: int, bot: Path) -> int:
    """Return the most bytes that a program was seen to use until it ended.

    Its processes are counted, with each shared page in equal parts, but those of `bot` are not. The
    program must be a child of ours, and is not waited for.
    """
    most = 0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        most = max(most, sum(_read_share(each, bot) for each in _list_tree(pid)))
        time.sleep(_SECONDS)
    return most


def _list_tree(root: int) -> Iterator[int]:
    """Yield a process and all that come from it."""
    children = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                # the name, in parentheses, may hold anything
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                children[int(parent)].append(int(entry.name))
    todo = [root]
    while todo:
        pid = todo.pop()
        yield pid
        todo += children[pid]


def _read_share(pid: int, bot: Path) -> int:
    """Return the bytes of a process, 0 for one of the bot or one that has ended."""
    with suppress(OSError):
        if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(bot):
            return 0
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0
