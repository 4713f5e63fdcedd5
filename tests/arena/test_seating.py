"""The seating of a table: its game, and the line of a journal that stores it."""

import json
from typing import Any

import pytest

from pwtourney.arena.play.seating import Seat, Seating, dump_seating, load_seating
from pwtourney.clock import TimeControl
from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.match import AUTOMA
from pwtourney.notation import position_text
from pwtourney.notation.game import Ply
from pwtourney.notation.marks import Marks
from pwtourney.rules import State, deal
from pwtourney.rules.automa import Automa
from tests.arena.seated import ANN_AND_BEN, DEALT, seat_people
from tests.rules.positions import EXPRESS, ORIGINAL, player, position

ANN = Seat("person", "Ann", "", TimeControl(game_ms=600_000, increment_ms=5000))
GREEDY = Seat("bot", "greedy", "./greedy.py", TimeControl(move_ms=2000))
SOLO = Seating(
    ORIGINAL, DEALT, (ANN, Seat("automa", "automa")), (0, 77), Automa("fellow", tactical=True)
)


def store(seating: Seating, **changed: Any) -> dict[str, Any]:
    """Return a seating as a journal has it, with some values changed."""
    stored: dict[str, Any] = json.loads(json.dumps(dump_seating(seating)))
    return stored | changed


def test_first_line_of_a_journal_has_the_whole_table() -> None:
    """Another version of pwtourney can read it: the edition is written in full."""
    seating = Seating(ORIGINAL, DEALT, (ANN, GREEDY), (0, 9), seed=2014, made=1_700_000_000)
    stored = store(seating)
    lines = stored.pop("lines")
    # docs/protocol.md: board ROWS COLUMNS LAST, start BUTTONS PATCH, and a line for each patch
    assert lines[:2] == ["board 9 9 53", "start 5 1"]
    assert sum(line.startswith("patch ") for line in lines) == 33
    assert stored == {
        "table": 1,
        "edition": "original",
        "title": "Patchwork (2014)",
        "currency": "buttons",
        # as in the game of docs/notation.md
        "fingerprint": "b7b43e3f8906321a",
        "circle": list(DEALT.circle),
        "late": [],
        "seats": [
            {
                "kind": "person",
                "name": "Ann",
                "bot": "",
                "control": {"move_ms": None, "game_ms": 600_000, "increment_ms": 5000},
                "options": {},
            },
            {
                "kind": "bot",
                "name": "greedy",
                "bot": "./greedy.py",
                "control": {"move_ms": 2000, "game_ms": None, "increment_ms": 0},
                "options": {},
            },
        ],
        "seeds": [0, 9],
        "level": None,
        "tactical": False,
        "start": None,
        "seed": 2014,
        "made": 1_700_000_000,
    }
    solo = store(SOLO)
    assert (solo["level"], solo["tactical"], solo["seed"]) == ("fellow", True, None)
    plain = store(SOLO._replace(automa=Automa("intern")))
    assert (plain["level"], plain["tactical"]) == ("intern", False)


def test_stored_table_is_restored() -> None:
    """Clocks, seeds, Automa, start position, hidden patches, and a changed edition are restored."""
    late = deal(EXPRESS, 5)
    begun = position(player(space=3), player(space=5, buttons=9))
    start = State.start(ORIGINAL, 1)
    action = start.legal_actions()[1]
    placed = start.apply(action)
    known = Marks.of(start).follow(start, action, placed)
    changed = ORIGINAL.replace(start_buttons=7, title="Mine", currency="coins")
    for seating in (
        Seating(ORIGINAL, DEALT, (ANN, GREEDY), (0, 9), seed=2014, made=1_700_000_000),
        SOLO,
        Seating(EXPRESS, late, (GREEDY, ANN), (4, 0)),
        Seating(ORIGINAL, DEALT, ANN_AND_BEN, (0, 0), start=begun, marks=Marks.of(begun)),
        Seating(ORIGINAL, DEALT, ANN_AND_BEN, (0, 0), start=placed, marks=known),
        Seating(changed, DEALT, ANN_AND_BEN, (0, 0)),
    ):
        again = load_seating(store(seating))
        assert again == seating
        # not part of the equality of editions
        assert (again.edition.title, again.edition.currency) == (
            seating.edition.title,
            seating.edition.currency,
        )
    assert store(Seating(ORIGINAL, DEALT, ANN_AND_BEN, (0, 0), start=begun))["start"] == (
        position_text(begun)
    )


def test_edition_of_pwtourney_has_its_own_title_whatever_is_stored() -> None:
    """A title may be corrected in a later version; a game depends on the fingerprint only."""
    again = load_seating(store(seat_people(), title="Old", currency="coins"))
    assert (again.edition.title, again.edition.currency) == ("Patchwork (2014)", "buttons")
    foreign = load_seating(store(seat_people(), title="Old", currency="coins", edition="mine"))
    assert (foreign.edition.name, foreign.edition.title) == ("mine", "Old")
    assert foreign.edition.currency == "coins"


