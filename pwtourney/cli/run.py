"""Tournaments: ``pwtourney run`` from a file to its standings, and ``duel`` for a new version."""

import json
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self, Unpack

import click

from pwtourney.cli.common import (
    PipeConsole,
    refuse_options,
)
from pwtourney.cli.options import OF_PLAYING, PlayingOptions, SprtOptions
from pwtourney.cli.playing import STOPPED, RunResult, play_tournament
from pwtourney.config import TournamentFile
from pwtourney.errors import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_STORE,
    EXIT_UNDECIDED,
    UsageError,
)
from pwtourney.report import Summary
from pwtourney.report.publishing import step_summary
from pwtourney.report.text.machine import standings_json
from pwtourney.report.text.terminal import print_standings
from pwtourney.sanitize import sanitize
from pwtourney.schedule.formats.sprt import Trial, make_test
from pwtourney.schedule.pairing import Shard
from pwtourney.store import ResultsFolder
from pwtourney.tournament import count_slots, load_tournament
from pwtourney.tournament.duel import answer_duel, describe_duel, read_trial
from pwtourney.tournament.resume import raise_pairs
from pwtourney.tournament.session import (
    Ending,
    RunOptions,
    choose_folder,
    preview_run,
)

__all__ = [
    "CommandOptions",
    "FileRun",
    "choose_code",
    "duel",
    "open_file",
    "play_file",
    "preview_file",
    "run",
]

_CODES = {"H1": EXIT_OK, "H0": EXIT_FAILED, "inconclusive": EXIT_UNDECIDED, None: EXIT_INTERRUPTED}


def run(
    file: Path,
    extend: bool,
    add_pairs: int | None,
    shard: Shard | None,
    **playing: Unpack[PlayingOptions],
) -> int:
    """Play the tournament that FILE describes, and print its standings."""
    tournament, folder, options = open_file(file, playing, shard)
    options = options._replace(extend=extend)
    if options.fresh and extend:
        raise UsageError("--fresh starts again, --extend continues: give only one of them")
    if options.fresh:
        refuse_options(("add_pairs",), "--fresh begins with the pairs that the file says")
    elif shard:
        refuse_options(("add_pairs",), "parts have the pairs that the file says")
    else:
        tournament = raise_pairs(tournament, folder, add_pairs)
    if playing["dry"]:
        return preview_file(tournament, folder, options)
    more = ("--add-pairs", str(add_pairs)) if add_pairs else ()
    command_options = CommandOptions.of(playing, *more)
    return play_file("run", tournament, folder, options, command_options).code


def open_file(
    file: Path, playing: PlayingOptions, shard: Shard | None = None
) -> tuple[TournamentFile, ResultsFolder, RunOptions]:
    """Return the tournament of a file, the folder of its results, and how it is played."""
    untrusted = playing["untrusted"]
    tournament = load_tournament(file, playing["settings"], untrusted=untrusted)
    folder = choose_folder(tournament, playing["results"], shard, untrusted=untrusted)
    workers = count_slots(tournament, playing["workers"])
    options = RunOptions(workers, playing["fresh"], shard=shard, fail_fast=playing["fail_fast"])
    return tournament, folder, options


def preview_file(tournament: TournamentFile, folder: ResultsFolder, options: RunOptions) -> int:
    """Print what would be played; return the exit code."""
    refuse_options(OF_PLAYING, "--dry-run plays nothing and prints text")
    preview = preview_run(tournament, folder, options)
    click.echo("\n".join(map(sanitize, (*preview.lines, *preview.refusals))))
    return EXIT_STORE if preview.refusals else EXIT_OK


class CommandOptions(NamedTuple):
    """The display of a run, its grace period in seconds, and the options to continue it."""

    quiet: bool
    as_json: bool
    grace: float
    words: tuple[str, ...]

    @classmethod
    def of(cls, playing: PlayingOptions, *more: str) -> Self:
        """Return what the options say; `more` are other words that continue the run."""
        words = _list_words(playing) + more
        return cls(playing["quiet"], playing["as_json"], playing["grace"] / 1000, words)


def _list_words(playing: PlayingOptions) -> tuple[str, ...]:
    """Return the options that a command must be given again to continue."""
    words = [word for setting in playing["settings"] for word in ("--set", setting)]
    words += ["--workers", str(playing["workers"])] if playing["workers"] else []
    words += ["--untrusted"] if playing["untrusted"] else []
    return tuple(words)


class FileRun(NamedTuple):
    """The ending of a command that plays a file, and its exit code."""

    ending: Ending
    code: int


def play_file(
    command: str,
    tournament: TournamentFile,
    folder: ResultsFolder,
    options: RunOptions,
    command_options: CommandOptions,
) -> FileRun:
    """Play what is missing, and print the tables; `command` is the command that does so."""
    result = play_tournament(
        tournament,
        folder,
        options,
        quiet=command_options.quiet,
        json=command_options.as_json,
        grace=command_options.grace,
    )
    summary, ending = result.summary, result.ending
    as_json = command_options.as_json
    if as_json:
        click.echo(json.dumps({"event": "standings", **json.loads(standings_json(summary))}))
    # an interrupted run may have no game yet; after a suspect bot the warning must stay visible
    elif ending in ("over", "budget") or (ending == "interrupted" and summary.standings.games):
        print_standings(summary, PipeConsole())
    _append_step_summary(summary)
    _print_closing_lines(result, folder, command, quiet=command_options.quiet or as_json)
    if ending != "over":
        call = [command, str(tournament.path)]
        click.echo(
            _explain_how_to_continue(result, call, folder, options, command_options.words), err=True
        )
    if ending in ("over", "budget"):  # a budget is a planned end: the gates check the games so far
        passed = all(gate.passed for gate in summary.gates) and not _explain_no_result(result)
        return FileRun(ending, EXIT_OK if passed else EXIT_FAILED)
    return FileRun(ending, EXIT_FAILED if ending == "suspect" else EXIT_INTERRUPTED)


