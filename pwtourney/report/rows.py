"""The standings as text: one row of cells a bot, and the lines that stand under the table."""

import math

from pwtourney.ratings import Fitness, Massey, SeatGain
from pwtourney.ratings.order import pairs_to_separate
from pwtourney.report.summary import Summary
from pwtourney.standings import Line, Pool, Standings

__all__ = [
    "HEADINGS",
    "LEAVING",
    "format_brief_row",
    "footnotes",
    "gap_notes",
    "format_row",
    "span",
]

HEADINGS = (
    *("#", "Ranks", "Bot", "Elo", "±95%", "LOS", "Games", "Deals", "W–L", "Score", "1st", "2nd"),
    *("Pairs", "Seat", "Margin", "±Margin", "Massey", "ms/move", "Slowest", "Faults"),
)
"""The columns; the order is that of `format_row`."""

LEAVING = (
    *("Slowest", "ms/move", "Massey", "±Margin", "Seat", "Deals", "Pairs", "LOS", "Ranks"),
    *("Faults", "2nd", "1st", "Margin", "W–L", "Score", "Faults", "#", "Games", "±95%"),
)
"""The order in which columns leave a table that is too wide; `Faults` first becomes a number."""

_MOST_DEVIATIONS = 5
_MOST_GAPS = 3
_DOUBTFUL = 0.05
_NO_EFFECT = 0.005


def format_row(line: Line) -> dict[str, str]:
    """Return the cells of one bot by heading."""
    tally, used, margin = line.tally, line.resources, line.margin
    spread = margin.plus_minus if margin else None
    ranks = line.ranks
    return {
        "#": str(line.rank),
        "Ranks": str(ranks.best) if ranks.best == ranks.worst else f"{ranks.best}–{ranks.worst}",
        "Bot": line.bot,
        "Elo": f"{line.bound} {_format_elo(line.elo)}".strip(),
        "±95%": "–" if line.plus_minus is None else f"{line.plus_minus:.0f}",
        "LOS": "–" if line.los is None else _percent(line.los),
        "Games": str(tally.game_count),
        "Deals": str(tally.deals),
        "W–L": f"{tally.wins}–{tally.losses}",
        "Score": _percent(tally.share()),
        "1st": _percent(tally.share(0)),
        "2nd": _percent(tally.share(1)),
        "Pairs": "–".join(map(str, tally.pairs)),
        "Margin": "–" if margin is None else f"{margin.mean:+.1f}",
        "±Margin": "–" if spread is None else f"{spread:.1f}",
        "Massey": "–" if line.massey is None else _format_massey(line.massey),
        "Seat": "–" if line.seat is None else _format_seat_gain(line.seat),
        "ms/move": "–" if used.mean_ms is None else f"{used.mean_ms:.1f}",
        "Slowest": f"{used.slowest / 1000:.0f}",
        "Faults": ", ".join(f"{n} {kind}" for kind, n in sorted(used.faults.items())) or "0",
    }


def format_brief_row(line: Line) -> dict[str, str]:
    """Return the cells of one bot that can be said in less room."""
    return {"Faults": str(sum(line.resources.faults.values()))}


def footnotes(summary: Summary) -> list[str]:
    """Return what must be known to read the table, a line each."""
    standings = summary.standings
    lines = [
        f"{_count(standings.games, 'game')} of {_count(summary.stored, 'pair')}"
        + ("" if summary.over else f" (not over; at most {summary.planned})")
        + (f", {standings.voids} void" if standings.voids else "")
        + f"; edition {summary.edition}, seed {summary.seed}"
    ]
    if summary.shard:
        lines.append(f"Part {summary.shard} of the schedule; `pwtourney merge` makes the whole")
    lines += table_notes(standings)
    lines += summary.conditions.notes()
    lines.append(f"Game hash {summary.game_hash}, pwtourney {summary.version}")
    return lines


def table_notes(standings: Standings) -> list[str]:
    """Return what must be known of how the tables were made, a line each."""
    lines = []
    if standings.repeated:
        lines.append(
            f"Left out: {_count(standings.repeated, 'game')} that repeated another one, move for"
            " move, on the same deal"
        )
    if standings.unanchored:
        lines.append(
            f"{standings.unanchored} was to have a fixed rating, and has none that could be fixed"
        )
    for number, pool in enumerate(standings.pools, 1):
        which = f"Table {number}: " if len(standings.pools) > 1 else ""
        lines += [which + note for note in _pool_notes(pool)]
    if len(standings.pools) > 1:
        lines.append("Bots of different tables have not met, even through others: not comparable.")
    return lines


