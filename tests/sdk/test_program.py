"""Python files that read and print the lines of the protocol themselves."""

import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.sdk.program import plays_by_itself
from tests.sdk.test_sdk import script

PLAIN = """
import sys
class Talk:
    answers = {"pwtp": "ready", "end": "ready", "go": "move advance"}
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit":
        break
    if word in Talk.answers:
        print(Talk.answers[word])  # not flushed
"""


def test_program_is_run_as_it_is(tmp_path: Path) -> None:
    """Its lines go to the runner, each at once, and it finds the modules next to it."""
    file = tmp_path / "plain.py"
    (tmp_path / "beside.py").write_text("")
    file.write_text(f"import beside\n{PLAIN}")
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "pwtourney.sdk", str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as bot:
        assert bot.stdin
        assert bot.stdout
        bot.stdin.write("pwtp 1\n")
        assert bot.stdout.readline() == "ready\n"
        bot.stdin.write(script().partition("\n")[2])
        said, _ = bot.communicate(timeout=60)
    assert said == "ready\nmove advance\n"
    assert bot.returncode == 0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (PLAIN, True),
        ("import numpy as np\nprint('ready')", True),
        ("from enum import Enum\nclass Kind(Enum): A = 1", True),
        ("from pwtourney.sdk import Bot\nclass A(Bot): pass", False),
        ("import mine\nclass A(mine.Base): pass", False),
        ("from mine import Base as B\nclass A(B[int]): pass", False),
        ("from .mine import Base\nclass A(Base): pass", False),
        ("from mine import *\nclass A(Base): pass", False),
        ("this is no Python", False),
    ],
)
def test_file_that_can_define_no_bot_is_a_program(
    tmp_path: Path, source: str, expected: bool
) -> None:
    """A class of a bot derives from one that another module gives; a broken file says why."""
    (tmp_path / "bot.py").write_text(source)
    assert plays_by_itself(str(tmp_path / "bot.py")) is expected
