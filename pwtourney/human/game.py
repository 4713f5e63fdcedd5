"""A game in which some seats are people's: asked here, or played elsewhere and followed."""

import time
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from pwtourney.errors import BotFault, IllegalActionError
from pwtourney.match import GameSetup
from pwtourney.match.game_loop import Checkpoint, GameLoop
from pwtourney.notation import action_text, card_text, is_card, read_action
from pwtourney.notation.game import UNTIMED, Fault, Ply, Verdict
from pwtourney.rules import Action, State
from pwtourney.rules.automa import AUTOMA_SEAT

__all__ = ["HumanGameLoop", "Player", "Question"]

_KNOWN = "this cannot be taken back: since then"


class Question(NamedTuple):
    """What a person is asked: an action in this position.

    `names` are by seat, `plies` what was played so far, and `undo_problem` why nothing can be taken
    back; empty if the last action of a person can.
    """

    state: State
    names: tuple[str, str]
    plies: tuple[Ply, ...]
    undo_problem: str = ""


Player = Callable[[Question], Action | None]
"""Answers with a legal action, or None to take back the last one that a person played.

None is for questions without an `undo_problem` only.
"""


class HumanGameLoop(GameLoop):
    """A game in which some seats are people's.

    Their time is that of the setup, and judged like a bot's. `player` asks them in `play`; without
    one they play elsewhere, and the game follows with `catch_up` and `follow`.
    """

    def __init__(self, setup: GameSetup, player: Player | None, people: Collection[int]) -> None:
        super().__init__(setup, None)
        self._player = player
        self._people = people
        # bots have the others: only those are started, hear of the game, and are given back
        self.seats = tuple(seat for seat in self.seats if seat not in people)
        self._first = self.checkpoint()
        self._decided: list[Checkpoint] = []

    @property
    def plies(self) -> Sequence[Ply]:
        """What was played so far."""
        return self._plies

    @property
    def faults(self) -> Sequence[Fault]:
        """By what the game was lost, if it was not played to its end."""
        return self._faults

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, by the rules or by a fault."""
        return self._state.is_over or bool(self._faults)

    @property
    def undo_problem(self) -> str:
        """Why the last action of a person stays; an empty text means it can go."""
        if not self._decided:
            return "there is nothing to take back"
        last = self._decided[-1]
        # Played otherwise, it would be played by somebody who knows what the rules hide. To shuffle
        # again would not do: a game is saved with one deal, and one seed for the Automa's cards.
        if last.state.late and not self._state.late:
            return f"{_KNOWN}, the order of the late patches is known"
        if any(is_card(ply.action) for ply in self._plies[last.plies :]):
            return f"{_KNOWN}, the Automa has turned over a card"
        return ""

    @property
    def left_ns(self) -> tuple[int, int]:
        """What each seat has left of its game's time, in nanoseconds; 0 without such a time."""
        return self._clock.left_ns

    def allowance(self, seat: int) -> int | None:
        """Return how long this seat may take now, in nanoseconds; None without a limit."""
        return self._clock.allowance(seat).wall_ns

    def check(self, ply: Ply) -> None:
        """Raise what `follow` would raise for a ply, and change nothing."""
        seat = self._state.to_move
        if self.is_over:
            raise IllegalActionError("the game is over")
        if ply.seat != seat:
            raise IllegalActionError(f"seat {seat} is to move")
        if not (self._solo and seat == AUTOMA_SEAT):
            read_action(ply.action, self._state)
        elif ply.action != (card := self.draw_card().action):
            raise IllegalActionError(f"the Automa plays {card}")

    def follow(self, ply: Ply) -> None:
        """Play a ply that was decided elsewhere; its time is taken from the clock, and not judged.

        A ply without a time leaves the clock as it is. Raises `NotationError` or
        `IllegalActionError` for one that cannot be played now, and changes nothing then.
        """
        self.check(ply)
        state, seat = self._state, self._state.to_move
        if self._solo and seat == AUTOMA_SEAT:
            self._solo, _ = self._solo._replace(state=state).turn()
            after = self._solo.state
        else:
            action = read_action(ply.action, state)
            ply, after = (
                ply._replace(action=action_text(action, state.edition)),
                state.apply(action),
            )
            if seat in self._people:
                self._decided.append(self.checkpoint())
            self._unheard[seat].clear()
            self._unheard[1 - seat].append(ply.action)
            if ply.micros != UNTIMED:
                self._clock = self._clock.spend(seat, 1000 * ply.micros, 1000 * ply.cpu)
        self._state = after
        self._plies.append(ply)

    def catch_up(self, plies: Sequence[Ply]) -> None:
        """Come to where the same game stands elsewhere, which may have been taken back there.

        A bot that is found to have died meanwhile has lost: then the game is over.
        """
        own = [ply.action for ply in self._plies]
        if own != [ply.action for ply in plies[: len(own)]]:
            self._decided.clear()
            self.restore(self._first)
            if self.is_over:
                return
        new = plies[len(self._plies) :]
        known = len(self._plies)
        for ply in new:
            self.follow(ply)
        if not known:
            # bots that have heard of the game just now hear the position, and no past
            for unheard in self._unheard:
                unheard.clear()

    @property
    def undo_count(self) -> int:
        """How many plies are left when the last action of a person is taken back."""
        return self._decided[-1].plies if self._decided else len(self._plies)

    def take_back(self) -> None:
        """Take back the last action of a person, and what was played since.

        It can be done as long as there is no `undo_problem`.
        """
        assert not self.undo_problem, "a player has read why nothing can be taken back"
        # to before this person's own ply: what a bot answered to it goes, too
        self.restore(self._decided.pop())

    def lose(self, seat: int, fault: BotFault) -> None:
        """End the game: this seat has lost it by a fault, or has resigned."""
        self._note_fault(seat, fault)

    def draw_card(self) -> Ply:
        """Return what the Automa, whose turn it is, plays; to be followed."""
        assert self._solo is not None, "the Automa has a seat"
        _, turn = self._solo._replace(state=self._state).turn()
        return Ply(AUTOMA_SEAT, card_text(turn), 0)

    def _play_ply(self, seat: int) -> None:
        if seat not in self._people:
            super()._play_ply(seat)
            return
        assert self._player is not None, "people who play elsewhere are followed"
        begun = time.monotonic_ns()
        names = (self._setup.bots[0].id, self._setup.bots[1].id)
        question = Question(self._state, names, tuple(self._plies), self.undo_problem)
        action = self._player(question)
        if action is None:
            self.take_back()
            return
        spent = time.monotonic_ns() - begun
        allowed = self.allowance(seat)
        if allowed is not None and spent > allowed:
            raise BotFault(Verdict.TIMEOUT, describe_lateness(spent, allowed))
        self.follow(Ply(seat, action_text(action, self._setup.edition), spent // 1000))


def describe_lateness(spent_ns: int, allowed_ns: int) -> str:
    """Say how late a person was."""
    return f"the turn took {spent_ns / 1e9:.1f} s, and {allowed_ns / 1e9:.1f} s were left"
