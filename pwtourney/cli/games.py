"""Single games: ``play``, and ``replay``, ``analyse`` and ``rerun`` for stored ones."""

import json
import re
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import click

from pwtourney.cli.common import (
    PipeConsole,
    check_target,
    refuse_options,
    say,
    warn,
)
from pwtourney.cli.playing import diagnose_failure, open_room
from pwtourney.clock import TimeControl
from pwtourney.constants import SandboxChoice
from pwtourney.errors import (
    EXIT_FAILED,
    EXIT_OK,
    BotFault,
    NotationError,
    PwtourneyError,
    StoreError,
    UsageError,
)
from pwtourney.match import HUMAN, BotPool, BotSpec, GameSetup, PlayedGame, play_game
from pwtourney.match.analysis import (
    Evaluation,
    add_swings,
    analysis_data,
    evaluate_game,
)
from pwtourney.notation.game import Game
from pwtourney.notation.game_text import parse_record, record_text
from pwtourney.notation.game_text import replay as check_plies
from pwtourney.notation.marks import parse_start
from pwtourney.report.page.page import game_page
from pwtourney.report.publishing import write_whole
from pwtourney.report.text.boards import (
    make_watcher,
    print_analysis,
    print_final,
    print_line,
    print_record,
    print_result,
)
from pwtourney.rules import Edition, deal
from pwtourney.sanitize import sanitize
from pwtourney.store import GAME_NAME, ResultsFolder, Store, find_results
from pwtourney.text_files import TextError, clean_text, read_text
from pwtourney.tournament.plan import Plan, draw_deal_seed, read_lineup, set_options, set_up_game
from pwtourney.tournament.room import BotRoom, seat_bots
from pwtourney.tournament.verify import (
    compare_answers,
    describe_difference,
    find_spec,
    list_controls,
    plan_rerun,
    set_up_rerun,
)

__all__ = ["analyse", "find_game", "play", "replay", "rerun", "write_game"]

_PEOPLE = (HUMAN.id, f"{HUMAN.id}-1", f"{HUMAN.id}-2")
"""The ids of people: the only one, or the first and the second."""

_ID = re.compile(rf"(?P<folder>.+):(?P<game>{GAME_NAME})", re.ASCII)
"""A game in a folder."""


def play(
    a: str,
    b: str,
    edition: str | None,
    seed: int | None,
    position: str | None,
    move: int,
    no_timeout: bool,
    show: bool,
    log: Path | None,
    sandbox: SandboxChoice,
    trusted: bool,
    save: Path | None,
) -> int:
    """Play one game; A has the first seat."""
    if no_timeout:
        refuse_options(("move",), "--no-timeout sets no limit")
    _check_save(save)
    lineup = read_lineup(a, b, edition)
    chosen = lineup.edition
    if position is not None and lineup.automa:
        raise UsageError("--position does not go with the Automa; use --deal")
    if position is not None and save is not None:
        raise UsageError("--save does not go with --position: only games from a deal can be saved")
    seed = draw_deal_seed(seed, lineup, warn)
    start = None
    if position is not None:
        start, _ = parse_start(clean_text(position).strip(), chosen, deal(chosen, seed))
    control = TimeControl() if no_timeout else TimeControl(move_ms=move)
    console = PipeConsole(highlight=False)
    with open_room() as room:
        bots = _seat_players(room, lineup.bots, control, sandbox, trusted=trusted)
        setup = set_up_game(lineup, bots, seed)._replace(start=start)
        # before the game, so that it can be played again however it ends
        click.echo(f"deal {seed}, edition {chosen.name}", err=True)
        if log is not None:
            _make_log_folder(log, bots)
        with closing(BotPool(room.scratch, log)) as pool:
            game = _play(setup, pool, console, show=show)
    print_result(game, console)
    for seat, text in enumerate([a, b]):
        if fault := game.find_early_fault(seat):
            what = diagnose_failure(fault.verdict, fault.message, text, control)
            click.echo(f"warning: {game.bots[seat]}: {what}", err=True)
    if save:
        write_game(save, game, chosen)
    return EXIT_FAILED if game.faults else EXIT_OK


def _check_save(path: Path | None) -> None:
    """Raise `UsageError`, before a game is played, if it cannot be saved to a path."""
    if path is None:
        return
    check_target("--save", path)
    if path.exists():
        try:
            find_game(str(path))
        except PwtourneyError as error:
            raise UsageError(f"--save {path}: this is not a game; name another file") from error


def _play(setup: GameSetup, pool: BotPool, console: PipeConsole, *, show: bool) -> Game:
    """Play the game: printed ply by ply, or in full-screen mode if a person plays."""
    people = [seat for seat, bot in enumerate(setup.bots) if bot.id in _PEOPLE]
    if not people:
        return play_game(setup, make_watcher(setup, console, show=show), pool=pool)
    # imported here, because they load prompt_toolkit, which games of bots do not need
    from pwtourney.human import play_with_people
    from pwtourney.human.screen import ask_person

    played = PlayedGame(setup, people)
    game = play_with_people(played, ask_person, pool)
    print_final(setup, played.state, game, console)
    return game


