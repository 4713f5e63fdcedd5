"""The modules that a command imports, and the threads that it starts, before it does anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys
from pwtourney.cli.main import main
sys.argv = ["pwtourney", "rate", "--json", sys.argv[1]]
try:
    main()
finally:
    slow = sorted({"pydantic", "yaml", "sqlite3"} & set(sys.modules))
    print(len(os.listdir("/proc/self/task")), *slow, file=sys.stderr)
"""


def rate(folder: Path, **environment: str) -> list[str]:
    """Rate a table in a new process; return its number of threads and its slow modules."""
    table = folder / "games.csv"
    table.write_text("first,second,score\na,b,1\nb,a,1\na,b,0\nb,a,0\n")
    own = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(table)],
        check=True,
        capture_output=True,
        text=True,
        env=own | environment,
    )
    return done.stderr.split()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core has one thread anyway")
@pytest.mark.slow
def test_numpy_uses_one_thread_unless_the_user_sets_more(tmp_path: Path) -> None:
    """Idle threads of OpenBLAS would spin on cores that play games."""
    assert rate(tmp_path)[0] == "1"
    assert rate(tmp_path, OPENBLAS_NUM_THREADS="2")[0] == "2"


@pytest.mark.slow
def test_rating_a_table_imports_no_pydantic_yaml_or_sqlite3(
    tmp_path: Path,
) -> None:
    """Importing them would take more time than rating a small table."""
    assert rate(tmp_path)[1:] == []
