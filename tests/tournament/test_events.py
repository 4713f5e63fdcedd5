"""Events as lines of JSON, and what is said of a bot with options of one game."""

import json

import pytest

from pwtourney.tournament.events import (
    Ended,
    FaultSeen,
    Leader,
    PairDone,
    Standing,
    describe_player,
    event_json,
)


def test_event_is_a_line_with_its_kind_and_its_fields() -> None:
    """docs/reports.md names the fields; the log is left out, and options are an object."""
    done = json.loads(event_json(PairDone(3, "owl", "wren", None, "replayed")))
    assert done == {
        "event": "pair-done",
        "pair": 3,
        "first": "owl",
        "second": "wren",
        "points": None,
        "note": "replayed",
        "status": "",
    }
    fault = FaultSeen(3, 1, "owl", "crash", "exited", log="long", options=(("pace", "2"),))
    written = json.loads(event_json(fault))
    assert "log" not in written
    assert (written["event"], written["options"]) == ("fault-seen", {"pace": "2"})


def test_event_is_ascii_and_has_no_number_that_json_lacks() -> None:
    """A line separator in a message ends no line, and an infinite number is refused."""
    line = event_json(FaultSeen(1, 0, "owl", "crash", "a\u2028b é"))
    assert line.isascii()
    assert json.loads(line)["message"] == "a\u2028b é"
    with pytest.raises(ValueError, match="Out of range"):
        event_json(PairDone(1, "a", "b", float("inf")))


def test_standing_has_its_leaders_as_objects() -> None:
    """What more it takes is null if it cannot be said; the last event has only two numbers."""
    leader = Leader("owl", 12.0, None, "")
    standing = Standing((leader,), "owl", "wren", None, 0.5)
    written = json.loads(event_json(standing))
    assert written["leaders"] == [{"bot": "owl", "elo": 12.0, "plus_minus": None, "bound": ""}]
    assert written["more"] is None
    assert json.loads(event_json(Ended(over=True, pairs=9))) == {
        "event": "ended",
        "over": True,
        "pairs": 9,
    }


def test_player_has_the_options_of_its_game_behind_its_name() -> None:
    """A tuned bot shows its values; a bot without options shows its name alone."""
    assert describe_player("owl", (("pace", "2"), ("nook", "3"))) == "owl (pace 2, nook 3)"
    assert describe_player("owl", ()) == "owl"
