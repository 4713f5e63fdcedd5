"""The isolation of bots from each other and from the rest of the system, decided once per run."""

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pwtourney.constants import Pondering, SandboxChoice
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

__all__ = ["Isolation", "Sandbox", "WorkingIsolation", "achieve"]

Sandbox = Backend | Literal[""]
"""The backend that builds the sandbox; empty for none."""

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
    """The isolation of a bot. The default is the layer that needs nothing from the system.

    `group` is the control group that holds a group for each bot; empty if there is none. `hidden`
    are files and folders that this bot must not see even inside a folder that it is shown. In a
    folder that is `closed`, it sees its own files and nothing else. `other_user` is True if root's
    bots run as unprivileged users. `unlimited` is True if the limits of each process cannot be set
    here.
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
        """The isolation in a word: ``none``, or for example ``bwrap+seccomp+cgroup``."""
        parts: list[str] = [self.sandbox or "none"]
        parts += ["unlimited"] if self.unlimited else []
        parts += ["user"] if self.other_user and not self.sandbox else []
        parts += ["seccomp"] if self.seccomp else []
        parts += ["landlock"] if self.landlock else []
        parts += ["cgroup"] if self.group else []
        return "+".join(parts)


class WorkingIsolation(NamedTuple):
    """An isolation that works here, and the warnings to show about it."""

    isolation: Isolation
    warnings: tuple[str, ...] = ()


def achieve(
    choice: SandboxChoice,
    launch: Launch,
    limits: Limits,
    *,
    files: Sequence[str] = (),
    trusted: bool | None = None,
    groups: CgroupRoot | None = None,
) -> WorkingIsolation:
    """Find the best isolation that works for a bot by trying it; `files` are the bot's own files.

    Raises `SandboxError` if the config names a sandbox that does not work, or if a bot that is not
    trusted would run without one. Every other bot runs nevertheless, with a warning.
    """
    if sys.platform == "win32":  # Windows has no poll on pipes and no sessions
        raise SandboxError("games cannot be played on Windows yet; use Linux, WSL or macOS")
    group = groups.path if groups else ""
    needed = (launch.command[0], *launch.read_paths, *files)
    if choice == "none":
        if trusted is False:
            raise SandboxError(
                "it is not trusted, and `sandbox: none` is refused for such bots (`trusted: false`,"
                " or --untrusted); leave that out"
            )
        return _isolate_without_sandbox(needed, limits, group, trusted=trusted is True)
    backend, problem = _find_backend(choice, launch, limits)
    # In the sandbox, root's bots run as unprivileged users, who must be able to read the bots'
    # files.
    closed = next(filter(_is_closed_to_others, needed), None) if backend and is_root() else None
    if backend and not closed:
        lack = seccomp_problem()
        isolation = Isolation(
            sandbox=backend,
            seccomp=lack is None,
            landlock=backend == "unshare" and has_landlock(),
            group=group,
        )
        return WorkingIsolation(isolation, () if lack is None else (_NO_SECCOMP.format(lack),))
    if closed:
        problem = _CLOSED.format(closed)
    if choice != "auto":
        raise SandboxError(f"`sandbox: {choice}` does not work here: {problem}")
    if trusted is False:
        raise SandboxError(f"it is not trusted, and there is no sandbox: {problem}{_NOT_TRUSTED}")
    return _isolate_without_sandbox(needed, limits, group, problem, trusted=trusted is True)


def _find_backend(choice: SandboxChoice, launch: Launch, limits: Limits) -> tuple[Sandbox, str]:
    """Return the first wanted backend that works, or an empty name and the reason why none does."""
    problem = ""
    # Without the command, bots with the same view share one cached trial: whether a sandbox works
    # does not depend on the command.
    view = launch._replace(command=())
    for backend in BACKENDS:
        if choice in ("auto", backend):
            # The last problem is reported: what breaks namespaces breaks bubblewrap, too.
            problem = find_problem(backend, view, limits) or ""
            if not problem:
                return backend, ""
    return "", problem


def _isolate_without_sandbox(
    needed: Sequence[str], limits: Limits, group: str, problem: str = "", *, trusted: bool
) -> WorkingIsolation:
    """Return the isolation of a bot that runs without a sandbox, and the warnings about it.

    `problem` is why no sandbox works; empty if the config wants none. The bot has resource limits
    where they can be set. Root's bots run as other users if those can read the bots' files. The
    warnings say what is missing, what that means and what to do. For a trusted bot they leave out
    the risk.
    """
    if sys.platform != "linux":
        lacks = "no limits, no sandbox, no processor times, and nothing is suspended"
        return WorkingIsolation(Isolation(group=group), (f"on {sys.platform} there are {lacks}",))
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
    return WorkingIsolation(isolation, tuple(warnings))


def _obstacle_to_another_user(needed: Sequence[str]) -> str | None:
    """Return why a bot cannot run as an unprivileged user; None if it can."""
    if not user_guard(NOBODY):
        return "`setpriv` (util-linux) does not work here"
    for path in needed:
        real = os.path.realpath(path)
        # A link and its target lie in different folders, and the user must be able to enter both.
        for step in (*map(str, Path(path).parents), *map(str, Path(real).parents), path):
            if _is_closed_to_others(step):
                return f"no other user can read {step}"
    return None


def _is_closed_to_others(path: str) -> bool:
    """Return True if other users may not enter the folder, or not read the file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True
    return not mode & (stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH)
