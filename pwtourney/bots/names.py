"""Bots by name, file or command: found, identified and described without importing them."""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from sysconfig import get_paths
from types import MappingProxyType
from typing import Any, NamedTuple

from pwtourney.bots.bot_files import read_shebang, walk_folder
from pwtourney.bots.dependencies import find_dependencies, find_imported, is_python, list_outer
from pwtourney.bots.identity import DISTRIBUTION, identify
from pwtourney.bots.launching import folders_around, is_shared, is_systems, places_of, sdk_command
from pwtourney.bots.naming import name_bot
from pwtourney.bots.places import locate, place_words
from pwtourney.bots.runtime import (
    Runtime,
    describe_programs,
    describe_python,
    find_editable,
    state_of_path,
)
from pwtourney.bots.shims import find_behind_shim
from pwtourney.errors import BotNotFoundError, did_you_mean
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
    "installed_bot",
    "installed_bots",
    "load_installed",
    "read_paths_of",
]

GROUP = "pwtourney.bots"
"""The entry-point group under which packages register their bots."""

_INSTALLED = frozenset(get_paths()[key] for key in ("purelib", "platlib", "stdlib", "platstdlib"))
"""The folders of installed distributions and of the standard library."""

PYTHON = "python"
"""The word of a build command for the interpreter that pwtourney runs with."""

_STEP = re.compile(r"[^/\s:]+")
"""A step of a path in the words of an entry."""

MORE = " + "
"""The separator in an identity before the hash of `read_paths`."""


class IdentityParts(NamedTuple):
    """The words and files that the identity of a bot is made of, as for `identify`.

    `named` are the files that the entry names, `neighbours` what they use from around them, and
    `places` what is installed from its sources.
    """

    words: str
    named: tuple[str, ...]
    neighbours: tuple[tuple[str, str], ...]
    places: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """The identity of the bot."""
        return identify(*self)

    def rename(self, name: str, former: str) -> "IdentityParts":
        """Return this with the files and folders that are called `name` under a `former` name."""

        def call(step: re.Match[str]) -> str:
            stem, ending = os.path.splitext(step[0])
            return f"{former}{ending}" if name_bot(stem) == name else step[0]

        return self._replace(words=_STEP.sub(call, self.words))


class Resolved(NamedTuple):
    """A bot that was found: how to start it, and its identity.

    `identity` changes whenever the bot's content does: it has a hash of the files of its package,
    of its file, or of the files that the command names, and of what these use from the folders
    around them. `files` are the named files, `dependencies` what these use from around them, and
    `more` what else the bot may read. A bot that is `ours` belongs to the same distribution as the
    runner. `runtime` lists the versions of what it runs on. `identity_parts` is what the
    identity of a file or command was made of.
    """

    launch: Launch
    identity: str
    files: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    ours: bool = False
    identity_parts: "IdentityParts | None" = None
    runtime: Runtime = ()


def installed_bots() -> Mapping[str, EntryPoint]:
    """Return the installed bots by name, without importing any of them."""
    # Cached, because it reads every distribution's metadata, three times per bot in a run.
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
    if name not in known and (name.endswith(".py") or "/" in name):
        key = "file" if name.endswith(".py") else "command"
        raise BotNotFoundError(f"no installed bot is called {name!r}; write `{key}: {name}`")
    if name not in known:
        raise BotNotFoundError(
            f"no installed bot is called {name!r}{did_you_mean(name, known)};"
            " `pwtourney bots` lists them. Or name a file that ends in .py, or a command"
        )
    return known[name]


def find_installed(value: str) -> Resolved | None:
    """Find an installed bot by the value of its entry point, ``MODULE:CLASS``."""
    for point in installed_bots().values():
        if point.value == value:
            return _resolve(point)
    return None


