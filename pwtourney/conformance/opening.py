"""The first steps: start, handshake, a new game, its end, and the next game."""

from pwtourney.conformance.talk import CheckContext, NotForThisBot, Steps, Talk
from pwtourney.protocol import Option
from pwtourney.rules import Edition, Late, Patch, State, parse_shape

__all__ = ["STEPS", "STRANGE_LINES", "option_values", "play_one_ply", "unseen_edition"]

STEPS = Steps()

STRANGE_LINES = "fanfare 3 trumpets\n\nnewgamelike but not quite\ngoods are sold\nending is near\n"
"""Lines whose first word is unknown, though it may begin like a known one, and an empty line."""

_WAIT = 0.5
_PAUSE = 0.2
_LINES, _SHAKE, _GAME = "Lines", "The handshake", "A new game"
_TURN, _END = "A turn", "The end"
_SEAT = (
    "the bot has SEAT 0 (the first, which starts) or 1 (the second); SEED, below 2^53, is for its"
    " own random numbers"
)
_COMPLETE = (
    "The runner describes the game completely, so that no bot has to carry tables and every"
    " bot can play an edition that it has never seen."
)
_UNKNOWN = "Both sides ignore lines whose first word they do not know, and empty lines."


def option_values(option: Option) -> tuple[str, ...]:
    """Return the values of an option to try: the extremes or each choice, and the default last."""
    others = ("true", "false") if option.kind == "bool" else option.allowed
    return (*others, option.default)


def play_one_ply(context: CheckContext, talk: Talk) -> None:
    """Check that the bot still works: it takes a game and answers in it."""
    talk.new_game(context.edition, 0)
    talk.ask(context.start, context.limit)


def unseen_edition() -> Edition:
    """Return an edition that no bot knows: small, not square, with a wide offer."""
    shapes = {1: "##", 2: "###", 3: "##/#.", 4: "#.#/###", 5: "##/##", 8: "#", 9: "####"}
    patches = [
        Patch(number, parse_shape(shape.split("/")), number % 4, 1 + number % 3, number % 2)
        for number, shape in shapes.items()
    ]
    return Edition(
        name="check-unseen",
        rows=4,
        columns=6,
        last_space=17,
        start_buttons=3,
        income_marks=(2, 9, 17),
        leather_marks=(3, 4, 11),
        patches=patches,
        start_patch=1,
        late=Late(2, (8, 9)),
        offer=4,
        declining=True,
    )


@STEPS.add(
    "start",
    "starts, keeps running, and sends nothing before it is asked",
    _LINES,
    "A bot answers only what it was asked.",
    vital=True,
)
def _starts(context: CheckContext) -> None:
    with context.talk(greeted=False) as talk:
        talk.expect_silence(_WAIT * context.pace)


@STEPS.add(
    "greeting",
    "answers the greeting: who it is, its options, ready",
    _SHAKE,
    "ends the handshake; must come within the start-up time (10 s)",
    vital=True,
)
def _greets(context: CheckContext) -> None:
    with context.talk() as talk:
        context.settle(talk.side.editions)
        if not talk.side.names.get("name"):
            context.notices.append("it does not say its name: id name TEXT")


@STEPS.add(
    "new-game",
    "is ready for a game in the first seat",
    _GAME,
    "the bot then answers `ready`, again within the start-up time.",
    vital=True,
)
def _takes_a_game(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 0)
        talk.expect_silence(_PAUSE * context.pace)


@STEPS.add(
    "first-turn",
    "answers its first turn with a legal action, in time",
    _TURN,
    "An answer that is late by any amount loses the game (verdict `timeout`), so leave a margin.",
    vital=True,
)
def _answers_the_first_turn(context: CheckContext) -> None:
    with context.talk() as talk:
        play_one_ply(context, talk)
        talk.expect_silence(_PAUSE * context.pace)  # a second answer would come now


