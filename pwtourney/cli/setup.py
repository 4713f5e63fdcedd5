"""Before a tournament: ``config`` checks its file, ``check`` a bot, ``doctor`` the machine."""

import json
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import click
from rich.text import Text

from pwtourney.cli.common import (
    PipeConsole,
    check_target,
    refuse_options,
    say,
    warn,
)
from pwtourney.cli.playing import Progress, open_room
from pwtourney.clock import TimeControl
from pwtourney.config import json_schema, list_values
from pwtourney.conformance import (
    AFTER_FAILURE,
    CheckContext,
    check_json,
    check_junit,
    closing_text,
    outcome_text,
    take_steps,
)
from pwtourney.constants import SandboxChoice
from pwtourney.doctor import (
    Facility,
    compare,
    conclude,
    list_facilities,
    list_folder_facilities,
    load_self_play,
    plan_self_play,
    play_pairs,
)
from pwtourney.errors import EXIT_FAILED, EXIT_OK
from pwtourney.match import PairResult
from pwtourney.report.figures import amount
from pwtourney.report.publishing import write_whole
from pwtourney.report.text.boards import print_line
from pwtourney.rules import find_edition
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sanitize import sanitize
from pwtourney.schedule import make_format
from pwtourney.tournament import PairDone, Started, load_tournament, make_schedule
from pwtourney.tournament.lineup import list_lineup
from pwtourney.tournament.room import BotRoom, seat_bots
from pwtourney.tournament.slots import LocalSlots

__all__ = ["check", "doctor", "schema", "show", "validate"]

_MOST_WIDTH = 60


def validate(file: Path) -> int:
    """Check FILE and find its bots, without building or starting them."""
    tournament = load_tournament(file)
    players = list_lineup(tournament.config)
    names = [player.name for player in players]
    schedule = make_schedule(tournament, names, 0)
    pairs = make_format(schedule, names).max_pairs()
    # a tuned bot is one bot under two names
    count = sum(not player.tuned for player in players) + any(player.tuned for player in players)
    counted = (amount(count, "bot"), amount(pairs, "pair"), amount(2 * pairs, "game"))
    click.echo(f"{file}: {', '.join(counted)}")
    return EXIT_OK


def show(file: Path, settings: tuple[str, ...]) -> int:
    """Print all values that apply to FILE, and where each comes from."""
    values = list_values(load_tournament(file, settings))
    width = min(_MOST_WIDTH, max(len(text) for text, _ in values))
    for text, origin in values:
        click.echo(sanitize(f"{text:<{width}}  # {origin}"))
    return EXIT_OK


def schema() -> int:
    """Print the JSON Schema of a tournament file, for your editor."""
    click.echo(json.dumps(json_schema(), indent=2))
    return EXIT_OK


def doctor(
    bot: str | None, file: Path | None, pairs: int, workers: int, results: Path | None
) -> int:
    """Show what this machine offers for tournaments, and how to install what is missing."""
    console = PipeConsole(highlight=False)
    if results is not None:
        refuse_options(("bot", "file", "pairs", "workers"), "--results looks at a folder only")
        fits = _print_facilities(list_folder_facilities(results.absolute()), console)
        return EXIT_OK if fits else EXIT_FAILED
    if bot is None:
        refuse_options(("file", "pairs", "workers"), "only --self-play plays")
        _print_facilities(list_facilities(), console)
        return EXIT_OK
    tournament, name = load_self_play(bot, file)
    outcomes: list[PairResult] = []
    with BotRoom(tell=say, warn=warn) as room, Progress(quiet=False) as progress:
        plan = plan_self_play(name, room.build(tournament), pairs)
        plan = plan._replace(entrants=room.prepare(plan.entrants))
        if shortage := LocalSlots(find_usable_cores(), workers).find_shortage():
            room.warn(shortage)
        progress(Started(pairs, 0))  # only now: warnings before it would break the bar
        with closing(play_pairs(plan, workers, room.scratch)) as played:
            for result in played:
                outcomes.append(result)
                progress(PairDone(result.pair, *result.games[0].bots, None))
    return _print_comparisons(bot, outcomes, console)


def _print_facilities(facilities: Iterable[Facility], console: PipeConsole) -> bool:
    """Print each facility and what a missing one means; return True if none is missing."""
    is_complete = True
    for facility in facilities:
        mark = Text("✓ ", style="green") if facility.works else Text("✗ ", style="red")
        console.print(mark + Text(f"{facility.name}: {sanitize(facility.detail)}"), soft_wrap=True)
        if not facility.works:
            is_complete = False
            console.print(Text(f"    without it {facility.means}"), soft_wrap=True)
            console.print(Text(f"    to get it: {facility.remedy}"), soft_wrap=True)
    return is_complete


def _print_comparisons(bot: str, results: list[PairResult], console: PipeConsole) -> int:
    faults = [fault for pair in results for game in pair.games for fault in game.faults]
    console.print(
        Text(f"{sanitize(bot)} against itself: {len(results)} pairs, {len(faults)} faults")
    )
    if faults:
        console.print(Text(f"✗ {faults[0].verdict}: {sanitize(faults[0].message)}"))
        return EXIT_FAILED
    comparisons = list(compare(results))
    for comparison in comparisons:
        console.print(Text(str(comparison)))
    console.print(Text(conclude(comparisons)))
    return EXIT_OK if all(comparison.is_alike for comparison in comparisons) else EXIT_FAILED


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
    sandbox: SandboxChoice,
    trusted: bool,
) -> int:
    """Check BOT against the protocol, step by step."""
    chosen = tuple(find_edition(name) for name in editions)
    # now rather than after minutes of checking
    if junit:
        check_target("--junit", junit)
    console = PipeConsole(highlight=False, stderr=as_json)  # standard output is for the JSON
    outcomes = []
    with open_room() as room:
        control = TimeControl(move_ms=move)
        # measured, not suspended: a step checks whether the bot uses the processor while it waits
        (spec,) = seat_bots(room, [bot], control, sandbox, trusted=trusted, pondering="measure")
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
            if outcome.message != AFTER_FAILURE:  # the count below shows how many were left out
                print_line(console, outcome_text(outcome))
    for line in closing_text(context, outcomes):
        print_line(console, line)
    if as_json:
        click.echo(json.dumps(check_json(bot, context, outcomes), indent=2))
    if junit:
        write_whole(junit, check_junit(bot, outcomes))
    failed = any(outcome.status == "failed" for outcome in outcomes)
    return EXIT_FAILED if failed else EXIT_OK
