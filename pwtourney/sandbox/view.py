"""What a bot in a sandbox can see: a list of mounts, whichever program makes them.

The system's programs and libraries and the bot's own files, all of them read-only and at their own
places, but for folders that it may write to; and covers over what of others lies among its own.
"""

import os
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.namespaces.layout import HOME

__all__ = ["HOME", "Mount", "mounts_at", "view_of"]

_MERGED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives")


class Mount(NamedTuple):
    """One step of what is laid out for a bot, in the order given.

    `show` lays a file or folder of the system at its target, read-only, and `lend` likewise for
    writing; `link` makes a symbolic link to the source, `folder` an empty folder; `empty` covers a
    folder with an empty one, and `blank` a file with one that nobody can read.
    """

    kind: Literal["show", "lend", "link", "folder", "empty", "blank"]
    target: str
    source: str = ""

    @property
    def covers(self) -> bool:
        """Whether it hides something that another mount shows."""
        return self.kind in ("empty", "blank")


def view_of(launch: Launch, hidden: Iterable[str] = ()) -> tuple[Mount, ...]:
    """Return what a bot sees; `hidden` are files and folders that it must not."""
    places = _own_places((*launch.read_paths, *launch.write_paths))
    writable = {*launch.write_paths, *map(os.path.realpath, launch.write_paths)}
    return (*_show_system(), *_show_own(places, writable), *_cover_hidden(places, hidden))


def mounts_at(path: str) -> Iterator[Mount]:
    """Show one file or folder at its own place, and at that which it leads to."""
    return _show_own(_own_places([path]), set())


def _show_system() -> Iterator[Mount]:
    """Show programs and libraries."""
    yield Mount("show", "/usr", "/usr")
    for name in _MERGED:
        if os.path.islink(name):
            yield Mount("link", name, os.readlink(name))
        elif os.path.isdir(name):
            yield Mount("show", name, name)
    yield Mount("folder", "/etc")
    for name in _SYSTEM_FILES:
        if os.path.exists(name):
            yield Mount("show", name, name)


def _own_places(places: Iterable[str]) -> list[str]:
    """Return a bot's own places, folders before what is in them; links with what they lead to."""
    # sorted, a folder comes before what is in it, and its mount does not cover theirs
    every = sorted({*places, *map(os.path.realpath, places)})
    return [path for path in every if not path.startswith("/usr/")]


def _show_own(places: Iterable[str], writable: set[str]) -> Iterator[Mount]:
    """Show a bot's own files at their own places.

    The folders above are made one by one, because those that bubblewrap makes on the way could
    not be entered.
    """
    made: set[str] = set()
    for path in places:
        for folder in _folders_above(path):
            if folder not in made:
                made.add(folder)
                yield Mount("folder", folder)
        yield Mount("lend" if path in writable else "show", path, path)


def _cover_hidden(places: Iterable[str], hidden: Iterable[str]) -> Iterator[Mount]:
    """Cover what of others lies among a bot's own files, by whatever way it is come to."""
    # links are followed once for all: a cover has to lie on the file, by whatever name it is shown
    for path in sorted(map(os.path.realpath, hidden)):
        for place in places:
            real = os.path.realpath(place)
            if not path.startswith(f"{real}/"):
                continue
            shown = place + path.removeprefix(real)
            if os.path.isdir(path):
                yield Mount("empty", shown)
            elif os.path.exists(path):
                yield Mount("blank", shown)


def _folders_above(path: str) -> Iterator[str]:
    """Yield the folders above a path, the highest first."""
    parts = path.split("/")
    for end in range(2, len(parts)):
        yield "/".join(parts[:end])
