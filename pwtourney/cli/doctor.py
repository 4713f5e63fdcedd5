"""``pwtourney doctor``: what this machine has, and whether it treats bots alike."""

from contextlib import closing
from pathlib import Path

import click
from rich.text import Text

from pwtourney.cli.console import PipeConsole
from pwtourney.cli.progress import Progress
from pwtourney.cli.seating import say, warn
from pwtourney.config import TournamentFile, bot_entry, unwritten_file
from pwtourney.doctor import WAIT, Comparison, compare, facilities, self_plan, self_play
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.match import PairResult
from pwtourney.sanitize import sanitize
from pwtourney.tournament import PairDone, Plan, Started, find_bot, load_tournament, make_plan
from pwtourney.tournament.room import BotRoom
from pwtourney.tournament.session import stop_as_by_interrupt

__all__ = ["command"]

_SEED = 2014


@click.command("doctor")
@click.option(
    "--self-play",
    "bot",
    metavar="BOT",
    help="Play this bot against itself and compare the two copies.",
)
@click.option(
    "--file", type=click.Path(path_type=Path), help="The tournament file that contains BOT."
)
@click.option(
    "--pairs", type=click.IntRange(2, 10_000), default=20, show_default=True, help="Pairs to play."
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="Games at a time."
)
def command(bot: str | None, file: Path | None, pairs: int, workers: int) -> int:
    """Show what this machine offers for tournaments, and how to install what is missing.

    With --self-play, a bot plays against a copy of itself. This shows whether the machine treats
    both alike in score, time and processor time. The exit code is 1 if it does not.
    """
    console = PipeConsole(highlight=False)
    if bot is None:
        if file is not None:
            raise UsageError("--file goes with --self-play")
        _print_facilities(console)
        return EXIT_OK
    stop_as_by_interrupt()
    return _print_comparison(bot, _play(bot, file, pairs, workers), console)


def _print_facilities(console: PipeConsole) -> None:
    for each in facilities():
        mark = Text("✓ ", style="green") if each.there else Text("✗ ", style="red")
        console.print(mark + Text(f"{each.name}: {sanitize(each.detail)}"), soft_wrap=True)
        if not each.there:
            console.print(Text(f"    without it {each.means}"), soft_wrap=True)
            console.print(Text(f"    to get it: {each.remedy}"), soft_wrap=True)


def _play(bot: str, file: Path | None, pairs: int, workers: int) -> list[PairResult]:
    """Play a bot against itself under the terms of a tournament file, or under plain ones."""
    tournament = load_tournament(file) if file else _unwritten(bot)
    results: list[PairResult] = []
    with BotRoom(tell=say, warn=warn) as room, Progress(quiet=False) as progress:
        tournament = room.build(tournament)
        plan = self_plan(*_found(bot, tournament, named=file is not None), pairs)
        plan = plan._replace(entrants=room.prepare(plan.entrants))
        progress(Started(pairs, 0))
        with closing(self_play(plan, workers, room.scratch)) as played:
            for result in played:
                results.append(result)
                progress(PairDone(result.pair, *result.games[0].bots, None))
    return results


def _unwritten(bot: str) -> TournamentFile:
    entry = bot_entry(bot)
    find_bot(entry, Path.cwd())  # or it would be reported for both entries
    return unwritten_file({"bots": [entry, entry]})


def _found(bot: str, tournament: TournamentFile, *, named: bool) -> tuple[Plan, str]:
    plan = make_plan(tournament, _SEED)
    if not named:
        return plan, plan.bots[0]
    if bot not in plan.bots:
        raise UsageError(f"{tournament.path} has no bot {bot!r}; it has {', '.join(plan.bots)}")
    return plan, bot


def _verdict(*, alike: bool, clear: bool) -> str:
    if not alike:
        return "the two are NOT treated alike"
    if clear:
        return "both copies and both seats are treated alike"
    return "no significant difference; play more --pairs where there is a ?"


def _amount(each: Comparison) -> str:
    if each.plus_minus is None:
        return "too few pairs to decide"
    factor, unit = (1, "ms") if each.name == WAIT else (100, "%")
    return f"{factor * each.difference:+.2f} ± {factor * each.plus_minus:.2f} {unit}"


def _print_comparison(bot: str, results: list[PairResult], console: PipeConsole) -> int:
    faults = [fault for pair in results for game in pair.games for fault in game.faults]
    console.print(
        Text(f"{sanitize(bot)} against itself: {len(results)} pairs, {len(faults)} faults")
    )
    if faults:
        console.print(Text(f"✗ {faults[0].verdict}: {sanitize(faults[0].message)}"))
        return EXIT_FAILED
    alike = clear = True
    for each in compare(results):
        alike = alike and each.alike
        clear = clear and each.clear
        mark = "✗" if not each.alike else "✓" if each.clear else "?"
        console.print(Text(f"{mark} {each.name}: {_amount(each)}"))
    console.print(Text(_verdict(alike=alike, clear=clear)))
    return EXIT_OK if alike else EXIT_FAILED
