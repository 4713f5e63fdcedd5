"""The packed data of games in a page, for the viewer."""

import base64
import json
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
from pwtourney.report.page.replays import PackedGames, pack_games
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
        [8, 1, 0, 3, 5, 6, -1, 2, 12, 1, 3, 0, 2],
        [8, 0, 3, 0, -7, 30, -1, 1, 0],
        [7, 0, 2, 1, 10, 0, 0, 0, 1],
        [3, 1, 0, 1, 4, 9, 1, 0, 2],
    ]
    # the newest come first only if some cannot be replayed
    whole = read_packed(pack_games(listed[:1], [older, newer], EDITION))["list"]
    assert [row[:2] for row in whole] == [[3, 1], [7, 0]]


def test_changes_are_numbered_by_how_often_they_occur() -> None:
    """The first advance moves one space and gains a button, all others gain two of each."""
    games = [talking(0, *[""] * 4), talking(1, "", "")]
    data = read_packed(pack_games([], games, EDITION))
    # buttons, income, spaces, score, and 1 because the other seat is to move next
    assert data["changes"] == {"advance": [[2, 0, 2, 2, 1], [1, 0, 1, 1, 1]]}
    assert data["columns"]["changes"] == [1, 0, 0, 0, 1, 0]
    assert [(each["first"], each["plies"]) for each in data["replays"].values()] == [(0, 4), (4, 2)]


def test_changes_of_whole_games_are_found_by_the_first_word_of_the_action() -> None:
    """Two random games lead to the same changes, and actions of different words have own lists."""
    games = [played(EDITION, seed)._replace(pair=seed) for seed in (1, 2)]
    data = read_packed(pack_games([], games, EDITION))
    for game in games:
        replay = data["replays"][f"{game.pair}.0"]
        plies = slice(replay["first"], replay["first"] + replay["plies"])
        found = zip(
            data["columns"]["actions"][plies], data["columns"]["changes"][plies], strict=True
        )
        start, changes = follow_game(game, EDITION)
        assert data["start"] | replay["start"] == json.loads(json.dumps(position_data(start)))
        assert [data["changes"][action.split(":")[0]][number] for action, number in found] == (
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


def test_info_without_replay_texts_keeps_its_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of exactly the greatest size stays; one character less, and the texts are dropped."""
    game = talking(0, "score 1.5 line abcdefgh", "depth 3 nodes 17", "", "score -2")
    whole = pack_games([], [game], EDITION).text
    limit = "pwtourney.report.page.replays._MOST_PACKED"
    monkeypatch.setattr(limit, len(whole))
    assert pack_games([], [game], EDITION).text == whole
    monkeypatch.setattr(limit, len(whole) - 1)
    assert unpack(pack_games([], [game], EDITION).text)["0.0"] == [
        ["advance", 7, "", 1.5],
        ["advance", 7],
        ["advance", 7],
        ["advance", 7, "", -2],
    ]


def test_older_half_of_games_is_only_listed_if_all_are_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of five games the newest two stay, then one, then none; the newest is listed first."""
    games = [talking(pair, "", "") for pair in range(5)]
    limit = "pwtourney.report.page.replays._MOST_PACKED"
    size = len(pack_games([], games, EDITION).text)
    held = []
    while size:
        monkeypatch.setattr(limit, size - 1)
        packed = pack_games([], games, EDITION)
        assert [row[0] for row in read_packed(packed)["list"]] == [4, 3, 2, 1, 0]
        held.append(sorted(packed.replayable))
        if not packed.replayable:
            break
        size = len(packed.text)
    assert held == [["3.0", "4.0"], ["4.0"], []]


@pytest.mark.slow
def test_scores_stay_if_texts_are_too_large() -> None:
    """If games have over a megabyte of texts, only the scores are kept."""
    rng = random.Random(1)
    games = [
        talking(pair, *(f"score {pair} line {rng.randbytes(55).hex()}" for _ in range(18)))
        for pair in range(1500)
    ]
    packed = pack_games([], games, EDITION).text
    assert len(packed) <= 1_200_000
    assert unpack(packed) == {f"{pair}.0": [["advance", 7, "", pair]] * 18 for pair in range(1500)}


@pytest.mark.slow
def test_links_do_not_lead_to_games_that_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games are left out of too large pages, as are links of faults and best and worst games."""

    def read() -> tuple[set[str], str, str]:
        publish(store, tmp_path / "out")
        text = (tmp_path / "out" / "report.html").read_text()
        packed = re.search(r'id="packed">(.*?)<', text)
        assert packed is not None
        return set(re.findall(r'href="#game=([0-9.]+)&amp;', text)), packed[1], text

    with closing(make_league(tmp_path)) as store:
        links, packed, text = read()
        assert "Every game can be replayed" in text
        # one character less than needed: the older half is left out
        monkeypatch.setattr("pwtourney.report.page.replays._MOST_PACKED", len(packed) - 1)
        fewer, held, text = read()
    assert "7 games can be replayed here: with more of them, the page would be too large" in text
    assert len(unpack(packed)) == 14
    assert len(unpack(held)) == 7
    assert "4.1" in links, "the fault"
    assert fewer == links & unpack(held).keys() != links
