"""The program that builds a sandbox of namespaces around its own process and runs a bot in it.

`pwtourney.sandbox.backends` starts it before the bot where bubblewrap is not installed. It is paid
for at each of these starts, so it imports little of the standard library, and of ours `kernel`.

Three processes come of it. The first stays outside, waits, and ends as the bot ended; the second
is the first process inside, and everything inside ends with it; the third becomes the bot. Each
dies with the one before it, and the first with the runner.

What the bot sees of the file system is laid out on an empty one, which then becomes the root. The
old root is out of reach afterwards: nothing of it is mounted any more, and no descriptor leads
there. See pivot_root(2).
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
"""Where a bot in the sandbox starts, and what it may write to next to /dev/shm."""

NOBODY = 65534
"""The user and group that a bot is inside."""

_FAILED = 125
"""The exit code when the sandbox could not be made, after a line on standard error."""

_FROM_SHELL = 128
"""What is added to the number of a signal to make an exit code of it."""

# linux/prctl.h
_SET_DUMPABLE = 4
_NO_NEW_PRIVILEGES = 38

# linux/mount.h
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_BIND, _ALL_BELOW, _SLAVE, _PRIVATE = 0x1000, 0x4000, 0x80000, 0x40000
_READ_ONLY = 1  # as an attribute of mount_setattr; the next two have the numbers of mount's flags
_HARMLESS = _NO_SETUID | _NO_DEVICES

_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}
_BYTES_A_FILE = 1024
"""A small file system has room for one file for so many bytes: names take memory too."""


class Mount(NamedTuple):
    """One step of what is laid out for a bot, in the order given.

    `show` lays a file or folder of the system at its target, read-only, and `lend` likewise for
    writing; `link` makes a symbolic link to the source, `folder` an empty folder; `empty` covers a
    folder with an empty one, and `blank` a file with one that nobody can read. `clear` covers a
    folder with one that is filled by the next steps, until `close`.
    """

    kind: str
    target: str
    source: str = ""

    @property
    def covers(self) -> bool:
        """Whether it hides something that another mount shows."""
        return self.kind in ("empty", "blank", "clear", "close")


class Order(NamedTuple):
    """What is to be built, and for whom.

    `parent` is the process that must be alive; `user` the number that root becomes first, −1 for an
    ordinary user. `scratch` is the size of what can be written in bytes, `limits` what no process
    may exceed, by the names of ``resource``, `filter` a program for seccomp, and `view` what the
    bot sees.
    """

    parent: int
    user: int
    scratch: int
    limits: tuple[tuple[str, int], ...]
    filter: bytes
    view: tuple[Mount, ...]
    command: tuple[str, ...]

    def pack(self) -> bytes:
        """Return the bytes that `unpack` reads: words, and how many of a kind follow."""
        head = [str(self.parent), str(self.user), str(self.scratch), self.filter.hex()]
        counts = [str(len(self.limits)), str(len(self.view))]
        limits = [word for name, most in self.limits for word in (name, str(most))]
        mounts = [word for mount in self.view for word in mount]
        # not JSON: at every start of a bot its module would take milliseconds to import
        return b"\0".join(map(os.fsencode, (*head, *counts, *limits, *mounts, *self.command)))

    @classmethod
    def unpack(cls, packed: bytes) -> "Order":
        """Read what `pack` wrote."""
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

    The order is read from a descriptor: the words that a process is started with can be read by
    everybody who sees it, the bot too.
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
            # an ordinary user has rights over new namespaces only as somebody new
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
    """Be the first process inside: lay everything out, start the bot, and outlive it."""
    user = order.user
    try:
        _die_with(watched)
        set_hostname("bot")
        join_new_keyring()
        switch_loopback_on()
        _lay_out(order.view, NOBODY if user < 0 else user, order.scratch)
        if user >= 0:
            os.setgroups([])  # first groups, then the user: only root may change them
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            control(_SET_DUMPABLE, 1)  # else the files that make us nobody would still be root's
            unshare(NEW_USER)
            _become_nobody(user, user)
            _die_with(watched)  # another user: the kernel has forgotten what was asked before
        # In a namespace of its own a bot would have rights again that reach more of the kernel:
        # one last user namespace is entered, and the one around it then allows no other.
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("1")
        unshare(NEW_USER)
        _become_nobody(NOBODY, NOBODY)
        control(_NO_NEW_PRIVILEGES, 1)
        drop_capabilities()
        control(_SET_DUMPABLE, 0)  # the bot is the same user: it may not look into this process
        pid = os.fork()
        if pid == 0:
            _become_the_bot(order)
        restore_signals()  # which here means that those from inside are ignored
    except OSError as error:
        _give_up(error)
    os._exit(_wait_for_end(pid, nowhere))


def _become_the_bot(order: Order) -> NoReturn:
    """Take the limits, give up the rest, and become the bot's program."""
    import resource

    try:
        os.chdir(HOME)
        for name, most in order.limits:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name.upper()}"), (most, most))
        if landlock_version():
            lent = (mounted.target for mounted in order.view if mounted.kind == "lend")
            allow_writing_only((HOME, "/dev", "/proc", *lent))
        restore_signals()  # Python's own would be inherited
        if order.filter:
            # last of all: what comes before may need a call that it refuses
            install_filter(order.filter)
        os.execvp(order.command[0], order.command)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        os.write(2, f"cannot start {order.command[0]}: {why}\n".encode(errors="replace"))
    os._exit(127)  # as of a shell that cannot start a program


def _become_nobody(user: int, group: int) -> None:
    """Be nobody in a new user namespace, who is the given user outside of it."""
    for name, text in (
        ("setgroups", "deny"),  # before the groups: else an ordinary user may not map them
        ("uid_map", f"{NOBODY} {user} 1"),
        ("gid_map", f"{NOBODY} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _die_with(watched: int) -> None:
    """Ask to be killed with our parent, which is alive if nobody has closed the pipe from it."""
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
    """Let go of the bot's pipes and wait for a process; return its exit code, as shells tell it.

    Orphans inside come to the first process there, and are waited for as well. `nowhere` was opened
    before there was a sandbox: its root becomes that of the first process, too, at any moment.
    """
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor, inheritable=False)
    while True:
        ended, status = os.wait()
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else _FROM_SHELL - code


def _lay_out(view: Iterable[Mount], owner: int, size: int) -> None:
    """Make a new root with two file systems in memory of so many bytes each, and enter it.

    `owner` is who writes to those two, by the number of user and group that holds here. Raises
    OSError where something cannot be shown. The process must be in a mount namespace of its own,
    with all rights over it.
    """
    # links are followed now: where they lead to is not where it was once the root has moved
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
    change_root(".", ".")  # the old root is now under the new one, at the same place
    detach(".")
    os.chdir("/")


def _lay_out_system(owner: int, size: int) -> None:
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
    # no terminals: all of the machine count together, and one bot could take every one
    os.mkdir("/new/dev/shm", 0o755)
    room = f"size={size},nr_inodes={max(size // _BYTES_A_FILE, 64)}"
    own = f"{room},mode=0755,uid={owner},gid={owner}"
    for folder in ("/new/dev/shm", f"/new{HOME}"):
        mount("tmpfs", folder, "tmpfs", _HARMLESS, own)


def _lay_out_step(step: Mount) -> None:
    """Lay out one thing below the new root, as long as it is not the root yet."""
    target = f"/new{step.target}"
    if step.covers and not os.path.lexists(target):
        return  # somebody has removed it meanwhile, and there is nothing to hide
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
