"""Templates that lie, hold much or cannot be loaded cost their bots no game, and say why."""

import os
import re
from pathlib import Path

import pytest

from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.orphans import become_subreaper
from tests.process.copying import LIMITS, play, pool, seen, spec, witness


@pytest.fixture(autouse=True)
def _subreaper() -> None:
    become_subreaper()


@pytest.mark.slow(2)
@pytest.mark.parametrize("answer", [b"forked abc", b"forked 1", b"forked \xc2\xb2"])
def test_a_template_that_answers_otherwise_is_given_up(tmp_path: Path, answer: bytes) -> None:
    """Its words change what the runner hears, and the game is played by a new process."""
    launch = witness(
        tmp_path,
        f"""
        from pwtourney.sandbox import copies

        copies.FORKED = {answer!r}
        here = os.getpid()

        def see():
            return here == os.getpid()
        """,
    )
    with pool(tmp_path / "scratch") as opened:
        assert seen(play(spec(launch, Isolation()), 1, opened)) == ["True"]


HOLDS = """
import time

held = bytearray(HELD << 20)
held[::4096] = b"1" * len(held[::4096])

def see():
    held[::4096] = b"2" * len(held[::4096])
    more = bytearray(MORE << 20)
    more[::4096] = b"3" * len(more[::4096])
    if MORE:
        time.sleep(0.4)  # long enough to be looked at
    return os.getppid()
"""


@pytest.mark.slow(3)
@pytest.mark.parametrize("more", [170, 230])
def test_memory_of_a_copy_is_that_of_a_new_process(tmp_path: Path, more: int) -> None:
    """What it has written to is in its template as well, and counts once."""
    launch = witness(tmp_path, HOLDS.replace("HELD", "45").replace("MORE", str(more)))
    verdicts = []
    for forked in (True, False):
        with pool(tmp_path / "scratch") as opened:
            bot = spec(launch, Isolation(), forked=forked)
            bot = bot._replace(limits=LIMITS._replace(memory=256 << 20))
            (game,) = play(bot, 1, opened)
            assert opened.take_remarks() == ()
            verdicts.append([fault.verdict for fault in game.faults])
    assert verdicts == [["memory"] if more == 230 else []] * 2


@pytest.mark.slow(2)
def test_a_bot_that_holds_much_when_it_is_loaded_is_not_copied(tmp_path: Path) -> None:
    """It would be in memory twice; a line says how much it is."""
    launch = witness(tmp_path, HOLDS.replace("HELD", "150").replace("MORE", "0"))
    with pool(tmp_path / "scratch") as opened:
        bot = spec(launch, Isolation())._replace(limits=LIMITS._replace(memory=256 << 20))
        assert seen(play(bot, 1, opened)) == [str(os.getpid())]
        (remark,) = opened.take_remarks()
    reason = r"each game: it holds 1[5-9]\d MiB when it is loaded, more than a quarter of its limit"
    assert re.search(reason, remark)


@pytest.mark.slow(4)
def test_only_the_templates_that_were_used_last_are_kept(tmp_path: Path) -> None:
    """Eight of them; one that was ended is started again when its bot plays."""
    bots = []
    for number in range(10):
        (folder := tmp_path / str(number)).mkdir()
        bots.append(spec(witness(folder, "def see():\n    return os.getppid()\n"), Isolation()))
    with pool(tmp_path / "scratch") as opened:
        pids = [seen(play(bot, 1, opened))[0] for bot in bots]
        assert sum(Path(f"/proc/{pid}").exists() for pid in pids) == 8
        assert seen(play(bots[2], 1, opened)) == [pids[2]]
        (again,) = seen(play(bots[0], 1, opened))
        assert again not in pids
        assert not Path(f"/proc/{pids[3]}").exists()
        assert seen(play(bots[2], 1, opened)) == [pids[2]]
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
