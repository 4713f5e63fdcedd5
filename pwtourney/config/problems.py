"""What is wrong with a tournament file, in the words of those who wrote it."""

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from pwtourney.clock import Clock
from pwtourney.config.bot import BotConfig, ClockConfig, DefaultsConfig, LimitsConfig
from pwtourney.config.draft import Draft
from pwtourney.config.model import SoloConfig, SprtConfig, TournamentConfig, UntilConfig
from pwtourney.config.source import Path as KeyPath
from pwtourney.config.source import Place, Source
from pwtourney.errors import did_you_mean
from pwtourney.rules import Edition, find_edition
from pwtourney.rules.catalogue import base_files
from pwtourney.schedule.league import MOST_BOTS

__all__ = [
    "CheckBot",
    "Problem",
    "bot_problems",
    "confinement_problems",
    "describe_error",
    "find_file_edition",
    "leads_inside",
    "write_key_path",
    "write_problems",
]

Problem = tuple[KeyPath, str]
"""The key that is wrong, and what is wrong with it."""

CheckBot = Callable[[BotConfig, Path], str | None]
"""Says what is wrong with a bot, given the folder of the file; None if it can be found."""

_MODELS: dict[str, type[BaseModel]] = {
    "clock": ClockConfig,
    "limits": LimitsConfig,
    "bots": BotConfig,
    "solo": SoloConfig,
    "sprt": SprtConfig,
    "until": UntilConfig,
    "defaults": DefaultsConfig,
}
_OTHER_WORDS = {
    "bench": "max_faults",
    "idle": "pondering",
    "judge": "measure",
    "reads": "read_paths",
    "restart": "processes",
}
"""Keys that somebody may look for under another word, too different for a close match."""

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

_TOO_LARGE = f": it is larger than {2**63 - 1}"
_NO_SUCH_KEY = "unknown key"
_EXPECTED = {
    "int_type": "a whole number",
    "string_type": "a text (put it in quotes)",
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "model_type": "keys and values",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_attributes_type": "keys and values",
    "float_type": "a number",
    "float_parsing": "a number",
    "too_short": "at least one entry",
}

_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def find_file_edition(name: str, folder: Path) -> Edition:
    """Return the edition that a file in a folder names; raises `EditionError`."""
    return find_edition(str(folder / name) if name.endswith(".toml") else name)


def bot_problems(draft: Draft, folder: Path, check_bot: CheckBot) -> Iterator[Problem]:
    """Check the bots that are well described, whatever is wrong with the rest of the file.

    Ids become file names, so no two may be the same.
    """
    # to look for each of a hundred thousand takes minutes, and they are refused by their number
    if len(draft.names) > MOST_BOTS:
        return
    seen: set[str | None] = set()
    for place, name in enumerate(draft.names):
        if name is not None and name in seen:
            yield ("bots", place), f"a second bot is called {name!r}; give it an `id` of its own"
        seen.add(name)
        bot = draft.bots.get(place)
        if bot is not None and (problem := check_bot(bot, folder)):
            yield ("bots", place), problem


def confinement_problems(
    config: TournamentConfig, folder: Path, places: Sequence[int] | None = None
) -> Iterator[Problem]:
    """Yield what a tournament file that nobody trusts may not say; `places` are those of its bots.

    What it names must be files and folders in its own folder, with all links followed, and hold
    nothing else: a bot that can see a socket can talk to whoever listens there. What it allows a
    bot must let every game end.
    """
    bots = dict(zip(places or range(len(config.bots)), config.bots, strict=True))
    yield from _find_long_times((), config)
    for place, bot in bots.items():
        yield from _find_long_times(("bots", place), bot)
    named: list[tuple[KeyPath, str]] = []
    if config.deals.endswith(".txt"):
        named.append((("deals",), config.deals))
    shared = ("defaults", "read_paths")
    named += [((*shared, k), path) for k, path in enumerate(config.defaults.read_paths)]
    for place, bot in bots.items():
        at = ("bots", place)
        if bot.file is not None:
            path, _, name = bot.file.partition(".py:")
            named.append(((*at, "file"), f"{path}.py" if name else path))
        program, *arguments = bot.command or ("",)
        # without a slash it is looked for on the PATH, which is the organiser's
        named += [((*at, "command"), program)] if "/" in program else []
        named += [((*at, "command"), word) for word in arguments]
        named += [((*at, "read_paths", k), path) for k, path in enumerate(bot.read_paths)]
    for key, listed in named:
        if problem := listed and _find_way_out(folder, listed):
            yield key, f"with --untrusted {listed} {problem}"
    for listed in _list_edition_files(config.edition, folder):
        if problem := _find_way_out(folder, listed):
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


def _list_edition_files(edition: str, folder: Path) -> Iterator[str]:
    """Yield the file of an edition and those that it is based on, as seen from a folder.

    Each is read only when the next is asked for.
    """
    if edition.endswith(".toml"):
        yield edition
        for base in base_files(folder / edition):
            yield str(base).removeprefix(f"{folder}/")


