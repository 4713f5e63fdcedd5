"""Paths in a bot's entry: files and folders, and the words of a command that name them."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from pwtourney.bots.bot_files import list_classes
from pwtourney.bots.launching import is_shared, is_systems
from pwtourney.errors import BotNotFoundError

__all__ = ["expects_path", "locate", "map_paths", "place_words", "resolve_read_path"]

_SEARCH_PATHS = ("-cp", "-classpath", "--class-path", "-p", "--module-path", "-I")
"""Options of Java, Perl and others whose value is a path on which classes or modules are found."""

_JARS = "/*"
"""The end of a path in a class path that stands for all jars in a folder."""


def expects_path(option: str, program: str) -> bool:
    """Return True if the value of an option of a program is a search path."""
    # Python's own `-I` has no value
    is_python = os.path.basename(program).startswith(("python", "pypy"))
    return option in _SEARCH_PATHS and not (option == "-I" and is_python)


def locate(word: str, *folders: Path) -> str:
    """Return the absolute path of a file that a word names in one of the folders, else the word."""
    with suppress(OSError, ValueError):  # the word cannot be a path: too long, or with a NUL
        for folder in folders:
            if (folder / word).is_file():
                return os.path.abspath(folder / word)
    return word


def resolve_read_path(listed: str, folder: Path) -> str:
    """Return the path of an item of `read_paths`; raises `BotNotFoundError`."""
    try:
        path = (folder / listed).resolve()
        path.stat()
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links, or a NUL
        why = getattr(error, "strerror", None) or error
        raise BotNotFoundError(f"`read_paths` lists {listed}: {why}") from error
    # The resolved path is checked, because a link could lead to a forbidden one.
    if str(path) in ("/", "/tmp") or path.is_relative_to("/proc") or path.is_relative_to("/dev"):
        raise BotNotFoundError(f"`read_paths` lists {path}, where the sandbox puts its own")
    return str(path)


def map_paths(word: str, move: Callable[[str], str]) -> str:
    """Return a word of a command with each path in it replaced by what `move` returns for it.

    Paths are separated by colons, as in a class path or in ``FILE.py:CLASS``. They may follow the
    name of an option. The folder in front of ``/*`` comes with its slash.

    >>> map_paths("--nets=a:b/*", str.upper), map_paths("key=a", str.upper)
    ('--nets=A:B/*', 'KEY=A')
    """
    option, sign, value = word.partition("=")
    is_option = bool(sign) and word.startswith("-")
    head, paths = (f"{option}{sign}", value) if is_option else ("", word)
    return head + ":".join(
        f"{move(path[:-1]).rstrip('/')}{_JARS}" if path.endswith(_JARS) else move(path)
        for path in paths.split(":")
    )


def place_words(
    words: Sequence[str], folders: Sequence[Path], *, alone: bool
) -> list[tuple[str, list[str]]]:
    """Return the arguments of a command with absolute paths, each with what they lead to.

    A file that is an argument of its own leads to nothing more: it is one of the bot's files. If
    the bot is `alone`, only such files are placed. Otherwise so are folders, paths in lists such as
    class paths, and the values of options. A name without a slash is a path only where one is
    expected, after an option that `expects_path`: it may be any word, such as the style of a bot.
    """
    placed: list[tuple[str, list[str]]] = []
    before = ""
    program, *arguments = words
    for word in arguments:
        path, used = locate(word, *folders), list[str]()
        if not (alone or os.path.isfile(path)):
            path, used = _place_parts(word, folders, is_path=expects_path(before, program))
        placed.append((path, used))
        before = word
    return placed


def _place_parts(word: str, folders: Sequence[Path], *, is_path: bool) -> tuple[str, list[str]]:
    """Return a word with absolute paths, and the files and folders of the bot in it."""
    used: list[str] = []

    def place(part: str) -> str:
        if not (is_path or "/" in part or part.endswith(".jar")):
            return part
        path, content = _find_part(part, folders)
        used.extend(content)
        return path if content else part

    return map_paths(word, place), used


def _find_part(part: str, folders: Sequence[Path]) -> tuple[str, list[str]]:
    """Return the absolute path of a file or folder, and what of it is the bot's.

    Of a folder around that of the tournament, which holds other bots as well, and of a shared one,
    only the compiled classes of Java in it are. A part that is neither has nothing of the bot.
    """
    with suppress(OSError, ValueError, BotNotFoundError):
        for folder in folders if part else ():
            path = os.path.abspath(folder / part)
            if is_systems(path):
                break  # everybody sees it, and nobody has to be sent it
            if os.path.isfile(path):
                return path, [path]
            if os.path.isdir(path):
                resolve_read_path(path, folder)  # refuses what the sandbox replaces
                inside = f"{os.path.realpath(path).rstrip('/')}/"
                around = any(f"{os.path.realpath(root)}/".startswith(inside) for root in folders)
                return path, list_classes(path) if around or is_shared(path) else [path]
    return part, []
