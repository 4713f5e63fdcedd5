"""Both sides of the protocol in scripted dialogues, without a process."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.clock import Limit
from pwtourney.errors import NotationError, ProtocolFault
from pwtourney.notation import action_text, position_text
from pwtourney.protocol import (
    BotSide,
    GameOver,
    GameStart,
    Hello,
    Info,
    Move,
    Option,
    Query,
    Quit,
    Ready,
    RunnerSide,
    SetOption,
    Turn,
    decode_line,
)
from pwtourney.rules import ADVANCE, Action, Edition, State, take
from tests.rules.positions import EDITIONS, EXPRESS, ORIGINAL, START

OPTIONS = (
    Option("depth", "int", "3", ("1", "9")),
    Option("style", "choice", "calm", ("calm", "bold")),
    Option("book", "string", "none at all"),
)


def greeted() -> RunnerSide:
    """Return a runner's side after the handshake."""
    side = RunnerSide()
    side.hello()
    side.feed("ready")
    return side


def in_game(edition: Edition = ORIGINAL) -> BotSide:
    """Return a bot's side that has received a new game."""
    side = BotSide()
    for line in greeted().new_game(edition, 1, 81).splitlines():
        side.feed(line)
    return side


def test_handshake_gives_names_options_and_features() -> None:
    """The runner receives them as the bot sent them."""
    runner, bot = RunnerSide(), BotSide()
    assert bot.feed(runner.hello().rstrip("\n")) == Hello(1)
    played = ("original", "express")
    text = bot.introduction(
        "Magpie 1.2", "A. Author", OPTIONS, legal=True, editions=played, features=("stop",)
    )
    answers = [runner.feed(line) for line in text.splitlines()]
    assert answers[-1] == Ready()
    assert runner.names == {"name": "Magpie 1.2", "author": "A. Author"}
    assert tuple(runner.options.values()) == OPTIONS
    assert runner.wants_legal
    assert tuple(runner.editions) == played
    assert runner.features == {"stop"}
    assert runner.awaiting is None


def test_options_are_set_by_name() -> None:
    """A value may hold spaces."""
    assert BotSide().feed(RunnerSide().set_option("book", "a b c").strip()) == SetOption(
        "book", "a b c"
    )


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_new_game_describes_its_edition_completely(edition: Edition) -> None:
    """The edition that a bot builds from the lines plays exactly as the runner's."""
    bot = BotSide()
    messages = [bot.feed(line) for line in greeted().new_game(edition, 1, 81).splitlines()]
    game = messages[-1]
    assert isinstance(game, GameStart)
    assert all(message is None for message in messages[:-1])
    assert game.edition == edition
    assert (game.seat, game.seed, game.edition.name) == (1, 81, edition.name)


def test_turn_has_position_actions_and_clock() -> None:
    """The position, what was played, the legal actions and the clock arrive together."""
    runner, bot = greeted(), in_game()
    text = runner.turn(
        position_text(START), ["advance", "3:r0:a1"], ["advance"], Limit(None, 900, 800, 10)
    )
    *before, turn = [bot.feed(line) for line in text.splitlines()]
    assert before == [None] * 3
    assert turn == Turn(START, (ADVANCE, take(3, 0, 0)), ("advance",), Limit(None, 900, 800, 10))
    assert runner.feed(bot.move(ADVANCE).strip()) == Move("advance")


@pytest.mark.parametrize(
    "limit", [Limit(), Limit(move_ms=50), Limit(None, 5, 6, 7), Limit(infinite=True)]
)
def test_every_kind_of_clock_reads_back(limit: Limit) -> None:
    """The kinds are no limit, time per move, two clocks with an increment, and until a stop."""
    bot = in_game()
    for line in greeted().turn(position_text(START), [], None, limit).splitlines():
        turn = bot.feed(line)
    assert isinstance(turn, Turn)
    assert (turn.limit, turn.played, turn.legal) == (limit, (), None)


