"""Games of running slots are read only if the rules allow them."""

import json
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pwtourney.arena.infos import BotInfo
from pwtourney.arena.watch.running_games import SeenGame, SlotReader, parse_game
from pwtourney.executor.broadcast import (
    LONGEST,
    WATCHED,
    name_ended,
    pack_broadcast,
    prepare_broadcasts,
)
from pwtourney.notation import card_text
from pwtourney.rules import ADVANCE, State, deal, find_edition
from pwtourney.rules.automa import Automa, Solo

ORIGINAL = find_edition("original")
DEAL = deal(ORIGINAL, 81)
"""Offers patches 20, 7 and 15 first, which cost 10, 3 and 3."""


def game_of(*plies: tuple[Any, ...], **changed: Any) -> dict[str, Any]:
    """Return the data that a worker writes about a game with these plies."""
    return {
        "pair": 3,
        "game": 1,
        "bots": ["one", "two"],
        "edition": "original",
        "circle": list(DEAL.circle),
        "late": [],
        "automa": None,
        "plies": plies,
        "to_move": 0,
        "move": [5000, 5000],
        "left": [None, None],
        "asked": None,
        "info": "",
        "over": False,
        "result": None,
        **changed,
    }


PLAYED = game_of((0, "advance", 12, "score 1.5 text hm"), (1, "7:r0:a1", 5, ""))


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """Return a folder as a run makes it."""
    assert prepare_broadcasts(tmp_path / "live")
    return tmp_path / "live"


def look(live: Path) -> dict[int, Any]:
    """Return the games that a new reader sees, by slot."""
    return dict(SlotReader(live).look(ORIGINAL))


def test_game_is_read_as_it_was_written(live: Path) -> None:
    """Its plies, the bots' scores, and what follows from the rules: seat 0 is to move."""
    (live / "0").write_bytes(pack_broadcast(PLAYED))
    assert list(look(live)) == [0]
    game = look(live)[0]
    assert (game.key, game.bots, game.state.to_move) == ((3, 1), ("one", "two"), 0)
    assert [list(ply) for ply in game.plies] == [
        [0, "advance", 12, BotInfo(margin=1.5, text="hm")],
        [1, "7:r0:a1", 5, BotInfo()],
    ]
    # patch 7 costs 3 of 5 buttons
    assert game.state.players[1].buttons == 2


CRASHED = {
    **PLAYED,
    "pair": 2,
    "game": 0,
    "over": True,
    "result": ["crash", 0, [3, -9], "it\x07"],
}


def find(live: Path, ended: dict[str, Any], pair: int = 2, number: int = 0) -> SeenGame | None:
    """Return a game that slot 0 may have played before the current one, which was `ended`."""
    (live / "0").write_bytes(pack_broadcast(PLAYED))
    (live / name_ended(0)).write_bytes(pack_broadcast(ended))
    reader = SlotReader(live)
    assert list(reader.look(ORIGINAL)) == [0]
    return reader.find_ended(pair, number, ORIGINAL)


def test_game_before_is_found_with_its_result(live: Path) -> None:
    """By its pair and its number, if it is over."""
    game = find(live, CRASHED)
    assert game is not None
    assert (game.key, len(game.plies), game.is_over) == ((2, 0), 2, True)
    assert game.result == ("crash", 0, (3, -9), "it?")
    assert find(live, CRASHED, 2, 1) is None
    assert find(live, CRASHED, 3, 1) is None  # it is being played
    assert find(live, {**CRASHED, "over": False}) is None


def test_reader_has_no_game_before_without_its_file(live: Path) -> None:
    """Nor if it has not seen a game in its slot."""
    assert find(live, CRASHED) is not None
    assert SlotReader(live).find_ended(2, 0, ORIGINAL) is None
    reader = SlotReader(live)
    reader.look(ORIGINAL)
    (live / name_ended(0)).unlink()
    assert reader.find_ended(2, 0, ORIGINAL) is None
    shutil.rmtree(live)
    assert reader.find_ended(2, 0, ORIGINAL) is None