def _find_way_out(folder: Path, listed: str) -> str | None:
    """Say what is wrong with what a file names; None if it leads nowhere but into the folder."""
    path = folder / listed
    # what is not there is no file, as a word of a command, or else its reader reports it
    if not os.path.lexists(path):
        return None
    # behind a link a step up leads elsewhere than it seems
    if ".." in Path(listed).parts or not leads_inside(folder, path):
        return "must lie in the folder of this file, and be named without `..`"
    if ".git" in path.relative_to(folder).parts or ".git" in path.resolve().parts:
        return "lies in a `.git`, whose history and settings no bot may read"
    # next to a file, at both ends of a link, lies what it imports, which is looked for and read
    real = path.resolve()
    wholes = {path} if path.is_dir() else {path.parent, real.parent}
    tree = (entry for whole in sorted(wholes) for entry in os.walk(whole))
    below = (os.path.join(top, name) for top, *names in tree for name in chain(*names))
    for each in (str(path), *below):
        mode = os.lstat(each).st_mode
        odd = os.path.relpath(each, folder)
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
            return f"may hold files and folders only, and {odd} is neither"
        # the system's programs and libraries are shown anyway
        is_systems = os.path.realpath(each).startswith("/usr/")
        if stat.S_ISLNK(mode) and not is_systems and not leads_inside(folder, Path(each)):
            return f"may hold no link that leads elsewhere, and {odd} does"
    return None


def leads_inside(folder: Path, path: Path) -> bool:
    """Tell whether a path, which need not be there, leads into a folder with all links followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links that lead to themselves
        return False


def write_problems(problems: Iterable[Problem], source: Source) -> list[str]:
    """Write problems as ``file:line:column: key.path: what``, in the order of the file."""
    lines: list[tuple[Place, str]] = []
    for path, what in problems:
        # A key that does not exist is itself what is wrong; of any other it is the value.
        place = source.place(path, key=what.startswith(_NO_SUCH_KEY))
        where, key = f"{place}: ", write_key_path(path)
        # a setting of the command line is named by its key already
        lines.append(
            (place, f"{where}{what}" if where == f"--set {key}" else f"{where}{key}{what}")
        )
    return [line for _, line in sorted(lines, key=lambda entry: entry[0])]


def write_key_path(path: KeyPath) -> str:
    """Return ``bots[0].clock: `` and the like, what a problem begins with."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"{text.lstrip('.')}: " if path else ""


def describe_error(details: ErrorDetails) -> str:
    """Say what was expected and what was found, without pydantic's own vocabulary."""
    kind, given = details["type"], details["input"]
    if kind == "extra_forbidden":
        # By the names on the way, wherever they stand: no two tables of different kinds share one.
        model: type[BaseModel] = TournamentConfig
        for part in details["loc"][:-1]:
            model = _MODELS.get(str(part), model)
        return f"{_NO_SUCH_KEY}{_did_you_mean(str(details['loc'][-1]), model.model_fields)}"
    if kind == "missing":
        return "this key is missing"
    if kind == "literal_error":
        expected = str(details["ctx"]["expected"]).replace("'", "")
        words = re.findall(r"[\w-]+", expected)
        return f"expected {expected}, not {_quote(given)}{_did_you_mean(str(given), words)}"
    if kind == "value_error":
        # Some errors name the one value among many that is wrong; the whole would say less.
        message = str(details["ctx"]["error"])
        return message if ", not " in message else f"{message}{_quote_scalar(given)}"
    if kind == "too_short":
        return f"expected {_EXPECTED[kind]}"
    if kind in _EXPECTED:
        remedy = ""
        if kind == "int_type" and isinstance(given, str) and given.isdigit() and given.isascii():
            # A number became a text because of leading zeros, octal in other YAML, or because it is
            # too long for 64 bits; only the first can be written otherwise.
            digits = given.lstrip("0") or "0"
            remedy = f" (write {digits}, without quotes)" if len(digits) < 20 else _TOO_LARGE
        return f"expected {_EXPECTED[kind]}, not {_quote(given)}{remedy}"
    if kind in _LIMITS:
        bound, name = _LIMITS[kind]
        limit = details["ctx"][name]
        limit = int(limit) if limit == int(limit) else limit
        return f"expected {bound} {limit:,}, not {_quote(given)}"
    message = details["msg"]
    return f"{message[0].lower()}{message[1:]}{_quote_scalar(given)}"


def _quote_scalar(given: object) -> str:
    # A whole table would fill the screen, and the error names its place in the file anyway.
    return "" if isinstance(given, dict | list) else f", not {_quote(given)}"


def _quote(given: object) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    if given is None:
        return "nothing"
    # The value may hold anything, and goes to a terminal: what could move its cursor is escaped.
    text = ascii(given)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` if a known word is close, or is ours for it; else nothing."""
    # Only a word that fits here is proposed: `measure` is for a clock, and not for a bot.
    words = list(known)
    other = _OTHER_WORDS.get(word)
    return f" (did you mean {other!r}?)" if other in words else did_you_mean(word, words)
