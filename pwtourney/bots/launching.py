"""Launching a bot: its command, and the files that its program may read."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from pwtourney.home_directory import find_home
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
# -s and -P leave out the user's own packages and the current folder: what a bot imports must not
# depend on who runs it, and where. Caches of modules are checked against their sources, because
# only the sources count in the bot's identity.
_SDK = ("-s", "-P", "--check-hash-based-pycs", "always", "-m", "pwtourney.sdk")
# Normalised, without ".." steps: a bot in a sandbox sees only its own folders, not those on the
# way. Links stay, because Python recognises a virtual environment by its path.
_PYTHON = os.path.abspath(sys.executable)
_OURS = (
    *map(os.path.abspath, (sys.prefix, sys.base_prefix)),
    str(Path(__file__).absolute().parents[1]),
)


def _find_bundled() -> list[str]:
    """Return the folder of the bundled bots, on which others may build, if it is not in `_OURS`.

    It lies elsewhere in an editable installation.
    """
    spec = find_spec("pwtourney_bots")
    folders = map(os.path.abspath, spec.submodule_search_locations or ()) if spec else ()
    return [path for path in folders if not path.startswith(tuple(f"{our}/" for our in _OURS))]


_BUNDLED = tuple(_find_bundled())

_ROOTS = ("/usr", "/usr/local")
_FOLDERS = ("bin", "games", "include", "lib", "lib32", "lib64", "libexec", "sbin", "share")
_PREFIXES = {sys.prefix, sys.base_prefix}.difference(_ROOTS)
_SYSTEM = tuple(f"{folder}/" for folder in [*_PREFIXES, *map("/".join, product(_ROOTS, _FOLDERS))])
"""Folders of interpreters and libraries, which many bots need.

Not all of /usr, because in containers whole leagues are in /usr/src.
"""


def sdk_command(spec: str, places: Iterable[str]) -> Launch:
    """Return how our interpreter starts a bot, which can read that, this package and `places`."""
    return Launch((_PYTHON, *_SDK, spec), read_paths=tuple(sorted({*_OURS, *_BUNDLED, *places})))


def hook_command(launch: Launch) -> Launch | None:
    """Return the command that prepares a bot of `sdk_command`; None for others, without a hook."""
    spec = sdk_spec(launch)
    command = (_PYTHON, *_SDK, "--prepare", str(spec))
    return None if spec is None else launch._replace(command=command)


def own_places(launch: Launch) -> tuple[str, ...]:
    """Return what a bot reads in addition to the interpreter and this package."""
    return tuple(path for path in launch.read_paths if path not in _OURS)


def sdk_spec(launch: Launch) -> str | None:
    """Return the spec that `sdk_command` got; None for a bot that is a separate command."""
    _, *words = launch.command
    return words[-1] if tuple(words[:-1]) == _SDK else None


def folders_around(file: str) -> Iterator[str]:
    """Yield the folder of a bot's file, and of the file's target if it is a link.

    Yields only the file where the folder is world-writable (``/tmp``), a home, or above one.
    """
    # Both ends of a link: an interpreter finds its packages next to the link, and its libraries
    # next to the target.
    for path in dict.fromkeys((file, os.path.realpath(file))):
        folder = os.path.dirname(path)
        yield path if is_shared(folder) else folder


def is_shared(folder: str) -> bool:
    """Return True if a folder is not a bot's alone: it is world-writable, a home, or above one."""
    home = find_home()
    homes = (home, os.path.realpath(home)) if home else ()  # the home may be behind a link
    # With a slash at both ends, or /home/ann would be above /home/anna.
    broad = any(f"{path}/".startswith(folder.rstrip("/") + "/") for path in homes)
    return broad or bool(os.stat(folder).st_mode & stat.S_IWOTH)


def places_of(program: str) -> Iterator[str]:
    """Yield what a program outside the system's folders needs: its folder and its libraries."""
    yield from folders_around(program)
    # Next to a folder `bin` are the libraries of a prefix, as in a virtual environment.
    for path in (program, os.path.realpath(program)):
        folder = os.path.dirname(path)
        for name in ("lib", "libexec", "pyvenv.cfg"):
            sibling = os.path.join(os.path.dirname(folder), name)
            if os.path.basename(folder) == "bin" and os.path.exists(sibling):
                yield sibling


def is_systems(path: str) -> bool:
    """Return True if a path belongs to the system or Python, and not to a bot."""
    return path in _ROOTS or f"{path}/".startswith(_SYSTEM)