@pytest.mark.parametrize(
    "result",
    [
        ["crash", 2, [3, 9], ""],
        ["crash", True, [3, 9], ""],
        ["bored", 0, [3, 9], ""],
        ["crash", 0, [3.5, 9], ""],
        ["crash", 0, [3, 9, 1], ""],
        ["crash", 0, [10**400, 9], ""],
        ["crash", 0, [3, 9], 7],
        ["crash"],
        "lost",
    ],
    ids=str,
)
def test_game_with_an_impossible_result_is_ignored(live: Path, result: Any) -> None:
    """Although its file is well-formed."""
    assert find(live, {**CRASHED, "result": result}) is None


def test_game_without_a_result_was_not_finished(live: Path) -> None:
    """Its worker was interrupted, so nobody has won."""
    game = find(live, {**CRASHED, "result": None})
    assert game is not None
    assert game.result is None


def test_reader_touches_the_file_that_workers_check(live: Path) -> None:
    """If it cannot be touched, reading still works."""
    assert (live / WATCHED).stat().st_mtime == 0
    look(live)
    assert (live / WATCHED).stat().st_mtime > 0
    (live / WATCHED).unlink()
    os.mkfifo(live / WATCHED)
    assert look(live) == {}


def forge(data: bytes) -> bytes:
    """Return a file with valid length and checksum."""
    sizes = len(data).to_bytes(4, "little") + zlib.crc32(data).to_bytes(4, "little")
    return b"pwt1" + sizes + data


