"""Games that somebody plays at a real terminal: a pseudo-terminal, and a screen that is read."""

import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from pwtourney.notation.record import parse_record, replay
from tests.human.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
LOOSE = ("--sandbox", "none", "--trusted")


def at_the_terminal(folder: Path, *words: str, **more: str) -> Terminal:
    """Sit down to a game."""
    return Terminal([sys.executable, "-m", "pwtourney", "play", *words, *LOOSE], folder, more)


def plies(text: str) -> int:
    """Return the number of the last ply that is shown, 0 if none is."""
    return max(
        (int(each) for each in re.findall(r"^ *(\d+)\. \S+ \S+$", text, re.MULTILINE)), default=0
    )


def goes_on(count: int, shown: str) -> bool:
    """Tell whether it is our turn again after more plies than so many, or the game is over."""
    return " wins" in shown or ("Enter plays" in shown and plies(shown) > count)


@pytest.mark.timeout(110)
def test_a_whole_game_is_played_with_keys_and_words(tmp_path: Path) -> None:
    """Placed by arrows, typed with completion, taken back, and advanced to the end."""
    with at_the_terminal(tmp_path, "human", "random", "--deal", "7", "--save", "g.txt") as me:
        me.wait_for("Enter plays 21:r0:a1")
        me.press("down", "right", " ")
        me.wait_for("Enter plays 21:r90:b2")
        me.press("up", "up", "f")  # its mirror image is the patch itself, as it lies now
        me.wait_for("Enter plays 21:r90:b1")
        me.press(" ")
        me.wait_for("Enter plays 21:r180:b1")
        me.press("tab")
        me.wait_for("30 costs 10 buttons and you have 5")
        me.press("enter")
        me.wait_for("'30:f0:b1': patch 30")
        me.press("undo")
        me.wait_for("nothing of yours to take back")
        me.press("2", "tab")
        me.wait_for("> 21:")
        me.press("r", "9")
        me.wait_for("> 21:r9")
        me.press("tab")
        me.wait_for("> 21:r90:")
        me.press("escape")
        me.wait_for(lambda text: text.endswith(">"))
        me.press("leather:a1", "enter")
        me.wait_for("there is no special patch to place")
        me.press("21:r90:b2", "enter")
        me.wait_for(lambda text: "1. human 21:r90:b2" in text and "Enter plays" in text)
        me.press("undo")
        me.wait_for("Enter plays 21:r0:a1")
        me.press("enter")
        me.wait_for("1. human 21:r0:a1")
        shown = me.wait_for("Enter plays")
        while " wins" not in shown:
            count = plies(shown)
            me.press("enter" if "Enter plays leather" in shown else "advance\r")
            shown = me.wait_for(partial(goes_on, count))
        assert me.exit_code() == 0
    game = parse_record((tmp_path / "g.txt").read_text())
    assert game.bots == ("human", "random")
    assert game.plies[0].action == "21:r0:a1"
    *_, last = replay(game)
    assert last.is_over
    assert last.scores == game.scores


def test_it_can_be_left_at_any_time(tmp_path: Path) -> None:
    """Ctrl-C ends with the code for an interruption, and so does the word."""
    for keys in (("leave",), ("quit", "enter")):
        with at_the_terminal(tmp_path, "human", "random", "--deal", "7") as me:
            me.wait_for("Enter plays")
            me.press(*keys)
            assert me.exit_code() == 130


def test_two_people_share_a_terminal(tmp_path: Path) -> None:
    """Each takes back their own action, over the other's."""
    with at_the_terminal(tmp_path, "human", "human", "--deal", "7", NO_COLOR="1") as both:
        both.wait_for("> human-1")
        both.press("advance", "enter")
        both.wait_for("> human-2")
        both.press("undo")
        both.wait_for("nothing of yours to take back")
        both.press("advance", "enter")
        both.wait_for("2. human-2 advance")
        both.press("undo")
        text = both.wait_for(lambda shown: plies(shown) < 2 and "Enter plays" in shown)
        assert "advance" not in text.split("or type")[0].split("space 0")[0]
        both.press("leave")
        assert both.exit_code() == 130


def test_a_person_plays_the_automa(tmp_path: Path) -> None:
    """It answers with its cards."""
    with at_the_terminal(tmp_path, "human", "automa:3", "--deal", str(2**60)) as me:
        me.wait_for("Enter plays")
        me.press("advance", "enter")
        me.wait_for("2. automa card:")
        me.press("undo")
        me.wait_for(lambda shown: "automa card:" not in shown and "Enter plays" in shown)
        me.press("leave")
        assert me.exit_code() == 130


@pytest.mark.parametrize("more", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_any_terminal_will_do(tmp_path: Path, more: Mapping[str, str]) -> None:
    """In colour, without, and on one that can do next to nothing."""
    with at_the_terminal(tmp_path, "human", "random", "--deal", "7", **more) as me:
        me.wait_for("Enter plays")
        me.press("leave")
        assert me.exit_code() == 130
