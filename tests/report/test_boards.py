"""Games, positions and editions drawn with characters.

The game is played by hand on a board of 3 × 4, so every square and number here can be counted.
"""

import io

import pytest
from rich.console import Console

from pwtourney.match import GameSetup
from pwtourney.match.analysis import Evaluation
from pwtourney.match.job import AUTOMA, BotSpec
from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.notation.game_text import replay
from pwtourney.report.text.boards import (
    Boards,
    Ghost,
    describe_edition,
    make_watcher,
    print_analysis,
    print_final,
    print_line,
    print_record,
    print_result,
)
from pwtourney.rules import Deal, Edition, Late, Patch, State, Tile, parse_shape
from pwtourney.rules.automa import Automa, Solo
from pwtourney.sandbox.launch import Launch

MINI = Edition(
    name="mini",
    rows=3,
    columns=4,
    last_space=6,
    start_buttons=5,
    income_marks=(3, 6),
    leather_marks=(2,),
    patches=(
        Patch(1, parse_shape(["##", "#."]), 1, 2, 1),
        Patch(27, parse_shape(["##"]), 2, 1, 0),
        Patch(54, parse_shape(["#"]), 4, 1, 0),
    ),
    start_patch=54,
    tile=Tile(2, 7),
)
DEALT = Deal((1, 27, 54))
PLIES = (
    (0, "1:r0:a1"),
    (0, "leather:b2"),
    (1, "27:r0:c3"),
    *((seat, "advance") for seat in (1, 0, 1, 0, 1)),
)
GAME = Game(
    ("ann", "bo"),
    "mini",
    DEALT,
    (1, 2),
    tuple(Ply(seat, action, 1000) for seat, action in PLIES),
    Verdict.FINISHED,
    0,
    # 10 buttons, 8 empty squares and the tile; 8 buttons and 10 empty squares
    (10 - 2 * 8 + 7, 8 - 2 * 10),
)
BEGINNING = """\
> ann                     bo
  5 (+0), space 0         5 (+0), space 0
  1 · · · ·               1 · · · ·
  2 · · · ·               2 · · · ·
  3 · · · ·               3 · · · ·
"""
AFTER_FOUR = """\
> ann                     bo
  4 (+1), space 2 tile    5 (+0), space 3
  1 A A · ·               1 · · · ·
  2 A * · ·               2 · · · ·
  3 · · · ·               3 · · a a
"""
END = """\
  ann                     bo
  10 (+1), space 6 tile   8 (+0), space 6
  1 A A · ·               1 · · · ·
  2 A * · ·               2 · · · ·
  3 · · · ·               3 · · a a
"""


def make_console(width: int = 80) -> Console:
    """Return a console that writes into memory."""
    return Console(width=width, file=io.StringIO(), force_terminal=False)


def read(console: Console) -> str:
    """Return what was printed, without blanks at the ends of lines and without empty lines."""
    assert isinstance(console.file, io.StringIO)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]
    return "".join(f"{line}\n" for line in lines if line)


def test_recorded_game_is_drawn_before_the_first_ply_and_after_each() -> None:
    """Patches have letters by their ids, special patches a star; the mover has a mark."""
    console = make_console()
    print_record(GAME, MINI, console)
    text = read(console)
    assert text.startswith(f"{BEGINNING}  1. ann 1:r0:a1\n")
    assert f"  4. bo advance\n{AFTER_FOUR}  5. ann advance\n" in text
    assert text.endswith(f"  8. bo advance\n{END}ann 1, bo -12: ann wins (finished)\n")
    assert text.count(" tile ") == 7, "after the second ply and each that follows"
    numbered = [line.split()[:3] for line in text.splitlines() if line.startswith("  ")]
    plies = [words for words in numbered if words[0].endswith(".")]
    assert plies == [
        [f"{number}.", GAME.bots[seat], action] for number, (seat, action) in enumerate(PLIES, 1)
    ]


