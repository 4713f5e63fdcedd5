"""The metadata of a store: errors in words, and values derived from it."""

import re
from typing import Any

import pytest

from pwtourney.schedule.league import Generation
from pwtourney.schedule.pairing import Shard
from pwtourney.standings import Anchor, RatingOptions
from pwtourney.store.meta import Meta, read_meta
from tests.store.helpers import META

PLAIN = META.model_dump()


COMMA = "put a gate with a comma in quotes, or on a line of its own: in [ ] a comma ends it"
SWISS = dict(PLAIN["schedule"], format="swiss", rounds=2)
"""A schedule of two rounds, although two bots can meet only once."""


def test_metadata_has_defaults() -> None:
    """By default there are no gates, no own deals and no part of a schedule."""
    assert read_meta(PLAIN) == META
    assert (META.gates, META.deals, META.shard) == ((), "", None)
    assert (META.created, META.python, META.system) == (None, None, None)
    assert (PLAIN["shard"], PLAIN["ratings"]) == ("", {"anchor": None, "prior": 0.0})


def test_unknown_keys_of_a_later_version_are_ignored() -> None:
    """They are ignored in the store itself, but not in anything that is hashed."""
    assert read_meta(PLAIN | {"later": 1}) == META
    with pytest.raises(ValueError, match=r"^edition\.later is 1$"):
        read_meta(PLAIN | {"edition": {"name": "x", "lines": [], "later": 1}})


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("bots", [], "bots: not one name for each"),
        ("bots", ["a", "a"], "bots: not one name for each"),
        ("bots", "ab", "bots is 'ab'"),
        ("facts", {"seed": "1", "edition": "x"}, "facts: no seed and edition"),
        ("facts", {"seed": True, "edition": "x"}, "facts: no seed and edition"),
        ("facts", {"seed": 1}, "facts: no seed and edition"),
        ("facts", {"edition": "x"}, "facts: no seed and edition"),
        ("ratings", {}, "ratings: no anchor and no prior"),
        ("ratings", {"anchor": ["a"], "prior": 0}, "ratings: no anchor and no prior"),
        ("ratings", {"anchor": None}, "ratings: no anchor and no prior"),
        ("ratings", 5, "ratings: no anchor and no prior"),
        (
            "ratings",
            {"anchor": ["a", 1e308], "prior": 0},
            "ratings: anchor: expected a rating within ±100000, not 1e+308",
        ),
        (
            "ratings",
            {"anchor": ["a", float("nan")], "prior": 0},
            "ratings: anchor: expected a rating within ±100000, not nan",
        ),
        (
            "ratings",
            {"anchor": None, "prior": -1},
            "ratings: prior: expected 0, or a number from 0.01 to 1000, not -1",
        ),
        (
            "ratings",
            {"anchor": None, "prior": 1e9},
            "ratings: prior: expected 0, or a number from 0.01 to 1000, not 1e+09",
        ),
        (
            "gates",
            ["(" * 200],
            f"gates: the parentheses of {'(' * 200!r} are not closed; " + COMMA,
        ),
        ("gates", ["(" * 10_000], "gates: a gate has at most 1,000 characters"),
        ("gates", ["faults(a) == 0"] * 100_001, "gates: 100,001 are too many"),
        (
            "bots",
            [str(k) for k in range(2_001)],
            "2,001 bots are too many; at most 2,000 play a tournament",
        ),
        ("schedule", SWISS, "2 bots cannot play 2 rounds"),
        ("shard", "3/2", "shard: a part is written K/N, from 1/N to N/N, not '3/2'"),
        ("edition", {"name": "x"}, "edition.lines is missing"),
        ("pairs", "4", "pairs is '4'"),
        ("pairs", "4" * 90, f"pairs is '{'4' * 59}"),
        ("over", 1, "over is 1"),
        ("schedule", {}, "schedule.format is missing"),
        ("league_versions", [{}], "league_versions.0.records is missing"),
    ],
)
def test_invalid_metadata_is_reported_with_its_key(key: str, value: object, words: str) -> None:
    """Only the first problem is reported, with the found value cut to one line."""
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        read_meta(PLAIN | {key: value})


def test_bot_contents_must_be_encodable() -> None:
    """A content may name a file that is not UTF-8, but must be a valid file name."""
    facts = PLAIN["facts"] | {"bots.b.content": "r\udcff"}
    assert read_meta(PLAIN | {"facts": facts}).contents == {"b": "r\udcff"}
    words = r"^facts: the content of 'b' is '\\ud800', which is not text$"
    for later in (False, True):
        stored = league().model_dump() if later else dict(PLAIN)
        holder = stored["league_versions"][-1] if later else stored
        holder["facts"] = holder["facts"] | {"bots.b.content": "\ud800"}
        with pytest.raises(ValueError, match=words):
            read_meta(stored)


