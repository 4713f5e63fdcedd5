"""Processes of this machine, as `/proc` shows them: who is alive, and whose child it is."""

import time
from contextlib import suppress
from pathlib import Path


def read_command_line(pid: int) -> str:
    """Return the words of a process, separated by spaces; none once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def find_workers(runner: int) -> list[int]:
    """Return the worker processes of a run, without multiprocessing's resource tracker.

    A bot that a worker has just forked has its command line until it runs its own program.
    """
    named = {pid for pid in descendants(runner) if "spawn_main" in read_command_line(pid)}
    parent_of = living()
    return sorted(pid for pid in named if parent_of.get(pid) not in named)


def living() -> dict[int, int]:
    """Return the parent of every living process; zombies do not count."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
                if state != "Z":
                    parents[int(entry.name)] = int(parent)
    return parents


def descendants(root: int) -> set[int]:
    """Return the living descendants of a process."""
    parent_of = living()
    tree = {root}
    while more := {pid for pid, parent in parent_of.items() if parent in tree} - tree:
        tree |= more
    return tree - {root}


def assert_gone(tree: set[int]) -> None:
    """Check three times, after at most 10 s, that none of the processes is alive."""
    end = time.monotonic() + 10
    while tree & living().keys() and time.monotonic() < end:
        time.sleep(0.02)
    for _ in range(3):
        assert not tree & living().keys()
