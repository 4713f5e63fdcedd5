"""The report files of a results folder; each is written atomically."""

import filecmp
import gc
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import TextIO

from pwtourney.errors import StoreError
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report.collectors import GameIndex
from pwtourney.report.figures import WORD_HEADINGS
from pwtourney.report.page.page import load_templates, page
from pwtourney.report.page.replays import USUAL, Replays
from pwtourney.report.summary import Summary, summarise_with_statistics
from pwtourney.report.text.badges import draw_badges
from pwtourney.report.text.machine import (
    benchmark_json,
    junit_xml,
    standings_csv,
    standings_json,
)
from pwtourney.report.text.rows import (
    RESOURCE_HEADINGS,
    describe_columns,
    footnotes,
    format_row,
    resource_rows,
)
from pwtourney.report.tuned_values import tuned_yaml
from pwtourney.sanitize import sanitize
from pwtourney.store import ResultsFolder, Store
from pwtourney.tables.game_table import game_line

__all__ = [
    "MOST_SUMMARY",
    "Preload",
    "escape_markdown",
    "markdown",
    "publish",
    "report_differences",
    "step_summary",
    "whole_file",
    "write_whole",
]

MOST_SUMMARY = 512 * 1024
"""The most bytes that are appended to a job's summary; GitHub takes 1 MiB of each step."""

_CUT = "\n\n*Cut here: the whole report is too long for this place.*\n"
_SPECIAL = r"\`*_[]<>!@|#~&"


def publish(store: Store, folder: Path, level: float = LEVEL, replays: Replays = USUAL) -> Summary:
    """Write every report into a folder, each atomically; the games are read once.

    `replays` are the games that the page can replay.
    """
    with _no_collections():
        summary, texts = _write_texts(store, folder, level, replays)
    for name, text in texts.items():
        write_whole(folder / name, text)
    return summary


@contextmanager
def _no_collections() -> Iterator[None]:
    """Pause the collector of garbage: games are many objects without cycles, which it would scan.

    It takes a sixth of the time of a report of 1,800 games.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _write_texts(
    store: Store, folder: Path, level: float, replays: Replays
) -> tuple[Summary, dict[str, str]]:
    """Write the games into a folder, and return the summary and the texts of the other files."""
    index, format_name = GameIndex(replays.newest), store.meta().schedule.format
    with whole_file(folder / "games.jsonl") as lines:
        summary = summarise_with_statistics(
            store,
            index.add,
            lambda record, result: print(game_line(record, result, format_name), file=lines),
            level=level,
        )
    texts = {
        "standings.json": standings_json(summary),
        "standings.csv": standings_csv(summary),
        "report.md": markdown(summary),
        "report.html": page(summary, index, store.meta(), store.edition(), replays),
        "junit.xml": junit_xml(summary),
        "benchmark.json": benchmark_json(summary),
        **{f"badges/{name}": text for name, text in draw_badges(summary).items()},
    }
    if summary.tuning:
        texts["tuned.yaml"] = tuned_yaml(summary.tuning)
    return summary, texts


def report_differences(store: Store, folder: ResultsFolder) -> Iterator[str]:
    """Yield the reports in the folder that differ from the store."""
    with tempfile.TemporaryDirectory() as scratch:
        publish(store, Path(scratch))
        for path in sorted(Path(scratch).rglob("*")):
            report = folder.path / path.relative_to(scratch)
            # not shallow: files of one size and time may differ, and an editor can set both
            if path.is_file() and report.exists() and not filecmp.cmp(path, report, shallow=False):
                yield f"{report} differs from the stored games; `run` writes it again"


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a file for writing that replaces the target when complete; raises `StoreError`.

    Several processes may write at once: the last one to finish wins.
    """
    # next to the file, because a rename is atomic only within a file system; with a random name,
    # because another writer has a draft, too; and with open(), which gives it the usual mode
    draft = path.with_name(f".{token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot write: {error.strerror or error}") from error
    finally:
        with suppress(OSError):  # it does not exist any more if all went well
            draft.unlink()


def write_whole(path: Path, text: str) -> None:
    """Write a text file atomically; raises `StoreError`."""
    with whole_file(path) as file:
        file.write(text)


def markdown(summary: Summary, *, all_tables: bool = False) -> str:
    """Return a Markdown page with the tables and their notes; of many tables, only the largest."""
    shown = summary if all_tables else summary.hide_small_pools()
    lines = [f"# {escape_markdown(summary.name)}", ""]
    table = summary.table
    if table:
        rows = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
        lines += [f"## {escape_markdown(table.title)}", ""]
        lines += [*_markdown_table(table.headings, rows, table.words), ""]
        lines += [*(f"- {escape_markdown(note)}" for note in table.notes), ""]
    # a tuned bot has no rating
    pools = () if summary.tuning else shown.standings.pools
    for number, pool in enumerate(pools, 1):
        if len(pools) > 1:
            lines += [f"## Table {number}", ""]
        rows = [format_row(line, pool.level, summary.season) for line in pool.rows]
        lines += [*_markdown_table([*describe_columns(pool.level)], rows), ""]
    lines += [f"- {escape_markdown(note)}" for note in footnotes(shown)]
    if summary.gates:
        gates = (f"- {escape_markdown(str(gate))}" for gate in summary.gates)
        lines += ["", "## Gates", "", *gates]
    lines += ["", "## Resources", ""]
    lines += _markdown_table(RESOURCE_HEADINGS, resource_rows(summary))
    return "\n".join(lines) + "\n"


def step_summary(summary: Summary) -> str:
    """Return the report for a job's summary page, truncated if it is too long."""
    text = markdown(summary).encode()
    if len(text) <= MOST_SUMMARY:
        return text.decode()
    kept = text[: MOST_SUMMARY - len(_CUT.encode())]
    # at the end of a line: neither a character nor a row of a table is cut in two
    return kept[: kept.rfind(b"\n")].decode() + _CUT


def escape_markdown(text: str) -> str:
    """Make a text safe in Markdown: special characters escaped, one line, no control codes."""
    return "".join(f"\\{mark}" if mark in _SPECIAL else mark for mark in sanitize(text))


def _markdown_table(
    headings: Sequence[str], rows: Sequence[Mapping[str, str]], words: Sequence[str] = ()
) -> list[str]:
    to_the_left = (*WORD_HEADINGS, *words)
    aligned = (" :-- " if heading in to_the_left else " --: " for heading in headings)
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join(aligned) + "|"]
    cells = ([escape_markdown(row[heading]) for heading in headings] for row in rows)
    return lines + ["| " + " | ".join(row) + " |" for row in cells]


class Preload:
    """Loads what reports need in a thread, while games are still being played.

    Do not use it in a process that forks: the child might wait for the thread forever.
    """

    def __init__(self) -> None:
        # not with a low priority: while such a thread holds the interpreter's lock, the runner
        # waits
        self._thread = threading.Thread(target=load_templates, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until everything is loaded."""
        self._thread.join()