def _explain_no_result(result: RunResult) -> str:
    """Return why a run that came to its end has no result; empty if it has one."""
    if result.ending == "budget" and not result.summary.stored:
        return "No valid game, so no result: no pair has ended"
    return result.summary.conditions.explain_no_result()


def _print_closing_lines(
    result: RunResult, folder: ResultsFolder, command: str, *, quiet: bool
) -> None:
    """Print if no game is valid, if nothing was left to play, and where page and results are.

    If `quiet`, only the first of these is printed.
    """
    # one sentence is enough: the one about a suspect bot follows
    if result.ending != "suspect" and (problem := _explain_no_result(result)):
        why = "; games.jsonl says why" if result.summary.stored else ""
        click.echo(f"{problem}{why}", err=True)
    if quiet:
        return
    _say_if_nothing_was_played(result, command)
    if folder.page.exists():
        here = Path.cwd()
        page, rest = (
            sanitize(str(path.relative_to(here) if path.is_relative_to(here) else path))
            for path in (folder.page, folder.path)
        )
        click.echo(f"page: {page}; games, reports and logs: {rest}", err=True)


def _say_if_nothing_was_played(result: RunResult, what: str) -> None:
    """Say that every game was stored before: a table without a new game looks like a failure."""
    if result.ending == "over" and not result.pairs:
        more = ""
        if what == "run" and result.plan.can_grow:
            pairs = result.plan.schedule.pairs
            more = f"; to play more, raise `pairs` from {pairs}, or use --add-pairs N"
        click.echo(f"nothing was left to play: every game of this {what} is stored{more}", err=True)


def _explain_how_to_continue(
    result: RunResult,
    call: Sequence[str],
    folder: ResultsFolder,
    options: RunOptions,
    words: Sequence[str],
) -> str:
    """Return why a run ended before its tournament, and the command that continues it.

    The command leaves out the options for the first time only: --fresh and --extend.
    """
    why = STOPPED if result.ending == "suspect" else "interrupted"
    if result.ending == "budget":
        why = f"the budget of {result.plan.budget:g} s is used up"
    goal = "print the table" if result.summary.over else "continue"
    words = [*words, *(["--shard", str(options.shard)] if options.shard else [])]
    words += ["--fail-fast"] if options.fail_fast else []
    again = shlex.join(["pwtourney", *call, "--results", str(folder.path), *words])
    return f"{why}; to {goal}: {again}"


def _append_step_summary(summary: Summary) -> None:
    """Append the report to the summary page of a GitHub job, if this is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        # other steps of the job may write there, before and after this one
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(step_summary(summary))
    except OSError as error:
        click.echo(f"warning: {path}: cannot write the summary: {error.strerror}", err=True)


def duel(
    new: str,
    old: str,
    edition: str,
    move: int,
    seed: int | None,
    sandbox: str,
    trusted: bool,
    results: Path | None,
    workers: int | None,
    fresh: bool,
    fail_fast: bool,
    quiet: bool,
    **test: Unpack[SprtOptions],
) -> int:
    """Find out whether NEW is better than OLD, by a sequential test on mirrored pairs."""
    if problem := make_test(**test).problem():
        raise UsageError(re.sub(r"\b(elo0|elo1|alpha|beta)\b", r"--\1", problem))
    settings: dict[str, Any] = {
        "sprt": test,
        "edition": edition,
        "clock": {"move": f"{move}ms"},
        "sandbox": sandbox,
    }
    if seed is not None:
        settings["seed"] = seed
    tournament = describe_duel(new, old, settings, trusted=trusted)
    # the folder is named after the bots, so that the same command finds its earlier results
    new_name, old_name = (bot.name for bot in tournament.config.bots)
    folder = ResultsFolder(results or Path("results") / f"duel-{new_name}-{old_name}")
    options = RunOptions(count_slots(tournament, workers), fresh=fresh, fail_fast=fail_fast)
    result = play_tournament(tournament, folder, options, quiet=quiet)
    if result.ending == "suspect":
        click.echo(f"{STOPPED}; the same command continues", err=True)
        return EXIT_FAILED
    trial = read_trial(folder, result.plan)
    for line in answer_duel(trial, result.plan, result.summary):
        click.echo(sanitize(line))
    if not quiet:
        _say_if_nothing_was_played(result, "duel")
    if trial.decision is None:
        click.echo("interrupted; the same command continues", err=True)
    return choose_code(trial, result)


def choose_code(trial: Trial, result: RunResult) -> int:
    """Return the exit code of a duel: its test's decision, if it rests on a valid game."""
    has_answer = trial.decision is None or not result.summary.conditions.explain_no_result()
    return _CODES[trial.decision] if has_answer else EXIT_FAILED
