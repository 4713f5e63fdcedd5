"""Bots that raise an exception in a game: the message of their fault."""

import sys
from pathlib import Path

import pytest

from pwtourney.clock import TimeControl
from pwtourney.errors import BotFault
from pwtourney.match import BotSpec, play_game
from pwtourney.match.conversation import Conversation
from pwtourney.notation.game import Fault, Verdict
from pwtourney.rules import find_edition
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
    """Return the fault of an SDK bot in its game against an honest one."""
    (folder / "falls.py").write_text(source)
    launch = Launch((sys.executable, "-I", "-m", "pwtourney.sdk", str(folder / "falls.py")))
    falls = BotSpec("falls", launch, (), TimeControl(move_ms=10_000), LIMITS)
    game = play_game(setup(bot("honest"), falls))
    (fault,) = game.faults
    assert fault.seat == 1
    return fault


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fall", "message"),
    [
        ('raise ValueError("no move")', "ValueError: no move (falls.py, line 10)"),
        ("assert state.is_over", "AssertionError (falls.py, line 10)"),
        # raised in the standard library and in our rules: the message names the author's call
        ("import json; json.loads('x')", "json.decoder.JSONDecodeError: Expecting value: line 1"),
        ("state.apply(None)", "AttributeError: 'NoneType' object has no attribute 'kind'"),
        ('raise ValueError("a\\x1b[2Jb\\rc\\u202ed\\nnext")', "ValueError: a?[2Jb?c?d (falls.py, "),
        ('raise ValueError("x" * 5000)', f"ValueError: {'x' * 287}… (falls.py, line 10)"),
    ],
)
def test_an_exception_in_a_game_is_named_in_the_fault(
    fall: str, message: str, tmp_path: Path
) -> None:
    """One line has its type, its message, and the line of the bot's own file that raised it."""
    fault = fault_of(tmp_path, CHOOSES.format(fall=fall))
    assert fault.verdict is Verdict.CRASH
    assert fault.message.startswith(f"exited with code 1: {message}")
    assert fault.message.endswith(" (falls.py, line 10)")
    assert len(fault.message) < 400
    assert fault.message.isprintable()


@pytest.mark.slow
def test_exception_outside_a_turn_is_named_in_the_fault(tmp_path: Path) -> None:
    """In `new_game` it is a crash; while the file is imported it is a failed start."""
    source = CHOOSES.format(fall="pass") + "    def new_game(self, game):\n        1 / 0\n"
    fault = fault_of(tmp_path, source)
    assert fault.verdict is Verdict.CRASH
    raised = "exited with code 1: ZeroDivisionError: division by zero"
    assert fault.message == f"{raised} (falls.py, line 12)"
    fault = fault_of(tmp_path, f"1 / 0\n{CHOOSES}")
    assert (fault.verdict, fault.message) == (Verdict.START, f"{raised} (falls.py, line 1)")


@pytest.mark.slow
def test_caught_exception_is_not_the_reason_of_a_crash(tmp_path: Path) -> None:
    """The bot prints the traceback, continues, and exits with a code of its own."""
    caught = "import os, traceback\n        try: 1 / 0\n        except Exception: "
    fault = fault_of(tmp_path, CHOOSES.format(fall=f"{caught}traceback.print_exc(); os._exit(3)"))
    assert (fault.verdict, fault.message) == (Verdict.CRASH, "exited with code 3")


@pytest.mark.parametrize(
    ("end", "message", "cause"),
    [
        ("1 / 0", "exited with code 1: ZeroDivisionError: ", "exited with code 1"),
        ("exit(3)", "exited with code 3", "None"),
    ],
)
def test_no_fault_is_its_own_cause(end: str, message: str, cause: str) -> None:
    """A fault that gets a new message has the first as its cause; an unchanged one has none."""
    program = f"input()\nprint('ready', flush=True)\ninput()\n{end}"
    launch = Launch((sys.executable, "-I", "-c", program))
    conversation = Conversation(BotSpec("ends", launch, limits=LIMITS))
    try:
        with pytest.raises(BotFault) as caught:
            conversation.new_game(find_edition("original"), 0, 1)
    finally:
        conversation.end()
        conversation.clean_up()
    assert str(caught.value).startswith(message)
    assert str(caught.value.__cause__) == cause
