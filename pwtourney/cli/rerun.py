"""``pwtourney rerun``: a stored game, played or answered again with the same seeds."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.game_id import game_place
from pwtourney.cli.seating import (
    milliseconds,
    ready_for_bots,
    sandbox_option,
    trusted_option,
)
from pwtourney.cli.watching import print_result, watcher
from pwtourney.clock import TimeControl
from pwtourney.errors import EXIT_FAILED, EXIT_OK, BotFault, UsageError
from pwtourney.match import AUTOMA, BotPool, BotSpec, Game, GameSetup, play_game, retrace
from pwtourney.notation.record import RecordedGame
from pwtourney.rules import Deal
from pwtourney.rules.automa import Automa
from pwtourney.sandbox.isolation import Wanted
from pwtourney.sanitize import sanitize
from pwtourney.store import GameRecord, Meta, ResultsFolder, Store
from pwtourney.tournament import (
    Entrant,
    Plan,
    check_options,
    find_versions,
    list_differences,
    load_tournament,
    make_plan,
    name_as_stored,
    restore_game,
)
from pwtourney.tournament.room import BotRoom, seat_bots

__all__ = ["command"]

_COMMON = ("edition", "seed", "timeouts")


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
    "--move", default="10s", show_default=True, callback=milliseconds, help="Time for --bot."
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
    folder, pair, number = game_place(game)
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        stored, meta, edition = store.game(pair, number), store.meta(), store.edition()
    private = [folder.resolve(), file.resolve()] if file else []
    with ready_for_bots(private) as room:
        if file is None:
            if bot is None:
                raise UsageError("give --file, which defines how bots are started, or --bot")
            (spec,) = seat_bots(room, [bot], TimeControl(move_ms=move), sandbox, trusted=trusted)
            return _compare(restore_game(stored, edition), stored, spec, seat, None, room.scratch)
        plan = _plan(file, meta, stored, room)
        if bot is None:
            return _play(_setup(plan, stored), stored, room.scratch, show=show)
        one, two = (find_versions(plan, name)[:1] for name in stored.bots)
        controls = (_control(one), _control(two))
        played, spec = restore_game(stored, edition), _spec(plan, bot)
        return _compare(played, stored, spec, seat, controls, room.scratch)


def _plan(file: Path, meta: Meta, stored: GameRecord, room: BotRoom) -> Plan:
    """Read the tournament file, and say where it is another one than was played."""
    tournament = room.build(load_tournament(file))
    plan = name_as_stored(make_plan(tournament, meta.seed), meta)
    for each in list_differences(_of_game(meta.all_facts, stored), _as_asked(plan, stored)):
        click.echo(f"warning: {sanitize(each)}", err=True)
    plan = plan._replace(entrants=room.prepare(plan.entrants))
    check_options(tournament, plan.entrants)
    return plan


def _control(found: Sequence[Entrant]) -> TimeControl:
    """Return the clock of a bot; there is none for the Automa, or who is not in the file."""
    return found[0].spec.control if found else TimeControl()


def _compare(
    game: RecordedGame,
    stored: GameRecord,
    spec: BotSpec,
    seat: int | None,
    controls: tuple[TimeControl, TimeControl] | None,
    scratch: str,
) -> int:
    """Ask one bot in one seat of the game, and say where it answers otherwise."""
    seat = _seat_of(spec, stored, seat)
    console = PipeConsole(highlight=False)
    spent = [(ply.micros, ply.cpu) for ply in stored.plies]
    asked = same = 0
    with closing(BotPool(scratch)) as pool:
        try:
            for each in retrace(game, {seat: spec}, stored.seeds, pool, controls, spent):
                if each.answer is None:
                    continue
                asked += 1
                then = each.ply.action if each.ply else f"lost by {stored.verdict}"
                now = each.answer.ply.action
                same += then == now
                if then != now:
                    told = f"ply {each.number}: stored is {then}, now it is {now}"
                    console.print(told, markup=False, soft_wrap=True)
        except BotFault as fault:
            as_then = ", as it is stored" if asked == _turns(stored, seat) else ""
            told = f"{spec.id}: {fault.verdict}: {sanitize(str(fault))}"
            console.print(f"{told}, after {asked} answers{as_then}", markup=False, soft_wrap=True)
            return EXIT_FAILED
    told = f"{same} of {asked} answers of {spec.id} are as they are stored"
    console.print(told, markup=False, soft_wrap=True)
    return EXIT_OK if same == asked else EXIT_FAILED


def _turns(stored: GameRecord, seat: int) -> int:
    """Return how many answers a bot gave before it lost by a fault; −1 if it did not."""
    if seat not in [fault["seat"] for fault in stored.faults]:
        return -1
    return sum(ply.seat == seat for ply in stored.plies)


def _seat_of(spec: BotSpec, stored: GameRecord, seat: int | None) -> int:
    """Return the seat of a bot: the one given, or else that of the bot with its name."""
    names = stored.bots
    if seat is None:
        if spec.id not in names:
            told = f"--seat 0 for {names[0]} or --seat 1 for {names[1]}"
            raise UsageError(f"{spec.id} did not play this game; choose its seat: {told}")
        seat = names.index(spec.id)
    if stored.automa and seat == 1:
        raise UsageError("seat 1 is the Automa's")
    return seat


def _of_game(facts: dict[str, Any], stored: GameRecord) -> dict[str, Any]:
    """Return the facts that determine one game."""
    own = tuple(f"bots.{bot}." for bot in stored.bots)
    return {
        key: value
        for key, value in facts.items()
        if key in _COMMON or (key.startswith(own) and key.count(".") > 1)
    }


def _as_asked(plan: Plan, stored: GameRecord) -> dict[str, Any]:
    """Return the same facts as the tournament file has them today."""
    found = {key: value for key, value in plan.facts().items() if key in _COMMON}
    for bot in stored.bots:
        for entrant in find_versions(plan, bot)[:1]:
            found |= {f"bots.{bot}.{key}": value for key, value in entrant.facts().items()}
    return found


def _setup(plan: Plan, stored: GameRecord) -> GameSetup:
    """Seat the bots of the file as they sat, with the deal and the seeds that they had."""
    automa = Automa(*stored.automa) if stored.automa else None
    one, two = (
        AUTOMA if automa and seat == 1 else _spec(plan, bot) for seat, bot in enumerate(stored.bots)
    )
    return GameSetup((one, two), plan.edition, Deal(*stored.deal), stored.seeds, automa)


def _spec(plan: Plan, bot: str) -> BotSpec:
    found = find_versions(plan, bot)
    if not found:
        raise UsageError(f"the tournament file has no bot {bot!r}")
    return found[0].spec


def _play(setup: GameSetup, stored: GameRecord, scratch: str, *, show: bool) -> int:
    console = PipeConsole(highlight=False)
    game = play_game(setup, watcher(setup, console, show=show), scratch)
    print_result(game, console)
    for fault in game.faults:
        for line in fault.log.splitlines():
            console.print(f"  {sanitize(line)}", markup=False, soft_wrap=True)
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
