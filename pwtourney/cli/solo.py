"""The part of ``pwtourney play`` that plays against the Automa."""

from pwtourney.cli.console import PipeConsole
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.match import BotSpec, Ply, SoloGame, play_solo
from pwtourney.notation import parse_action
from pwtourney.report.boards import Boards
from pwtourney.rules import Edition, State
from pwtourney.rules.automa import AutomaTurn, Solo, find_level
from pwtourney.schedule import derived_seed
from pwtourney.schedule.seeds import BOT_SEED_BITS

__all__ = ["PREFIX", "play_against_automa"]

PREFIX = "automa:"


def play_against_automa(
    bot: BotSpec,
    name: str,
    edition: Edition,
    seed: int,
    console: PipeConsole,
    *,
    show: bool,
    scratch: str,
) -> int:
    """Play one solo game, print everything that happens, and return the exit code.

    `name` is ``automa:LEVEL`` or ``automa:LEVEL:tactical``.
    """
    level, _, deck = name.removeprefix(PREFIX).partition(":")
    if deck not in ("", "tactical"):
        raise UsageError(f"{name!r}: write automa:LEVEL or automa:LEVEL:tactical")
    deck_seed = derived_seed(seed, "automa")
    start = State.start(edition, seed)
    solo = Solo.start(start, find_level(level), deck_seed, tactical=bool(deck))
    printer = _Printer(bot.id, edition, console, show=show)
    bot_seed = derived_seed(seed, "play", 0, bits=BOT_SEED_BITS)
    game = play_solo(bot, solo, bot_seed, printer, scratch)
    printer.result(game)
    return EXIT_FAILED if game.fault else EXIT_OK


class _Printer:
    """Prints each ply of the bot and each card of the Automa."""

    def __init__(self, name: str, edition: Edition, console: PipeConsole, *, show: bool) -> None:
        self._name = name
        self._edition = edition
        self._console = console
        self._show = show
        self._boards = Boards(edition)
        self._count = 0

    def __call__(self, solo: Solo, done: Ply | AutomaTurn) -> None:
        self._count += 1
        what = _card(done) if isinstance(done, AutomaTurn) else f"{self._name} {done.action}"
        self._console.print(f"{self._count:>3}. {what}", markup=False, soft_wrap=True)
        if isinstance(done, Ply):
            self._boards.put(0, parse_action(done.action, self._edition))
            if self._show:
                self._console.print(
                    self._boards.draw(solo.state, (self._name, "automa"), self._console.width)
                )

    def result(self, game: SoloGame) -> None:
        """Print how it ended."""
        if game.fault:
            text = f"{self._name}: {game.fault.verdict}: {game.fault.message}"
            self._console.print(text, markup=False)
        mine, theirs = game.final.scores
        winner = "automa" if game.winner else self._name
        level = game.final.level.name
        self._console.print(
            f"{self._name} {mine}, automa {theirs} ({level}): {winner} wins", markup=False
        )


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
