"""The report files in the results folder."""

from pathlib import Path

from pwtourney.report.machine import standings_json
from pwtourney.report.markdown import markdown
from pwtourney.report.summary import Summary
from pwtourney.store import ResultsFolder

__all__ = ["write_reports"]


def write_reports(summary: Summary, folder: ResultsFolder) -> list[Path]:
    """Write every report; return where they are."""
    return [
        folder.write("standings.json", standings_json(summary)),
        folder.write("report.md", markdown(summary)),
    ]
