"""Runs attacks, and prints the table of docs/security.md.

``python -m tests.hostile.table`` prints the expected outcomes of the catalogue; ``python -m
tests.hostile.table measured`` runs all attacks and prints the real ones.
"""

import json
import sys

from tests.hostile.catalogue import ROWS, Row
from tests.hostile.one import Outcome
from tests.program import run_module

__all__ = ["page_table", "run_one"]

SECONDS = 90


def run_one(name: str, layer: str) -> tuple[Outcome | None, str]:
    """Run one attack in a separate runner; the outcome is None if the runner was killed."""
    done = run_module("tests.hostile.one", name, layer, timeout=SECONDS)
    if done.returncode == -9:
        return None, ""
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    return Outcome(**said["outcome"]), said["profile"]


def page_table() -> str:
    """Return the catalogue as the table of the docs page."""
    modes = ("none, ordinary user", "none, root", "bubblewrap", "namespaces")
    heads = ("attack", *modes, "how much")
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join((*lines, *map(_line, ROWS)))


def _line(row: Row) -> str:
    bare = row.bare_verdicts or row.verdicts
    modes = (
        (bare, row.bare),
        (bare, row.dropped),
        (row.verdicts, row.boxed),
        (row.verdicts, row.boxed),
    )
    cells = (row.what, *(_describe(*mode) for mode in modes), row.rate)
    return f"| {' | '.join(cells)} |"


def _describe(verdicts: tuple[str, ...], reach: tuple[str, ...]) -> str:
    if reach:
        return f"possible: {', '.join(reach)}"
    seen = " or ".join(f"`{verdict}`" for verdict in verdicts if verdict != "finished")
    contained = ["contained"] if "finished" in verdicts else []
    return ", or ".join((*contained, *([f"seen: {seen}"] if seen else [])))


def _measured() -> None:
    for row in ROWS:
        for layer in ("bare", "bwrap", "unshare"):
            outcome, profile = run_one(row.name, layer)
            print(row.name, profile or layer, outcome or "the runner was killed", sep=" | ")


if __name__ == "__main__":
    _measured() if sys.argv[1:] == ["measured"] else print(page_table())