def _resolve(point: EntryPoint) -> Resolved:
    """Return how an installed bot is started, finding its package without importing it."""
    try:
        # Only of the top-level package, because finding a subpackage would import its parent.
        package = find_spec(point.module.partition(".")[0])
    except (ImportError, ValueError):
        package = None
    paths: list[str] = []
    if package is not None:
        paths = list(package.submodule_search_locations or [package.origin or ""])
    places = [os.path.abspath(path) for path in paths if os.path.exists(path)]
    owner = f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
    ours = point.dist is not None and point.dist.name == DISTRIBUTION
    # What it uses from the folder around it counts as well. In site-packages, however, those are
    # other distributions, which have versions of their own.
    neighbours: list[tuple[str, str]] = []
    for root in places:
        files = [root] if os.path.isfile(root) else walk_folder(root, folders=False)
        if (folder := os.path.dirname(root)) not in _INSTALLED:
            neighbours += find_dependencies((file for file in files if is_python(file)), [folder])
    required = point.dist.requires if point.dist and not ours else None
    runtime = describe_python(required or ())
    # A version is not enough here: an editable installation changes without a new one.
    places += [path for path in _list_editable(runtime) if path not in places]
    content = identify("", (), neighbours, places)
    launch = sdk_command(point.value, places)
    return Resolved(launch, f"{owner} {point.value} {content}", ours=ours, runtime=runtime)


def _list_editable(runtime: Runtime) -> list[str]:
    """Return the folders of editable installations that a bot runs on."""
    folders = find_editable(name for name, _ in runtime)
    # A home or a world-writable folder holds more than the installation.
    return [path for path in folders if not is_shared(path)]


def file_bot(
    spec: str, *folders: Path, alone: bool = False, left_out: Iterable[str] = ()
) -> Resolved:
    """Find a bot in a Python file, ``FILE.py`` or ``FILE.py:CLASS``.

    The path is relative to the first of the folders that contains it. The bot sees the folder of
    its file, or if `alone` only the file and what it imports. Files in `left_out` do not count.
    """
    # Not split at any colon, because a folder's name may contain one.
    stem, _, name = spec.partition(".py:")
    path = Path(locate(f"{stem}.py" if name else stem, *folders))
    if not path.is_absolute() or not os.path.isfile(path):
        raise BotNotFoundError(f"there is no file {folders[-1] / path}")
    if path.suffix != ".py":
        raise BotNotFoundError(f"{path} is not a Python file (.py); start it with `command:`")
    full = os.path.abspath(path)
    imported = _list_imported([full])
    runtime = describe_python(modules=list_outer([full], imported))
    # What the bot cannot see does not count.
    dependencies = imported if alone else _list_dependencies([full], left_out)
    editable = [] if alone else _list_editable(runtime)
    places = _list_named([full], imported) if alone else (*folders_around(full), *editable)
    launch = sdk_command(f"{full}:{name}" if name else full, places)
    words = f"{_shorten(full, folders)}:{name}" if name else _shorten(full, folders)
    parts = IdentityParts(words, (full,), tuple(dependencies), tuple(editable))
    used = tuple(file for _, file in dependencies)
    return Resolved(launch, parts.identity, (full,), used, runtime=runtime, identity_parts=parts)


def command_bot(
    words: Iterable[str], *folders: Path, alone: bool = False, left_out: Iterable[str] = ()
) -> Resolved:
    """Find a bot that is a command.

    Words that name a file relative to one of the folders become absolute, because a bot runs in a
    scratch folder of its own. The bot sees the folders of these files, or if `alone` only the files
    and what they import. Unless it is `alone`, paths in class paths, to folders and after ``=`` are
    made absolute too, and are in `Resolved.more`. Files in `left_out` do not count. Raises
    `BotNotFoundError` if the program does not exist.
    """
    program, *arguments = words = list(words)
    path = _find_command(words, folders, alone=alone)
    placed = place_words(words, folders, alone=alone)
    paths = [word for word, _ in placed]
    more = dict.fromkeys(target for _, targets in placed for target in targets)
    # A word that was not found stays unchanged: a file in the current folder does not count.
    own = [word for word in paths if os.path.isabs(word) and os.path.isfile(word)]
    # An interpreter on the PATH is the system's; the bot is the files that it gets.
    own += [path] if "/" in program else []
    imported = _list_imported(own)
    if alone:
        systems = () if "/" in program else places_of(path)
        read_paths = tuple(sorted({*_list_named(own, imported), *systems}))
    else:
        read_paths = read_paths_of(path, own)
    launch = Launch((path, *paths), read_paths=read_paths)
    dependencies = imported if alone else _list_dependencies(own, left_out)
    # A program in the folder has the same name wherever the folder is and however the path is
    # written.
    name = f"./{_shorten(path, folders)}" if "/" in program else program
    said = [
        _shorten(path, folders) if path in own else word
        for word, path in zip(arguments, paths, strict=True)
    ]
    parts = IdentityParts(" ".join([name, *said]), tuple(own), tuple(dependencies))
    runtime = describe_programs(None if "/" in program else path, own)
    used = tuple(file for _, file in dependencies)
    return Resolved(
        launch, parts.identity, tuple(own), used, tuple(more), runtime=runtime, identity_parts=parts
    )


