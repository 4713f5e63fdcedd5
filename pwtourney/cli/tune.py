"""Values of a bot's options: ``pwtourney tune`` searches the best, ``sweep`` compares some."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any, Unpack

import click

from pwtourney.cli.options import PlayingOptions
from pwtourney.cli.playing import STOPPED, open_room, play_tournament
from pwtourney.cli.run import (
    CommandOptions,
    choose_code,
    open_file,
    play_file,
    preview_file,
)
from pwtourney.config import TournamentFile
from pwtourney.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, UsageError
from pwtourney.report.summary import find_tuned
from pwtourney.sanitize import sanitize
from pwtourney.schedule.formats.focus import FocusKeys
from pwtourney.schedule.tuned import Tuned
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.duel import read_trial
from pwtourney.tournament.session import (
    RunOptions,
    list_private_paths,
)
from pwtourney.tournament.tuning_runs import (
    Confirmation,
    answer_confirmation,
    list_confirmations,
    refuse_another,
)

__all__ = ["sweep", "tune"]


def tune(file: Path, confirm: bool | None, **playing: Unpack[PlayingOptions]) -> int:
    """Search the best values of a bot's options, and find out whether they are better."""
    tournament, folder, options = open_file(file, playing)
    if tournament.config.format != "tune":
        raise UsageError(f"{file}: write `tune: {{bot: BOT, options: [NAME, …]}}` into the file")
    if playing["dry"]:
        if confirm is True:
            raise UsageError("--dry-run plays nothing, --confirm plays a duel: give only one")
        return preview_file(tournament, folder, options)
    command_options = CommandOptions.of(playing)
    if confirm is not True:
        run = play_file("tune", tournament, folder, options, command_options)
        # a stopped tuning is continued later, and confirmed when it ends
        if confirm is False or run.ending != "over" or run.code:
            return run.code
    elif options.fresh:
        raise UsageError("--fresh starts again, --confirm compares what was tuned: give only one")
    else:
        with open_room(list_private_paths(tournament, folder)) as room:
            refuse_another(tournament, room, folder)
    return _confirm_values(tournament, folder, options.workers, command_options)


def _confirm_values(
    tournament: TournamentFile, folder: ResultsFolder, workers: int, command_options: CommandOptions
) -> int:
    """Let the current values play on deals of their own; return the exit code."""
    with closing(Store.open_in(folder)) as store:
        tuned, seed = find_tuned(store), store.meta().seed
    if tuned is None or not tuned.probes:
        raise UsageError(f"{folder.path}: no probe is stored yet, so there is nothing to confirm")
    if all(option.value == option.start for option in tuned.options):
        what = {"against": "start", "decision": "same", "pairs": [0] * 5}
        _print_answer("The best values are those at the start.", what, tuned, command_options)
        return EXIT_OK
    code = 0
    for confirmation in list_confirmations(tournament, tuned, seed, folder):
        code = max(code, _play_confirmation(confirmation, tuned, workers, command_options))
        if code == EXIT_INTERRUPTED:
            break
    return code


def _play_confirmation(
    confirmation: Confirmation, tuned: Tuned, workers: int, command_options: CommandOptions
) -> int:
    """Play one duel and print its answer; return the exit code."""
    options = RunOptions(workers, fail_fast=True)
    result = play_tournament(
        confirmation.file,
        confirmation.folder,
        options,
        quiet=command_options.quiet,
        json=command_options.as_json,
        grace=command_options.grace,
    )
    if result.ending == "suspect":
        click.echo(f"{STOPPED}; the same command continues", err=True)
        return EXIT_FAILED
    trial = read_trial(confirmation.folder, result.plan)
    no_result = result.summary.conditions.explain_no_result()
    disqualified = result.summary.conditions.disqualified
    answer = answer_confirmation(trial, result.plan, disqualified)
    if no_result:
        answer = f"{no_result}."
    what = {
        "against": confirmation.against,
        "decision": None if no_result else trial.decision,
        "pairs": list(trial.pairs),
    }
    _print_answer(answer, what, tuned, command_options)
    if trial.decision is None:
        why = "interrupted"
        if result.ending == "budget":
            why = f"the budget of {result.plan.budget:g} s is used up"
        click.echo(f"{why}; the same command continues", err=True)
    return choose_code(trial, result)


def _print_answer(
    answer: str, what: dict[str, Any], tuned: Tuned, command_options: CommandOptions
) -> None:
    """Print a sentence about the tuned values, or with --json an event that also has `what`."""
    if command_options.as_json:
        values = dict(tuned.values)
        click.echo(json.dumps({"event": "confirmed", "values": values, **what, "answer": answer}))
    else:
        click.echo(sanitize(answer))


def sweep(file: Path, **playing: Unpack[PlayingOptions]) -> int:
    """Compare values of one or two options of a bot."""
    tournament, folder, options = open_file(file, playing)
    if FocusKeys.of(tournament.config).sweep is None:
        raise UsageError(
            f"{file}: write `sweep: {{bot: BOT, options: {{NAME: [VALUE, …]}}}}` into the file"
        )
    if playing["dry"]:
        return preview_file(tournament, folder, options)
    return play_file("sweep", tournament, folder, options, CommandOptions.of(playing)).code
