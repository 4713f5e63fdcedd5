"""``pwtourney rerun``: a stored game, played or answered again with the same seeds."""

from contextlib import closing
from functools import partial
from pathlib import Path

import click

from pwtourney.cli.common import (
    PipeConsole,
    read_move_time,
    sandbox_option,
    trusted_option,
)
from pwtourney.cli.games import split_game_id
from pwtourney.cli.playing import open_room
from pwtourney.clock import TimeControl
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.match import play_game
from pwtourney.report.narration import make_watcher, print_line, print_result
from pwtourney.sandbox.isolation import Wanted
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament.rerun import (
    compare_answers,
    describe_difference,
    find_spec,
    list_controls,
    plan_rerun,
    set_up_rerun,
)
from pwtourney.tournament.room import seat_bots

__all__ = ["command"]


@click.command("rerun")
@click.argument("game")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The tournament file, which defines how the bots are started.",
)
@click.option("--bot", help="Ask only this bot and compare its answers.")
@click.option("--seat", type=click.IntRange(0, 1), help="The seat of --bot, if its name is new.")
@click.option(
    "--move", default="10s", show_default=True, callback=read_move_time, help="Time for --bot."
)
@sandbox_option
@trusted_option
@click.option("--show", is_flag=True, help="Draw the quilts after each ply.")
def command(
    game: str,
    file: Path | None,
    bot: str | None,
    seat: int | None,
    move: int,
    sandbox: Wanted,
    trusted: bool,
    show: bool,
) -> int:
    """Play GAME, written FOLDER:PAIR.GAME, again with the same deal and seeds.

    With --bot, only that bot is asked what its seat was asked in the game, and its answers are
    compared with the stored ones. It is a bot of the --file, or any bot that `play` accepts.
    Nothing is stored. The exit code is 1 if a bot failed, and with --bot if an answer differs.
    """
    folder, pair, number = split_game_id(game)
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        stored, meta, edition = store.game(pair, number), store.meta(), store.edition()
    if file is None and bot is None:
        raise UsageError("give --file, which defines how bots are started, or --bot")
    console = PipeConsole(highlight=False)
    # a bot could read there what was answered then
    private = [folder.resolve(), file.resolve()] if file else []
    with open_room(private) as room:
        plan = plan_rerun(file, meta, stored, room) if file else None
        if plan and bot is None:
            setup = set_up_rerun(plan, stored)
            again = play_game(setup, make_watcher(setup, console, show=show), room.scratch)
            print_result(again, console)
            for fault in again.faults:
                for line in fault.log.splitlines():
                    print_line(console, f"  {sanitize(line)}")
            print_line(console, describe_difference(stored, again))
            return EXIT_FAILED if again.faults else EXIT_OK
        if plan:
            spec, controls = find_spec(plan, str(bot)), list_controls(plan, stored)
        else:
            control = TimeControl(move_ms=move)
            (spec,) = seat_bots(room, [str(bot)], control, sandbox, trusted=trusted)
            controls = None
        same = compare_answers(
            *(stored, edition, spec, seat, controls, room.scratch),
            tell=partial(print_line, console),
        )
    return EXIT_OK if same else EXIT_FAILED
