"""Results as a whole: ``pwtourney report``, ``merge``, ``verify``, ``serve``; and ``rate``."""

import gc
import math
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole, refuse_options, warn
from pwtourney.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError
from pwtourney.ratings.games import gather_blocks
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report import publish, summarise
from pwtourney.report.collectors import Depth, list_opponents
from pwtourney.report.files import markdown
from pwtourney.report.game_table import read_tables, refuse_lookalikes
from pwtourney.report.live import LiveServer
from pwtourney.report.machine import standings_csv, standings_json, tables_json
from pwtourney.report.namesakes import join_folders
from pwtourney.report.season import find_version
from pwtourney.report.terminal import (
    print_depth,
    print_likelihoods,
    print_matrix,
    print_nash,
    print_resources,
    print_standings,
    print_tables,
)
from pwtourney.report.text import amount, percent, table_notes
from pwtourney.sanitize import sanitize
from pwtourney.schedule.season import trace_season
from pwtourney.standings import MOST_ELO, RatingOptions, Resources
from pwtourney.standings.rate import tables
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import load_tournament, verify_folder
from pwtourney.tournament import merge as merge_parts
from pwtourney.tournament.session import stop_as_by_interrupt
from pwtourney.tournament.verify import compare_with_file

__all__ = ["merge", "rate", "report", "serve", "verify"]

_FORMATS = {"markdown": markdown, "json": standings_json, "csv": standings_csv}

_MOST_PROBLEMS = 50


def report(
    folder: Path,
    form: str,
    resources: bool,
    matrix: bool,
    los: bool,
    details: bool,
    level: float,
    bot: str | None,
    out: Path | None,
) -> int:
    """Print the standings of the results in FOLDER again, from what is stored there."""
    console = PipeConsole()
    if bot is not None:
        refuse_options(
            ("form", "matrix", "los", "resources", "details", "out"), "--bot prints other tables"
        )
    elif form != "table":
        refuse_options(
            ("matrix", "los", "resources", "details"), f"--format {form} prints no tables"
        )
    if out is not None and level != LEVEL and out.resolve() == folder.resolve():
        raise UsageError(
            f"--out {out}: the reports among the results are at {percent(LEVEL)} %, which `verify`"
            " checks; choose another folder, or leave --level out"
        )
    if out is not None and out.resolve() != folder.resolve() and ResultsFolder(out).is_used():
        raise UsageError(f"--out {out}: it holds other results; name another folder")
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        if bot is not None:
            bot = find_version(trace_season(store.meta().generations), bot)
            depth = Depth(bot)  # it adds as the games are read, which is once
            summary = summarise(store, depth.add, level=level)
            if bot not in summary.bots:
                raise UsageError(f"there is no bot {bot!r}; the bots are {', '.join(summary.bots)}")
            print_depth(depth.tables(summary.standings, summary.season), console)
            return EXIT_OK
        summary = summarise(store, level=level) if out is None else publish(store, out, level)
    if form != "table":
        click.echo(_FORMATS[form](summary), nl=False)
        return EXIT_OK
    print_standings(summary, console, details=details)
    if matrix:
        print_matrix(summary.standings, console, summary.season)
    if los:
        print_likelihoods(summary.standings, console, summary.season)
    if resources:
        print_resources(summary, console)
    return EXIT_OK


def merge(folders: tuple[Path, ...], out: Path) -> int:
    """Merge the results in FOLDERS, parts of one tournament, into a new folder."""
    with ResultsFolder(out) as target:  # locked: nobody plays into it meanwhile
        merged = merge_parts(folders, target)
        for change in merged.runtime_changes:
            warn(change)
        with closing(Store.open_in(target, write=True)) as store:
            summary = publish(store, target.path)
    print_standings(summary, PipeConsole())
    several = f", {merged.duplicates} of them in several parts" if merged.duplicates else ""
    click.echo(f"{amount(merged.pairs, 'pair')}{several}", err=True)
    return EXIT_OK


