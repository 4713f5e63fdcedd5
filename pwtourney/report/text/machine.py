"""The standings for programs: JSON, CSV, and the formats of CI services.

The keys are described in ``docs/reports.md``.
"""

import csv
import io
import json
import math
from collections.abc import Sequence
from hashlib import sha256
from html import escape  # what xml.sax has for it imports urllib, and with it ssl: 20 ms a start
from typing import TYPE_CHECKING, Any, NamedTuple

from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.order import Gap
from pwtourney.ratings.pairs import pair_statistics
from pwtourney.report.figures import format_spread, mean, percent
from pwtourney.report.season_description import change_json, member_json
from pwtourney.report.tuned_values import tuning_json
from pwtourney.sanitize import sanitize
from pwtourney.schedule.season import Season
from pwtourney.standings import Pool, Row, Standings

if TYPE_CHECKING:  # it reads stores, which most tables do not come from
    from pwtourney.report.game_statistics import Averages, BotStatistics
    from pwtourney.report.summary import Summary

__all__ = [
    "Case",
    "averages_json",
    "benchmark_json",
    "escape_xml",
    "junit_suite",
    "junit_xml",
    "row_json",
    "quote_xml",
    "resources_json",
    "standings_csv",
    "standings_json",
    "statistics_json",
    "tables_json",
]

_FORMAT = 4
"""The version of ``standings.json``: one more when a key leaves or changes its meaning."""

_IDENTITY_DIGITS = 12
_FORMULA = "=+-@\t\r"
"""Characters that a spreadsheet reads as the beginning of a formula."""


class Case(NamedTuple):
    """One test: its class, its name, and why it failed or was skipped, if so.

    `details` is shown below the message of a failure. `seconds` is its duration, if known.
    """

    kind: str
    name: str
    failure: str | None = None
    skipped: str | None = None
    details: str = ""
    seconds: float | None = None


