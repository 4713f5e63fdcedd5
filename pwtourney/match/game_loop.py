"""Games and mirrored pairs, from the handshake to the verdict."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import NamedTuple

from pwtourney.clock import Clock
from pwtourney.errors import BotFault, TheftFault
from pwtourney.match.bot_pool import BotPool
from pwtourney.match.conversation import Conversation, Interruption
from pwtourney.match.job import MAX_MESSAGE, GameSetup, Job, PairResult, void_game
from pwtourney.notation import card_text
from pwtourney.notation.game import Fault, Game, Ply, Usage, Verdict
from pwtourney.rules import State
from pwtourney.rules.automa import AUTOMA_SEAT, Solo

__all__ = [
    "Checkpoint",
    "GameLoop",
    "Progress",
    "Watcher",
    "play_game",
    "play_loop",
    "play_pair",
]

_MOST_STOPPED = 100
"""How often games of a pair are played again because the referee was stopped, before it is void.

No bot in a sandbox can do that, so it is somebody who closes a lid or pauses a machine.
"""

_MOST_STARVED = 10
"""The same where the referee had no core: a machine that is so busy cannot play fairly."""

Watcher = Callable[[State, Ply], None]
"""Called after each ply with the new position, for those who show a game while it runs."""


def play_pair(
    job: Job, pool: BotPool, follow: Callable[[int, int, "GameLoop"], object] | None = None
) -> PairResult:
    """Play both games of a job, one after the other.

    `follow` is given each game before it begins: the pair, the number in it, and the loop.

    A game in which the referee was interrupted is played again. A pair with a time-out that was the
    machine's doing is played again as often as the job allows. If that never ends well, the pair is
    void.
    """
    hindrances: list[str] = []
    interruptions: list[Interruption] = []
    while True:
        games = [
            _play_uninterrupted(job, number, pool, follow, interruptions) for number in range(2)
        ]
        hindrance = _find_hindrance(games) if job.replays else ""
        if not hindrance:
            break
        hindrances.append(hindrance)
        if len(hindrances) > job.replays:
            break
    is_given_up = len(hindrances) > job.replays or _is_too_often(interruptions)
    if is_given_up:
        games = [void_game(setup, "") for setup in job.games]
    if replays := len(hindrances) + len(interruptions):
        note = "; ".join([*hindrances, *_sum_up(interruptions)])
        # A void pair was given up after its last note, and not played once more.
        games = [game._replace(note=note, replays=replays - is_given_up) for game in games]
    return PairResult(job.pair, (games[0], games[1]), pool.take_remarks())


def _play_uninterrupted(
    job: Job,
    number: int,
    pool: BotPool,
    follow: Callable[[int, int, "GameLoop"], object] | None,
    interruptions: list[Interruption],
) -> Game:
    """Play a game of a pair until it is not interrupted, or the pair was interrupted too often.

    Adds each interruption to the list.
    """
    while True:
        loop = GameLoop(job.games[number], None, is_repeatable=True)
        if follow is not None:
            follow(job.pair, number, loop)
        game = play_loop(loop, pool)
        if loop.interruption is None:
            return game
        interruptions.append(loop.interruption)
        if _is_too_often(interruptions):
            return game


def _is_too_often(interruptions: Sequence[Interruption]) -> bool:
    """Return whether to give a pair up."""
    starved = sum(not interruption.gap.stopped_ns for interruption in interruptions)
    return starved > _MOST_STARVED or len(interruptions) - starved > _MOST_STOPPED


def _sum_up(interruptions: Sequence[Interruption]) -> Iterator[str]:
    """Yield a sentence about all interruptions of a pair, if there were any."""
    if not interruptions:
        return
    *_, last = interruptions
    if len(interruptions) == 1:
        yield f"{last}; the game was played again"
    else:
        yield f"{last}, the last of {len(interruptions)} interruptions of this pair"


def _find_hindrance(games: Sequence[Game]) -> str:
    """Return what the machine did to a bot that timed out, empty if it is not to blame."""
    hindrances = (
        f"the machine held {game.bots[fault.seat]} up: {fault.machine}"
        for game in games
        for fault in game.faults
        if fault.machine is not None and fault.machine.is_to_blame
    )
    return next(hindrances, "")


def play_game(
    setup: GameSetup,
    watch: Watcher | None = None,
    scratch_root: str | None = None,
    pool: BotPool | None = None,
) -> Game:
    """Play one game.

    The bots are started for it and are gone when it returns, except those that stay in the
    pool, if one is given. Whatever a bot does ends in a `Game`; only faults of ours raise.
    """
    if pool is None:
        with closing(BotPool(scratch_root)) as only_this_once:
            return play_game(setup, watch, pool=only_this_once)
    return play_loop(GameLoop(setup, watch), pool)


def play_loop(loop: "GameLoop", pool: BotPool) -> Game:
    """Play a game to its end, with bots of the pool."""
    pool.open_game()
    with ExitStack() as last:  # in this order from below, each whatever becomes of the others
        last.callback(loop.leave, pool)
        last.callback(loop.conclude)
        loop.play(pool)
    return loop.game()


class Checkpoint(NamedTuple):
    """A point of a game to come back to: position, clocks, number of plies, the Automa's cards."""

    state: State
    clock: Clock
    plies: int
    solo: Solo | None = None


class Progress(NamedTuple):
    """A game as it stands, for those who watch it: between any two steps of it.

    `asked_ns` is when the bot to move was asked, on the monotonic clock, 0 if it was not yet or
    games are paused, and `info` what it has said since.
    """

    plies: tuple[Ply, ...]
    clock: Clock
    to_move: int
    asked_ns: int
    info: str
    is_over: bool


