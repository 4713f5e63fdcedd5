"""Why a bot crashed: tracebacks that Python itself printed, and bots that raise in real games."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.match import BotSpec, play_game
from pwtourney.match.crash import find_exception
from pwtourney.notation.game import Fault, Verdict
from pwtourney.sandbox.launch import Launch
from tests.match.helpers import LIMITS, bot, setup

CHOOSES = """\
from pwtourney.sdk import Bot

class Falls(Bot):
    turns = 0
    def choose(self, turn):
        self.turns += 1
        actions = turn.state.legal_actions()
        return actions[0] if self.turns < 3 else self.fall(turn.state)
    def fall(self, state):
        {fall}
"""


def fault_of(folder: Path, source: str) -> Fault:
    """Return the fault of a bot of the SDK in its game against an honest one."""
    (folder / "falls.py").write_text(source)
    launch = Launch((sys.executable, "-I", "-m", "pwtourney.sdk", str(folder / "falls.py")))
    falls = BotSpec("falls", launch, (), TimeControl(move_ms=10_000), LIMITS)
    game = play_game(setup(bot("honest"), falls))
    (fault,) = game.faults
    assert fault.seat == 1
    return fault


@pytest.mark.parametrize(
    ("fall", "message"),
    [
        ('raise ValueError("no move")', "ValueError: no move (falls.py, line 10)"),
        ("assert state.is_over", "AssertionError (falls.py, line 10)"),
        # raised in the standard library and in our rules: the author looks at the call
        ("import json; json.loads('x')", "json.decoder.JSONDecodeError: Expecting value: line 1"),
        ("state.apply(None)", "AttributeError: 'NoneType' object has no attribute 'kind'"),
        ('raise ValueError("a\\x1b[2Jb\\rc\\u202ed\\nnext")', "ValueError: a?[2Jb?c?d (falls.py, "),
        ('raise ValueError("x" * 5000)', f"ValueError: {'x' * 287}… (falls.py, line 10)"),
    ],
)
def test_an_exception_in_a_game_is_named_in_the_fault(
    fall: str, message: str, tmp_path: Path
) -> None:
    """Its type, its message and the line of the bot's own file that it comes from, on one line."""
    fault = fault_of(tmp_path, CHOOSES.format(fall=fall))
    assert fault.verdict is Verdict.CRASH
    assert fault.message.startswith(f"exited with code 1: {message}")
    assert fault.message.endswith(" (falls.py, line 10)")
    assert len(fault.message) < 400
    assert fault.message.isprintable()


def test_an_exception_before_a_game_and_at_the_start_is_named_alike(tmp_path: Path) -> None:
    """In `new_game`, which is a crash, and while the file is imported, which is a failed start."""
    source = CHOOSES.format(fall="pass") + "    def new_game(self, game):\n        1 / 0\n"
    fault = fault_of(tmp_path, source)
    assert fault.verdict is Verdict.CRASH
    raised = "exited with code 1: ZeroDivisionError: division by zero"
    assert fault.message == f"{raised} (falls.py, line 12)"
    fault = fault_of(tmp_path, f"1 / 0\n{CHOOSES}")
    assert (fault.verdict, fault.message) == (Verdict.START, f"{raised} (falls.py, line 1)")


def test_a_traceback_that_the_bot_went_on_after_is_no_reason(tmp_path: Path) -> None:
    """It caught the exception and exits later, with a code of its own."""
    caught = "import os, traceback\n        try: 1 / 0\n        except Exception: "
    fault = fault_of(tmp_path, CHOOSES.format(fall=f"{caught}traceback.print_exc(); os._exit(3)"))
    assert (fault.verdict, fault.message) == (Verdict.CRASH, "exited with code 3")


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
