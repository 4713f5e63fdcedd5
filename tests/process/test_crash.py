"""The reason why a Python bot ended, read from tracebacks that Python itself printed."""

import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from pwtourney.process.crash import find_exception, find_reason

PROGRAMS = {
    "try: 1 / 0\nexcept Exception as e: raise KeyError('k') from e": ("KeyError: 'k'", 3),
    "raise SystemError('several\\n  lines')": ("SystemError: several", 2),
    "class Bad(Exception): pass\nraise Bad": ("Bad", 3),
    "def f(): f()\nf()": ("RecursionError: maximum recursion depth exceeded", 2),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_exception_and_line_are_read_from_a_traceback(program: str) -> None:
    """Some tracebacks have causes, several lines, no message or omitted frames."""
    noisy = f"import sys; print('thinking', file=sys.stderr)\n{program}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", noisy], capture_output=True, text=True, timeout=60, check=False
    )
    what, line = PROGRAMS[program]
    match = re.fullmatch(
        r"(?:__main__\.)?(.*) \(<string>, line (\d+)\)", str(find_exception(done.stderr))
    )
    assert match is not None
    assert (match[1], int(match[2])) == (what, line)


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


REASONS = {
    "sh": (["sh", "-c", "magpie"], r"magpie.*not found"),
    "perl": (["perl", "-e", "use Magpie;"], r"Can't locate Magpie\.pm"),
    "perl dies": (["perl", "-e", "die 'no nest'"], r"no nest at -e line 1\."),
    "node": (["node", "-e", "magpie()"], r"ReferenceError: magpie is not defined"),
    "node module": (["node", "-e", "require('magpie')"], r"Error: Cannot find module 'magpie'"),
    "awk": (["awk", "BEGIN { print ( }"], r"line 1"),
    "java": (["java", "-cp", "/nowhere", "Magpie"], r"(Caused by|Error): .*Magpie"),
}
"""Programs that end with a mistake, and what their interpreters say of it."""


@pytest.mark.parametrize("program", REASONS)
def test_reason_of_a_program_in_another_language_is_its_own_words(
    program: str, needs: Callable[[str], None]
) -> None:
    """Real interpreters say it, among notes of the bot and the calls that led there."""
    words, expected = REASONS[program]
    needs(words[0])
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert re.search(expected, find_reason(f"depth 3\n{done.stderr}") or ""), done.stderr


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("", None),
        ("depth 5\nbest line: advance\n", None),
        (
            "thread 'main' panicked at src/main.rs:3:5:\nindex out of bounds: 9\nnote: run with\n",
            "thread 'main' panicked at src/main.rs:3:5: index out of bounds: 9",
        ),
        (
            "Exception: a\n\tat M.main(M)\nCaused by: java.io.IOException: b\n\t... 1 more\n",
            "Caused by: java.io.IOException: b",
        ),
        ("Unhandled exception. System.Exception: no nest\n   at Bot.Main()\n", "Unhandled"),
        ("Traceback (most recent call last):\n  File 'x'\nValueError: survived\n", None),
        ("error: \x1b[31mred\x1b[0m", "error: "),
    ],
)
def test_reason_is_the_last_line_that_names_one(stderr: str, expected: str | None) -> None:
    """Rust, Java and .NET print such texts; control characters of a bot are shown as such."""
    reason = find_reason(stderr)
    assert reason == expected or (expected and reason and reason.startswith(expected))
    assert reason is None or reason.isprintable()
