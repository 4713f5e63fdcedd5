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

from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.report import publish
from pwtourney.report.page.replays import pack_games
from pwtourney.rules import ADVANCE, State, deal, find_edition
from tests.report.leagues import make_league

EDITION = find_edition("original")


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
