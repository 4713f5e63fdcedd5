"""What CI systems read: JUnit's XML, series of benchmarks, badges, and a bounded summary."""

import json
import math
import re
from html import escape

from pwtourney.report.junit import Case, junit_suite, xml_attribute, xml_text
from pwtourney.report.markdown import markdown
from pwtourney.report.summary import Summary
from pwtourney.standings import Line

__all__ = ["MOST_SUMMARY", "badge_name", "badges", "benchmark_json", "junit_xml", "step_summary"]

MOST_SUMMARY = 512 * 1024
"""The most that is appended to a job's summary, in bytes; GitHub takes 1 MiB of each step."""

_UNUSUAL = re.compile(r"[^a-z0-9._@-]", re.ASCII)
_CUT = "\n\n*Cut here: the whole report is too long for this place.*\n"


def junit_xml(summary: Summary) -> str:
    """Return a test case for each gate, and one for each bot, which fails if the bot had faults."""
    cases = [
        Case("gates", gate.text, None if gate.passed else gate.numbers) for gate in summary.gates
    ]
    for pool in summary.standings.pools:
        for line in pool.lines:
            failed = line.resources.faults
            told = ", ".join(f"{count} {kind}" for kind, count in sorted(failed.items()))
            cases.append(Case("bots", line.bot, told or None))
    return junit_suite(summary.name, cases)


def benchmark_json(summary: Summary) -> str:
    """Return what github-action-benchmark keeps a history of: ratings, where bigger is better."""
    rows = [
        {
            "name": f"{line.bot} Elo",
            "unit": "Elo",
            "value": round(line.elo, 2),
            "range": None if line.plus_minus is None else f"± {line.plus_minus:.0f}",
            "extra": f"{line.tally.game_count} games of {summary.name}, {summary.game_hash}",
        }
        for pool in summary.standings.pools
        for line in pool.lines
        if not line.bound and math.isfinite(line.elo)
    ]
    plain = [{key: value for key, value in row.items() if value is not None} for row in rows]
    return json.dumps(plain, indent=2) + "\n"


def badges(summary: Summary) -> dict[str, str]:
    """Return the files of all badges: for each bot a ``.json`` for shields.io and an ``.svg``."""
    found = {}
    for pool in summary.standings.pools:
        for line in pool.lines:
            name, text = badge_name(line.bot), _rating(line)
            endpoint = {
                "schemaVersion": 1,
                "label": line.bot,
                "message": text,
                "color": "blue" if line.rank > 1 else "brightgreen",
            }
            found[f"{name}.json"] = json.dumps(endpoint) + "\n"
            found[f"{name}.svg"] = _svg(line.bot, text, "#2a6fb0" if line.rank > 1 else "#3a8a2e")
    return found


def badge_name(bot: str) -> str:
    """Return a file name for a bot: a later version's ``#`` would end an address.

    Ids of ours hold nothing else that would do harm in one; what stands in a store is not trusted.
    """
    return _UNUSUAL.sub("_", bot.replace("#", "@")).lstrip(".")[:64] or "_"


def step_summary(summary: Summary) -> str:
    """Return the report for a job's summary page, cut where it would be too long."""
    text = markdown(summary).encode()
    if len(text) <= MOST_SUMMARY:
        return text.decode()
    kept = text[: MOST_SUMMARY - len(_CUT.encode())]
    return kept[: kept.rfind(b"\n")].decode() + _CUT


def _rating(line: Line) -> str:
    if math.isnan(line.elo):
        return "no rating"
    spread = "" if line.plus_minus is None else f" ± {line.plus_minus:.0f}"
    return f"{line.bound} {line.elo:+.0f}{spread} Elo".strip()


def _svg(label: str, text: str, colour: str) -> str:
    """Draw a badge: the label on grey, the rating on a colour."""
    left, right = 12 + 7 * len(label), 12 + 7 * len(text)
    whole = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img"'
        f" aria-label={xml_attribute(f'{label}: {text}')}>"
        f'<rect width="{whole}" height="20" rx="3" fill="{colour}"/>'
        f'<rect width="{left}" height="20" rx="3" fill="#4a4a4a"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
        f' text-anchor="middle"><text x="{left / 2:g}" y="14">{escape(xml_text(label))}</text>'
        f'<text x="{left + right / 2:g}" y="14">{escape(xml_text(text))}</text></g></svg>\n'
    )
