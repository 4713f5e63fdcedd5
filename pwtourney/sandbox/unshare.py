"""A sandbox out of the kernel's namespaces, where bubblewrap is not installed: how it is started.

What it does is in `pwtourney.sandbox.namespaces`, a program that runs before the bot's.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from pwtourney.sandbox.launch import Launch, Limits, bot_environment, resource_limits
from pwtourney.sandbox.namespaces import landlock
from pwtourney.sandbox.namespaces.inside import Order
from pwtourney.sandbox.namespaces.layout import Step
from pwtourney.sandbox.orphans import Orphans
from pwtourney.sandbox.privileges import NOBODY, is_root
from pwtourney.sandbox.view import HOME, view_of

__all__ = ["WRAPPERS", "has_landlock", "order_descriptor", "problem", "program", "remedy"]

WRAPPERS = 2
"""How many generations of processes above the bot are the sandbox's own."""

_START = (
    "import sys; sys.path.append({!r})\n"
    "from pwtourney.sandbox.namespaces.inside import main; main({})"
)
_ROOT = str(Path(__file__).parents[2])
"""The folder that holds the package: an isolated Python does not look for it anywhere else."""
_DO_NOTHING = ("/usr/bin/true", "/bin/true")
_SETTINGS = (
    ("user.max_user_namespaces", 0, 15000),
    ("kernel.unprivileged_userns_clone", 0, 1),
    ("kernel.apparmor_restrict_unprivileged_userns", 1, 0),
)
"""Settings of the system, with the value that forbids namespaces to ordinary users, and another."""
_PATIENCE_SECONDS = 20


def program(descriptor: int) -> list[str]:
    """Return the command of a sandbox that reads its order from a descriptor.

    It is our own interpreter, without site-packages: it starts in half the time.
    """
    return [sys.executable, "-I", "-S", "-c", _START.format(_ROOT, descriptor)]


def order_descriptor(
    launch: Launch,
    limits: Limits,
    *,
    hidden: Iterable[str] = (),
    user: int | None = None,
    seccomp: bytes | None = None,
) -> int:
    """Return an open descriptor to read the order for a bot from. To be closed.

    `user` is the number that root becomes first; the bot's parent is this process.
    """
    order = Order(
        parent=os.getpid(),
        user=-1 if user is None else user,
        scratch=limits.scratch,
        limits=resource_limits(limits, processes=True),
        filter=seccomp or b"",
        steps=tuple(Step(*mount) for mount in view_of(launch, hidden)),
        command=launch.command,
    )
    # not on the command line, which everybody can read; not in a pipe, which may be too small
    descriptor = os.memfd_create("order")
    with open(descriptor, "wb", closefd=False) as file:
        file.write(order.pack())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def has_landlock() -> bool:
    """Tell whether the kernel has a second lock behind the mounts."""
    return landlock.version() > 0


@cache
def problem(launch: Launch, limits: Limits) -> str | None:
    """Try the sandbox once, with nothing but ``true`` in it; return why it does not work here."""
    if sys.platform != "linux":
        return "namespaces are Linux's"
    user = NOBODY if is_root() else None
    nothing = next(filter(os.path.exists, _DO_NOTHING), "true")
    descriptor = order_descriptor(launch._replace(command=(nothing,)), limits, user=user)
    orphans = Orphans()  # before the start, so that it knows who was there
    try:
        done = subprocess.run(
            program(descriptor),
            pass_fds=(descriptor,),
            env=bot_environment(launch, HOME),
            cwd="/",
            capture_output=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
            start_new_session=True,  # in ours `Orphans` would leave it alone
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"namespaces do not work here: {error}"
    finally:
        os.close(descriptor)
        orphans.sweep()  # its first process may outlive it, and come to us if we are a subreaper
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it printed no error"]
    return f"namespaces do not work on this machine: {said[-1]}; {remedy(said[-1])}"


def remedy(said: str) -> str:
    """Return what helps against a failure, given what the sandbox said of it."""
    if "cannot restrict" in said:
        return "it takes Linux 5.12; bubblewrap does without (Debian: apt install bubblewrap)"
    if "mount bind /:" in said:
        return "this is a chroot, in which no sandbox can be made"
    if "mount proc" in said:
        return "to allow it in a container: --security-opt systempaths=unconfined"
    if "unshare" not in said:
        return "bubblewrap may work (Debian: apt install bubblewrap)"
    if is_root():
        return "to allow them in a container: --cap-add SYS_ADMIN --security-opt seccomp=unconfined"
    for name, forbids, allows in _SETTINGS:
        with suppress(OSError, ValueError), open(f"/proc/sys/{name.replace('.', '/')}") as file:
            if int(file.read()) == forbids:
                return f"to allow them: sysctl -w {name}={allows}"
    return "to allow them in a container: --security-opt seccomp=unconfined"
