"""``pwtourney check``: tell whether a bot keeps to the protocol."""

import json
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.seating import (
    milliseconds,
    ready_for_bots,
    sandbox_option,
    trusted_option,
)
from pwtourney.clock import TimeControl
from pwtourney.conformance import (
    AFTER_FAILURE,
    CheckContext,
    Outcome,
    check_json,
    check_junit,
    failure_text,
    outcome_text,
    take_steps,
    timing_text,
)
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.report.files import write_whole
from pwtourney.rules import find_edition
from pwtourney.sandbox.isolation import Wanted
from pwtourney.tournament.room import seat_bots

__all__ = ["command"]


@click.command("check")
@click.argument("bot")
@click.option("--edition", "editions", multiple=True, help="Check this edition (repeatable).")
@click.option(
    "--move", default="1s", show_default=True, callback=milliseconds, help="Time for each move."
)
@click.option(
    "--games", type=click.IntRange(0, 10_000), default=50, show_default=True, help="Whole games."
)
@click.option(
    "--dialogues",
    type=click.IntRange(0, 10_000),
    default=20,
    show_default=True,
    help="Random dialogues within the rules.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**53 - 1),
    default=1,
    show_default=True,
    help="Determines games and dialogues.",
)
@click.option("--keep-going", is_flag=True, help="Continue with the other steps after a failure.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
@click.option("--junit", type=click.Path(path_type=Path), help="Also write a JUnit report.")
@sandbox_option
@trusted_option
def command(
    bot: str,
    editions: tuple[str, ...],
    move: int,
    games: int,
    dialogues: int,
    seed: int,
    keep_going: bool,
    as_json: bool,
    junit: Path | None,
    sandbox: Wanted,
    trusted: bool,
) -> int:
    """Check BOT against the protocol, step by step.

    BOT is the name of an installed bot, a Python file, or a command in quotes. For a
    failed step you see what was sent, what came back, and what the protocol says; the exit code
    is then 1.
    """
    chosen = tuple(find_edition(name) for name in editions)
    if junit and junit.is_dir():
        raise UsageError(f"--junit {junit}: it is a directory; name a file")
    if junit and not junit.parent.is_dir():
        raise UsageError(f"--junit {junit}: directory {junit.parent} does not exist")
    console = PipeConsole(highlight=False, stderr=as_json)
    with ready_for_bots() as room:
        (spec,) = seat_bots(room, [bot], TimeControl(move_ms=move), sandbox, trusted=trusted)
        context = CheckContext(
            spec,
            chosen,
            move_ms=move,
            games=games,
            dialogues=dialogues,
            seed=seed,
            scratch_root=room.scratch,
        )
        outcomes = _taken(context, console, keep_going=keep_going)
    failed = [each for each in outcomes if each.status == "failed"]
    _conclude(context, outcomes, failed, console)
    if as_json:
        click.echo(json.dumps(check_json(bot, context, outcomes), indent=2))
    if junit:
        write_whole(junit, check_junit(bot, outcomes))
    return EXIT_FAILED if failed else EXIT_OK


def _taken(context: CheckContext, console: PipeConsole, *, keep_going: bool) -> list[Outcome]:
    """Take all steps, and print the line of each that was taken."""
    outcomes = []
    for outcome in take_steps(context, keep_going=keep_going):
        outcomes.append(outcome)
        if outcome.message != AFTER_FAILURE:
            _print(console, outcome_text(outcome))
    return outcomes


def _conclude(
    context: CheckContext, outcomes: list[Outcome], failed: list[Outcome], console: PipeConsole
) -> None:
    """Print timing, then the first failure in full, then the count."""
    _print(console, "")
    for line in timing_text(context):
        _print(console, line)
    if failed:
        _print(console, "")
        for line in failure_text(failed[0]):
            _print(console, line)
    passed = sum(each.status == "passed" for each in outcomes)
    left = sum(each.status == "skipped" for each in outcomes)
    _print(console, "")
    _print(console, f"{passed} steps passed, {len(failed)} failed, {left} left out")


def _print(console: PipeConsole, line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
