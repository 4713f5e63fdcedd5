"""``pwtourney rate``: rate any table of games."""

import gc
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole, refuse_options, warn
from pwtourney.errors import EXIT_OK, UsageError
from pwtourney.ratings.game_columns import gather_blocks
from pwtourney.report.collectors import list_opponents
from pwtourney.report.figures import amount
from pwtourney.report.season_description import find_version
from pwtourney.report.text.machine import tables_json
from pwtourney.report.text.rows import (
    table_notes,
)
from pwtourney.report.text.terminal import (
    print_format_table,
    print_likelihoods,
    print_matrix,
    print_nash,
    print_tables,
)
from pwtourney.standings import MOST_ELO, Anchor, RatingOptions, Resources, Standings
from pwtourney.standings.rate import tables
from pwtourney.tables.game_table import read_tables, refuse_lookalikes
from pwtourney.tables.namesakes import JoinedFolders, join_folders

__all__ = ["rate"]


def rate(
    files: tuple[Path, ...],
    as_json: bool,
    matrix: bool,
    los: bool,
    details: bool,
    all_tables: bool,
    level: float,
    anchor: tuple[str, ...],
    prior: float,
    bot: str | None,
    nash: bool,
) -> int:
    """Rate the games in FILES: results folders, CSV or JSON Lines."""
    if as_json:
        names = ("matrix", "los", "details", "all_tables", "bot", "nash")
        refuse_options(names, "--json prints no tables")
    anchors = _read_anchors(anchor, prior)  # before anything is read
    gc.disable()  # a million rows make no cycles, and the collector would scan them all
    joined = join_folders(files)
    for line in joined.warnings:
        warn(line)
    season = joined.season
    if bot is not None:
        bot = find_version(season, bot)
    current = [given._replace(bot=find_version(season, given.bot)) for given in anchors]
    standings = _rate_files(files, joined, RatingOptions(tuple(current), prior), level)
    for text, given in zip(anchor, current, strict=True):
        if given.bot == standings.unanchored:
            raise UsageError(f"--anchor {text}: no such bot has a rating that could be fixed")
    if as_json:
        click.echo(tables_json(standings, season), nl=False)
        return EXIT_OK
    try:  # before anything is printed
        opponents = None if bot is None else list_opponents(standings, bot, season)
    except LookupError as error:
        raise UsageError(f"--bot {bot}: there is no such bot in the table") from error
    if not all_tables:
        standings = standings.hide_small_pools()
    void = f", {standings.voids} void" if standings.voids else ""
    notes = table_notes(standings, details=details, season=season)
    notes.insert(0, amount(standings.games, "game") + void)
    print_tables(standings, "ratings", notes, PipeConsole(), season)
    if opponents is not None:
        print_format_table(opponents, PipeConsole())
    more = ((print_matrix, matrix), (print_likelihoods, los), (print_nash, nash))
    for print_more in (function for function, is_asked in more if is_asked):
        print_more(standings, PipeConsole(), season)
    return EXIT_OK


def _rate_files(
    files: Sequence[Path],
    joined: JoinedFolders,
    options: RatingOptions,
    level: float,
) -> Standings:
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    blocks = read_tables(files, joined.names, resources)
    table = refuse_lookalikes(blocks, "these files") if len(files) > 1 else blocks
    columns = gather_blocks(None, table)
    return tables(columns, resources, options, level=level, hides=joined.season.hides)


def _read_anchors(texts: Sequence[str], prior: float) -> list[Anchor]:
    """Return the anchors that options name; raises `UsageError`, also if the prior forbids them."""
    anchors = [_read_anchor(text) for text in texts]
    for key, what in RatingOptions(tuple(anchors), prior).problems():
        raise UsageError(f"--{key}: {what}")
    return anchors


def _read_anchor(text: str) -> Anchor:
    bot, _, rating = text.rpartition("=")  # the last one: a name from elsewhere may contain some
    elo, *error = rating.split("~", 1)
    try:
        anchor = Anchor(bot, float(elo), *map(float, error))
    except ValueError:
        anchor = Anchor("", math.nan)
    if not bot or any(RatingOptions((anchor,)).problems()):
        raise UsageError(
            f"--anchor {text}: expected BOT=ELO, such as greedy=1000, within ±{MOST_ELO:g}, or"
            " BOT=ELO~ERROR"
        )
    return anchor
