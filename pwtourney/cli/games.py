"""Stored games: by which name they are found, ``replay``, ``rerun`` and ``analyse``."""

import json
import re
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from pwtourney.cli.common import PipeConsole, read_move_time, sandbox_option, trusted_option
from pwtourney.cli.playing import open_room
from pwtourney.clock import TimeControl
from pwtourney.errors import (
    EXIT_FAILED,
    EXIT_OK,
    BotFault,
    NotationError,
    StoreError,
    UsageError,
)
from pwtourney.match import BotPool, play_game, retrace
from pwtourney.match.analysis import Evaluation, add_swings, evaluate_ply
from pwtourney.notation.game import Game
from pwtourney.notation.record import parse_record, record_text
from pwtourney.report.files import write_whole
from pwtourney.report.narration import (
    make_watcher,
    print_analysis,
    print_line,
    print_record,
    print_result,
)
from pwtourney.report.page import game_page
from pwtourney.rules import Edition
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

__all__ = ["analyse", "find_game", "replay", "rerun", "split_game_id", "write_game"]

_ID = re.compile(r"(.+):([0-9]{1,9})\.([01])", re.ASCII)

_SEED = 1
"""The seed of a bot that evaluates: always the same, so that it says the same again."""


@click.command("replay")
@click.argument("game")
@click.option("--at", type=click.IntRange(min=0), help="Draw only the position after this ply.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page with the game instead.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the game to a file instead.")
def replay(game: str, at: int | None, save: Path | None, html: Path | None) -> int:
    """Draw GAME ply by ply: a file, or FOLDER:PAIR.GAME from a results folder.

    Every ply is checked against the rules on the way.
    """
    if html is not None:  # the page shows times, which only a store has
        folder, pair, number = split_game_id(game)
        with closing(Store.open(ResultsFolder(folder).database)) as store:
            text = game_page(store.game(pair, number), store.edition(), store.meta().name)
        write_whole(html, text)
        return EXIT_OK
    record, edition = find_game(game)
    if save is not None:
        write_game(save, record, edition)
        return EXIT_OK
    if at is not None and at > len(record.plies):
        raise UsageError(f"--at {at}: the game has {len(record.plies)} plies")
    print_record(record, edition, PipeConsole(highlight=False), at)
    return EXIT_OK


@click.command("analyse")
@click.argument("game")
@click.option("--bot", required=True, help="The bot that evaluates, named as for `play`.")
@click.option(
    "--move",
    default="1s",
    show_default=True,
    callback=read_move_time,
    help="Time for each position.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the analysis as JSON.")
@sandbox_option
@trusted_option
def analyse(game: str, bot: str, move: int, as_json: bool, sandbox: Wanted, trusted: bool) -> int:
    """Let a bot evaluate every position of GAME: a file, or FOLDER:PAIR.GAME.

    You see the action that the bot prefers and, if it sends `info score N`, the margin that it
    expects. The largest swings are printed at the end. The exit code is 1 if the bot failed.
    """
    record, edition = find_game(game)
    console = PipeConsole(highlight=False, stderr=as_json)  # standard output is for the JSON
    evaluations: list[Evaluation] = []
    failure = None
    with open_room() as room:
        (spec,) = seat_bots(room, [bot], TimeControl(move_ms=move), sandbox, trusted=trusted)
        seats = dict.fromkeys(record.bot_seats, spec)
        with closing(BotPool(room.scratch)) as pool:
            try:
                # `+=` keeps what the bot said before it failed
                plies = retrace(record, edition, seats, (_SEED, _SEED), pool)
                evaluations += filter(None, map(evaluate_ply, plies))
            except BotFault as fault:
                failure = f"{spec.id}: {fault.verdict}: {sanitize(str(fault))}"
    evaluations = add_swings(evaluations, record)
    if as_json:
        analysis = {
            "bots": list(record.bots),
            "scores": list(record.scores),
            "plies": [evaluation._asdict() for evaluation in evaluations],
            "failure": failure,
        }
        click.echo(json.dumps(analysis, indent=2))
    else:
        print_analysis(record, evaluations, spec.id, console)
    if failure:
        print_line(console, f"{failure}, after {len(evaluations)} plies")
    return EXIT_FAILED if failure else EXIT_OK


def find_game(name: str) -> tuple[Game, Edition]:
    """Return the game in a file, or ``FOLDER:PAIR.GAME`` from a results folder, and its edition.

    FOLDER may be a path, or the name of a folder under ``results``.
    """
    path = Path(name)
    # a file first: it may be called like a game in a folder
    if _ID.fullmatch(name) and not path.is_file():
        folder, pair, number = split_game_id(name)
        with closing(Store.open(ResultsFolder(folder).database)) as store:
            return store.game(pair, number), store.edition()
    try:
        return parse_record(path.read_text(encoding="utf-8"))
    except OSError as error:
        hint = "give a file, or FOLDER:PAIR.GAME such as quickstart:12.0"
        raise UsageError(f"{path}: cannot read a game: {error.strerror}; {hint}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: a game is UTF-8 text") from error
    except NotationError as error:
        raise NotationError(f"{path}: {error}") from error


def split_game_id(name: str) -> tuple[Path, int, int]:
    """Return results folder, pair and number of the game that ``FOLDER:PAIR.GAME`` names."""
    match = _ID.fullmatch(name)
    if match is None:
        raise UsageError(f"{name!r} is not a game; write FOLDER:PAIR.GAME, such as quickstart:12.0")
    place, pair, number = match.groups()
    folder = Path(place) if Path(place).is_dir() else Path("results") / place
    if not folder.is_dir():
        raise StoreError(f"there is no results folder {place}, nor results/{place}")
    return folder, int(pair), int(number)


def write_game(path: Path, game: Game, edition: Edition) -> None:
    """Write a game to a file of its own; raises `UsageError`."""
    try:
        # a name from a store may hold half a surrogate pair, which UTF-8 has no bytes for
        path.write_text(record_text(game, edition), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: cannot write: {error.strerror}") from error


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
def rerun(
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
