"""The packed data of games in a page, for the viewer."""

import base64
import json
import math
import random
import re
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.notation.game_data import follow_game, position_data
from pwtourney.report import publish
from pwtourney.report.collectors import ListedGame
from pwtourney.report.page.replays import (
    PackedGames,
    Replays,
    describe_game,
    name_row,
    pack_games,
)
from pwtourney.rules import ADVANCE, State, deal, find_edition
from pwtourney.rules.automa import Automa
from tests.notation.games import play_solo
from tests.notation.test_record import played
from tests.report.leagues import make_league

EDITION = find_edition("original")


def read_packed(packed: PackedGames) -> dict[str, Any]:
    """Return all packed data."""
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed.text)))
    return data


def unpack(packed: str) -> dict[str, list[list[Any]]]:
    """Return the plies of each packed game: action, microseconds, info, and score if any."""
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    columns = (data["columns"][name] for name in ("actions", "micros", "infos"))
    plies = [[action, micros, *info] for action, micros, info in zip(*columns, strict=True)]
    return {
        game: plies[replay["first"] : replay["first"] + replay["plies"]]
        for game, replay in data["replays"].items()
    }


def talking(pair: int, *infos: str) -> Game:
    """Return a game in which the bots say these infos, one with each ply."""
    # each advance passes the opponent, so the seats alternate
    plies = tuple(Ply(number % 2, "advance", 7, 7, info) for number, info in enumerate(infos))
    return Game(
        ("magpie", "wren"),
        "original",
        deal(EDITION, 1),
        (1, 2),
        plies,
        Verdict.FINISHED,
        0,
        (10, 0),
        pair=pair,
    )


def test_ply_is_packed_with_its_info_and_score() -> None:
    """The score is found even behind the part of a long text that is kept."""
    long = "line " + "a" * 200 + " score -3.5"
    game = talking(0, "", "depth 3", "depth 3 score 12", "score 0", "text score 4", long)
    assert unpack(pack_games([], [game], EDITION).text)["0.0"] == [
        ["advance", 7],
        ["advance", 7, "depth 3"],
        ["advance", 7, "depth 3 score 12", 12],
        ["advance", 7, "score 0", 0],
        ["advance", 7, "text score 4"],
        ["advance", 7, long[:120], -3.5],
    ]


def test_game_that_departs_from_the_rules_is_only_listed() -> None:
    """Here the first seat moves twice, so the game cannot be replayed."""
    wrong = talking(0)._replace(plies=(Ply(0, "advance"), Ply(0, "advance")))
    packed = pack_games([], [wrong, talking(1, "")], EDITION)
    assert packed.replayable == {"1.0"}
    rows = json.loads(zlib.decompress(base64.b64decode(packed.text)))["list"]
    assert sorted(row[0] for row in rows) == [0, 1]


def test_game_from_a_position_is_shown_from_there() -> None:
    """The page has the difference between this start and the most frequent one."""
    begun = State.start(EDITION, deal(EDITION, 1)).apply(ADVANCE)
    game = talking(0)._replace(start=begun, plies=(Ply(1, "advance"),))
    data = json.loads(zlib.decompress(base64.b64decode(pack_games([], [game], EDITION).text)))
    start = data["start"] | data["replays"]["0.0"]["start"]
    assert start["toMove"] == 1
    assert [player["space"] for player in start["players"]] == [1, 0]
    assert start["circle"] == list(begun.circle)


def test_game_that_starts_at_its_end_is_shown_with_its_points() -> None:
    """Both stand on the last space, with 3 and 0 buttons, no tile, and 81 empty squares each."""
    begun = State.start(EDITION, deal(EDITION, 1))
    first, second = (player._replace(space=EDITION.last_space) for player in begun.players)
    over = begun._replace(players=(first._replace(buttons=3), second._replace(buttons=0)))
    game = talking(0)._replace(start=over, plies=(), scores=(-159, -162))
    start = read_packed(pack_games([], [game], EDITION))["replays"]["0.0"]["start"]
    assert start["over"]
    assert start["points"] == [[3, 0, -162], [0, 0, -162]]


