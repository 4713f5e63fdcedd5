"""Helpers for bots in files that play as forked copies of a template or as new processes."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from textwrap import dedent

from pwtourney.bots.names import file_bot
from pwtourney.clock import TimeControl
from pwtourney.match import BotPool, BotSpec, play_game
from pwtourney.notation.game import Game
from pwtourney.sandbox.backends import Backend
from pwtourney.sandbox.isolation import Isolation, achieve
from pwtourney.sandbox.launch import Launch, Limits
from tests.match.helpers import RANDOM, setup
from tests.needs import need_sandbox

LIMITS = Limits(start_ms=30_000, end_ms=5_000)

WITNESS = """
import os
from pwtourney.sdk import Bot

{top}

class Witness(Bot):
    name = "witness"

    def new_game(self, game):
        self.seen = see()

    def choose(self, turn):
        self.say(str(self.seen))
        return turn.state.legal_actions()[0]
"""


def witness(folder: Path, top: str) -> Launch:
    """Return the launch of a bot that reports the result of its `see` with each move."""
    file = folder / "witness.py"
    file.write_text(WITNESS.format(top=dedent(top)))
    return file_bot(str(file), folder).launch


def boxed(backend: Backend | None, launch: Launch) -> Isolation:
    """Return the isolation of a sandbox, or no isolation if `backend` is None.

    Skips the test if this machine does not support the backend.
    """
    if backend is None:
        return Isolation()
    need_sandbox(backend)
    return achieve(backend, launch, LIMITS).isolation


def spec(launch: Launch, isolation: Isolation, *, forked: bool = True) -> BotSpec:
    """Return a bot whose time control is generous enough never to matter."""
    control = TimeControl(move_ms=30_000)
    return BotSpec("bot", launch, (), control, LIMITS, isolation, forked=forked)


@contextmanager
def pool(scratch: Path) -> Iterator[BotPool]:
    """Yield a bot pool and close it afterwards, which ends all its bots."""
    with closing(BotPool(str(scratch))) as opened:
        yield opened


def play(bot: BotSpec, games: int, opened: BotPool) -> list[Game]:
    """Play games against a bot that is started again for each game."""
    return [play_game(setup(bot, RANDOM, number), pool=opened) for number in range(games)]


def seen(games: Sequence[Game]) -> list[str]:
    """Return the witness's report of each game, and assert that no game had a fault."""
    assert [game.faults for game in games] == [()] * len(games)
    return [next(ply.info for ply in game.plies if ply.seat == 0) for game in games]
