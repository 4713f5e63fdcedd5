"""``pwtourney duel``: a test whether a new version is better."""

from pathlib import Path
from typing import Any

import click

from pwtourney.cli.common import (
    edition_option,
    fail_fast_option,
    fresh_option,
    results_option,
    sandbox_option,
    trusted_option,
    workers_option,
)
from pwtourney.cli.playing import STOPPED, play_tournament
from pwtourney.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_UNDECIDED
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder
from pwtourney.tournament import count_slots
from pwtourney.tournament.duel import answer_duel, describe_duel, read_trial
from pwtourney.tournament.session import RunOptions, stop_as_by_interrupt

__all__ = ["command"]

_CODES = {"H1": EXIT_OK, "H0": EXIT_FAILED, "inconclusive": EXIT_UNDECIDED, None: EXIT_INTERRUPTED}


@click.command("duel")
@click.argument("new")
@click.argument("old")
@click.option("--elo0", type=float, default=0.0, show_default=True, help="Elo difference under H0.")
@click.option(
    "--elo1", type=float, default=20.0, show_default=True, help="Elo difference under H1."
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    help="Type I error rate: accepting NEW although it is not better.",
)
@click.option(
    "--beta",
    type=float,
    default=0.05,
    show_default=True,
    help="Type II error rate: rejecting NEW although it is better.",
)
@click.option(
    "--bounds",
    type=click.Choice(["normalised", "logistic"]),
    default="normalised",
    show_default=True,
    help="The unit of elo0 and elo1.",
)
@edition_option
@click.option("--move", default="1s", show_default=True, help="Time for each move.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Determines every deal.")
@sandbox_option
@trusted_option
@results_option
@workers_option
@fresh_option
@fail_fast_option(default=True)  # "worse" would be the wrong answer about a bot without a program
@click.option("--quiet", is_flag=True, help="Show no progress, only the answer.")
def command(
    new: str,
    old: str,
    edition: str,
    move: str,
    seed: int | None,
    sandbox: str,
    trusted: bool,
    results: Path | None,
    workers: int | None,
    fresh: bool,
    fail_fast: bool,
    quiet: bool,
    **test: Any,
) -> int:
    """Find out whether NEW is better than OLD, by a sequential test on mirrored pairs.

    NEW and OLD are each the name of an installed bot, a Python file, or a command in quotes. Pairs
    are played until the test decides. Results are kept, and the same command continues. The exit
    code is 0 if NEW is better, 1 if it is not, and 4 if inconclusive.
    """
    stop_as_by_interrupt()
    settings: dict[str, Any] = {
        "sprt": test,
        "edition": edition,
        "clock": {"move": move},
        "sandbox": sandbox,
    }
    if seed is not None:
        settings["seed"] = seed
    tournament = describe_duel(new, old, settings, trusted=trusted)
    # the folder is named by the bots, so that the same command finds what it played before
    one, two = (bot.name for bot in tournament.config.bots)
    folder = ResultsFolder(results or Path("results") / f"duel-{one}-{two}")
    run = RunOptions(count_slots(tournament, workers), fresh=fresh, fail_fast=fail_fast)
    played = play_tournament(tournament, folder, run, quiet=quiet)
    if played.ending == "suspect":
        click.echo(f"{STOPPED}; the same command continues", err=True)
        return EXIT_FAILED
    trial = read_trial(folder, played.plan)
    for line in answer_duel(trial, played.plan, played.summary):
        click.echo(sanitize(line))
    if trial.decision is None:
        click.echo("interrupted; the same command continues", err=True)
    return _CODES[trial.decision]
