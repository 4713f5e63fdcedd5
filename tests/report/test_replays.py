"""What a page holds of its games for the viewer."""

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
    """Return the plies of each game that was packed: action, microseconds, what was said."""
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    columns = (data["columns"][name] for name in ("actions", "micros", "infos"))
    plies = [[action, micros, *info] for action, micros, info in zip(*columns, strict=True)]
    return {
        game: plies[replay["first"] : replay["first"] + replay["plies"]]
        for game, replay in data["replays"].items()
    }


def talking(pair: int, *infos: str) -> Game:
    """Return a game in which a bot says these things, one with each ply."""
    # one passes the other all the time
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


def test_a_ply_is_packed_with_what_its_bot_said() -> None:
    """And the margin that it expects, also where it stands behind the end of a long text."""
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


def test_a_game_that_departs_from_the_rules_is_only_listed() -> None:
    """Nothing on the page leads to it; the second seat is to move after the first one's advance."""
    wrong = talking(0)._replace(plies=(Ply(0, "advance"), Ply(0, "advance")))
    packed = pack_games([], [wrong, talking(1, "")], EDITION)
    assert packed.replayable == {"1.0"}
    rows = json.loads(zlib.decompress(base64.b64decode(packed.text)))["list"]
    assert sorted(row[0] for row in rows) == [0, 1]


def test_a_game_that_begins_from_a_position_is_shown_from_there() -> None:
    """And not from its deal: what differs from the start of most games is in the page."""
    begun = State.start(EDITION, deal(EDITION, 1)).apply(ADVANCE)
    game = talking(0)._replace(start=begun, plies=(Ply(1, "advance"),))
    data = json.loads(zlib.decompress(base64.b64decode(pack_games([], [game], EDITION).text)))
    start = data["start"] | data["replays"]["0.0"]["start"]
    assert start["toMove"] == 1
    assert [player["space"] for player in start["players"]] == [1, 0]
    assert start["circle"] == list(begun.circle)


@pytest.mark.slow
def test_scores_stay_where_texts_are_too_much() -> None:
    """Of games that say over a megabyte nothing is left but the margins."""
    rng = random.Random(1)
    games = [
        talking(pair, *(f"score {pair} line {rng.randbytes(55).hex()}" for _ in range(18)))
        for pair in range(1500)
    ]
    packed = pack_games([], games, EDITION).text
    assert len(packed) <= 1_200_000
    assert unpack(packed) == {f"{pair}.0": [["advance", 7, "", pair]] * 18 for pair in range(1500)}


@pytest.mark.slow
def test_nothing_leads_to_a_game_that_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a page that would be too large: not the faults, nor the best and worst games of a bot."""

    def read() -> tuple[set[str], str, str]:
        publish(store, tmp_path / "out")
        text = (tmp_path / "out" / "report.html").read_text()
        packed = re.search(r'id="packed">(.*?)<', text)
        assert packed is not None
        return set(re.findall(r'href="#game=([0-9.]+)&amp;', text)), packed[1], text

    with closing(make_league(tmp_path)) as store:
        links, packed, text = read()
        assert "Every game can be replayed" in text
        # room for one character less than it takes: the older half is left out
        monkeypatch.setattr("pwtourney.report.page.replays._MOST_PACKED", len(packed) - 1)
        fewer, held, text = read()
    assert "7 games can be replayed here: with more of them, the page would be too large" in text
    assert len(unpack(packed)) == 14
    assert len(unpack(held)) == 7
    assert "4.1" in links, "the fault"
    assert fewer == links & unpack(held).keys() != links
