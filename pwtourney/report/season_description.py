"""Describe a league whose bots change: which bots play, and what each version changed."""

from collections.abc import Iterator
from typing import Any, get_args

from pwtourney.errors import UsageError
from pwtourney.schedule.bot_names import base_name, version_name
from pwtourney.schedule.season import Change, Member, Season, Status

__all__ = ["change_json", "describe_season", "find_version", "label_bot", "member_json"]


def label_bot(member: Member) -> str:
    """Return a bot's id, marked if it does not play any more: ``magpie (old)``."""
    return member.bot if member.status == "current" else f"{member.bot} ({member.status})"


def find_version(season: Season, name: str) -> str:
    """Return the id of the bot that a user means by a name, or the name if no bot matches.

    A name alone means the version that plays, or that played last, and ``magpie#1`` the first one.
    Raises `UsageError` if several bots of this name play, as they may in a table of several
    folders.
    """
    if name in season.members and base_name(name) != name:
        return name
    if name == version_name(base_name(name), 1) and base_name(name) in season.members:
        return base_name(name)
    versions = [member for member in season.members.values() if member.name == name]
    newest = [member.bot for member in versions if member.status == "current"]
    newest = newest or [member.bot for member in versions if member.has_left]
    if len(newest) > 1:
        ids = (version_name(name, 1) if bot == name else bot for bot in newest)
        raise UsageError(f"several bots are called {name!r}; choose one of {', '.join(ids)}")
    return newest[0] if newest else name


def describe_season(season: Season) -> Iterator[str]:
    """Yield the league's version and how many bots play, if it ever changed, and each ban."""
    if len(season.changes) > 1:
        last = season.changes[-1]
        since = f", since {last.began[:10]}" if last.began else ""
        statuses = [member.status for member in season.members.values()]
        counts = ((status, statuses.count(status)) for status in get_args(Status))
        bots = ", ".join(f"{count} {status}" for status, count in counts if count)
        yield f"Version {last.number} of the league{since}; bots: {bots}"
    for ban in season.bans:
        games = "its games still count" if ban.keeps_games else "its games do not count"
        yield f"Banned since {ban.since[:10]}: {ban.bot} ({ban.reason}); {games}"


def member_json(member: Member) -> dict[str, Any]:
    """Return the facts about a bot of a league, without its id."""
    return {
        "name": member.name,
        "status": member.status,
        "joined": member.joined,
        "left": member.left,
    }


def change_json(change: Change) -> dict[str, Any]:
    """Return what a version of a league changed."""
    pairs = {"changed": change.changed, "renamed": change.renamed}
    return change._asdict() | {
        key: [{"before": before, "now": now} for before, now in names]
        for key, names in pairs.items()
    }
