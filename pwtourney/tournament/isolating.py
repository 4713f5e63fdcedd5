"""Choose the sandbox of each bot of a tournament, and what is hidden from the bot in it."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pwtourney.bots.bot_files import list_left_out
from pwtourney.bots.launching import is_systems, own_places, places_of
from pwtourney.errors import SandboxError
from pwtourney.sandbox.cgroup import CgroupRoot
from pwtourney.sandbox.isolation import achieve
from pwtourney.tournament.entrants import Entrant

__all__ = ["Isolated", "isolate", "list_closed", "list_hidden"]

_NO_ACCOUNT = (
    "`measure: cpu` without a control group does not see children of a bot that come and go, so"
    " it is for bots that you trust"
)


_SYSTEM = ("/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/")


class Isolated(NamedTuple):
    """Bots that can be started, and warnings about how they are started, each once."""

    entrants: tuple[Entrant, ...]
    warnings: tuple[str, ...]


def isolate(
    entrants: Sequence[Entrant], private: Sequence[Path], groups: CgroupRoot | None
) -> Isolated:
    """Choose the isolation of each bot on this machine.

    `private` are files and folders that no bot may read. Raises `SandboxError` naming every bot
    that cannot be started with the isolation it needs.
    """
    isolated: list[Entrant] = []
    warnings: list[str] = []
    problems: list[str] = []
    for entrant in entrants:
        spec = entrant.spec
        if spec.control.cpu and sys.platform != "linux":
            problems.append(
                f"{spec.id}: `measure: cpu` needs Linux, which measures processor times"
            )
            continue
        try:
            achieved = achieve(
                entrant.sandbox,
                spec.launch,
                spec.limits,
                files=entrant.files,
                trusted=entrant.trusted,
                groups=groups,
            )
        except SandboxError as error:
            problems.append(f"{spec.id}: {error}")
            continue
        hidden = list_hidden(entrant, entrants, private)
        isolation = achieved.isolation._replace(
            pondering=spec.isolation.pondering, hidden=hidden, closed=list_closed(entrant, private)
        )
        isolated.append(entrant._replace(spec=spec._replace(isolation=isolation)))
        warnings += achieved.warnings
        if spec.control.cpu and not achieved.isolation.group:
            warnings.append(_NO_ACCOUNT)
    if problems:
        raise SandboxError("\n".join(["no bot was started:", *problems]))
    said = dict.fromkeys(warnings)
    # for a trusted bot the warning is a prefix of the usual one; showing the longer one is enough
    whole = (
        warning for warning in said if not any(o != warning and o.startswith(warning) for o in said)
    )
    return Isolated(tuple(isolated), tuple(whole))


def list_hidden(
    own: Entrant, entrants: Sequence[Entrant], private: Sequence[Path]
) -> tuple[str, ...]:
    """Return the outermost files and folders that one bot must not see, sorted.

    These are the `private` paths, each ``.git`` in what the bot sees, and the files and
    `read_paths` of other bots that this bot does not need and that are not the system's. From a bot
    that is not trusted, they are also whatever the hash of its content does not cover.
    """
    needed = {*own.files, *own.spec.launch.read_paths}
    hidden = set(map(str, private))
    # a repository's history may contain files that were deleted, and its settings a token
    shown = (path for path in own.spec.launch.read_paths if not is_systems(path))
    inside = (os.path.join(top, ".git") for path in shown for top, *_ in os.walk(path))
    hidden.update(path for path in inside if os.path.lexists(path))
    if own.trusted is False:  # files outside the content hash could contain anything
        hidden.update(path for path in _list_uncounted(own) if not _holds(path, needed))
    real = set(map(os.path.realpath, needed))
    is_alone = needed.isdisjoint(map(os.path.dirname, own.files))
    for other in entrants:
        for path in {*other.files, *other.spec.launch.read_paths} - needed:
            leads_to = os.path.realpath(path)
            if is_systems(path) or _holds(path, needed) or _holds(leads_to, real):
                continue
            if _lies_in_system(path):
                continue
            # what was named for this bot alone stays visible, even if another bot names it
            if is_alone and _lies_in(leads_to, real):
                continue
            # The folder of another bot's file belongs to that bot, unless this bot lives there,
            # too.
            folder = os.path.dirname(path)
            hidden.add(path if _holds(folder, needed) or path not in other.files else folder)
    # a path in a hidden folder is hidden with it; there is nothing to mount a cover on
    return tuple(sorted(path for path in hidden if not _lies_in(path, hidden)))


def list_closed(own: Entrant, private: Sequence[Path]) -> tuple[str, ...]:
    """Return the folders in which a bot must see nothing except its own files.

    All of /usr is visible to every bot, including a tournament that lies there. The outermost
    folder around the tournament file that does not belong to the system is closed as a whole. Its
    contents are not listed one by one, because other users may add and remove files while the bot
    starts.
    """
    closed = set()
    for folder in {os.path.dirname(path) for path in private if path.is_file()}:
        if folder.startswith("/usr/") and not is_systems(folder):
            around = (folder, *map(str, Path(folder).parents))
            closed.add([path for path in around if not is_systems(path) and "/usr/" in path][-1])
    return tuple(sorted(closed.difference(own.files, own.spec.launch.read_paths)))


def _list_uncounted(bot: Entrant) -> Iterator[str]:
    """Yield the paths among a bot's own files that its content hash leaves out."""
    launch = bot.spec.launch
    program = launch.command[0]
    systems = () if program in bot.files else places_of(program)
    for path in {*own_places(launch)}.difference(systems):
        if not is_systems(path):
            yield from list_left_out(path)


def _lies_in_system(path: str) -> bool:
    """Return True if a path is or lies in /bin or the like, which all bots need.

    Most of them link to /usr, where a cover of the link would fall on what it leads to.
    """
    if f"{path}/".startswith(_SYSTEM):
        return True
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    return is_systems(os.path.realpath(folder))


def _lies_in(path: str, folders: set[str]) -> bool:
    """Return True if a file or folder lies in one of several folders, at any depth."""
    return any(str(parent) in folders for parent in Path(path).parents)


def _holds(folder: str, needed: set[str]) -> bool:
    """Return True if one of the needed paths is a folder or lies in it."""
    return any(f"{path}/".startswith(f"{folder}/") for path in needed)
