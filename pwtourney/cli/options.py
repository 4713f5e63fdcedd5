"""Options that commands share: their values, how they are parsed, and how they are completed.

Slow imports happen when a value is read, not while a shell asks for completions.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, get_args

import click
from click.shell_completion import CompletionItem

from pwtourney.cli.command import heading
from pwtourney.constants import RESULTS_DATABASE, BoundsUnit, SandboxChoice

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "OF_PLAYING",
    "BotName",
    "EditionName",
    "FilePath",
    "GameName",
    "PlayingOptions",
    "ResultsPath",
    "SeatName",
    "SprtOptions",
    "all_tables_option",
    "deal_option",
    "details_option",
    "dry_option",
    "edition_option",
    "fail_fast_option",
    "fresh_option",
    "grace_option",
    "json_option",
    "level_option",
    "los_option",
    "matrix_option",
    "move_option",
    "playing_options",
    "quiet_option",
    "read_duration",
    "read_prior",
    "read_replays",
    "read_shard",
    "read_with",
    "results_option",
    "sandbox_option",
    "settings_option",
    "trusted_option",
    "untrusted_option",
    "workers_option",
]

_F = TypeVar("_F", bound=Callable[..., Any])


def _offer(words: Iterable[str], typed: str, otherwise: str = "file") -> list[CompletionItem]:
    """Return the words that begin as typed, once each; without any, let the shell find files.

    Names from outside that would break the line-based format of shells are left out.
    """
    fitting = [word for word in dict.fromkeys(words) if word.startswith(typed)]
    items = [CompletionItem(word) for word in fitting if word.isprintable()]
    return items or [CompletionItem(typed, type=otherwise)]


def _list_results(typed: str) -> list[str]:
    """Return the folders with results: those under ``results`` by name, and others by path."""
    from glob import escape, glob
    from pathlib import Path

    named = [path.parent.name for path in sorted(Path("results").glob(f"*/{RESULTS_DATABASE}"))]
    paths = sorted(glob(f"{escape(typed)}*/{RESULTS_DATABASE}")) if typed else []
    return [*named, *(str(Path(path).parent) for path in paths)]


def _list_files(typed: str, ending: str) -> list[str]:
    """Return the files that begin as typed."""
    from glob import escape, glob

    return sorted(glob(f"{escape(typed)}*{ending}"))


class _Name(click.ParamType[str]):
    """A text that names something, and is not empty."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the value unchanged; fail if it is empty."""
        if not value:
            self.fail(f"expected the name of a {self.name}, not an empty text", param, ctx)
        return value


class FilePath(click.ParamType["Path"]):
    """A file or folder, which need not exist."""

    # click's own would import `pathlib` for every command's help, a tenth of the time that it takes
    name = "path"

    def convert(
        self, value: "str | Path", param: click.Parameter | None, ctx: click.Context | None
    ) -> "Path":
        """Return the value as a path."""
        from pathlib import Path

        if value == "":
            self.fail("expected a path, not an empty text", param, ctx)
        return Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete file names."""
        return [CompletionItem(incomplete, type="file")]


class BotName(_Name):
    """An installed bot, a Python file or a command; or one of `others`."""

    name = "bot"

    def __init__(self, *others: str) -> None:
        self._others = others

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the installed bots and Python files."""
        from pwtourney.bots.names import installed_bots

        files = _list_files(incomplete, ".py") if incomplete else []
        return _offer((*installed_bots(), *self._others, *files), incomplete)


class EditionName(_Name):
    """An edition by its name, or a file."""

    name = "edition"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the editions that come with pwtourney, and files."""
        from pwtourney.rules import edition_names

        return _offer((*edition_names(), *_list_files(incomplete, ".toml")), incomplete)


class GameName(_Name):
    """A game in a file, or ``FOLDER:PAIR.GAME``."""

    name = "game"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the first game of each folder with results."""
        return _offer((f"{folder}:0.0" for folder in _list_results(incomplete)), incomplete)


class SeatName(click.ParamType[int]):
    """A seat by the name that people give it, or by its number in records and the protocol."""

    name = "seat"

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of seats in the order of their numbers."""
        from pwtourney.notation.game import SEATS

        return SEATS

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return the value's placeholder in the help."""
        return f"[{'|'.join(self.seats)}]"

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number of the seat."""
        numbers = {word: k for k, name in enumerate(self.seats) for word in (name, str(k))}
        if str(value) not in numbers:
            self.fail(f"expected {' or '.join(self.seats)}, not {value!r}", param, ctx)
        return numbers[str(value)]

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer both seats."""
        return _offer(self.seats, incomplete)