def verify(folder: Path, file: Path | None) -> int:
    """Check the results in FOLDER: replay every game, recompute every hash, score and table."""
    results = ResultsFolder(folder)
    with closing(Store.open_in(results)) as store:
        changes: list[str] = []
        if file:
            tournament = load_tournament(file, untrusted=store.meta().untrusted)
            changes, runtime_changes = compare_with_file(tournament, results)
            for change in runtime_changes:
                warn(change)
        problems = [*changes, *verify_folder(store, results)]
        count, head = store.chain().records, store.head()
    for problem in problems[:_MOST_PROBLEMS]:
        click.echo(f"✗ {sanitize(problem)}")
    if len(problems) > _MOST_PROBLEMS:
        click.echo(f"✗ and {len(problems) - _MOST_PROBLEMS} more")
    if problems:
        return EXIT_FAILED
    # whoever keeps these characters elsewhere can tell later that the folder is the same
    click.echo(f"✓ {amount(count, 'game')} replayed; the hash chain ends with {head[:16]}")
    return EXIT_OK


def serve(folder: Path, port: int) -> int:
    """Serve the page of the results in FOLDER on this machine, as it changes."""
    results = ResultsFolder(folder)
    Store.open_in(results).close()  # results that cannot be read are refused here and now
    stop_as_by_interrupt()
    try:
        server = LiveServer(results, port)
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}; try another, or 0") from error
    with server:
        click.echo(
            f"http://127.0.0.1:{server.server_port}/ shows {results.path}; press Ctrl-C to stop"
        )
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
    return EXIT_OK


def rate(
    files: tuple[Path, ...],
    as_json: bool,
    matrix: bool,
    los: bool,
    details: bool,
    level: float,
    anchor: str | None,
    prior: float,
    bot: str | None,
    nash: bool,
) -> int:
    """Rate the games in FILES: results folders, CSV or JSON Lines."""
    if as_json:
        refuse_options(("matrix", "los", "details", "bot", "nash"), "--json prints no tables")
    fixed = None if anchor is None else _read_anchor(anchor)  # before anything is read
    gc.disable()  # a million rows make no cycles, and the collector would walk them all
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    joined = join_folders(files)
    for line in joined.warnings:
        warn(line)
    season = joined.season
    if bot is not None:
        bot = find_version(season, bot)
    if fixed is not None:
        fixed = find_version(season, fixed[0]), fixed[1]
    options = RatingOptions(fixed, prior)
    blocks = read_tables(files, joined.names, resources)
    table = refuse_lookalikes(blocks, "these files") if len(files) > 1 else blocks
    standings = tables(gather_blocks(None, table), resources, options, level=level)
    if standings.unanchored:
        raise UsageError(f"--anchor {anchor}: no such bot has a rating that could be fixed")
    if as_json:
        click.echo(tables_json(standings, season), nl=False)
        return EXIT_OK
    try:  # before anything is printed
        opponents = None if bot is None else list_opponents(standings, bot, season)
    except LookupError as error:
        raise UsageError(f"--bot {bot}: there is no such bot in the table") from error
    void = f", {standings.voids} void" if standings.voids else ""
    notes = table_notes(standings, details=details, season=season)
    notes.insert(0, amount(standings.games, "game") + void)
    print_tables(standings, "ratings", notes, PipeConsole(), season)
    if opponents is not None:
        print_depth([opponents], PipeConsole())
    more = ((print_matrix, matrix), (print_likelihoods, los), (print_nash, nash))
    for print_more in (function for function, is_asked in more if is_asked):
        print_more(standings, PipeConsole(), season)
    return EXIT_OK


def _read_anchor(text: str) -> tuple[str, float]:
    bot, _, rating = text.rpartition("=")  # the last one: a name of somebody else's may have some
    try:
        elo = float(rating)
    except ValueError:
        elo = math.nan
    if not bot or not abs(elo) <= MOST_ELO:  # so written, it is also true of "nan"
        raise UsageError(
            f"--anchor {text}: expected BOT=ELO, such as greedy=1000, within ±{MOST_ELO:g}"
        )
    return bot, elo
