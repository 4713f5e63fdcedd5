"""The report files of a results folder."""

import filecmp
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pwtourney.report.ci import badges, benchmark_json, junit_xml
from pwtourney.report.game_index import GameIndex
from pwtourney.report.machine import standings_json
from pwtourney.report.markdown import markdown
from pwtourney.report.page import page
from pwtourney.report.summary import Summary, summarise
from pwtourney.report.tabular import game_line, standings_csv
from pwtourney.report.writing import whole_file, write_whole
from pwtourney.store import ResultsFolder, Store

__all__ = ["publish", "report_differences"]


def publish(store: Store, folder: Path) -> Summary:
    """Write every report into a folder, each whole or not at all; the games are read once."""
    index = GameIndex()
    with whole_file(folder / "games.jsonl") as lines:
        summary = summarise(
            store, index.add, lambda record, result: print(game_line(record, result), file=lines)
        )
    texts = {
        "standings.json": standings_json(summary),
        "standings.csv": standings_csv(summary),
        "report.md": markdown(summary),
        "report.html": page(summary, index, store.meta(), store.edition()),
        "junit.xml": junit_xml(summary),
        "benchmark.json": benchmark_json(summary),
        **{f"badges/{name}": text for name, text in badges(summary).items()},
    }
    for name, text in texts.items():
        write_whole(folder / name, text)
    return summary


def report_differences(store: Store, folder: ResultsFolder) -> Iterator[str]:
    """Yield the reports in the folder that do not say what the store says."""
    with tempfile.TemporaryDirectory() as place:
        publish(store, Path(place))
        for path in sorted(Path(place).rglob("*")):
            there = folder.path / path.relative_to(place)
            if path.is_file() and there.exists() and not filecmp.cmp(path, there, shallow=False):
                yield f"{there} differs from the stored games; `run` writes it again"