def test_anchor_is_read_from_json_and_from_options() -> None:
    """JSON has a list of name and rating; no anchor is null or an empty list."""
    for anchor, prior, expected in (
        (["a", 5], 1, RatingOptions((Anchor("a", 5.0),), 1.0)),
        (None, 0.5, RatingOptions((), 0.5)),
        ([], 0, RatingOptions((), 0.0)),
    ):
        ratings = read_meta(PLAIN | {"ratings": {"anchor": anchor, "prior": prior}}).ratings
        assert ratings == expected
    options = RatingOptions((Anchor("b", -2.5),), 3.0)
    assert read_meta(PLAIN | {"ratings": options}).ratings is options


def test_shard_is_read_and_written_as_text() -> None:
    """`2/3` is a shard; an empty text means the whole schedule."""
    part = read_meta(PLAIN | {"shard": "2/3"})
    assert part.shard == Shard(2, 3)
    assert part.model_dump()["shard"] == "2/3"
    assert read_meta(PLAIN | {"shard": Shard(1, 2)}).shard == Shard(1, 2)
    assert read_meta(PLAIN | {"shard": ""}).shard is None


@pytest.mark.parametrize(
    ("limit", "expected"), [(3, 3), (None, None), ("3", None), ("never", None)]
)
def test_max_faults_is_a_number_or_none(limit: object, expected: int | None) -> None:
    """Any other value means that there is no limit."""
    facts = {"seed": 7, "edition": "x", "max_faults": limit}
    meta = read_meta(PLAIN | {"facts": facts})
    assert (meta.max_faults, meta.seed) == (expected, 7)
    assert META.max_faults is None


def league() -> Meta:
    """Return the metadata of a league of a and b; then c joined, and later a left."""
    closed: dict[str, Any] = PLAIN["schedule"]
    versions = [
        {"records": 4, "first": 2, "closed": closed, "bots": ["b", "a", "c"], "facts": {"x": 1}},
        {
            "records": 8,
            "first": 5,
            "closed": {**closed, "pairs": 6},
            "bots": ["b", "c"],
            "facts": {"x": 2, "y": 3},
        },
    ]
    last = {**closed, "pairs": 8}
    return read_meta(PLAIN | {"league_versions": versions, "schedule": last})


def test_league_has_one_more_generation_than_versions() -> None:
    """Each generation has its bots at the start, and its schedule at the end."""
    generations = league().generations
    assert [
        (generation.first, generation.bots, generation.schedule.pairs) for generation in generations
    ] == [
        (0, ("a", "b"), 4),
        (2, ("b", "a", "c"), 6),
        (5, ("b", "c"), 8),
    ]
    assert META.generations == [Generation(0, ("a", "b"), META.schedule)]


def test_each_generation_has_its_start_date() -> None:
    """The first generation has the store's date; later ones have a date only if it was stored."""
    dates = ["2026-03-01T06:00:00Z", None, "2026-03-15T06:00:00Z"]
    stored = league().model_dump()
    assert [version.keys() & {"began"} for version in stored["league_versions"]] == [set(), set()]
    stored["created"], stored["league_versions"][1]["began"] = dates[0], dates[2]
    meta = read_meta(stored)
    assert [generation.began for generation in meta.generations] == dates
    assert meta.model_dump() == stored


@pytest.mark.parametrize(
    "date", ["", "now", "2026-03-15", "2026-03-15T06:00:00+01:00", "2026-02-30T06:00:00Z"]
)
def test_invalid_date_is_rejected(date: str) -> None:
    """The page draws dates on a time axis."""
    stored = league().model_dump()
    stored["league_versions"][0]["began"] = date
    with pytest.raises(ValueError, match=re.escape(f"began: {date!r} is not a date and time")):
        read_meta(stored)


def test_facts_of_a_league_are_merged_from_all_versions() -> None:
    """In `all_facts` later values win; `current_facts` has those of the last version only."""
    assert league().current_facts == {"x": 2, "y": 3}
    assert league().all_facts == {"seed": 1, "edition": "express x", "x": 2, "y": 3}
    assert META.current_facts == META.all_facts == META.facts


def test_everyone_names_each_bot_once() -> None:
    """The order is that of joining; in a solo tournament the Automa comes last."""
    assert league().everyone == ("a", "b", "c")
    solo = {**PLAIN["schedule"], "format": "solo", "automa": {"level": "intern", "tactical": False}}
    assert read_meta(PLAIN | {"schedule": solo}).everyone == ("a", "b", "automa")
