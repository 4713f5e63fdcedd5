"""The process of a table's bots, called directly: the limit of thinking time."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from pwtourney.arena.play import bots_inside
from pwtourney.arena.play.new_table import read_order, seat_table
from pwtourney.arena.play.seating import MOST_MOVE_MS
from pwtourney.arena.setting import Arena
from pwtourney.tournament.room import BotRoom
from tests.arena.playing import PERSON

SLEEPER = """\
import time
from pwtourney.sdk import Action, Bot, Turn


class Sleeper(Bot):
    name = "Sleeper"

    def choose(self, turn: Turn) -> Action:
        time.sleep(600)
        raise AssertionError
"""


@pytest.mark.slow(3)
def test_move_is_limited_whatever_the_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person waits for the bot, so a day for the game is not a day for a move."""
    tmp_path.chmod(0o755)
    bot = tmp_path / "sleeper.py"
    bot.write_text(SLEEPER)
    clock = {"kind": "game", "seconds": 86_400}
    order = {"seats": [{"kind": "bot", "bot": "sleeper", "clock": clock}, PERSON]}
    arena = Arena(bots={"sleeper": str(bot)}, editions={"original": "original"})
    seating = seat_table(read_order(order), arena)
    assert MOST_MOVE_MS == 600_000  # as documented
    monkeypatch.setattr(bots_inside, "MOST_MOVE_MS", 200)
    with ExitStack() as last:
        room = last.enter_context(BotRoom([], tell=print, warn=print, groups=False))
        bots = bots_inside._Bots(seating, room, last)
        seat, verdict, _ = bots.answer({"want": "play", "plies": []})["fault"]
    assert (seat, verdict) == (0, "timeout")