def test_each_turn_has_the_limit_of_its_own_request() -> None:
    """Earlier turns do not affect the limit of a turn."""
    bot, position = in_game(), position_text(START)
    limits = [Limit(None, 9, 7, 1), Limit(None, 8, 7, 1), Limit(None, 8, 7, 1), Limit()]
    heard = []
    for limit in limits:
        for line in greeted().turn(position, [], None, limit).splitlines():
            message = bot.feed(line)
        assert isinstance(message, Turn)
        heard.append(message.limit)
    assert heard == limits


QUERY = Query(3, ("advance", "3:r0:a1"))
"""Three lines of play, and two actions to choose from."""


def able(*features: str) -> RunnerSide:
    """Return a runner's side whose bot has these features."""
    side = RunnerSide()
    side.hello()
    for feature in features:
        side.feed(f"feature {feature}")
    side.feed("ready")
    return side


def test_query_of_an_analysis_is_received() -> None:
    """The number of lines and the actions hold for one turn only."""
    runner, bot = able("multipv", "searchmoves", "stop"), in_game()
    runner.refine(QUERY)
    limits = Limit(infinite=True), Limit()
    turns = []
    for limit in limits:
        text = runner.turn(position_text(START), [], None, limit)
        turns.append([bot.feed(line) for line in text.splitlines()][-1])
        runner.feed("move advance")
        runner.refine(Query())
    assert turns == [
        Turn(START, (), None, Limit(infinite=True), 3, (ADVANCE, take(3, 0, 0))),
        Turn(START, (), None, Limit()),
    ]
    refined, usual = turns
    assert isinstance(refined, Turn)
    assert refined.allowed == (ADVANCE, take(3, 0, 0))
    assert isinstance(usual, Turn)
    assert [*usual.allowed] == [*START.legal_actions()]


@pytest.mark.parametrize(
    ("features", "lines"),
    [
        ((), []),
        (("legal", "stop", "unheard-of"), []),
        (("multipv",), ["multipv 3"]),
        (("searchmoves",), ["searchmoves advance 3:r0:a1"]),
        (("searchmoves", "multipv"), ["multipv 3", "searchmoves advance 3:r0:a1"]),
    ],
)
def test_bot_is_asked_only_for_what_it_can_do(features: tuple[str, ...], lines: list[str]) -> None:
    """The lines stand between the position and the clock, as in the documentation."""
    runner, usual = able(*features), able(*features)
    runner.refine(QUERY)
    sent = runner.turn(position_text(START), [], None, Limit(move_ms=9)).splitlines()
    expected = usual.turn(position_text(START), [], None, Limit(move_ms=9)).splitlines()
    assert sent == [*expected[:-1], *lines, expected[-1]]


def test_usual_query_adds_nothing() -> None:
    """One line and all actions are what a bot shows anyway."""
    runner = able("multipv", "searchmoves")
    runner.refine(Query())
    text = runner.turn(position_text(START), [], None, Limit())
    assert text == f"position {position_text(START)}\ngo\n"


def test_stop_is_no_message_of_its_own() -> None:
    """A bot that has answered already ignores it, and its next turn is complete."""
    bot = in_game()
    assert bot.feed(RunnerSide().stop().strip()) is None
    text = greeted().turn(position_text(START), [], None, Limit())
    assert isinstance([bot.feed(line) for line in text.splitlines()][-1], Turn)


def test_feature_that_does_not_exist_is_an_error_of_the_author() -> None:
    """The runner would ignore it, and the author would wonder why."""
    problem = "Magpie has the feature 'multpv', which is not one of multipv, searchmoves, stop"
    with pytest.raises(ValueError, match=problem):
        BotSide().introduction("Magpie", "", features=("multpv",))


