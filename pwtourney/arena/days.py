"""Dates of games and tournaments, as pages show them."""

from datetime import UTC, datetime

__all__ = ["format_day"]


def format_day(seconds: float) -> str:
    """Return the day of a time in seconds since 1970, in the time zone of this machine."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().date().isoformat()
