"""`make test` and `make quick`: every part runs, and a summary at the end has all results."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SUITE = Path(__file__).parents[1] / ".ci" / "suite"
PASSES = "def test_passes(): pass\n"
FAILS = "def test_fails(): assert 0\n"
SERIAL = "import pytest\npytestmark = pytest.mark.serial\n"
SKIPPED = "import pytest\ndef test_skipped(): pytest.skip('why')\n"
BROKEN_END = """
import pytest
@pytest.fixture
def broken():
    yield
    assert 0
def test_fails_twice(broken): assert 0
"""
AGAIN = """
import pathlib, pytest
@pytest.mark.flaky(reruns=1)
def test_passes_again():
    first = pathlib.Path('first')
    if not first.exists():
        first.touch()
        assert 0
@pytest.mark.flaky(reruns=1)
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("word", ["a@b"])
def test_fails_again(word): assert 0
"""
WAITS = """
import pathlib, time
def test_waits():
    pathlib.Path('waits').touch()
    time.sleep(60)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project whose environment has pytest, and linters that find nothing."""
    programs = tmp_path / "venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    for name in ("ruff", "mypy"):
        provide(tmp_path, name, "exit 0")
    # loading unused plugins would take half of the time
    pytest = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {shlex.quote(sys.executable)} -m pytest"
    plugins = "-p xdist -p pytest_rerunfailures"
    provide(tmp_path, "pytest", f'exec env {pytest} {plugins} "$@"')
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n serial: alone\n slow: slow\n")
    return tmp_path


def provide(project: Path, name: str, line: str) -> None:
    """Write a program of the environment: a shell script of one line."""
    program = project / "venv" / "bin" / name
    program.write_text(f"#!/bin/sh\n{line}\n")
    program.chmod(0o755)


@contextmanager
def starting(project: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Start the suite of a project."""
    with subprocess.Popen(
        [project / "venv" / "bin" / "python", SUITE, *words],
        cwd=project,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as suite:
        yield suite


def run(project: Path, kind: str, *, jobs: int = 0, **tests: str) -> tuple[int, list[str], str]:
    """Run these tests; return the exit code, the lines of the summary, and all that was printed."""
    for name, code in tests.items():
        (project / f"test_{name}.py").write_text(code)
    with starting(project, kind, str(jobs)) as suite:
        printed, _ = suite.communicate(timeout=120)
    last = re.findall(r"(?ms)^\d+ passed, \d+ skipped, \d+ failed in .*", printed)
    return suite.returncode, last[0].splitlines(), printed


@pytest.mark.slow
def test_every_part_runs_whatever_failed_before(project: Path) -> None:
    """Linters, type checker and both halves fail; the summary has all of them, each test once."""
    for name in ("ruff", "mypy"):
        provide(project, name, f"echo {name} finds faults; exit 1")
    code, lines, printed = run(
        project, "test", a=PASSES + FAILS + SKIPPED, b=SERIAL + FAILS + BROKEN_END
    )
    assert code == 1
    times = r"in \d+ s: parallel \d+ s \(CPU \d+ s\), serial \d+ s \(CPU \d+ s\)"
    assert re.fullmatch(rf"1 passed, 1 skipped, 3 failed {times}", lines[0])
    names = ["test_a.py::test_fails", "test_b.py::test_fails", "test_b.py::test_fails_twice"]
    failed = ["ruff check .", "ruff format --check .", "mypy", *names]
    assert lines[1:] == [f"FAILED {name}" for name in failed]
    assert "mypy finds faults" in printed
    assert re.search(r"(?m)^=+ 1 failed, 1 passed, 1 skipped, .* in ", printed), "as ever"


@pytest.mark.slow
def test_what_passes_only_when_run_again_is_named(project: Path) -> None:
    """A test that fails both times counts as failed once."""
    code, lines, _ = run(project, "test", jobs=1, a=AGAIN)
    assert (code, lines[0][:29]) == (1, "1 passed, 0 skipped, 1 failed")
    assert lines[1:] == [
        "PASSED ONLY AT THE SECOND RUN test_a.py::test_passes_again",
        "FAILED test_a.py::test_fails_again[a@b]",
    ]


@pytest.mark.slow
def test_half_without_tests_is_not_a_failure(project: Path) -> None:
    """As with TESTS="-k clock"; the exit code is 0."""
    code, lines, printed = run(project, "test", a=SERIAL + PASSES)
    assert (code, len(lines)) == (0, 1), printed
    assert lines[0].startswith("1 passed, 0 skipped, 0 failed in ")


@pytest.mark.slow
def test_run_without_any_test_is_a_failure(project: Path) -> None:
    """A wrong -k must not look like success; `make quick` skips slow and serial tests."""
    code, lines, _ = run(project, "quick", a=SERIAL + PASSES)
    assert (code, lines[1:]) == (1, ["FAILED no test ran"])
    assert "serial" not in lines[0]


@pytest.mark.slow
def test_half_that_ends_without_a_report_is_a_failure(project: Path) -> None:
    """Its exit code is reported, and the other half runs."""
    ends = "import os\ndef test_ends(): os._exit(9)\n"
    code, lines, printed = run(project, "test", a=PASSES, b=SERIAL + ends)
    assert code == 1, printed
    assert lines[0].startswith("1 passed, 0 skipped, 0 failed in ")
    assert lines[1:] == ["FAILED serial: pytest ended with exit code 9"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_ends_the_running_part_and_starts_no_other(
    number: signal.Signals, code: int, project: Path
) -> None:
    """Ctrl-C goes to all processes of a terminal; SIGTERM goes to the suite alone."""
    (project / "test_a.py").write_text(SERIAL + WAITS)
    (project / "test_b.py").write_text(PASSES)
    with starting(project, "test", "0", "-s") as suite:
        end = time.monotonic() + 60
        while not (project / "waits").exists() and time.monotonic() < end:
            time.sleep(0.01)
        send = os.killpg if number == signal.SIGINT else os.kill
        send(suite.pid, number)
        printed, _ = suite.communicate(timeout=50)
    assert suite.returncode == code, printed
