"""Analysed games and positions, and what can be played from them."""

from typing import Any

import pytest
from hypothesis import given

from pwtourney.arena.analyse.editor import compose_position, describe_edited
from pwtourney.arena.analyse.study import MOST_ACTIONS, Study, read_position
from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.notation import action_text, position_text
from pwtourney.notation.game import Fault, Ply, Verdict
from pwtourney.notation.game_data import position_data
from pwtourney.notation.game_text import parse_record
from pwtourney.notation.info import parse_pairs
from pwtourney.notation.marks import UNKNOWN
from pwtourney.rules import Deal, State
from tests.match.helpers import bot, setup
from tests.rules.positions import EXPRESS, ORIGINAL, START
from tests.rules.walks import walks

GAME = f"""\
pwtourney-game 1
edition original {ORIGINAL.fingerprint()}
deal {",".join(map(str, START.circle))} -
seat 0 wren
seat 1 robin
ply 1 0 advance 2000
ply 2 1 advance
ply 3 0 advance 3000
result timeout -154 -155 0
"""

AT_THE_START = {
    "quilt": [0] * 81,
    "buttons": 5,
    "income": 0,
    "space": 0,
    "score": 5 - 2 * 81,
    "micros": 0,
}
"""A player before the first turn: five buttons, and two points lost for each empty square."""

BEGINNING = {
    "players": [AT_THE_START, AT_THE_START],
    "circle": [*START.circle],
    "late": [],
    "leathers": [20, 26, 32, 44, 50],
    "toMove": 0,
    "pending": 0,
    "tile": None,
    "over": False,
}
"""The original edition before the first turn, with its five special patches."""


def test_game_is_shown_from_its_deal_to_its_end() -> None:
    """The facts have names, positions with the thinking times of each seat, and the result."""
    facts = Study.of_game(*parse_record(GAME)).describe()
    assert facts["names"] == ["wren", "robin"]
    assert [ply["action"] for ply in facts["plies"]] == ["advance"] * 3
    assert [ply["micros"] for ply in facts["plies"]] == [2000, None, 3000]
    assert [point["position"]["toMove"] for point in facts["points"]] == [0, 1, 0, 1]
    players = [point["position"]["players"] for point in facts["points"]]
    thought = [[player["micros"] for player in both] for both in players]
    assert thought == [[0, 0], [2000, 0], [2000, 0], [5000, 0]]
    assert facts["result"] == "wren −154, robin −155: wren wins (timeout)"
    assert facts["points"][0]["position"] == BEGINNING


def test_plies_are_shown_with_what_bots_said() -> None:
    """Both bots expect 3 points for themselves; direction marks are replaced, long texts cut."""
    game, edition = parse_record(GAME)
    infos = ("score 3", "score 3 text \u202e", "text " + "x" * 300)
    plies = [ply._replace(info=info) for ply, info in zip(game.plies, infos, strict=True)]
    facts = Study.of_game(game._replace(plies=tuple(plies)), edition).describe()
    usual = {"action": "advance"}
    assert facts["plies"] == [
        usual | {"seat": 0, "micros": 2000, "said": "score 3", "margin": 3.0},
        usual | {"seat": 1, "micros": None, "said": "score 3 text ?", "margin": -3.0},
        usual | {"seat": 0, "micros": 3000, "said": "text " + "x" * 195, "margin": None},
    ]


def test_facts_of_a_study_depend_on_its_subject() -> None:
    """A position has no names, plies and result; late patches are those of the edition."""
    facts = Study.of_position(START).describe()
    assert (facts["names"], facts["plies"], facts["result"]) == (["first", "second"], [], "")
    assert (facts["automa"], "finished" in facts, len(facts["points"])) == (False, False, 1)
    assert (facts["edition"]["name"], facts["edition"]["latePatches"]) == ("original", [])
    (point,) = facts["points"]
    assert point == {
        "position": BEGINNING,
        "text": position_text(START),
        "over": False,
        "scores": [5 - 2 * 81] * 2,
        "winner": None,
        "automa": False,
        "advance": [0, 1],
    }
    express = Study.of_position(State.start(EXPRESS, 1)).describe()["edition"]
    assert express["latePatches"] == tuple(range(16, 24))
    assert Study.of_game(*parse_record(GAME)).describe()["finished"] is False