class GameLoop:
    """The position, the clock, and what has been written down so far of a game.

    `seats` are those where bots sit. The Automa needs no process: its turns are taken here. A game
    that `is_repeatable` ends when it is interrupted: it will be played again.
    """

    def __init__(
        self, setup: GameSetup, watch: Watcher | None, *, is_repeatable: bool = False
    ) -> None:
        self._setup = setup
        self._watch = watch
        self._is_repeatable = is_repeatable
        self.interruption: Interruption | None = None
        """What kept the referee from a turn, so that this game says nothing."""
        self.seats: tuple[int, ...] = setup.bot_seats
        self._state = setup.start or State.start(setup.edition, setup.deal)
        self._solo: Solo | None = None
        if setup.automa:
            self._solo = Solo.start(self._state, setup.automa, setup.seeds[AUTOMA_SEAT])
            self._state = self._solo.state
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
        self.seat_bots(pool)
        self._play_on()

    def seat_bots(self, pool: BotPool) -> None:
        """Start the bots of all seats; one that fails has lost."""
        # The second bot is started even if the first could not be: if it fails too, it has not won.
        for seat in self.seats:
            self._try_step(seat, partial(self._sit_down, pool=pool))

    def play_ply(self) -> None:
        """Play one ply of a game that is not over; a bot that fails has lost."""
        self._try_step(self._state.to_move, self._play_ply)

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
            scores=self._board().scores,
            faults=tuple(self._faults),
            usage=(self._usage[0], self._usage[1]),
            profiles=(self._profile(0), self._profile(1)),
            automa=setup.automa,
        )

    def conclude(self) -> None:
        """Draw up the accounts, and tell the bots the result."""
        winner, scores = self._winner(), self._board().scores
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
        # A game that was interrupted is no better than one with a fault: a bot may owe an answer.
        pool.close_game(seated, failed=bool(self._faults) or not self._state.is_over)

    @property
    def setup(self) -> GameSetup:
        """What is played."""
        return self._setup

    def progress(self) -> Progress:
        """Return the game as it stands."""
        seat, plies = self._state.to_move, tuple(self._plies)
        bot = self._seated[seat]
        is_over = self._state.is_over or bool(self._faults)
        asked, said = (0, "") if bot is None or is_over else (bot.asked_ns, bot.said)
        return Progress(plies, self._clock, seat, asked, said, is_over)

    def checkpoint(self) -> Checkpoint:
        """Return what it takes to come back to this point of the game."""
        return Checkpoint(self._state, self._clock, len(self._plies), self._solo)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take back what was played since a checkpoint; the bots hear of a new game."""
        self._state, self._clock, count, self._solo = checkpoint
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
        if len(self._faults) == 2 or self.interruption:
            return None
        return 1 - self._faults[0].seat if self._faults else self._board().winner

    def _board(self) -> State | Solo:
        """Return what has scores and a winner by the rules, whatever the bots did wrong."""
        return self._solo._replace(state=self._state) if self._solo else self._state

    def _try_step(self, seat: int, step: Callable[[int], None]) -> None:
        """Take a step in which this seat's bot can fail, and the other one by what it takes."""
        try:
            step(seat)
        except BotFault as fault:
            self._note_fault(seat, fault)

    def _play_on(self) -> None:
        """Play ply by ply, until the game is over or a bot fails."""
        seat = self._state.to_move
        try:
            while not self._state.is_over and not self._faults and not self.interruption:
                seat = self._state.to_move
                self._play_ply(seat)
        except BotFault as fault:
            self._note_fault(seat, fault)

    def _note_fault(self, seat: int, fault: BotFault) -> None:
        """Write down what went wrong in a step of this seat."""
        if isinstance(fault, TheftFault):
            seat = 1 - seat
        bot = self._seated[seat]
        if bot is None:  # its process could not be started, or it is a person
            message = str(fault)[:MAX_MESSAGE]
            self._faults.append(Fault(seat, Verdict(fault.verdict), message, log=message))
        else:
            self._faults.append(bot.fault(seat, fault))
            if self._is_repeatable:
                self.interruption = self.interruption or bot.interruption

    def _sit_down(self, seat: int, pool: BotPool) -> None:
        # Seated before it hears anything, so that it is seen out whatever it answers.
        bot = self._seated[seat] = pool.take(self._setup.bots[seat], self._setup.edition)
        other = self._seated[1 - seat]
        if other is not None:
            bot.sit_opposite(other)
            other.sit_opposite(bot)
        self._tell_of_game(seat)

    def _play_ply(self, seat: int) -> None:
        """Ask one bot for an action, judge it, and play it; or let the Automa play."""
        if self._solo and seat == AUTOMA_SEAT:
            # Its opponent does not see the card, which is hidden: the position says all that it
            # may know.
            self._solo, turn = self._solo._replace(state=self._state).turn()
            after, ply = self._solo.state, Ply(AUTOMA_SEAT, card_text(turn), 0)
        else:
            bot = self._seated[seat]
            assert bot is not None, "a bot that did not sit down has a fault, and the game is over"
            unheard, clock = self._unheard[seat], self._clock
            after, ply, wall, cpu, _ = bot.turn(self._state, unheard, clock, seat)
            if bot.interruption and self._is_repeatable:
                self.interruption = bot.interruption
            unheard.clear()
            self._unheard[1 - seat].append(ply.action)
            self._clock = clock.spend(seat, wall, cpu)
        self._plies.append(ply)
        self._state = after
        if self._watch:
            self._watch(after, ply)
