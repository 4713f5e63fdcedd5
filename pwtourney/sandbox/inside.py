"""The program that builds a sandbox of namespaces around its own process and runs a bot in it.

`pwtourney.sandbox.backends` starts it before the bot where bubblewrap is not installed. Its start
is paid for each time, so it imports little of the standard library, and of ours only `syscalls`.

It becomes three processes. The first stays outside, waits, and exits as the bot did. The second is
the first process inside (pid 1), and everything inside ends with it. The third becomes the bot.
Each dies with the one before it, and the first dies with the runner.

The bot's view of the file system is mounted on an empty one, which then becomes the root. The old
root is out of reach afterwards: nothing of it is mounted, and no descriptor leads there. See
pivot_root(2).
"""

import os
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from pwtourney.sandbox.syscalls import (
    KILL_WITH_PARENT,
    NEW_USER,
    OTHER_SPACES,
    allow_writing_only,
    change_root,
    control,
    detach,
    drop_capabilities,
    install_filter,
    join_new_keyring,
    landlock_version,
    mount,
    restore_signals,
    restrict,
    set_hostname,
    switch_loopback_on,
    unshare,
)

__all__ = ["HOME", "NOBODY", "Mount", "Order", "main"]

HOME = "/tmp"
"""The folder that a bot in the sandbox starts in, and can write to in addition to /dev/shm."""

NOBODY = 65534
"""The uid and gid of a bot inside the sandbox."""

_FAILED = 125
"""The exit code if the sandbox could not be made; a line on standard error says why."""

_FROM_SHELL = 128
"""The number that is added to a signal's number to make an exit code, as shells do."""

# linux/prctl.h
_SET_DUMPABLE = 4
_NO_NEW_PRIVILEGES = 38

# linux/mount.h
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_BIND, _ALL_BELOW, _SLAVE, _PRIVATE = 0x1000, 0x4000, 0x80000, 0x40000
_READ_ONLY = 1  # an attribute of mount_setattr; the next two have the same numbers as mount's flags
_HARMLESS = _NO_SETUID | _NO_DEVICES

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_BYTES_A_FILE = 1024
"""Bytes of a small file system per file that it may hold, because file names take memory too."""


class Mount(NamedTuple):
    """One step in building a bot's view of the file system; steps are carried out in order.

    `show` mounts a file or folder of the system at its target, read-only, and `lend` does so
    writable. `link` makes a symbolic link to the source, and `folder` an empty folder. `empty`
    covers a folder with an empty one, and `blank` covers a file with one that cannot be opened.
    `clear` covers a folder with one that the next steps fill, until `close`.
    """

    kind: str
    target: str
    source: str = ""

    @property
    def covers(self) -> bool:
        """True if it hides something that another mount shows."""
        return self.kind in ("empty", "blank", "clear", "close")


class Order(NamedTuple):
    """The specification of a sandbox.

    `parent` is the process that must be alive. `user` is the uid that root switches to first, −1
    for an ordinary user. `scratch` is the size of each writable file system in bytes. `limits` are
    resource limits of each process, named as in ``resource``. `filter` is a seccomp program, and
    `view` is what the bot sees.
    """

    parent: int
    user: int
    scratch: int
    limits: tuple[tuple[str, int], ...]
    filter: bytes
    view: tuple[Mount, ...]
    command: tuple[str, ...]

    def pack(self) -> bytes:
        """Return the bytes that `unpack` reads: words separated by NUL, counts before lists."""
        head = [str(self.parent), str(self.user), str(self.scratch), self.filter.hex()]
        counts = [str(len(self.limits)), str(len(self.view))]
        limits = [word for name, most in self.limits for word in (name, str(most))]
        mounts = [word for mount in self.view for word in mount]
        # Not JSON: importing its module would take milliseconds at every start of a bot.
        return b"\0".join(map(os.fsencode, (*head, *counts, *limits, *mounts, *self.command)))

    @classmethod
    def unpack(cls, packed: bytes) -> "Order":
        """Return the order that `pack` wrote."""
        words = list(map(os.fsdecode, packed.split(b"\0")))
        parent, user, scratch, program, *counts = words[:6]
        limits, mounts = map(int, counts)
        begin, end = 6 + 2 * limits, 6 + 2 * limits + 3 * mounts
        return cls(
            int(parent),
            int(user),
            int(scratch),
            tuple((words[k], int(words[k + 1])) for k in range(6, begin, 2)),
            bytes.fromhex(program),
            tuple(Mount(*words[k : k + 3]) for k in range(begin, end, 3)),
            tuple(words[end:]),
        )


