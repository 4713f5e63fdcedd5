"""The report files in the results folder."""

from collections.abc import Iterator
from pathlib import Path

from pwtourney.report.machine import standings_json
from pwtourney.report.markdown import markdown
from pwtourney.report.summary import Summary
from pwtourney.store import ResultsFolder

__all__ = ["report_differences", "write_reports"]


def write_reports(summary: Summary, folder: ResultsFolder) -> list[Path]:
    """Write every report; return where they are."""
    return [folder.write(name, text) for name, text in _texts(summary).items()]


def report_differences(summary: Summary, folder: ResultsFolder) -> Iterator[str]:
    """Yield the reports in the folder that do not say what the store says."""
    for name, text in _texts(summary).items():
        path = folder.path / name
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
            yield f"{path} does not say what the stored games say; `pwtourney run` writes it anew"


def _texts(summary: Summary) -> dict[str, str]:
    return {"standings.json": standings_json(summary), "report.md": markdown(summary)}
