"""Results as a whole: ``pwtourney report``, ``games``, ``merge``, ``verify``."""

from contextlib import closing
from pathlib import Path

import click
from rich.text import Text

from pwtourney.cli.common import PipeConsole, refuse_options, warn
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError, did_you_mean
from pwtourney.notation.game import Verdict
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report import publish, summarise, summarise_with_statistics
from pwtourney.report.collectors import Depth
from pwtourney.report.figures import amount, percent
from pwtourney.report.page.replays import USUAL, Replays
from pwtourney.report.publishing import markdown
from pwtourney.report.season_description import find_version
from pwtourney.report.text.fault_lines import describe_faults
from pwtourney.report.text.game_rows import (
    FAULT,
    Wish,
    games_csv,
    list_wanted,
    tabulate_games,
)
from pwtourney.report.text.machine import standings_csv, standings_json
from pwtourney.report.text.statistic_rows import tabulate_statistics
from pwtourney.report.text.terminal import (
    print_format_table,
    print_likelihoods,
    print_matrix,
    print_resources,
    print_standings,
)
from pwtourney.sanitize import sanitize
from pwtourney.schedule.bot_names import base_name
from pwtourney.store import Meta, ResultsFolder, Store
from pwtourney.tournament import load_tournament, verify_folder
from pwtourney.tournament import merge as merge_parts
from pwtourney.tournament.verify import compare_with_file

__all__ = ["list_games", "merge", "report", "verify"]

_MOST_GAMES = 20
"""The number of games that are listed unless another is given."""

_FORMATS = {"markdown": markdown, "json": standings_json, "csv": standings_csv}

_MOST_PROBLEMS = 50


def report(
    folder: Path,
    form: str,
    resources: bool,
    matrix: bool,
    los: bool,
    details: bool,
    all_tables: bool,
    level: float,
    bot: str | None,
    out: Path | None,
    replays: Replays | None,
) -> int:
    """Print the standings of the results in FOLDER again, from what is stored there."""
    console = PipeConsole()
    _refuse_combinations(form, bot)
    if out is not None:
        _check_out(out, folder, level, replays)
    elif replays is not None:
        raise UsageError("--replays: it is about a page; name a folder for it with --out")
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        if bot is not None:
            _print_bot(store, folder, bot, level, console)
            return EXIT_OK
        if out is not None:
            summary = publish(store, out, level, replays or USUAL)
        elif form == "json":
            summary = summarise_with_statistics(store, level=level)
        else:
            summary = summarise(store, level=level)
    if form != "table":
        text = markdown(summary, all_tables=True) if all_tables else _FORMATS[form](summary)
        click.echo(text, nl=False)
        return EXIT_OK
    print_standings(summary, console, details=details, all_tables=all_tables)
    shown = summary.standings if all_tables else summary.standings.hide_small_pools()
    if matrix:
        print_matrix(shown, console, summary.season)
    if los:
        print_likelihoods(shown, console, summary.season)
    if resources:
        print_resources(summary, console)
    return EXIT_OK


def _refuse_combinations(form: str, bot: str | None) -> None:
    """Raise `UsageError` for options of a report that do not go with its format or its bot."""
    if bot is not None:
        names = ("form", "matrix", "los", "resources", "details", "all_tables", "out", "replays")
        refuse_options(names, "--bot prints other tables")
    elif form != "table":
        refuse_options(
            ("matrix", "los", "resources", "details"), f"--format {form} prints no tables"
        )
    if form in ("json", "csv"):
        refuse_options(("all_tables",), f"--format {form} has all of them")


def _print_bot(store: Store, folder: Path, name: str, level: float, console: PipeConsole) -> None:
    """Print the tables of one bot, and its last faults.

    Raises `UsageError` if no bot has this name.
    """
    meta = store.meta()
    bot = _find_named(meta, name)
    depth = Depth(bot)  # a listener, because the games are read only once
    summary = summarise_with_statistics(store, depth.add, level=level)
    for ban in summary.season.bans:
        if ban.bot == base_name(bot):
            raise UsageError(f"{bot} is banned since {ban.since[:10]}: {ban.reason}")
    if bot not in summary.bots:
        raise UsageError(f"there is no bot {bot!r}; the bots are {', '.join(summary.bots)}")
    tables = depth.tables(summary.standings, summary.season)
    for table in (*tables, *tabulate_statistics(summary.statistics, bot)):
        if table.rows:
            print_format_table(table, console)
    lines = list(map(sanitize, describe_faults(depth.faults, folder, meta.names)))
    if lines:
        console.print(Text("Faults, the last first", style="italic"))
        console.print(Text("\n".join(lines)), soft_wrap=True)


