"""Badges for READMEs: the rating of a bot, as a drawing and as JSON for shields.io."""

import json
import re
from typing import NamedTuple

from pwtourney.report.figures import describe_rating
from pwtourney.report.summary import Summary
from pwtourney.report.text.machine import escape_xml, quote_xml
from pwtourney.schedule.bot_names import version_name

__all__ = ["badge_name", "draw_badges"]

_UNUSUAL = re.compile(r"[^a-z0-9._@-]", re.ASCII)
_HIGH = 20
_PADDING = 12
_CHARACTER = 7
"""The width of a character in Verdana at 11: an SVG cannot measure its own text."""


class _Colour(NamedTuple):
    """A background colour: its name on shields.io, and its code in the drawing."""

    name: str
    code: str


_FIRST = _Colour("brightgreen", "#3a8a2e")
_PLAYS = _Colour("blue", "#2a6fb0")
_GONE = _Colour("lightgrey", "#6f6f6f")
_LABEL = "#4a4a4a"


def draw_badges(summary: Summary) -> dict[str, str]:
    """Return the files of all badges: for each bot a ``.json`` for shields.io and an ``.svg``.

    The badge of a bot shows the version that plays, or how the bot left. In a league, each
    of several versions also has a badge of its own with a permanent address, and a name that is
    used no more has one with the new name.
    """
    season = summary.season
    versions = [member.name for member in season.members.values()]
    files: dict[str, str] = {}
    no_result = summary.conditions.explain_no_result()
    # a tuned bot has no rating
    for pool in () if summary.tuning else summary.standings.pools:
        playing = [row.bot for row in pool.rows if season.has(row.bot)]
        for row in pool.rows:
            member = season.find(row.bot)
            text = describe_rating(row)
            if member.has_left:
                text = member.status
            elif no_result:
                text = "no result"
            text = f"{text} (old)" if member.status == "old" else text
            colour = _PLAYS if member.status == "current" else _GONE
            colour = _FIRST if playing[:1] == [row.bot] and not no_result else colour
            if member.status != "old":
                files |= _make_badge(member.name, text, colour)
            if versions.count(member.name) > 1:
                own = member.bot if member.bot != member.name else version_name(member.name, 1)
                files |= _make_badge(own, text, colour)
    for ban in season.bans:
        files |= _make_badge(ban.bot, "banned", _GONE)
    for old, new in season.former.items():
        files |= _make_badge(old, f"now {new}", _GONE)
    return files


def badge_name(bot: str) -> str:
    """Return a file name for a bot; ``#`` becomes ``@``, because ``#`` would end a URL path.

    Our ids contain no other unsafe characters, but the content of a store is not trusted.
    """
    # no leading dot: neither a hidden file nor a way out of the folder
    return _UNUSUAL.sub("_", bot.replace("#", "@")).lstrip(".")[:64] or "_"


def _make_badge(label: str, text: str, colour: _Colour) -> dict[str, str]:
    """Return the two files of a badge: a label on grey, then a text on a colour."""
    endpoint = {"schemaVersion": 1, "label": label, "message": text, "color": colour.name}
    left, right = (_PADDING + _CHARACTER * len(words) for words in (label, text))
    whole = left + right
    name = badge_name(label)
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{_HIGH}" role="img"'
        f" aria-label={quote_xml(f'{label}: {text}')}>"
        f'<rect width="{whole}" height="{_HIGH}" rx="3" fill="{colour.code}"/>'
        f'<rect width="{left}" height="{_HIGH}" rx="3" fill="{_LABEL}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
        ' text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{escape_xml(label)}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape_xml(text)}</text>'
        "</g></svg>\n"
    )
    return {f"{name}.json": json.dumps(endpoint) + "\n", f"{name}.svg": drawing}
