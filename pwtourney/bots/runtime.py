"""What a bot runs on: versions that are recorded, and compared, but do not make it another bot.

Two machines seldom have the same ones, and results of one league may come from both.
"""

import json
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pwtourney.bots.files import read_first_line
from pwtourney.bots.identity import identify
from pwtourney.errors import BotNotFoundError

__all__ = ["Runtime", "describe_programs", "describe_python", "find_editable", "state_of_path"]

Runtime = tuple[tuple[str, str], ...]
"""Names of programs and distributions, each with its version or the hash of its file."""

_DISTRIBUTION = "pwtourney"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OF_EXTRA = re.compile(r";.*\bextra\b")
_DIGITS = 16
_MOST_MODULES = 1_000


def describe_python(requirements: Iterable[str] = (), modules: Iterable[str] = ()) -> Runtime:
    """Return the version of this interpreter, and of distributions that are installed for it.

    They are what `requirements` name (as in PEP 508; those of extras are left out) or what holds
    the `modules`, and what these require in turn. Our own distribution is not among them: it is
    part of the identity of a bot that comes with it, and noted once for all others.
    """
    return _describe_python(tuple(requirements), frozenset(modules), state_of_path())


@lru_cache(maxsize=1 << 10)
def _describe_python(
    requirements: tuple[str, ...], modules: frozenset[str], _: tuple[tuple[str, int], ...]
) -> Runtime:
    """Describe it once for each state of the path: a run looks for each bot several times."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    # nobody needs more than a thousand, and a text may name a million
    asked = islice(sorted(modules), _MOST_MODULES)
    names = [*requirements, *filter(None, map(_find_owner, asked))]
    return (("Python", python), *sorted(_find_versions(names).items()))


def state_of_path() -> tuple[tuple[str, int], ...]:
    """Return the folders of ``sys.path``, each with the time of its last change, 0 if it is gone.

    A worker or a notebook lives on when something is installed, which changes one of them.
    """
    changed = {}
    for folder in sys.path:
        changed[folder] = 0
        with suppress(OSError):
            changed[folder] = os.stat(folder or ".").st_mtime_ns
    return tuple(changed.items())


def find_editable(names: Iterable[str]) -> tuple[str, ...]:
    """Return the folders of distributions that are installed as editable, of those with a name.

    They have no version for each change, so what is in them counts. A distribution tells by its
    ``direct_url.json`` (see PEP 610) that it is one, and by a ``.pth`` file where its modules are;
    without one, they are in the folder of its project.
    """
    folders: list[str] = []
    for name in names:
        with suppress(PackageNotFoundError, OSError, ValueError):
            found = distribution(name)
            told = json.loads(found.read_text("direct_url.json") or "{}")
            if not told.get("dir_info", {}).get("editable"):
                continue
            paths = [each.locate() for each in found.files or () if each.suffix == ".pth"]
            lines = [line for path in paths for line in Path(path).read_text().splitlines()]
            project = url2pathname(urlsplit(told["url"]).path)
            folders += [line for line in lines if os.path.isdir(line)] or [project]
    return tuple(dict.fromkeys(folders))


def describe_programs(program: str | None, scripts: Iterable[str]) -> Runtime:
    """Return programs that are the system's, each with ``sha256`` and 16 digits of its content.

    They are a `program` that is none of a bot's own files, and the interpreters of its `scripts`.
    """
    found = {}
    for path in filter(None, [program, *map(_find_interpreter, scripts)]):
        digest = "unknown"
        with suppress(BotNotFoundError):  # it can be run, and not be read
            digest = identify("", [path])[: len("sha256 ") + _DIGITS]
        found[os.path.basename(path)] = digest
    return tuple(sorted(found.items()))


def _find_interpreter(script: str) -> str | None:
    """Return the program that a script names in its first line; None if it is no script."""
    line = read_first_line(script)
    words = line.removeprefix("#!").split()
    if not line.startswith("#!") or not words:
        return None
    if os.path.basename(words[0]) != "env":
        return words[0] if os.path.isfile(words[0]) else None
    named = (word for word in words[1:] if not word.startswith("-") and "=" not in word)
    return shutil.which(next(named, ""))


def _find_versions(requirements: Iterable[str]) -> Mapping[str, str]:
    """Return the installed distributions among requirements and theirs, by name."""
    versions: dict[str, str] = {}
    seen, waiting = {_DISTRIBUTION}, [*requirements]
    while waiting:
        text = waiting.pop()
        written = _NAME.match(text)
        # names are compared as PEP 503 says
        name = re.sub(r"[-_.]+", "-", written[0]).lower() if written else ""
        if name in seen or _OF_EXTRA.search(text):
            continue
        seen.add(name)
        with suppress(PackageNotFoundError, ValueError):
            found = distribution(name)
            versions[name] = found.version
            waiting += found.requires or ()
    return versions


def _find_owner(module: str) -> str | None:
    """Return the distribution that a module is of, if it is installed."""
    with suppress(PackageNotFoundError, ValueError):
        # true of most, and a hundred times as fast as to read what each of them holds
        return distribution(module).name
    with suppress(ImportError, ValueError):
        if find_spec(module) is not None:
            return next(iter(_list_owners(state_of_path()).get(module, ())), None)
    return None


@lru_cache(1)
def _list_owners(_: tuple[tuple[str, int], ...]) -> Mapping[str, list[str]]:
    return packages_distributions()
