"""The loop of a game, from the handshake to the verdict, and of a mirrored pair."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import NamedTuple

from pwtourney.errors import BotFault, TheftFault
from pwtourney.match.bot_pool import BotPool
from pwtourney.match.conversation import Conversation, Interruption
from pwtourney.match.job import GameSetup, Job, PairResult, void_game
from pwtourney.match.played_game import PlayedGame, describe_fault
from pwtourney.notation.game import Game, Ply, Usage
from pwtourney.rules import State

__all__ = [
    "Follower",
    "GameLoop",
    "Person",
    "Thought",
    "Watcher",
    "play_game",
    "play_loop",
    "play_pair",
]

_MOST_STOPPED = 100
"""The maximum number of replays of a pair because the referee was stopped; then it is void.

No bot in a sandbox can stop the referee, so the cause is a closed lid or a paused machine.
"""

_MOST_STARVED = 10
"""The maximum number of replays of a pair because the referee had no core.

A machine that is this busy cannot play fairly.
"""

Watcher = Callable[[State, Ply], None]
"""Called after each ply with the new position, to show a game while it is played."""

Follower = Callable[[int, int, "GameLoop"], object]
"""Called before each game with its pair, its number in the pair, and its loop."""

Person = Callable[[PlayedGame], Ply | None]
"""Return the ply of the person to move; None to take back the last action of a person.

None is allowed only without an `undo_problem`. Raises `BotFault` if the person has lost.
"""


def play_pair(job: Job, pool: BotPool, follow: Follower | None = None) -> PairResult:
    """Play both games of a job, one after the other.

    A game is played again if the referee was interrupted. A pair is played again, as often as the
    job allows, after a timeout that the machine caused. A pair that never ends without such
    problems is void.
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
        # A void pair was given up at its last note, so it has one replay fewer than notes.
        games = [game._replace(note=note, replays=replays - is_given_up) for game in games]
    return PairResult(job.pair, (games[0], games[1]), pool.take_remarks())


def _play_uninterrupted(
    job: Job,
    number: int,
    pool: BotPool,
    follow: Follower | None,
    interruptions: list[Interruption],
) -> Game:
    """Play a game of a pair until it is not interrupted, or the pair had too many interruptions.

    Appends each interruption to the list.
    """
    while True:
        loop = GameLoop(PlayedGame(job.games[number]), is_repeatable=True)
        if follow is not None:
            follow(job.pair, number, loop)
        game = play_loop(loop, pool)
        if loop.interruption is None:
            return game
        interruptions.append(loop.interruption)
        if _is_too_often(interruptions):
            return game


