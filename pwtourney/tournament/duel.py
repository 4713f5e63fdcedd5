"""Test whether a new version of a bot is better than the old one: the tournament and its answer."""

from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pwtourney.config import TournamentFile, bot_entry, unwritten_file
from pwtourney.ratings.pairs import SHARES, PairCounts, Sprt, pair_statistics
from pwtourney.report import Summary
from pwtourney.schedule import replay
from pwtourney.schedule.formats.sprt import UNCORRECTED, SprtFormat, SprtSettings, Trial, elo_text
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.entrants import find_bot
from pwtourney.tournament.plan import Plan

__all__ = [
    "answer_duel",
    "conclude_trial",
    "describe_duel",
    "describe_test",
    "explain_twins",
    "read_trial",
]

_LONGEST_STEM = 28
"""An id has at most 32 characters, and the suffix `-new` takes four."""


def describe_duel(
    new: str, old: str, settings: Mapping[str, Any], *, trusted: bool = False
) -> TournamentFile:
    """Return the tournament file of a duel; `settings` are other keys of the file, by name.

    If `trusted`, both bots run with all rights of the caller. Raises `UsageError` or
    `BotNotFoundError` if a text does not name a bot.
    """
    bots = [bot_entry(new), bot_entry(old)]
    if bots[0].name == bots[1].name:
        stem = bots[0].name[:_LONGEST_STEM]
        bots = [
            bot.model_copy(update={"id": f"{stem}-{word}"})
            for bot, word in zip(bots, ("new", "old"), strict=True)
        ]
    if trusted:
        bots = [bot.model_copy(update={"trusted": True}) for bot in bots]
    for bot in bots:  # so that an error names the bot, not a file that does not exist
        find_bot(bot, Path.cwd())
    name = f"duel of {bots[0].name} and {bots[1].name}"
    return unwritten_file({"name": name, "format": "sprt", "bots": bots, **settings})


def explain_twins(plan: Plan) -> str | None:
    """Return a message if a sequential test would compare a bot with itself; None otherwise."""
    new, *others = plan.entrants
    if not plan.schedule.spec.is_test or any(new.facts() != other.facts() for other in others):
        return None
    names = " and ".join(plan.bots)
    return (
        f"{names} are the same program with the same options, so neither is better than the other"
    )


def read_trial(folder: ResultsFolder, plan: Plan) -> Trial:
    """Return the current state of the test."""
    with closing(Store.open_in(folder)) as store:
        history = replay(plan.scheduler(), store.outcomes()).history
    (trial,) = SprtFormat(plan.bots, SprtSettings.of(plan.schedule).sprt).trials(history)
    return trial


def answer_duel(trial: Trial, plan: Plan, summary: Summary) -> list[str]:
    """Return the lines to print: the answer or why there is none, faults, game hash and seed."""
    no_result = summary.conditions.explain_no_result()
    disqualified = summary.conditions.disqualified
    lines = [f"{no_result}."] if no_result else describe_test(trial, plan, disqualified)
    faults = {
        row.bot: sum(row.resources.faults.values())
        for pool in summary.standings.pools
        for row in pool.rows
    }
    if any(faults.values()):
        failed = ", ".join(f"{bot} {count}" for bot, count in faults.items() if count)
        lines.append(f"Games lost by a fault: {failed}")
    return [*lines, f"Game hash {summary.game_hash}, seed {summary.seed}"]


def describe_test(trial: Trial, plan: Plan, disqualified: Collection[str] = ()) -> list[str]:
    """Return the result of the test in words and in numbers; some bots may be `disqualified`."""
    test = SprtSettings.of(plan.schedule).sprt
    lines = [conclude_trial(trial, test, plan.bots[0], disqualified)]
    if any(trial.pairs):
        stats = pair_statistics(trial.pairs)
        line = f"Elo {elo_text(stats.elo, stats.elo_low, stats.elo_high)}"
        if stats.nelo is not None:
            line += f", nElo {stats.nelo:+.0f}"
        if stats.nelo_plus_minus is not None:
            line += f" ± {stats.nelo_plus_minus:.0f}"
        if trial.is_decided:
            line += f", {UNCORRECTED}"
        elif stats.los is not None and trial.has_los:
            line += f", likelihood of superiority {100 * stats.los:.1f} %"
        lines.append(line)
        lines.append(_describe_points(trial.pairs))
    return [*lines, _describe_pairs(trial.pairs), _describe_llr(trial.llr, test)]


def _describe_points(counts: PairCounts) -> str:
    """Return the points of both bots, and the ratio of games that other runners make of them."""
    won = sum(2 * share * count for share, count in zip(SHARES, counts, strict=True))
    games = 2 * sum(counts)
    text = f"Points {won:g} – {games - won:g} in {games} games ({100 * won / games:.1f} %"
    return text + (f", W/L {won / (games - won):.2f})" if won < games else ")")


def _describe_llr(llr: float, test: Sprt) -> str:
    share, unit = llr / (test.upper if llr >= 0 else test.lower), test.unit
    return (
        f"LLR {llr:.2f} [{test.lower:.2f}, {test.upper:.2f}], {100 * share:.0f} % of the way, for"
        f" H0: {test.elo0:g} {unit} against H1: {test.elo1:g} {unit}"
        f" (α {test.alpha:g}, β {test.beta:g})"
    )


def _describe_pairs(counts: PairCounts) -> str:
    """Return the counts of pairs by points, and the ratios that other runners make of them."""
    text = f"Pairs with 0, ½, 1, 1½ and 2 points (Ptnml): {' – '.join(map(str, counts))}"
    lost, split, won = sum(counts[:2]), counts[2], sum(counts[3:])
    if lost or split or won:
        text += f"; split {100 * split / sum(counts):.1f} % (DrawRatio)"
    if lost:
        text += f", won to lost {won / lost:.2f} (PairsRatio)"
    return text


def conclude_trial(trial: Trial, test: Sprt, new: str, disqualified: Collection[str] = ()) -> str:
    """Return the conclusion in words, or that the test continues.

    Some bots may be `disqualified`.
    """
    if trial.decision is None:
        return "The test continues."
    if trial.ends_void:
        failed = [bot for bot in (new, trial.opponent) if bot in disqualified]
        verb = "was" if len(failed) == 1 else "were"
        names = " and ".join(failed)
        why = f"{names} {verb} disqualified after too many faults" if failed else "games are void"
        return f"No answer: the test of {new} against {trial.opponent} ended because {why}."
    if trial.decision == "inconclusive":
        pairs = sum(trial.pairs) + trial.voids
        return (
            f"Inconclusive: {pairs} pairs ({trial.voids} void) could not tell {new} from"
            f" {trial.opponent}."
        )
    return f"{new} is {test.describe_answer(trial.decision, trial.opponent)}."
