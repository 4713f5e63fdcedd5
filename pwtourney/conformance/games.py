"""The last steps: whole games, and dialogues that are made up at random within the rules."""

from collections.abc import Callable, Iterator
from itertools import islice

from pwtourney.clock import Limit
from pwtourney.conformance.opening import STRANGE_LINES, option_values
from pwtourney.conformance.step import CheckContext, NotForThisBot, Step
from pwtourney.conformance.talk import Talk
from pwtourney.errors import BotFault
from pwtourney.notation import action_text
from pwtourney.rules import Action, Edition, SplitMix64, State

__all__ = ["STEPS"]

_TURNS = 6
_MOST_PLIES = 60


def _plays_games(context: CheckContext) -> None:
    if not context.games:
        raise NotForThisBot("none were requested")
    for number in range(context.games):
        edition = context.editions[number % len(context.editions)]
        seat = number // len(context.editions) % 2
        with context.talk() as talk:
            try:
                _game(context, talk, edition, seat, SplitMix64(context.seed + number))
            except BotFault as fault:
                where = f"game {number + 1} of {context.games} ({edition.name}, seat {seat})"
                raise fault.retold(f"{where}: {fault}") from fault


def _game(
    context: CheckContext, talk: Talk, edition: Edition, seat: int, stream: SplitMix64
) -> None:
    """Play a game against an opponent that plays at random."""
    talk.new_game(edition, seat, stream.next() >> 11)
    state = State.start(edition, stream.next())
    *_, end = _against_chance(
        state, seat, stream, lambda state, played: talk.ask(state, context.limit, played)
    )
    mine, theirs = end.scores[seat], end.scores[1 - seat]
    talk.say(talk.side.game_over(mine, theirs, "win" if end.winner == seat else "loss"))
    talk.leaves(farewell=True)


def _against_chance(
    state: State, seat: int, stream: SplitMix64, answer: Callable[[State, tuple[str, ...]], Action]
) -> Iterator[State]:
    """Yield each position of a game in which the other seat plays at random.

    `answer` is asked for the actions of the seat, and told what was played since it was.
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


def _stands_dialogues(context: CheckContext) -> None:
    if not context.dialogues:
        raise NotForThisBot("none were requested")
    for number in range(context.dialogues):
        seed = context.seed + number
        try:
            with context.talk(greeted=False) as talk:
                _Dialogue(context, talk, SplitMix64(seed)).hold()
        except BotFault as fault:
            editions = "".join(f" --edition {each.name}" for each in context.editions)
            again = f"again: --seed {seed} --dialogues 1 --games 0{editions}"
            raise fault.retold(f"{fault} (dialogue {number + 1}; {again})") from fault


class _Dialogue:
    """Everything that a runner may say, in an order and a form that the stream draws."""

    def __init__(self, context: CheckContext, talk: Talk, stream: SplitMix64) -> None:
        self._context = context
        self._talk = talk
        self._stream = stream

    def hold(self) -> None:
        """Talk from the greeting to the farewell."""
        talk, draw = self._talk, self._stream.below
        self._perhaps_strange()
        talk.greet()
        for option in talk.side.options.values():
            if draw(2):
                values = option_values(option)
                talk.say(talk.side.set_option(option.name, values[draw(len(values))]))
        for _ in range(1 + draw(3)):
            self._part_of_a_game()
        talk.leaves(farewell=draw(2) == 0)

    def _part_of_a_game(self) -> None:
        talk, draw = self._talk, self._stream.below
        edition = self._context.editions[draw(len(self._context.editions))]
        seat = draw(2)
        self._perhaps_strange()
        talk.new_game(edition, seat, self._stream.next() >> 11)
        if draw(2):
            for state in self._positions(edition, seat):
                self._ask(state)
        else:
            self._play_on(edition, seat)
        if draw(2):
            talk.say(talk.side.game_over(draw(200) - 150, draw(200) - 150, "loss"))

    def _play_on(self, edition: Edition, seat: int) -> None:
        """Play the beginning of a game against random actions, telling what was played."""
        start = State.start(edition, self._stream.next())
        plies = _against_chance(start, seat, self._stream, self._ask)
        for _ in islice(plies, self._stream.below(_MOST_PLIES)):
            pass

    def _ask(self, state: State, played: tuple[str, ...] = ()) -> Action:
        self._perhaps_strange()
        return self._talk.ask(state, self._draw_limit(), played)

    def _positions(self, edition: Edition, seat: int) -> Iterator[State]:
        """Yield turns of a seat that are far apart in random games."""
        for _ in range(self._stream.below(_TURNS)):
            state = State.start(edition, self._stream.next())
            for _ in range(self._stream.below(_MOST_PLIES)):
                following = state.apply(_draw_action(state, self._stream))
                if following.is_over:
                    break
                state = following
            if state.to_move == seat:
                yield state

    def _draw_limit(self) -> Limit:
        """Draw a form of ``go``; each leaves as much time as a move may take."""
        most = self._context.limit.move_ms or 0
        forms = (self._context.limit, Limit(None, 40 * most, 1, 0), Limit(None, 10 * most, 0, most))
        return forms[self._stream.below(len(forms))]

    def _perhaps_strange(self) -> None:
        """Change how the next lines are written, and send some that nobody knows before them."""
        self._talk.newline = "\r\n" if self._stream.below(4) == 0 else "\n"
        self._talk.pieces = self._stream.below(8) == 0
        if self._stream.below(4) == 0:
            self._talk.say(STRANGE_LINES)


STEPS = (
    Step(
        "games",
        "plays whole games without a fault, in turn over its editions and both seats",
        "What loses a game",
        "A game that is not lost by one of these has the verdict `finished`.",
        _plays_games,
    ),
    Step(
        "dialogues",
        "survives random dialogues within the rules",
        "Lines",
        "A bot answers only what it was asked.",
        _stands_dialogues,
    ),
)