@pytest.mark.parametrize(
    "line",
    [
        "multipv",
        "multipv 0",
        "multipv -1",
        "multipv two",
        "searchmoves pass",
        "searchmoves advance 3:r0:a99",
    ],
)
def test_query_that_cannot_be_read_is_rejected(line: str) -> None:
    """The error comes with `go`, when the turn is complete."""
    bot = in_game()
    for text in (f"position {position_text(START)}", line):
        bot.feed(text)
    with pytest.raises(NotationError):
        bot.feed("go")


@given(st.lists(st.sampled_from(START.legal_actions()), max_size=5), st.integers(1, 10**17))
def test_every_query_reads_back(actions: list[Action], lines: int) -> None:
    """Queries have any legal actions and any number of lines."""
    runner, bot = able("multipv", "searchmoves"), in_game()
    runner.refine(Query(lines, tuple(action_text(action, ORIGINAL) for action in actions)))
    text = runner.turn(position_text(START), [], None, Limit())
    turn = [bot.feed(line) for line in text.splitlines()][-1]
    assert turn == Turn(START, (), None, Limit(), lines, tuple(actions))


def test_game_over_may_have_negative_scores() -> None:
    """The bot's own score comes first."""
    line = RunnerSide().game_over(-18, 12, "loss").strip()
    assert BotSide().feed(line) == GameOver(-18, 12, "loss")
    assert BotSide().feed(RunnerSide().quit().strip()) == Quit()


def test_unknown_first_words_are_ignored_by_both_sides() -> None:
    """A newer side may send words that an older one does not know."""
    assert greeted().feed("weather fine") is None
    assert greeted().feed("") is None
    assert in_game().feed("weather fine") is None
    assert in_game().feed("") is None


def test_info_is_passed_on_and_needs_no_answer() -> None:
    """A bot may send info at any time."""
    runner = greeted()
    assert runner.feed("info depth 3 score 12") == Info("depth 3 score 12")
    assert runner.awaiting is None


def test_a_carriage_return_is_tolerated() -> None:
    """Lines may end with CR LF, as on Windows."""
    assert decode_line(b"ready\r") == "ready"
    assert BotSide().feed("pwtp 1\r") == Hello(1)


@pytest.mark.parametrize("line", ["move advance", "ready"])
def test_unrequested_answer_is_a_fault(line: str) -> None:
    """The answer comes before the handshake, between turns, or twice."""
    with pytest.raises(ProtocolFault, match="spoke out of turn"):
        RunnerSide().feed(line)
    with pytest.raises(ProtocolFault, match="nothing was asked"):
        greeted().feed(line)
    runner = greeted()
    runner.turn(position_text(START), [], None, Limit())
    if line != "ready":
        runner.feed(line)
    with pytest.raises(ProtocolFault, match="spoke out of turn"):
        runner.feed(line)


@pytest.mark.parametrize("line", ["move", "move ", "move advance now", "move  advance"])
def test_answer_has_exactly_one_action(line: str) -> None:
    """An answer of another form is rejected, not guessed."""
    runner = greeted()
    runner.turn(position_text(START), [], None, Limit())
    with pytest.raises(ProtocolFault, match="an answer is: move ACTION"):
        runner.feed(line)


@pytest.mark.parametrize("line", ["id name Late", "option a int 1", "feature legal"])
def test_introduction_after_the_handshake_is_a_fault(line: str) -> None:
    """Names, options and features cannot change after `ready`."""
    with pytest.raises(ProtocolFault, match="belongs in the handshake"):
        greeted().feed(line)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("option depth", "an option is"),
        ("option depth number 3", "an option is"),
        ("option Depth int 3", "an option is"),
        ("option depth int 3 1", "has 1 words after its default"),
        ("option depth int 12 1 9", "it must be from 1 to 9"),
        ("option depth int x", "it must be a whole number"),
        ("option depth int 3 one nine", "it must be from one to nine"),
        ("option fast bool yes", "it must be true or false"),
        ("option style choice calm bold", "it must be one of bold"),
    ],
)
def test_an_option_that_contradicts_itself_is_a_fault(line: str, reason: str) -> None:
    """Types, ranges and defaults are checked when the bot offers the option."""
    runner = RunnerSide()
    runner.hello()
    with pytest.raises(ProtocolFault) as fault:
        runner.feed(line)
    assert reason in str(fault.value)


