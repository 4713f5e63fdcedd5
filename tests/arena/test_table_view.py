"""The state of a table as its page gets it, and the sentence at the end of a game."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.http.refusal import Refusal
from pwtourney.arena.play.live_table import Table
from pwtourney.arena.play.seating import Seat, Seating
from pwtourney.arena.play.table_view import describe_table, look_at
from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault
from pwtourney.notation.game import Fault, Ply, Verdict
from pwtourney.rules import State
from tests.arena.seated import Watch, opened_at, seat_people
from tests.loops import run_apart
from tests.rules.positions import ORIGINAL, covered, player, position

ANN, BEN = Seat("person", "Ann"), Seat("person", "Ben")
YOU = Seat("person", "You")
ALL = covered(range(9), range(9))
"""A quilt board without an empty square, which costs no points."""

TIE = "; on equal scores the seat that reached the last space first wins"
TIME = TimeControl(game_ms=60_000), TimeControl(move_ms=2500)


def see(path: Path, seating: Seating, *plies: Ply) -> dict[str, Any]:
    """Return what a page shows after some plies."""

    async def play() -> dict[str, Any]:
        async with opened_at(path / "a.jsonl", seating) as table:
            for ply in plies:
                await table.kept.commit(ply)
            return describe_table(table)

    return run_apart(play())


def last_space(first: int, second: int) -> State:
    """Return a position in which the first seat is one space before the end, and gets a button.

    The quilts have no empty square, and the second seat has the special tile, which counts 7.
    """
    return position(
        player(ALL, buttons=first - 1, space=52), player(ALL, buttons=second, space=53), tile=1
    )


RESIGNED = {
    "verdict": "resigned",
    "winner": 1,
    "scores": [6 - 162, 5 - 162],
    "headline": "Ann resigned: Ben wins",
    "text": "Ann resigned: Ben wins.",
}
"""The end of a game in which the first player advances by one space and resigns."""


def test_page_shows_the_whole_state_of_a_table(tmp_path: Path) -> None:
    """The clock of the first turn has run for 1.999 s when the page comes again."""
    watch = Watch()
    seats = (Seat("person", "Ann", "", TIME[0]), Seat("person", "Ben", "", TIME[1]))

    async def play() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(*seats), now=watch) as table:
            shown = describe_table(table)
            assert {key: shown[key] for key in shown if key not in ("choices", "start")} == {
                "version": 1,
                "plies": [],
                "changes": [],
                "turn": 0,
                "undo": "there is nothing to take back",
                "clock": {"limits": [60_000, 2500], "spent": 0, "running": False},
                "thinking": False,
                "trouble": "",
                "over": None,
            }
            assert [offer["patch"] for offer in shown["choices"]["patches"]] == [33, 20, 21]
            assert shown["start"]["circle"][:3] == [33, 20, 21]
            table.enter()
            watch.ns = 1_999_999_999
            shown = describe_table(table)
            assert shown["clock"] == {"limits": [60_000, 2500], "spent": 1999, "running": True}
            await table.act({"do": "play", "action": "advance", "version": 1})
            shown = describe_table(table)
            assert (shown["version"], shown["turn"], shown["undo"]) == (2, 1, "")
            assert shown["clock"] == {"limits": [58_000, 2500], "spent": 0, "running": True}
            assert shown["plies"] == [[0, "advance", 1_999_999, ""]]
            await table.act({"do": "resign", "seat": 0, "version": 2})
            shown = describe_table(table)
            assert (shown["turn"], shown["choices"], shown["undo"]) == (
                None,
                None,
                "the game is over",
            )
            assert shown["clock"]["running"] is False
            assert shown["over"] == RESIGNED

    run_apart(play())


def test_limit_of_a_page_is_in_whole_milliseconds(tmp_path: Path) -> None:
    """After 1.999 999 s of 60 s, 58.000 001 s are left, which are shown as 58 000 ms."""
    seats = (Seat("person", "Ann", "", TIME[0]), BEN)
    shown = see(tmp_path, seat_people(*seats), Ply(0, "advance", 1_999_999))
    assert shown["clock"]["limits"] == [58_000, None]


def test_choices_are_those_of_a_person_at_an_open_table(tmp_path: Path) -> None:
    """In the turn of a bot there are none, and none at a table that is closed."""
    bot = Seat("bot", "greedy", "greedy", TimeControl(move_ms=1000))

    async def play() -> None:
        async with opened_at(tmp_path / "a.jsonl", seat_people(bot, ANN)) as table:
            assert describe_table(table)["choices"] is None
            assert describe_table(table)["turn"] == 0
        async with opened_at(tmp_path / "b.jsonl", seat_people()) as table:
            assert describe_table(table)["choices"] is not None
            await table.close("it is late")
            shown = describe_table(table)
            assert (shown["choices"], shown["trouble"]) == (None, "it is late")

    run_apart(play())


@pytest.mark.parametrize(
    ("seats", "first", "second", "winner", "headline", "text"),
    [
        ((ANN, BEN), 10, 1, 0, "Ann wins by 2 points", "Ann wins: Ann 10, Ben 8."),
        ((ANN, BEN), 7, 1, 1, "Ben wins by 1 point", "Ben wins: Ann 7, Ben 8."),
        ((YOU, BEN), 9, 1, 0, "You win by 1 point", "You win: You 9, Ben 8."),
        ((ANN, BEN), 8, 1, 1, "Ben wins the tie", f"Ben wins: Ann 8, Ben 8{TIE}."),
    ],
)
def test_end_of_a_game_is_a_sentence_with_both_scores(
    tmp_path: Path,
    seats: tuple[Seat, Seat],
    first: int,
    second: int,
    winner: int,
    headline: str,
    text: str,
) -> None:
    """The winner, even of a tie, follows docs/rules.md; the tile counts 7 points."""
    seating = seat_people(*seats, start=last_space(first, second))
    seen = see(tmp_path, seating, Ply(0, "advance"))
    assert seen["over"] == {
        "verdict": "finished",
        "winner": winner,
        "scores": [first, second + 7],
        "headline": headline,
        "text": text,
    }
    others = seen["changes"][-1][-1]
    assert others["points"] == ((first, 0, 0), (second, 7, 0))


def end(*faults: tuple[int, Verdict, str]) -> Callable[[Table], Sequence[Any]]:
    """Return a function that ends a game by faults."""
    return lambda table: [
        table.kept.commit_end(seat, BotFault(verdict, message)) for seat, verdict, message in faults
    ]


@pytest.mark.parametrize(
    ("seats", "faults", "winner", "text"),
    [
        ((ANN, BEN), end((1, Verdict.RESIGNED, "x")), 0, "Ben resigned: Ann wins."),
        ((ANN, YOU), end((0, Verdict.RESIGNED, "x")), 1, "Ann resigned: You win."),
        (
            (ANN, BEN),
            end((0, Verdict.TIMEOUT, "the turn took 2 s")),
            1,
            "Ann lost by timeout: the turn took 2 s.",
        ),
        ((ANN, BEN), end((1, Verdict.CRASH, "a")), 0, "Ben lost by crash: a."),
        (
            (ANN, BEN),
            end((0, Verdict.START, "a"), (1, Verdict.START, "b")),
            None,
            "Nobody wins: Ann −157, Ben −157.",
        ),
    ],
)
def test_end_by_a_fault_names_the_loser(
    tmp_path: Path,
    seats: tuple[Seat, Seat],
    faults: Callable[[Table], Sequence[Any]],
    winner: int | None,
    text: str,
) -> None:
    """If both bots failed to start, nobody wins."""

    async def play() -> dict[str, Any]:
        async with opened_at(tmp_path / "a.jsonl", seat_people(*seats)) as table:
            for ending in faults(table):
                await ending
            return describe_table(table)

    over = run_apart(play())["over"]
    assert (over["winner"], over["text"]) == (winner, text)


def test_action_is_looked_at_before_it_is_played() -> None:
    """A page shows its effect, the rule that forbids it, or that the text is not an action."""
    game = seat_people().play()
    shown = look_at(game, "21:r0:a1")  # free, 3 spaces, an income of 1
    assert shown == {
        "problem": "",
        "buttons": [5, 5],
        "income": [0, 1],
        "space": [0, 3],
        "marks": 0,
        "paid": 0,
        "leathers": 0,
        "tile": False,
        "again": False,
        "over": False,
    }
    assert look_at(game, "20:r0:a1") == {"problem": "patch 20 costs 10 buttons and you have 5"}
    with pytest.raises(Refusal, match=r"^'leap' is not an action: ") as refused:
        look_at(game, "leap")
    assert refused.value.status == 422
    over = Seating(ORIGINAL, game.setup.deal, (ANN, BEN), (0, 0), start=last_space(9, 1)).play(
        [Ply(0, "advance")]
    )
    assert look_at(over, "advance") == {"problem": "the game is over"}
    resigned = seat_people().play()
    resigned.lose(Fault(1, Verdict.RESIGNED, "resigned"))
    assert look_at(resigned, "advance") == {"problem": "the game is over"}
