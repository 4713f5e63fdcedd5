"""The loop of one game: from the handshake to the verdict."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pwtourney.clock import Clock
from pwtourney.errors import BotFault
from pwtourney.match.bot_pool import BotPool
from pwtourney.match.conversation import Conversation
from pwtourney.match.job import MAX_MESSAGE, Fault, Game, GameSetup, Ply, Usage, Verdict
from pwtourney.rules import State
from pwtourney.rules.automa import Solo

__all__ = ["Checkpoint", "GameLoop", "Watcher"]

Watcher = Callable[[State, Ply], None]
"""Called after each ply with the new position, for those who show a game while it runs."""


class Checkpoint(NamedTuple):
    """A point of a game to come back to: position, clocks, number of plies, the Automa's cards."""

    state: State
    clock: Clock
    plies: int
    solo: Solo | None = None


class GameLoop:
    """The position, the clock, and what has been written down so far of a game of two bots."""

    seats: tuple[int, ...] = (0, 1)
    """Where bots sit."""

    def __init__(self, setup: GameSetup, watch: Watcher | None) -> None:
        self._setup = setup
        self._watch = watch
        self._state = setup.start or State.start(setup.edition, setup.deal)
        self._clock = Clock.start((setup.bots[0].control, setup.bots[1].control))
        self._seated: list[Conversation | None] = [None, None]
        self._plies: list[Ply] = []
        self._unheard: tuple[list[str], list[str]] = ([], [])
        self._faults: list[Fault] = []
        self._usage = [Usage(), Usage()]

    @property
    def state(self) -> State:
        """The position as it stands."""
        return self._state

    def play(self, pool: BotPool) -> None:
        """Seat both bots and play until the game is over or a bot fails."""
        for seat in self.seats:
            self._try_step(seat, partial(self._sit_down, pool=pool))
        self._play_on()

    def game(self) -> Game:
        """Return what has been written down."""
        setup = self._setup
        verdict = self._faults[0].verdict if self._faults else Verdict.FINISHED
        return Game(
            bots=(setup.bots[0].id, setup.bots[1].id),
            edition=setup.edition.name,
            deal=setup.deal,
            seeds=setup.seeds,
            plies=tuple(self._plies),
            verdict=verdict,
            winner=self._winner(),
            scores=self._scores(),
            faults=tuple(self._faults),
            usage=(self._usage[0], self._usage[1]),
            profiles=(self._profile(0), self._profile(1)),
            automa=setup.automa,
        )

    def conclude(self) -> None:
        """Draw up the accounts, and tell the bots the result."""
        winner, scores = self._winner(), self._scores()
        for seat, bot in enumerate(self._seated):
            if bot is not None:
                self._usage[seat] = bot.usage()
                if winner is not None:
                    bot.game_over(
                        scores[seat], scores[1 - seat], "win" if seat == winner else "loss"
                    )

    def leave(self, pool: BotPool) -> None:
        """Give the bots back to the pool."""
        seated = [bot for bot in self._seated if bot is not None]
        pool.close_game(seated, failed=bool(self._faults) or not self._state.is_over)

    def checkpoint(self) -> Checkpoint:
        """Return what it takes to come back to this point of the game."""
        return Checkpoint(self._state, self._clock, len(self._plies))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take back what was played since a checkpoint; the bots are told of a new game."""
        self._state, self._clock, count = checkpoint[:3]
        del self._plies[count:]
        for unheard in self._unheard:
            unheard.clear()
        for seat in self.seats:
            self._try_step(seat, self._tell_of_game)

    def _tell_of_game(self, seat: int) -> None:
        bot = self._seated[seat]
        assert bot is not None, "who has a seat has sat down"
        bot.new_game(self._setup.edition, seat, self._setup.seeds[seat])

    def _profile(self, seat: int) -> str:
        """Return what keeps a bot from the rest; nothing where none sits."""
        return self._setup.bots[seat].isolation.profile if seat in self.seats else ""

    def _winner(self) -> int | None:
        if len(self._faults) == 2:
            return None
        return 1 - self._faults[0].seat if self._faults else self._winner_on_board()

    def _winner_on_board(self) -> int | None:
        """Return who has won by the rules, whatever the bots did wrong."""
        return self._state.winner

    def _scores(self) -> tuple[int, int]:
        return self._state.scores

    def _play_on(self) -> None:
        """Let whoever is to move play, until the game is over or a bot fails."""
        while not self._faults and not self._state.is_over:
            seat = self._state.to_move
            try:
                self._ply(seat)
            except BotFault as fault:
                self._note(seat, fault)

    def _try_step(self, seat: int, step: Callable[[int], None]) -> None:
        """Take a step in which only this seat's bot can fail."""
        try:
            step(seat)
        except BotFault as fault:
            self._note(seat, fault)

    def _note(self, seat: int, fault: BotFault) -> None:
        bot = self._seated[seat]
        if bot is None:
            message = str(fault)[:MAX_MESSAGE]
            self._faults.append(Fault(seat, Verdict(fault.verdict), message, log=message))
        else:
            self._faults.append(bot.fault(seat, fault))

    def _sit_down(self, seat: int, pool: BotPool) -> None:
        bot = self._seated[seat] = pool.take(self._setup.bots[seat])
        other = self._seated[1 - seat]
        if other is not None:
            bot.sit_opposite(other)
            other.sit_opposite(bot)
        self._tell_of_game(seat)

    def _ply(self, seat: int) -> None:
        """Ask one bot for an action, judge it, and play it."""
        bot = self._seated[seat]
        assert bot is not None, "a bot that did not sit down has a fault, and the game is over"
        unheard = self._unheard[seat]
        after, ply, wall, cpu, _ = bot.turn(self._state, unheard, self._clock, seat)
        self._plies.append(ply)
        unheard.clear()
        self._unheard[1 - seat].append(ply.action)
        self._clock = self._clock.spend(seat, wall, cpu)
        self._state = after
        if self._watch:
            self._watch(after, ply)