@STEPS.add("other-seat", "is ready for a game in the second seat", _GAME, _SEAT)
def _takes_the_other_seat(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.new_game(context.edition, 1)


@STEPS.add("large-seed", "is ready for a game with the largest possible seed", _GAME, _SEAT)
def _takes_the_largest_seed(context: CheckContext) -> None:
    with context.talk() as talk:
        # the largest integer up to which a double is exact, so every language can hold it
        talk.new_game(context.edition, 0, seed=2**53 - 1)


@STEPS.add(
    "last-line",
    "answers when the last line of a game or a turn is there, and not before",
    _TURN,
    "The lines of a turn arrive together, `go` last.",
)
def _waits_for_the_last_line(context: CheckContext) -> None:
    with context.talk() as talk:
        talk.announce(talk.side.new_game(context.edition, 0, 81), pause=_PAUSE * context.pace)
        # `ask` rather than `request`, which sends all lines together
        *first, go = talk.side.ask(context.start, (), context.limit).splitlines(keepends=True)
        talk.say("".join(first))
        talk.wait_before("go", _PAUSE * context.pace)
        talk.put_question(go)
        talk.answer(context.start, context.limit)


@STEPS.add(
    "options",
    "accepts every option at its extremes and at its default, silently",
    _SHAKE,
    "a value for an option; no answer",
)
def _takes_options(context: CheckContext) -> None:
    with context.talk() as talk:
        options = talk.side.options.values()
        if not options:
            raise NotForThisBot("it offers no options")
        # `set` has no answer: only a turn after it shows whether the bot still works
        for option in options:
            for value in option_values(option):
                talk.say(talk.side.set_option(option.name, value))
        play_one_ply(context, talk)


@STEPS.add("editions", "starts a game of every edition that it plays", _GAME, _COMPLETE)
def _takes_every_edition(context: CheckContext) -> None:
    # a process for each: the step `next-game` checks several games in one process
    for edition in context.editions:
        with context.talk() as talk:
            talk.new_game(edition, 0)
            talk.ask(State.start(edition, 2014), context.limit)


@STEPS.add("unseen-edition", "starts a game of an edition that it has never seen", _GAME, _COMPLETE)
def _plays_what_it_has_never_seen(context: CheckContext) -> None:
    if not context.plays_all:
        raise NotForThisBot("its editions are given, or it says which they are")
    edition = unseen_edition()
    with context.talk() as talk:
        talk.new_game(edition, 0)
        talk.ask(State.start(edition, 7), context.limit)


@STEPS.add(
    "block-order",
    "reads the lines of a new game in any order",
    _GAME,
    "The lines in between may come in any order.",
)
def _takes_lines_in_another_order(context: CheckContext) -> None:
    with context.talk() as talk:
        first, *block, end = talk.side.new_game(context.edition, 0, 81).splitlines(keepends=True)
        talk.announce("".join([first, *reversed(block), end]))
        talk.ask(context.start, context.limit)


@STEPS.add(
    "unknown-lines", "ignores lines that it does not know around the greeting", _LINES, _UNKNOWN
)
def _ignores_strange_lines(context: CheckContext) -> None:
    with context.talk(greeted=False) as talk:
        talk.say(STRANGE_LINES)
        talk.greet()
        talk.say(STRANGE_LINES)
        talk.new_game(context.edition, 0)


@STEPS.add(
    "unknown-lines-in-game",
    "ignores lines that it does not know in a new game and in a turn",
    _LINES,
    _UNKNOWN,
)
def _ignores_strange_lines_of_a_game(context: CheckContext) -> None:
    with context.talk() as talk:
        first, *block = talk.side.new_game(context.edition, 0, 81).splitlines(keepends=True)
        talk.announce("".join([first, STRANGE_LINES, *block]))
        talk.ask(context.start, context.limit, before=STRANGE_LINES)


@STEPS.add(
    "carriage-returns",
    "reads lines that end with \\r\\n",
    _LINES,
    "A line ends with `\\n`; a `\\r` before it is ignored.",
)
def _takes_carriage_returns(context: CheckContext) -> None:
    with context.talk(greeted=False) as talk:
        talk.newline = "\r\n"
        talk.greet()
        play_one_ply(context, talk)


@STEPS.add(
    "pieces",
    "reads lines that are split over several writes",
    _LINES,
    "A line may arrive in pieces, and several lines at once: only the newline says where a line"
    " ends.",
)
def _takes_pieces(context: CheckContext) -> None:
    with context.talk(greeted=False) as talk:
        talk.pieces = True
        talk.greet()
        play_one_ply(context, talk)


@STEPS.add(
    "game-over",
    "accepts a result with negative scores, and sends nothing",
    _END,
    "the bot's score, its opponent's, and who won; no answer",
)
def _says_nothing_at_the_end(context: CheckContext) -> None:
    with context.talk() as talk:
        play_one_ply(context, talk)
        # the score before anything is placed: five buttons, minus two for each of 81 squares
        talk.say(talk.side.game_over(-157, -157, "win"))
        talk.expect_silence(_WAIT * context.pace)


@STEPS.add(
    "next-game",
    "plays one game after another",
    _GAME,
    "A process may be asked to play several games, one after another; each begins with `newgame`.",
)
def _takes_the_next_game(context: CheckContext) -> None:
    with context.talk() as talk:
        for edition in (context.edition, context.editions[-1]):
            talk.new_game(edition, 0)
            talk.ask(State.start(edition, 2014), context.limit)
            talk.say(talk.side.game_over(-30, 12, "loss"))


@STEPS.add(
    "new-game-twice",
    "starts a new game before the last one has ended",
    _GAME,
    "`newgame` may also come while a game is running: that game is then over, without a result.",
)
def _takes_a_new_game_early(context: CheckContext) -> None:
    with context.talk() as talk:
        for seat in (0, 1, 0):
            talk.new_game(context.edition, seat)
        talk.ask(context.start, context.limit)
        talk.new_game(context.editions[-1], 0)
        talk.ask(State.start(context.editions[-1], 2015), context.limit)
    context.takes_many_games = True
