"""The two sandbox backends, bubblewrap and Linux namespaces, which give a bot the same view.

A bot sees the system's programs and libraries and its own files, all read-only, and two small file
systems in memory that it can write to. It has no network, sees only its own processes, and runs as
nobody. Bubblewrap builds this. Where bubblewrap is not installed, our own program (`inside`) builds
it from the kernel's namespaces.

As root, an outer bubblewrap first shows those same files and nothing else, because an unprivileged
user could not reach them (below /root, for example). In it root is given up permanently, and an
unprivileged user builds the real sandbox.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Literal

from pwtourney.sandbox.inside import HOME, NOBODY, Mount, Order
from pwtourney.sandbox.launch import (
    Launch,
    Limits,
    bot_environment,
    is_root,
    limits_guard,
    mounts_at,
    resource_limits,
    user_guard,
    user_limits,
    view_of,
)
from pwtourney.sandbox.orphans import Orphans
from pwtourney.sandbox.procfs import list_mounts, read_proc
from pwtourney.sandbox.seccomp import seccomp_filter
from pwtourney.sandbox.syscalls import landlock_version

__all__ = [
    "BACKENDS",
    "Backend",
    "enclose",
    "find_problem",
    "find_remedy",
    "has_landlock",
    "wrapper_count",
]

Backend = Literal["bwrap", "unshare"]
"""The program that builds a sandbox: bubblewrap, or our own on top of the kernel's namespaces."""

BACKENDS: tuple[Backend, ...] = ("bwrap", "unshare")
"""All backends, the best first."""

_OLDEST = (0, 8)
_AS_NOBODY = ("--uid", str(NOBODY), "--gid", str(NOBODY))

_START = "import sys; sys.path.append({!r}); from pwtourney.sandbox.inside import main; main({})"
_ROOT = str(Path(__file__).parents[2])
"""The folder that holds the package. An isolated Python (``-I``) looks for it nowhere else."""

_DO_NOTHING = ("/usr/bin/true", "/bin/true")
_SETTINGS = (
    ("user.max_user_namespaces", 0, 15000),
    ("kernel.unprivileged_userns_clone", 0, 1),
    ("kernel.apparmor_restrict_unprivileged_userns", 1, 0),
)
"""Sysctl names, each with the value that forbids user namespaces and one that allows them.

They apply to ordinary users.
"""
_PATIENCE_SECONDS = 20


