"""The reason why a Python bot ended, read from tracebacks that Python itself printed."""

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
def test_exception_and_line_are_read_from_a_traceback(program: str) -> None:
    """Covers causes, several lines, no message and omitted frames, all after other output."""
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
def test_text_without_a_complete_traceback_names_no_exception(text: str) -> None:
    """A traceback whose end was cut off names no exception either."""
    assert find_exception(text) is None


def test_exception_without_a_line_of_the_author_names_no_place() -> None:
    """A line of this package or of Python would blame the wrong file."""
    frames = f'  File "{subprocess.__file__}", line 7, in run\n    raise ValueError("no")\n'
    text = f"Traceback (most recent call last):\n{frames}ValueError: no\n"
    assert find_exception(text) == "ValueError: no"