def test_list_has_one_row_for_each_game() -> None:
    """A game is listed once, and one that is only kept for a replay is older than the others."""
    done, crash, void = Verdict.FINISHED, Verdict.CRASH, Verdict.RUNNER_ERROR
    older = talking(3, "", "")._replace(game=1, bots=("owl", "wren"), winner=1, scores=(4, 9))
    newer = talking(7, "")
    listed = [
        ListedGame.of(newer),
        ListedGame(8, 0, ("crow", "owl"), (-7, 30), None, void, 0),
        # both have failed, and their verdicts differ from that of the game
        ListedGame(
            8, 1, ("owl", "crow"), (5, 6), None, crash, 12, ((1, Verdict.MEMORY), (0, crash))
        ),
    ]
    packed = pack_games(listed, [older, newer], EDITION)
    assert packed.bots == ("owl", "wren", "magpie", "crow")
    assert packed.verdicts == (done, void, crash, Verdict.MEMORY)
    assert packed.replayable == {"3.1", "7.0"}
    assert read_packed(packed)["list"] == [
        [3, 1, 0, 1, 4, 9, 1, 0, 2],
        [7, 0, 2, 1, 10, 0, 0, 0, 1],
        [8, 0, 3, 0, -7, 30, -1, 1, 0],
        [8, 1, 0, 3, 5, 6, -1, 2, 12, 1, 3, 0, 2],
    ]
    assert [name_row(row) for row in listed[1:]] == [
        [8, 0, "crow", "owl", -7, 30, -1, "runner-error", 0],
        [8, 1, "owl", "crow", 5, 6, -1, "crash", 12, 1, "memory", 0, "crash"],
    ]


def test_changes_are_numbered_by_how_often_they_occur() -> None:
    """The first advance moves one space and gains a button, all others gain two of each."""
    games = [talking(0, *[""] * 4), talking(1, "", "")]
    data = read_packed(pack_games([], games, EDITION))
    # buttons, income, spaces, score, and 1 because the other seat is to move next
    assert data["changes"] == {"advance": [[2, 0, 2, 2, 1], [1, 0, 1, 1, 1]]}
    assert data["columns"]["changes"] == [1, 0, 0, 0, 1, 0]
    assert [(replay["first"], replay["plies"]) for replay in data["replays"].values()] == [
        (0, 4),
        (4, 2),
    ]


def test_changes_of_whole_games_are_found_by_the_first_word_of_the_action() -> None:
    """Two random games lead to the same changes, and actions of different words have own lists."""
    games = [played(EDITION, seed)._replace(pair=seed) for seed in (1, 2)]
    data = read_packed(pack_games([], games, EDITION))
    for game in games:
        replay = data["replays"][f"{game.pair}.0"]
        plies = slice(replay["first"], replay["first"] + replay["plies"])
        pairs = zip(
            data["columns"]["actions"][plies], data["columns"]["changes"][plies], strict=True
        )
        start, changes = follow_game(game, EDITION)
        assert data["start"] | replay["start"] == json.loads(json.dumps(position_data(start)))
        assert [data["changes"][action.split(":")[0]][number] for action, number in pairs] == (
            json.loads(json.dumps([change.pack() for change in changes]))
        )
        assert data["columns"]["micros"][plies] == [ply.micros for ply in game.plies]


def test_replay_has_what_is_known_of_the_game() -> None:
    """Texts of bots are made harmless, and only what differs from the usual start is repeated."""
    usual = talking(0, "")._replace(deal=deal(EDITION, 0))
    other = talking(1, "")._replace(
        faults=(Fault(1, Verdict.CRASH, "ended\x1b[2J"), Fault(0, Verdict.TIMEOUT, "late")),
        note="again\nand again",
        scores=(3, -4),
    )
    replays = read_packed(pack_games([], [usual, other], EDITION))["replays"]
    assert replays["0.0"] == {
        "first": 0,
        "plies": 1,
        "start": {},
        "faults": [],
        "note": "",
        "scores": [10, 0],
    }
    assert replays["1.0"] == {
        "first": 1,
        "plies": 1,
        "start": {"circle": [*deal(EDITION, 1).circle]},
        "faults": [[1, "crash", "ended?[2J"], [0, "timeout", "late"]],
        "note": "again?and again",
        "scores": [3, -4],
    }


@pytest.mark.parametrize(
    ("verdict", "is_void"),
    [(Verdict.DISQUALIFIED, True), (Verdict.RUNNER_ERROR, True), (Verdict.CRASH, False)],
)
def test_replay_of_a_void_game_says_so(verdict: Verdict, is_void: bool) -> None:
    """Other games omit the key, which saves space."""
    game = talking(0, "")._replace(verdict=verdict, winner=None)
    replay = read_packed(pack_games([], [game], EDITION))["replays"]["0.0"]
    assert replay.get("void", False) is is_void
    assert ("void" in replay) is is_void