def _is_too_often(interruptions: Sequence[Interruption]) -> bool:
    """Return True if the pair must be given up."""
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
    """Return how the machine delayed a bot that timed out; empty if it did not."""
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

    Its bots are started first and have ended when it returns, except persistent ones in the pool,
    if one is given; without one, `scratch_root` is where scratch folders are. Any misbehaviour of a
    bot ends in a `Game`; only our own errors raise.
    """
    if pool is None:
        with closing(BotPool(scratch_root)) as only_this_once:
            return play_game(setup, watch, pool=only_this_once)
    return play_loop(GameLoop(PlayedGame(setup), watch), pool)


def play_loop(loop: "GameLoop", pool: BotPool) -> Game:
    """Play a game to its end, with bots of the pool."""
    pool.open_game()
    with ExitStack() as last:  # in reverse: conclude, then leave, even after errors
        last.callback(loop.leave, pool)
        last.callback(loop.conclude)
        loop.play(pool)
    return loop.record()


class Thought(NamedTuple):
    """The time since which the bot to move thinks, and its last words.

    `asked_ns` is when it was asked, on the monotonic clock; it is 0 if it was not asked yet or
    games are paused. `info` is what it has said since.
    """

    asked_ns: int = 0
    info: str = ""


class GameLoop:
    """The referee of one game: asks the bot or person to move, and plays the answer in `game`.

    The Automa needs no process: the game draws its cards. `person` asks people for their plies.
    Without it, people play elsewhere, and `catch_up` follows them. `watch` is called after each
    ply. If the game `is_repeatable`, an interruption ends it, and it will be played again.
    """

    def __init__(
        self,
        game: PlayedGame,
        watch: Watcher | None = None,
        *,
        person: Person | None = None,
        is_repeatable: bool = False,
    ) -> None:
        self.game = game
        self.interruption: Interruption | None = None
        """The interruption of the referee that invalidates this game; None without one."""
        self._watch = watch
        self._person = person
        self._is_repeatable = is_repeatable
        self._seats = [seat for seat in game.setup.bot_seats if seat not in game.people]
        self._seated: list[Conversation | None] = [None, None]
        self._unheard: tuple[list[str], list[str]] = ([], [])
        """The actions to send to the bot of each seat in its next turn."""
        self._usage = [Usage(), Usage()]

    @property
    def bots(self) -> list[Conversation]:
        """The bots that have a seat and were started."""
        return [bot for bot in self._seated if bot is not None]

    def play(self, pool: BotPool) -> None:
        """Seat the bots and play until the game is over or a bot fails."""
        self.seat_bots(pool)
        self.play_on()

    def seat_bots(self, pool: BotPool) -> None:
        """Start the bots of all seats; a bot that fails has lost."""
        # The second bot is started even if the first failed: if both fail, neither wins.
        for seat in self._seats:
            self._try_step(seat, partial(self._sit_down, pool=pool))

    def play_on(self) -> None:
        """Play ply by ply until the game is over or a bot fails."""
        game = self.game
        seat = game.state.to_move
        try:
            while not game.state.is_over and not game.faults and not self.interruption:
                seat = game.state.to_move
                self._play_ply(seat)
        except BotFault as fault:
            self._note_fault(seat, fault)

    def play_ply(self) -> None:
        """Play one ply of a game that is not over; a bot that fails has lost."""
        self._try_step(self.game.state.to_move, self._play_ply)

    def catch_up(self, plies: Sequence[Ply]) -> None:
        """Follow the same game that is played elsewhere, where plies may have been taken back.

        A bot that is found dead has lost, and the game is over. Raises what `PlayedGame.follow`
        raises.
        """
        game = self.game
        own = [ply.action for ply in game.plies]
        if own != [ply.action for ply in plies[: len(own)]]:
            game.restart()
            self._announce_game()
            if game.is_over:
                return
        is_new = not game.plies
        for ply in plies[len(game.plies) :]:
            self._follow(ply)
        if is_new:
            # bots that joined just now receive the position, without the actions before it
            for unheard in self._unheard:
                unheard.clear()

    def conclude(self) -> None:
        """Read the resource usage of the bots, and send them the result."""
        winner, scores = self._winner(), self.game.scores
        for seat, bot in enumerate(self._seated):
            if bot is not None:
                self._usage[seat] = bot.usage()
                if winner is not None:
                    bot.game_over(
                        scores[seat], scores[1 - seat], "win" if seat == winner else "loss"
                    )

    def leave(self, pool: BotPool) -> None:
        """Give the bots back to the pool."""
        # An interrupted game is treated like one with a fault: a bot may still owe an answer.
        has_failed = bool(self.game.faults) or not self.game.state.is_over
        pool.close_game(self.bots, failed=has_failed)

    def record(self) -> Game:
        """Return the game in its stored form."""
        return self.game.record()._replace(
            winner=self._winner(),
            usage=(self._usage[0], self._usage[1]),
            profiles=(self._profile(0), self._profile(1)),
        )

    def current_thought(self) -> Thought:
        """Return when the bot to move was asked and what it said; the defaults if none thinks."""
        bot = self._seated[self.game.state.to_move]
        if bot is None or self.game.is_over:
            return Thought()
        return Thought(bot.asked_ns, bot.said)

    def _winner(self) -> int | None:
        return None if self.interruption else self.game.winner

    def _profile(self, seat: int) -> str:
        """Return the sandbox profile of this seat's bot; empty for a seat without one."""
        return self.game.setup.bots[seat].isolation.profile if seat in self._seats else ""

    def _try_step(self, seat: int, step: Callable[[int], None]) -> None:
        """Run a step; record a fault of this seat's bot, or of the other if it stole CPU time."""
        try:
            step(seat)
        except BotFault as fault:
            self._note_fault(seat, fault)

    def _note_fault(self, seat: int, fault: BotFault) -> None:
        """Record the fault that happened in a step of this seat."""
        if isinstance(fault, TheftFault):
            seat = 1 - seat
        bot = self._seated[seat]
        if bot is None:  # its process could not be started, or the seat is a person's
            self.game.lose(describe_fault(seat, fault))
            return
        self.game.lose(bot.fault(seat, fault))
        if self._is_repeatable:
            self.interruption = self.interruption or bot.interruption

    def _sit_down(self, seat: int, pool: BotPool) -> None:
        setup = self.game.setup
        # Seat it before it receives anything, so that it is ended whatever it answers.
        bot = self._seated[seat] = pool.take(setup.bots[seat], setup.edition)
        other = self._seated[1 - seat]
        if other is not None:
            bot.sit_opposite(other)
            other.sit_opposite(bot)
        self._announce_to(seat)

    def _announce_game(self) -> None:
        """Announce a new game to the bots; a bot that fails has lost."""
        for seat in self._seats:
            self._try_step(seat, self._announce_to)

    def _announce_to(self, seat: int) -> None:
        """Announce a new game to one bot, which has received none of its plies."""
        bot, setup = self._seated[seat], self.game.setup
        assert bot is not None, "who has a seat has sat down"
        self._unheard[seat].clear()
        bot.new_game(setup.edition, seat, setup.seeds[seat])

    def _play_ply(self, seat: int) -> None:
        """Play the ply of a seat: that of its bot, the Automa's card, or that of a person."""
        game, bot = self.game, self._seated[seat]
        if bot is not None:
            self._ask_bot(seat, bot)
        elif game.is_automas_turn:
            # The bot is not sent the card, which is hidden: the position contains all that it may
            # know.
            game.play_card()
        elif not self._ask_person():
            return
        if self._watch:
            self._watch(game.state, game.plies[-1])

    def _ask_bot(self, seat: int, bot: Conversation) -> None:
        """Ask one bot for an action, judge it, and play it."""
        game, clock = self.game, self.game.clock
        after, ply, wall, cpu, _ = bot.turn(game.state, self._unheard[seat], clock, seat)
        if bot.interruption and self._is_repeatable:
            self.interruption = bot.interruption
        game.play(ply, after, clock.spend(seat, wall, cpu))
        self._pass_on(seat, ply)

    def _ask_person(self) -> bool:
        """Play the action of the person to move; return False if plies were taken back instead."""
        assert self._person is not None, "people who play elsewhere are followed"
        ply = self._person(self.game)
        if ply is None:
            self.game.take_back()
            self._announce_game()
            return False
        self._follow(ply)
        return True

    def _follow(self, ply: Ply) -> None:
        """Play a ply that was not requested from a bot."""
        self.game.follow(ply)
        if not self.game.setup.automa:  # bots are not sent cards, and no other bot plays
            self._pass_on(ply.seat, self.game.plies[-1])

    def _pass_on(self, seat: int, ply: Ply) -> None:
        """Queue an action for the opponent's bot; this seat's bot has received all actions."""
        self._unheard[seat].clear()
        self._unheard[1 - seat].append(ply.action)
