"""`python -m benchmarks`: which parts it runs, when it prints, and what it reports of the load."""

import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import __main__ as program
from benchmarks.load import LoadMeter, Moment, read_busy_seconds


class MadeUp(ModuleType):
    """A part that stores what was printed before each of its rows."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.printed: list[str] = []

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield two rows."""
        for number in (1, 2):
            written: Any = sys.stdout.buffer  # the test runner's, which is in memory
            self.printed.append(written.getvalue().decode())
            yield f"{self.__name__} {number}", f"{number} µs", "≤ 3"


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> dict[str, MadeUp]:
    """Return two parts that measure nothing and are the only ones."""
    fakes = {name: MadeUp(name) for name in ("alpha", "beta")}
    for name, part in fakes.items():
        monkeypatch.setitem(sys.modules, f"benchmarks.{name}", part)
    monkeypatch.setattr(program, "PARTS", {"alpha": "the first", "beta": "the second"})
    monkeypatch.setattr(program, "_LOOK_SECONDS", 0.0)
    return fakes


def test_only_named_parts_are_measured(parts: dict[str, MadeUp]) -> None:
    """Each once, in the given order; without a name all of them."""
    named = CliRunner().invoke(program.main, ["beta", "beta"]).stdout
    assert "beta 2" in named
    assert "alpha" not in named
    assert len(parts["beta"].printed) == 2
    everything = CliRunner().invoke(program.main, []).stdout
    assert everything.index("alpha 1") < everything.index("beta 2")


def test_each_row_is_printed_as_soon_as_it_is_known(parts: dict[str, MadeUp]) -> None:
    """When the second row is measured, the first one has been written."""
    CliRunner().invoke(program.main, ["alpha"])
    first, second = parts["alpha"].printed
    assert "alpha 1" not in first
    assert "alpha 1" in second
    assert "1 µs" in second


def test_unknown_part_is_one_error_with_a_suggestion() -> None:
    """Nothing is measured; the message lists the parts."""
    done = CliRunner().invoke(program.main, ["ply", "slot", "x-ray"])
    assert done.exit_code == 2
    assert "no part is called 'slot' (did you mean 'slots'?); no part is called 'x-ray'" in (
        " ".join(done.stderr.split())
    )
    assert ", ".join(program.PARTS) in " ".join(done.stderr.split())
    assert "measurement" not in done.stdout


def test_help_lists_every_part() -> None:
    """Each line has the part's description."""
    text = CliRunner().invoke(program.main, ["--help"]).stdout
    lines = text.split("Parts:\n")[1].splitlines()
    assert [tuple(line.split(maxsplit=1)) for line in lines] == list(program.PARTS.items())


def test_load_by_others_excludes_our_own_and_idle_time() -> None:
    """In 10 s, cores were busy for 15 s, of which 5 s were ours: others used one core."""
    moments = iter([Moment(100, 1000, 7), Moment(110, 1015, 12), Moment(120, 1015, 12)])
    meter = LoadMeter(lambda: next(moments))
    assert meter.lap() == 1.0
    assert meter.lap() == 0.0


def test_busy_time_is_parsed_from_proc_stat() -> None:
    """proc(5): user, nice, system, idle, iowait, irq, softirq, steal, guest, in ticks."""
    stat = "cpu  100 20 30 9000 800 4 5 6 50 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
    ticks = os.sysconf("SC_CLK_TCK")
    assert read_busy_seconds(stat) == (100 + 20 + 30 + 4 + 5 + 6) / ticks


def test_busy_machine_gives_a_warning(
    parts: dict[str, MadeUp], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is measured, and after each part during which others used a core."""
    laps = iter([0.0, 0.5 * (os.cpu_count() or 1), 0.0])
    monkeypatch.setattr(LoadMeter, "lap", lambda _: next(laps))
    done = CliRunner().invoke(program.main, [])
    assert done.stderr.count("too busy to measure") == 1
    assert "during alpha, others used" in done.stderr