@pytest.mark.parametrize(
    ("seating", "changed", "reason"),
    [
        (SOLO, {"made": "now"}, "this is not a table: made: Input should be a valid integer"),
        (SOLO, {"table": 2}, "this is not a table: table: Input should be 1"),
        (SOLO, {"level": None}, "the Automa has the second seat, and a level"),
        (seat_people(), {"level": "intern"}, "the Automa has the second seat, and a level"),
        (
            SOLO._replace(seats=(Seat("automa", "one"), Seat("automa", "two"))),
            {},
            "the Automa has the second seat, and a level",
        ),
        (
            SOLO._replace(seats=(Seat("automa", "one"), ANN)),
            {},
            "the Automa has the second seat, and a level",
        ),
        (SOLO, {"level": "7"}, "the Automa has no level '7'; it has 1 to 5 or "),
        (seat_people(), {"circle": [1]}, "the deal does not hold the patches of the edition"),
        (seat_people(), {"late": [1]}, "the deal does not hold the patches of the edition"),
        (seat_people(), {"start": "9/9"}, "a position has 14 fields"),
        (seat_people(), {"edition": "mine", "lines": []}, "the edition 'mine' has no line board"),
    ],
)
def test_invalid_table_is_refused_with_the_reason(
    seating: Seating, changed: dict[str, Any], reason: str
) -> None:
    """Whatever is wrong, the error is one that the reader of a journal expects."""
    with pytest.raises(NotationError) as refused:
        load_seating(store(seating, **changed))
    assert str(refused.value).startswith(reason)


def test_nested_field_of_an_invalid_table_is_named_with_its_path() -> None:
    """Field names and indices are joined by dots."""
    seats = store(SOLO)["seats"]
    seats[0]["control"]["game_ms"] = 0
    with pytest.raises(NotationError, match=r"^this is not a table: seats\.0\.control\.game_ms: "):
        load_seating(store(SOLO, seats=seats))
    with pytest.raises(NotationError, match=r"^this is not a table: : "):
        load_seating([])


def test_options_of_a_level_are_stored() -> None:
    """Another version may have other levels; a journal without options is an earlier one."""
    leveled = GREEDY._replace(options=(("depth", "3"), ("blunder_percent", "26")))
    stored = store(Seating(ORIGINAL, DEALT, (ANN, leveled), (0, 9)))
    assert stored["seats"][1]["options"] == {"depth": "3", "blunder_percent": "26"}
    assert load_seating(stored).seats == (ANN, leveled)
    del stored["seats"][1]["options"]
    assert load_seating(stored).seats == (ANN, GREEDY)


@pytest.mark.parametrize(
    "options",
    [
        {"depth": 3},
        {"depth": ""},
        {"depth": "3\nquit"},
        {"two words": "3"},
        {"depth": "9" * 65},
        {str(number): "3" for number in range(17)},
        [["depth", "3"]],
    ],
)
def test_options_that_are_no_words_are_refused(options: object) -> None:
    """Each is a word of a line that the bot reads; a journal cannot add a line."""
    stored = store(Seating(ORIGINAL, DEALT, (ANN, GREEDY), (0, 9)))
    stored["seats"][1]["options"] = options
    with pytest.raises(NotationError, match=r"^this is not a table: seats\.1\.options"):
        load_seating(stored)


def test_players_are_found_by_their_kind() -> None:
    """The Automa is neither a person nor a bot."""
    assert (SOLO.people, SOLO.bots) == ((0,), ())
    seating = SOLO._replace(seats=(GREEDY, ANN), automa=None)
    assert (seating.people, seating.bots) == ((1,), (0,))
    assert seat_people().people == (0, 1)


def test_game_of_a_table_has_its_players_and_follows_plies() -> None:
    """Names, clocks, seeds and the start position are those of the table."""
    seating = Seating(ORIGINAL, DEALT, (ANN, GREEDY), (0, 9))
    setup = seating.set_up()
    assert [(bot.id, bot.control) for bot in setup.bots] == [
        ("Ann", TimeControl(game_ms=600_000, increment_ms=5000)),
        ("greedy", TimeControl(move_ms=2000)),
    ]
    assert not any(bot.has_process for bot in setup.bots)
    assert (setup.edition, setup.deal, setup.seeds) == (ORIGINAL, DEALT, (0, 9))
    assert (setup.automa, setup.start) == (None, None)
    solo = SOLO.set_up()
    assert (solo.bots[1], solo.automa, solo.seeds) == (
        AUTOMA,
        Automa("fellow", tactical=True),
        (0, 77),
    )
    game = seating.play([Ply(0, "advance", 5_000_000), Ply(1, "advance", 1)])
    assert [token.space for token in game.state.players] == [1, 2]
    assert game.people == (0,)
    # 600 s less 5 s, and the increment of 5 s
    assert game.clock.left_ns[0] == 600 * 10**9
    begun = position(player(space=3), player(space=5))
    assert seat_people(start=begun).play().state == begun
    with pytest.raises(IllegalActionError, match="seat 0 is to move"):
        seating.play([Ply(1, "advance")])
