"""How a bot is launched, and what its program may read of the machine."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from pwtourney.home import find_home
from pwtourney.sandbox.launch import Launch

__all__ = [
    "hook_command",
    "is_shared",
    "is_systems",
    "folders_around",
    "own_places",
    "places_of",
    "sdk_command",
    "sdk_spec",
]
# Neither the user's own packages nor the folder that it is started in: what a bot imports must not
# depend on who runs it, and where. Nor what a cache says of a module without a look at the source,
# which alone is known to be the bot's content.
_SDK = ("-s", "-P", "--check-hash-based-pycs", "always", "-m", "pwtourney.sdk")
# Without the steps up and down again with which it may have been called: a bot in a sandbox sees
# its own folders only, and not those on the way. Links stay: an environment is known by its path.
_PYTHON = os.path.abspath(sys.executable)
_OURS = (
    *map(os.path.abspath, (sys.prefix, sys.base_prefix)),
    str(Path(__file__).absolute().parents[1]),
)

_ROOTS = ("/usr", "/usr/local")
_SYSTEM = (
    *(f"{prefix}/" for prefix in {sys.prefix, sys.base_prefix}.difference(_ROOTS)),
    *(
        f"{root}/{name}/"
        for root in _ROOTS
        for name in ("bin", "games", "include", "lib", "lib32", "lib64", "libexec", "sbin", "share")
    ),
)
"""Where interpreters and libraries lie, which many bots need; not all of /usr, for in containers
whole leagues are in /usr/src."""


def sdk_command(spec: str, places: Iterable[str]) -> Launch:
    """Start a bot with our own interpreter; it reads that, our package, and its own places."""
    return Launch((_PYTHON, *_SDK, spec), read_paths=tuple(sorted({*_OURS, *places})))


def hook_command(launch: Launch) -> Launch | None:
    """Return what prepares a bot that `sdk_command` starts; None for others, which have no hook."""
    spec = sdk_spec(launch)
    command = (_PYTHON, *_SDK, "--prepare", str(spec))
    return None if spec is None else launch._replace(command=command)


def own_places(launch: Launch) -> tuple[str, ...]:
    """Return what a bot reads in addition to the interpreter and this package."""
    return tuple(place for place in launch.read_paths if place not in _OURS)


def sdk_spec(launch: Launch) -> str | None:
    """Return what `sdk_command` was given; None for a bot that is a command of its own."""
    _, *words = launch.command
    return words[-1] if tuple(words[:-1]) == _SDK else None


def folders_around(file: str) -> Iterator[str]:
    """Yield the folder of a bot's file, and of what it leads to if it is a link.

    It is the file alone where the folder is one of everybody's (``/tmp``), or a home, or above.
    """
    # both ends of a link: an interpreter finds its packages where it was called from, and loads its
    # libraries from where it lies
    for path in dict.fromkeys((file, os.path.realpath(file))):
        folder = os.path.dirname(path)
        yield path if is_shared(folder) else folder


def is_shared(folder: str) -> bool:
    """Tell whether a folder holds what is none of a bot's: it is everybody's, a home, or above."""
    home = find_home()
    homes = (home, os.path.realpath(home)) if home else ()  # it may lie behind a link
    # with a slash at both ends, or /home/ann would be above /home/anna
    broad = any(f"{path}/".startswith(folder.rstrip("/") + "/") for path in homes)
    return broad or bool(os.stat(folder).st_mode & stat.S_IWOTH)


def places_of(program: str) -> Iterator[str]:
    """Yield what a program that is not the system's needs: its folder and its libraries."""
    yield from folders_around(program)
    # next to a folder `bin` are the libraries of a prefix, as in a virtual environment
    for path in (program, os.path.realpath(program)):
        folder = os.path.dirname(path)
        for name in ("lib", "libexec", "pyvenv.cfg"):
            sibling = os.path.join(os.path.dirname(folder), name)
            if os.path.basename(folder) == "bin" and os.path.exists(sibling):
                yield sibling


def is_systems(path: str) -> bool:
    """Tell whether a file or folder is the system's or Python's, and no bot's own."""
    return path in _ROOTS or f"{path}/".startswith(_SYSTEM)
