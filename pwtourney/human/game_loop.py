"""The game loop of people, who may take back what they played, and bots."""

import time
from collections.abc import Callable, Collection
from typing import NamedTuple

from pwtourney.match import GameSetup, Ply
from pwtourney.match.game_loop import Checkpoint, GameLoop
from pwtourney.match.solo import SoloGameLoop
from pwtourney.notation import action_text
from pwtourney.rules import Action, State

__all__ = ["HumanSoloGameLoop", "HumanGameLoop", "Player", "Question"]


class Question(NamedTuple):
    """What a person is asked: an action in this position.

    `names` are by seat, `plies` what was played so far, and `undoable` whether a person has played
    something that can be taken back.
    """

    state: State
    names: tuple[str, str]
    plies: tuple[Ply, ...]
    undoable: bool


Player = Callable[[Question], Action | None]
"""Answers with a legal action, or None to take back the last one that a person played."""


class HumanGameLoop(GameLoop):
    """A game in which some seats are people's."""

    def __init__(self, setup: GameSetup, player: Player, people: Collection[int]) -> None:
        super().__init__(setup, None)
        self._player = player
        self._people = people
        self.seats = tuple(seat for seat in self.seats if seat not in people)
        self._decided: list[Checkpoint] = []

    def _ply(self, seat: int) -> None:
        if seat not in self._people:
            super()._ply(seat)
            return
        begun = time.monotonic_ns()
        names = (self._setup.bots[0].id, self._setup.bots[1].id)
        action = self._player(Question(self._state, names, tuple(self._plies), bool(self._decided)))
        if action is None:
            self.restore(self._decided.pop())
            return
        self._decided.append(self.checkpoint())
        edition = self._setup.edition
        ply = Ply(seat, action_text(action, edition), (time.monotonic_ns() - begun) // 1000)
        self._state = self._state.apply(action)
        self._plies.append(ply)
        self._unheard[1 - seat].append(ply.action)


class HumanSoloGameLoop(HumanGameLoop, SoloGameLoop):
    """A person against the Automa."""
