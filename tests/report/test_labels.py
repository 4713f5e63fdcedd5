"""Which version of a bot a user means, and what a league says about its bots."""

from typing import Literal

import pytest

from pwtourney.errors import UsageError
from pwtourney.report.season_description import (
    change_json,
    describe_season,
    find_version,
    label_bot,
    member_json,
)
from pwtourney.schedule.season import Change, Member, Season


def make_season(
    *members: tuple[str, Literal["current", "old", "removed"]], changes: tuple[Change, ...] = ()
) -> Season:
    """Return a league with bots of these statuses."""
    return Season(
        {
            bot: Member(bot, bot.partition("#")[0], status, "2026-01-05", None)
            for bot, status in members
        },
        changes,
    )


LEAGUE = make_season(
    ("magpie", "old"),
    ("magpie#2", "current"),
    ("wren", "old"),
    ("wren#2", "removed"),
    ("owl", "current"),
)


@pytest.mark.parametrize(
    ("name", "bot"),
    [
        ("magpie", "magpie#2"),
        ("magpie#1", "magpie"),
        ("magpie#2", "magpie#2"),
        ("wren", "wren#2"),
        ("wren#1", "wren"),
        ("owl", "owl"),
        ("owl#1", "owl"),
        ("owl#2", "owl#2"),
        ("jay", "jay"),
        ("jay#1", "jay#1"),
    ],
)
def test_name_means_the_version_that_plays_or_played_last(name: str, bot: str) -> None:
    """`#1` is the first version; a name that no bot has stays as it is."""
    assert find_version(LEAGUE, name) == bot


def test_name_of_several_bots_that_play_is_refused() -> None:
    """In a table of two leagues; the error lists the ids to choose from, the first with `#1`."""
    both = make_season(("magpie", "current"), ("magpie#2", "current"), ("magpie#3", "old"))
    with pytest.raises(UsageError) as caught:
        find_version(both, "magpie")
    assert str(caught.value) == (
        "several bots are called 'magpie'; choose one of magpie#1, magpie#2"
    )
    assert find_version(both, "magpie#1") == "magpie"


def test_only_bots_that_play_no_more_are_marked() -> None:
    """The mark is the status in brackets."""
    assert [label_bot(member) for member in LEAGUE.members.values()] == [
        "magpie (old)",
        "magpie#2",
        "wren (old)",
        "wren#2 (removed)",
        "owl",
    ]


CHANGES = (
    Change(1, 0, "2026-01-05T06:00:00Z", 3, ("magpie",), ("magpie",), (), ()),
    Change(2, 3, "2026-01-12T06:00:00Z", 2, ("magpie#2",), (), (("magpie", "magpie#2"),), ()),
)


def test_changed_league_has_a_line_about_its_version() -> None:
    """The date of the last version is left out if it is unknown, and a status that no bot has."""
    whole = LEAGUE._replace(changes=CHANGES)
    assert [*describe_season(whole)] == [
        "Version 2 of the league, since 2026-01-12; bots: 2 current, 2 old, 1 removed"
    ]
    undated = make_season(("owl", "current"), changes=(CHANGES[0], CHANGES[1]._replace(began=None)))
    assert [*describe_season(undated)] == ["Version 2 of the league; bots: 1 current"]
    for unchanged in (CHANGES[:1], ()):
        assert [*describe_season(LEAGUE._replace(changes=unchanged))] == []


def test_facts_about_a_league_have_the_documented_keys() -> None:
    """`docs/reports.md` lists them."""
    assert member_json(Member("magpie#2", "magpie", "old", "then", "later")) == {
        "name": "magpie",
        "status": "old",
        "joined": "then",
        "left": "later",
    }
    assert change_json(CHANGES[1]) == {
        "number": 2,
        "first": 3,
        "began": "2026-01-12T06:00:00Z",
        "pairs": 2,
        "bots": ("magpie#2",),
        "added": (),
        "changed": [{"before": "magpie", "now": "magpie#2"}],
        "removed": (),
        "renamed": [],
    }
