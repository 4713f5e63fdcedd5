"""One bot against the Automa."""

from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

from pwtourney.clock import Clock, TimeControl
from pwtourney.errors import BotFault
from pwtourney.match.conversation import Conversation
from pwtourney.match.job import MAX_MESSAGE, BotSpec, Fault, Ply, Verdict
from pwtourney.process import Strays
from pwtourney.rules.automa import AutomaTurn, Solo

__all__ = ["SoloGame", "SoloWatcher", "play_solo"]

SoloWatcher = Callable[[Solo, Ply | AutomaTurn], None]
"""Called after each ply of the bot and each turn of the Automa."""


class SoloGame(NamedTuple):
    """A solo game that has ended: everything that happened in order, and how it ended."""

    final: Solo
    log: tuple[Ply | AutomaTurn, ...]
    verdict: Verdict
    winner: int
    fault: Fault | None


def play_solo(
    bot: BotSpec,
    solo: Solo,
    seed: int,
    watch: SoloWatcher | None = None,
    scratch_root: str | None = None,
) -> SoloGame:
    """Let a bot play the human's part; it is gone when this returns.

    The bot sees the Automa as an opponent with an empty quilt. It is not told what the Automa
    played: the position says all that it may know, and the cards are hidden.
    """
    table = _SoloTable(bot, solo, watch)
    with ExitStack() as last:
        last.callback(table.clean_up)
        last.callback(Strays().sweep)
        last.callback(table.end)
        try:
            table.play(seed, scratch_root)
        except BotFault as fault:
            table.note(fault)
    return table.game()


class _SoloTable:
    """The state of a solo game, and what has been written down so far."""

    def __init__(self, bot: BotSpec, solo: Solo, watch: SoloWatcher | None) -> None:
        self._bot = bot
        self._solo = solo
        self._watch = watch
        self._clock = Clock.start((bot.control, TimeControl()))
        self._conversation: Conversation | None = None
        self._log: list[Ply | AutomaTurn] = []
        self._fault: Fault | None = None

    def play(self, seed: int, scratch_root: str | None) -> None:
        """Seat the bot and play to the end; raises `BotFault`."""
        bot = self._conversation = Conversation(self._bot, scratch_root)
        bot.new_game(self._solo.state.edition, 0, seed)
        while not self._solo.state.is_over:
            state = self._solo.state
            done: Ply | AutomaTurn
            if state.to_move == 0:
                answer = bot.turn(state, (), self._clock, 0)
                done = answer.ply
                self._clock = self._clock.spend(0, answer.wall_ns, answer.cpu_ns)
                self._solo = self._solo._replace(state=state.apply(answer.action))
            else:
                self._solo, done = self._solo.turn()
            self._log.append(done)
            if self._watch:
                self._watch(self._solo, done)

    def note(self, fault: BotFault) -> None:
        """Write down that the bot failed."""
        if self._conversation:
            self._fault = self._conversation.fault(0, fault)
        else:
            self._fault = Fault(0, Verdict(fault.verdict), str(fault)[:MAX_MESSAGE])

    def end(self) -> None:
        """Tell the bot the result and see it out."""
        if self._conversation:
            mine, theirs = self._solo.scores
            self._conversation.game_over(mine, theirs, "loss" if self._winner() else "win")
            self._conversation.end()

    def clean_up(self) -> None:
        """Remove what the bot wrote."""
        if self._conversation:
            self._conversation.clean_up()

    def game(self) -> SoloGame:
        """Return what has been written down."""
        verdict = self._fault.verdict if self._fault else Verdict.FINISHED
        return SoloGame(self._solo, tuple(self._log), verdict, self._winner(), self._fault)

    def _winner(self) -> int:
        winner = self._solo.winner
        return 1 if self._fault or winner is None else winner