def main(descriptor: int) -> NoReturn:
    """Build the sandbox, run the bot, and exit as it did.

    The order is read from a descriptor, because other processes, the bot among them, can read the
    command line of a process.
    """
    import resource  # noqa: F401 - here, where it can still be found; it is not on every system

    with open(descriptor, "rb") as file:
        order = Order.unpack(file.read())
    control(*KILL_WITH_PARENT)
    if os.getppid() != order.parent:  # it died before we asked to die with it
        os._exit(_FAILED)
    nowhere = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        if order.user >= 0:
            unshare(OTHER_SPACES)
        else:
            # An ordinary user has rights over new namespaces only in a new user namespace.
            user, group = os.getuid(), os.getgid()
            unshare(NEW_USER | OTHER_SPACES)
            _become_nobody(user, group)
        watched, held = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(held)
            _begin_inside(order, watched, nowhere)
    except OSError as error:
        _give_up(error)
    os._exit(_wait_for_end(pid, nowhere))


def _begin_inside(order: Order, watched: int, nowhere: int) -> NoReturn:
    """Run as the first process inside: build the view, start the bot, and outlive it."""
    user = order.user
    try:
        _die_with(watched)
        set_hostname("bot")
        join_new_keyring()
        switch_loopback_on()
        _lay_out(order.view, NOBODY if user < 0 else user, order.scratch)
        if user >= 0:
            os.setgroups([])  # groups before the user: only root may change them
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            control(_SET_DUMPABLE, 1)  # otherwise uid_map and gid_map would still belong to root
            unshare(NEW_USER)
            _become_nobody(user, user)
            _die_with(watched)  # the change of user has cleared the death signal in the kernel
        # In a user namespace of its own, a bot would again have rights that reach more of the
        # kernel. So a last user namespace is entered, and the one around it then allows no other.
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("1")
        unshare(NEW_USER)
        _become_nobody(NOBODY, NOBODY)
        control(_NO_NEW_PRIVILEGES, 1)
        drop_capabilities()
        control(_SET_DUMPABLE, 0)  # the bot is the same user and must not look into this process
        pid = os.fork()
        if pid == 0:
            _become_the_bot(order)
        restore_signals()  # pid 1 ignores signals from inside that have no handler
    except OSError as error:
        _give_up(error)
    os._exit(_wait_for_end(pid, nowhere))


def _become_the_bot(order: Order) -> NoReturn:
    """Set the limits, give up all other rights, and become the bot's program."""
    import resource

    try:
        os.chdir(HOME)
        for name, most in order.limits:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (most, most))
        if landlock_version():
            lent = (mounted.target for mounted in order.view if mounted.kind == "lend")
            allow_writing_only((HOME, "/dev", "/proc", *lent))
        restore_signals()  # signals that Python ignores would be inherited
        if order.filter:
            # Last of all, because the steps before it may need a call that the filter refuses.
            install_filter(order.filter)
        os.execvp(order.command[0], order.command)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        os.write(2, f"cannot start {order.command[0]}: {why}\n".encode(errors="replace"))
    os._exit(127)  # the exit code of a shell that cannot start a program