def test_values_are_checked_against_the_type_of_their_option() -> None:
    """Numbers must be in range, choices among those offered, texts on one line."""
    number, real = Option("n", "int", "3", ("-1", "9")), Option("r", "float", "0.5")
    assert [number.check(value) is None for value in ("-1", "9", "10", "1.0", "١")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [real.check(value) is None for value in ("-0.25", "3", "1e5", "nan")] == [
        True,
        True,
        False,
        False,
    ]
    assert Option("t", "string", "x").check("two\nlines") is not None


def test_more_than_100_options_are_a_fault() -> None:
    """The 101st option is rejected."""
    runner = RunnerSide()
    runner.hello()
    for number in range(100):
        runner.feed(f"option o{number} bool true")
    with pytest.raises(ProtocolFault, match="more than 100 options"):
        runner.feed("option last bool true")


@pytest.mark.parametrize("raw", [b"move \xff", b"move a\x00b", b"info \x1b[31mred", b"a\tb"])
def test_bytes_that_are_not_text_are_a_fault(raw: bytes) -> None:
    """Invalid UTF-8, NUL and control sequences are rejected, and the message is printable ASCII."""
    with pytest.raises(ProtocolFault) as fault:
        decode_line(raw)
    assert str(fault.value).isascii()
    assert str(fault.value).isprintable()


@pytest.mark.parametrize(
    "line", ["go", "go movetime x", "gameover 1", "pwtp one", "end", "go clock 1 2"]
)
def test_bot_side_rejects_invalid_lines_of_a_runner(line: str) -> None:
    """Each invalid line raises the same type of error, NotationError."""
    side = BotSide()
    if line == "end":
        side.feed("newgame edition x seat 0")
    with pytest.raises(NotationError):
        side.feed(line)


@given(st.binary(max_size=200))
def test_any_bytes_of_a_bot_raise_only_faults(raw: bytes) -> None:
    """The runner's side raises no other exception."""
    for side in (RunnerSide(), greeted()):
        side.awaiting = "move"
        try:
            side.feed(decode_line(raw.replace(b"\n", b"")))
        except ProtocolFault as fault:
            assert str(fault).isascii()


@pytest.mark.slow
@given(st.text(alphabet=st.characters(exclude_characters="\n"), max_size=60), st.booleans())
def test_any_line_to_the_bot_side_raises_only_notation_errors(rest: str, known: bool) -> None:
    """The lines are known words with any tail, and unknown ones."""
    words = ["pwtp", "set", "newgame", "board", "patch", "end", "position", "go", "gameover"]
    words += ["multipv", "searchmoves", "stop"]
    for word in words if known else [""]:
        try:
            in_game(EXPRESS).feed(f"{word} {rest}")
        except NotationError as error:
            assert str(error)


def test_misuse_of_either_side_is_an_error() -> None:
    """A second request without an answer is a defect of the runner, not a fault of the bot."""
    runner = RunnerSide()
    runner.hello()
    with pytest.raises(AssertionError, match="still owes ready"):
        runner.hello()
    with pytest.raises(NotationError, match="no game to move in"):
        BotSide().move(ADVANCE)
    assert State.start(ORIGINAL, 1) == START


@pytest.mark.parametrize("line", ["option  int 3 0 9", "option  choice calm calm bold"])
def test_an_option_without_a_name_is_a_fault(line: str) -> None:
    """Two spaces in a row enclose an empty name, which no tournament file can set."""
    side = RunnerSide()
    side.hello()
    with pytest.raises(ProtocolFault, match="an option is: option NAME TYPE DEFAULT"):
        side.feed(line)
