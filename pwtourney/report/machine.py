"""The standings as JSON, for programs. The keys are described in ``docs/reports.md``."""

import json
import math
from typing import Any

from pwtourney.ratings import Fitness
from pwtourney.ratings.order import pairs_to_separate
from pwtourney.report.resources import resources_json
from pwtourney.report.summary import Summary
from pwtourney.schedule import FormatTable
from pwtourney.standings import Line, Pool, Standings

__all__ = ["line_json", "standings_json", "tables_json"]

_FORMAT = 4


def standings_json(summary: Summary) -> str:
    """Return the standings as indented JSON with a newline at its end."""
    data = {
        "format": _FORMAT,
        "name": summary.name,
        "edition": summary.edition,
        "seed": summary.seed,
        "version": summary.version,
        "pairs_planned": summary.planned,
        "pairs_stored": summary.stored,
        "over": summary.over,
        "games": summary.standings.games,
        "voids": summary.standings.voids,
        "repeated": summary.standings.repeated,
        "game_hash": summary.game_hash,
        "chain_head": summary.chain_head,
        "conditions": list(summary.conditions.notes()),
        "gates": [gate._asdict() for gate in summary.gates],
        "format_table": _format_table(summary.table),
        "tables": [_pool(pool, summary) for pool in summary.standings.pools],
    }
    return json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def tables_json(standings: Standings) -> str:
    """Return any standings as JSON: the tables, each with the covariance of its ratings."""
    tables = []
    for pool in standings.pools:
        whole = {**_of_pool(pool), "bots": [line_json(line) for line in pool.lines]}
        covariance = [
            [value if math.isfinite(value) else None for value in row] for row in pool.covariance
        ]
        tables.append({**whole, "covariance": covariance})
    data = {
        "format": _FORMAT,
        "games": standings.games,
        "voids": standings.voids,
        "repeated": standings.repeated,
    }
    return json.dumps({**data, "tables": tables}, indent=2, allow_nan=False) + "\n"


def _pool(pool: Pool, summary: Summary) -> dict[str, Any]:
    lines = [
        {**line_json(line), "resources": resources_json(line.bot, line.resources, summary)}
        for line in pool.lines
    ]
    return {**_of_pool(pool), "bots": lines}


def _of_pool(pool: Pool) -> dict[str, Any]:
    return {
        "deals": pool.deals,
        "rough": pool.rough,
        "prior": pool.prior,
        "anchor": pool.anchor,
        "design_effect": _round(pool.design_effect, 4),
        "variance_saved": _round(pool.saved, 4),
        "fit": _fit(pool.fitness),
        "first_seat_elo": _round(pool.seat_elo),
        "first_seat_plus_minus": _round(pool.seat_plus_minus),
        "meetings": [
            {key: _round(value, 6) for key, value in meeting._asdict().items()}
            for meeting in pool.meetings
        ],
        "gaps": [
            {
                "above": gap.above,
                "below": gap.below,
                "elo": None if gap.error is None else _round(gap.difference),
                "standard_error": _round(gap.error, 4),
                "more_pairs": pairs_to_separate(gap, pool.pairs),
            }
            for gap in pool.gaps
        ],
    }


def _format_table(table: FormatTable | None) -> dict[str, Any] | None:
    if table is None:
        return None
    rows = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
    return {"title": table.title, "rows": rows, "notes": list(table.notes)}


def _fit(fitness: Fitness | None) -> dict[str, Any] | None:
    if fitness is None:
        return None
    return {
        "chi_square": _round(fitness.chi_square, 4),
        "freedom": fitness.freedom,
        "p": _round(fitness.p, 6),
        "spread": _round(fitness.spread, 4),
        "deviations": [
            {key: _round(value, 6) if isinstance(value, float) else value for key, value in facts}
            for facts in (deviation._asdict().items() for deviation in fitness.deviations)
        ],
    }


def line_json(line: Line) -> dict[str, Any]:
    """Return the numbers of one bot."""
    tally, used = line.tally, line.resources
    return {
        "rank": line.rank,
        "rank_best": line.ranks.best,
        "rank_worst": line.ranks.worst,
        "los": _round(line.los, 6),
        "bot": line.bot,
        "elo": _round(line.elo),
        "plus_minus": _round(line.plus_minus),
        "bound": line.bound or None,
        "games": tally.game_count,
        "wins": tally.wins,
        "losses": tally.losses,
        "technical_draws": tally.draws,
        "voids": tally.voids,
        "score": _round(tally.share(), 6),
        "score_first": _round(tally.share(0), 6),
        "score_second": _round(tally.share(1), 6),
        "pairs_lost": tally.pairs[0],
        "pairs_split": tally.pairs[1],
        "pairs_won": tally.pairs[2],
        "deals": tally.deals,
        "mean_margin": _round(line.margin.mean if line.margin else None, 3),
        "mean_margin_plus_minus": _round(line.margin.plus_minus if line.margin else None, 3),
        "median_margin": _round(line.margin.median if line.margin else None, 1),
        "margin_first": _round(line.margin.first if line.margin else None, 3),
        "margin_second": _round(line.margin.second if line.margin else None, 3),
        "share_by_tie_break": _round(line.margin.tied if line.margin else None, 6),
        "massey": _round(line.massey.points if line.massey else None, 3),
        "massey_plus_minus": _round(line.massey.plus_minus if line.massey else None, 3),
        "seat_gain": _round(line.seat.mean if line.seat else None, 6),
        "seat_gain_plus_minus": _round(line.seat.plus_minus if line.seat else None, 6),
        "ms_per_move": _round(used.mean_ms, 3),
        "ms_slowest": _round(used.slowest / 1000, 3),
        "faults": dict(sorted(used.faults.items())),
    }


def _round(value: Any, digits: int = 2) -> Any:
    """Return a number to so many digits, None if it is not finite; anything else as it is."""
    if not isinstance(value, float):
        return value
    return round(value, digits) if math.isfinite(value) else None
