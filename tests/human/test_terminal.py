"""Games of a user at a real terminal: a pseudo-terminal, and a screen that is read."""

import re
import signal
import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from pwtourney.notation.game_text import parse_record, replay
from tests.human.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
LOOSE = ("--sandbox", "none", "--trusted")
DEAL = ("--deal", "7")


def at_the_terminal(
    folder: Path,
    *words: str,
    size: tuple[int, int] = (110, 48),
    environment: Mapping[str, str] | None = None,
) -> closing[Terminal]:
    """Start a game at a terminal of `size` columns and rows."""
    return closing(Terminal(["play", *words, *LOOSE], folder, environment or {}, size))


def leave(person: Terminal) -> None:
    """Press Ctrl-C, which ends the game with the exit code for an interrupt."""
    person.press("leave")
    assert person.exit_code() == 130


def plies(text: str) -> int:
    """Return the number of the last ply that is shown, 0 if none is."""
    return max(
        (int(number) for number in re.findall(r"^ *(\d+)\. \S+ \S+$", text, re.MULTILINE)),
        default=0,
    )


def goes_on(count: int, shown: str) -> bool:
    """Return True if it is our turn after more than `count` plies, or the game is over."""
    return " wins" in shown or ("Enter plays" in shown and plies(shown) > count)


@pytest.mark.thorough
@pytest.mark.timeout(110)
@pytest.mark.slow
def test_whole_game_is_played_with_keys_and_text(tmp_path: Path) -> None:
    """Patches are placed by arrow keys, typed with completion, and taken back."""
    with at_the_terminal(tmp_path, "human", "random", *DEAL, "--save", "g.txt") as me:
        me.wait_for("Enter plays 21:r0:a1")
        me.press("down", "right", " ")
        me.wait_for("Enter plays 21:r90:b2")
        me.press("up", "up", "f")  # the mirror image of this patch is the patch itself
        me.wait_for("Enter plays 21:r90:b1")
        me.press(" ")
        me.wait_for("Enter plays 21:r180:b1")
        me.press("tab")
        me.wait_for("30 costs 10 buttons and you have 5")
        me.press("enter")
        me.wait_for("'30:f0:b1': patch 30")
        me.press("undo")
        me.wait_for("there is nothing to take back")
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
    game, edition = parse_record((tmp_path / "g.txt").read_text())
    assert game.bots == ("human", "random")
    assert game.plies[0].action == "21:r0:a1"
    *_, last = replay(game, edition)
    assert last.is_over
    assert last.scores == game.scores


@pytest.mark.thorough
@pytest.mark.slow
def test_game_can_be_left_with_ctrl_c_or_quit(tmp_path: Path) -> None:
    """Both end with the exit code for an interrupt."""
    for keys in (("leave",), ("quit", "enter")):
        with at_the_terminal(tmp_path, "human", "random", *DEAL) as me:
            me.wait_for("Enter plays")
            me.press(*keys)
            assert me.exit_code() == 130


@pytest.mark.slow
def test_two_people_share_a_terminal(tmp_path: Path) -> None:
    """One player's action can be taken back before the other has moved."""
    with at_the_terminal(tmp_path, "human", "human", *DEAL, environment={"NO_COLOR": "1"}) as both:
        both.wait_for("> human-1")
        both.press("advance", "enter")
        both.wait_for("> human-2")
        both.press("undo")
        both.wait_for(lambda shown: "> human-1" in shown and plies(shown) == 0)
        both.press("advance", "enter")
        both.wait_for("> human-2")
        both.press("advance", "enter")
        both.wait_for("2. human-2 advance")
        both.press("undo")
        both.wait_for(lambda shown: plies(shown) == 1 and "> human-2" in shown)
        leave(both)


@pytest.mark.slow
def test_person_plays_the_automa(tmp_path: Path) -> None:
    """The Automa answers with its cards; a card that was turned over cannot be taken back."""
    with at_the_terminal(tmp_path, "human", "automa:3", "--deal", str(2**60)) as me:
        me.wait_for("Enter plays")
        me.press("advance", "enter")
        me.wait_for("2. automa card:")
        me.press("undo")
        me.wait_for("this cannot be taken back: since then, the Automa has turned over a card")
        leave(me)


@pytest.mark.slow
def test_order_of_late_patches_cannot_be_taken_back(tmp_path: Path) -> None:
    """Taking the patch that leaves five of six reveals it; later actions can be taken back."""
    quilt = "/".join(["7"] * 7)
    position = f"{quilt} 9 0 0 {quilt} 9 0 0 0 0 7,11,15,19,23,27 - 1,2,4,5,6,3 ?8"
    options = ("--edition", "express", "--position", position, "--deal", str(2**60))
    with at_the_terminal(tmp_path, "human", "human", *options) as both:
        both.wait_for("8 enter later")
        both.press("advance", "enter")
        both.wait_for("1. human-1 advance")
        both.press("undo")
        both.wait_for(lambda shown: "8 enter later" in shown and plies(shown) == 0)
        both.press("1:r0:a1", "enter")
        both.wait_for(lambda shown: plies(shown) == 1 and "enter later" not in shown)
        both.press("undo")
        both.wait_for("since then, the order of the late patches is known")
        both.press("advance", "enter")
        both.wait_for("2. human-2 advance")
        both.press("undo")
        both.wait_for(lambda shown: plies(shown) == 1 and "> human-2" in shown)
        leave(both)


