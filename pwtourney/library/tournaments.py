"""Whole tournaments for a program: described, played, rated, verified.

They are played in a process of their own. `rate` and `verify` start no process, so both run in the
caller's.
"""

import os
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, Self, TypedDict, Unpack

from pwtourney.config import TournamentConfig, TournamentFile, read_config
from pwtourney.errors import UsageError
from pwtourney.library.separate_process import Apart, Channel
from pwtourney.notation.game import Game
from pwtourney.ratings.anchors import rename_anchors
from pwtourney.ratings.game_columns import gather_blocks
from pwtourney.ratings.uncertainty import LEVEL, MOST_LEVEL
from pwtourney.report.game_statistics import GameStatistics, StatisticsCollector
from pwtourney.report.season_description import find_version
from pwtourney.standings import Anchor, RatingOptions, Resources, Standings
from pwtourney.standings.gates import Checked
from pwtourney.standings.rate import tables
from pwtourney.store import ResultsFolder, Store, find_results
from pwtourney.tables.game_table import Row, read_tables
from pwtourney.tables.namesakes import join_folders
from pwtourney.tournament import (
    Event,
    as_untrusted,
    count_slots,
    explain_missing_bot,
    load_tournament,
    verify_folder,
)
from pwtourney.tournament.resume import raise_pairs
from pwtourney.tournament.session import Ending, RunOptions, choose_folder, open_session

__all__ = [
    "Tournament",
    "TournamentResult",
    "TournamentRun",
    "game_statistics",
    "play_tournament",
    "rate",
    "stored_games",
    "verify",
]

_PathLike = str | os.PathLike[str]
_Table = _PathLike | Iterable[Row]
"""A file, or a results folder, or an iterable of games."""

_MOST_WORKERS = 1024


class TournamentResult(NamedTuple):
    """The stored results, and how the run ended.

    `ending` is ``over``, ``budget`` (the time that the file allows a run is used up),
    ``interrupted`` (`TournamentRun.stop` was called) or ``suspect`` (`fail_fast` ended it). `pairs`
    are stored in the `folder`, of `planned` at most. Equal games have an equal `game_hash`. `gates`
    are those of the file, each with `text`, `passed` and `numbers`. `valid_games` counts the games
    that are not void and in which no bot failed before its first action; if it is 0 there is no
    result.
    """

    standings: Standings
    ending: Ending
    folder: Path
    pairs: int
    planned: int
    seed: int
    game_hash: str
    gates: tuple[Checked, ...] = ()
    valid_games: int = 0


class PlayOptions(TypedDict, total=False):
    """Options of a tournament, each with the name of an option of ``pwtourney run``.

    `results` is the folder that keeps the results of this call and those before it; the default is
    the folder that the file names, or ``results/NAME`` in the current folder. `workers` is the
    number of games at a time; the default is that of the file, or one per core. With `fresh` the
    tournament starts again, and old results are moved to another folder. With `extend` it continues
    with other bots, and games of old versions stay. `fail_fast` stops when a bot loses its first
    two games before its first action. `untrusted` trusts no bot, whatever the file says.
    """

    results: _PathLike | None
    workers: int | None
    fresh: bool
    extend: bool
    fail_fast: bool
    untrusted: bool


