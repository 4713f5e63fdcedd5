"""The names that a file gives to bots of a league, worked out by hand for leagues of few bots."""

from collections.abc import Mapping
from typing import Any

import pytest

from pwtourney.errors import UsageError
from pwtourney.schedule.pairing import Pairing
from pwtourney.store import Meta
from pwtourney.store.meta import read_meta
from pwtourney.tournament.monitors import FaultLimit
from pwtourney.tournament.renames import Naming, find_former_names
from tests.store.helpers import META

PLAIN = META.model_dump()
Version = tuple[list[str], Mapping[str, str]]


def league(first: list[str], *later: Version, **more: Any) -> Meta:
    """Return the metadata of a league: its bots, and those of each later version with renames."""
    versions = [
        {"records": 0, "first": 0, "closed": PLAIN["schedule"], "bots": bots, "facts": {}}
        | {"renames": dict(renames)}
        for bots, renames in later
    ]
    return read_meta(PLAIN | {"bots": first, "league_versions": versions, **more})


THREE = league(["jay", "crow", "magpie"])
VERSIONS = league(["crow", "magpie"], (["crow#2", "magpie#2"], {}), (["crow#2", "magpie#3"], {}))
RENAMED = league(["magpie", "jay"], (["heron", "jay"], {"magpie": "heron"}))
REUSED = league(
    ["magpie", "jay"],
    (["heron", "jay"], {"magpie": "heron"}),
    (["heron", "magpie#2"], {}),
)


@pytest.mark.parametrize(
    ("meta", "renames", "merges", "expected"),
    [
        (THREE, {"jay": "wren"}, {}, {"jay": "wren"}),
        (THREE, {"owl": "wren"}, {}, {}),
        (VERSIONS, {"crow": "owl"}, {}, {"crow": "owl", "crow#2": "owl#2"}),
        # in any order, and over several lines
        (THREE, {}, {"crow": "jay", "jay": "magpie"}, {"crow": "magpie", "jay": "magpie"}),
        (THREE, {}, {"jay": "magpie", "crow": "jay"}, {"crow": "magpie", "jay": "magpie"}),
        (THREE, {"jay": "wren"}, {"wren": "magpie"}, {"jay": "magpie"}),
        (THREE, {"jay": "wren"}, {"crow": "wren"}, {"jay": "wren", "crow": "wren"}),
        # a bot is all of its versions, and becomes the one that plays
        (VERSIONS, {}, {"crow": "magpie"}, {"crow": "magpie#3", "crow#2": "magpie#3"}),
        (VERSIONS, {}, {"crow#2": "magpie"}, {"crow#2": "magpie#3"}),
        (VERSIONS, {}, {"crow#1": "magpie#1"}, {"crow": "magpie"}),
        (VERSIONS, {}, {"magpie#3": "magpie#2"}, {"magpie#3": "magpie#2"}),
        (VERSIONS, {}, {"magpie#3": "magpie"}, {"magpie#3": "magpie"}),
        # what was carried out changes nothing, also if another bot has the name by now
        (RENAMED, {"magpie": "heron"}, {}, {}),
        (REUSED, {"magpie": "heron"}, {}, {}),
        (RENAMED, {"heron": "magpie"}, {}, {"heron": "magpie"}),
    ],
)
def test_lines_give_each_bot_its_new_name(
    meta: Meta, renames: dict[str, str], merges: dict[str, str], expected: dict[str, str]
) -> None:
    """Bots whose name stays are not among them."""
    assert Naming(renames, merges).resolve(meta) == expected


@pytest.mark.parametrize(
    ("meta", "renames", "merges", "message"),
    [
        (THREE, {"jay": "crow"}, {}, "renames: crow has games of its own, so jay cannot get this"),
        (RENAMED, {"jay": "magpie"}, {}, "renames: magpie has games of its own, so jay cannot"),
        (THREE, {}, {"jay": "owl"}, "merges: owl has no games here; to give jay this name, use"),
        (THREE, {}, {"jay": "crow", "crow": "jay"}, "merges: jay → crow → jay leads in a circle"),
    ],
)
def test_impossible_names_are_refused(
    meta: Meta, renames: dict[str, str], merges: dict[str, str], message: str
) -> None:
    """A name that another bot had, a bot without games, and a circle."""
    with pytest.raises(UsageError, match=message):
        Naming(renames, merges).resolve(meta)


def test_former_names_are_those_that_no_bot_has() -> None:
    """Magpie is not a former name in the second league, where another bot has that name."""
    assert find_former_names(RENAMED, {}) == {"magpie": "heron"}
    assert find_former_names(REUSED, {}) == {}
    assert find_former_names(THREE, {"jay": "wren"}) == {"jay": "wren"}


BAN = {"bot": "jay", "reason": "copies", "since": "2026-03-02T06:00:00Z"}


@pytest.mark.parametrize(
    ("later", "more", "message"),
    [
        ((["wren"], {"owl": "wren"}), {}, "renames: there is no bot 'owl' to rename"),
        ((["jay"], {"jay": "crow", "crow": "jay"}), {}, "renames: 'jay' cannot become 'crow', whi"),
        ((["heron", "magpie"], {"magpie": "heron"}), {}, "'magpie' is the former name of another"),
        ((["jay", "crow"], {}), {"withdrawn": ["owl"]}, "'owl' left, and has never played"),
        ((["jay", "crow"], {}), {"bans": [BAN | {"bot": "owl"}]}, "'owl' left, and has never pla"),
        ((["jay", "crow"], {}), {"bans": [BAN | {"reason": "x" * 201}]}, "bans.0.reason is 'xxx"),
        ((["jay", "crow"], {}), {"bans": [BAN | {"since": "soon"}]}, "'soon' is not a date and"),
    ],
)
def test_stored_members_that_no_run_writes_are_refused(
    later: Version, more: dict[str, Any], message: str
) -> None:
    """A store may come from anybody."""
    with pytest.raises(ValueError, match=message):
        league(["jay", "crow", "magpie"], later, **more)


def test_faults_of_a_renamed_bot_count_for_its_new_name() -> None:
    """Bots a and b have two faults each, and are one bot from then on, which has four."""
    later = Pairing(500, "c", "x", 0)
    for most, disqualified in ((4, "c"), (5, None)):
        limit = FaultLimit(most, [(0, ["a", "a"]), (1, ["b", "b"])])
        limit.rename({"a": "c", "b": "c"})
        assert limit.find_disqualified(later) == disqualified
        assert limit.find_disqualified(later._replace(first="a")) is None
