"""The steps about what lies between turns: waiting, games after games, and going."""

from pwtourney.conformance.step import CheckContext, Step
from pwtourney.rules import State

__all__ = ["STEPS"]

_IDLE = 1.0
_SLOW = 0.5
_MOST_IDLE_MS = 200


def _start(context: CheckContext) -> State:
    return State.start(context.edition, 2014)


def _waits_for_a_slow_reader(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        for _ in range(2):
            talk.request(_start(context), context.limit)
            talk.answer(_start(context), context.limit, after=_SLOW * context.pace)


def _stays_quiet(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.ask(_start(context), context.limit)
        talk.expect_silence(_IDLE * context.pace)
        talk.ask(_start(context), context.limit)
        if talk.idle_ms > _MOST_IDLE_MS:
            context.notices.append(
                f"it uses the processor while it has nothing to do: {talk.idle_ms:.0f} ms in"
                f" {_IDLE:g} s; organisers can see that, or suspend it"
            )


def _takes_a_new_game_early(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.new_game(context.edition, 1)
        talk.new_game(context.edition, 0)
        talk.ask(_start(context), context.limit)
        talk.new_game(context.editions[-1], 0)
        talk.ask(State.start(context.editions[-1], 2015), context.limit)


def _takes_the_next_game(context: CheckContext) -> None:
    with context.talk() as talk:
        for edition in (context.edition, context.editions[-1]):
            talk.new_game(edition, 0)
            talk.ask(State.start(edition, 2014), context.limit)
            talk.say(talk.side.game_over(-30, 12, "loss"))


def _says_nothing_at_the_end(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.ask(_start(context), context.limit)
        talk.say(talk.side.game_over(-157, -157, "win"))
        talk.expect_silence(_SLOW * context.pace)


def _quits(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.leaves(farewell=True)


def _quits_in_a_game(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.ask(_start(context), context.limit)
        talk.leaves(farewell=True)


def _leaves_when_input_ends(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.leaves(farewell=False)


_LINES, _GAME, _TURN, _END = "Lines", "A new game", "A turn", "The end"
_QUIT = (
    "exit, also in the middle of a game; a bot that has not done so after half a second is killed"
)

STEPS = (
    Step(
        "slow-reader",
        "keeps going when its answer is read late",
        _LINES,
        "The runner may read an answer later than it was written.",
        _waits_for_a_slow_reader,
    ),
    Step(
        "idle",
        "waits silently for its turn",
        _TURN,
        "Between its answer and the next request a bot has nothing to do",
        _stays_quiet,
    ),
    Step(
        "game-over",
        "accepts a result with negative scores, and sends nothing",
        _END,
        "the bot's score, its opponent's, and who won; no answer",
        _says_nothing_at_the_end,
    ),
    Step(
        "next-game",
        "plays one game after another",
        _GAME,
        "A process may be asked to play several games, one after another; each begins with"
        " `newgame`.",
        _takes_the_next_game,
    ),
    Step(
        "new-game-twice",
        "starts a new game before the last one has ended",
        _GAME,
        "`newgame` may also come while a game is running: that game is then over, without a"
        " result.",
        _takes_a_new_game_early,
    ),
    Step("quit", "exits when it receives `quit`", _END, _QUIT, _quits),
    Step("quit-in-game", "quits in the middle of a game", _END, _QUIT, _quits_in_a_game),
    Step(
        "end-of-input",
        "exits when its input ends",
        _END,
        "When standard input ends, a bot exits too.",
        _leaves_when_input_ends,
    ),
)
