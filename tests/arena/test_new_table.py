"""Orders for new tables: what each becomes, and what is refused."""

import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.play.new_table import branch_plies, read_order, seat_rematch, seat_table
from pwtourney.arena.play.seating import Seat, Seating
from pwtourney.arena.setting import Arena
from pwtourney.clock import TimeControl
from pwtourney.errors import EditionError, NotationError, PwtourneyError, UsageError
from pwtourney.notation import position_text
from pwtourney.notation.game import Ply
from pwtourney.rules import deal
from pwtourney.rules.automa import Automa
from tests.arena.playing import PERSON
from tests.arena.seated import CIRCLE, DEALT
from tests.rules.positions import EXPRESS, ORIGINAL, player, position

ARENA = Arena(
    bots={"greedy": "greedy", "mine": "./mine.py"},
    editions={"original": "original", "express": "express"},
)
BEN = {"kind": "person", "name": "Ben"}
GREEDY = {"kind": "bot", "bot": "greedy", "clock": {"kind": "move", "seconds": 10}}
SOLO = {"kind": "automa", "level": "2", "tactical": True}
START = position(player(space=3), player(space=5, buttons=9))


def order(*seats: dict[str, Any], parent: Seating | None = None, **more: Any) -> Seating:
    """Return the seating of an order."""
    return seat_table(read_order({"seats": list(seats), **more}), ARENA, parent)


def refusal(*seats: dict[str, Any], parent: Seating | None = None, **more: Any) -> str:
    """Return why an order is refused."""
    with pytest.raises(PwtourneyError) as refused:
        order(*seats, parent=parent, **more)
    assert isinstance(refused.value, (UsageError, NotationError, EditionError))
    return str(refused.value)


def timed(seat: dict[str, Any], kind: str, seconds: float, increment: float = 0.0) -> Any:
    """Return a seat with a clock."""
    return {**seat, "clock": {"kind": kind, "seconds": seconds, "increment": increment}}


def seed_of(words: str) -> int:
    """Return 53 bits of a SHA-256, as docs/notation.md computes the seeds of bots."""
    return int.from_bytes(sha256(words.encode()).digest()[:8], "big") >> 11


def test_order_becomes_a_seating() -> None:
    """The table has a person, a bot, and the deal of seed 2014, which docs/notation.md shows."""
    before = int(time.time())
    seating = order(timed(PERSON, "game", 600, 5), {**GREEDY, "bot": "mine"}, deal=" 2014\n")
    assert before <= seating.made <= time.time()
    assert seating._replace(made=0) == Seating(
        ORIGINAL,
        DEALT,
        (
            Seat("person", "Ann", "", TimeControl(game_ms=600_000, increment_ms=5000)),
            Seat("bot", "mine", "./mine.py", TimeControl(move_ms=10_000)),
        ),
        (0, seed_of("pwtourney/2014/play/1")),
        seed=2014,
    )
    swapped = order(GREEDY, PERSON, deal="2014")
    assert swapped.seeds == (seed_of("pwtourney/2014/play/0"), 0)
    assert [seat.kind for seat in swapped.seats] == ["bot", "person"]


def test_automa_has_the_level_and_the_deck_of_the_order() -> None:
    """A level is given by its name or its number; its seed shuffles the deck."""
    solo = order(PERSON, SOLO, deal="2014")
    assert solo.automa == Automa("apprentice", tactical=True)
    assert solo.seats[1] == Seat("automa", "automa")
    assert solo.seeds == (0, seed_of("pwtourney/2014/automa"))
    assert order(PERSON, {"kind": "automa"}).automa == Automa("fellow")
    assert order(PERSON, {"kind": "automa", "level": "legend"}).automa == Automa("legend")
    # a branch from its start may have another one
    branch = {"table": "x", "ply": 0}
    assert order(PERSON, BEN, parent=solo, branch=branch).automa is None


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("  Ann   Lee ", "Ann Lee"),
        ("An\u202en\x1b", "An?n?"),
        ("   ", "Player"),
        ("", "Player"),
    ],
)
def test_name_of_a_person_is_one_harmless_line(name: str, shown: str) -> None:
    """Blanks are collapsed, control characters replaced, and an empty name becomes Player."""
    assert order({**PERSON, "name": name}, BEN).seats[0].name == shown


def test_players_of_one_name_are_numbered() -> None:
    """A page and a record show both names."""
    seats = order(PERSON, {**BEN, "name": " Ann"}).seats
    assert [seat.name for seat in seats] == ["Ann 1", "Ann 2"]
    assert [seat.name for seat in order(PERSON, BEN).seats] == ["Ann", "Ben"]


def test_clock_is_rounded_to_milliseconds() -> None:
    """None, for each move, or for the game with an increment."""
    for clock, control in (
        (("none", 7, 3), TimeControl()),
        (("move", 2.0004, 3), TimeControl(move_ms=2000)),
        (("move", 2.0006, 0), TimeControl(move_ms=2001)),
        (("move", 0.0001, 0), TimeControl(move_ms=1)),
        (("game", 60, 0), TimeControl(game_ms=60_000)),
        (("game", 0.0001, 2.5), TimeControl(game_ms=1, increment_ms=2500)),
    ):
        assert order(timed(PERSON, *clock), BEN).seats[0].control == control
    assert order(PERSON, BEN).seats[0].control == TimeControl()


