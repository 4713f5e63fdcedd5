"""Restrictions on an untrusted tournament file: `run --untrusted`.

All that it names must lie in its own folder. Its sizes are limited to the defaults, and its times
so that a pair ends within hours. Paths that may lead outside are checked as text, so that no
answer reveals what exists there.
"""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pwtourney.clock import Clock
from pwtourney.config.bot_table import BotConfig, LimitsConfig
from pwtourney.config.draft import Draft
from pwtourney.config.model import TournamentConfig
from pwtourney.config.problems import Problem
from pwtourney.config.source import Path as KeyPath
from pwtourney.rules.catalogue import base_files
from pwtourney.sandbox.launch import Limits

__all__ = ["excess_problems", "leads_inside", "way_out_problems"]

_SIZES = ("memory", "processes", "files", "file", "scratch", "output", "line", "stderr")
"""Limits that an untrusted file may lower, but not raise above the defaults."""

_LONGEST = {
    "clock": {
        "move": (60_000, "1m"),
        "game": (3_600_000, "1h"),
        "increment": (60_000, "1m"),
        "wall": (60_000, "1m"),
    },
    "limits": {"start": (60_000, "1m"), "prepare": (3_600_000, "1h"), "end": (10_000, "10s")},
}
"""The maximum times of an untrusted file, in milliseconds, so that a pair ends within hours.

The limit `move` is not listed, because it can only shorten a clock.
"""

_MOST_ENTRIES = 500_000
_MOST_DEPTH = 200
"""The maximum number of files and folders around all that a file names, and their maximum depth.

This is enough for a whole league, and is scanned within seconds.
"""

_OUTSIDE = "must lie in the folder of this file, and be named without `..`"


def excess_problems(draft: Draft, most_workers: int) -> Iterator[Problem]:
    """Yield problems of an untrusted file that would run or use more than is allowed.

    It may run nothing but bots: neither build commands, nor code that creates an executor. Its
    times must let every game end. This check reads no files.
    """
    config = draft.config
    if config.executor:
        what = "with --untrusted no code that the file names runs here"
        yield ("executor",), f"{what}; remove the key, or write local"
    if isinstance(config.workers, int) and config.workers > most_workers:
        what = f"with --untrusted at most {most_workers}"
        yield ("workers",), f"{what}, as many cores as may be used here"
    tables: list[tuple[KeyPath, TournamentConfig | BotConfig]] = [((), config)]
    tables += [(("bots", index), bot) for index, bot in draft.bots.items()]
    for at, table in tables:
        yield from _find_long_times(at, table)
        given = (table.limits or LimitsConfig()).apply_to(Limits())
        for name in _SIZES:
            if getattr(given, name) > getattr(Limits(), name):
                most = getattr(Limits(), name)
                yield (*at, "limits", name), f"with --untrusted at most the default, {most}"
    for index, bot in draft.bots.items():
        if bot.build:
            what = "with --untrusted nothing is built"
            yield (
                ("bots", index, "build"),
                f"{what}; build it first, and name the program in `command`",
            )


def way_out_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    """Yield problems of an untrusted file that names something it may not lead to.

    It may name only files and folders in its own folder, with all links followed. These may hold
    only regular files, folders, and links that stay in the folder or lead into /usr: a bot that can
    see a socket can talk to the process behind it.
    """
    config = draft.config
    surroundings = _Surroundings(folder)
    for key, listed in _list_named(draft):
        if problem := listed and _find_way_out(folder, listed, surroundings):
            yield key, f"with --untrusted {listed} {problem}"
    for listed in _list_edition_files(config.edition, folder):
        if problem := _find_way_out(folder, listed, surroundings):
            yield ("edition",), f"with --untrusted {listed} {problem}"
            break  # what lies outside is not read, not even to find its base editions
    results = config.results
    is_hidden = results is not None and ".git" in Path(results).parts
    if results is not None and (is_hidden or not leads_inside(folder, folder / results)):
        yield ("results",), f"with --untrusted {results} must lie in the folder of this file"


def _find_long_times(at: KeyPath, table: TournamentConfig | BotConfig) -> Iterator[Problem]:
    """Yield times in a table that are longer than an untrusted file may set."""
    for key, longest in _LONGEST.items():
        for name, (most, text) in longest.items():
            if (getattr(getattr(table, key), name, None) or 0) > most:
                yield (*at, key, name), f"with --untrusted at most {text}"
    if table.clock and table.clock.measure == "cpu" and table.clock.wall is None:
        control = table.clock.control()
        wall_ns = Clock.start((control, control)).allowance(0).wall_ns
        most, text = _LONGEST["clock"]["wall"]
        # a bot that sleeps uses no CPU time, so with an increment each move could take longer
        if control.increment_ms or (wall_ns is not None and wall_ns > most * 1_000_000):
            what = f"with --untrusted a move may take at most {text} of wall time"
            yield (*at, "clock"), f"{what}; give `wall: {text}` or less"


