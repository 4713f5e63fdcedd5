"""Runs attacks, and prints the table of docs/security.md.

``python -m tests.hostile.table`` prints what the catalogue says must happen;
``python -m tests.hostile.table measured`` runs everything and prints what did.
"""

import json
import sys

from tests.hostile.catalogue import ROWS, Row
from tests.hostile.one import Outcome
from tests.program import run_module

__all__ = ["page_table", "run_one"]

SECONDS = 90


def run_one(name: str, layer: str) -> tuple[Outcome | None, str]:
    """Run one attack in a runner of its own; None for the outcome if the runner did not survive."""
    done = run_module("tests.hostile.one", name, layer, timeout=SECONDS)
    if done.returncode == -9:
        return None, ""
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    return Outcome(**said["outcome"]), said["profile"]


def page_table() -> str:
    """Return the catalogue as the table of the page."""
    heads = ("attack", "verdict", "reaches without a sandbox", "reaches as root's bot")
    lines = [f"| {' | '.join(heads)} | in a sandbox |", "|---|---|---|---|---|"]
    lines += [_line(row) for row in ROWS]
    return "\n".join(lines)


def _line(row: Row) -> str:
    verdicts = " or ".join(f"`{each}`" for each in row.verdicts)
    if row.bare_verdicts:
        verdicts += f" (bare: `{row.bare_verdicts[0]}`)"
    if row.bwrap_verdicts:
        verdicts += f" (bwrap: `{row.bwrap_verdicts[0]}`)"
    cells = [row.what, verdicts, *map(_reach, (row.bare, row.dropped, row.boxed))]
    return f"| {' | '.join(cells)} |"


def _reach(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"


def _measured() -> None:
    for row in ROWS:
        for layer in ("bare", "bwrap", "unshare"):
            outcome, profile = run_one(row.name, layer)
            print(row.name, profile or layer, outcome or "the runner was killed", sep=" | ")


if __name__ == "__main__":
    _measured() if sys.argv[1:] == ["measured"] else print(page_table())