class Tournament:
    """A tournament from a file or a mapping, checked; creating it starts nothing.

    Make it with `from_file` or `from_config`, then `play` it, as often as you like: a run continues
    where the last one ended.
    """

    def __init__(self, file: TournamentFile) -> None:
        self._file = file

    @classmethod
    def from_file(
        cls, path: _PathLike, settings: tuple[str, ...] = (), *, untrusted: bool = False
    ) -> "Tournament":
        """Read a tournament file; `settings` are ``KEY=VALUE``, as after ``--set``.

        If `untrusted`, nothing outside the folder of the file is read, and none of its bots is
        trusted.

        Raises `ConfigError` with every problem of the file, one line each in `problems`.
        """
        return cls(load_tournament(Path(path), settings, untrusted=untrusted))

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any] | TournamentConfig, folder: _PathLike = "."
    ) -> "Tournament":
        """Take the content of a tournament file as a mapping; paths are relative to the folder.

        Raises `ConfigError` with every problem, one line each in `problems`.
        """
        return cls(read_config(config, Path(folder).absolute(), explain_missing_bot))

    @property
    def name(self) -> str:
        """The name of the tournament; empty if neither a `name` nor a file gives one."""
        file = self._file
        is_written = file.source.name == str(file.path)  # and not made from a mapping
        return file.config.name or (file.path.stem if is_written else "")

    @property
    def bots(self) -> tuple[str, ...]:
        """The ids of the bots, in their order."""
        return tuple(bot.name for bot in self._file.config.bots)

    def __repr__(self) -> str:
        return f"<Tournament {self.name!r} of {', '.join(self.bots)}>"

    def play(
        self,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[PlayOptions],
    ) -> TournamentResult:
        """Play what is missing, as ``pwtourney run`` does, and return what is stored then.

        `on_event` is called with each event, in this thread; what it raises ends the run. The
        `options` are those of `PlayOptions`.

        Raises:
            UsageError: A request is invalid or cannot be met; `ConfigError`, `SandboxError` and
                `PreparationError` are subclasses.
            StoreError: The folder holds another tournament, or another run is writing there.
            ShortageError: The system ran out of something.
            KeyboardInterrupt: You pressed Ctrl-C; what was played is stored.
        """
        with self.start(**options) as run:
            for event in run:
                if on_event is not None:
                    on_event(event)
            return run.result()

    def start(
        self,
        *,
        results: _PathLike | None = None,
        workers: int | None = None,
        fresh: bool = False,
        extend: bool = False,
        fail_fast: bool = False,
        untrusted: bool = False,
    ) -> "TournamentRun":
        """Start to play; return a run to iterate over. The keywords are those of `PlayOptions`."""
        file = as_untrusted(self._file) if untrusted else self._file
        if results is None and not self.name and file.config.results is None:
            raise UsageError("pass results=FOLDER, or give the config a name")
        folder = choose_folder(
            file, None if results is None else Path(results), None, untrusted=untrusted
        )
        if fresh and extend:
            raise UsageError("fresh and extend exclude each other")
        if workers is not None and not 1 <= workers <= _MOST_WORKERS:
            raise UsageError(f"workers: {workers} is not from 1 to {_MOST_WORKERS}")
        if not fresh:
            file = raise_pairs(file, folder)
        options = RunOptions(count_slots(file, workers), fresh, extend, None, fail_fast)
        # without earlier builds: bots are built in the process that plays
        return TournamentRun(Apart(_play, *file[:3], file.untrusted, folder.path, options))


class TournamentRun:
    """A running tournament: iterate over its events, then take its `result`.

    Use it as a context manager: leaving it ends the run at once, if it is not over, and waits until
    no bot is left. What was played is stored.
    """

    def __init__(self, run: Apart[TournamentResult]) -> None:
        self._run = run

    def __iter__(self) -> Iterator[Event]:
        return iter(self._run)

    def result(self) -> TournamentResult:
        """Wait for the end, and return what is stored then; raises what `Tournament.play` does."""
        return self._run.result()

    def stop(self) -> None:
        """Begin no more pairs, and let running ones end, for ten seconds at most.

        Continue to iterate, or call `result`. May be called from any thread.
        """
        self._run.ask_to_stop()

    def close(self) -> None:
        """End the run at once, as leaving the context does."""
        self._run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def play_tournament(
    tournament: _PathLike | Mapping[str, Any] | TournamentConfig | Tournament,
    *,
    on_event: Callable[[Event], object] | None = None,
    **options: Unpack[PlayOptions],
) -> TournamentResult:
    """Play a tournament from a file, or from a mapping with the content of one.

    Options, result and errors are those of `Tournament.play`; `ConfigError` names every problem of
    the description.
    """
    if isinstance(tournament, str | os.PathLike):
        tournament = Tournament.from_file(tournament, untrusted=options.get("untrusted", False))
    elif not isinstance(tournament, Tournament):
        tournament = Tournament.from_config(tournament)
    return tournament.play(on_event=on_event, **options)


# not a method: only its module and its name are sent to the process that plays
def _play(
    channel: Channel,
    config: TournamentConfig,
    source: Any,
    path: Path,
    untrusted: bool,
    folder: Path,
    options: RunOptions,
) -> TournamentResult:
    """Play the tournament in this process."""
    file = TournamentFile(config, source, path, untrusted=untrusted)
    results = ResultsFolder(folder)
    with open_session(file, results, options, tell=channel.tell, warn=channel.warn) as session:
        if session.aside:
            channel.tell(f"the old results are now in {session.aside}")
        ending = session.play(channel.event, channel.stop)
        summary = session.publish()
    return TournamentResult(
        standings=summary.standings,
        ending=ending,
        folder=results.path,
        pairs=summary.stored,
        planned=summary.planned,
        seed=summary.seed,
        game_hash=summary.game_hash,
        gates=summary.gates,
        valid_games=summary.conditions.valid,
    )