def _check_out(out: Path, folder: Path, level: float, replays: Replays | None) -> None:
    """Raise `UsageError` if the reports of a results folder cannot be written into `out`."""
    if out.resolve() != folder.resolve():
        if ResultsFolder(out).is_used():
            raise UsageError(f"--out {out}: it holds other results; name another folder")
    elif level != LEVEL:
        raise UsageError(
            f"--out {out}: the reports among the results are at {percent(LEVEL)} %, which `verify`"
            " checks; choose another folder, or leave --level out"
        )
    elif replays is not None:
        raise UsageError(
            f"--out {out}: `verify` checks that the page among the results has the usual games;"
            " choose another folder, or leave --replays out"
        )


def list_games(
    folder: Path,
    most: int | None,
    everything: bool,
    form: str,
    bot: str | None,
    opponent: str | None,
    verdict: str | None,
    min_margin: int | None,
    max_margin: int | None,
) -> int:
    """List the games in FOLDER that fit, the newest first."""
    if everything:
        refuse_options(("most",), "--all lists every game")
    if opponent is not None and bot is None:
        raise UsageError("--opponent goes with --bot, which it is the opponent of")
    if None not in (min_margin, max_margin) and int(min_margin or 0) > int(max_margin or 0):
        raise UsageError("--min-margin is above --max-margin, so no game fits")
    _check_verdict(verdict)
    usual = _MOST_GAMES if form == "table" else None  # a program reads all of them
    limit = None if everything else most or usual
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        bots = tuple(
            _find_player(store.meta(), name) for name in (bot, opponent) if name is not None
        )
        wish = Wish(bots, verdict, min_margin, max_margin)
        games = list_wanted(store.newest_records(), wish, limit)
        numbers, meta = store.numbers(), store.meta()
    if form == "csv":
        counted = [game for game in games if not meta.present.find_reason(game)]
        click.echo(games_csv(counted, numbers, meta.schedule.format), nl=False)
        return EXIT_OK
    more = "" if len(games) != limit else "; --all lists every one"
    shown = f"{amount(len(games), 'game')}, the newest first{more}"
    print_format_table(tabulate_games(games, numbers, shown), PipeConsole())
    return EXIT_OK


def _check_verdict(verdict: str | None) -> None:
    known = (FAULT, *map(str, Verdict))
    if verdict is not None and verdict not in known:
        hint = did_you_mean(verdict, known)
        raise UsageError(
            f"--verdict: {verdict!r} is not a verdict{hint}; choose one of {', '.join(known)}"
        )


def _find_named(meta: Meta, name: str) -> str:
    """Return the id of the bot that a user means, also by a name that it does not have any more."""
    season = meta.trace_season()
    known = {*season.members, *map(base_name, season.members)}
    return find_version(season, name if name in known else season.former.get(name, name))


def _find_player(meta: Meta, name: str) -> str:
    """Return the id of the bot, or of the Automa, that a user means.

    Raises `UsageError` if nobody is called so.
    """
    bot = _find_named(meta, name)
    if bot not in meta.everyone:
        hint = did_you_mean(bot, meta.everyone)
        raise UsageError(f"there is no bot {bot!r}{hint}; the bots are {', '.join(meta.everyone)}")
    return bot


def merge(folders: tuple[Path, ...], out: Path) -> int:
    """Merge the results in FOLDERS, parts of one tournament, into a new folder."""
    with ResultsFolder(out) as target:  # locked, so that no run writes into it meanwhile
        merged = merge_parts(folders, target)
        for change in merged.runtime_changes:
            warn(change)
        with closing(Store.open_in(target, write=True)) as store:
            summary = publish(store, target.path)
    print_standings(summary, PipeConsole())
    several = f", {merged.duplicates} of them in several parts" if merged.duplicates else ""
    click.echo(f"{amount(merged.pairs, 'pair')}{several}", err=True)
    if problem := summary.conditions.explain_no_result():
        click.echo(f"{problem}; games.jsonl says why", err=True)
        return EXIT_FAILED
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
    # a user who keeps these characters elsewhere can verify later that the folder is unchanged
    click.echo(f"✓ {amount(count, 'game')} replayed; the hash chain ends with {head[:16]}")
    return EXIT_OK
