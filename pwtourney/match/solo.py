"""The game loop of one bot against the Automa."""

from pwtourney.match.game_loop import Checkpoint, GameLoop, Watcher
from pwtourney.match.job import GameSetup, Ply
from pwtourney.notation import card_text
from pwtourney.rules.automa import AUTOMA, Solo

__all__ = ["SoloGameLoop"]


class SoloGameLoop(GameLoop):
    """A game against the Automa, which has the second seat.

    The bot sees it as an opponent with an empty quilt. It is not told what the Automa played: the
    position says all that it may know, and the cards are hidden.
    """

    seats = (0,)

    def __init__(self, setup: GameSetup, watch: Watcher | None) -> None:
        super().__init__(setup, watch)
        assert setup.automa is not None, "a game against the Automa says how it plays"
        self._solo = Solo.start(self._state, setup.automa, setup.seeds[AUTOMA])
        self._state = self._solo.state

    def checkpoint(self) -> Checkpoint:
        """Return what it takes to come back to this point of the game, the cards included."""
        return super().checkpoint()._replace(solo=self._solo)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take back what was played since a checkpoint, the cards included."""
        assert checkpoint.solo is not None, "a checkpoint against the Automa has cards"
        self._solo = checkpoint.solo
        super().restore(checkpoint)

    def _ply(self, seat: int) -> None:
        if seat != AUTOMA:
            super()._ply(seat)
            self._unheard[AUTOMA].clear()
            return
        self._solo, turn = self._solo._replace(state=self._state).turn()
        self._state = self._solo.state
        ply = Ply(AUTOMA, card_text(turn), 0)
        self._plies.append(ply)
        if self._watch:
            self._watch(self._state, ply)

    def _winner_on_board(self) -> int | None:
        return self._solo_now().winner

    def _scores(self) -> tuple[int, int]:
        return self._solo_now().scores

    def _solo_now(self) -> Solo:
        return self._solo._replace(state=self._state)