def test_replay_against_the_automa_has_no_score_for_it() -> None:
    """Its score is known only at the end, by the level, and it begins without buttons."""
    edition = find_edition("anniversary")
    game = play_solo(edition, Automa("fellow", tactical=True), 0)
    data = read_packed(pack_games([], [game], edition))
    replay = data["replays"]["0.0"]
    assert replay["automa"] is True
    assert replay["start"].keys() == {"players"}
    assert replay["start"]["players"] == [
        data["start"]["players"][0],
        data["start"]["players"][1] | {"buttons": 0, "score": None},
    ]
    first = next(ply for ply in game.plies if ply.seat == 1)
    assert first.action.startswith("card:")
    assert "card" in data["changes"]


def test_game_of_a_server_is_the_one_of_a_file() -> None:
    """Its row has names; start, plies and changes are those that a file has in columns."""
    game = talking(7, "score 3", "")._replace(
        game=1, faults=(Fault(1, Verdict.CRASH, "ended"),), verdict=Verdict.CRASH
    )
    described = json.loads(json.dumps(describe_game(game, EDITION)))
    assert described["row"] == [7, 1, "magpie", "wren", 10, 0, 0, "crash", 2, 1, "crash"]
    data = read_packed(pack_games([], [game], EDITION))
    replay = data["replays"]["7.1"]
    assert described["game"] == {
        "start": data["start"] | replay["start"],
        "plies": [[0, "advance", 7, "score 3", 3], [1, "advance", 7]],
        "changes": [[1, 0, 1, 1, 1], [2, 0, 2, 2, 1]],
        **{key: replay[key] for key in ("faults", "note", "scores")},
    }
    automa = play_solo(find_edition("anniversary"), Automa("fellow", tactical=True), 0)
    assert describe_game(automa, find_edition("anniversary"))["game"]["automa"] is True


def test_info_without_replay_texts_keeps_its_score() -> None:
    """A page of exactly the greatest size stays; one character less, and the texts are dropped."""
    game = talking(0, "score 1.5 line abcdefgh", "depth 3 nodes 17", "", "score -2")
    whole = pack_games([], [game], EDITION).text
    assert pack_games([], [game], EDITION, len(whole)).text == whole
    assert unpack(pack_games([], [game], EDITION, len(whole) - 1).text)["0.0"] == [
        ["advance", 7, "", 1.5],
        ["advance", 7],
        ["advance", 7],
        ["advance", 7, "", -2],
    ]


def test_older_half_of_games_is_only_listed_if_all_are_too_large() -> None:
    """Of five games the newest two stay, then one, then none; all of them are listed."""
    games = [talking(pair, "", "") for pair in range(5)]
    size = len(pack_games([], games, EDITION).text)
    held = []
    while size:
        packed = pack_games([], games, EDITION, size - 1)
        assert [row[0] for row in read_packed(packed)["list"]] == [0, 1, 2, 3, 4]
        held.append(sorted(packed.replayable))
        if not packed.replayable:
            break
        size = len(packed.text)
    assert held == [["3.0", "4.0"], ["4.0"], []]


@pytest.mark.slow
def test_newer_games_keep_their_texts_if_all_texts_are_too_large() -> None:
    """Of 1,500 games with over two megabytes of texts, the older half keeps its scores only."""
    rng = random.Random(1)
    games = [
        talking(pair, *(f"score {pair} line {rng.randbytes(55).hex()}" for _ in range(18)))
        for pair in range(1500)
    ]
    packed = pack_games([], games, EDITION, 1_500_000).text
    assert 750_000 < len(packed) <= 1_500_000
    unpacked = unpack(packed)
    assert len(unpacked) == 1500
    for pair, game in enumerate(games):
        texts = [ply.info if pair >= 750 else "" for ply in game.plies]
        assert unpacked[f"{pair}.0"] == [["advance", 7, text[:120], pair] for text in texts]


@pytest.mark.slow
def test_links_do_not_lead_to_games_that_are_left_out(tmp_path: Path) -> None:
    """Games are left out of too large pages, as are links of faults and best and worst games."""

    def read(most: float) -> tuple[set[str], str, str]:
        publish(store, tmp_path / "out", replays=Replays(None, most))
        text = (tmp_path / "out" / "report.html").read_text()
        packed = re.search(r'id="packed">(.*?)<', text)
        assert packed is not None
        return set(re.findall(r'href="#game=([0-9.]+)&amp;', text)), packed[1], text

    with closing(make_league(tmp_path)) as store:
        links, packed, text = read(math.inf)
        assert "Every game that has a move can be opened." in text
        # one character less than needed: the older half is left out
        fewer, held, text = read(len(packed) - 1)
    assert "7 of 14 games open in this file: the newest, as many as fit." in text
    assert len(unpack(packed)) == 14
    assert len(unpack(held)) == 7
    assert "4.1" in links, "the fault"
    assert fewer == links & unpack(held).keys() != links
