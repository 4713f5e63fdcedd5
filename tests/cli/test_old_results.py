"""Every command that reads results refuses results of another format version."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.store import ResultsFolder, Store
from tests.program import pwtourney
from tests.store.helpers import META


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a results folder in the previous format."""
    folder = tmp_path / "old"
    folder.mkdir()
    Store.create(ResultsFolder(folder).database, META).close()
    with closing(sqlite3.connect(ResultsFolder(folder).database)) as connection:
        connection.execute("UPDATE meta SET value = '4' WHERE key = 'format'")
        connection.commit()
    (tmp_path / "league.yaml").write_text("seed: 1\nbots: [random, greedy]\nresults: old\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ("run", "{0}/league.yaml"),
        ("run", "{0}/league.yaml", "--extend"),
        ("run", "{0}/league.yaml", "--dry-run"),
        ("report", "{0}/old"),
        ("serve", "{0}/old"),
        ("merge", "{0}/old", "{0}/old", "--out", "{0}/out"),
        ("rate", "{0}/old"),
        ("replay", "{0}/old:0.0"),
        ("rerun", "{0}/old:0.0", "--bot", "random"),
        ("analyse", "{0}/old:0.0", "--bot", "random"),
        ("verify", "{0}/old"),
    ],
    ids=" ".join,
)
def test_results_of_another_format_version_are_refused(old: Path, command: tuple[str, ...]) -> None:
    """One sentence names the format and the remedy, and the exit code is 3."""
    done = pwtourney(*(word.format(old.parent) for word in command), code=3)
    assert done.stderr.count("\n") == 1
    assert "games.sqlite: these results cannot be read: they are in format 4" in done.stderr
    assert "use the version that wrote them, or play again into another folder" in done.stderr
