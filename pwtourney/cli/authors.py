"""For authors of bots and engines: ``bots``, ``new-bot``, ``check``, ``editions`` and ``perft``."""

import json
from pathlib import Path

import click

from pwtourney.cli.common import (
    PipeConsole,
    edition_option,
    read_move_time,
    sandbox_option,
    trusted_option,
)
from pwtourney.clock import TimeControl
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.notation import action_text, parse_position, position_text
from pwtourney.registry import installed_bot, installed_bots
from pwtourney.report.boards import describe_edition, print_line
from pwtourney.report.files import write_whole
from pwtourney.rules import State, edition_names, find_edition
from pwtourney.rules.state import divide
from pwtourney.rules.state import perft as count_sequences
from pwtourney.sandbox.isolation import Wanted
from pwtourney.sanitize import sanitize
from pwtourney.scaffold import LANGUAGES, create_bot

__all__ = ["bots", "check", "editions", "new_bot", "perft"]


@click.command("bots")
def bots() -> int:
    """List the installed bots, whose names you can use in tournament files."""
    names = installed_bots()
    width = max(map(len, names), default=0)
    for name in names:
        click.echo(f"{name:<{width}}  {installed_bot(name).identity}")
    if not names:
        click.echo("no bots are installed", err=True)
    return EXIT_OK


@click.command("new-bot")
@click.argument("name")
@click.option(
    "--lang",
    type=click.Choice(list(LANGUAGES)),
    default="python",
    show_default=True,
    help="The language to write it in.",
)
@click.option("--single-file", is_flag=True, help="One file instead of a folder.")
def new_bot(name: str, lang: str, single_file: bool) -> int:
    """Create a bot called NAME that plays at once.

    It is a folder with the bot, its test, a README, and a workflow for CI.
    """
    made, steps = create_bot(name, lang, Path(), single_file=single_file)
    click.echo(f"{made} plays already. Next:")
    for step in steps:
        click.echo(f"  {step}")
    return EXIT_OK


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
def check(
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
    # here, because they load most of the package, which the other commands do without
    from pwtourney.cli.playing import open_room
    from pwtourney.conformance import (
        AFTER_FAILURE,
        CheckContext,
        check_json,
        check_junit,
        closing_text,
        outcome_text,
        take_steps,
    )
    from pwtourney.tournament.room import seat_bots

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


@click.command("editions")
@click.argument("name", required=False)
def editions(name: str | None) -> int:
    """List the editions, or show one with its board, track, patches and sources.

    NAME is an edition's name or a .toml file of your own.
    """
    if name is not None:
        for line in describe_edition(find_edition(name)):
            click.echo(sanitize(line))  # a file of somebody else's may hold anything
        return EXIT_OK
    for edition in map(find_edition, edition_names()):
        size = f"{edition.rows} × {edition.columns}"
        click.echo(f"{edition.name:<12} {size}, {len(edition.patches)} patches  {edition.title}")
    return EXIT_OK


@click.command("perft")
@edition_option
@click.option("--deal", "seed", type=click.IntRange(0, 2**64 - 1), help="The seed of the deal.")
@click.option("--position", "text", help="A position in notation, instead of a deal.")
@click.option(
    "--depth", type=click.IntRange(0, 20), required=True, help="Length of the sequences in actions."
)
@click.option("--divide", "divided", is_flag=True, help="Show the count for each first action.")
def perft(edition: str, seed: int | None, text: str | None, depth: int, divided: bool) -> int:
    """Count the sequences of legal actions from a position.

    Placing a special patch is an action of its own, and placements that cover the same squares are
    one action.
    """
    if (seed is None) == (text is None):
        raise UsageError("give either --deal or --position")
    chosen = find_edition(edition)
    state = State.start(chosen, seed) if seed is not None else parse_position(str(text), chosen)
    if 0 in state.late:  # a patch that nobody knows cannot be taken
        raise UsageError(
            "the position hides the order of the late patches; write them instead of ?8"
        )
    click.echo(f"position {position_text(state)}")
    if divided and depth:
        for action, count in divide(state, depth).items():
            click.echo(f"{action_text(action, chosen)} {count}")
    click.echo(f"perft {depth} {count_sequences(state, depth)}")
    return EXIT_OK