def _list_named(draft: Draft) -> list[tuple[KeyPath, str]]:
    """Return the paths that a file names, with their keys, except its edition and its results."""
    named: list[tuple[KeyPath, str]] = []
    if draft.config.deals.endswith(".txt"):
        named.append((("deals",), draft.config.deals))
    shared = ("defaults", "read_paths")
    named += [((*shared, k), path) for k, path in enumerate(draft.config.defaults.read_paths)]
    for index, bot in draft.bots.items():
        at = ("bots", index)
        if bot.file is not None:
            path, _, name = bot.file.partition(".py:")
            named.append(((*at, "file"), f"{path}.py" if name else path))
        program, *arguments = bot.command or ("",)
        # a program without a slash is searched on the PATH, which the organiser controls
        named += [((*at, "command"), program)] if "/" in program else []
        named += [((*at, "command"), word) for word in arguments]
        named += [((*at, "read_paths", k), path) for k, path in enumerate(bot.read_paths)]
    return named


def _list_edition_files(edition: str, folder: Path) -> Iterator[str]:
    """Yield the file of an edition and its base files, relative to a folder.

    Each file is read only when the next one is requested.
    """
    if edition.endswith(".toml"):
        yield edition
        for base in base_files(folder / edition):
            yield str(base).removeprefix(f"{folder}/")


def _find_way_out(folder: Path, listed: str, surroundings: "_Surroundings") -> str | None:
    """Return why a path of the file is refused; None if it leads only into the folder."""
    steps = Path(listed).parts
    # After a link, `..` leads elsewhere than its text suggests.
    folders = (folder.absolute(), folder.resolve())
    is_inside = not os.path.isabs(listed) or any(map(Path(listed).is_relative_to, folders))
    if ".." in steps or not is_inside:
        return _OUTSIDE
    # Do not look behind a step that does not exist, nor behind a link to elsewhere: the answer
    # would reveal whether something exists there.
    if not os.path.lexists(folder.joinpath(*steps[:1])):
        return None
    path = folder / listed
    if not leads_inside(folder, path):
        return _OUTSIDE
    # a path that does not exist is a plain word of a command, or its reader reports it
    if not os.path.lexists(path):
        return None
    real = path.resolve()
    if ".git" in (*steps, *real.parts):
        return "lies in a `.git`, whose history and settings no bot may read"
    # a file's modules lie next to it, at both ends of a link, and Python searches and reads there
    wholes = {path} if path.is_dir() else {path.parent, real.parent}
    problems = (surroundings.find_problem(str(whole)) for whole in sorted(wholes))
    return surroundings.describe_oddity(str(path)) or next(filter(None, problems), None)


class _Surroundings:
    """The folders that contain what a file names; each is scanned once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._problems: dict[str, str | None] = {}
        self._left = _MOST_ENTRIES

    def find_problem(self, top: str, depth: int = 0) -> str | None:
        """Return what may not lie below a folder; None if all is allowed."""
        # A file can name each of hundreds of folders hundreds of times, and folders inside others.
        if top not in self._problems:
            self._problems[top] = self._look_through(top, depth)
        return self._problems[top]

    def _look_through(self, top: str, depth: int) -> str | None:
        if depth > _MOST_DEPTH:
            return f"may hold folders within folders at most {_MOST_DEPTH} deep"
        if self._left < 0:  # reported already
            return None
        try:
            with os.scandir(top) as listed:
                entries = sorted(islice(listed, self._left + 1), key=lambda entry: entry.name)
        except OSError:  # a bot cannot see a folder that cannot be listed
            return None
        self._left -= len(entries)
        if self._left < 0:
            what = "cannot be looked through: what is named and the folders around it may hold"
            return f"{what} at most {_MOST_ENTRIES:,} files and folders in all"
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                problem = self.find_problem(entry.path, depth + 1)
            else:
                problem = self.describe_oddity(entry.path)
            if problem:
                return problem
        return None

    def describe_oddity(self, path: str) -> str | None:
        """Return why an existing path is refused; None if it is allowed."""
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return None
        name = os.path.relpath(path, self._folder)
        if not stat.S_ISLNK(mode):
            return f"may hold files and folders only, and {name} is neither"
        # the system's programs and libraries are visible to every bot anyway
        is_systems = os.path.realpath(path).startswith("/usr/")
        if is_systems or leads_inside(self._folder, Path(path)):
            return None
        return f"may hold no link that leads elsewhere, and {name} does"


def leads_inside(folder: Path, path: Path) -> bool:
    """Return True if a path, which need not exist, leads into a folder with all links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, or a NUL in the path
        return False
