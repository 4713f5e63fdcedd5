"""``pwtourney analyse``: what a bot makes of a game, position by position."""

import json
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.game_id import find_game
from pwtourney.cli.seating import (
    milliseconds,
    ready_for_bots,
    sandbox_option,
    trusted_option,
)
from pwtourney.clock import TimeControl
from pwtourney.errors import EXIT_FAILED, EXIT_OK, BotFault
from pwtourney.match import BotPool, retrace
from pwtourney.match.analysis import Evaluation, add_swings, evaluate_ply, find_largest_swings
from pwtourney.notation.record import RecordedGame
from pwtourney.sandbox.isolation import Wanted
from pwtourney.sanitize import sanitize
from pwtourney.tournament.room import seat_bots

__all__ = ["command"]

_SEED = 1


@click.command("analyse")
@click.argument("game")
@click.option("--bot", required=True, help="The bot that evaluates, named as for `play`.")
@click.option(
    "--move", default="1s", show_default=True, callback=milliseconds, help="Time for each position."
)
@click.option("--json", "as_json", is_flag=True, help="Print the analysis as JSON.")
@sandbox_option
@trusted_option
def command(game: str, bot: str, move: int, as_json: bool, sandbox: Wanted, trusted: bool) -> int:
    """Let a bot evaluate every position of GAME: a file, or FOLDER:PAIR.GAME.

    You see the action that the bot prefers and, if it sends `info score N`, the margin that it
    expects. The largest swings are printed at the end. The exit code is 1 if the bot failed.
    """
    found = find_game(game)
    console = PipeConsole(highlight=False, stderr=as_json)
    seats = (0,) if found.automa else (0, 1)
    evaluations: list[Evaluation] = []
    failure = None
    with ready_for_bots() as room:
        (spec,) = seat_bots(room, [bot], TimeControl(move_ms=move), sandbox, trusted=trusted)
        with closing(BotPool(room.scratch)) as pool:
            try:
                asked = retrace(found, dict.fromkeys(seats, spec), (_SEED, _SEED), pool)
                evaluations += filter(None, map(evaluate_ply, asked))
            except BotFault as fault:
                failure = f"{spec.id}: {fault.verdict}: {sanitize(str(fault))}"
    evaluations = add_swings(evaluations, found)
    if as_json:
        click.echo(json.dumps(_data(found, evaluations, failure), indent=2))
    else:
        _print(found, evaluations, spec.id, console)
    if failure:
        console.print(f"{failure}, after {len(evaluations)} plies", markup=False, soft_wrap=True)
    return EXIT_FAILED if failure else EXIT_OK


def _print(
    game: RecordedGame, evaluations: Sequence[Evaluation], bot: str, console: PipeConsole
) -> None:
    names = [sanitize(name) for name in game.bots]
    console.print(
        f"{'ply':>4}  {'margin':>7}  {'swing':>7}  played; {bot} would play", markup=False
    )
    for each in evaluations:
        margin = "" if each.margin is None else f"{each.margin:+.1f}"
        swing = "" if each.swing is None else f"{each.swing:+.1f}"
        other = "" if each.choice in (None, each.action) else f"; {each.choice}"
        line = f"{each.number:>4}  {margin:>7}  {swing:>7}  {names[each.seat]} {each.action}{other}"
        console.print(line, markup=False, soft_wrap=True)
    asked = [each for each in evaluations if each.choice]
    for seat, name in enumerate(names):
        own = [each for each in asked if each.seat == seat]
        if own:
            same = sum(each.choice == each.action for each in own)
            told = f"{bot} would play {same} of {len(own)} plies of {name}"
            console.print(told, markup=False, soft_wrap=True)
    if asked and all(each.margin is None for each in asked):
        told = f"{bot} said no margin; it would have to write `info score N`, as in `score -3.5`"
        console.print(told, markup=False, soft_wrap=True)
    for each in find_largest_swings(evaluations):
        told = f"ply {each.number}: {names[each.seat]} {each.action}: {each.swing:+.1f} points"
        console.print(told, markup=False, soft_wrap=True)


def _data(
    game: RecordedGame, evaluations: Sequence[Evaluation], failure: str | None
) -> dict[str, Any]:
    return {
        "bots": list(game.bots),
        "scores": list(game.scores),
        "plies": [each._asdict() for each in evaluations],
        "failure": failure,
    }