def test_bot_needs_a_time_for_each_move_of_at_most_ten_minutes() -> None:
    """A person waits for it; a clock for the whole game is limited when the bot plays."""
    reason = "a bot needs a time for each move, of at most 600 seconds"
    assert refusal(PERSON, timed(GREEDY, "none", 10)) == reason
    assert refusal(PERSON, timed(GREEDY, "move", 600.001)) == reason
    assert order(PERSON, timed(GREEDY, "move", 600)).seats[1].control.move_ms == 600_000
    assert order(PERSON, timed(GREEDY, "game", 7200)).seats[1].control.game_ms == 7_200_000
    assert order(timed(PERSON, "move", 7200), BEN).seats[0].control.move_ms == 7_200_000


def test_deal_is_given_by_a_seed_or_by_its_text_or_is_random() -> None:
    """A seed is a number up to 2^64 - 1; the text of a deal has no seed."""
    largest = 2**64 - 1
    assert order(PERSON, BEN, deal="2014").deal == DEALT
    assert order(PERSON, BEN, deal=f"0{largest}").seed == largest
    given = order(PERSON, BEN, deal=f"\ufeffdeal {CIRCLE} -\r\n")
    assert (given.deal, given.seed, given.start) == (DEALT, None, None)
    drawn = [order(PERSON, BEN) for _ in range(2)]
    for seating in drawn:
        assert seating.seed is not None
        assert seating.deal == deal(ORIGINAL, seating.seed)
    assert drawn[0].seed != drawn[1].seed
    assert max(seating.seed or 0 for seating in drawn) > 2**32
    reason = f"the seed of a deal is a number up to {largest}"
    assert refusal(PERSON, BEN, deal=str(largest + 1)) == reason
    assert refusal(PERSON, BEN, deal="1" + "0" * 30) == reason
    assert refusal(PERSON, BEN, deal="٣").startswith("line 1: a patch must be a whole number")
    assert refusal(PERSON, BEN, deal=f"{CIRCLE}\n{CIRCLE}") == "expected one deal, not 2"
    # without a seed of the deal, that of a bot is random
    seeds = [order(PERSON, GREEDY, deal=CIRCLE).seeds for _ in range(2)]
    assert (seeds[0][0], seeds[1][0]) == (0, 0)
    assert seeds[0][1] != seeds[1][1]
    assert max(seeds[0][1], seeds[1][1]) < 2**53


def test_game_begins_with_a_position_that_is_given() -> None:
    """Hidden late patches get the order of the deal; a game that is over cannot be played."""
    text = position_text(START)
    assert order(PERSON, BEN, position=f" {text}\r\n").start == START
    assert order(PERSON, BEN, position=" \n").start is None
    hidden = deal(EXPRESS, 7)
    seating = order(PERSON, BEN, edition="express", deal="7")
    shown = seating.play().state.hide_late()
    begun = order(PERSON, BEN, edition="express", deal="7", position=position_text(shown)).start
    assert begun is not None
    assert begun.late == hidden.late
    assert sum(hidden.late) > 0
    over = position(player(space=53), player(space=53))
    assert refusal(PERSON, BEN, position=position_text(over)) == (
        "in this position the game is over"
    )
    assert refusal(PERSON, BEN, position="9/9").startswith("a position has 14 fields ")


def test_seats_that_cannot_play_are_refused_with_the_reason() -> None:
    """A person has a seat, the Automa the second one, and names are those of the arena."""
    assert refusal(GREEDY, GREEDY) == "one of the seats must be a person's"
    assert refusal(SOLO, PERSON) == "the Automa has the second seat; take the first"
    unknown = {**GREEDY, "bot": "greedi"}
    assert refusal(PERSON, unknown) == ("there is no bot 'greedi' here (did you mean 'greedy'?)")
    assert refusal(PERSON, BEN, edition="expres") == (
        "there is no edition 'expres' here (did you mean 'express'?)"
    )
    assert refusal(PERSON, SOLO, edition="express") == (
        "the Automa cannot play express: it has no special tile"
    )
    begun = "a game against the Automa begins with a deal, not with a position"
    assert refusal(PERSON, SOLO, position=position_text(START)) == begun
    parent = order(PERSON, BEN, position=position_text(START))
    assert refusal(PERSON, SOLO, parent=parent) == begun
    assert "level '9'" in refusal(PERSON, {**SOLO, "level": "9"})


