"""The standings as text: one row of cells a bot, and the lines that stand under the table."""

from pwtourney.ratings import Line, Pool
from pwtourney.report.summary import Summary

__all__ = ["HEADINGS", "NARROWEST_HEADINGS", "NARROW_HEADINGS", "footnotes", "row"]

HEADINGS = (
    *("#", "Bot", "Elo", "±95%", "Games", "W–L", "Score", "1st", "2nd", "Margin", "ms/move"),
    *("Slowest", "Faults"),
)
"""The columns; the order is that of `row`."""

NARROW_HEADINGS = tuple(each for each in HEADINGS if each not in ("Slowest", "ms/move"))
"""The columns that fit 80 characters."""

NARROWEST_HEADINGS = ("Bot", "Elo", "±95%", "Games")
"""The columns that are left on the narrowest terminals."""


def row(line: Line) -> dict[str, str]:
    """Return the cells of one bot by heading."""
    tally, used = line.tally, line.resources
    return {
        "#": str(line.rank),
        "Bot": line.bot,
        "Elo": f"{line.bound}{' ' if line.bound else ''}{_signed(line.elo)}",
        "±95%": "–" if line.plus_minus is None else f"{line.plus_minus:.0f}",
        "Games": str(tally.played),
        "W–L": f"{tally.wins}–{tally.losses}",
        "Score": _percent(tally.share()),
        "1st": _percent(tally.share(0)),
        "2nd": _percent(tally.share(1)),
        "Margin": "–" if tally.mean_margin is None else f"{tally.mean_margin:+.1f}",
        "ms/move": "–" if used.mean_ms is None else f"{used.mean_ms:.1f}",
        "Slowest": f"{used.slowest / 1000:.0f}",
        "Faults": ", ".join(f"{n} {kind}" for kind, n in sorted(used.faults.items())) or "0",
    }


def footnotes(summary: Summary) -> list[str]:
    """Return what must be known to read the table, a line each."""
    standings = summary.standings
    lines = [
        f"{_count(standings.games, 'game')} of {_count(summary.stored, 'pair')}"
        + (f" ({summary.planned} planned)" if summary.planned != summary.stored else "")
        + (f", {standings.voids} void" if standings.voids else "")
        + f"; edition {summary.edition}, seed {summary.seed}"
    ]
    for number, pool in enumerate(standings.pools, 1):
        which = f"Table {number}: " if len(standings.pools) > 1 else ""
        lines += [which + note for note in _pool_notes(pool)]
    if len(standings.pools) > 1:
        lines.append("Bots of different tables have not met, even through others: not comparable.")
    lines += summary.conditions.notes()
    lines.append(f"Game hash {summary.game_hash}, pwtourney {summary.version}")
    return lines


def _pool_notes(pool: Pool) -> list[str]:
    if len(pool.lines) == 1:
        return ["no games that count"]
    circles = _count(pool.circles, "circle")
    notes = [f"Elo relative to the mean of the table; ±95 % clustered on {circles}"]
    if pool.rough:
        notes[0] += " (rough: fewer than 30)"
    if pool.seat_elo is None:
        notes.append("First-seat advantage: cannot be told from these games")
    else:
        spread = "" if pool.seat_plus_minus is None else f" ± {pool.seat_plus_minus:.0f}"
        notes.append(f"First-seat advantage: {pool.seat_elo:+.0f}{spread} Elo")
    if pool.prior:
        notes.append(
            "> and < are one-sided 95 % bounds of bots that never lost or never won; the other"
            f" ratings lean on {pool.prior:g} virtual game a bot"
        )
    return notes


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _signed(elo: float) -> str:
    return "0" if round(elo) == 0 else f"{elo:+.0f}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
