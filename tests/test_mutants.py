"""The configuration that `benchmarks.mutants` gives mutmut, and how it counts the results."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from benchmarks.mutants import (
    Score,
    copy_checkout,
    describe_config,
    draw_changes,
    find_tests,
    leave_applications,
    list_noticed_apart,
    make_environment,
    read_score,
)

ROOT = Path(__file__).parents[1]


def test_package_is_mutated_alone_and_tested_by_its_own_tests() -> None:
    """In mutmut's settings: patterns of files, and arguments of pytest."""
    settings = tomllib.loads(describe_config("rules"))["tool"]["mutmut"]
    assert settings["only_mutate"] == ["pwtourney/rules/*"]
    assert settings["pytest_add_cli_args_test_selection"] == ["tests/rules", "pwtourney/rules"]
    assert {"benchmarks", "configs", "bots", "README.md"} <= set(settings["also_copy"])
    assert {".git", ".venv", "tests", "pwtourney"}.isdisjoint(settings["also_copy"])
    assert settings["pytest_add_cli_args"][:2] == ["-m", "not serial and not slow"]
    slow = tomllib.loads(describe_config("rules", slow=True))["tool"]["mutmut"]
    assert slow["pytest_add_cli_args"][:2] == ["-m", "not serial"]
    assert find_tests("clock") == ["tests/test_clock.py", "pwtourney/clock.py"]
    assert find_tests("report/page") == ["tests/report", "pwtourney/report/page"]
    assert find_tests("clock", more=["tests/cli"])[-1] == "tests/cli"
    assert find_tests("report/page/charts") == ["tests/report", "pwtourney/report/page/charts.py"]
    with pytest.raises(FileNotFoundError, match="no package or module 'chess'"):
        describe_config("chess")


def test_score_is_the_share_of_detected_mutants(tmp_path: Path) -> None:
    """Killed, stuck or crashed: detected. Survived or not tested: not. Skipped: not counted."""
    counts = {"killed": 90, "timeout": 4, "segfault": 1, "survived": 3, "no_tests": 2}
    path = tmp_path / "stats.json"
    path.write_text(json.dumps(counts | {"suspicious": 0, "skipped": 7, "total": 107}))
    assert read_score(path) == Score(95, 100)
    assert str(Score(1234, 1300)) == "1,234 of 1,300 noticed (94.9 %)"
    assert str(Score(0, 0)) == "0 of 0 noticed (100.0 %)"


def test_drawn_changes_are_the_same_each_time() -> None:
    """Of mutmut's list, "name: state" a line; all of them if fewer are there than asked for."""
    listed = "".join(f"    pwtourney.clock.x_tell__mutmut_{n}: not checked\n" for n in range(50))
    drawn = draw_changes(listed, 10)
    assert len(set(drawn)) == 10
    assert {name.rpartition("_")[0] for name in drawn} == {"pwtourney.clock.x_tell__mutmut"}
    assert drawn == draw_changes(listed, 10)
    assert len(draw_changes(listed, 60)) == 50


def test_copy_has_the_files_that_git_knows(tmp_path: Path) -> None:
    """New files are copied; ignored and removed ones are not."""
    root, copy = tmp_path / "root", tmp_path / "copy"
    (root / "below").mkdir(parents=True)
    for name, text in {".gitignore": "made", "below/kept": "1", "made": "2", "gone": "3"}.items():
        (root / name).write_text(text)
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=root, check=True)
    (root / "below" / "kept").write_text("changed")
    (root / "new").write_text("4")
    (root / "gone").unlink()
    copy_checkout(copy, root)
    files = {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()}
    assert files == {".gitignore", "below/kept", "new"}
    assert (copy / "below" / "kept").read_text() == "changed"


def test_applications_of_the_arena_are_left_out(tmp_path: Path) -> None:
    """The method that a server calls gets the comment of mutmut's manual, and nothing else."""
    (tmp_path / "pwtourney").mkdir()
    path = tmp_path / "pwtourney" / "guard.py"
    path.write_text("    async def __call__(self, scope: Scope) -> None:\n    def go(self):\n")
    leave_applications(tmp_path)
    first, second = path.read_text().splitlines()
    assert first.endswith("-> None:  # pragma: no mutate block")
    assert second == "    def go(self):"


@pytest.mark.slow
def test_processes_of_a_copy_import_its_changed_package(tmp_path: Path) -> None:
    """Processes import it wherever they start; other packages are those of this environment."""
    package = tmp_path / "mutants/pwtourney"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    make_environment(tmp_path)
    program = "import numpy, pwtourney; print(pwtourney.__file__)"
    shown = subprocess.run(
        [tmp_path / ".venv/bin/python", "-c", program],
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert shown.stdout.strip() == str(package / "__init__.py")
    assert shown.stderr == ""


@pytest.mark.slow
def test_change_that_a_program_shows_is_noticed_apart(tmp_path: Path) -> None:
    """A test starts a program, which mutmut does not follow, and fails with one of two changes."""
    tests = tmp_path / "mutants"
    tests.mkdir()
    make_environment(tmp_path)
    (tests / "program.py").write_text(
        "import os\nprint(6 * (7 if os.environ['MUTANT_UNDER_TEST'] != 'x_six__mutmut_1' else 8))"
    )
    (tests / "test_program.py").write_text(
        "import subprocess, sys\n"
        "def test_it():\n"
        "    assert subprocess.check_output([sys.executable, 'program.py']) == b'42\\n'\n"
    )
    lines = ["x_six__mutmut_1: no tests", "x_six__mutmut_2: survived"]
    assert list_noticed_apart(tmp_path, lines, ["test_program.py"]) == lines[:1]
    (tests / "test_program.py").write_text("def test_it():\n    assert False\n")
    with pytest.raises(SystemExit, match="fail without a change"):
        list_noticed_apart(tmp_path, lines, ["test_program.py"])