class ResultsPath(FilePath):
    """A results folder, by its path or its name under ``results``, or a file."""

    def convert(
        self, value: "str | Path", param: click.Parameter | None, ctx: click.Context | None
    ) -> "Path":
        """Return the path of the folder or file."""
        path = super().convert(value, param, ctx)
        if ctx is not None and ctx.resilient_parsing:  # a shell asks for completions
            return path
        if path.suffix and path.is_file():
            return path  # a table of games; the store module is slow to load
        from pwtourney.store import find_results

        return find_results(path)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Offer the folders with results; where files can be rated, any file."""
        otherwise = "file" if param.name == "files" else "dir"
        return _offer(_list_results(incomplete), incomplete, otherwise)


def read_with(read: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a click callback that parses a value; a ValueError becomes a `BadParameter`."""

    def take(context: click.Context, _: click.Parameter, value: Any) -> Any:
        if value is None or context.resilient_parsing:
            return value
        try:
            return read(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return take


def read_duration(text: str) -> int:
    """Return the milliseconds of a duration; raises ValueError."""
    from pwtourney.config import parse_duration

    return parse_duration(text)


def _read_move_time(text: str) -> int:
    """Return a bot's time for a move in milliseconds; raises ValueError."""
    milliseconds = read_duration(text)
    # 0 is a valid duration, such as for --grace, but no bot can answer in it
    if not milliseconds:
        raise ValueError("a bot needs at least 1ms")
    return milliseconds


def read_shard(text: str) -> Any:
    """Return a part of a tournament, from ``K/N``; raises ValueError."""
    from pwtourney.schedule.pairing import Shard

    return Shard.parse(text)


def read_replays(text: str) -> Any:
    """Return the games that a page can replay, from a number or ``all``; raises ValueError."""
    from math import inf

    from pwtourney.report.page.replays import Replays

    if text == "all":
        return Replays(None, inf)
    if not text.isdecimal() or not text.isascii():
        raise ValueError(f"expected a number of games, or all, not {text!r}")
    return Replays(int(text), inf)


def _read_level(text: str) -> float:
    from pwtourney.ratings.uncertainty import MOST_LEVEL, parse_level

    try:
        level = parse_level(text if text.endswith("%") else f"{text}%")
    except ValueError:
        level = 1.0
    if level > MOST_LEVEL:
        raise ValueError(f"expected a level from 50% to 99.9%, such as 99%, not {text!r}")
    return level


def read_prior(value: float) -> float:
    """Return a number of virtual games; raises ValueError."""
    from pwtourney.standings import RatingOptions

    if problems := dict(RatingOptions(prior=value).problems()):
        raise ValueError(problems["prior"])
    return value


edition_option = click.option(
    "--edition",
    type=EditionName(),
    default="original",
    show_default=True,
    help="A name or a .toml file.",
)
results_option = click.option("--results", type=FilePath(), help="Keep results in this folder.")
workers_option = click.option("--workers", type=click.IntRange(1, 1024), help="Games at a time.")
fresh_option = click.option(
    "--fresh", is_flag=True, help="Start again; old results are moved to another folder."
)
untrusted_option = click.option(
    "--untrusted", is_flag=True, help="Trust neither the bots nor the file."
)
dry_option = click.option(
    "--dry-run", "dry", is_flag=True, help="Show the schedule and estimates without playing."
)
quiet_option = click.option("--quiet", is_flag=True, help="Show no progress, only the result.")
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON event per line instead of tables."
)
grace_option = click.option(
    "--grace",
    default="10s",
    show_default=True,
    callback=read_with(read_duration),
    help="When you stop the run, wait this long for running games.",
)
settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a config value (repeatable).",
)
sandbox_option = click.option(
    "--sandbox",
    type=click.Choice(get_args(SandboxChoice)),
    default="auto",
    show_default=True,
    help="How bots are isolated.",
)
trusted_option = click.option("--trusted", is_flag=True, help="Bots may do whatever you may.")
level_option = click.option(
    "--level",
    metavar="LEVEL",
    callback=read_with(_read_level),
    default="95%",
    show_default=True,
    help="The level of intervals, bounds and ranks.",
)


def move_option(usual: str, what: str = "Time for each move.") -> Callable[[Any], Any]:
    """Return the option for the time that a bot has."""
    return click.option(
        "--move",
        default=usual,
        show_default=True,
        callback=read_with(_read_move_time),
        help=what,
    )


all_tables_option = click.option(
    "--all-tables",
    is_flag=True,
    help="Print all groups of bots that have not met, also if there are many.",
)
details_option = click.option(
    "--details", is_flag=True, help="Also print how well the ratings fit, and the sandbox."
)
matrix_option = click.option("--matrix", is_flag=True, help="Also print the head-to-head matrix.")
los_option = click.option(
    "--los", is_flag=True, help="Also print who is likely stronger than whom."
)
deal_option = click.option(
    "--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal."
)


OF_PLAYING = ("fail_fast", "quiet", "as_json", "grace")
"""Those of the playing options that have no effect if nothing is played."""


class PlayingOptions(TypedDict):
    """The values of the options that `playing_options` declares."""

    untrusted: bool
    settings: tuple[str, ...]
    results: "Path | None"
    fresh: bool
    dry: bool
    workers: int | None
    fail_fast: bool
    quiet: bool
    as_json: bool
    grace: int


class SprtOptions(TypedDict):
    """The values of the options of a sequential test."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    bounds: BoundsUnit


def playing_options(function: _F) -> _F:
    """Add the options of a command that plays a tournament file, the first in the open group."""
    for add in reversed(
        (
            untrusted_option,
            settings_option,
            heading("Results"),
            results_option,
            fresh_option,
            dry_option,
            heading("While it runs"),
            workers_option,
            fail_fast_option(default=False),
            quiet_option,
            json_option,
            grace_option,
        )
    ):
        function = add(function)
    return function


def fail_fast_option(*, default: bool) -> Callable[[_F], _F]:
    """Return a decorator that adds ``--fail-fast`` and ``--no-fail-fast`` to a command."""
    return click.option(
        "--fail-fast/--no-fail-fast",
        default=default,
        show_default=True,
        help="Stop when a bot loses its first two games before its first action.",
    )
