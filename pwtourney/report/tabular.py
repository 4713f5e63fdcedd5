"""The standings as CSV, and games as JSON Lines that `pwtourney rate` reads."""

import csv
import io
import json

from pwtourney.ratings.games import Result
from pwtourney.report.machine import line_json
from pwtourney.report.summary import Summary
from pwtourney.sanitize import sanitize
from pwtourney.store import GameRecord

__all__ = ["game_line", "standings_csv"]

_FORMULA = "=+-@\t\r"
"""What a spreadsheet takes for the beginning of a formula."""


def standings_csv(summary: Summary) -> str:
    """Return a row a bot: its table, and the numbers of ``standings.json`` but for resources."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, pool in enumerate(summary.standings.pools, 1):
        for line in pool.lines:
            data = {"table": number, **line_json(line)}
            faults = data.pop("faults")
            data["faults"] = " ".join(f"{kind}:{count}" for kind, count in faults.items())
            if number == 1 and line is pool.lines[0]:
                writer.writerow(data)
            writer.writerow(_cell(value) for value in data.values())
    return text.getvalue()


def game_line(record: GameRecord, result: Result) -> str:
    """Return one game as one line of JSON, without its plies."""
    return json.dumps(
        {
            "game": f"{record.pair}.{record.game}",
            "first": result.first,
            "second": result.second,
            "score": None if result.points is None else f"{result.points:g}",
            "pair": str(record.pair),
            "deal": result.deal,
            "margin": result.margin,
            "scores": record.scores,
            "verdict": record.verdict,
            "faults": [[each["seat"], each["verdict"]] for each in record.faults],
            "plies": len(record.plies),
            "note": sanitize(record.note),
        }
    )


def _cell(value: object) -> object:
    """Make a text harmless for spreadsheets."""
    if isinstance(value, str):
        plain = sanitize(value)
        return f"'{plain}" if plain[:1] in _FORMULA and plain else plain
    return "" if value is None else value
