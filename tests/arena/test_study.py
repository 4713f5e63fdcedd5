"""Analysed games and positions, and what can be played from them."""

import pytest
from hypothesis import given

from pwtourney.arena.analyse.editor import compose_position, describe_edited
from pwtourney.arena.analyse.examiner import describe_info
from pwtourney.arena.analyse.study import MOST_ACTIONS, Study, read_position
from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.notation import position_text
from pwtourney.notation.game_data import UNKNOWN, position_data
from pwtourney.notation.game_text import parse_record
from pwtourney.notation.info import parse_pairs
from pwtourney.rules import State
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


def test_game_is_shown_from_its_deal_to_its_end() -> None:
    """Names, positions with the thinking times of each seat, and the result."""
    told = Study.of_game(*parse_record(GAME)).describe()
    assert told["names"] == ["wren", "robin"]
    assert [ply["action"] for ply in told["plies"]] == ["advance"] * 3
    assert [ply["micros"] for ply in told["plies"]] == [2000, None, 3000]
    assert [point["position"]["toMove"] for point in told["points"]] == [0, 1, 0, 1]
    players = [point["position"]["players"] for point in told["points"]]
    thought = [[player["micros"] for player in both] for both in players]
    assert thought == [[0, 0], [2000, 0], [2000, 0], [5000, 0]]
    assert told["result"] == "wren -154, robin -155: wren wins (timeout)"
    assert told["points"][0]["position"] == position_data(START)


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
    study = Study.of_position(read_position(position_text(after), ORIGINAL))
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
    study = Study.of_position(read_position(position_text(start.hide_late()), EXPRESS))
    assert sorted(study.root.state.late) == sorted(start.late)
    assert study.root.describe()["text"].endswith(" ?8")


def test_pasted_position_may_contain_what_editors_add() -> None:
    """A byte order mark, line ends within it, and blanks around it."""
    text = position_text(START)
    assert read_position(f"\ufeff {text.replace(' ', chr(13) + chr(10), 1)}\r\n", ORIGINAL) == START


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
    told = describe_edited(text, state.edition)
    # revealed late patches may enter now, and are legal like those on offer
    assert told["over"] == state.is_over


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


def test_info_of_a_bot_is_parsed() -> None:
    """Depth, nodes, the first seat's margin, the legal part of the line, and other words."""
    found = describe_info("depth 3 nodes 40 score 2.5 line advance,advance,leather:a1", START)
    assert found == {
        "depth": 3,
        "nodes": 40,
        "margin": 2.5,
        "line": ["advance", "advance"],
        "text": "",
    }
    second = START.apply(START.legal_actions()[0])
    assert describe_info("score 4 text hi there", second)["margin"] == -4.0
    assert describe_info("score 4 text hi there", second)["text"] == "hi there"
    assert describe_info("depth ٣ nodes -1 line pass", START)["depth"] is None
    assert describe_info("hm \x1b[2J", START)["text"].startswith("hm")


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
