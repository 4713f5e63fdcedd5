"""``pwtourney rerun``: a stored game, played again with the same seeds."""

from contextlib import closing
from pathlib import Path

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.game_id import game_place
from pwtourney.cli.stopping import stop_as_by_interrupt
from pwtourney.cli.watching import print_result, watcher
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.inert import inert
from pwtourney.match import AUTOMA, Game, GameSetup, play_game
from pwtourney.process import become_subreaper, keep_private, make_scratch, remove_scratch
from pwtourney.rules import Deal
from pwtourney.rules.automa import Automa
from pwtourney.store import GameRecord, ResultsFolder, Store
from pwtourney.tournament import (
    Plan,
    build_bots,
    check_options,
    current_facts,
    differences,
    isolate,
    load_tournament,
    make_plan,
    named_as_stored,
)

__all__ = ["command"]


@click.command("rerun")
@click.argument("game")
@click.option(
    "--file",
    required=True,
    type=click.Path(path_type=Path),
    help="The tournament file, which says how the bots are started.",
)
@click.option("--show", is_flag=True, help="Draw the quilts after each ply.")
def command(game: str, file: Path, show: bool) -> int:
    """Play GAME, which is FOLDER:PAIR.GAME, again: the same deal, the same seeds.

    Nothing is stored. At the end it is told whether the game went as it did before. The exit code
    is 1 if a bot failed.
    """
    folder, pair, number = game_place(game)
    tournament = load_tournament(file)
    stop_as_by_interrupt()
    become_subreaper()
    keep_private()
    build_bots(tournament)
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        stored, meta = store.game(pair, number), store.meta()
    facts = current_facts(meta)
    plan = named_as_stored(make_plan(tournament, facts["seed"]), meta)
    for each in differences(facts, plan.facts()):
        click.echo(f"warning: {inert(each)}", err=True)
    done = isolate(plan.entrants, [folder.resolve(), file.resolve()], None)
    for warning in done.warnings:
        click.echo(f"warning: {warning}", err=True)
    plan = plan._replace(entrants=done.entrants)
    check_options(tournament, plan)
    return _play(_setup(plan, stored), stored, show=show)


def _setup(plan: Plan, stored: GameRecord) -> GameSetup:
    """Seat the bots of the file as they sat, with the deal and the seeds that they had."""
    specs = {entrant.spec.id: entrant.spec for entrant in plan.entrants}
    automa = Automa(*stored.automa) if stored.automa else None
    if automa:
        specs[AUTOMA.id] = AUTOMA
    versions = {bot.partition("#")[0]: spec for bot, spec in specs.items()}  # for older ones
    missing = [bot for bot in stored.bots if bot.partition("#")[0] not in versions]
    if missing:
        raise UsageError(f"the tournament file has no bot {missing[0]!r}")
    one, two = (specs.get(bot) or versions[bot.partition("#")[0]] for bot in stored.bots)
    return GameSetup((one, two), plan.edition, Deal(*stored.deal), stored.seeds, automa)


def _play(setup: GameSetup, stored: GameRecord, *, show: bool) -> int:
    console = PipeConsole(highlight=False)
    scratch = make_scratch()
    try:
        game = play_game(setup, watcher(setup, console, show=show), scratch)
    finally:
        remove_scratch(scratch)
    print_result(game, console)
    for fault in game.faults:
        for line in fault.log.splitlines():
            console.print(f"  {inert(line)}", markup=False, soft_wrap=True)
    console.print(_compared(stored, game), markup=False, soft_wrap=True)
    return EXIT_FAILED if game.faults else EXIT_OK


def _compared(stored: GameRecord, game: Game) -> str:
    """Say whether a game went as it did before."""
    for number, (then, now) in enumerate(zip(stored.plies, game.plies, strict=False), 1):
        if then.action != now.action:
            return f"ply {number} differs: stored is {then.action}, now it is {now.action}"
    before, after = len(stored.plies), len(game.plies)
    if before != after:
        return f"the stored game has {before} plies, this one {after}; none of the common differs"
    if stored.verdict != game.verdict:
        return f"the same plies, but stored is {stored.verdict}, now it is {game.verdict}"
    return "the game went as it is stored, ply for ply"
