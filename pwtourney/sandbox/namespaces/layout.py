"""What a bot sees of the file system: laid out on an empty one, which then becomes the root.

The old root is out of reach afterwards: nothing of it is mounted any more, and no descriptor leads
there. See pivot_root(2).
"""

import os
from collections.abc import Iterable
from typing import NamedTuple

from pwtourney.sandbox.namespaces.kernel import change_root, detach, mount, restrict

__all__ = ["HOME", "Owner", "Step", "lay_out"]

HOME = "/tmp"
"""Where a bot in the sandbox starts, and what it may write to next to /dev/shm."""

_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_BIND, _ALL_BELOW, _SLAVE, _PRIVATE = 0x1000, 0x4000, 0x80000, 0x40000
_READ_ONLY = 1  # as an attribute of mount_setattr; the next two have the numbers of mount's flags
_HARMLESS = _NO_SETUID | _NO_DEVICES

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_BYTES_A_FILE = 1024
"""A small file system has room for one file for so many bytes: names take memory too."""


class Step(NamedTuple):
    """One thing to lay out; the kinds are those of `pwtourney.sandbox.view.Mount`."""

    kind: str
    target: str
    source: str


class Owner(NamedTuple):
    """Who writes to the small file systems, by the numbers that hold where they are mounted."""

    user: int
    group: int


def lay_out(steps: Iterable[Step], owner: Owner, size: int) -> None:
    """Make a new root with two file systems in memory of so many bytes each, and enter it.

    Raises OSError where something cannot be shown. The process must be in a mount namespace of its
    own, with all rights over it.
    """
    # links are followed now: where they lead to is not where it was once the root has moved
    resolved = [
        step._replace(source=os.path.realpath(step.source))
        if step.kind in ("show", "lend")
        else step
        for step in steps
    ]
    mount("none", "/", "", _SLAVE | _ALL_BELOW)  # nothing that is mounted here is seen outside
    mount("tmpfs", HOME, "tmpfs", _HARMLESS, "mode=0755")
    for folder in ("new", "old"):
        os.mkdir(f"{HOME}/{folder}", 0o755)
    change_root(HOME, f"{HOME}/old")
    os.chdir("/")
    mount("tmpfs", "/new", "tmpfs", _HARMLESS, "mode=0755")
    _lay_out_system(owner, size)
    for step in resolved:
        _lay_out_step(step)
    restrict("/new/dev", _READ_ONLY)
    restrict("/new", _READ_ONLY)
    mount("none", "/old", "", _PRIVATE | _ALL_BELOW)
    detach("/old")
    os.chdir("/new")
    change_root(".", ".")  # the old root is now under the new one, at the same place
    detach(".")
    os.chdir("/")


def _lay_out_system(owner: Owner, size: int) -> None:
    """Lay out processes, devices and what can be written to."""
    for folder in ("/proc", "/dev", HOME):
        os.mkdir(f"/new{folder}", 0o755)
    mount("proc", "/new/proc", "proc", _HARMLESS | _NO_PROGRAMS)
    mount("tmpfs", "/new/dev", "tmpfs", _NO_SETUID | _NO_PROGRAMS, "mode=0755")
    for name in _DEVICES:
        if os.path.exists(f"/old/dev/{name}"):
            _bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for name, number in _LINKS.items():
        os.symlink(f"/proc/self/fd{number}", f"/new/dev/{name}")
    for folder in ("shm", "pts"):
        os.mkdir(f"/new/dev/{folder}", 0o755)
    os.symlink("pts/ptmx", "/new/dev/ptmx")
    terminals = "newinstance,ptmxmode=0666,mode=620"
    mount("devpts", "/new/dev/pts", "devpts", _NO_SETUID | _NO_PROGRAMS, terminals)
    room = f"size={size},nr_inodes={max(size // _BYTES_A_FILE, 64)}"
    own = f"{room},mode=0755,uid={owner.user},gid={owner.group}"
    for place in ("/new/dev/shm", f"/new{HOME}"):
        mount("tmpfs", place, "tmpfs", _HARMLESS, own)


def _lay_out_step(step: Step) -> None:
    """Lay out one thing below the new root, as long as it is not the root yet."""
    target = f"/new{step.target}"
    if step.kind == "folder":
        os.makedirs(target, 0o755, exist_ok=True)
    elif step.kind == "link":
        os.symlink(step.source, target)
    elif step.kind == "empty":
        mount("tmpfs", target, "tmpfs", _HARMLESS, "mode=0755")
        restrict(target, _READ_ONLY)
    elif step.kind == "blank":
        _bind("/old/dev/null", target)
        restrict(target, _READ_ONLY | _NO_DEVICES)  # a device that may not be one: nobody opens it
    else:
        _bind(f"/old{step.source}", target)
        writable = step.kind == "lend"
        restrict(target, _HARMLESS if writable else _HARMLESS | _READ_ONLY, below=True)


def _bind(source: str, target: str) -> None:
    """Show a file or folder at a place, which is made if it is not there."""
    if os.path.isdir(source):
        os.makedirs(target, 0o755, exist_ok=True)
    elif not os.path.lexists(target):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    mount(source, target, "", _BIND | _ALL_BELOW)