def rate(
    *games: _Table,
    anchor: tuple[str, float] | Mapping[str, float | tuple[float, float]] | None = None,
    prior: float = 0.0,
    level: float = LEVEL,
) -> Standings:
    """Rate the bots of any table of games, as ``pwtourney rate`` does.

    Args:
        games: Each is a results folder, a ``.csv`` or ``.jsonl`` file, or an iterable of games. A
            game is a tuple ``(first, second, score)``, optionally with ``pair``, ``deal`` and
            ``margin``, or a mapping with these keys. `score` is that of the bot that moved first:
            1, 0.5, 0, or None for a void game. Several tables are merged; the pairs of each are its
            own. Bots of results folders are compared by what they are: different bots of one name
            are called ``NAME@FOLDER``, which is a `UserWarning`.
        anchor: A bot and the rating that it has by definition, in Elo, within ±100000. Several are
            a mapping of bots to ratings; a rating with a standard error is a tuple of both. Without
            one 0 is the average of each pool. Of a league, a name means the version that plays.
        prior: Virtual games per bot that pull ratings together; 0 for none.
        level: The level of intervals, bounds and ranks, from 0.5 to 0.999.

    Returns:
        Pools of bots that can be compared, the largest first, each with its rows, the best first:
        ``standings.pools[0].rows[0].elo``. Ratings and intervals are in Elo.

    Raises:
        UsageError: A row is not a game (file and line, or the row, is named), or `anchor`,
            `prior` or `level` is out of range.
        StoreError: A results folder cannot be read.
    """
    options = RatingOptions(_list_anchors(anchor), prior)
    for key, what in options.problems():
        raise UsageError(f"{key}: {what}")
    if not 0.5 <= level <= MOST_LEVEL:
        raise UsageError(f"level: {level:g} is not from 0.5 to {MOST_LEVEL:g}")
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    given = [
        find_results(Path(table)) if isinstance(table, str | os.PathLike) else table
        for table in games
    ]
    joined = join_folders(table for table in given if isinstance(table, Path))
    for line in joined.warnings:
        warnings.warn(line, stacklevel=2)
    names = {bot: find_version(joined.season, bot) for bot, *_ in options.anchors}
    options = options._replace(anchors=rename_anchors(options.anchors, names))
    columns = gather_blocks(None, read_tables(given, joined.names, resources))
    rated = tables(columns, resources, options, level=level, hides=joined.season.hides)
    if rated.unanchored:
        raise UsageError(f"anchor: {rated.unanchored} has no rating that could be fixed")
    return rated


def _list_anchors(
    given: tuple[str, float] | Mapping[str, float | tuple[float, float]] | None,
) -> tuple[Anchor, ...]:
    if given is None:
        return ()
    ratings = given if isinstance(given, Mapping) else dict([given])
    return tuple(
        Anchor(bot, *elo) if isinstance(elo, tuple) else Anchor(bot, elo)
        for bot, elo in ratings.items()
    )


def stored_games(folder: str | os.PathLike[str]) -> Iterator[Game]:
    """Read the games of a results folder, in the order of the schedule.

    Returns:
        The games, frozen, one after the other: `bots` and `scores` are by seat, `faults` say which
        seat failed and how, `pair` and `game` are the numbers that ``pwtourney replay`` takes. All
        stored games are among them, also those of banned bots, which do not count.

    Raises:
        StoreError: There are no results, or they cannot be read.
    """
    # now, rather than at the first iteration
    store = Store.open(ResultsFolder(find_results(Path(folder))).database)

    def read() -> Iterator[Game]:
        with closing(store):
            yield from store.records()

    return read()


def game_statistics(folder: str | os.PathLike[str]) -> GameStatistics:
    """Compute the statistics of all bots in terms of the game, from a results folder.

    Returns:
        For each bot the means over its games that were played to their end, those of its opponents
        in the same games, and those of the `field` of all bots: empty squares, buttons, income,
        patches, time. ``find("magpie").own.empty_squares`` is one of them. In a league, each
        version of a bot has its own.

    Raises:
        StoreError: There are no results, or they cannot be read.
    """
    with closing(Store.open(ResultsFolder(find_results(Path(folder))).database)) as store:
        collector = StatisticsCollector(store.edition())
        present = store.meta().present
        for game in store.records():
            if not present.find_reason(game):
                collector.add(game)
    return collector.conclude()


def verify(folder: str | os.PathLike[str]) -> list[str]:
    """Check the results in a folder, as ``pwtourney verify`` does: hashes, games, scores, tables.

    Returns:
        The problems, one line each; an empty list if there are none.

    Raises:
        StoreError: There are no results, or they cannot be read.
    """
    results = ResultsFolder(find_results(Path(folder)))
    with closing(Store.open_in(results)) as store:
        return verify_folder(store, results)