def _find_command(words: Sequence[str], folders: Sequence[Path], *, alone: bool) -> str:
    """Return the path of the program of a command; raises `BotNotFoundError` if it cannot start."""
    program, *_ = words
    if "/" in program:
        path: str | None = locate(program, *folders)
    else:  # as in a shell: on the PATH only
        command = shutil.which(program)
        path = command and os.path.abspath(command)  # the PATH may have relative folders
        # settings of a folder that others wrote choose no program, and start none
        path = path and find_behind_shim(path, os.sep if alone else os.path.abspath(folders[-1]))
    if path is None or not os.path.isfile(path):
        raise BotNotFoundError(_describe_missing(words, folders))
    if not os.access(path, os.X_OK):
        raise BotNotFoundError(f"{path} is not executable: chmod +x {shlex.quote(path)}")
    if problem := _find_script_problem(path):
        raise BotNotFoundError(problem)
    return path


def _describe_missing(words: Sequence[str], folders: Sequence[Path]) -> str:
    """Return the message that there is no program, and how to name the file that was meant."""
    program, whole = words[0], " ".join(words)
    if len(words) > 1 and os.path.isabs(locate(whole, *folders)):
        quoted = f"""'"{whole}"'"""
        remedy = f"put a path with blanks into both kinds of quotes: {quoted}"
        return f"there is no program {program}; {remedy}"
    if "/" in program:
        return f"there is no program {folders[-1] / program}"
    path = locate(program, *folders)
    meant = f"; the file next to it is ./{program}" if os.path.isabs(path) else ""
    return f"there is no program {program} on the PATH{meant}"


def _find_script_problem(path: str) -> str:
    """Return why the system cannot start a script by its first line; empty if it can."""
    line = read_shebang(path)
    if line.endswith("\r\n"):
        remedy = f"sed -i 's/\\r$//' {shlex.quote(path)}"
        return f"{path} has the line ends of Windows, with which no script starts: {remedy}"
    interpreter, *_ = line.split() or [""]
    if os.path.isabs(interpreter) and not os.path.exists(interpreter):
        return f"{path} names {interpreter} in its first line, which does not exist"
    return ""


def _list_imported(files: Iterable[str]) -> list[tuple[str, str]]:
    """Return what the Python files among a bot's files import from around them."""
    sources = list(filter(is_python, files))
    return find_imported(sources, _folders_of(sources))


def _shorten(path: str, folders: Iterable[Path]) -> str:
    """Return a path relative to the one of the folders that contains it, else its name."""
    for folder in map(os.path.abspath, folders):
        if path.startswith(f"{folder}/"):
            return os.path.relpath(path, folder)
    return os.path.basename(path)


def _list_dependencies(files: Iterable[str], left_out: Iterable[str]) -> list[tuple[str, str]]:
    """Return what files of a bot import or name from the folders around them."""
    files = list(files)
    folders = (path for path in _folders_of(files) if not is_systems(os.path.realpath(path)))
    return find_dependencies(files, folders, left_out)


def _folders_of(files: Iterable[str]) -> Iterator[str]:
    # Both ends of a link: which one Python takes depends on how it is started.
    yield from (os.path.dirname(way) for file in files for way in (file, os.path.realpath(file)))


def _list_named(files: Iterable[str], imported: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield files of a bot and what they import: modules as files, packages as folders."""
    yield from files
    for name, path in imported:
        yield path.removesuffix(name) + name.partition("/")[0]


def read_paths_of(program: str, files: Iterable[str]) -> tuple[str, ...]:
    """Return what a program needs to run with some files: their folders, and its libraries."""
    own = {folder for file in files for folder in folders_around(file)}
    return tuple(sorted(own | set(places_of(program))))


def find_program(program: str) -> str:
    """Return the absolute path of a program on the PATH; a path is returned unchanged.

    Raises `BotNotFoundError` if it does not exist. A relative path is not checked, because the
    folder it refers to is not known here.
    """
    if "/" not in program:
        path = shutil.which(program)
        if path is None:
            raise BotNotFoundError(f"there is no program {program} on the PATH")
        program = os.path.abspath(path)
    if os.path.isabs(program) and not os.path.isfile(program):
        raise BotNotFoundError(f"there is no program {program}")
    return program
