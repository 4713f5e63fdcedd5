"""Versions of what a bot runs on: recorded and compared, but not part of its identity.

Two machines seldom have the same versions, and results of one league may come from both.
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
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pwtourney.bots.bot_files import read_shebang
from pwtourney.bots.identity import DISTRIBUTION, identify
from pwtourney.errors import BotNotFoundError

__all__ = [
    "Runtime",
    "describe_programs",
    "describe_python",
    "find_editable",
    "path_of",
    "read_origin",
    "state_of_path",
]

Runtime = tuple[tuple[str, str], ...]
"""Names of programs and distributions, each with its version or the hash of its file."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OF_EXTRA = re.compile(r";.*\bextra\b")
_DIGITS = 16
_MOST_MODULES = 1_000


def describe_python(requirements: Iterable[str] = (), modules: Iterable[str] = ()) -> Runtime:
    """Return the version of this interpreter, and of distributions that are installed for it.

    They are the distributions that `requirements` name (as in PEP 508, without those of extras) or
    that contain the `modules`, and what these require in turn. Our own distribution is left out: it
    is part of the identity of a bot that comes with it, and recorded once for all others.
    """
    return _describe_python(tuple(requirements), frozenset(modules), state_of_path())


@lru_cache(maxsize=1 << 10)
def _describe_python(
    requirements: tuple[str, ...], modules: frozenset[str], _: tuple[tuple[str, int], ...]
) -> Runtime:
    """Return what `describe_python` does; cached by the `state_of_path`.

    A run asks several times for each bot.
    """
    python = f"{platform.python_implementation()} {platform.python_version()}"
    # A bot needs at most a thousand, and a source may name a million.
    candidates = islice(sorted(modules), _MOST_MODULES)
    names = [*requirements, *filter(None, map(_find_owner, candidates))]
    return (("Python", python), *sorted(_find_versions(names).items()))


def state_of_path() -> tuple[tuple[str, int], ...]:
    """Return the folders of ``sys.path``, each with its mtime in nanoseconds, 0 if it is gone.

    It is a cache key: an installation, which changes one of the folders, may happen while a worker
    or a notebook runs.
    """
    changed = {}
    for folder in sys.path:
        changed[folder] = 0
        with suppress(OSError):
            changed[folder] = os.stat(folder or ".").st_mtime_ns
    return tuple(changed.items())


def find_editable(names: Iterable[str]) -> tuple[str, ...]:
    """Return the folders of those named distributions that are editable installations.

    They do not have a new version for each change, so their content counts. A ``.pth`` file names
    the folders of their modules. Without one, the modules are in the project's folder.
    """
    folders: list[str] = []
    for name in names:
        with suppress(PackageNotFoundError, OSError, ValueError):
            package = distribution(name)
            origin = read_origin(package)
            if not origin.get("dir_info", {}).get("editable"):
                continue
            paths = [file.locate() for file in package.files or () if file.suffix == ".pth"]
            lines = [line for path in paths for line in Path(path).read_text().splitlines()]
            folders += [line for line in lines if os.path.isdir(line)] or [path_of(origin["url"])]
    return tuple(dict.fromkeys(folders))


def read_origin(package: Distribution) -> dict[str, Any]:
    """Return the notes of pip about where a distribution was installed from.

    They are those of ``direct_url.json`` (see PEP 610), empty for an index. Raises ValueError for
    a file that is not JSON.
    """
    origin: dict[str, Any] = json.loads(package.read_text("direct_url.json") or "{}")
    return origin


def path_of(url: str) -> str:
    """Return the path of an address that begins with ``file:``."""
    return url2pathname(urlsplit(url).path)


def describe_programs(program: str | None, scripts: Iterable[str]) -> Runtime:
    """Return the system's programs that a bot uses, each with ``sha256`` and 16 hex digits.

    They are `program`, if it is not one of the bot's own files, and the interpreters of `scripts`.
    """
    digests = {}
    for path in filter(None, [program, *map(_find_interpreter, scripts)]):
        digest = "unknown"
        with suppress(BotNotFoundError):  # it can be run but not read
            digest = identify("", [path])[: len("sha256 ") + _DIGITS]
        digests[os.path.basename(path)] = digest
    return tuple(sorted(digests.items()))


def _find_interpreter(script: str) -> str | None:
    """Return the program in the first line of a script; None if it is not a script."""
    words = read_shebang(script).split()
    if not words:
        return None
    if os.path.basename(words[0]) != "env":
        return words[0] if os.path.isfile(words[0]) else None
    named = (word for word in words[1:] if not word.startswith("-") and "=" not in word)
    return shutil.which(next(named, ""))


def _find_versions(requirements: Iterable[str]) -> Mapping[str, str]:
    """Return the versions of installed distributions that are required, directly or indirectly."""
    versions: dict[str, str] = {}
    seen, waiting = {DISTRIBUTION}, [*requirements]
    while waiting:
        text = waiting.pop()
        written = _NAME.match(text)
        # Names are compared as PEP 503 defines.
        name = re.sub(r"[-_.]+", "-", written[0]).lower() if written else ""
        if name in seen or _OF_EXTRA.search(text):
            continue
        seen.add(name)
        with suppress(PackageNotFoundError, ValueError):
            package = distribution(name)
            versions[name] = package.version
            waiting += package.requires or ()
    return versions


def _find_owner(module: str) -> str | None:
    """Return the distribution that contains a module, None if there is none."""
    with suppress(PackageNotFoundError, ValueError):
        # Most distributions are named like their module, and this is a hundred times as fast as
        # reading the files of each.
        return distribution(module).name
    with suppress(ImportError, ValueError):
        if find_spec(module) is not None:
            return next(iter(_list_owners(state_of_path()).get(module, ())), None)
    return None


@lru_cache(1)
def _list_owners(_: tuple[tuple[str, int], ...]) -> Mapping[str, list[str]]:
    return packages_distributions()