def test_level_sets_the_options_of_a_bot_and_is_in_its_name() -> None:
    """A rematch has the same level; the full strength is not named."""
    casual = {**GREEDY, "level": "casual"}
    seating = order(PERSON, casual)
    bot = Seat("bot", "greedy (casual)", "greedy", TimeControl(move_ms=10_000))
    assert seating.seats[1] == bot._replace(options=(("blunder_percent", "26"),))
    assert seat_rematch(seating).seats == (seating.seats[1], seating.seats[0])
    assert order(PERSON, {**GREEDY, "level": ""}).seats[1] == bot._replace(name="greedy")
    for opponent in (GREEDY, {**GREEDY, "bot": "mine"}):
        assert " has no level 'master'; it has " in refusal(PERSON, {**opponent, "level": "master"})
    assert refusal(PERSON, {**GREEDY, "level": "x" * 33}).startswith("seats.1.level: string should")


def test_order_that_is_malformed_is_refused_with_the_field() -> None:
    """Nested fields are named by their path."""
    assert refusal(PERSON, {**BEN, "clock": {"kind": "sand"}}).startswith(
        "seats.1.clock.kind: input should be "
    )
    assert refusal() == "seats: list should have at least 2 items after validation, not 0"
    malformed: tuple[object, ...] = ([], None)
    for data in malformed:
        with pytest.raises(UsageError, match=r"^the request: input should be a valid "):
            read_order(data)


def test_branch_has_the_edition_and_the_deal_of_its_parent() -> None:
    """The order's own edition, deal and position do not count."""
    express = order(PERSON, BEN, edition="express", deal="7")
    branch = order(GREEDY, BEN, parent=express, edition="original", deal="81", position="9/9")
    assert (branch.edition, branch.deal, branch.seed) == (EXPRESS, deal(EXPRESS, 7), 7)
    assert branch.start is None
    started = order(PERSON, BEN, position=position_text(START), deal="81")
    assert order(BEN, GREEDY, parent=started).start == START


def test_branch_keeps_the_seeds_of_seats_of_the_same_kind() -> None:
    """A bot or the Automa plays on as in the parent; a new one has a seed from the deal."""
    parent = order(PERSON, GREEDY, deal="81")._replace(seeds=(0, 4))
    assert order(BEN, {**GREEDY, "bot": "mine"}, parent=parent).seeds == (0, 4)
    assert order(GREEDY, BEN, parent=parent).seeds == (seed_of("pwtourney/81/play/0"), 0)
    assert order(BEN, SOLO, parent=parent).seeds == (0, seed_of("pwtourney/81/automa"))
    unseeded = parent._replace(seeds=(0, 0))
    assert order(BEN, GREEDY, parent=unseeded).seeds == (0, seed_of("pwtourney/81/play/1"))
    solo = order(PERSON, SOLO, deal="81")._replace(seeds=(0, 6))
    assert order(BEN, SOLO, parent=solo).seeds == (0, 6)


def test_game_that_has_begun_keeps_its_automa_or_has_none() -> None:
    """Its cards are plies of the game; before the first ply the order decides."""
    reason = (
        "a game that has begun keeps its Automa with level and deck, or has none to its end: play"
        " the deal from the start to change that"
    )
    solo, people = order(PERSON, SOLO, deal="81"), order(PERSON, BEN, deal="81")
    for parent, second in (
        (solo, {**SOLO, "tactical": False}),
        (solo, {**SOLO, "level": "3"}),
        (solo, BEN),
        (people, SOLO),
    ):
        assert refusal(PERSON, second, parent=parent, branch={"table": "x", "ply": 1}) == reason
        assert order(PERSON, second, parent=parent, branch={"table": "x", "ply": 0})
    kept = order(PERSON, SOLO, parent=solo, branch={"table": "x", "ply": 1})
    assert kept.automa == solo.automa


def test_seat_with_a_new_clock_begins_with_all_of_its_time() -> None:
    """The plies of a seat with the same clock keep their times."""
    parent = order(timed(PERSON, "game", 60), BEN, deal="81")
    plies = [Ply(0, "advance", 5, 1, "a"), Ply(1, "advance", 7, 2, "b")]
    for seats, expected in (
        ((timed(BEN, "game", 60), GREEDY), [plies[0], Ply(1, "advance", -1, 0, "b")]),
        ((PERSON, BEN), [Ply(0, "advance", -1, 0, "a"), plies[1]]),
    ):
        assert branch_plies(plies, parent, order(*seats, parent=parent)) == expected


def test_branch_that_cannot_play_the_plies_is_refused() -> None:
    """The message has the number of the plies, and the rule."""
    parent = order(PERSON, BEN, deal="81")
    for ply, reason in (
        (Ply(1, "advance"), "seat 0 is to move"),
        (Ply(0, "leap"), "'leap' is not an action"),
    ):
        with pytest.raises(UsageError) as refused:
            branch_plies([ply], parent, parent)
        assert str(refused.value).startswith(f"this game cannot go on from ply 1: {reason}")


def test_edition_of_a_file_is_found_by_its_name(tmp_path: Path) -> None:
    """The page knows the name only."""
    tiny = Path(__file__).parents[1] / "rules" / "editions" / "tiny.toml"
    arena = Arena(editions={"small": str(tiny)})
    made = seat_table(read_order({"seats": [PERSON, BEN], "edition": "small"}), arena)
    assert (made.edition.name, made.edition.rows) == ("tiny", 3)
