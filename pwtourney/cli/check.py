"""``pwtourney check``: tell whether a bot keeps to the protocol."""

import json
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole, read_move_time, sandbox_option, trusted_option
from pwtourney.cli.playing import open_room
from pwtourney.clock import TimeControl
from pwtourney.conformance import (
    AFTER_FAILURE,
    CheckContext,
    check_json,
    check_junit,
    closing_text,
    outcome_text,
    take_steps,
)
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.report.files import write_whole
from pwtourney.report.narration import print_line
from pwtourney.rules import find_edition
from pwtourney.sandbox.isolation import Wanted
from pwtourney.tournament.room import seat_bots

__all__ = ["command"]


@click.command("check")
@click.argument("bot")
@click.option("--edition", "editions", multiple=True, help="Check this edition (repeatable).")
@click.option(
    "--move", default="1s", show_default=True, callback=read_move_time, help="Time for each move."
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
    type=click.IntRange(0, 2**53 - 1),  # a bot in JavaScript can hold no larger number exactly
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
    # now, and not after minutes of checking
    if junit and junit.is_dir():
        raise UsageError(f"--junit {junit}: it is a directory; name a file")
    if junit and not junit.parent.is_dir():
        raise UsageError(f"--junit {junit}: directory {junit.parent} does not exist")
    console = PipeConsole(highlight=False, stderr=as_json)  # standard output is for the JSON
    outcomes = []
    with open_room() as room:
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
        for outcome in take_steps(context, keep_going=keep_going):
            outcomes.append(outcome)
            if outcome.message != AFTER_FAILURE:  # the count below says how many were left out
                print_line(console, outcome_text(outcome))
    for line in closing_text(context, outcomes):
        print_line(console, line)
    if as_json:
        click.echo(json.dumps(check_json(bot, context, outcomes), indent=2))
    if junit:
        write_whole(junit, check_junit(bot, outcomes))
    failed = any(outcome.status == "failed" for outcome in outcomes)
    return EXIT_FAILED if failed else EXIT_OK
