"""The launch of a bot: its command, environment, user, limits, and view of the file system.

Guards are programs of util-linux that set a command's limits, tie it to this process, or run it as
another user. Each bot of root gets a uid of its own: it belongs to no other user, and no two
running bots share one.

The view of a bot in a sandbox is a list of mounts, the same for both backends. It shows the
system's programs and libraries and the bot's own files, all at their own paths and read-only,
except folders that it may write to. Covers hide files of others among its own.
"""

import ctypes
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from glob import glob
from itertools import cycle
from typing import NamedTuple

from pwtourney.errors import ShortageError
from pwtourney.sandbox.inside import NOBODY, Mount

__all__ = [
    "LeasedUid",
    "Launch",
    "Limits",
    "bot_environment",
    "is_root",
    "keep_private",
    "limits_guard",
    "mounts_at",
    "parent_guard",
    "resource_limits",
    "user_guard",
    "user_limits",
    "view_of",
]

_MIB = 1 << 20

_PENDING_SIGNALS = 256
"""The limit of queued signals and timers, a small part of what a user may have (setrlimit(2))."""

_FIRST_UID, _LAST_UID = 60578, 61183
"""A range of uids that systemd keeps free between the ranges that it assigns itself."""

_LEASES = (
    "/run/pwtourney-users",
    "/var/lib/pwtourney-users",
    os.path.expanduser("~/.pwtourney-users"),
)
"""The candidates for the folder that holds the leases: the first that exists and is root's.

In a user namespace the first two may belong to a different root, outside it.
"""

_uids = cycle(range(_FIRST_UID, _LAST_UID + 1))

_PR_SET_DUMPABLE = 4

_TIED = ("--pdeathsig", "KILL", "--no-new-privs")
_PATIENCE_SECONDS = 10

_MERGED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    *sorted(glob("/etc/java-*")),
    "/etc/java",
    "/etc/mono",
)
"""Files that programs of the system need from ``/etc``: links, and settings of run times.

Java does not even report a missing class without its own.
"""


class Launch(NamedTuple):
    """The start of a bot: its command, with absolute paths, and additional environment variables.

    `read_paths` are the files and folders that it needs besides the system's own; in the sandbox it
    sees no others. `write_paths` are folders that it may write to as well. Each of them is the only
    entry of a folder of ours that no other user can enter.
    """

    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    read_paths: tuple[str, ...] = ()
    write_paths: tuple[str, ...] = ()


class Limits(NamedTuple):
    """The limits of one bot: times in milliseconds, sizes in bytes.

    `start_ms` bounds the time from the start of the process to the end of the handshake, and again
    the preparation for a game. `end_ms` is the grace time between ``quit`` and the kill. `move_ms`
    bounds every single move, whatever the clock allows. `cpu_ms` is the CPU time of one process;
    None if it lives for many games. `line` bounds one line and `output` all lines of a game. Of
    standard error, the first and the last `stderr` bytes are kept. `memory` and `processes` count
    all processes of the bot together. `file` is the size of one file, `files` the number of open
    files, and `scratch` the size of everything in the scratch folder (in the sandbox).
    """

    start_ms: int = 10_000
    end_ms: int = 500
    move_ms: int | None = None
    cpu_ms: int | None = 3_600_000
    line: int = 64 * 1024
    output: int = 16 * _MIB
    stderr: int = 64 * 1024
    memory: int = 2048 * _MIB
    processes: int = 64
    file: int = 64 * _MIB
    files: int = 256
    scratch: int = 64 * _MIB


def bot_environment(launch: Launch, home: str) -> Mapping[str, str]:
    """Return the complete environment of a bot: an allow-list, with nothing else inherited."""
    # Everything else stays ours: every bot could read, for example, a token in the variables of a
    # CI job. Python on Windows does not start without SYSTEMROOT.
    allowed = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
    fixed = {
        "HOME": home,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # so that a Python bot is as deterministic as its author wrote it
        "TMPDIR": home,
    }
    return allowed | fixed | dict(launch.environment)