def test_game_is_finished_when_it_was_played_to_its_end() -> None:
    """Both seats play their first legal actions; with a fault the game counts as not finished."""
    state, plies = State.start(EXPRESS, 1), []
    game = parse_record(GAME)[0]._replace(edition="express", deal=Deal(state.circle, state.late))
    while not state.is_over:
        action = state.legal_actions()[0]
        plies.append(Ply(state.to_move, action_text(action, EXPRESS)))
        state = state.apply(action)
    played = game._replace(
        plies=tuple(plies), verdict=Verdict.FINISHED, winner=state.winner, scores=state.scores
    )
    facts = Study.of_game(played, EXPRESS).describe()
    assert facts["finished"] is True
    assert facts["points"][-1]["winner"] == state.winner
    faulty = played._replace(faults=(Fault(1, Verdict.CRASH, "exited"),))
    assert Study.of_game(faulty, EXPRESS).describe()["finished"] is False


def test_result_names_the_winner_and_an_unusual_verdict() -> None:
    """Nobody wins a void game, and a finished game needs no verdict."""
    game, edition = parse_record(GAME)
    root = Study.of_position(START).root
    for changed, result in (
        ({}, "wren −154, robin −155: wren wins (timeout)"),
        ({"winner": 1, "verdict": Verdict.CRASH}, "wren −154, robin −155: robin wins (crash)"),
        ({"verdict": Verdict.FINISHED}, "wren −154, robin −155: wren wins"),
        (
            {"winner": None, "verdict": Verdict.RUNNER_ERROR, "bots": ("a\x1b", "b")},
            "a? −154, b −155: nobody wins (runner-error)",
        ),
    ):
        study = Study(edition, root, game._replace(**changed, plies=()))
        assert study.describe()["result"] == result


def test_illegal_game_is_refused_with_its_ply() -> None:
    """The seat to move follows from the rules, not from the text."""
    with pytest.raises(IllegalActionError, match="ply 1: seat 0 is to move"):
        Study.of_game(*parse_record(GAME.replace("ply 1 0", "ply 1 1")))


def test_branch_is_checked_by_the_rules() -> None:
    """Legal actions are followed, in any notation; others are refused with the reason."""
    study = Study.of_position(START)
    points = study.follow(["advance", "advance"])
    assert [point.action for point in points] == ["", "advance", "advance"]
    assert points[-1].state == START.apply(START.legal_actions()[0]).apply(START.legal_actions()[0])
    assert points[0].legal[0] == "advance"
    assert len(points[0].legal) == len(START.legal_actions())
    with pytest.raises(IllegalActionError, match="ply 2: 'leather:a1': there is no special patch"):
        study.follow(["advance", "leather:a1"])
    with pytest.raises(NotationError, match="ply 1: 'pass' is not an action"):
        study.follow(["pass"])
    with pytest.raises(NotationError, match=f"a line has {MOST_ACTIONS} plies at most"):
        study.follow(["advance"] * (MOST_ACTIONS + 1))


def test_patches_of_a_branch_are_known() -> None:
    """A position has covered squares but no patches; those played in a branch are known."""
    first = START.legal_actions()[1]
    after = START.apply(first)
    study = Study.of_position(*read_position(position_text(after), ORIGINAL))
    quilt = study.root.describe()["position"]["players"][0]["quilt"]
    assert set(quilt) == {0, UNKNOWN}
    known = Study.of_position(START).follow([Study.of_position(START).root.legal[1]])[-1]
    assert set(known.describe()["position"]["players"][0]["quilt"]) == {0, first.patch}