def test_one_position_of_a_game_is_drawn_alone() -> None:
    """The ply before it is named, and nothing is said of the result."""
    console = make_console()
    print_record(GAME, MINI, console, at=4)
    assert read(console) == f"  4. bo advance\n{AFTER_FOUR}"
    console = make_console()
    print_record(GAME, MINI, console, at=0)
    assert read(console) == BEGINNING


def test_recorded_and_played_games_fit_a_narrow_terminal() -> None:
    """On 47 columns the boards are stacked, so no name is on the line of the other."""
    *_, state = replay(GAME, MINI)
    recorded, played = make_console(47), make_console(47)
    print_record(GAME, MINI, recorded, at=8)
    print_final(make_setup(), state, GAME, played)
    for console in (recorded, played):
        lines = read(console).splitlines()
        assert lines[-10:-8] == ["  ann", "  10 (+1), space 6 tile"]
        assert lines[-5:-3] == ["  bo", "  8 (+0), space 6"]


def test_texts_of_a_record_are_harmless() -> None:
    """Names may have control characters and markup; nobody wins a void game."""
    shown = GAME._replace(bots=("a\x1b[1m", "[b]"), plies=(), winner=None, scores=(-19, -19))
    void = shown._replace(verdict=Verdict.RUNNER_ERROR)
    console = make_console()
    print_record(void, MINI, console)
    first, *_, last = read(console).splitlines()
    assert first == "> a?[1m                   [b]"
    assert last == "a?[1m -19, [b] -19: nobody wins (runner-error)"


def test_boards_are_stacked_on_a_narrow_terminal() -> None:
    """Two boards of 24 characters fit into 48."""
    state = State.start(MINI, DEALT)
    beside, below = (Boards(MINI).draw(state, ("ann", "bo"), width).plain for width in (48, 47))
    assert [line.rstrip() for line in beside.splitlines()] == BEGINNING.splitlines()
    assert below.splitlines() == [
        "> ann",
        "  5 (+0), space 0",
        "  1 · · · · ",
        "  2 · · · · ",
        "  3 · · · · ",
        "  bo",
        "  5 (+0), space 0",
        "  1 · · · · ",
        "  2 · · · · ",
        "  3 · · · · ",
    ]
    assert Boards(MINI).draw(state, ("ann", "bo")).plain == beside


def test_wide_board_takes_two_characters_a_column() -> None:
    """Twelve columns need 24 and 6 characters; a name is cut one before the other board."""
    wide = MINI.replace(columns=12)
    names = ("n" * 40, "m" * 40)
    lines = Boards(wide).draw(State.start(wide, DEALT), names).plain.splitlines()
    assert lines[0] == f"> {'n' * 27}   {'m' * 27}"
    assert lines[2] == f"  1 {'· ' * 12}    1 {'· ' * 12}"[: 30 * 2 - 2]


def test_squares_of_unknown_plies_and_patches_have_their_own_marks() -> None:
    """A position knows which squares are covered, but not by what; a board keeps both seats."""
    *_, state = replay(GAME, MINI)
    boards = Boards(MINI)
    boards.put(1, "27:r0:c3")
    boards.put(1, "card:3:27")
    boards.put(1, "advance")
    lines = [line.rstrip() for line in boards.draw(state, ("ann", "bo")).plain.splitlines()]
    assert lines[2:] == [
        "  1 o o · ·               1 · · · ·",
        "  2 o o · ·               2 · · · ·",
        "  3 · · · ·               3 · · a a",
    ]


def test_patch_beyond_the_letters_shares_one() -> None:
    """There are 52 letters, so patch 54 has that of patch 2, and 52 has the last one."""
    boards = Boards(MINI.replace(patches=(*MINI.patches, Patch(52, parse_shape(["#"]), 0, 1, 0))))
    boards.put(0, "54:r0:a1")
    boards.put(0, "52:r0:b1")
    plain = boards.draw(State.start(MINI, DEALT), ("ann", "bo")).plain
    assert plain.splitlines()[2].startswith("  1 B z · · ")


