"""How bots are kept apart from each other and from everything else, decided once for a run."""

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pwtourney.errors import SandboxError
from pwtourney.sandbox.backends import (
    BACKENDS,
    Backend,
    find_problem,
    has_landlock,
)
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.inside import NOBODY
from pwtourney.sandbox.launch import (
    Launch,
    Limits,
    is_root,
    limits_guard,
    parent_guard,
    user_guard,
)
from pwtourney.sandbox.seccomp import seccomp_problem

__all__ = ["Achieved", "Pondering", "Isolation", "Sandbox", "Wanted", "achieve"]

Sandbox = Backend | Literal[""]
"""What builds the sandbox; empty for none."""

Wanted = Literal["auto", "bwrap", "unshare", "none"]
"""What a file may ask for; auto takes the best that works."""

Pondering = Literal["measure", "suspend", "allow"]
"""What happens to a bot in its opponent's time."""

_NO_GUARDS = (
    "memory, files and processes of bots are NOT limited, because `prlimit` and `setpriv` do not"
    " both work here; install util-linux (Debian: apt install util-linux)"
)
_NO_SECCOMP = (
    "the sandbox does not filter system calls, so that a bot can leave its core, signal to others"
    " by locks, and hold memory that is not counted: {}"
)
_NOT_TRUSTED = " (`trusted: false`, or --untrusted); `pwtourney doctor` shows what is missing"
_CLOSED = (
    "bots of root run as another user in the sandbox, and no other user can read {0}; allow it"
    " (chmod o+rX {0}), or run as an ordinary user"
)
_RISK = " They can read and change whatever you can: run only bots that you would run yourself."


class Isolation(NamedTuple):
    """What is put around a bot. The default is the layer that needs nothing.

    `group` is the control group under which each bot gets one of its own, empty without;
    `hidden` are files and folders that this bot must not see even where a folder around them is
    shown to it; in a folder that is `closed` it sees what is its own and nothing else;
    `other_user` says whether root's bots run as nobody in particular, `unlimited` that the limits
    of each process cannot be set here.
    """

    sandbox: Sandbox = ""
    unlimited: bool = False
    seccomp: bool = False
    landlock: bool = False
    group: str = ""
    other_user: bool = False
    pondering: Pondering = "measure"
    hidden: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    @property
    def profile(self) -> str:
        """What was achieved, in a word: ``none``, or for instance ``bwrap+seccomp+cgroup``."""
        parts: list[str] = [self.sandbox or "none"]
        parts += ["unlimited"] if self.unlimited else []
        parts += ["user"] if self.other_user and not self.sandbox else []
        parts += ["seccomp"] if self.seccomp else []
        parts += ["landlock"] if self.landlock else []
        parts += ["cgroup"] if self.group else []
        return "+".join(parts)


class Achieved(NamedTuple):
    """An isolation that works here, and what must be said about it."""

    isolation: Isolation
    warnings: tuple[str, ...] = ()


def achieve(
    wanted: Wanted,
    launch: Launch,
    limits: Limits,
    *,
    files: Sequence[str] = (),
    trusted: bool | None = None,
    groups: CgroupRoot | None = None,
) -> Achieved:
    """Find the best isolation that works for a bot, by trying it; `files` are the bot's own.

    Raises `SandboxError` when a certain sandbox is wanted and does not work, and when a bot that is
    not trusted would run without one. Every other bot runs all the same, with a warning.
    """
    if sys.platform == "win32":  # there is no poll on pipes, and there are no sessions
        raise SandboxError("games cannot be played on Windows yet; use Linux, WSL or macOS")
    group = groups.path if groups else ""
    needed = (launch.command[0], *launch.read_paths, *files)
    if wanted == "none":
        if trusted is False:
            raise SandboxError(
                "it is not trusted, and `sandbox: none` is refused for such bots (`trusted: false`,"
                " or --untrusted); leave that out"
            )
        return _always_on_layer(needed, limits, group, trusted=trusted is True)
    backend, problem = _find_backend(wanted, launch, limits)
    # in the sandbox root's bots become users that own nothing, and must be able to read themselves
    closed = next(filter(_is_closed_to_others, needed), None) if backend and is_root() else None
    if backend and not closed:
        lack = seccomp_problem()
        isolation = Isolation(
            sandbox=backend,
            seccomp=lack is None,
            landlock=backend == "unshare" and has_landlock(),
            group=group,
        )
        return Achieved(isolation, () if lack is None else (_NO_SECCOMP.format(lack),))
    if closed:
        problem = _CLOSED.format(closed)
    if wanted != "auto":
        raise SandboxError(f"`sandbox: {wanted}` does not work here: {problem}")
    if trusted is False:
        raise SandboxError(f"it is not trusted, and there is no sandbox: {problem}{_NOT_TRUSTED}")
    return _always_on_layer(needed, limits, group, problem, trusted=trusted is True)


def _find_backend(wanted: Wanted, launch: Launch, limits: Limits) -> tuple[Sandbox, str]:
    """Return the first sandbox of those wanted that works; if none does, empty and why."""
    problem = ""
    # bots that see the same are tried once: a sandbox does not fail by the words of their commands
    view = launch._replace(command=())
    for backend in BACKENDS:
        if wanted in ("auto", backend):
            # the last one is reported: what keeps namespaces from working keeps bubblewrap, too
            problem = find_problem(backend, view, limits) or ""
            if not problem:
                return backend, ""
    return "", problem


def _always_on_layer(
    needed: Sequence[str], limits: Limits, group: str, problem: str = "", *, trusted: bool
) -> Achieved:
    """Return the layer that is always on; `problem` is why there is no sandbox, if one is missing.

    Root's bots become other users if those can read what the bots are made of. The warnings say
    what is missing, what it means, and what to do; less loudly of a bot that is trusted.
    """
    if sys.platform != "linux":
        lacks = "no limits, no sandbox, no processor times, and nothing is suspended"
        return Achieved(Isolation(group=group), (f"on {sys.platform} there are {lacks}",))
    obstacle = _obstacle_to_another_user(needed) if is_root() else None
    isolation = Isolation(
        unlimited=not (limits_guard(limits) and parent_guard()),
        group=group,
        other_user=is_root() and obstacle is None,
    )
    as_root = f" as root (because {obstacle})" if obstacle else ""
    risk = "" if trusted else _RISK
    warnings = [_NO_GUARDS] if isolation.unlimited else []
    if problem:
        warnings.insert(0, f"bots run WITHOUT a sandbox{as_root}: {problem}.{risk}")
    elif as_root:
        apart = "`sandbox: auto` keeps them apart where it can"
        warnings.insert(0, f"bots run{as_root}; {apart}.{risk}")
    return Achieved(isolation, tuple(warnings))


def _obstacle_to_another_user(needed: Sequence[str]) -> str | None:
    """Return why a bot cannot run as a user that owns nothing."""
    if not user_guard(NOBODY):
        return "`setpriv` (util-linux) does not work here"
    for path in needed:
        real = os.path.realpath(path)
        # a link and what it leads to lie in different folders, and both have to be entered
        for step in (*map(str, Path(path).parents), *map(str, Path(real).parents), path):
            if _is_closed_to_others(step):
                return f"no other user can read {step}"
    return None


def _is_closed_to_others(path: str) -> bool:
    """Tell whether others may not enter a folder, or not read a file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True
    return not mode & (stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH)
