"""Runs attacks, and prints the tables of README.md.

``python -m tests.hostile.table`` prints the expected outcomes of the catalogue; ``python -m
tests.hostile.table measured`` runs all attacks and prints the real ones.
"""

import json
import sys
from collections.abc import Iterable, Sequence

from tests.hostile.catalogue import ROWS, Row
from tests.hostile.one import Outcome
from tests.program import run_module

__all__ = ["page_tables", "run_one"]

SECONDS = 90


def run_one(name: str, layer: str) -> tuple[Outcome | None, str]:
    """Run one attack in a separate runner; the outcome is None if the runner was killed."""
    done = run_module("tests.hostile.one", name, layer, timeout=SECONDS)
    if done.returncode == -9:
        return None, ""
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    return Outcome(**said["outcome"]), said["profile"]


def page_tables() -> tuple[str, str]:
    """Return the tables of README.md: attacks with one outcome everywhere, and the others."""
    outcomes = {row: _describe_outcomes(row) for row in ROWS}
    uniform = {row for row, results in outcomes.items() if len(set(results)) == 1 and not row.rate}
    same = [(row.what, outcomes[row][0]) for row in ROWS if row in uniform]
    other = [(row.what, *outcomes[row], row.rate) for row in ROWS if row not in uniform]
    modes = ("no sandbox, ordinary user", "no sandbox, root", "in a sandbox")
    return (
        _format_table(("attack", "everywhere"), same),
        _format_table(("attack", *modes, "how much"), other),
    )


def _format_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join((lines[0], "|" + "---|" * len(heads), *lines[1:]))


def _describe_outcomes(row: Row) -> tuple[str, str, str]:
    """Return the outcomes without a sandbox, as a user and as root, and in either sandbox."""
    bare = row.bare_verdicts or row.verdicts
    modes = (bare, row.bare), (bare, row.dropped), (row.verdicts, row.boxed)
    user, root, boxed = (_describe(*mode) for mode in modes)
    return user, root, boxed


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
    _measured() if sys.argv[1:] == ["measured"] else print(*page_tables(), sep="\n\n")