def test_automa_plays_its_card_in_branches() -> None:
    """It is the next card of its deck, as in the game; no other action is accepted."""
    from pwtourney.match import play_game
    from pwtourney.rules import deal, find_edition
    from pwtourney.rules.automa import Automa

    edition = find_edition("anniversary")
    against = setup(bot(), bot(), edition=edition)._replace(
        automa=Automa("intern"), deal=deal(edition, 1)
    )
    game = play_game(against)
    study = Study.of_game(game, edition)
    card = next(number for number, ply in enumerate(game.plies) if ply.seat == 1)
    actions = [ply.action for ply in game.plies]
    point = study.follow(actions[:card])[-1]
    assert point.is_automas
    assert point.legal == [actions[card]]
    with pytest.raises(IllegalActionError, match=f"the Automa plays {actions[card]} here"):
        point.play("advance")
    *_, last = study.points()
    assert last.describe()["scores"] == list(game.scores)


def test_hidden_late_patches_can_be_played() -> None:
    """Their order is one of the possible ones."""
    start = State.start(EXPRESS, 1)
    study = Study.of_position(*read_position(position_text(start.hide_late()), EXPRESS))
    assert sorted(study.root.state.late) == sorted(start.late)
    assert study.root.describe()["text"].endswith(" ?8")


def test_pasted_position_may_contain_what_editors_add() -> None:
    """A byte order mark, line ends within it, and blanks around it."""
    text = position_text(START)
    read, _ = read_position(f"\ufeff {text.replace(' ', chr(13) + chr(10), 1)}\r\n", ORIGINAL)
    assert read == START


@given(walks())
@pytest.mark.slow
def test_editor_form_gives_the_same_position(state: State) -> None:
    """For positions of random games, the editor's data gives back the position."""
    state = state.hide_late()
    shape = position_data(state)
    form = {
        "players": shape["players"],
        "toMove": shape["toMove"],
        "pending": str(shape["pending"]),
        "tile": shape["tile"],
        "circle": shape["circle"],
        "late": bool(shape["late"]),
    }
    text = compose_position(form, state.edition)
    assert text == position_text(state)
    facts = describe_edited(text, state.edition)
    # revealed late patches may enter now, and are legal like those on offer
    assert facts["over"] == state.is_over


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"pending": "1"}, "at most 0 special patches can be pending"),
        ({"pending": "x"}, "type the special patches to place as a whole number"),
        ({"toMove": 1}, "the first seat starts, so the second seat is not to move"),
        ({"tile": 0}, "the first seat has not earned the special tile"),
        ({"tile": 2}, "must be 0 or 1, not '2'"),
        ({"circle": [*START.circle, 1]}, "the circle contains a patch twice"),
        ({"circle": [*START.circle, 99]}, "the edition original has no patch 99"),
        ({"circle": START.circle[1:]}, "moved the tokens 2 spaces, but these have moved 0"),
        ({"circle": ["no"]}, "the form of the position is not complete"),
        ({"players": []}, "the form of the position is not complete"),
    ],
)
def test_impossible_position_of_a_form_is_refused(changes: dict[str, object], reason: str) -> None:
    """The error is the reason."""
    shape = position_data(START)
    form = {**shape, "tile": None, "late": False, **changes}
    with pytest.raises(NotationError) as error:
        describe_edited(compose_position(form, ORIGINAL), ORIGINAL)
    assert reason in str(error.value)


MARKS = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1] + [0] * 70
"""Patch 15 at the top left: ####/.#"""

FORM: dict[str, Any] = {
    "players": [
        {"quilt": MARKS, "buttons": " 2", "income": "1", "space": "4 "},
        {"quilt": [0] * 81, "buttons": "1 0", "income": "0", "space": "5"},
    ],
    "toMove": 0,
    "pending": "0",
    "tile": None,
    "circle": [*START.circle[2:], START.circle[0]],
    "late": False,
}
"""Seat 0 has taken patch 15, the second of the circle, and seat 1 has advanced past it."""


