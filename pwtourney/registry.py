"""Bots by name, file or command: found, identified and described without importing them."""

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_paths
from types import MappingProxyType
from typing import Any, NamedTuple

from pwtourney.companions import find_companions, find_imported, is_python, list_outer
from pwtourney.errors import BotNotFoundError, did_you_mean
from pwtourney.home import find_home
from pwtourney.identity import identify, walk_folder
from pwtourney.runtime import (
    Runtime,
    describe_programs,
    describe_python,
    find_editable,
    state_of_path,
)
from pwtourney.sandbox.launch import Launch

__all__ = [
    "GROUP",
    "MORE",
    "PYTHON",
    "Resolved",
    "command_bot",
    "file_bot",
    "find_installed",
    "find_program",
    "hook_command",
    "installed_bot",
    "installed_bots",
    "is_shared",
    "is_systems",
    "load_installed",
    "locate",
    "own_places",
    "places_of",
    "read_paths_of",
    "resolve_read_path",
    "sdk_command",
    "sdk_spec",
]

GROUP = "pwtourney.bots"
"""The entry-point group under which packages register their bots."""

_DISTRIBUTION = "pwtourney"
# Neither the user's own packages nor the folder that it is started in: what a bot imports must not
# depend on who runs it, and where. Nor what a cache says of a module without a look at the source,
# which alone is known to be the bot's content.
_SDK = ("-s", "-P", "--check-hash-based-pycs", "always", "-m", "pwtourney.sdk")
# Without the steps up and down again with which it may have been called: a bot in a sandbox sees
# its own folders only, and not those on the way. Links stay: an environment is known by its path.
_PYTHON = os.path.abspath(sys.executable)
_INSTALLED = frozenset(get_paths()[key] for key in ("purelib", "platlib", "stdlib", "platstdlib"))
"""Where distributions are installed, and the standard library."""
_OURS = (
    *map(os.path.abspath, (sys.prefix, sys.base_prefix)),
    str(Path(__file__).absolute().parent),
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

PYTHON = "python"
"""In a build command, the interpreter that pwtourney runs with."""

MORE = " + "
"""Stands in an identity before the hash of what a bot reads besides."""


class Resolved(NamedTuple):
    """A bot that was found: how to start it, and what it is.

    `identity` changes whenever the bot's content does: it has a hash of the files of its package,
    of its file, or of the files that the command names, with what these use from next to them.
    `files` are those that are named, `companions` what these use from next to them, `more` is what
    else it may read. A bot that is `ours` came with the runner, in the same distribution. `runtime`
    is what it runs on.
    """

    launch: Launch
    identity: str
    files: tuple[str, ...] = ()
    companions: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    ours: bool = False
    runtime: Runtime = ()


def installed_bots() -> Mapping[str, EntryPoint]:
    """Return the installed bots by name; nothing of theirs is imported."""
    # every distribution's metadata is read for it, and a run asks three times for each bot
    return _read_entry_points(state_of_path())


@lru_cache(1)
def _read_entry_points(_: tuple[tuple[str, int], ...]) -> Mapping[str, EntryPoint]:
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return MappingProxyType({point.name: point for point in points})


def load_installed(name: str) -> Any:
    """Import the class of an installed bot, to play in this process; raises `BotNotFoundError`."""
    return _find_point(name).load()


def installed_bot(name: str) -> Resolved:
    """Find an installed bot; raises `BotNotFoundError`."""
    return _resolve(_find_point(name))


def _find_point(name: str) -> EntryPoint:
    known = installed_bots()
    if name not in known:
        raise BotNotFoundError(
            f"no installed bot is called {name!r}{did_you_mean(name, known)};"
            " `pwtourney bots` lists them. Or name a file that ends in .py, or a command"
        )
    return known[name]


def find_installed(value: str) -> Resolved | None:
    """Find an installed bot by what its entry point refers to, ``MODULE:CLASS``."""
    for point in installed_bots().values():
        if point.value == value:
            return _resolve(point)
    return None


def _resolve(point: EntryPoint) -> Resolved:
    """Return how an installed bot is started; where its package lies is found without importing."""
    try:
        # of the first package only: to find one within it, it would have to be imported
        package = find_spec(point.module.partition(".")[0])
    except (ImportError, ValueError):
        package = None
    paths: list[str] = []
    if package is not None:
        paths = list(package.submodule_search_locations or [package.origin or ""])
    places = [os.path.abspath(path) for path in paths if os.path.exists(path)]
    owner = f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
    ours = point.dist is not None and point.dist.name == _DISTRIBUTION
    # what it uses from next to it counts as well; but where everything is installed, that is
    # other distributions, which have versions of their own
    neighbours: list[tuple[str, str]] = []
    for place in places:
        files = [place] if os.path.isfile(place) else walk_folder(place, folders=False)
        if (folder := os.path.dirname(place)) not in _INSTALLED:
            neighbours += find_companions((each for each in files if is_python(each)), [folder])
    required = point.dist.requires if point.dist and not ours else None
    runtime = describe_python(required or ())
    # the version alone would not tell: what is installed as editable changes without a new one
    places += [path for path in _list_editable(runtime) if path not in places]
    content = identify("", (), neighbours, places)
    launch = sdk_command(point.value, places)
    return Resolved(launch, f"{owner} {point.value} {content}", ours=ours, runtime=runtime)


def _list_editable(runtime: Runtime) -> list[str]:
    """Return the folders of what a bot runs on that changes without a new version."""
    folders = find_editable(name for name, _ in runtime)
    # a home, or what everybody may write to, holds more than that
    return [path for path in folders if not is_shared(path)]


def file_bot(
    spec: str, *folders: Path, alone: bool = False, left_out: Iterable[str] = ()
) -> Resolved:
    """Find a bot in a Python file, ``FILE.py`` or ``FILE.py:CLASS``.

    It is relative to the first of the folders that has it. The bot sees the folder of its file, or
    `alone` the file and what that imports. Files that are `left_out` are no part of it.
    """
    # not at any colon: a folder may have one in its name
    stem, _, name = spec.partition(".py:")
    path = Path(locate(f"{stem}.py" if name else stem, *folders))
    if not path.is_absolute() or not os.path.isfile(path):
        raise BotNotFoundError(f"there is no file {folders[-1] / path}")
    if path.suffix != ".py":
        raise BotNotFoundError(f"{path} is not a Python file (.py); start it with `command:`")
    full = os.path.abspath(path)
    imported = _list_imported([full])
    runtime = describe_python(modules=list_outer([full], imported))
    # what it cannot see does not count
    companions = imported if alone else _list_companions([full], left_out)
    editable = [] if alone else _list_editable(runtime)
    places = _list_named([full], imported) if alone else (*_around(full), *editable)
    launch = sdk_command(f"{full}:{name}" if name else full, places)
    words = f"{_shorten(full, folders)}:{name}" if name else _shorten(full, folders)
    identity = identify(words, [full], companions, editable)
    used = tuple(each for _, each in companions)
    return Resolved(launch, identity, (full,), used, runtime=runtime)


def command_bot(
    words: Iterable[str], *folders: Path, alone: bool = False, left_out: Iterable[str] = ()
) -> Resolved:
    """Find a bot that is a command.

    Words that name a file relative to one of the folders become absolute, because a bot runs in a
    scratch folder of its own. The bot sees the folders of these files, or `alone` the files and
    what they import; those that are `left_out` are no part of it. Raises `BotNotFoundError` if
    there is no such program.
    """
    program, *arguments = words
    if "/" in program:
        path: str | None = locate(program, *folders)
    else:  # as in a shell: on the PATH only
        command = shutil.which(program)
        path = command and os.path.abspath(command)  # the PATH may have relative folders
    if path is None or not os.path.isfile(path):
        where = folders[-1] / program if "/" in program else f"{program} on the PATH"
        raise BotNotFoundError(f"there is no program {where}")
    if not os.access(path, os.X_OK):
        raise BotNotFoundError(f"{path} is not executable")
    paths = [locate(word, *folders) for word in arguments]
    # a word that was not found stays as it is, and is no file of the folder that we happen to be in
    own = [word for word in paths if os.path.isabs(word) and os.path.isfile(word)]
    # an interpreter on the PATH is the system's: the bot is what it is given
    own += [path] if "/" in program else []
    imported = _list_imported(own)
    if alone:
        systems = () if "/" in program else places_of(path)
        read_paths = tuple(sorted({*_list_named(own, imported), *systems}))
    else:
        read_paths = read_paths_of(path, own)
    launch = Launch((path, *paths), read_paths=read_paths)
    companions = imported if alone else _list_companions(own, left_out)
    # a program of the folder is one wherever the folder lies, however it is written
    name = f"./{_shorten(path, folders)}" if "/" in program else program
    said = [_shorten(each, folders) if each in own else each for each in paths]
    identity = identify(" ".join([name, *said]), own, companions)
    runtime = describe_programs(None if "/" in program else path, own)
    used = tuple(each for _, each in companions)
    return Resolved(launch, identity, tuple(own), used, runtime=runtime)


def _list_imported(files: Iterable[str]) -> list[tuple[str, str]]:
    """Return what those files of a bot that are Python import from next to them."""
    sources = list(filter(is_python, files))
    return find_imported(sources, _folders_of(sources))


def _shorten(path: str, folders: Iterable[Path]) -> str:
    """Return a path as seen from the folder that it lies in, else its name."""
    for folder in map(os.path.abspath, folders):
        if path.startswith(f"{folder}/"):
            return os.path.relpath(path, folder)
    return os.path.basename(path)


def _list_companions(files: Iterable[str], left_out: Iterable[str]) -> list[tuple[str, str]]:
    """Return what files of a bot import or name from next to them."""
    files = list(files)
    folders = (path for path in _folders_of(files) if not is_systems(os.path.realpath(path)))
    return find_companions(files, folders, left_out)


def _folders_of(files: Iterable[str]) -> Iterator[str]:
    # both ends of a link: which one Python takes depends on how it is started
    yield from (os.path.dirname(way) for file in files for way in (file, os.path.realpath(file)))


def _list_named(files: Iterable[str], imported: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield files of a bot and what they import: modules as files, packages as folders."""
    yield from files
    for name, path in imported:
        yield path.removesuffix(name) + name.partition("/")[0]


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
    """Return what a bot reads in addition to the interpreter and this package."""
    return tuple(place for place in launch.read_paths if place not in _OURS)


def sdk_spec(launch: Launch) -> str | None:
    """Return what `sdk_command` was given; None for a bot that is a command of its own."""
    _, *words = launch.command
    return words[-1] if tuple(words[:-1]) == _SDK else None


def _around(file: str) -> Iterator[str]:
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
    yield from _around(program)
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


def find_program(program: str) -> str:
    """Return where a program on the PATH is; a path stays as it is.

    Raises `BotNotFoundError` if it is not there, which of a relative path nobody knows.
    """
    if "/" not in program:
        found = shutil.which(program)
        if found is None:
            raise BotNotFoundError(f"there is no program {program} on the PATH")
        program = os.path.abspath(found)
    if os.path.isabs(program) and not os.path.isfile(program):
        raise BotNotFoundError(f"there is no program {program}")
    return program


def resolve_read_path(listed: str, folder: Path) -> str:
    """Return the path of what `read_paths` lists; raises `BotNotFoundError`."""
    try:
        path = (folder / listed).resolve()
        path.stat()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, or a NUL
        why = getattr(error, "strerror", None) or error
        raise BotNotFoundError(f"`read_paths` lists {listed}: {why}") from error
    # the resolved path, or a link could lead to what may not be listed
    if str(path) in ("/", "/tmp") or path.is_relative_to("/proc") or path.is_relative_to("/dev"):
        raise BotNotFoundError(f"`read_paths` lists {path}, where the sandbox puts its own")
    return str(path)


def locate(word: str, *folders: Path) -> str:
    """Return the absolute path of a file that a word names in one of the folders, or the word."""
    with suppress(OSError, ValueError):  # a word that cannot be a path: too long, or with a NUL
        for folder in folders:
            if (folder / word).is_file():
                return os.path.abspath(folder / word)
    return word
