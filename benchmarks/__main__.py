"""Run all benchmarks and print a table: ``python -m benchmarks``."""

from rich.console import Console
from rich.table import Table

from benchmarks import (
    ending,
    growth,
    ply,
    ratings,
    report,
    resume,
    rules,
    sandbox,
    simulation,
    slots,
    startup,
)

__all__ = ["PARTS"]

PARTS = (startup, rules, simulation, ply, slots, ending, sandbox, ratings, growth, resume, report)


def main() -> None:
    """Measure and print."""
    table = Table("measurement", "value", "target")
    for part in PARTS:
        for row in part.rows():
            table.add_row(*row)
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
