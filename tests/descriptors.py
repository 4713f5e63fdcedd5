"""What a process has open, as `/proc` shows it."""

import os
from pathlib import Path


def list_descriptors(pid: int | str = "self") -> dict[int, str]:
    """Return what each descriptor of a process leads to, without those closed meanwhile.

    The kernel shows a non-dumpable process's descriptors to root only.
    """
    targets = {}
    folder = Path(f"/proc/{pid}/fd")
    for name in os.listdir(folder):
        try:
            targets[int(name)] = os.readlink(folder / name)
        except FileNotFoundError:  # closed since the folder was listed
            continue
    return targets