def _seat_players(
    room: BotRoom,
    texts: Sequence[str],
    control: TimeControl,
    sandbox: SandboxChoice,
    *,
    trusted: bool,
) -> list[BotSpec]:
    """Seat bots and people; raises `UsageError` for a person without a terminal."""
    people = [text == HUMAN.id for text in texts]
    if any(people) and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("`human` needs an interactive terminal")
    named = [text for text in texts if text != HUMAN.id]
    bots = seat_bots(room, named, control, sandbox, trusted=trusted)
    for bot in bots:
        if bot.id in _PEOPLE:  # people are recognised by their ids, also in saved games
            raise UsageError(
                f"{bot.id}: this name is reserved for a person at the terminal; rename the bot"
            )
    seats, names = iter(bots), iter(_PEOPLE[1:] if all(people) and len(people) > 1 else _PEOPLE)
    return [HUMAN._replace(id=next(names)) if person else next(seats) for person in people]


def _make_log_folder(folder: Path, bots: list[BotSpec]) -> None:
    """Make the folder for logs, and check that its files can be written."""
    names = [bot.id for bot in bots if bot.id not in _PEOPLE]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            for kind in ("log", "stderr"):
                # they are appended to, and existing content is of another game
                (folder / f"{name}.{kind}").write_text("")
    except OSError as error:
        raise UsageError(f"--log: {error.filename}: {error.strerror}") from error


def replay(game: str, at: int | None, save: Path | None, html: Path | None) -> int:
    """Draw GAME ply by ply: a file, or FOLDER:37 or FOLDER:PAIR.GAME from a results folder."""
    if html is not None:
        refuse_options(("at", "save"), "--html writes the page and nothing else")
        check_target("--html", html)
        write_whole(html, _make_page(game))
        say(f"page: {html}")
        return EXIT_OK
    if save is not None:
        refuse_options(("at",), "--save writes the whole game")
        check_target("--save", save)
    record, edition = find_game(game)
    if save is not None:
        write_game(save, record, edition)
        return EXIT_OK
    if at is not None and at > len(record.plies):
        raise UsageError(f"--at {at}: the game has {len(record.plies)} plies")
    print_record(record, edition, PipeConsole(highlight=False), at)
    return EXIT_OK


def _make_page(name: str) -> str:
    """Return a page with one game; a game from a file is checked first.

    Anybody may have written the file.
    """
    if not _is_stored(name):
        record, edition = find_game(name)
        deque(check_plies(record, edition), maxlen=0)
        return game_page(record, edition)
    with _open_stored(name) as (_, store, game):
        return game_page(game, store.edition(), store.meta().name)


def analyse(
    game: str, bot: str, move: int, as_json: bool, sandbox: SandboxChoice, trusted: bool
) -> int:
    """Let a bot evaluate every position of GAME: a file, FOLDER:37 or FOLDER:PAIR.GAME."""
    record, edition = find_game(game)
    console = PipeConsole(highlight=False, stderr=as_json)  # standard output is for the JSON
    evaluations: list[Evaluation] = []
    failure = None
    with open_room() as room:
        (spec,) = seat_bots(room, [bot], TimeControl(move_ms=move), sandbox, trusted=trusted)
        with closing(BotPool(room.scratch)) as pool:
            try:
                # `+=` keeps the evaluations that came before a failure
                evaluations += evaluate_game(record, edition, spec, pool)
            except BotFault as fault:
                failure = f"{spec.id}: {fault.verdict}: {sanitize(str(fault))}"
    evaluations = add_swings(evaluations, record)
    if as_json:
        analysis = {
            "bots": list(record.bots),
            "scores": list(record.scores),
            **analysis_data(evaluations),
            "failure": failure,
        }
        click.echo(json.dumps(analysis, indent=2))
    else:
        print_analysis(record, evaluations, spec.id, console)
    if failure:
        print_line(console, f"{failure}, after {len(evaluations)} plies")
    return EXIT_FAILED if failure else EXIT_OK


def find_game(name: str) -> tuple[Game, Edition]:
    """Return the game in a file or a results folder, and its edition.

    In a folder it is ``FOLDER:PAIR.GAME``, or ``FOLDER:37`` for game 37 of the schedule. FOLDER may
    be a path, or the name of a folder under ``results``.
    """
    path = Path(name)
    if _is_stored(name):
        with _open_stored(name) as (_, store, game):
            return game, store.edition()
    try:
        return parse_record(read_text(path))
    except OSError as error:
        hint = "give a file, or a stored game such as quickstart:37 or quickstart:12.0"
        raise UsageError(f"{path}: cannot read a game: {error.strerror}; {hint}") from error
    except TextError as error:
        raise UsageError(f"{path}: {error}") from error
    except NotationError as error:
        raise NotationError(f"{path}: {error}") from error


