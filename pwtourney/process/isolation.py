"""How bots are kept apart from each other and from everything else, decided once for a run."""

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pwtourney.errors import SandboxError
from pwtourney.process import bwrap
from pwtourney.process.cgroup import CgroupRoot
from pwtourney.process.guards import bound, tied, tied_as
from pwtourney.process.launch import Launch
from pwtourney.process.limits import Limits
from pwtourney.process.seccomp import seccomp_filter
from pwtourney.process.users import is_root

__all__ = ["Achieved", "Idle", "Isolation", "Wanted", "achieve"]

Wanted = Literal["auto", "bwrap", "none"]
"""What a file may ask for."""

Idle = Literal["measure", "suspend", "allow"]
"""What happens to a bot in its opponent's time."""


class Isolation(NamedTuple):
    """What is put around a bot. The default is the layer that needs nothing.

    `group` is the control group under which each bot gets one of its own, empty without;
    `hidden` are files and folders that this bot must not see even where a folder around them is
    shown to it; `other_user` says whether root's bots run as nobody in particular, `unlimited`
    that the limits of each process cannot be set here.
    """

    sandbox: bool = False
    unlimited: bool = False
    seccomp: bool = False
    group: str = ""
    other_user: bool = False
    idle: Idle = "measure"
    hidden: tuple[str, ...] = ()

    @property
    def profile(self) -> str:
        """What was achieved, in a word: ``none``, or for instance ``bwrap+seccomp+cgroup``."""
        parts = ["bwrap" if self.sandbox else "none"]
        parts += ["unlimited"] if self.unlimited else []
        parts += ["user"] if self.other_user and not self.sandbox else []
        parts += ["seccomp"] if self.seccomp else []
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
    ci: bool = False,
) -> Achieved:
    """Find the best isolation that works for a bot, by trying it; `files` are the bot's own.

    Raises `SandboxError` when what is wanted cannot be had, or when a bot may not be started
    without a sandbox: one that is not trusted, under CI; any but a trusted one, as root, where it
    cannot run as another user.
    """
    if sys.platform == "win32":
        raise SandboxError("games cannot be played on Windows yet; use Linux, WSL or macOS")
    group = groups.path if groups else ""
    needed = (launch.command[0], *launch.reads, *files)
    if wanted == "none":
        if ci and trusted is False:
            raise SandboxError("it is not trusted, and under CI `sandbox: none` is refused")
        return _bare(needed, limits, group, trusted=trusted)
    problem = bwrap.problem(launch, limits)
    if problem is None:
        seccomp = seccomp_filter() is not None
        isolation = Isolation(sandbox=True, seccomp=seccomp, group=group)
        closed = next(filter(_closed_to_others, needed), None) if is_root() else None
        if closed and wanted == "auto" and trusted:
            return _bare(needed, limits, group, trusted=trusted)
        if closed:
            raise SandboxError(
                f"bots of root run as another user, and none can read {closed}; give everybody"
                " the right to (chmod o+rX), or run as an ordinary user"
            )
        lacking = () if seccomp else (f"the sandbox runs without seccomp: {_NO_BINDING}",)
        return Achieved(isolation, lacking)
    if wanted == "bwrap":
        raise SandboxError(f"`sandbox: bwrap` cannot be had: {problem}")
    if ci and trusted is False:
        raise SandboxError(f"it is not trusted, and under CI there is no sandbox: {problem}")
    try:
        bare = _bare(needed, limits, group, trusted=trusted)
    except SandboxError as error:
        raise SandboxError(f"there is no sandbox ({problem}), and {error}") from error
    return bare._replace(warnings=(f"bots run WITHOUT a sandbox: {problem}", *bare.warnings))


_NO_GUARDS = "`prlimit` and `setpriv` (util-linux) do not both work here"
_NO_BINDING = "libseccomp's Python binding is not installed (pip install 'pwtourney[sandbox]')"


def _bare(needed: Sequence[str], limits: Limits, group: str, *, trusted: bool | None) -> Achieved:
    """Return the layer that is always on."""
    isolation = Isolation(group=group)
    if sys.platform != "linux":
        lacks = "no limits, no sandbox, no processor times, and nothing is suspended"
        return Achieved(isolation, (f"on {sys.platform} there are {lacks}",))
    warnings: tuple[str, ...] = ()
    if not (bound(limits) and tied()):
        isolation = isolation._replace(unlimited=True)
        warnings = (f"the limits of each process are NOT set: {_NO_GUARDS}",)
    if not is_root():
        return Achieved(isolation, warnings)
    problem = _cannot_be_another_user(needed)
    if problem is None:
        return Achieved(isolation._replace(other_user=True), warnings)
    if trusted:
        return Achieved(isolation, (*warnings, f"a trusted bot runs as root: {problem}"))
    raise SandboxError(
        f"it would run as root, because {problem}; run as an ordinary user, install bubblewrap, or"
        " mark the bot `trusted: true` if it may do whatever you may"
    )


def _cannot_be_another_user(needed: Sequence[str]) -> str | None:
    """Return why a bot cannot run as a user that owns nothing."""
    if not tied_as(_ANYBODY):
        return "`setpriv` (util-linux) does not work here"
    for path in needed:
        real = os.path.realpath(path)
        for step in (*map(str, Path(path).parents), *map(str, Path(real).parents), path):
            if _closed_to_others(step):
                return f"no other user can read {step}"
    return None


_ANYBODY = 65534


def _closed_to_others(path: str) -> bool:
    """Tell whether others may not enter a folder, or not read a file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True
    return not mode & (stat.S_IXOTH if stat.S_ISDIR(mode) else stat.S_IROTH)
