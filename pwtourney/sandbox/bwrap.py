"""The command line of bubblewrap: what a bot in the sandbox can see, and what it cannot.

A bot sees the system's programs and libraries and its own files, all of them read-only, and two
small file systems in memory to write to. It has no network, sees no process but its own, and is
nobody inside. As root a first bubblewrap shows those same files and nothing else, because a user
without rights could not reach them (say, below /root); in it root is given up for good, and the
real sandbox is made by a user who owns nothing.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from pwtourney.sandbox.launch import Launch, Limits, bot_environment
from pwtourney.sandbox.orphans import Orphans
from pwtourney.sandbox.privileges import NOBODY, is_root, limits_guard, user_guard
from pwtourney.sandbox.view import HOME, Mount, mounts_at, view_of

__all__ = ["problem", "sandbox_command", "wrapper_count"]

_OLDEST = (0, 8)
_AS_NOBODY = ("--uid", str(NOBODY), "--gid", str(NOBODY))


def sandbox_command(
    launch: Launch,
    limits: Limits,
    *,
    hidden: Iterable[str] = (),
    user: int | None = None,
    filter_descriptor: int | None = None,
) -> list[str]:
    """Return a bot's command in the sandbox; `user` is the number that root becomes first."""
    program = shutil.which("bwrap") or "bwrap"
    view = view_of(launch, hidden)
    variables = bot_environment(launch, HOME).items()
    inner = [
        # --unshare-all alone does without a user namespace as root, and says nothing of it
        *(program, "--unshare-user", "--unshare-all", "--disable-userns", *_AS_NOBODY),
        *("--hostname", "bot", "--die-with-parent", "--clearenv"),
        *(word for pair in variables for word in ("--setenv", *pair)),
        *("--proc", "/proc", "--dev", "/dev", "--size", str(limits.scratch), "--tmpfs", "/dev/shm"),
        *("--remount-ro", "/dev", "--size", str(limits.scratch), "--tmpfs", HOME),
        *_mount_options(view),
        # last: until then every mount needs a folder to be made for it
        *("--chdir", HOME, "--remount-ro", "/"),
        *([] if filter_descriptor is None else ["--seccomp", str(filter_descriptor)]),
        # inside, where the limit is the sandbox's own: outside it counts everything of a user
        *("--", "prlimit", f"--nproc={limits.processes}:{limits.processes}", "--"),
        *launch.command,
    ]
    if user is None:
        return inner
    # covers are left to the inner one, whose view is the bot's
    open_to_all = _mount_options(mount for mount in view if not mount.covers)
    return [*_outer_command(program, open_to_all), *user_guard(user), *inner]


def wrapper_count() -> int:
    """Return how many generations of processes stand above the bot.

    Bubblewrap watches over the sandbox from outside and, as its first process, from inside; as
    root the same is once more around it.
    """
    return 4 if is_root() else 2


@cache
def problem(launch: Launch, limits: Limits) -> str | None:
    """Try the sandbox once, with nothing but ``true`` in it; return why it does not work here."""
    if sys.platform != "linux":
        return "bubblewrap is for Linux"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    if _read_version(program) < _OLDEST:
        return f"{program} is older than bubblewrap 0.8"
    user = NOBODY if is_root() else None
    if user is not None and not user_guard(user):
        return "`setpriv` (util-linux) does not work here, and bots must not run as root"
    command = sandbox_command(launch._replace(command=("true",)), limits, user=user)
    return _try_command([*limits_guard(limits), *command])


def _try_command(command: Sequence[str]) -> str | None:
    orphans = Orphans()
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=10,
            check=False,
            cwd="/",
            start_new_session=True,  # in ours `Orphans` would leave it alone
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here: {error}"
    finally:
        orphans.sweep()  # its first process may outlive it, and come to us if we are a subreaper
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it printed no error"]
    return f"bubblewrap does not work here: {said[-1]}"


@cache
def _read_version(program: str) -> tuple[int, ...]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return tuple(int(part) for part in re.findall(r"\d+", said.stdout))


def _outer_command(program: str, shown: Iterable[str]) -> list[str]:
    """Return the bubblewrap that shows root's files to a user who could not reach them.

    The inner bubblewrap is started in it, so it has to be seen too, wherever it is installed.
    """
    real = os.path.realpath(program)
    own = () if real.startswith("/usr/") else _mount_options(mounts_at(program))
    return [
        *(program, "--die-with-parent", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
        "--unshare-pid",  # its first process is root's still: when that dies, all in here do
        *("--cap-add", "CAP_SETPCAP"),
        *("--bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev"),
        *("--dir", HOME, *shown, *own, "--"),
    ]


def _mount_options(mounts: Iterable[Mount]) -> Iterator[str]:
    """Say to bubblewrap what is to be seen."""
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
        else:
            yield from ("--ro-bind", "/dev/null", target)
