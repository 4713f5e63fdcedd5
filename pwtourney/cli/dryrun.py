"""What `run --dry-run` says: everything that is known before anything is started."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice

import click

from pwtourney.config import TournamentFile
from pwtourney.inert import inert
from pwtourney.report import Summary, summarise
from pwtourney.report.cells import gap_notes, span
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import (
    current_facts,
    differences,
    estimate,
    in_league,
    is_extension,
    make_plan,
    tournament_seed,
)
from pwtourney.tournament.plan import Plan

__all__ = ["dry_run"]

_SHOWN = 6
_MIB = 1 << 20


def dry_run(
    tournament: TournamentFile, folder: ResultsFolder, slots: int, *, extend: bool = False
) -> None:
    """Print who plays, the schedule, and what it will take; nothing is started or written."""
    plan = make_plan(tournament, tournament_seed(folder))
    plan = in_league(plan, folder, extend=extend)
    for line in _lines(plan, folder, slots, extend=extend):
        click.echo(inert(line))


def _lines(plan: Plan, folder: ResultsFolder, slots: int, *, extend: bool) -> Iterator[str]:
    yield f"{plan.name}: {plan.schedule['format']}, edition {plan.edition.name}"
    for entrant in plan.entrants:
        spec = entrant.spec
        yield f"  {spec.id}: {entrant.identity}, clock {spec.control}"
    yield from _schedule(plan)
    summary = _stored(folder)
    played = summary.stored if summary else 0
    found = estimate(plan, slots, played)
    most = "at most " if plan.timetable().needs_results else ""
    yield f"to play: {most}{found.pairs} pairs, {2 * found.pairs} games, {slots} at a time"
    yield f"duration: at most {span(found.seconds)}, if every bot used all of its time"
    if plan.budget is not None:
        yield f"a run ends after {span(plan.budget)}"
    yield f"disk: about {found.bytes / _MIB:.1f} MiB"
    if found.plus_minus is not None and not played:
        yield f"intervals: about ± {found.plus_minus:.0f} Elo at 95 % for bots of even strength"
    if summary:
        yield f"stored in {folder.path}: {played} pairs"
        yield from _differences(plan, folder, extend=extend)
        yield from _plans(summary, slots)


def _schedule(plan: Plan) -> Iterator[str]:
    """Show how the schedule begins, as far as it follows from nothing that is yet to be played."""
    timetable = plan.timetable()
    first = list(islice(iter(timetable.next, None), _SHOWN))
    shown = ", ".join(f"{each.first}–{each.second}" for each in first)
    yield f"schedule: {shown}{', …' if plan.pairs > len(first) else ''}"


def _stored(folder: ResultsFolder) -> Summary | None:
    if not folder.database.exists():
        return None
    with closing(Store.open(folder.database)) as store:
        return summarise(store)


def _differences(plan: Plan, folder: ResultsFolder, *, extend: bool) -> Iterator[str]:
    with closing(Store.open(folder.database)) as store:
        meta = store.meta()
    facts = current_facts(meta)
    if extend and is_extension(meta, plan):
        yield "the league is extended: other bots play on"
        return
    for each in differences(facts, plan.facts()):
        yield f"it is another tournament: {each}"


def _plans(summary: Summary, slots: int) -> Iterator[str]:
    for pool in summary.standings.pools:
        yield from gap_notes(pool, slots)
