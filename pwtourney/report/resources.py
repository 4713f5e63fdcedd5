"""The resource panel: what each bot used, as cells of a table and as JSON."""

from typing import Any

from pwtourney.report.summary import Summary
from pwtourney.standings import Resources

__all__ = [
    "RESOURCE_HEADINGS",
    "resource_row",
    "resource_rows",
    "resources_json",
]

RESOURCE_HEADINGS = (
    *("Bot", "Starts", "Start ms", "p50 ms", "p99 ms", "Max ms", "CPU ms/move"),
    *("Ponder CPU ms/game", "Peak MiB", "In KiB/game", "Out KiB/game", "Stderr KiB", "Sandbox"),
)
"""The columns; the order is that of `resource_row`."""


def resource_rows(summary: Summary) -> list[dict[str, str]]:
    """Return the cells of all bots by heading, in the order of the standings."""
    lines = [line for pool in summary.standings.pools for line in pool.lines]
    return [resource_row(line.bot, line.resources, summary) for line in lines]


def resource_row(bot: str, used: Resources, summary: Summary) -> dict[str, str]:
    """Return the cells of one bot by heading."""
    games = used.games
    pondering = summary.conditions.pondering.get(bot)
    return {
        "Bot": bot,
        "Starts": str(used.starts),
        "Start ms": _ms(used.start, used.starts),
        "p50 ms": _quantile(used, 0.5),
        "p99 ms": _quantile(used, 0.99),
        "Max ms": _ms(used.slowest, 1 if used.times.count else 0),
        "CPU ms/move": _ms(used.cpu, used.times.count),
        "Ponder CPU ms/game": "not measured"
        if pondering == "allow"
        else _ms(used.pondering, games),
        "Peak MiB": f"{used.peak / 1024:.1f}" if used.peak else "–",
        "In KiB/game": _kib(used.received, games),
        "Out KiB/game": _kib(used.written, games),
        "Stderr KiB": f"{used.stderr / 1024:.1f}",
        "Sandbox": ", ".join(sorted(summary.conditions.profiles.get(bot, ()))) or "–",
    }


def resources_json(bot: str, used: Resources, summary: Summary) -> dict[str, Any]:
    """Return the same for programs: times in milliseconds, sizes in bytes, null if unknown."""
    return {
        "processes_started": used.starts,
        "ms_start": _mean(used.start, used.starts),
        "ms_p50": _in_ms(used.times.at(0.5)),
        "ms_p99": _in_ms(used.times.at(0.99)),
        "cpu_ms_per_move": _mean(used.cpu, used.times.count),
        "ponder_cpu_ms_per_game": _mean(used.pondering, used.games),
        "peak_bytes": 1024 * used.peak,
        "bytes_received": used.received,
        "bytes_written": used.written,
        "bytes_stderr": used.stderr,
        "profiles": dict(sorted(summary.conditions.profiles.get(bot, {}).items())),
    }


def _ms(micros: int, count: int) -> str:
    return f"{micros / count / 1000:.1f}" if count else "–"


def _kib(size: int, count: int) -> str:
    return f"{size / count / 1024:.1f}" if count else "–"


def _quantile(used: Resources, share: float) -> str:
    value = used.times.at(share)
    return "–" if value is None else f"{value / 1000:.1f}"


def _mean(micros: int, count: int) -> float | None:
    return round(micros / count / 1000, 3) if count else None


def _in_ms(micros: float | None) -> float | None:
    return None if micros is None else round(micros / 1000, 3)
