"""What a tournament file that nobody trusts may not say: `run --untrusted`.

What it names lies in its own folder, and no bot or game takes more than is usual. What may lie
elsewhere is judged by how it is named, so that no answer tells what there is.
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
"""Limits of which a file that nobody trusts may give a bot no more than is usual."""

_LONGEST = {
    "clock": {
        "move": (60_000, "1m"),
        "game": (3_600_000, "1h"),
        "increment": (60_000, "1m"),
        "wall": (60_000, "1m"),
    },
    "limits": {"start": (60_000, "1m"), "prepare": (3_600_000, "1h"), "end": (10_000, "10s")},
}
"""The longest times, in milliseconds, of a file that nobody trusts, so that a pair ends within
hours. `move` of the limits can only shorten a clock."""

_MOST_ENTRIES = 500_000
_MOST_DEPTH = 200
"""How many files and folders may lie around all that a file names, and how deep: enough for what a
whole league brings along, and looked through within seconds."""

_OUTSIDE = "must lie in the folder of this file, and be named without `..`"


def excess_problems(draft: Draft, most_workers: int) -> Iterator[Problem]:
    """Yield what a tournament file that nobody trusts would take or run beyond what is usual.

    It runs nothing but bots: neither commands that build, nor code that makes an executor.
    What it allows a bot must let every game end. There is nothing to be read for it.
    """
    config = draft.config
    if config.executor:
        what = "with --untrusted no code that the file names runs here"
        yield ("executor",), f"{what}; remove the key, or write local"
    if isinstance(config.workers, int) and config.workers > most_workers:
        what = f"with --untrusted at most {most_workers}"
        yield ("workers",), f"{what}, as many cores as may be used here"
    tables: list[tuple[KeyPath, TournamentConfig | BotConfig]] = [((), config)]
    tables += [(("bots", place), bot) for place, bot in draft.bots.items()]
    for at, table in tables:
        yield from _find_long_times(at, table)
        given = (table.limits or LimitsConfig()).apply_to(Limits())
        for name in _SIZES:
            if getattr(given, name) > getattr(Limits(), name):
                most = getattr(Limits(), name)
                yield (*at, "limits", name), f"with --untrusted at most the default, {most}"
    for place, bot in draft.bots.items():
        if bot.build:
            what = "with --untrusted nothing is built"
            yield (
                ("bots", place, "build"),
                f"{what}; build it first, and name the program in `command`",
            )


def way_out_problems(draft: Draft, folder: Path) -> Iterator[Problem]:
    """Yield what a tournament file that nobody trusts names and may not lead to.

    These must be files and folders in its own folder, with all links followed, and hold nothing
    else: a bot that can see a socket can talk to the process that listens there.
    """
    config = draft.config
    surroundings = _Surroundings(folder)
    for key, listed in _list_named(draft):
        if problem := listed and _find_way_out(folder, listed, surroundings):
            yield key, f"with --untrusted {listed} {problem}"
    for listed in _list_edition_files(config.edition, folder):
        if problem := _find_way_out(folder, listed, surroundings):
            yield ("edition",), f"with --untrusted {listed} {problem}"
            break  # what lies outside is not read, also not to see what it is based on
    results = config.results
    is_hidden = results is not None and ".git" in Path(results).parts
    if results is not None and (is_hidden or not leads_inside(folder, folder / results)):
        yield ("results",), f"with --untrusted {results} must lie in the folder of this file"


def _find_long_times(at: KeyPath, table: TournamentConfig | BotConfig) -> Iterator[Problem]:
    """Yield times of a table that are longer than a file that nobody trusts may give a bot."""
    for key, longest in _LONGEST.items():
        for name, (most, text) in longest.items():
            if (getattr(getattr(table, key), name, None) or 0) > most:
                yield (*at, key, name), f"with --untrusted at most {text}"
    if table.clock and table.clock.measure == "cpu" and table.clock.wall is None:
        control = table.clock.control()
        wall_ns = Clock.start((control, control)).allowance(0).wall_ns
        most, text = _LONGEST["clock"]["wall"]
        # a bot that sleeps uses no processor time, so with an increment each move may take longer
        if control.increment_ms or (wall_ns is not None and wall_ns > most * 1_000_000):
            what = f"with --untrusted a move may take at most {text} of wall time"
            yield (*at, "clock"), f"{what}; give `wall: {text}` or less"


def _list_named(draft: Draft) -> list[tuple[KeyPath, str]]:
    """Return what a file names in its folder, except its edition and its results."""
    named: list[tuple[KeyPath, str]] = []
    if draft.config.deals.endswith(".txt"):
        named.append((("deals",), draft.config.deals))
    shared = ("defaults", "read_paths")
    named += [((*shared, k), path) for k, path in enumerate(draft.config.defaults.read_paths)]
    for place, bot in draft.bots.items():
        at = ("bots", place)
        if bot.file is not None:
            path, _, name = bot.file.partition(".py:")
            named.append(((*at, "file"), f"{path}.py" if name else path))
        program, *arguments = bot.command or ("",)
        # without a slash it is looked for on the PATH, which is the organiser's
        named += [((*at, "command"), program)] if "/" in program else []
        named += [((*at, "command"), word) for word in arguments]
        named += [((*at, "read_paths", k), path) for k, path in enumerate(bot.read_paths)]
    return named


def _list_edition_files(edition: str, folder: Path) -> Iterator[str]:
    """Yield the file of an edition and those that it is based on, as seen from a folder.

    Each is read only when the next is asked for.
    """
    if edition.endswith(".toml"):
        yield edition
        for base in base_files(folder / edition):
            yield str(base).removeprefix(f"{folder}/")


def _find_way_out(folder: Path, listed: str, surroundings: "_Surroundings") -> str | None:
    """Say what is wrong with what a file names; None if it leads nowhere but into the folder."""
    steps = Path(listed).parts
    # Behind a link a step up leads elsewhere than it seems.
    folders = (folder.absolute(), folder.resolve())
    is_inside = not os.path.isabs(listed) or any(map(Path(listed).is_relative_to, folders))
    if ".." in steps or not is_inside:
        return _OUTSIDE
    # Nothing is looked at behind a step that is not there, nor behind a link to elsewhere: whether
    # something is there would be what the answer tells.
    if not os.path.lexists(folder.joinpath(*steps[:1])):
        return None
    path = folder / listed
    if not leads_inside(folder, path):
        return _OUTSIDE
    # what is not there is no file, as a word of a command, or else its reader reports it
    if not os.path.lexists(path):
        return None
    real = path.resolve()
    if ".git" in (*steps, *real.parts):
        return "lies in a `.git`, whose history and settings no bot may read"
    # next to a file, at both ends of a link, lies what it imports, which is looked for and read
    wholes = {path} if path.is_dir() else {path.parent, real.parent}
    problems = (surroundings.find_problem(str(whole)) for whole in sorted(wholes))
    return surroundings.describe_oddity(str(path)) or next(filter(None, problems), None)


class _Surroundings:
    """The folders in which something lies that a file names; each is looked through once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._problems: dict[str, str | None] = {}
        self._left = _MOST_ENTRIES

    def find_problem(self, top: str, depth: int = 0) -> str | None:
        """Say what lies below a folder and may not be there; None if there is nothing such."""
        # A file can name each of hundreds of folders hundreds of times, also one within another.
        if top not in self._problems:
            self._problems[top] = self._look_through(top, depth)
        return self._problems[top]

    def _look_through(self, top: str, depth: int) -> str | None:
        if depth > _MOST_DEPTH:
            return f"may hold folders within folders at most {_MOST_DEPTH} deep"
        if self._left < 0:  # told already
            return None
        try:
            with os.scandir(top) as listed:
                entries = sorted(islice(listed, self._left + 1), key=lambda entry: entry.name)
        except OSError:  # what cannot be listed is shown to nobody
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
        """Say what is wrong with something that is there; None if it may be there."""
        mode = os.lstat(path).st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            return None
        name = os.path.relpath(path, self._folder)
        if not stat.S_ISLNK(mode):
            return f"may hold files and folders only, and {name} is neither"
        # the system's programs and libraries are shown anyway
        is_systems = os.path.realpath(path).startswith("/usr/")
        if is_systems or leads_inside(self._folder, Path(path)):
            return None
        return f"may hold no link that leads elsewhere, and {name} does"


def leads_inside(folder: Path, path: Path) -> bool:
    """Tell whether a path, which need not be there, leads into a folder with all links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # links that lead to themselves, or a NUL
        return False
