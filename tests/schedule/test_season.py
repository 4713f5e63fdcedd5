"""Simulated leagues: who plays, who was replaced or left, and what each version changed."""

from collections.abc import Sequence

import pytest

from pwtourney.schedule import Schedule
from pwtourney.schedule.bot_names import base_name, version_name
from pwtourney.schedule.league import Generation
from pwtourney.schedule.season import Ban, Change, Member, Season, trace_season

PLAN = Schedule(format="round-robin", pairs=2, deals="fresh", until=None)


def league(*line_ups: Sequence[str]) -> list[Generation]:
    """Return a league that changed on the first of each month of 2026, after ten pairs each."""
    return [
        Generation(10 * month, tuple(bots), PLAN, f"2026-{month + 1:02}-01T06:00:00Z")
        for month, bots in enumerate(line_ups)
    ]


def statuses(season: Season) -> dict[str, str]:
    """Return the status of each bot."""
    return {bot: member.status for bot, member in season.members.items()}


def test_a_bot_is_current_until_it_is_replaced_or_removed() -> None:
    """A version with a successor is old; a bot that leaves without one is removed."""
    season = trace_season(league(["a", "b", "c"], ["a#2", "b", "c"], ["a#2", "b", "d"]))
    assert statuses(season) == {
        "a": "old",
        "b": "current",
        "c": "removed",
        "a#2": "current",
        "d": "current",
    }
    assert season.members["a"] == Member(
        "a", "a", "old", "2026-01-01T06:00:00Z", "2026-02-01T06:00:00Z"
    )
    assert season.members["d"] == Member("d", "d", "current", "2026-03-01T06:00:00Z", None)
    assert {name: member.bot for name, member in season.newest_members.items()} == {
        "a": "a#2",
        "b": "b",
        "c": "c",
        "d": "d",
    }


def test_only_the_last_version_of_a_removed_bot_is_removed() -> None:
    """Earlier versions are old; the bot's page and badge are those of the last version."""
    season = trace_season(league(["a", "b"], ["a#2", "b"], ["b", "c"]))
    assert statuses(season) == {"a": "old", "b": "current", "a#2": "removed", "c": "current"}
    assert season.newest_members["a"].bot == "a#2"


def test_a_version_that_comes_back_is_current_again() -> None:
    """Its joining date is that of its first games; the version that replaced it is old."""
    season = trace_season(league(["a", "b"], ["a#2", "b"], ["b", "a"]))
    assert statuses(season) == {"a": "current", "b": "current", "a#2": "old"}
    assert season.members["a"].joined == "2026-01-01T06:00:00Z"
    assert season.members["a"].left is None
    assert season.members["a#2"].left == "2026-03-01T06:00:00Z"


def test_each_version_of_a_league_lists_its_changes() -> None:
    """Added, changed and removed bots are worked out by hand, with the stored pairs."""
    season = trace_season(league(["a", "b", "c"], ["a#2", "b", "d"], ["a", "b"]), {0: 3, 2: 1})
    assert season.changes == (
        Change(1, 0, "2026-01-01T06:00:00Z", 3, ("a", "b", "c"), ("a", "b", "c"), (), ()),
        Change(
            2,
            10,
            "2026-02-01T06:00:00Z",
            0,
            ("a#2", "b", "d"),
            added=("d",),
            changed=(("a", "a#2"),),
            removed=("c",),
        ),
        Change(
            3,
            20,
            "2026-03-01T06:00:00Z",
            1,
            ("a", "b"),
            added=(),
            changed=(("a#2", "a"),),
            removed=("d",),
        ),
    )


def test_a_tournament_that_never_changed_has_current_bots_only() -> None:
    """They include the Automa where it plays; an unknown bot is current too."""
    solo = PLAN.model_copy(update={"format": "solo"})
    season = trace_season([Generation(0, ("a", "b"), solo)])
    assert statuses(season) == {"a": "current", "b": "current", "automa": "current"}
    assert season.has("somebody")
    assert Season().find("a#2") == Member("a#2", "a", "current", None, None)


@pytest.mark.parametrize(
    ("bot", "name"), [("a", "a"), ("a#2", "a"), ("a#12", "a"), ("a#b", "a#b"), ("#2", "#2")]
)
def test_base_name_removes_only_a_version_number(bot: str, name: str) -> None:
    """Names in a store may come from untrusted sources."""
    assert base_name(bot) == name
    assert base_name(version_name(name, 7)) == name


def test_season_uses_present_names() -> None:
    """A renamed bot has not come or gone, and joined when it played under its first name."""
    first, second = league(["a", "b"], ["x", "b"])
    season = trace_season([first, second._replace(renames={"a": "x"})])
    assert statuses(season) == {"x": "current", "b": "current"}
    assert season.members["x"].joined == "2026-01-01T06:00:00Z"
    assert season.changes[0].bots == ("x", "b")
    last = season.changes[1]
    assert (last.added, last.changed, last.removed) == ((), (), ())
    assert last.renamed == (("a", "x"),)


def test_bot_that_left_is_withdrawn_or_banned_if_the_file_says_so() -> None:
    """Old versions stay old; a banned bot is not listed, with any of its versions."""
    ban = Ban("b", "copies a", "2026-03-01T06:00:00Z")
    played = league(["a", "b", "c", "d"], ["a", "b#2", "c", "d"], ["a"])
    season = trace_season(played, withdrawn=("c",), bans=(ban,))
    assert statuses(season) == {
        "a": "current",
        "b": "old",
        "c": "withdrawn",
        "d": "removed",
        "b#2": "banned",
    }
    assert [*season.newest_members] == ["a", "c", "d"]
    assert [bot for bot in season.members if season.hides(bot)] == ["b", "b#2"]
    back = trace_season([*played, *league(["a", "c"])], withdrawn=("c",))
    assert back.members["c"].status == "current"
