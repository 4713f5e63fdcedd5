"""Run all benchmarks and print a table: ``python -m benchmarks``."""

from rich.console import Console
from rich.table import Table

from benchmarks import ply, ratings, report, resume, rules, sandbox, startup

__all__: list[str] = []


def main() -> None:
    """Measure and print."""
    table = Table("measurement", "value", "target")
    for part in (startup, rules, ply, sandbox, ratings, resume, report):
        for row in part.rows():
            table.add_row(*row)
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