def test_form_is_composed_to_the_text_of_its_position() -> None:
    """The text follows docs/notation.md and ignores typed blanks; the rules allow the position."""
    circle = ",".join(map(str, FORM["circle"]))
    seats = "xxxx5/1x7/9/9/9/9/9/9/9 2 1 4 9/9/9/9/9/9/9/9/9 10 0 5"
    text = compose_position(FORM, ORIGINAL)
    assert text == f"{seats} 0 0 20,26,32,44,50 - {circle} -"
    facts = describe_edited(text, ORIGINAL)
    state, _ = read_position(text, ORIGINAL)
    assert facts["legal"] == len(state.legal_actions())
    assert facts["position"] == BEGINNING | {
        "players": [
            {
                "quilt": [UNKNOWN * mark for mark in MARKS],
                "buttons": 2,
                "income": 1,
                "space": 4,
                "score": 2 - 2 * (81 - 5),
                "micros": 0,
            },
            AT_THE_START | {"buttons": 10, "space": 5, "score": 10 - 2 * 81},
        ],
        "circle": FORM["circle"],
    }
    # special patches behind the token in front are gone, whether it is the first or the second
    first, second = FORM["players"]
    ahead = FORM | {"players": [first | {"space": "20"}, second], "toMove": 1, "tile": 0}
    assert compose_position(ahead, ORIGINAL).split(" ")[7:12] == ["5", "1", "0", "26,32,44,50", "0"]
    past = {"players": [first, second | {"space": "99", "buttons": "999999999"}], "pending": " 3"}
    fields = compose_position(FORM | past, ORIGINAL).split(" ")
    assert fields[5:11] == ["999999999", "0", "99", "0", "3", "-"]


def test_form_says_whether_late_patches_are_to_come() -> None:
    """The express edition has eight of them, and the original edition none."""
    shape = position_data(State.start(EXPRESS, 1))
    assert compose_position({**shape, "late": True}, EXPRESS).endswith(" ?8")
    assert compose_position({**shape, "late": False}, EXPRESS).endswith(" -")
    assert compose_position({**FORM, "late": True}, ORIGINAL).endswith(" -")


@pytest.mark.parametrize("quilt", [[0] * 80, [0] * 82, None])
def test_form_with_a_wrong_quilt_is_incomplete(quilt: object) -> None:
    """A quilt board has 81 squares; the error is one sentence."""
    broken = FORM | {"players": [FORM["players"][0] | {"quilt": quilt}, FORM["players"][1]]}
    with pytest.raises(NotationError, match=r"^the form of the position is not complete$"):
        compose_position(broken, ORIGINAL)


NO_NUMBER = "type WHAT as a whole number from 0, with the digits 0 to 9"


@pytest.mark.parametrize("key", ["buttons", "income", "space"])
@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "type a number for WHAT"),
        ("-3", NO_NUMBER),
        ("1.5", NO_NUMBER),
        (
            "\N{ARABIC-INDIC DIGIT THREE}",
            NO_NUMBER,
        ),
        ("9" * 30, "the number for WHAT is too large: no game comes to it"),
    ],
)
def test_typed_numbers_are_checked(key: str, typed: str, reason: str) -> None:
    """The error names the field and the seat as the page does."""
    shape = position_data(START)
    shape["players"][1][key] = typed
    what = f"the {key} of the second seat"
    with pytest.raises(NotationError, match=f"^{reason.replace('WHAT', what)}$"):
        compose = compose_position({**shape, "late": False}, ORIGINAL)
        describe_edited(compose, ORIGINAL)


@pytest.mark.parametrize(
    ("info", "pairs"),
    [
        ("depth 3 score 2", {"depth": "3", "score": "2"}),
        ("depth 3 depth 4", {"depth": "3"}),
        ("nodes 4 text a b c", {"nodes": "4", "text": "a b c"}),
        ("alone", {}),
        ("text", {}),
        ("", {}),
    ],
)
def test_words_of_an_info_are_pairs(info: str, pairs: dict[str, str]) -> None:
    """As specified in docs/protocol.md; the value of ``text`` is the rest."""
    assert parse_pairs(info) == pairs
