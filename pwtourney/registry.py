"""Bots by name, file or command: found, identified and described without importing them."""

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import get_close_matches
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pwtourney.errors import BotNotFoundError
from pwtourney.sandbox.launch import Launch

__all__ = [
    "GROUP",
    "Resolved",
    "command_bot",
    "file_bot",
    "found_here",
    "hook_command",
    "installed_bot",
    "installed_bots",
    "is_shared",
    "located",
    "own_places",
    "places_of",
    "read_paths_of",
    "sdk_command",
    "sdk_spec",
]

GROUP = "pwtourney.bots"
"""The entry-point group under which packages register their bots."""

_DISTRIBUTION = "pwtourney"
_SDK = ("-s", "-P", "-m", "pwtourney.sdk")
_PYTHON = os.path.abspath(sys.executable)
"""Without the steps up and down again with which it may have been called: they are not there for
who sees only its own folders."""

_OURS = (
    *map(os.path.abspath, (sys.prefix, sys.base_prefix)),
    str(Path(__file__).absolute().parent),
)


class Resolved(NamedTuple):
    """A bot that was found: how to start it, and what it is.

    `identity` changes whenever the bot's content does: distribution and version, or a hash of the
    files that the command names, which are in `files`. `more` is what it may read beside them. A
    bot that is `ours` came with the runner, in the same distribution.
    """

    launch: Launch
    identity: str
    files: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    ours: bool = False


def installed_bots() -> dict[str, EntryPoint]:
    """Return the installed bots by name; nothing of theirs is imported."""
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: point for point in found}


