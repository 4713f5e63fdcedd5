"""``pwtourney duel``: tell whether a new version is better."""

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from pwtourney.cli.playing import play_tournament
from pwtourney.cli.seating import fail_fast_option, sandbox_option
from pwtourney.cli.suspects import STOPPED
from pwtourney.config import BotConfig, bot_entry, unwritten_file
from pwtourney.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_UNDECIDED
from pwtourney.ratings.pairs import Sprt, pair_statistics
from pwtourney.report import Summary
from pwtourney.sanitize import sanitize
from pwtourney.schedule import replay
from pwtourney.schedule.sprt import SprtFormat, Trial, elo_text
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import Plan, count_slots, find_bot
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
@click.option("--edition", default="original", show_default=True, help="A name or a .toml file.")
@click.option("--move", default="1s", show_default=True, help="Time for each move.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Determines every deal.")
@sandbox_option
@click.option("--results", type=click.Path(path_type=Path), help="Keep results in this folder.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Games at a time.")
@click.option("--fresh", is_flag=True, help="Start again; old results are moved to another folder.")
@fail_fast_option(default=True)
@click.option("--quiet", is_flag=True, help="Show no progress, only the answer.")
def command(
    new: str,
    old: str,
    results: Path | None,
    workers: int | None,
    fresh: bool,
    fail_fast: bool,
    quiet: bool,
    **options: Any,
) -> int:
    """Find out whether NEW is better than OLD, by a sequential test on mirrored pairs.

    NEW and OLD are each the name of an installed bot, a Python file, or a command in quotes. Pairs
    are played until the test decides. Results are kept, and the same command continues. The exit
    code is 0 if NEW is better, 1 if it is not, and 4 if inconclusive.
    """
    stop_as_by_interrupt()
    bots = _told_apart(bot_entry(new), bot_entry(old))
    for bot in bots:
        find_bot(bot, Path.cwd())
    tournament = unwritten_file(_description(bots, options))
    name = f"duel-{bots[0].name}-{bots[1].name}"
    folder = ResultsFolder(results or Path("results") / name)
    found = count_slots(tournament, workers)
    run = RunOptions(found, fresh=fresh, fail_fast=fail_fast)
    played = play_tournament(tournament, folder, run, quiet=quiet)
    if played.ending == "suspect":
        click.echo(f"{STOPPED}; the same command continues", err=True)
        return EXIT_FAILED
    trial = _trial(folder, played.plan)
    for line in _answer(trial, Sprt(**played.plan.schedule["sprt"]), played.summary):
        click.echo(sanitize(line))
    if trial.decision is None:
        click.echo("interrupted; the same command continues", err=True)
    return _CODES[trial.decision]


def _told_apart(new: BotConfig, old: BotConfig) -> tuple[BotConfig, BotConfig]:
    """Give two bots of one name a name each."""
    if new.name != old.name:
        return new, old
    stem = new.name[:28]
    return new.model_copy(update={"id": f"{stem}-new"}), old.model_copy(
        update={"id": f"{stem}-old"}
    )


def _description(bots: tuple[BotConfig, ...], options: dict[str, Any]) -> dict[str, Any]:
    """Return what a tournament file would say."""
    test = {key: options[key] for key in ("elo0", "elo1", "alpha", "beta", "bounds")}
    found = {
        "name": f"duel of {bots[0].name} and {bots[1].name}",
        "format": "sprt",
        "sprt": test,
        "edition": options["edition"],
        "clock": {"move": options["move"]},
        "sandbox": options["sandbox"],
        "bots": list(bots),
    }
    return found if options["seed"] is None else {**found, "seed": options["seed"]}


def _trial(folder: ResultsFolder, plan: Plan) -> Trial:
    """Return how the test stands."""
    with closing(Store.open(folder.database)) as store:
        history = replay(plan.scheduler(), store.outcomes()).history
    (trial,) = SprtFormat(plan.bots, Sprt(**plan.schedule["sprt"])).trials(history)
    return trial


def _sentence(trial: Trial, test: Sprt, new: str) -> str:
    """Answer in words: what was accepted is a hypothesis, and not always that one is better."""
    old, kind = trial.opponent, "nElo" if test.normalised else "Elo"
    if trial.decision == "H1":
        if test.elo0 < 0:
            return f"{new} is not worse than {old} by {-test.elo0:g} {kind}."
        by = f" by more than {test.elo0:g} {kind}" if test.elo0 else ""
        return f"{new} is better than {old}{by}."
    if trial.decision == "H0":
        if test.elo1 > 0:
            return f"{new} is not better than {old} by {test.elo1:g} {kind}."
        by = f" by more than {-test.elo1:g} {kind}" if test.elo1 else ""
        return f"{new} is worse than {old}{by}."
    if trial.decision == "inconclusive":
        pairs = sum(trial.pairs) + trial.voids
        return f"Inconclusive: {pairs} pairs ({trial.voids} void) could not tell {new} from {old}."
    return "The test continues."


def _answer(trial: Trial, test: Sprt, summary: Summary) -> list[str]:
    """Return the answer in words, and the numbers it rests on."""
    new = next(bot for bot in summary.bots if bot != trial.opponent)
    kind = "nElo" if test.normalised else "Elo"
    sentence = _sentence(trial, test, new)
    lines = [sentence]
    pairs = sum(trial.pairs)
    if pairs:
        found = pair_statistics(trial.pairs)
        nelo = (
            "" if found.nelo is None else f", nElo {found.nelo:+.0f} ± {found.nelo_plus_minus:.0f}"
        )
        los = "" if found.los is None else f", likelihood of superiority {100 * found.los:.1f} %"
        lines.append(f"Elo {elo_text(found.elo, found.elo_low, found.elo_high)}{nelo}{los}")
    counts = " – ".join(map(str, trial.pairs))
    lines.append(f"Pairs with 0, ½, 1, 1½ and 2 points: {counts}")
    lines.append(
        f"LLR {trial.llr:.2f} [{test.lower:.2f}, {test.upper:.2f}] for H0: {test.elo0:g} {kind}"
        f" against H1: {test.elo1:g} {kind} (α {test.alpha:g}, β {test.beta:g})"
    )
    faults = {
        line.bot: sum(line.resources.faults.values())
        for pool in summary.standings.pools
        for line in pool.lines
    }
    if any(faults.values()):
        told = ", ".join(f"{bot} {count}" for bot, count in faults.items() if count)
        lines.append(f"Games lost by a fault: {told}")
    lines.append(f"Game hash {summary.game_hash}, seed {summary.seed}")
    return lines