def standings_json(summary: "Summary") -> str:
    """Return the standings as indented JSON with a newline at its end."""
    table = summary.table
    format_table = table and {
        "title": table.title,
        "rows": [dict(zip(table.headings, row, strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }
    statistics = {bot.bot: bot for bot in summary.statistics.bots}
    tables = []
    for pool in summary.standings.pools:
        lines = [
            {
                **row_json(line),
                **_identity_json(line, summary),
                **member_json(summary.season.find(line.bot)),
                "resources": resources_json(line, summary),
                "statistics": statistics_json(statistics.get(line.bot)),
            }
            for line in pool.rows
        ]
        tables.append({**_pool_json(pool, summary.order), "bots": lines})
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
        "valid_games": summary.conditions.valid,
        "repeated": summary.standings.repeated,
        "game_hash": summary.game_hash,
        "chain_head": summary.chain_head,
        "conditions": list(summary.conditions.notes()),
        "gates": [gate._asdict() for gate in summary.gates],
        "league_versions": [change_json(change) for change in summary.season.changes],
        "bans": [ban._asdict() for ban in summary.season.bans],
        "format_table": format_table,
        "tuning": summary.tuning and tuning_json(summary.tuning),
        "tables": tables,
        "income_marks": list(summary.statistics.income_marks),
        "field": averages_json(summary.statistics.field),
    }
    # no NaN either: JSON has none, and a strict parser would reject the whole file
    return json.dumps(data, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def tables_json(standings: Standings, season: Season) -> str:
    """Return any standings as JSON; the `season` contains the status of each bot."""
    tables = [
        {
            **_pool_json(pool),
            "bots": [{**row_json(row), **member_json(season.find(row.bot))} for row in pool.rows],
        }
        for pool in standings.pools
    ]
    data = {
        "format": _FORMAT,
        "games": standings.games,
        "voids": standings.voids,
        "repeated": standings.repeated,
        "tables": tables,
    }
    return json.dumps(data, indent=2, allow_nan=False) + "\n"


def _pool_json(pool: Pool, order: float | None = None) -> dict[str, Any]:
    """Return the numbers of one table, without those of its bots."""
    fitness, saved = pool.fitness, pool.saved
    fit = fitness and {
        "chi_square": _round(fitness.chi_square, 4),
        "freedom": fitness.freedom,
        "p": _round(fitness.p, 6),
        "spread": _round(fitness.spread, 4),
        "deviations": [
            {key: _round(value, 6) for key, value in deviation._asdict().items()}
            for deviation in fitness.deviations
        ],
    }
    return {
        "level": pool.level,
        "deals": pool.deals,
        "rough": pool.rough,
        "prior": pool.prior,
        "anchor": pool.anchor,
        "anchors": [anchor._asdict() for anchor in pool.anchors],
        "paired_by_results": pool.paired_by_results,
        "chosen_by_results": pool.chosen_by_results,
        "design_effect": _round(pool.design_effect, 4),
        "variance_saved": _round(saved and saved.share, 4),
        "variance_saved_plus_minus": _round(saved and saved.plus_minus, 4),
        "fit": fit,
        "cycle": list(pool.cycle),
        "strength_spread": _round(pool.strength_spread),
        "first_seat_elo": _round(pool.seat_elo),
        "first_seat_plus_minus": _round(pool.seat_plus_minus),
        "meetings": [_meeting_json(meeting, pool.level) for meeting in pool.meetings],
        "covariance": [[_round(value, None) for value in row] for row in pool.covariance],
        "likelihoods": [[_round(value, 6) for value in row] for row in pool.likelihoods()],
        "gaps": [_gap_json(pool, gap, order) for gap in pool.gaps],
    }


def _meeting_json(meeting: HeadToHead, level: float) -> dict[str, Any]:
    """Return the games of two bots."""
    elo, reach = meeting.find_elo(level)
    nelo = pair_statistics(meeting.pairs).nelo if any(meeting.pairs) else None
    return {
        **{key: _round(value, 6) for key, value in meeting._asdict().items()},
        "elo": _round(elo),
        "elo_plus_minus": _round(reach),
        "nelo": _round(nelo),
    }


def _gap_json(pool: Pool, gap: Gap, order: float | None) -> dict[str, Any]:
    """Return two neighbours, and how many pairs it takes to distinguish them."""
    more = pool.more_pairs(gap, order)
    return {
        "above": gap.above,
        "below": gap.below,
        # without an error one of the two has only a bound, and no rating to subtract
        "elo": None if gap.error is None else _round(gap.difference),
        "standard_error": _round(gap.error, 4),
        "more_pairs": more and more.of_all,
        "more_pairs_of_two": more and more.of_two,
        "close": more and more.close,
    }


def row_json(row: Row) -> dict[str, Any]:
    """Return the numbers of one bot, without its resources."""
    tally, used = row.tally, row.resources
    margin, massey, seat = row.margin, row.massey, row.seat
    return {
        "rank": row.rank,
        "rank_best": row.ranks.best,
        "rank_worst": row.ranks.worst,
        "los": _round(row.los, 6),
        "bot": row.bot,
        "elo": _round(row.elo) if tally.game_count else None,
        "plus_minus": _round(row.plus_minus),
        "bound": row.bound or None,
        "bound_tells": row.bound_tells if row.bound and not math.isnan(row.elo) else None,
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
        "mean_margin": _round(margin.mean if margin else None, 3),
        "mean_margin_plus_minus": _round(margin.plus_minus if margin else None, 3),
        "median_margin": _round(margin.median if margin else None, 1),
        "margin_first": _round(margin.first if margin else None, 3),
        "margin_second": _round(margin.second if margin else None, 3),
        "share_by_tie_break": _round(margin.tied if margin else None, 6),
        "massey": _round(massey.points if massey else None, 3),
        "massey_plus_minus": _round(massey.plus_minus if massey else None, 3),
        "seat_gain": _round(seat.mean if seat else None, 6),
        "seat_gain_plus_minus": _round(seat.plus_minus if seat else None, 6),
        "ms_per_move": _round(used.mean_ms, 3),
        "ms_slowest": _round(used.slowest / 1000, 3) if used.games else None,
        "faults": dict(sorted(used.faults.items())) if row.knows_use else None,
        # last, so that the columns of a CSV file keep their places
        "joint_plus_minus": _round(row.joint_plus_minus),
        "shrunk_los": _round(row.shrunk_los, 6),
        "opponents_elo": _round(row.opponents_elo),
    }


def _identity_json(row: Row, summary: "Summary") -> dict[str, Any]:
    """Return the identity of a bot: its content as stored, and the first 12 digits of its hash."""
    content = summary.contents.get(row.bot)
    digest = content and sha256(content.encode("utf-8", "surrogateescape")).hexdigest()
    return {"identity": digest and digest[:_IDENTITY_DIGITS], "content": content}


def resources_json(row: Row, summary: "Summary") -> dict[str, Any]:
    """Return what one bot used: times in milliseconds, sizes in bytes, null if unknown."""
    used = row.resources
    p50, p99 = used.times.at(0.5), used.times.at(0.99)
    return {
        "processes_started": used.starts,
        "ms_start": _round(mean(used.usage.start, used.starts), 3),
        "ms_p50": None if p50 is None else round(p50 / 1000, 3),
        "ms_p99": None if p99 is None else round(p99 / 1000, 3),
        "cpu_ms_per_move": _round(mean(used.cpu, used.times.count), 3),
        "ponder_cpu_ms_per_game": _round(mean(used.usage.pondering, used.games), 3),
        "peak_bytes": 1024 * used.usage.peak,
        "bytes_received": used.usage.received,
        "bytes_written": used.usage.written,
        "bytes_stderr": used.usage.stderr,
        "profiles": dict(sorted(summary.conditions.profiles.get(row.bot, {}).items())),
    }


def statistics_json(statistics: "BotStatistics | None") -> dict[str, Any] | None:
    """Return the statistics of one bot in terms of the game; None if it finished no game."""
    if statistics is None:
        return None
    expected = statistics.expectation
    return {
        "own": averages_json(statistics.own),
        "opponents": averages_json(statistics.opponents),
        "worst": {
            worst.key: {"game": worst.game, "value": _round(worst.value, 4)}
            for worst in statistics.worst
        },
        "lost_games_expected": expected
        and {
            "games": expected.games,
            "steps": [_round(step, 4) for step in expected.steps],
        },
    }


def averages_json(averages: "Averages") -> dict[str, Any]:
    """Return averages by their names."""
    numbers = averages._asdict()
    marks = [_round(paid, 4) for paid in averages.income_at_marks]
    return {key: _round(value, 4) for key, value in numbers.items()} | {"income_at_marks": marks}


def _round(value: Any, digits: int | None = 2) -> Any:
    """Round a float to `digits` digits, None if it is not finite; return other values unchanged."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return None
    return value if digits is None else round(value, digits)


def standings_csv(summary: "Summary") -> str:
    """Return one row per bot: its table, and the numbers of ``standings.json``.

    Resources are left out.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, pool in enumerate(summary.standings.pools, 1):
        for row in pool.rows:
            data = {"table": number, "level": pool.level, **row_json(row)}
            faults = data.pop("faults")
            data["faults"] = " ".join(f"{kind}:{n}" for kind, n in (faults or {}).items())
            data["identity"] = _identity_json(row, summary)["identity"]
            data |= member_json(summary.season.find(row.bot))
            if number == 1 and row is pool.rows[0]:
                writer.writerow(data)
            for key, value in data.items():
                if isinstance(value, str):
                    data[key] = spreadsheet_text(value)
            writer.writerow(data.values())
    return text.getvalue()


def spreadsheet_text(text: str) -> str:
    """Return a text for a cell of CSV that no spreadsheet takes for a formula."""
    plain = sanitize(text)
    # a leading quote makes it a text in every spreadsheet, whatever it begins with
    return f"'{plain}" if plain and plain[0] in _FORMULA else plain


def junit_xml(summary: "Summary") -> str:
    """Return a test case for each gate, and one for each bot, which fails if the bot had faults.

    If no game was valid, one more case fails. Bots that do not play any more cannot be fixed, so
    their cases are skipped.
    """
    no_result = summary.conditions.explain_no_result()
    cases = [Case("games", "valid games", no_result)] if no_result else []
    cases += [
        Case("gates", gate.text, None if gate.passed else gate.numbers) for gate in summary.gates
    ]
    for pool in summary.standings.pools:
        for row in pool.rows:
            faults = sorted(row.resources.faults.items())
            failure = ", ".join(f"{count} {kind}" for kind, count in faults) or None
            member = summary.season.find(row.bot)
            plays = member.status == "current"
            skipped = None if plays else f"{member.status}: plays no more"
            cases.append(Case("bots", row.bot, failure if plays else None, skipped))
    return junit_suite(summary.name, cases)


def junit_suite(name: str, cases: Sequence[Case]) -> str:
    """Return a document with one suite."""
    failures = sum(case.failure is not None for case in cases)
    skipped = sum(case.skipped is not None for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<testsuites>",
        f"<testsuite name={quote_xml(name)} {counts}>",
    ]
    for case in cases:
        start = f"<testcase classname={quote_xml(case.kind)} name={quote_xml(case.name)}"
        if case.seconds is not None:
            start += f' time="{case.seconds:.3f}"'
        if case.skipped is not None:
            lines.append(f"{start}><skipped message={quote_xml(case.skipped)}/></testcase>")
        elif case.failure is None:
            lines.append(f"{start}/>")
        else:
            # line by line, because the sanitizer treats the end of a line as a control character
            details = "\n".join(escape_xml(line) for line in case.details.split("\n"))
            failure = f"<failure message={quote_xml(case.failure)}"
            end = f">{details}</failure>" if details else "/>"
            lines.append(f"{start}>{failure}{end}</testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def escape_xml(text: str) -> str:
    """Make a text safe for XML, between tags or in an attribute."""
    # characters that XML 1.0 forbids, even as references, are not printable
    return escape("".join(mark if mark.isprintable() else "?" for mark in sanitize(text)))


def quote_xml(text: str) -> str:
    """Return a text as the value of an attribute, with its quotes."""
    return f'"{escape_xml(text)}"'


def benchmark_json(summary: "Summary") -> str:
    """Return the ratings for github-action-benchmark, which keeps a history; bigger is better.

    A series has the name of a bot, and continues with the version of it that plays.
    """
    rows: list[dict[str, Any]] = []
    # a series must not continue with values that are not a result
    says_nothing = summary.tuning or summary.conditions.explain_no_result()
    for pool in () if says_nothing else summary.standings.pools:
        for line in pool.rows:
            member = summary.season.find(line.bot)
            if line.bound or not math.isfinite(line.elo) or member.status != "current":
                continue  # a bound changes with the number of games, so it makes no series
            row = {"name": f"{member.name} Elo", "unit": "Elo", "value": round(line.elo, 2)}
            if line.plus_minus is not None:
                row["range"] = format_spread(line.plus_minus).strip()
            games = f"{line.tally.game_count} games of {summary.name}, {summary.game_hash}"
            version = f"{line.bot}: " if line.bot != member.name else ""
            row["extra"] = f"{version}{games}, ± at {percent(summary.level)} %"
            rows.append(row)
    return json.dumps(rows, indent=2) + "\n"