def installed_bot(name: str) -> Resolved:
    """Find an installed bot; raises `BotNotFoundError`."""
    known = installed_bots()
    if name not in known:
        close = get_close_matches(name, known, 1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise BotNotFoundError(
            f"no installed bot is called {name!r}{hint}; `pwtourney bots` lists them. A file needs"
            " `file:`, a program `command:`"
        )
    return _resolved(known[name])


def found_here(value: str) -> Resolved | None:
    """Find an installed bot by what its entry point refers to, ``MODULE:CLASS``."""
    for point in installed_bots().values():
        if point.value == value:
            return _resolved(point)
    return None


def _resolved(point: EntryPoint) -> Resolved:
    owner = f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
    launch = sdk_command(point.value, _module_places(point.module))
    ours = point.dist is not None and point.dist.name == _DISTRIBUTION
    return Resolved(launch, f"{owner} {point.value}", ours=ours)


def file_bot(spec: str, *folders: Path) -> Resolved:
    """Find a bot in a Python file, ``FILE.py`` or ``FILE.py:CLASS``.

    It is relative to the first of the folders that has it.
    """
    place, _, name = spec.partition(".py:")
    path = Path(located(f"{place}.py" if name else place, *folders))
    if not path.is_absolute() or not os.path.isfile(path):
        raise BotNotFoundError(f"there is no file {folders[-1] / path}")
    if path.suffix != ".py":
        raise BotNotFoundError(f"{path} is not a Python file (.py); start it with `command:`")
    full = os.path.abspath(path)
    launch = sdk_command(f"{full}:{name}" if name else full, _around(full))
    return Resolved(launch, _hash_of([full], spec), (full,))


def command_bot(words: Iterable[str], *folders: Path) -> Resolved:
    """Find a bot that is a command.

    Words that name a file relative to one of the folders become absolute, because a bot runs in a
    scratch folder of its own. Raises `BotNotFoundError` if there is no such program.
    """
    program, *arguments = words
    path = located(program, *folders) if "/" in program else _on_path(program)
    if path is None or not os.path.isfile(path):
        where = folders[-1] / program if "/" in program else f"{program} on the PATH"
        raise BotNotFoundError(f"there is no program {where}")
    if not os.access(path, os.X_OK):
        raise BotNotFoundError(f"{path} is not executable")
    paths = [located(word, *folders) for word in arguments]
    own = [each for each in paths if os.path.isfile(each)]
    own += [path] if "/" in program else []
    launch = Launch((path, *paths), read_paths=read_paths_of(path, own))
    return Resolved(launch, _hash_of(own, " ".join([program, *arguments])), tuple(own))


def read_paths_of(program: str, files: Iterable[str]) -> tuple[str, ...]:
    """Return what a program needs to run with some files: their folders, and its libraries."""
    own = {place for file in files for place in _around(file)}
    return tuple(sorted(own | set(places_of(program))))


def sdk_command(spec: str, places: Iterable[str]) -> Launch:
    """Start a bot with our own interpreter; it reads that, our package, and its own places."""
    return Launch((_PYTHON, *_SDK, spec), read_paths=tuple(sorted({*_OURS, *places})))


def hook_command(launch: Launch) -> Launch | None:
    """Return what prepares a bot that `sdk_command` starts; None for others, which have no hook."""
    spec = sdk_spec(launch)
    command = (_PYTHON, *_SDK, "--prepare", str(spec))
    return None if spec is None else launch._replace(command=command)


def own_places(launch: Launch) -> tuple[str, ...]:
    """Return what a bot reads beside the interpreter and this package."""
    return tuple(place for place in launch.read_paths if place not in _OURS)


def sdk_spec(launch: Launch) -> str | None:
    """Return what `sdk_command` was given; None for a bot that is a command of its own."""
    _, *words = launch.command
    return words[-1] if tuple(words[:-1]) == _SDK else None


def _around(file: str) -> Iterator[str]:
    """Yield the folder of a bot's file, and of what it leads to if it is a link.

    It is the file alone where the folder is one of everybody's (``/tmp``), or a home, or above.
    """
    for path in dict.fromkeys((file, os.path.realpath(file))):
        folder = os.path.dirname(path)
        yield path if is_shared(folder) else folder


def is_shared(folder: str) -> bool:
    """Tell whether a folder holds what is none of a bot's: it is everybody's, a home, or above."""
    home = os.path.expanduser("~")
    homes = (home, os.path.realpath(home))
    broad = any(f"{each}/".startswith(folder.rstrip("/") + "/") for each in homes)
    return broad or bool(os.stat(folder).st_mode & stat.S_IWOTH)


def _module_places(module: str) -> list[str]:
    """Return where the package of a module lies, without importing it."""
    try:
        found = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        return []
    if found is None:
        return []
    places = list(found.submodule_search_locations or [found.origin or ""])
    return [os.path.abspath(place) for place in places if os.path.exists(place)]


def places_of(program: str) -> Iterator[str]:
    """Yield what a program that is not the system's needs: its folder and its libraries."""
    yield from _around(program)
    for path in (program, os.path.realpath(program)):
        folder = os.path.dirname(path)
        for name in ("lib", "libexec", "pyvenv.cfg"):
            beside = os.path.join(os.path.dirname(folder), name)
            if os.path.basename(folder) == "bin" and os.path.exists(beside):
                yield beside


def _on_path(program: str) -> str | None:
    """Find a program on the PATH; the bot runs elsewhere, so the path is made absolute."""
    found = shutil.which(program)
    return None if found is None else os.path.abspath(found)


def located(word: str, *folders: Path) -> str:
    """Return the absolute path of a file that a word names in one of the folders, or the word."""
    with suppress(OSError, ValueError):  # a word that cannot be a path: too long, or with a NUL
        for folder in folders:
            if (folder / word).is_file():
                return os.path.abspath(folder / word)
    return word


def _hash_of(files: Iterable[str], words: str) -> str:
    """Hash the command as it was written and the contents of its files."""
    total = sha256(words.encode())
    for file in files:
        try:
            total.update(sha256(Path(file).read_bytes()).digest())
        except OSError as error:
            raise BotNotFoundError(f"{file} cannot be read: {error.strerror}") from error
    return f"sha256 {total.hexdigest()[:16]}"