@pytest.mark.parametrize("plain", ["", "NO_COLOR=1", "TERM=dumb"])
@pytest.mark.slow
def test_game_works_on_terminals_without_colour(tmp_path: Path, plain: str) -> None:
    """Covers colour, NO_COLOR, and a dumb terminal."""
    environment = dict([plain.split("=")] if plain else [])
    with at_the_terminal(tmp_path, "human", "human", *DEAL, environment=environment) as me:
        me.wait_for("Enter plays")
        me.wait_for("or type")
        assert ("green" in me.colours) == (not plain)
        leave(me)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (60, 20), (30, 10)])
@pytest.mark.slow
def test_small_terminal_shows_track_and_quilt_boards(
    tmp_path: Path, columns: int, rows: int
) -> None:
    """80 × 24 shows all of both, 60 × 20 both quilt boards; less gets a message."""
    command = ("human", "human", *DEAL)
    with at_the_terminal(tmp_path, *command, size=(columns, rows)) as me:
        if rows < 20:
            me.wait_for("is too small")
        else:
            shown = me.wait_for("Enter plays 21:r0:a1")
            assert len(re.findall(r"^  [1-9] [·#+] .*  [1-9] · ", shown, re.MULTILINE)) == 9
            assert "arrows" in shown
            if rows == 24:
                assert re.search(r"^ 27 .*\$$", shown, re.MULTILINE)
        leave(me)


@pytest.mark.parametrize("rows", [48, 20])
@pytest.mark.slow
def test_keys_are_always_shown_and_explained_by_help(tmp_path: Path, rows: int) -> None:
    """`?` shows help, which every key closes without any other effect, except for leaving."""
    with at_the_terminal(tmp_path, "human", "human", *DEAL, size=(52, rows)) as me:
        hint = "Enter plays; ? for help"
        me.wait_for(lambda shown: "Enter plays 21:r0:a1" in shown and hint in shown)
        me.press("right")
        me.wait_for(lambda shown: "Enter plays 21:r0:b1" in shown and hint in shown)
        for key in ("enter", "right", "undo", "?", "x", "escape"):
            me.press("?")
            shown = me.wait_for("any key closes this help")
            assert "take back your last action" in shown
            assert "$ pays income" in shown
            assert "Enter plays 21" not in shown
            me.press(key)
            me.wait_for(lambda shown: "Enter plays 21:r0:b1" in shown and shown.endswith("\n>"))
        me.press("leather:a1", "enter")
        me.wait_for("there is no special patch to place")
        me.press("left")
        me.wait_for(lambda shown: "Enter plays 21:r0:a1" in shown and hint in shown)
        me.press("?")
        me.wait_for("any key closes this help")
        leave(me)


@pytest.mark.thorough
@pytest.mark.slow
def test_escape_clears_the_input_at_once(tmp_path: Path) -> None:
    """Text typed after it counts; of pasted text only the first line is used."""
    with at_the_terminal(tmp_path, "human", "random", *DEAL) as me:
        me.wait_for("Enter plays")
        me.press("zzz")
        me.wait_for("> zzz")
        me.press("escape")
        me.wait_for(lambda shown: shown.endswith("\n>"))
        me.press("adv")
        me.wait_for("> adv")
        me.press("escape")
        me.wait_for(lambda shown: shown.endswith("\n>"))
        me.press("\x1b[200~advance\nadvance\n\x1b[201~")
        me.wait_for("> advance")
        me.press("enter")
        me.wait_for("1. human advance")
        leave(me)


@pytest.mark.thorough
@pytest.mark.slow(3)
def test_signal_ends_the_game_like_ctrl_c(tmp_path: Path) -> None:
    """The scratch folder is empty afterwards."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        environment = {"TMPDIR": str(scratch)}
        with at_the_terminal(tmp_path, "human", "random", environment=environment) as me:
            me.wait_for("Enter plays")
            me.signal(number)
            assert me.exit_code() == 130
        assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_start_position_is_drawn_with_its_covered_squares(tmp_path: Path) -> None:
    """Squares that no ply of this game covered are drawn, too."""
    quilt = "9/" * 8 + "3x5"
    empty = "/".join(["9"] * 9)
    position = f"{quilt} 5 0 0 {empty} 5 0 0 0 0 20,26,32,44,50 - 33,20,21 -"
    with at_the_terminal(tmp_path, "human", "random", "--position", position) as me:
        shown = me.wait_for("Enter plays")
        assert re.search(r"^  9 . . . o ", shown, re.MULTILINE)
        leave(me)
