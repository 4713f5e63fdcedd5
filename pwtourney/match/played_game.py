"""The state of a game in progress: position, clocks, plies and its end; without the bots."""

from collections.abc import Collection
from typing import NamedTuple

from pwtourney.clock import Clock
from pwtourney.errors import BotFault, IllegalActionError
from pwtourney.match.job import MAX_MESSAGE, GameSetup
from pwtourney.notation import action_text, card_text, is_card, read_action
from pwtourney.notation.game import UNTIMED, Fault, Game, Ply, Verdict
from pwtourney.rules import State
from pwtourney.rules.automa import AUTOMA_SEAT, Solo

__all__ = ["Checkpoint", "PlayedGame", "describe_fault", "describe_lateness"]

_KNOWN = "this cannot be taken back: since then"


class Checkpoint(NamedTuple):
    """A state of a game to return to: position, clocks, number of plies, the Automa's cards."""

    state: State
    clock: Clock
    plies: int
    solo: Solo | None


class PlayedGame:
    """The position, the clocks and the plies of a game, and the faults that ended it.

    It asks no players. The referee, a terminal and a browser table each have a `PlayedGame`, and
    decide what is played: `check` tests whether a ply is legal, `follow` checks and plays it, and
    `play` plays a ply that was checked before. Read the attributes; change them only by methods.

    `people` are the seats whose actions can be taken back.
    """

    def __init__(self, setup: GameSetup, people: Collection[int] = ()) -> None:
        self.setup = setup
        self.people = people
        self.state = setup.start or State.start(setup.edition, setup.deal)
        self.clock = Clock.start((setup.bots[0].control, setup.bots[1].control))
        self.plies: list[Ply] = []
        self.faults: list[Fault] = []
        self._solo: Solo | None = None
        if setup.automa:
            self._solo = Solo.start(self.state, setup.automa, setup.seeds[AUTOMA_SEAT])
            self.state = self._solo.state
        self._first = self.checkpoint()
        self._decided: list[Checkpoint] = []
        """Checkpoints before the actions of people, oldest first; `take_back` restores the last."""

    @property
    def is_over(self) -> bool:
        """True if the game has ended, by the rules or by a fault."""
        return self.state.is_over or bool(self.faults)

    @property
    def is_automas_turn(self) -> bool:
        """True if the Automa is to move."""
        return self._solo is not None and self.state.to_move == AUTOMA_SEAT

    @property
    def scores(self) -> tuple[int, int]:
        """The score of each seat in this position; the Automa's depends on its level."""
        return self._board().scores

    @property
    def winner(self) -> int | None:
        """The seat that has won; None if the game is not over, or if both bots failed at once."""
        if len(self.faults) == 2:
            return None
        return 1 - self.faults[0].seat if self.faults else self._board().winner

    def record(self) -> Game:
        """Return the game in its stored form, without its bots' resource usage."""
        verdict = self.faults[0].verdict if self.faults else Verdict.FINISHED
        return self.setup.record(verdict)._replace(
            plies=tuple(self.plies),
            winner=self.winner,
            scores=self.scores,
            faults=tuple(self.faults),
        )

    # Playing.

    def check(self, ply: Ply) -> None:
        """Raise `NotationError` or `IllegalActionError` if a ply cannot be played now."""
        seat = self.state.to_move
        if self.is_over:
            raise IllegalActionError("the game is over")
        if ply.seat != seat:
            raise IllegalActionError(f"seat {seat} is to move")
        if not self.is_automas_turn:
            read_action(ply.action, self.state)
        elif ply.action != (card := self.draw_card().action):
            raise IllegalActionError(f"the Automa plays {card}")

    def follow(self, ply: Ply) -> None:
        """Check and play a ply; its time is taken from the clock, but not checked against it.

        A ply without a time leaves the clock unchanged. Raises what `check` raises, and then
        changes nothing.
        """
        self.check(ply)
        if self.is_automas_turn:
            self._solo, _ = self._draw()
            self.play(ply, self._solo.state, self.clock)
            return
        state, clock = self.state, self.clock
        action = read_action(ply.action, state)
        if ply.micros != UNTIMED:
            clock = clock.spend(ply.seat, 1000 * ply.micros, 1000 * ply.cpu)
        canonical = ply._replace(action=action_text(action, state.edition))
        if ply.seat in self.people:
            self._decided.append(self.checkpoint())
        self.play(canonical, state.apply(action), clock)

    def play(self, ply: Ply, after: State, clock: Clock) -> None:
        """Record a ply of any player, checked before, with the state and the clock after it."""
        self.clock = clock
        self.plies.append(ply)
        self.state = after

    def draw_card(self) -> Ply:
        """Return the ply that the Automa plays in its turn, without playing it."""
        return self._draw()[1]

    def play_card(self) -> Ply:
        """Play the Automa's turn; return its ply."""
        self._solo, ply = self._draw()
        self.play(ply, self._solo.state, self.clock)
        return ply

    def lose(self, fault: Fault) -> None:
        """End the game with a fault; its seat has lost. Both seats can fail at once."""
        self.faults.append(fault)

    # Taking back.

    @property
    def undo_problem(self) -> str:
        """Why the last action of a person cannot be taken back; empty if it can."""
        if not self._decided:
            return "there is nothing to take back"
        last = self._decided[-1]
        # After a different action, a person would play with knowledge that the rules hide. To
        # shuffle again is no solution: a game is saved with one deal, and one seed for the Automa's
        # cards.
        if last.state.late and not self.state.late:
            return f"{_KNOWN}, the order of the late patches is known"
        if any(is_card(ply.action) for ply in self.plies[last.plies :]):
            return f"{_KNOWN}, the Automa has turned over a card"
        return ""

    @property
    def undo_count(self) -> int:
        """The number of plies that remain when the last action of a person is taken back."""
        return self._decided[-1].plies if self._decided else len(self.plies)

    def take_back(self) -> None:
        """Take back the last action of a person and everything after it.

        Only allowed while `undo_problem` is empty.
        """
        assert not self.undo_problem, "a player has read why nothing can be taken back"
        # return to before the person's own ply, so a bot's answer to it is removed, too
        self.restore(self._decided[-1])

    def restart(self) -> None:
        """Take back everything, even if the rules hide it."""
        self.restore(self._first)

    def checkpoint(self) -> Checkpoint:
        """Return a checkpoint of the current state."""
        return Checkpoint(self.state, self.clock, len(self.plies), self._solo)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Return to a checkpoint. Faults stay, because they ended the game."""
        self.state, self.clock, count, self._solo = checkpoint
        del self.plies[count:]
        while self._decided and self._decided[-1].plies >= count:
            self._decided.pop()

    def _draw(self) -> tuple[Solo, Ply]:
        """Return the solo game after the Automa's next card, and the ply."""
        assert self._solo is not None, "the Automa has a seat"
        solo, turn = self._solo._replace(state=self.state).turn()
        return solo, Ply(AUTOMA_SEAT, card_text(turn), 0)

    def _board(self) -> State | Solo:
        """Return the object that knows scores and winner by the rules, without regard to faults."""
        return self._solo._replace(state=self.state) if self._solo else self.state


def describe_fault(seat: int, fault: BotFault) -> Fault:
    """Return the record of a fault that has nothing but a message.

    It is the fault of a person, of a bot that could not be started, or of a bot elsewhere.
    """
    message = str(fault)[:MAX_MESSAGE]
    return Fault(seat, Verdict(fault.verdict), message, log=message)


def describe_lateness(spent_ns: int, allowed_ns: int) -> str:
    """Return a message that says how late a person was."""
    return f"the turn took {spent_ns / 1e9:.1f} s, and {allowed_ns / 1e9:.1f} s were left"
