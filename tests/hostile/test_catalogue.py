"""Every attack of the catalogue under every layer.

The tests check the verdict, the opponent, leftover processes, files and memory.
"""

import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import Literal

import pytest

import pwtourney
from pwtourney.sandbox.backends import BACKENDS, Backend
from pwtourney.sandbox.cgroup import CgroupRoot
from tests.hostile.catalogue import HIDDEN, ROWS, WAKERS, Row
from tests.hostile.one import Outcome
from tests.hostile.table import page_tables, run_one
from tests.needs import need_program, need_sandbox, skip_for
from tests.thorough import thorough_but

SANDBOXES = BACKENDS
BY_CHANCE = (
    # depends on the machine's memory and speed, and on calls that its kernel may not have
    "page-cache",
    "/tmp",
    "/dev/shm",
    "io_uring",
    "vsock",
    "secret",
    "rulesets",
    "perf-rings",
    "read-shadow",  # its owner and group differ on some systems
)
"""Effects that are possible without a sandbox, but not certain on every machine."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are swept on Linux")

BARE_ALWAYS = {
    "allocates_3_gib",
    "answers_twice",
    "double_forked_daemon",
    "exits_mid_game",
    "kills_the_runner",
    "not_executable",
    "reads_and_writes_files",
    "sleeps_to_95_percent",
    "starves_its_opponent",
    "terminal_escapes",
    "uses_the_network",
}
"""Attacks that every test run tries without a sandbox; CI tries all of them."""


BOXED_RARELY = {
    "answers_before_it_is_asked",
    "answers_twice",
    "exits_at_once",
    "exits_mid_game",
    "flood_of_lines",
    "import_error",
    "missing_file",
    "not_executable",
    "syntax_error",
}
"""Failures that the sandbox does not change; CI alone tries them in it."""


def mark(row: Row, *, boxed: bool) -> list[pytest.MarkDecorator]:
    """Return the marks of an attack, in a sandbox or without."""
    is_alone = bool({*row.traits} & ({"timed"} if boxed else {"timed", "far"}))
    is_thorough = is_alone or row.name in BOXED_RARELY if boxed else row.name not in BARE_ALWAYS
    return [pytest.mark.serial] * is_alone + [pytest.mark.thorough] * is_thorough


CASES = [pytest.param(row, id=row.name, marks=mark(row, boxed=True)) for row in ROWS]
BARE_CASES = [pytest.param(row, id=row.name, marks=mark(row, boxed=False)) for row in ROWS]


@cache
def is_dropped() -> bool:
    """Return True if bots run as other users here.

    As root they must, otherwise the test is skipped.
    """
    if os.geteuid() != 0:
        return False
    need_program("setpriv")
    if run_one("honest", "bare")[1] == "none+user":
        return True
    return skip_for("as root these tests need a python3 below /usr that every user can read")


def list_possible(row: Row, *, dropped: bool) -> set[str]:
    """Return what an attack can reach without a sandbox.

    The package is left out if only root can read it.
    """
    if not dropped:
        return set(row.bare)
    ours = Path(pwtourney.__file__)
    can_enter = all(folder.stat().st_mode & stat.S_IXOTH for folder in ours.parents)
    is_open = can_enter and ours.stat().st_mode & stat.S_IROTH
    return set(row.dropped) - (set() if is_open else {"read-package"})


def check(row: Row, outcome: Outcome, verdicts: tuple[str, ...], may: tuple[str, ...]) -> None:
    """Compare an outcome with the expected one."""
    assert outcome.verdict in verdicts, outcome
    assert outcome.won == (outcome.verdict != "finished"), "the honest bot wins by the fault"
    assert set(outcome.reached) <= set(may), "it reached what it must not"
    assert outcome.leftovers == [0, 0, 0]
    assert outcome.changed == []
    assert outcome.growth < 10
    if "late" in row.traits:
        assert outcome.late_ms is not None
        assert outcome.late_ms > -5


def check_deadline(row: Row, layer: str, outcome: Outcome) -> None:
    """Measure again, at most twice, if a deadline was missed, because the machine may be busy."""
    late = outcome.late_ms
    for _ in range(2):
        if "late" in row.traits and late is not None and late >= 50:
            again, _ = run_one(row.name, layer)
            late = again.late_ms if again else late
    assert "late" not in row.traits or (late is not None and late < 50)


@pytest.mark.parametrize("row", BARE_CASES)
@pytest.mark.slow
def test_attack_without_a_sandbox_has_the_expected_outcome(row: Row) -> None:
    """It gets its verdict, and reaches exactly what the table lists for no sandbox."""
    dropped = is_dropped()
    if row.name == "kills_the_runner" and not dropped:
        assert run_one(row.name, "bare")[0] is None, "the runner of the same user is gone"
        return
    outcome, _ = run_one(row.name, "bare")
    assert outcome is not None
    if row.name == "kills_the_opponent" and not dropped:
        assert (outcome.verdict, outcome.reached) == ("crash", ["kill-opponent"])
        return
    if row.name == "writes_for_its_opponent" and not dropped:
        assert (outcome.verdict, outcome.reached) == ("protocol", ["output-opponent"])
        return
    may = list_possible(row, dropped=dropped)
    check(row, outcome, row.bare_verdicts or row.verdicts, tuple(may))
    assert may.difference(BY_CHANCE) <= set(outcome.reached), "what is possible has happened"
    check_deadline(row, "bare", outcome)


@pytest.mark.parametrize("sandbox", thorough_but(["bwrap"], SANDBOXES))
@pytest.mark.parametrize("row", CASES)
@pytest.mark.slow
def test_attack_in_a_sandbox_is_contained(row: Row, sandbox: Backend) -> None:
    """It gets its verdict and reaches nothing, in both sandboxes."""
    need_sandbox(sandbox)
    outcome, profile = run_one(row.name, sandbox)
    assert outcome is not None
    seccomp = "seccomp" in profile
    open_without = ("affinity", "flock", "io_uring", "posix-locks", "vsock", *HIDDEN, *WAKERS)
    check(row, outcome, row.verdicts, row.boxed if seccomp else (*row.boxed, *open_without))
    check_deadline(row, sandbox, outcome)


@pytest.mark.serial
@pytest.mark.thorough
@pytest.mark.parametrize("layer", thorough_but(["bwrap"], ["bare", *SANDBOXES]))
@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.name) for row in ROWS if "grouped" in row.traits]
)
def test_attack_in_a_control_group_has_the_expected_outcome(
    row: Row, layer: Backend | Literal["bare"]
) -> None:
    """The same holds with exact accounting and the freezer, if the system offers them."""
    if layer != "bare":
        need_sandbox(layer)
    groups = CgroupRoot.open()
    if groups is None:
        pytest.skip("no control group is ours to make groups in")
    groups.close()
    outcome, profile = run_one(row.name, f"{layer}+cgroup")
    assert outcome is not None
    assert "cgroup" in profile
    bare = layer == "bare"
    verdicts = row.bare_verdicts if bare and row.bare_verdicts else row.verdicts
    check(row, outcome, verdicts, (*row.bare, *row.dropped) if bare else row.boxed)


def test_exactly_reachable_attacks_have_a_rate() -> None:
    """The table says how much of each can be reached."""
    for row in ROWS:
        assert bool(row.rate) == bool(row.bare or row.dropped or row.boxed), row.name


def test_docs_tables_match_the_catalogue() -> None:
    """README.md shows every row with the outcomes that the tests expect."""
    page = Path(__file__).with_name("README.md").read_text()
    assert [table for table in page_tables() if table not in page] == []
