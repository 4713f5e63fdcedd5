"""The SDK in real bot processes, and the loader of bots."""

import subprocess
import sys
from pathlib import Path

import pytest

from pwtourney.clock import Limit
from pwtourney.errors import BotNotFoundError
from pwtourney.notation import position_text
from pwtourney.protocol import RunnerSide
from pwtourney.sdk.bot import converse
from pwtourney.sdk.bot_class import load_bot
from tests.rules.positions import ORIGINAL, START

CHATTY = """
import os, sys
print("while being imported")
from pwtourney.sdk import ADVANCE, Bot, Option

class Chatty(Bot):
    name = "Chatty"
    author = "somebody"
    options = (Option("depth", "int", "3", ("1", "9")),)
    wants_legal = True

    def new_game(self, game):
        print("a game of", game.edition.name)

    def choose(self, turn):
        print("thinking")
        os.system("echo from a child")
        self.say("depth " + self.settings["depth"] + "\\nsecond line \\x1b" + "x" * 70000)
        return ADVANCE

    def game_over(self, result):
        print("over", result.mine, result.result)
"""


def script() -> str:
    """Return everything that a runner writes in a short game."""
    side = RunnerSide()
    text = side.hello()
    side.feed("ready")
    text += side.set_option("depth", "7") + side.new_game(ORIGINAL, 0, 5)
    side.feed("ready")
    from pwtourney.clock import Limit

    text += side.turn(position_text(START), [], ["advance"], Limit(move_ms=100))
    return text + side.game_over(-3, 4, "loss") + side.quit()


def test_a_bots_prints_never_break_the_protocol(tmp_path: Path) -> None:
    """Prints of the bot, of its imports and of its children go to stderr."""
    (tmp_path / "chatty.py").write_text(CHATTY)
    done = subprocess.run(
        [sys.executable, "-I", "-m", "pwtourney.sdk", str(tmp_path / "chatty.py")],
        input=script(),
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "id name Chatty",
        "id author somebody",
        "option depth int 3 1 9",
        "feature legal",
        "ready",
        "ready",
        ("info depth 7 second line  " + "x" * 1000)[:1005],
        "move advance",
    ]
    for said in (
        "while being imported",
        "a game of original",
        "thinking",
        "from a child",
        "over -3",
    ):
        assert said in done.stderr


def test_a_bot_that_raises_ends_with_a_traceback(tmp_path: Path) -> None:
    """The traceback is on standard error, which is stored for the bot's author."""
    (tmp_path / "bad.py").write_text(
        "from pwtourney.sdk import Bot\nclass Bad(Bot):\n  def choose(self, turn): return 1 / 0\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-m", "pwtourney.sdk", str(tmp_path / "bad.py")],
        input=script(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "usage: python -m pwtourney.sdk"),
        (["nothing.py"], 2, "there is no file nothing.py"),
        (["no_such_module:Bot"], 2, "there is no module 'no_such_module'"),
        (["pwtourney_bots.greedy:Nobody"], 2, "has no class 'Nobody'"),
        (["pwtourney_bots.greedy:State"], 2, "has no class 'State' that derives from Bot"),
    ],
)
def test_a_bot_that_cannot_be_found_is_reported(
    arguments: list[str], code: int, message: str
) -> None:
    """The report is one line and an exit code, without a traceback."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "pwtourney.sdk", *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_only_bot_of_a_module_needs_no_name() -> None:
    """A module with a single bot needs no class name; one without a bot is an error."""
    assert load_bot("pwtourney_bots.greedy").__name__ == "Greedy"
    with pytest.raises(BotNotFoundError, match="defines no class that derives from Bot"):
        load_bot("pwtourney_bots.prospects")


def test_the_sdk_imports_only_what_a_bot_needs() -> None:
    """It does not import numpy, click, pydantic, dataclasses or asyncio."""
    code = "import sys, pwtourney.sdk; print(*sorted(sys.modules))"
    listed = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    ).stdout.split()
    heavy = {"numpy", "click", "pydantic", "yaml", "rich", "tqdm", "dataclasses", "asyncio"}
    assert not heavy & set(listed)
    ours = {name.split(".")[1] for name in listed if name.startswith("pwtourney.")}
    assert ours == {"errors", "sanitize", "rules", "notation", "clock", "protocol", "sdk"}


def test_a_conversation_ends_with_quit(tmp_path: Path) -> None:
    """Lines from any source are answered one by one; lines after `quit` are ignored."""
    file = tmp_path / "plain.py"
    file.write_text(
        "from pwtourney.sdk import ADVANCE, Bot\n"
        "class Plain(Bot):\n"
        "    def choose(self, turn): return ADVANCE\n"
    )
    runner, said = RunnerSide(), list[str]()
    texts = [runner.hello()]
    runner.awaiting = None
    texts += [runner.new_game(ORIGINAL, 0, 1)]
    runner.awaiting = None
    texts += [runner.ask(START, (), Limit()), runner.quit()]
    lines = iter("".join([*texts, texts[0]]).splitlines())
    converse(load_bot(str(file))(), lines, said.append)
    assert said[1:] == ["ready\n", "move advance\n"]
    assert len(list(lines)) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("pass", "None, not an action; is a `return` missing?"),
        ("return 'advance'", "'advance', not an action"),
    ],
)
def test_answer_that_is_no_action_names_the_line_of_choose(
    tmp_path: Path, answer: str, said: str
) -> None:
    """The author's file is blamed, not this package's, for example after a forgotten `return`."""
    file = tmp_path / "bad.py"
    file.write_text(
        f"from pwtourney.sdk import Bot\nclass Bad(Bot):\n  def choose(self, turn): {answer}\n"
    )
    with pytest.raises(TypeError) as raised:
        converse(load_bot(str(file))(), script().splitlines(), lambda _: None)
    assert str(raised.value) == f"Bad.choose returned {said} (bad.py, line 3)"