def _pool_notes(pool: Pool) -> list[str]:
    if len(pool.lines) == 1:
        return ["no games that count"]
    deals = _count(pool.deals, "deal")
    rough = "; rough: fewer than 30" if pool.rough else ""
    notes = [f"{_zero(pool)}; 95 % confidence intervals, clustered by deal ({deals}{rough})"]
    if pool.seat_elo is None:
        notes.append("First-seat advantage: unknown from these games")
    else:
        spread = "" if pool.seat_plus_minus is None else f" ± {pool.seat_plus_minus:.0f}"
        notes.append(f"First-seat advantage: {_format_elo(pool.seat_elo)}{spread} Elo")
    mirrored = pool.paired and pool.seat_elo is not None  # against the Automa nobody swaps seats
    if pool.design_effect is not None and not pool.prior and mirrored:
        notes.append(_design_effect_note(pool.design_effect))
    if pool.fitness is not None:
        notes += _fit_notes(pool.fitness)
    notes += gap_notes(pool)
    if pool.prior:
        notes.append(f"Ratings lean on {_count(pool.prior, 'virtual game')} a bot (prior)")
    if any(line.bound for line in pool.lines):
        notes.append(
            "> and < are one-sided 95 % bounds of bots that never lost, or never won, a point"
            " against those with ratings; ? could not be compared with them"
        )
    return notes


def _zero(pool: Pool) -> str:
    """Say where the scale is fixed."""
    if pool.anchor is not None:
        return next(
            f"Elo {line.elo:g} = {line.bot}" for line in pool.lines if line.bot == pool.anchor
        )
    rated = [line.bot for line in pool.lines if not line.bound]
    if len(rated) == len(pool.lines):
        return "Elo 0 = average of these bots"
    return f"Elo 0 = {rated[0] if len(rated) == 1 else 'average of the bots with ratings'}"


def _design_effect_note(effect: float) -> str:
    if effect < _NO_EFFECT:
        return "Design effect 0: every deal gave the same, so nothing is known of chance"
    percent, what = round(100 / effect) - 100, "more" if effect <= 1 else "less"
    return (
        f"Mirrored pairs: {abs(percent)} % {what} information than independent games"
        f" (design effect {effect:.2f})"
    )


def gap_notes(pool: Pool, slots: int = 1) -> list[str]:
    """Say what it would take to separate neighbours that are not, playing in so many slots."""
    notes = []
    used = sum(line.resources.wall + line.resources.start for line in pool.lines) / 1e6
    what = "more pair" if pool.paired else "more game"
    for gap in pool.gaps:
        more = pairs_to_separate(gap, pool.pairs)
        if more:
            time = f", about {span(more * used / pool.pairs / slots)}" if used else ""
            time += " at one game a time" if used and slots == 1 else ""
            amount = f"{_count(more, what)}{time}"
            notes.append(f"To tell {gap.above} from {gap.below} at 95 % takes about {amount}")
    left = len(notes) - _MOST_GAPS
    return notes if left <= 0 else [*notes[:_MOST_GAPS], f"… and {left} more neighbours"]


def span(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def _fit_notes(fitness: Fitness) -> list[str]:
    """Say whether one number a bot explains the results, and which pairings say otherwise."""
    test = f"χ²({fitness.freedom}) = {fitness.chi_square:.1f}, p = {fitness.p:.3f}"
    if fitness.p >= _DOUBTFUL and not fitness.deviations:
        return [f"No sign of intransitivity ({test})"]
    if not fitness.deviations:
        return [f"Signs of intransitivity ({test}), but no pairing stands out"]
    notes = [f"Signs of intransitivity ({test}):"]
    return notes + [
        f"  {each.first} got {each.points:g} points against {each.second}, expected were"
        f" {each.expected:.1f} (z {each.z:+.1f}, p {each.p:.4f})"
        for each in fitness.deviations[:_MOST_DEVIATIONS]
    ]


def _count(number: float, what: str) -> str:
    return f"{number:g} {what}" if number == 1 else f"{number:.10g} {what}s"


def _format_massey(massey: Massey) -> str:
    spread = "" if massey.plus_minus is None else f" ± {massey.plus_minus:.1f}"
    return f"{massey.points:+.1f}{spread}"


def _format_seat_gain(seat: SeatGain) -> str:
    spread = "" if seat.plus_minus is None else f" ± {100 * seat.plus_minus:.0f}"
    return f"{100 * seat.mean:+.0f}{spread}%"


def _format_elo(elo: float) -> str:
    if math.isnan(elo):
        return ""
    return "0" if round(elo) == 0 else f"{elo:+.0f}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"
