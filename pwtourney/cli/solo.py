"""The part of ``pwtourney play`` that has to do with the Automa."""

from pwtourney.cli.console import PipeConsole
from pwtourney.match import GameSetup, Ply
from pwtourney.match.game_loop import Watcher
from pwtourney.notation import is_card
from pwtourney.report.boards import Boards
from pwtourney.rules import State
from pwtourney.rules.automa import AutomaTurn, Solo

__all__ = ["solo_watcher"]


def solo_watcher(setup: GameSetup, console: PipeConsole, *, show: bool) -> Watcher:
    """Return what prints each ply of the bot, and each card of the Automa with its reasons."""
    assert setup.automa is not None, "a game against the Automa says how it plays"
    start = State.start(setup.edition, setup.deal)
    solo = Solo.start(start, setup.automa, setup.seeds[1])
    names = (setup.bots[0].id, setup.bots[1].id)
    boards = Boards(setup.edition)
    count = 0

    def watch(state: State, ply: Ply) -> None:
        nonlocal solo, count
        count += 1
        if is_card(ply.action):
            solo, turn = solo.turn()
            what = _card(turn)
        else:
            solo, what = solo._replace(state=state), f"{names[0]} {ply.action}"
        console.print(f"{count:>3}. {what}", markup=False, soft_wrap=True)
        boards.put(ply.seat, ply.action)
        if show and ply.seat == 0:
            console.print(boards.draw(state, names, console.width))

    return watch


def _card(turn: AutomaTurn) -> str:
    """Tell what the Automa did, and why."""
    card = turn.card
    parts = [f"automa card {card.number} (budget {card.budget}, income {card.income})"]
    parts.append(f"affordable {_patches(turn.affordable)}")
    parts += [f"{name} leaves {_patches(left)}" for name, left in turn.steps]
    took = "passes" if turn.taken is None else f"takes {turn.taken}"
    return ": ".join([parts[0], ", ".join([*parts[1:], f"{took}, to space {turn.space}"])])


def _patches(patches: tuple[int, ...]) -> str:
    return " ".join(map(str, patches)) or "none"
