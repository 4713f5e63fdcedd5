"""Why a Python bot ended: tracebacks that Python itself printed, and what is none."""

import re
import subprocess
import sys

import pytest

from pwtourney.process.crash import find_exception

PROGRAMS = {
    "try: 1 / 0\nexcept Exception as e: raise KeyError('k') from e": ("KeyError: 'k'", 3),
    "raise SystemError('several\\n  lines')": ("SystemError: several", 2),
    "class Bad(Exception): pass\nraise Bad": ("Bad", 3),
    "def f(): f()\nf()": ("RecursionError: maximum recursion depth exceeded", 2),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_python_prints_is_read(program: str) -> None:
    """A cause, several lines, no message, and frames that are left out, after other output."""
    noisy = f"import sys; print('thinking', file=sys.stderr)\n{program}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", noisy], capture_output=True, text=True, timeout=60, check=False
    )
    what, line = PROGRAMS[program]
    found = re.fullmatch(
        r"(?:__main__\.)?(.*) \(<string>, line (\d+)\)", str(find_exception(done.stderr))
    )
    assert found is not None
    assert (found[1], int(found[2])) == (what, line)


@pytest.mark.parametrize(
    "text", ["", "bye\n", "Traceback (most recent call last):\n", "  + Exception Group Traceback"]
)
def test_where_there_is_no_traceback_nothing_is_named(text: str) -> None:
    """Nor where its end was cut off."""
    assert find_exception(text) is None
