"""Bots that are forked for each game play the same games as new processes do."""

import os
from pathlib import Path

import pytest

from pwtourney.bots.names import installed_bots
from pwtourney.clock import TimeControl
from pwtourney.match import play_game
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.orphans import become_subreaper
from pwtourney.tournament.room import BotRoom, seat_bots
from tests.match.helpers import RANDOM, SHELL_BOT, setup
from tests.process.copying import LIMITS, play, pool, spec
from tests.thorough import thorough_but

BOTS = set(installed_bots())


@pytest.fixture(autouse=True)
def _subreaper() -> None:
    become_subreaper()


@pytest.mark.slow(5)
@pytest.mark.parametrize("name", thorough_but(["lookahead"], sorted(BOTS)))
def test_bundled_bot_plays_the_same_as_copy_and_as_process(tmp_path: Path, name: str) -> None:
    """A copy and a new process choose the same plies from both seats."""
    point = installed_bots()[name].load()
    limited = {option.name for option in point.options} & {"iterations", "depth"}
    options = tuple((option, "2" if option == "depth" else "10") for option in sorted(limited))
    games = []
    with BotRoom(tell=print, warn=print, groups=False) as room:
        (seated,) = seat_bots(room, [name], TimeControl(30_000), "none", trusted=True)
        for forked in (True, False):
            bot = seated._replace(id="bot", forked=forked, options=options, limits=LIMITS)
            with pool(tmp_path / "scratch") as opened:
                pair = [play_game(setup(bot, RANDOM, 3), pool=opened) for _ in range(1 + forked)]
                pair.append(play_game(setup(RANDOM, bot, 3), pool=opened))
                assert opened.take_remarks() == ()
            assert not any(game.faults for game in pair)
            games.append([[ply.action for ply in game.plies] for game in pair[forked:]])
    assert games[0] == games[1]


@pytest.mark.slow(1)
def test_program_is_started_by_a_launcher_that_has_its_limits(tmp_path: Path) -> None:
    """The program is a child of the launcher, plays the same, and shares it with the next game."""
    said = tmp_path / "parents"
    text = SHELL_BOT.replace("pwtp)", f"pwtp) echo $PPID >> {said};")
    launch, games = Launch(("/bin/sh", "-c", text)), []
    for forked in (True, False):
        with pool(tmp_path / "scratch") as opened:
            bot = spec(launch, Isolation(), forked=forked)
            played = play(bot, 2, opened)
            assert not any(game.faults for game in played)
            games.append([[ply.action for ply in game.plies] for game in played])
    assert games[0] == games[1]
    first, second, *fresh = said.read_text().split()
    assert first == second
    assert set(fresh) == {str(os.getpid())}


@pytest.mark.slow(1)
def test_launcher_that_a_bot_changed_is_replaced(tmp_path: Path) -> None:
    """No game starts with the niceness that an earlier game gave to the bot's parent."""
    said = tmp_path / "niceness"
    change = f"pwtp) nice >> {said}; renice -n 17 -p $PPID >/dev/null;"
    launch = Launch(("/bin/sh", "-c", SHELL_BOT.replace("pwtp)", change)))
    with pool(tmp_path / "scratch") as opened:
        assert not any(game.faults for game in play(spec(launch, Isolation()), 3, opened))
    own = str(os.getpriority(os.PRIO_PROCESS, 0))
    assert said.read_text().split() == [own] * 3
