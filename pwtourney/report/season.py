"""What reports say of a league whose bots change: who plays, and what each version changed."""

from collections.abc import Iterator
from typing import Any

from pwtourney.schedule.season import Change, Member, Season

__all__ = ["change_json", "describe_season", "label_bot", "member_json"]


def label_bot(member: Member) -> str:
    """Return a bot's id, marked if it plays no more: ``magpie (old)``."""
    return member.bot if member.status == "current" else f"{member.bot} ({member.status})"


def describe_season(season: Season) -> Iterator[str]:
    """Yield which version of a league this is, and how many play; nothing of what never changed."""
    if len(season.changes) > 1:
        last = season.changes[-1]
        since = f", since {last.began[:10]}" if last.began else ""
        statuses = [member.status for member in season.members.values()]
        counts = ((status, statuses.count(status)) for status in ("current", "old", "removed"))
        bots = ", ".join(f"{count} {status}" for status, count in counts if count)
        yield f"Version {last.number} of the league{since}; bots: {bots}"


def member_json(member: Member) -> dict[str, Any]:
    """Return what is known of a bot of a league, but for its id."""
    return {
        "name": member.name,
        "status": member.status,
        "joined": member.joined,
        "left": member.left,
    }


def change_json(change: Change) -> dict[str, Any]:
    """Return what a version of a league changed."""
    return {
        **change._asdict(),
        "changed": [{"before": before, "now": now} for before, now in change.changed],
    }