@contextmanager
def enclose(
    backend: Backend,
    launch: Launch,
    limits: Limits,
    *,
    hidden: Iterable[str] = (),
    closed: Iterable[str] = (),
    user: int | None = None,
    seccomp: bool = False,
) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Yield the command that runs a bot in a sandbox, and the descriptors that it must inherit.

    `hidden` and `closed` are as in `Isolation`. `user` is the uid that root switches to first. The
    command must be started by this process, because the sandbox dies with its parent.
    """
    view = view_of(launch, hidden, closed)
    program = seccomp_filter() if seccomp else None
    descriptors: tuple[int, ...] = ()
    try:
        if backend == "bwrap":
            descriptors = () if program is None else (_write_to_memory(program),)
            put_aside, take_back = _move_streams(descriptors)
            command = [
                *put_aside,
                *limits_guard(limits, outside=True),
                *_bwrap_command(launch, limits, view, user, descriptors, take_back),
            ]
        else:
            order = Order(
                parent=os.getpid(),
                user=-1 if user is None else user,
                scratch=limits.scratch,
                limits=(*resource_limits(limits), *user_limits(limits)),
                filter=program or b"",
                view=view,
                command=launch.command,
            )
            # The command line is public, and a pipe may be too small for the order.
            descriptors = (_write_to_memory(order.pack()),)
            # Our own interpreter without site-packages starts in half the time.
            code = _START.format(_ROOT, *descriptors)
            command = [sys.executable, "-I", "-S", "-c", code]
        yield command, descriptors
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def wrapper_count(backend: Backend) -> int:
    """Return how many generations of processes above the bot belong to the sandbox."""
    # Both backends have one process outside the sandbox and one that is its first process inside.
    # As root, bubblewrap runs twice.
    return 4 if backend == "bwrap" and is_root() else 2


@cache
def find_problem(backend: Backend, launch: Launch, limits: Limits) -> str | None:
    """Run ``true`` in a sandbox once, and return why that does not work here, or None.

    The command of `launch` is ignored.
    """
    if sys.platform != "linux":
        return "bubblewrap is for Linux" if backend == "bwrap" else "namespaces are Linux's"
    if backend == "unshare":
        try:
            failure = _try_backend(backend, launch, limits)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"namespaces do not work here: {error}"
        remedy = failure and find_remedy(failure)
        return failure and f"namespaces do not work on this machine: {failure}; {remedy}"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    if is_root() and not user_guard(NOBODY):
        return "`setpriv` (util-linux) does not work here, and bots must not run as root"
    try:
        if _bwrap_version(program) < _OLDEST:
            return f"{program} is older than bubblewrap 0.8"
        failure = _try_backend(backend, launch, limits)
    except (OSError, subprocess.TimeoutExpired) as error:
        failure = str(error)
    return failure and f"bubblewrap does not work here: {failure}"


@cache
def _bwrap_version(program: str) -> tuple[int, ...]:
    command = [program, "--version"]
    process = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=_PATIENCE_SECONDS
    )
    return tuple(map(int, re.findall(r"\d+", process.stdout)))


def find_remedy(failure: str) -> str:
    """Return advice for when namespaces do not work, given the sandbox's error message."""
    if "cannot restrict" in failure:
        return "it takes Linux 5.12; bubblewrap does without (Debian: apt install bubblewrap)"
    # In a chroot, mountinfo lists no mount at "/": the root is a folder inside a file system, not a
    # mount point. The kernel refuses namespaces there.
    with suppress(OSError):
        mounts = list_mounts(read_proc("/proc/self/mountinfo"))
        if not any(mount.point == Path("/") for mount in mounts):
            return "this is a chroot, in which no sandbox can be made"
    if "mount proc" in failure:
        return "to allow it in a container: --security-opt systempaths=unconfined"
    if "unshare" not in failure:
        return "bubblewrap may work (Debian: apt install bubblewrap)"
    if is_root():
        return "to allow them in a container: --cap-add SYS_ADMIN --security-opt seccomp=unconfined"
    for name, forbids, allows in _SETTINGS:
        with suppress(OSError, ValueError), open(f"/proc/sys/{name.replace('.', '/')}") as file:
            if int(file.read()) == forbids:
                return f"to allow them: sysctl -w {name}={allows}"
    return "to allow them in a container: --security-opt seccomp=unconfined"


def has_landlock() -> bool:
    """Return True if the kernel has Landlock, a second barrier behind the mounts."""
    return landlock_version() > 0


def _try_backend(backend: Backend, launch: Launch, limits: Limits) -> str | None:
    """Run a program that does nothing in a sandbox; return the last line of its error, or None."""
    nothing = next(filter(os.path.exists, _DO_NOTHING), "true")
    user = NOBODY if is_root() else None
    orphans = Orphans()  # before the start, so that it knows the earlier children
    try:
        with enclose(backend, launch._replace(command=(nothing,)), limits, user=user) as enclosed:
            command, descriptors = enclosed
            done = subprocess.run(
                command,
                pass_fds=descriptors,
                env=bot_environment(launch, HOME),
                cwd="/",
                capture_output=True,
                timeout=_PATIENCE_SECONDS,
                check=False,
                start_new_session=True,  # `Orphans` leaves processes in our own session alone
            )
    finally:
        orphans.sweep()  # its first process may outlive it, and is our child if we are a subreaper
    if done.returncode == 0:
        return None
    written = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return written[-1] if written else "it printed no error"


