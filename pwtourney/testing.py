"""Help for the tests of a bot's author.

>>> from pwtourney.sdk import Action, Bot, Turn
>>> class Magpie(Bot):
...     def choose(self, turn: Turn) -> Action:
...         return turn.state.legal_actions()[0]
>>> from pwtourney.testing import Scripted, play_out
>>> game, final = play_out(Magpie(), Scripted("advance"), seed=7)
>>> final.is_over, game.plies[0].action
(True, 'advance')

`play_out` and `ask` run a Python bot in the process of the test, over the same text that it
hears in a tournament; `assert_conformant` takes the steps of ``pwtourney check`` with a bot in any
language, in a process of its own.
"""

import subprocess
import sys
from collections.abc import Sequence

from pwtourney.clock import Limit
from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError
from pwtourney.notation import action_text, read_action
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Action, Edition, State, deal, find_edition
from pwtourney.sdk import Bot, Turn
from pwtourney.sdk.bot import InProcess

__all__ = ["Scripted", "ask", "assert_conformant", "play_out"]


class Scripted(Bot):
    """A bot that plays the given actions, one per turn, and after them the first legal action.

    An action of the script that is not legal in its turn raises `IllegalActionError`.
    """

    name = "scripted"

    def __init__(self, *script: str) -> None:
        super().__init__()
        self._script = list(script)

    def choose(self, turn: Turn) -> Action:
        """Return the next action of the script."""
        if self._script:
            return read_action(self._script.pop(0), turn.state)
        return turn.state.legal_actions()[0]


def play_out(
    bot: Bot,
    opponent: Bot | None = None,
    *,
    edition: Edition | str = "original",
    seat: int = 0,
    seed: int = 1,
    move_ms: int = 1000,
) -> tuple[Game, State]:
    """Play a whole game, and return it with its last position.

    The default opponent is `Scripted` without a script.

    `seat` is the bot's, and `seed` determines the deal. `move_ms` is the time limit that each bot
    is given, but it is not enforced. Raises `NotationError` or `IllegalActionError` for an answer
    that is not allowed, and any exception of the bots themselves.
    """
    edition = find_edition(edition) if isinstance(edition, str) else edition
    bots = [bot, opponent or Scripted()]
    if seat:
        bots.reverse()
    # Each has its own seed, as in a tournament, so two copies of a bot may play differently.
    seats = [
        InProcess(player, edition, number, seed + number) for number, player in enumerate(bots)
    ]
    dealt = deal(edition, seed)
    state = State.start(edition, dealt)
    plies: list[Ply] = []
    while not state.is_over:
        mover = state.to_move
        action = seats[mover].choose(state, Limit(move_ms=move_ms))
        ply = Ply(mover, action_text(action, edition))
        seats[1 - mover].hear(ply.action)
        plies.append(ply)
        state = state.apply(action)
    for side in seats:
        side.end(state)
    game = Game(
        bots=(bots[0].name, bots[1].name),
        edition=edition.name,
        deal=dealt,
        seeds=(seed, seed + 1),
        plies=tuple(plies),
        verdict=Verdict.FINISHED,
        winner=state.winner,
        scores=state.scores,
    )
    return game, state


def ask(bot: Bot, state: State, *, move_ms: int = 1000) -> Action:
    """Ask a bot about one position, in a game of its own, and return its answer.

    Raises `NotationError` or `IllegalActionError` if the answer is not allowed.
    """
    game = InProcess(bot, state.edition, state.to_move, seed=1)
    return game.choose(state, Limit(move_ms=move_ms))


def assert_conformant(
    bot: str,
    *,
    editions: Sequence[str] = (),
    move_ms: int = 1000,
    games: int = 20,
    dialogues: int = 5,
) -> None:
    """Raise `AssertionError` with a full report on the first step that a bot fails.

    `bot` is an argument of ``pwtourney check``: the name of an installed bot, a Python file, or a
    command. It runs with your permissions, without a sandbox. The default of `editions` is all that
    the bot claims. Raises `UsageError` if the check cannot run, for example if the bot does not
    exist.
    """
    options = [f"--move={move_ms}ms", f"--games={games}", f"--dialogues={dialogues}"]
    options += [f"--edition={edition}" for edition in editions]
    # In its own process: a process that starts bots adopts their orphans and kills them, and in a
    # test's process those could be children of the test.
    check = subprocess.run(
        [
            sys.executable,
            "-m",
            "pwtourney",
            "check",
            bot,
            *options,
            "--sandbox=none",
            "--trusted",
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if check.returncode == EXIT_FAILED:
        raise AssertionError("\n" + check.stdout)
    if check.returncode != EXIT_OK:
        raise UsageError(check.stderr.strip().removeprefix("error: "))