HOSTILE = {
    "not a dict": [],
    "foreign edition": game_of(edition="anniversary"),
    "foreign deal": game_of(circle=[1, 2, 3]),
    "endless deal": game_of(circle=[10**400]),
    "no name": game_of(bots=["one"]),
    "names of another kind": game_of(bots=[{}, []]),
    "illegal": game_of((0, "20:r0:a1", 1, "")),
    "out of turn": game_of((1, "advance", 1, "")),
    "no action": game_of((0, "<script>", 1, "")),
    "no time": game_of((0, "advance", float("nan"), "")),
    "endless time": game_of((0, "advance", 10**20, "")),
    "short ply": game_of((0,)),
    "deep ply": game_of(([[]],)),
    "card without Automa": game_of((0, "card:1:pass", 1, "")),
    "unknown Automa": game_of(automa=["nobody", False]),
    "asked never": game_of(asked=float("inf")),
    "asked after all time": game_of(asked=10**400),
    "asked before all time": game_of(asked=-(10**400)),
    "a truth for a seat": game_of((False, "advance", 1, "")),
    "a clock of text": game_of(left=["1", "2"]),
    "three clocks": game_of(move=[1, 2, 3]),
    "negative pair": game_of(pair=-1),
    "third game": game_of(game=2),
    "bool for a number": game_of(pair=True),
    "words of another kind": game_of(info=7),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_illegal_game_is_ignored(live: Path, what: str) -> None:
    """The files are well-formed but their content is invalid; the next slot is still read."""
    (live / "0").write_bytes(forge(json.dumps(HOSTILE[what]).encode()))
    (live / "1").write_bytes(pack_broadcast(PLAYED))
    assert list(look(live)) == [1]


ODD_FILES: dict[str, Callable[[Path], object]] = {
    "torn": lambda path: path.write_bytes(pack_broadcast(PLAYED)[:-1]),
    "empty": lambda path: path.touch(),
    "noise": lambda path: path.write_bytes(os.urandom(1000)),
    "huge": lambda path: path.write_bytes(forge(b" " * LONGEST + b"1")),
    "nested": lambda path: path.write_bytes(forge(b"[" * 100_000)),
    "a long number": lambda path: path.write_bytes(forge(b"1" * 100_000)),
    "FIFO": os.mkfifo,
    "folder": lambda path: path.mkdir(),
    "link": lambda path: path.symlink_to(_write_elsewhere(path)),
}


def _write_elsewhere(path: Path) -> Path:
    other = path.parent.parent / "other"
    other.write_bytes(pack_broadcast(PLAYED))
    return other


@pytest.mark.parametrize("kind", ODD_FILES)
def test_files_that_no_worker_writes_are_ignored(live: Path, kind: str) -> None:
    """There is no error, no waiting, and no link is followed."""
    ODD_FILES[kind](live / "0")
    assert look(live) == {}


def test_folder_that_is_a_link_is_not_followed(live: Path, tmp_path: Path) -> None:
    """Its target would be readable."""
    (live / "0").write_bytes(pack_broadcast(PLAYED))
    (tmp_path / "link").symlink_to(live)
    assert look(tmp_path / "link") == {}
    assert look(tmp_path / "nowhere") == {}


def test_game_stays_while_its_file_is_invalid(live: Path) -> None:
    """The last valid state is shown until the file is valid again; a removed file ends it."""
    reader, file = SlotReader(live), live / "0"
    begun, later = (pack_broadcast(game_of(*PLAYED["plies"][:count])) for count in (1, 2))
    file.write_bytes(begun)
    assert len(reader.look(ORIGINAL)[0].plies) == 1
    file.write_bytes(later[:60] + begun[60:])
    assert len(reader.look(ORIGINAL)[0].plies) == 1
    file.write_bytes(later)
    assert len(reader.look(ORIGINAL)[0].plies) == 2
    file.unlink()
    assert dict(reader.look(ORIGINAL)) == {}


def test_another_game_of_a_slot_begins_from_its_deal() -> None:
    """Earlier plies are reused only for a game that begins with them."""
    before = parse_game(PLAYED, ORIGINAL)
    assert parse_game(PLAYED, ORIGINAL, before) == before
    again = game_of((0, "7:r0:a1", 9, ""))
    assert parse_game(again, ORIGINAL, before).plies[0].action == "7:r0:a1"
    assert parse_game({**PLAYED, "pair": 4}, ORIGINAL, before).key == (4, 1)


def test_names_and_infos_cannot_steer_a_terminal_or_a_page(live: Path) -> None:
    """Control characters and direction marks are replaced, and long texts are cut."""
    hostile = "\u202e\x1b[31m<b>"
    data = game_of((0, "advance", 1, hostile), bots=[hostile, "x" * 9999], info=hostile)
    (live / "0").write_bytes(pack_broadcast(data))
    game = look(live)[0]
    assert game.bots == ("??[31m<b>", "x" * 200)
    assert game.said == game.plies[0].said == BotInfo(text="??[31m<b>")


def test_infos_are_read_by_the_position_in_which_the_bot_thinks() -> None:
    """Both have advanced, and seat 0 is to move; margins are those of the first seat.

    At most five moves of a line are read. What is about another line than the best is not what the
    bot expects.
    """
    line = ",".join(["advance"] * 9)
    plies = (0, "advance", 1, "score 2"), (1, "advance", 1, "score 3")
    game = parse_game(game_of(*plies, info=f"depth 3 score 4 line {line}"), ORIGINAL)
    assert [ply.said.margin for ply in game.plies] == [2, -3]
    assert game.said == BotInfo(depth=3, margin=4, line=("advance",) * 5)
    other = parse_game(game_of(*plies, info="multipv 2 score 4 line advance text hm"), ORIGINAL)
    assert other.said == BotInfo(text="hm")


def test_automa_card_is_checked() -> None:
    """A card must do what the rules make it do; otherwise the game is refused."""
    begun = Solo.start(State.start(ORIGINAL, DEAL), Automa("intern"), 5)
    moved = begun._replace(state=begun.state.apply(ADVANCE))
    after, turn = moved.turn()
    plies = (0, "advance", 1, ""), (1, card_text(turn), 0, "")
    game = parse_game(game_of(*plies, automa=["intern", False]), ORIGINAL)
    assert game.plies[1].action == card_text(turn)
    assert game.state == after.state
    # buttons gained and spaces moved, by the rules
    moves = (moved.state, after.state)
    buttons, spaces = ([state.players[1][field] for state in moves] for field in (1, 3))
    change = game.changes[1]
    assert change.buttons == buttons[1] - buttons[0]
    assert change.spaces == spaces[1] - spaces[0] > 0
    number = turn.card.number
    wrong = (1, f"card:{number}:{'pass' if turn.patch is not None else 20}", 0, "")
    with pytest.raises(ValueError, match="does not play so"):
        parse_game(game_of(plies[0], wrong, automa=["intern", False]), ORIGINAL)
