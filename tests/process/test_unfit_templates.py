"""Templates that lie, are too large or fail to load cost no game, and a remark says why."""

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


@pytest.mark.thorough
@pytest.mark.slow(2)
@pytest.mark.parametrize("answer", [b"forked abc", b"forked 1", b"forked \xc2\xb2"])
def test_template_with_a_malformed_answer_is_given_up(tmp_path: Path, answer: bytes) -> None:
    """The template alters its answers to the runner, so a new process plays the game."""
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


@pytest.mark.thorough
@pytest.mark.slow(3)
@pytest.mark.parametrize("more", [170, 230])
def test_memory_of_a_copy_equals_that_of_a_new_process(tmp_path: Path, more: int) -> None:
    """Pages that the copy wrote to also exist in its template, and count once."""
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
def test_bot_that_is_large_when_loaded_is_not_copied(tmp_path: Path) -> None:
    """It would be in memory twice; a remark says how much it holds."""
    launch = witness(tmp_path, HOLDS.replace("HELD", "150").replace("MORE", "0"))
    with pool(tmp_path / "scratch") as opened:
        bot = spec(launch, Isolation())._replace(limits=LIMITS._replace(memory=256 << 20))
        assert seen(play(bot, 1, opened)) == [str(os.getpid())]
        (remark,) = opened.take_remarks()
    reason = r"each game: it holds 1[5-9]\d MiB when it is loaded, more than a quarter of its limit"
    assert re.search(reason, remark)


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_only_the_most_recently_used_templates_are_kept(tmp_path: Path) -> None:
    """Eight templates are kept; one that was ended is started again when its bot plays."""
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


NOTES = {
    "import os\nheld = open('a', 'w')": "it keeps ./a open while it is imported",
    "import socket\nheld = socket.socket()": "it keeps a socket open while it is imported",
    "import gc, random\nown = random.Random()\ngc.freeze()": (
        "it makes a random generator while it is imported"
    ),
    "if os.environ.get('HOME') and '--template' in open('/proc/self/cmdline').read():\n"
    "    raise ImportError('not here')": "its template could not be loaded: ImportError: not here",
}


@pytest.mark.thorough
@pytest.mark.slow(1)
@pytest.mark.parametrize("top", NOTES)
def test_remark_about_a_bot_is_the_same_in_every_run(tmp_path: Path, top: str) -> None:
    """It names the obstacle, without names and numbers that differ from run to run."""
    with pool(tmp_path / "scratch") as opened:
        launch = witness(tmp_path, "")
        file = tmp_path / "witness.py"
        file.write_text(file.read_text().replace("class ", f"{top}\nsee = os.getpid\n\nclass ", 1))
        seen(play(spec(launch, Isolation()), 1, opened))
        assert opened.take_remarks() == (f"bot gets a new process for each game: {NOTES[top]}",)


@pytest.mark.slow(1)
def test_failing_warm_up_is_reported_and_a_new_process_plays(tmp_path: Path) -> None:
    """`warm_up` is called in a template only, so a new process plays."""
    launch = witness(tmp_path, "see = os.getpid")
    with (tmp_path / "witness.py").open("a") as file:
        file.write(
            "\n    @classmethod\n    def warm_up(cls, edition):\n        raise ValueError(7)\n"
        )
    with pool(tmp_path / "scratch") as opened:
        seen(play(spec(launch, Isolation()), 1, opened))
        (remark,) = opened.take_remarks()
    assert "each game: its template could not be loaded: ValueError: 7" in remark