def test_patch_keeps_its_colour_wherever_it_lies() -> None:
    """A is 65, so its colour is number 5 of six, counted from 0; a is 97, so it has number 1."""
    boards = Boards(MINI)
    for seat, action in PLIES[:3]:
        boards.put(seat, action)
    *_, state = replay(GAME, MINI)
    text = boards.draw(state, ("ann", "bo"))
    styles = {(text.plain[span.start], str(span.style)) for span in text.spans}
    assert styles == {("A", "cyan"), ("a", "green"), ("*", "dim"), ("·", "dim")}


@pytest.mark.parametrize(
    ("legal", "mark", "style"), [(True, "#", "bold green"), (False, "!", "bold red")]
)
def test_considered_placement_covers_what_is_below(legal: bool, mark: str, style: str) -> None:
    """It is drawn for its seat alone; squares that others could cover are marked, too."""
    boards = Boards(MINI)
    boards.put(1, "27:r0:c3")
    ghost = Ghost(1, frozenset({10, 5}), legal, frozenset({5, 6}))
    text = boards.draw(State.start(MINI, DEALT), ("ann", "bo"), 80, ghost)
    assert [line.rstrip() for line in text.plain.splitlines()] == [
        "> ann                     bo",
        "  5 (+0), space 0         5 (+0), space 0",
        "    a b c d                 a b c d",
        "  1 · · · ·               1 · · · ·",
        f"  2 · · · ·               2 · {mark} + ·",
        f"  3 · · · ·               3 · · {mark} a",
    ]
    styles = {(text.plain[span.start], str(span.style)) for span in text.spans}
    letters = {(" ", "dim")}
    assert styles - letters == {(mark, style), ("+", "green"), ("a", "green"), ("·", "dim")}
    assert letters <= styles


DESCRIBED = """\
mini: Mini
fingerprint {fingerprint}

{about}

quilt board      3 rows, 4 columns
time track       0 to 6
income marks     3 6
special patches  2 (may be declined)
special tile     7 points for 2 × 2 squares
start            5 beads
neutral token    starts behind patch 54
on offer         2 patches
late patches     27, when 1 are left in the circle

3 patches with 6 squares; together they cost 7 beads and 4 time, and earn 1:

#1     #27    #54
##     ##     #
#
1/2/1  2/1/0  4/1/0

Sources:
{sources}
"""


def test_edition_is_described_completely() -> None:
    """Sums are by hand: 3 + 2 + 1 squares, 1 + 2 + 4 beads, 2 + 1 + 1 time; texts fill 80 columns.

    Of words of four letters and a blank, 16 fit into a line.
    """
    words = "word\n " * 17
    edition = MINI.replace(
        title="Mini",
        description=words,
        provenance=words,
        currency="beads",
        offer=2,
        declining=True,
        late=Late(1, (27,)),
    )
    filled = f"{'word ' * 15}word\nword"
    text = "\n".join(describe_edition(edition)) + "\n"
    assert text == DESCRIBED.format(fingerprint=edition.fingerprint(), about=filled, sources=filled)


def test_edition_is_described_without_what_it_lacks() -> None:
    """No special tile or patches, no late patches, no texts."""
    bare = MINI.replace(tile=None, leather_marks=())
    lines = describe_edition(bare)
    assert lines[:3] == ["mini: mini", f"fingerprint {bare.fingerprint()}", ""]
    assert lines[3:] == [
        "quilt board      3 rows, 4 columns",
        "time track       0 to 6",
        "income marks     3 6",
        "special patches  none",
        "special tile     none",
        "start            5 buttons",
        "neutral token    starts behind patch 54",
        "on offer         3 patches",
        "",
        "3 patches with 6 squares; together they cost 7 buttons and 4 time, and earn 1:",
        "",
        "#1     #27    #54",
        "##     ##     #",
        "#",
        "1/2/1  2/1/0  4/1/0",
        "",
    ]


