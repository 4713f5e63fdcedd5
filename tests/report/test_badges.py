"""Badges: one for each bot and for each of its versions, with the rating and a colour."""

import json
import math
import xml.etree.ElementTree as ET

import pytest

from pwtourney.report.summary import Conditions, Summary
from pwtourney.report.text.badges import badge_name, draw_badges
from pwtourney.schedule.season import Member, Season
from tests.report.handmade import TUNED, make_pool, make_row, make_summary

SVG = "{http://www.w3.org/2000/svg}"
LEAGUE = Season(
    {
        "magpie": Member("magpie", "magpie", "old", None, None),
        "magpie#2": Member("magpie#2", "magpie", "current", None, None),
        "wren": Member("wren", "wren", "removed", None, None),
        "owl": Member("owl", "owl", "current", None, None),
    }
)


def read_badges(summary: Summary) -> dict[str, tuple[str, str, str]]:
    """Return label, message and colour of the JSON of each badge; each has an SVG, too."""
    files = draw_badges(summary)
    badges = {}
    for name, text in files.items():
        if name.endswith(".json"):
            badge = json.loads(text)
            assert badge.pop("schemaVersion") == 1, "https://shields.io/badges/endpoint-badge"
            assert text.endswith("}\n")
            badges[name.removesuffix(".json")] = (
                badge.pop("label"),
                badge.pop("message"),
                badge.pop("color"),
            )
            assert badge == {}
    assert sorted(files) == sorted(f"{name}.{kind}" for name in badges for kind in ("json", "svg"))
    return badges


def test_each_bot_of_each_table_has_a_badge() -> None:
    """The best of a table is green; a bound has its sign, and an unknown rating no number."""
    first = make_pool(make_row("best", 90.4, bound=">"), make_row("owl", 12.4, plus_minus=30.4))
    second = make_pool(make_row("jay", -3.0), make_row("lost", math.nan, bound="?"))
    assert read_badges(make_summary([first, second])) == {
        "best": ("best", "> +90 Elo", "brightgreen"),
        "owl": ("owl", "+12 ± 30 Elo", "blue"),
        "jay": ("jay", "-3 Elo", "brightgreen"),
        "lost": ("lost", "no rating", "blue"),
    }


def test_bound_that_tells_nothing_is_no_rating() -> None:
    """A bot that won one pair is perhaps 512 Elo below the average."""
    won = make_row("won", -512.0, bound=">", bound_tells=False)
    badges = read_badges(make_summary([make_pool(won, make_row("owl", 0.0))]))
    assert badges["won"] == ("won", "no rating", "brightgreen")


def test_badge_of_a_bot_is_that_of_the_version_that_plays() -> None:
    """Versions have badges of their own with a permanent name; the best that plays is green."""
    pool = make_pool(
        make_row("wren", 50.0),
        make_row("magpie#2", 40.0),
        make_row("magpie", 30.0),
        make_row("owl", -5.0),
    )
    assert read_badges(make_summary([pool], season=LEAGUE)) == {
        "magpie": ("magpie", "+40 Elo", "brightgreen"),
        "magpie@1": ("magpie#1", "+30 Elo (old)", "lightgrey"),
        "magpie@2": ("magpie#2", "+40 Elo", "brightgreen"),
        "wren": ("wren", "removed", "lightgrey"),
        "owl": ("owl", "-5 Elo", "blue"),
    }


def test_badges_show_no_rating_without_a_result() -> None:
    """If no game was valid nobody is the best; the bots of a tuning have no badges."""
    pool = make_pool(make_row("jay", 3.0), make_row("owl", -3.0))
    void = Conditions((), {}, games=2, voids=2)
    assert read_badges(make_summary([pool], conditions=void)) == {
        "jay": ("jay", "no result", "blue"),
        "owl": ("owl", "no result", "blue"),
    }
    assert draw_badges(make_summary([pool], tuning=TUNED)) == {}


def test_drawing_is_as_wide_as_its_two_texts() -> None:
    """Each is 12 wide and 7 more for every character: 12 + 7 · 3 and 12 + 7 · 6."""
    summary = make_summary([make_pool(make_row("jay", -3.0))])
    text = draw_badges(summary)["jay.svg"]
    drawing = ET.fromstring(text)
    assert (drawing.tag, drawing.attrib) == (
        f"{SVG}svg",
        {"width": "87", "height": "20", "role": "img", "aria-label": "jay: -3 Elo"},
    )
    whole, label, group = drawing
    common = {"height": "20", "rx": "3"}
    assert (whole.tag, whole.attrib) == (f"{SVG}rect", {**common, "width": "87", "fill": "#3a8a2e"})
    assert (label.tag, label.attrib) == (f"{SVG}rect", {**common, "width": "33", "fill": "#4a4a4a"})
    assert group.attrib == {
        "fill": "#fff",
        "font-family": "Verdana,DejaVu Sans,sans-serif",
        "font-size": "11",
        "text-anchor": "middle",
    }
    # each text is in the middle of its part: 33 / 2, and 33 + 54 / 2
    assert [(element.tag, element.attrib, element.text) for element in group] == [
        (f"{SVG}text", {"x": "16.5", "y": "14"}, "jay"),
        (f"{SVG}text", {"x": "60", "y": "14"}, "-3 Elo"),
    ]
    assert text.endswith("</g></svg>\n")


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        ("magpie#2", "magpie@2"),
        ("a.b-c_d9", "a.b-c_d9"),
        ("../a b", "_a_b"),
        ("...", "_"),
        ("", "_"),
        ("x" * 70, "x" * 64),
        ("喜", "_"),
    ],
)
def test_name_of_a_badge_is_a_safe_file_name(bot: str, name: str) -> None:
    """It has at most 64 characters, no leading dot, and no character with a meaning in a path."""
    assert badge_name(bot) == name