def _bwrap_command(
    launch: Launch,
    limits: Limits,
    view: Iterable[Mount],
    user: int | None,
    filters: Iterable[int],
    take_back: Iterable[str],
) -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    variables = bot_environment(launch, HOME).items()
    of_user = (f"--{name}={most}:{most}" for name, most in user_limits(limits))
    # Each option is on one line with its arguments.
    # fmt: off
    inner = [
        program,
        # As root, --unshare-all alone silently makes no user namespace.
        "--unshare-user", "--unshare-all", "--disable-userns", *_AS_NOBODY,
        "--hostname", "bot",
        "--die-with-parent", "--clearenv",
        *(word for pair in variables for word in ("--setenv", *pair)),
        "--proc", "/proc",
        "--dev", "/dev",
        "--size", str(limits.scratch), "--tmpfs", "/dev/shm",
        # No terminals: the limit on them is one for the whole machine, and one bot could take all.
        "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts",
        "--remount-ro", "/dev",
        "--size", str(limits.scratch), "--tmpfs", HOME,
        *_mount_options(view),
        "--chdir", HOME,
        # Last, because each mount above needs to create its mount point first.
        "--remount-ro", "/",
        *(word for descriptor in filters for word in ("--seccomp", str(descriptor))),
        "--", *take_back,
        "prlimit", *of_user, "--",
        *launch.command,
    ]
    # fmt: on
    return inner if user is None else _wrap_for_user(inner, view, user)


def _wrap_for_user(inner: Sequence[str], view: Iterable[Mount], user: int) -> list[str]:
    """Return a command that changes to a user and runs bubblewrap, which the user may not reach."""
    program = inner[0]
    # The outer bubblewrap shows root's files to a user who could not reach them. It also has to
    # show the inner bubblewrap, wherever that is installed.
    real = os.path.realpath(program)
    own = () if real.startswith("/usr/") else _mount_options(mounts_at(program))
    # fmt: off
    return [
        program,
        "--die-with-parent",
        "--unshare-pid",  # its first process stays root's; when that dies, all in here do
        "--cap-add", "CAP_SETUID",
        "--cap-add", "CAP_SETGID",
        "--cap-add", "CAP_SETPCAP",
        "--bind", "/proc", "/proc",
        "--dev-bind", "/dev", "/dev",
        "--dir", HOME,
        # The inner bubblewrap, whose view is the bot's, makes the covers.
        *_mount_options(mount for mount in view if not mount.covers),
        *own,
        "--", *user_guard(user), *inner,
    ]
    # fmt: on


def _move_streams(used: Collection[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return shell commands that move stdin and stdout away from bubblewrap and back for the bot.

    Bubblewrap's own processes keep the three standard streams open as long as the bot runs, so the
    runner would not notice that the bot has closed one. They leave every other descriptor to the
    bot alone. Standard error stays in place, because bubblewrap writes its own errors there. `used`
    are descriptor numbers that are taken.
    """
    # Shells must support only one-digit descriptors (POSIX, section 2.7).
    source, sink = [number for number in range(3, 10) if number not in used][:2]
    # Two separate commands: with a single one, dash leaves the bot a copy of the old descriptors.
    aside = f'exec {source}<&0 {sink}>&1 </dev/null >/dev/null && exec "$@"'
    back = f'exec <&{source} >&{sink} {source}<&- {sink}>&- && exec "$@"'
    return ("sh", "-c", aside, "sh"), ("sh", "-c", back, "sh")


def _mount_options(mounts: Iterable[Mount]) -> Iterator[str]:
    """Yield bubblewrap's options for mounts."""
    for kind, target, source in mounts:
        if kind == "show":
            yield from ("--ro-bind", source, target)
        elif kind == "lend":
            yield from ("--bind", source, target)
        elif kind == "link":
            yield from ("--symlink", source, target)
        elif kind == "folder":
            yield from ("--dir", target)
        elif kind == "empty":
            yield from ("--tmpfs", target, "--remount-ro", target)
        elif kind == "clear":
            yield from ("--tmpfs", target)
        elif kind == "close":
            yield from ("--remount-ro", target)
        else:
            yield from ("--ro-bind", "/dev/null", target)


def _write_to_memory(content: bytes) -> int:
    """Return a descriptor of an in-memory file with this content; the caller closes it."""
    descriptor = os.memfd_create("sandbox")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