def test_long_sums_of_an_edition_fill_the_line() -> None:
    """A currency of 20 letters makes the sentence longer than 80 columns."""
    lines = describe_edition(MINI.replace(currency="x" * 20))
    index = lines.index(f"3 patches with 6 squares; together they cost 7 {'x' * 20} and 4 time,")
    assert lines[index + 1] == "and earn 1:"


def test_patches_are_drawn_in_rows_of_80_columns() -> None:
    """Ten of six characters with two blanks fill a row, so 21 need three."""
    patches = [Patch(number, parse_shape(["#"]), 10, 1, 0) for number in range(1, 22)]
    lines = describe_edition(MINI.replace(patches=patches, start_patch=1))
    prices = [line for line in lines if line.startswith("10/1/0")]
    assert prices == [*["  ".join(["10/1/0"] * 10)] * 2, "10/1/0"]
    assert lines[-4:] == ["#21", "#", "10/1/0", ""]


def test_long_line_with_markup_is_printed_unchanged() -> None:
    """It is neither wrapped nor interpreted."""
    console = make_console(20)
    print_line(console, "[bold]" + "x" * 30)
    assert read(console) == f"[bold]{'x' * 30}\n"


def make_setup(automa: Automa | None = None, seed: int = 2) -> GameSetup:
    """Return the setup of the game, or of one of ann against the Automa."""
    other = AUTOMA if automa else BotSpec("bo", Launch(()))
    return GameSetup((BotSpec("ann", Launch(())), other), MINI, DEALT, (1, seed), automa)


@pytest.mark.parametrize("show", [False, True])
def test_watched_game_is_printed_ply_by_ply(show: bool) -> None:
    """With the boards if they are to be shown."""
    console = make_console()
    watch = make_watcher(make_setup(), console, show=show)
    _, *states = replay(GAME, MINI)
    for state, ply in zip(states[:4], GAME.plies, strict=False):
        watch(state, ply)
    lines = ["1. ann 1:r0:a1", "2. ann leather:b2", "3. bo 27:r0:c3", "4. bo advance"]
    text = read(console)
    if show:
        assert text.endswith(f"  {lines[-1]}\n{AFTER_FOUR}")
        assert text.count("> ") == 4
    else:
        assert text == "".join(f"  {line}\n" for line in lines)


def find_seed(*numbers: int) -> int:
    """Return a seed of the deck with which these cards are drawn first."""
    start = State.start(MINI, DEALT)
    return next(
        seed
        for seed in range(10_000)
        if tuple(card.number for card in Solo.start(start, Automa("1"), seed).face_down[:2])
        == numbers
    )


def test_cards_of_the_automa_are_printed_with_their_reasons() -> None:
    """Card 3 has a budget of 3 and passes over what overtakes; card 12 affords only what is free.

    With 3 buttons the Automa could take patches 1 and 27, but 1 takes two spaces, and the human is
    only one ahead. Then it is on the human's space and draws again: it passes in front.
    """
    console = make_console()
    setup = make_setup(Automa("1"), find_seed(3, 12))
    watch = make_watcher(setup, console, show=False)
    solo = Solo.start(State.start(MINI, DEALT), Automa("1"), setup.seeds[1])
    (advance,) = [action for action in solo.state.legal_actions() if action.kind == "advance"]
    solo = solo._replace(state=solo.state.apply(advance))
    watch(solo.state, Ply(0, "advance"))
    for card in ("card:3:27", "card:12:pass"):
        solo, _ = solo.turn()
        watch(solo.state, Ply(1, card))
    assert read(console) == (
        "  1. ann advance\n"
        "  2. automa card 3 (budget 3, income 3): affordable 1 27, NO leaves 27, takes 27, to"
        " space 1\n"
        "  3. automa card 12 (budget 0, income 5): affordable none, passes, to space 2\n"
    )