def _become_nobody(user: int, group: int) -> None:
    """Map a uid and gid of the outer namespace to nobody in this new user namespace."""
    for name, text in (
        ("setgroups", "deny"),  # before the groups, which an ordinary user may not map otherwise
        ("uid_map", f"{NOBODY} {user} 1"),
        ("gid_map", f"{NOBODY} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _die_with(watched: int) -> None:
    """Ask to be killed with our parent, and exit if it has died already.

    The parent is alive as long as its end of the pipe `watched` is open.
    """
    control(*KILL_WITH_PARENT)
    os.set_blocking(watched, False)
    try:
        os.read(watched, 1)
    except BlockingIOError:
        return
    os._exit(_FAILED)


def _give_up(error: OSError) -> NoReturn:
    os.write(2, f"the sandbox cannot be made: {error.strerror or error}\n".encode())
    os._exit(_FAILED)


def _wait_for_end(pid: int, nowhere: int) -> int:
    """Close the bot's pipes here, wait for a process, and return its exit code as a shell does.

    Inside, orphans become children of the first process, and are reaped as well. `nowhere` is a
    descriptor of ``/dev/null``. It was opened before there was a sandbox, because the process
    outside can share the mount namespace: then its root changes at an unknown moment, too.
    """
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor, inheritable=False)
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else _FROM_SHELL - code


def _lay_out(view: Iterable[Mount], owner: int, size: int) -> None:
    """Build a new root with two file systems in memory of `size` bytes each, and enter it.

    `owner` is the uid and gid, in this namespace, that may write to those two. Raises OSError if
    something cannot be mounted. The process must be in a mount namespace of its own, with all
    rights over it.
    """
    # Links are resolved now, because their targets are elsewhere once the root has moved.
    resolved = [
        step._replace(source=os.path.realpath(step.source))
        if step.kind in ("show", "lend")
        else step
        for step in view
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
    change_root(".", ".")  # the old root is now stacked on the new one at the same place
    detach(".")
    os.chdir("/")


def _lay_out_system(owner: int, size: int) -> None:
    """Mount /proc, the devices, and the two writable file systems."""
    for folder in ("/proc", "/dev", HOME):
        os.mkdir(f"/new{folder}", 0o755)
    mount("proc", "/new/proc", "proc", _HARMLESS | _NO_PROGRAMS)
    mount("tmpfs", "/new/dev", "tmpfs", _NO_SETUID | _NO_PROGRAMS, "mode=0755")
    for name in _DEVICES:
        if os.path.exists(f"/old/dev/{name}"):
            _bind(f"/old/dev/{name}", f"/new/dev/{name}")
    for name, number in _LINKS.items():
        os.symlink(f"/proc/self/fd{number}", f"/new/dev/{name}")
    # No terminals: the limit on them is one for the whole machine, and one bot could take all.
    os.mkdir("/new/dev/shm", 0o755)
    room = f"size={size},nr_inodes={max(size // _BYTES_A_FILE, 64)}"
    own = f"{room},mode=0755,uid={owner},gid={owner}"
    for folder in ("/new/dev/shm", f"/new{HOME}"):
        mount("tmpfs", folder, "tmpfs", _HARMLESS, own)


def _lay_out_step(step: Mount) -> None:
    """Carry out one step below the new root, before it becomes the root."""
    target = f"/new{step.target}"
    if step.covers and not os.path.lexists(target):
        return  # the file has been removed meanwhile, so there is nothing to hide
    if step.kind == "folder":
        os.makedirs(target, 0o755, exist_ok=True)
    elif step.kind == "link":
        os.symlink(step.source, target)
    elif step.kind in ("empty", "clear"):
        mount("tmpfs", target, "tmpfs", _HARMLESS, "mode=0755")
        if step.kind == "empty":
            restrict(target, _READ_ONLY)
    elif step.kind == "close":
        restrict(target, _READ_ONLY)
    elif step.kind == "blank":
        _bind("/old/dev/null", target)
        # a device file where devices are forbidden: it cannot be opened
        restrict(target, _READ_ONLY | _NO_DEVICES)
    else:
        _bind(f"/old{step.source}", target)
        writable = step.kind == "lend"
        restrict(target, _HARMLESS if writable else _HARMLESS | _READ_ONLY, below=True)


def _bind(source: str, target: str) -> None:
    """Bind-mount a file or folder at a target, which is created if it is missing."""
    if os.path.isdir(source):
        os.makedirs(target, 0o755, exist_ok=True)
    elif not os.path.lexists(target):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
    mount(source, target, "", _BIND | _ALL_BELOW)