def _is_stored(name: str) -> bool:
    """Return True if a name is that of a game in a results folder."""
    # a file takes precedence: it may have the name of a game in a folder
    return bool(_ID.fullmatch(name)) and not Path(name).is_file()


@contextmanager
def _open_stored(name: str) -> Iterator[tuple[Path, Store, Game]]:
    """Open the results folder that is named with one of its games, and read that game."""
    match = _ID.fullmatch(name)
    if match is None:
        raise UsageError(
            f"{name!r} is not a game; write FOLDER:37 or FOLDER:PAIR.GAME, as in quickstart:12.0"
        )
    folder = find_results(Path(match["folder"]))
    with closing(Store.open(ResultsFolder(folder).database)) as store:
        yield folder, store, _find_stored(store, match["game"])


def _find_stored(store: Store, name: str) -> Game:
    """Return a game by its number in the schedule, or by its pair and game."""
    try:
        return store.game(*store.numbers().locate(name))
    except StoreError as error:
        if "." in name:
            raise
        raise StoreError(f"{error}, which is number {name}") from error


def write_game(path: Path, game: Game, edition: Edition) -> None:
    """Write a game to a file of its own; raises `UsageError`."""
    try:
        # a name from a store may contain a lone surrogate, which UTF-8 cannot encode
        path.write_text(record_text(game, edition), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: cannot write: {error.strerror}") from error


def ask_about_file(
    game: str,
    bot: str,
    seat: int | None,
    control: TimeControl,
    sandbox: SandboxChoice,
    trusted: bool,
) -> int:
    """Ask a bot about a game in a file, which may have people in its seats."""
    record, edition = find_game(game)
    with open_room() as room:
        (spec,) = seat_bots(room, [bot], control, sandbox, trusted=trusted)
        tell = partial(print_line, PipeConsole(highlight=False))
        is_same = compare_answers(record, edition, spec, seat, None, room.scratch, tell=tell)
    return EXIT_OK if is_same else EXIT_FAILED


def rerun(
    game: str,
    file: Path | None,
    bot: str | None,
    seat: int | None,
    move: int,
    sandbox: SandboxChoice,
    trusted: bool,
    show: bool,
) -> int:
    """Play GAME again with the same deal and seeds: a file, FOLDER:37 or FOLDER:PAIR.GAME."""
    if file is None and bot is None:
        raise UsageError("give --file, which defines how bots are started, or --bot")
    refuse_options(("move", "sandbox", "trusted") if file else (), "--file says it")
    refuse_options(("show",) if bot else (), "with --bot no game is played")
    refuse_options(() if bot else ("seat",), "it is for --bot")
    if Path(game).is_file():
        refuse_options(("file",), f"{game} is a single game; give --bot")
        return ask_about_file(game, str(bot), seat, TimeControl(move_ms=move), sandbox, trusted)
    with _open_stored(game) as (folder, store, stored):
        meta, edition = store.meta(), store.edition()
        played_as = store.pair_as_played(stored.pair)[stored.game].bots
    console = PipeConsole(highlight=False)
    # a bot could read the stored answers there
    private = [folder.resolve(), file.resolve()] if file else []
    with open_room(private) as room:
        plan = plan_rerun(file, meta, stored, played_as, room) if file else None
        if plan and bot is None:
            return _play_again(plan, stored, room, console, show=show)
        if plan:
            # with the options of the game, for bots whose options change from pair to pair
            options = dict(zip(stored.bots, stored.options, strict=True)).get(str(bot), ())
            spec = set_options(find_spec(plan, str(bot)), options)
            controls = list_controls(plan, stored)
        else:
            control = TimeControl(move_ms=move)
            (spec,) = seat_bots(room, [str(bot)], control, sandbox, trusted=trusted)
            controls = None
        same = compare_answers(
            stored,
            edition,
            spec,
            seat,
            controls,
            room.scratch,
            tell=partial(print_line, console),
        )
    return EXIT_OK if same else EXIT_FAILED


def _play_again(
    plan: Plan, stored: Game, room: BotRoom, console: PipeConsole, *, show: bool
) -> int:
    """Play a stored game again with all of its bots, and print what differs."""
    setup = set_up_rerun(plan, stored)
    again = play_game(setup, make_watcher(setup, console, show=show), room.scratch)
    print_result(again, console)
    for fault in again.faults:
        for line in fault.log.splitlines():
            print_line(console, f"  {sanitize(line)}")
    print_line(console, describe_difference(stored, again))
    return EXIT_FAILED if again.faults else EXIT_OK