def test_game_of_the_full_screen_is_printed_at_its_end() -> None:
    """All plies, and the final boards once."""
    console = make_console()
    *_, state = replay(GAME, MINI)
    print_final(make_setup(), state, GAME, console)
    plies = [
        f"{number:>3}. {GAME.bots[seat]} {action}\n"
        for number, (seat, action) in enumerate(PLIES, 1)
    ]
    assert read(console) == "".join(plies) + END


def test_result_has_faults_scores_and_winner() -> None:
    """Of standard error the last 20 lines are printed; control characters are replaced."""
    noise = "\n".join(f"line {number}\x07" for number in range(1, 23))
    fault = Fault(1, Verdict.CRASH, "exited\x1b", noise)
    console = make_console()
    print_result(GAME._replace(faults=(fault,)), console)
    assert read(console).splitlines() == [
        "bo: crash: exited?",
        *(f"  | line {number}?" for number in range(3, 23)),
        "ann 1, bo -12: ann wins",
    ]


def test_result_names_the_level_of_the_automa() -> None:
    """Nobody wins if both failed."""
    console = make_console()
    print_result(GAME._replace(winner=None, automa=Automa("legend")), console)
    assert read(console) == "ann 1, bo -12 (legend): nobody wins\n"


def test_analysis_has_margins_swings_and_choices() -> None:
    """A choice is printed if it differs; ann's two plies include one that the bot would play.

    That one costs nothing and the other 4.5 points, a mistake: 2.25 on average, written as 2.2.
    """
    evaluations = [
        Evaluation(1, 0, "1:r0:a1", "1:r0:a1", 3.25, -0.04),
        Evaluation(2, 0, "leather:b2", "leather:c1", 3.2, -4.5),
        Evaluation(3, 1, "27:r0:c3", "advance", None, None),
        Evaluation(10, 1, "advance", None, -1.3, 2.0),
    ]
    console = make_console()
    print_analysis(GAME, evaluations, "owl", console)
    assert read(console).splitlines() == [
        " ply   margin    swing  played; owl would play",
        "   1     +3.2     +0.0  ann 1:r0:a1",
        "   2     +3.2     -4.5  ann leather:b2; leather:c1",
        "   3                    bo 27:r0:c3; advance",
        "  10     -1.3     +2.0  bo advance",
        "owl would play 1 of 2 plies of ann",
        "owl would play 0 of 1 plies of bo",
        "ann: lost 2.2 points a ply, accuracy 50 %; blunders 0, mistakes 1, inaccuracies 0",
        "bo: lost 0.0 points a ply, accuracy 100 %; blunders 0, mistakes 0, inaccuracies 0",
        "ply 1: ann 1:r0:a1: -0.0 points",
        "ply 2: ann leather:b2: -4.5 points",
        "ply 10: bo advance: +2.0 points",
    ]


def test_analysis_explains_that_a_bot_gives_no_margins() -> None:
    """Without a choice there was no bot to ask, so there is nothing to explain."""
    silent = [
        Evaluation(1, 0, "1:r0:a1", "1:r0:a1", None),
        Evaluation(2, 0, "leather:b2", "x", None),
    ]
    console = make_console()
    print_analysis(GAME, silent, "owl", console)
    assert read(console).splitlines()[-2:] == [
        "owl would play 1 of 2 plies of ann",
        "owl said no margin; it would have to write `info score N`, as in `score -3.5`",
    ]
    rated = [silent[0]._replace(margin=1.0), silent[1]]
    for evaluations in (rated, [evaluation._replace(choice=None) for evaluation in silent]):
        console = make_console()
        print_analysis(GAME, evaluations, "owl", console)
        assert "said no margin" not in read(console)
