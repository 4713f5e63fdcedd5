"""A game told ply by ply on a terminal: while it is played, from a record, or as analysed."""

from collections.abc import Sequence

from rich.console import Console

from pwtourney.match import GameSetup
from pwtourney.match.analysis import Evaluation, find_largest_swings
from pwtourney.match.game_loop import Watcher
from pwtourney.notation.game import Game, Ply
from pwtourney.notation.record import replay
from pwtourney.report.boards import Boards
from pwtourney.rules import Edition, State
from pwtourney.rules.automa import AUTOMA_SEAT, AutomaTurn, Solo
from pwtourney.sanitize import sanitize

__all__ = [
    "make_watcher",
    "print_analysis",
    "print_final",
    "print_line",
    "print_record",
    "print_result",
]

_STDERR_LINES = 20
"""The end of a traceback says most; a bot may have written far more."""


def print_line(console: Console, text: str) -> None:
    """Print a line as it is: names may hold what rich takes for markup, and a pipe has no width."""
    console.print(text, markup=False, soft_wrap=True)


def make_watcher(setup: GameSetup, console: Console, *, show: bool) -> Watcher:
    """Return what prints each ply, of the Automa with its reasons, and with `show` the quilts."""
    boards = Boards(setup.edition)
    names = (setup.bots[0].id, setup.bots[1].id)
    count = 0
    solo = None
    if setup.automa:
        # its side is played once more here: the loop tells which card it drew, but not why
        start = State.start(setup.edition, setup.deal)
        solo = Solo.start(start, setup.automa, setup.seeds[AUTOMA_SEAT])

    def watch(state: State, ply: Ply) -> None:
        nonlocal solo, count
        count += 1
        if solo and ply.seat == AUTOMA_SEAT:
            solo, turn = solo.turn()
            print_line(console, f"{count:>3}. {_explain_card(turn)}")
            return
        solo = solo and solo._replace(state=state)
        print_line(console, f"{count:>3}. {names[ply.seat]} {ply.action}")
        if show:
            boards.put(ply.seat, ply.action)
            console.print(boards.draw(state, names, console.width))

    return watch


def _explain_card(turn: AutomaTurn) -> str:
    """Tell what the Automa did, and why."""

    def list_patches(patches: tuple[int, ...]) -> str:
        return " ".join(map(str, patches)) or "none"

    card = turn.card
    steps = [f"{name} leaves {list_patches(left)}" for name, left in turn.steps]
    took = "passes" if turn.taken is None else f"takes {turn.taken}"
    reasons = [f"affordable {list_patches(turn.affordable)}", *steps]
    return (
        f"automa card {card.number} (budget {card.budget}, income {card.income}):"
        f" {', '.join(reasons)}, {took}, to space {turn.space}"
    )


def print_final(setup: GameSetup, state: State, game: Game, console: Console) -> None:
    """Print all plies of a game that was played on the whole screen, and the quilts at its end."""
    boards = Boards(setup.edition)
    for number, ply in enumerate(game.plies, 1):
        boards.put(ply.seat, ply.action)
        console.print(f"{number:>3}. {game.bots[ply.seat]} {ply.action}", markup=False)
    console.print(boards.draw(state, game.bots, console.width))


def print_result(game: Game, console: Console) -> None:
    """Print faults with the end of standard error, scores, and the winner."""
    for fault in game.faults:
        print_line(console, f"{game.bots[fault.seat]}: {fault.verdict}: {sanitize(fault.message)}")
        for line in fault.stderr.splitlines()[-_STDERR_LINES:]:
            print_line(console, f"  | {sanitize(line)}")
    scores = f"{game.bots[0]} {game.scores[0]}, {game.bots[1]} {game.scores[1]}"
    winner = "nobody wins" if game.winner is None else f"{game.bots[game.winner]} wins"
    level = f" ({game.automa.level})" if game.automa else ""
    print_line(console, f"{scores}{level}: {winner}")


def print_record(game: Game, edition: Edition, console: Console, at: int | None = None) -> None:
    """Draw a game that is written down, all of it or the position after one ply.

    Every ply is checked against the rules. Raises `NotationError`, `IllegalActionError`.
    """
    boards = Boards(edition)
    names = (sanitize(game.bots[0]), sanitize(game.bots[1]))
    for number, state in enumerate(replay(game, edition)):
        if number:
            ply = game.plies[number - 1]
            boards.put(ply.seat, ply.action)
            if at in (None, number):
                console.print(f"{number:>3}. {names[ply.seat]} {ply.action}", markup=False)
        if at in (None, number):
            console.print(boards.draw(state, names, console.width))
    if at is None:
        winner = "nobody wins" if game.winner is None else f"{names[game.winner]} wins"
        scores = f"{names[0]} {game.scores[0]}, {names[1]} {game.scores[1]}"
        console.print(f"{scores}: {winner} ({sanitize(game.verdict)})", markup=False)


def print_analysis(
    game: Game, evaluations: Sequence[Evaluation], bot: str, console: Console
) -> None:
    """Print what a bot makes of each ply of a game, and which plies changed most."""
    names = [sanitize(name) for name in game.bots]
    console.print(
        f"{'ply':>4}  {'margin':>7}  {'swing':>7}  played; {bot} would play", markup=False
    )
    for each in evaluations:
        margin = "" if each.margin is None else f"{each.margin:+.1f}"
        swing = "" if each.swing is None else f"{each.swing:+.1f}"
        other = "" if each.choice in (None, each.action) else f"; {each.choice}"
        played = f"{names[each.seat]} {each.action}"
        print_line(console, f"{each.number:>4}  {margin:>7}  {swing:>7}  {played}{other}")
    asked = [each for each in evaluations if each.choice]
    for seat, name in enumerate(names):
        own = [each for each in asked if each.seat == seat]
        if own:
            same = sum(each.choice == each.action for each in own)
            print_line(console, f"{bot} would play {same} of {len(own)} plies of {name}")
    if asked and all(each.margin is None for each in asked):
        hint = "it would have to write `info score N`, as in `score -3.5`"
        print_line(console, f"{bot} said no margin; {hint}")
    for each in find_largest_swings(evaluations):
        played = f"{names[each.seat]} {each.action}"
        print_line(console, f"ply {each.number}: {played}: {each.swing:+.1f} points")
