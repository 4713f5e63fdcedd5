"""What `run --dry-run` says: everything that is known before anything is started."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import click

from pwtourney.config import TournamentFile
from pwtourney.errors import EXIT_OK, EXIT_STORE
from pwtourney.report import Summary, summarise
from pwtourney.report.text import gap_notes, span
from pwtourney.sanitize import sanitize
from pwtourney.schedule.pairing import Shard
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import (
    choose_seed,
    estimate,
    explain_refusal,
    find_builds,
    fit_into_league,
    make_plan,
    split,
)
from pwtourney.tournament.plan import Plan
from pwtourney.tournament.session import list_private_paths

__all__ = ["dry_run"]

_SHOWN = 6
_MIB = 1 << 20


def dry_run(
    tournament: TournamentFile,
    folder: ResultsFolder,
    slots: int,
    *,
    fresh: bool = False,
    extend: bool = False,
    shard: Shard | None = None,
) -> int:
    """Print who plays, the schedule, and what it will take; nothing is started or written.

    Returns the exit code: that of the run, if it would be refused.
    """
    tournament = find_builds(tournament, list_private_paths(tournament, folder))
    plan = make_plan(tournament, choose_seed(folder))
    if fresh and folder.database.exists():
        click.echo("the old results are moved to another folder")
    there = folder.database.exists() and not fresh
    if there:
        plan = fit_into_league(plan, folder, extend=extend)
    if shard:
        plan = split(plan, shard, seed_given=tournament.config.seed is not None)
    for line in _lines(plan, folder if there else None, slots):
        click.echo(sanitize(line))
    if not there:
        return EXIT_OK
    with closing(Store.open(folder.database)) as store:
        refused = list(explain_refusal(folder, store.meta(), plan, extend=extend))
    for line in refused:
        click.echo(sanitize(line))
    return EXIT_STORE if refused else EXIT_OK


def _lines(plan: Plan, folder: ResultsFolder | None, slots: int) -> Iterator[str]:
    yield f"{plan.name}: {plan.schedule['format']}, edition {plan.edition.name}"
    for entrant in plan.entrants:
        spec = entrant.spec
        yield f"  {spec.id}: {entrant.identity}, clock {spec.control}"
    yield from _schedule(plan)
    summary = _stored(folder) if folder else None
    played = summary.stored if summary else 0
    found = estimate(plan, slots, played)
    if plan.shard:
        yield f"part {plan.shard}: {plan.share} of {plan.pairs} pairs"
    most = "at most " if plan.scheduler().needs_results else ""
    yield f"to play: {most}{found.pairs} pairs, {2 * found.pairs} games, {slots} at a time"
    yield f"duration: at most {span(found.seconds)}, if every bot used all of its time"
    if plan.budget is not None:
        yield f"a run ends after {span(plan.budget)}"
    yield f"disk: about {found.bytes / _MIB:.1f} MiB"
    if found.plus_minus is not None and not played:
        yield f"intervals: about ± {found.plus_minus:.0f} Elo at 95 % for bots of even strength"
    if summary and folder:
        yield f"stored in {folder.path}: {played} pairs"
        yield from _plans(summary, slots)


def _schedule(plan: Plan) -> Iterator[str]:
    """Show how the schedule begins, as far as it follows from nothing that is yet to be played."""
    scheduler = plan.scheduler()
    first = list(islice(iter(scheduler.next, None), _SHOWN))
    shown = ", ".join(f"{each.first}–{each.second}" for each in first)
    yield (
        f"schedule: {shown}{', …' if len(first) == _SHOWN else ''}" if first else "schedule: empty"
    )


def _stored(folder: ResultsFolder) -> Summary:
    with closing(Store.open(folder.database)) as store:
        return summarise(store)


def _plans(summary: Summary, slots: int) -> Iterator[str]:
    for pool in summary.standings.pools:
        yield from gap_notes(pool, slots)
