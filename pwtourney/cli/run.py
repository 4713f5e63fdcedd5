"""``pwtourney run``: a tournament from its file to its standings."""

import json
import os
import shlex
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.dryrun import dry_run
from pwtourney.cli.playing import play_tournament
from pwtourney.cli.seating import fail_fast_option
from pwtourney.cli.spans import milliseconds
from pwtourney.cli.suspects import STOPPED
from pwtourney.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError
from pwtourney.report import Summary
from pwtourney.report.machine import standings_json
from pwtourney.report.terminal import print_standings
from pwtourney.report.text import step_summary
from pwtourney.schedule.pairing import Shard
from pwtourney.tournament import Plan, as_untrusted, count_slots, load_tournament
from pwtourney.tournament.session import Ending, RunOptions, choose_folder, stop_as_by_interrupt

__all__ = ["command"]


def _shard(_: click.Context, __: click.Parameter, value: str | None) -> Shard | None:
    try:
        return None if value is None else Shard.parse(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--results", type=click.Path(path_type=Path), help="Keep results in this folder.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Games at a time.")
@click.option("--fresh", is_flag=True, help="Start again; old results are moved to another folder.")
@click.option(
    "--extend", is_flag=True, help="Continue with other bots; games of old versions stay."
)
@click.option("--shard", metavar="K/N", callback=_shard, help="Play only part K of N.")
@click.option("--untrusted", is_flag=True, help="Trust no bot, whatever the file says.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a config value (repeatable).",
)
@fail_fast_option(default=False)
@click.option("--quiet", is_flag=True, help="Show no progress, only the standings.")
@click.option(
    "--dry-run", "dry", is_flag=True, help="Show the schedule and estimates without playing."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON event per line instead of tables."
)
@click.option(
    "--grace",
    default="10s",
    show_default=True,
    callback=milliseconds,
    help="When you stop the run, wait this long for running games.",
)
def command(
    file: Path,
    results: Path | None,
    workers: int | None,
    fresh: bool,
    extend: bool,
    shard: Shard | None,
    untrusted: bool,
    fail_fast: bool,
    quiet: bool,
    dry: bool,
    as_json: bool,
    grace: int,
    settings: tuple[str, ...],
) -> int:
    """Play the tournament that FILE describes, and print its standings.

    Every pair is stored when it ends. If the run is interrupted, the same command continues it;
    if it is complete, the command prints the standings again.
    """
    stop_as_by_interrupt()
    tournament = load_tournament(file, settings)
    if untrusted:
        tournament = as_untrusted(tournament)
    folder = choose_folder(tournament, results, shard)
    if fresh and extend:
        raise UsageError("--fresh starts again, --extend continues: give only one of them")
    if shard and extend:
        raise UsageError("--extend does not go with --shard: a league cannot be split into parts")
    count = count_slots(tournament, workers)
    if dry:
        return dry_run(tournament, folder, count, fresh=fresh, extend=extend, shard=shard)
    options = RunOptions(count, fresh, extend, shard, fail_fast)
    summary, plan, ending = play_tournament(
        tournament, folder, options, quiet=quiet, json=as_json, grace=grace / 1000
    )
    _print_summary(summary, ending, as_json=as_json)
    _append_step_summary(summary)
    if ending != "over":
        words = [word for setting in settings for word in ("--set", setting)]
        words += ["--shard", str(shard)] if shard else []
        words += ["--workers", str(workers)] if workers else []
        words += ["--untrusted"] if untrusted else []
        words += ["--fail-fast"] if fail_fast else []
        again = shlex.join(["pwtourney", "run", str(file), "--results", str(folder.path), *words])
        click.echo(f"{_reason(ending, plan)}; to continue: {again}", err=True)
    return _exit_code(summary, ending)


def _print_summary(summary: Summary, ending: Ending, *, as_json: bool) -> None:
    """Print what is stored now, unless the run was stopped before that says anything."""
    if as_json:
        click.echo(json.dumps({"event": "standings", **json.loads(standings_json(summary))}))
    elif ending in ("over", "budget") or (ending == "interrupted" and summary.standings.games):
        print_standings(summary, PipeConsole())


def _reason(ending: Ending, plan: Plan) -> str:
    """Return why a run ended before its tournament was over."""
    if ending == "budget":
        return f"the budget of {plan.budget:g} s is used up"
    return STOPPED if ending == "suspect" else "interrupted"


def _exit_code(summary: Summary, ending: Ending) -> int:
    if ending in ("over", "budget"):
        return EXIT_OK if all(gate.passed for gate in summary.gates) else EXIT_FAILED
    return EXIT_FAILED if ending == "suspect" else EXIT_INTERRUPTED


def _append_step_summary(summary: Summary) -> None:
    """Show the report on the page of a GitHub job, if this is one."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8", newline="\n") as file:
            file.write(step_summary(summary))
    except OSError as error:
        click.echo(f"warning: {place}: cannot write the summary: {error.strerror}", err=True)
