"""The last steps: waiting, quitting, whole games, and random dialogues."""

from collections.abc import Callable, Iterator
from itertools import islice

from pwtourney.clock import Limit
from pwtourney.conformance.opening import STRANGE_LINES, option_values, play_one_ply
from pwtourney.conformance.talk import CheckContext, NotForThisBot, Steps, Talk
from pwtourney.errors import BotFault
from pwtourney.notation import action_text
from pwtourney.rules import Action, SplitMix64, State

__all__ = ["STEPS"]

STEPS = Steps()

_IDLE = 1.0
_SLOW = 0.5
_MOST_IDLE_MS = 200
_TURNS = 6
_MOST_PLIES = 60
_LINES, _TURN, _END = "Lines", "A turn", "The end"
_QUIT = (
    "exit, also in the middle of a game; a bot that has not done so after half a second is killed"
)


@STEPS.add(
    "slow-reader",
    "keeps going when its answer is read late",
    _LINES,
    "The runner may read an answer later than it was written.",
)
def _waits_for_a_slow_reader(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        for _ in range(2):  # damage done at the first answer shows at the second
            talk.request(context.start, context.limit)
            talk.answer(context.start, context.limit, after=_SLOW * context.pace)


@STEPS.add(
    "idle",
    "waits silently for its turn",
    _TURN,
    "Between its answer and the next request a bot has nothing to do",
)
def _stays_quiet(context: CheckContext) -> None:
    with context.talk() as talk:
        play_one_ply(context, talk)
        talk.expect_silence(_IDLE * context.pace)
        # what it used in between is read when its next turn begins
        talk.ask(context.start, context.limit)
        if talk.idle_ms > _MOST_IDLE_MS:
            context.notices.append(
                f"it uses the processor while it has nothing to do: {talk.idle_ms:.0f} ms in"
                f" {_IDLE:g} s; organisers can see that, or suspend it"
            )


@STEPS.add("quit", "exits when it receives `quit`", _END, _QUIT)
def _quits(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.dismiss(farewell=True)


@STEPS.add("quit-in-game", "quits in the middle of a game", _END, _QUIT)
def _quits_in_a_game(context: CheckContext) -> None:
    with context.talk() as talk:
        play_one_ply(context, talk)
        talk.dismiss(farewell=True)


@STEPS.add(
    "end-of-input",
    "exits when its input ends",
    _END,
    "When standard input ends, a bot exits too.",
)
def _leaves_when_input_ends(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.dismiss(farewell=False)


@STEPS.add(
    "games",
    "plays whole games without a fault, in turn over its editions and both seats",
    "What loses a game",
    "A game that is not lost by one of these has the verdict `finished`.",
)
def _plays_games(context: CheckContext) -> None:
    if not context.games:
        raise NotForThisBot("none were requested")
    for number in range(context.games):
        edition = context.editions[number % len(context.editions)]
        seat = number // len(context.editions) % 2
        stream = SplitMix64(context.seed + number)
        with context.talk() as talk:  # a process for each game, as tournaments do by default
            try:
                talk.new_game(edition, seat, stream.next() >> 11)  # seeds are below 2^53
                start = State.start(edition, stream.next())
                *_, end = _play_against_chance(
                    start, seat, stream, lambda state, past: talk.ask(state, context.limit, past)
                )
                mine, theirs = end.scores[seat], end.scores[1 - seat]
                talk.say(talk.side.game_over(mine, theirs, "win" if end.winner == seat else "loss"))
                talk.dismiss(farewell=True)
            except BotFault as fault:
                where = f"game {number + 1} of {context.games} ({edition.name}, seat {seat})"
                raise fault.reword(f"{where}: {fault}") from fault


def _play_against_chance(
    state: State, seat: int, stream: SplitMix64, answer: Callable[[State, tuple[str, ...]], Action]
) -> Iterator[State]:
    """Yield each position of a game in which the other seat plays at random.

    `answer` returns the actions of the seat; it receives the actions played since its last call.
    """
    unheard: list[str] = []
    while not state.is_over:
        if state.to_move == seat:
            action = answer(state, tuple(unheard))
            unheard.clear()
        else:
            action = _draw_action(state, stream)
            unheard.append(action_text(action, state.edition))
        state = state.apply(action)
        yield state


def _draw_action(state: State, stream: SplitMix64) -> Action:
    actions = state.legal_actions()
    return actions[stream.below(len(actions))]


@STEPS.add(
    "dialogues",
    "survives random dialogues within the rules",
    _LINES,
    "A bot answers only what it was asked.",
)
def _stands_dialogues(context: CheckContext) -> None:
    if not context.dialogues:
        raise NotForThisBot("none were requested")
    for number in range(context.dialogues):
        # a stream for each, so that one that failed can be repeated without those before it
        seed = context.seed + number
        try:
            with context.talk(greeted=False) as talk:
                _Dialogue(context, talk, SplitMix64(seed)).hold()
        except BotFault as fault:
            editions = "".join(f" --edition {edition.name}" for edition in context.editions)
            again = f"again: --seed {seed} --dialogues 1 --games 0{editions}"
            raise fault.reword(f"{fault} (dialogue {number + 1}; {again})") from fault


class _Dialogue:
    """A random dialogue of everything that a runner may send, drawn from the stream."""

    def __init__(self, context: CheckContext, talk: Talk, stream: SplitMix64) -> None:
        self._context = context
        self._talk = talk
        self._stream = stream

    def hold(self) -> None:
        """Talk from the greeting to the end."""
        talk, draw = self._talk, self._stream.below
        self._be_strange()
        talk.greet()
        for option in talk.side.options.values():
            if draw(2):
                values = option_values(option)
                talk.say(talk.side.set_option(option.name, values[draw(len(values))]))
        for _ in range(1 + draw(3)):
            self._play_part()
        talk.dismiss(farewell=draw(2) == 0)

    def _play_part(self) -> None:
        """Ask about positions of one game, or play the beginning of it against random actions."""
        talk, draw = self._talk, self._stream.below
        edition = self._context.editions[draw(len(self._context.editions))]
        seat = draw(2)
        self._be_strange()
        talk.new_game(edition, seat, self._stream.next() >> 11)
        if draw(2):
            # turns of the seat from different random games
            for _ in range(draw(_TURNS)):
                state = State.start(edition, self._stream.next())
                for _ in range(draw(_MOST_PLIES)):
                    following = state.apply(_draw_action(state, self._stream))
                    if following.is_over:
                        break
                    state = following
                if state.to_move == seat:
                    self._ask(state)
        else:
            start = State.start(edition, self._stream.next())
            # iterating over the positions plays the game; the rest of it is left unplayed
            plies = _play_against_chance(start, seat, self._stream, self._ask)
            for _ in islice(plies, draw(_MOST_PLIES)):
                pass
        if draw(2):
            talk.say(talk.side.game_over(draw(200) - 150, draw(200) - 150, "loss"))

    def _ask(self, state: State, played: tuple[str, ...] = ()) -> Action:
        self._be_strange()
        # three forms of `go`, each with as much time as a move may take
        most = self._context.limit.move_ms or 0
        forms = (self._context.limit, Limit(None, 40 * most, 1, 0), Limit(None, 10 * most, 0, most))
        return self._talk.ask(state, forms[self._stream.below(len(forms))], played)

    def _be_strange(self) -> None:
        """Change how the next lines are written; sometimes send unknown lines first."""
        self._talk.newline = "\r\n" if self._stream.below(4) == 0 else "\n"
        self._talk.pieces = self._stream.below(8) == 0  # rarely, because it takes long
        if self._stream.below(4) == 0:
            self._talk.say(STRANGE_LINES)