def resource_limits(limits: Limits) -> tuple[tuple[str, int], ...]:
    """Return the resource limits of each process of a bot, named as in ``prlimit``."""
    import resource  # not on every system

    bounds = [
        ("core", resource.RLIMIT_CORE, 0),  # one crash per game would fill the disk with core dumps
        ("fsize", resource.RLIMIT_FSIZE, limits.file),
        ("nofile", resource.RLIMIT_NOFILE, limits.files),
        # DATA and not AS, because Node, Go and Java reserve far more address space than they use.
        # It is a quarter above the memory limit: a bot that really uses the memory is then caught
        # by the measurement of its process tree, with a verdict, and does not die of a failed
        # allocation.
        ("data", resource.RLIMIT_DATA, limits.memory + limits.memory // 4),
    ]
    if limits.cpu_ms is not None:
        bounds.append(("cpu", resource.RLIMIT_CPU, -(-limits.cpu_ms // 1000)))
    if sys.platform == "linux":
        # All bots of a user would share that user's queues, and no bot needs any.
        bounds.append(("msgqueue", resource.RLIMIT_MSGQUEUE, 0))
    return _lower_to_ours(bounds)


def user_limits(limits: Limits) -> tuple[tuple[str, int], ...]:
    """Return the limits of all processes of a bot together, named as in `resource_limits`.

    The kernel counts them by user, so they are set inside the sandbox, where the user is the
    sandbox's own. Set outside, the bots of one user would use up each other's limits.
    """
    import resource

    processes = ("nproc", resource.RLIMIT_NPROC, limits.processes)
    return _lower_to_ours([processes, *_pending_limit()])


def limits_guard(limits: Limits, *, outside: bool = False) -> tuple[str, ...]:
    """Return the guard that sets the limits of each process; empty if it does not work here.

    `outside` means that a sandbox is built behind the guard and sets `user_limits`.
    """
    bounds = resource_limits(limits)
    if not outside:
        bounds += _lower_to_ours(_pending_limit())
    options = (f"--{name}={most}:{most}" for name, most in bounds)
    return _working_guard("prlimit", *options, "--")


def _pending_limit() -> list[tuple[str, int, int]]:
    import resource

    if sys.platform != "linux":
        return []
    return [("sigpending", resource.RLIMIT_SIGPENDING, _PENDING_SIGNALS)]


def _lower_to_ours(bounds: Iterable[tuple[str, int, int]]) -> tuple[tuple[str, int], ...]:
    """Return names with their limits, lowered to our own hard limits, which nothing can exceed."""
    import resource

    allowed = []
    for name, kind, value in bounds:
        hard = resource.getrlimit(kind)[1]
        allowed.append((name, value if hard == resource.RLIM_INFINITY else min(value, hard)))
    return tuple(allowed)


def parent_guard() -> tuple[str, ...]:
    """Return the guard that ties a command to this process; empty if it does not work here.

    The kernel kills the command when the process that started it dies for any reason, and prevents
    it from gaining privileges.
    """
    return _working_guard("setpriv", *_TIED, "--")


def user_guard(user: int) -> tuple[str, ...]:
    """Return the guard of `parent_guard` that also switches from root to a user; empty if it fails.

    `user` is the uid and gid, which no other user of the system has.
    """
    # Tried as nobody, and so only once: each bot has another uid.
    guard = _working_guard("setpriv", *_identity(NOBODY), *_TIED, "--")
    return (guard[0], *_identity(user), *_TIED, "--") if guard else ()


class LeasedUid:
    """A uid that no other bot on this machine has until it is released.

    The lease is the lock of a file, which the kernel releases when the process ends. A bot cannot
    take one, because the files are in a folder that only root can enter. Raises `ShortageError` if
    no uid is free or the folder cannot be opened.
    """

    def __init__(self) -> None:
        import fcntl  # not on every system

        folder = _open_leases()
        try:
            for _ in range(_FIRST_UID, _LAST_UID + 1):
                self.number = next(_uids)
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
                self._held = os.open(str(self.number), flags, 0o600, dir_fd=folder)
                try:
                    fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(self._held)
                    continue
                return
        except OSError as error:
            raise ShortageError(f"no user number for a bot is available: {error}") from error
        finally:
            os.close(folder)
        raise ShortageError("all user numbers for bots are taken by other runs")

    def release(self) -> None:
        """Release the uid; call it when no process of the bot is left."""
        os.close(self._held)


def _open_leases() -> int:
    """Open the folder of the leases, creating it if needed; raise `ShortageError` if none fits.

    A folder that another user could have created, or can write to, is skipped.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    for path in _LEASES:
        with suppress(OSError):
            above = os.stat(os.path.dirname(path))
            if above.st_uid != os.geteuid() or above.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                continue
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
            folder = os.open(path, flags)
            own = os.fstat(folder)
            if own.st_uid == os.geteuid() and not own.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                return folder
            os.close(folder)
    raise ShortageError(
        f"a user number for a bot is held in {_LEASES[0]}, which must be a folder that only root"
        " can enter, in one that only root can write to"
    )


def is_root() -> bool:
    """Return True if this process is root, whose bots must switch to another user first."""
    return os.name == "posix" and os.geteuid() == 0


def keep_private() -> bool:
    """Forbid other processes of this user to trace this one or read its memory and environment.

    Returns False where the system cannot do this (outside Linux). It holds until the process
    executes another program.
    """
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) == 0)


def view_of(
    launch: Launch, hidden: Iterable[str] = (), closed: Iterable[str] = ()
) -> tuple[Mount, ...]:
    """Return the mounts that make up a bot's view of the file system.

    `hidden` are files and folders that the bot must not see. In a folder that is `closed` it sees
    its own files and nothing else, even if files appear or disappear there while it runs.
    """
    system = [Mount("show", "/usr", "/usr")]
    for name in _MERGED:
        if os.path.islink(name):
            system.append(Mount("link", name, os.readlink(name)))
        elif os.path.isdir(name):
            system.append(Mount("show", name, name))
    system.append(Mount("folder", "/etc"))
    system += [Mount("show", name, name) for name in _SYSTEM_FILES if os.path.exists(name)]
    every = _list_own((*launch.read_paths, *launch.write_paths))
    own = _leave_out_system(every)
    writable = {*launch.write_paths, *map(os.path.realpath, launch.write_paths)}
    inside = {
        folder: [path for path in every if path.startswith(f"{folder}/")]
        for folder in filter(os.path.isdir, closed)
    }
    # Files of others among those that a bot is shown are covered, whatever path leads to them.
    covers: list[Mount] = []
    for folder, paths in inside.items():
        covers += (Mount("clear", folder), *_show_own(paths, writable, folder))
        covers.append(Mount("close", folder))
    # Links are resolved here, because a cover has to lie on the file under every name that shows
    # it.
    for path in sorted(map(os.path.realpath, hidden)):
        for folder in ("/usr", *own):
            real = os.path.realpath(folder)
            if not path.startswith(f"{real}/"):
                continue
            shown = folder + path.removeprefix(real)
            if not _is_shown(shown, inside):
                continue
            if os.path.isdir(path):
                covers.append(Mount("empty", shown))
            elif os.path.exists(path):
                covers.append(Mount("blank", shown))
    return (*system, *_show_own(own, writable), *covers)


def mounts_at(path: str) -> Iterator[Mount]:
    """Return the mounts that show one file or folder at its own path and at its real path."""
    return _show_own(_leave_out_system(_list_own([path])), set())


def _identity(user: int) -> tuple[str, ...]:
    who = (f"--reuid={user}", f"--regid={user}", "--clear-groups")
    # With an empty bounding set, no setuid program can give back any of root's capabilities.
    return (*who, "--inh-caps=-all", "--bounding-set=-all")


@cache
def _working_guard(name: str, *options: str) -> tuple[str, ...]:
    """Return the command of a guard, to put before another; empty if it does not work here.

    It is tried once with a command that does nothing, because other programs of the same name
    (busybox has some) know fewer options.
    """
    program = shutil.which(name) if sys.platform == "linux" else None
    if program is None:
        return ()
    # Absolute, because bots start in a folder of their own and PATH may hold relative entries.
    guard = (os.path.abspath(program), *options)
    with suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run([*guard, "true"], capture_output=True, timeout=_PATIENCE_SECONDS)
        return guard if done.returncode == 0 else ()
    return ()


def _list_own(paths: Sequence[str]) -> list[str]:
    """Return a bot's own paths and their real paths, each folder before its content."""
    # Sorted, a folder comes before its content, so its mount does not cover theirs.
    return sorted({*paths, *map(os.path.realpath, paths)})


def _leave_out_system(paths: Iterable[str]) -> list[str]:
    """Return the paths that the mount of /usr does not show already."""
    return [path for path in paths if not path.startswith("/usr/")]


def _is_shown(path: str, inside: Mapping[str, Sequence[str]]) -> bool:
    """Return True unless a closed folder hides the path; `inside` maps each to its shown paths."""
    for folder, shown in inside.items():
        if path.startswith(f"{folder}/"):
            around = (f"{path}/".startswith(f"{entry}/") for entry in shown)
            return any(around) or any(entry.startswith(f"{path}/") for entry in shown)
    return True


def _show_own(paths: Iterable[str], writable: set[str], top: str = "") -> Iterator[Mount]:
    """Yield mounts that show a bot's files at their own paths; the folder `top` exists already."""
    made = set(_list_above(f"{top}/"))
    for path in paths:
        # Each folder is made separately: those that bubblewrap creates implicitly cannot be
        # entered.
        for folder in _list_above(path):
            if folder not in made:
                made.add(folder)
                yield Mount("folder", folder)
        yield Mount("lend" if path in writable else "show", path, path)


def _list_above(path: str) -> Iterator[str]:
    """Yield the folders above a path, from the outermost to its parent."""
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(2, len(parts)))
