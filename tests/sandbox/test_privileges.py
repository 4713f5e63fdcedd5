"""The guards around a bot's command, and user numbers for the bots of root."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pwtourney.sandbox.privileges import LeasedUid

ROOT = Path(__file__).parents[2]
PLAY = (
    "from tests.match.helpers import bot, setup\n"
    "from pwtourney.match import play_game\n"
    "print(play_game(setup(bot('honest'), bot('honest'))).verdict)\n"
)


def verdict(path: str, folder: Path = ROOT) -> str:
    """Play a game in a process with another PATH; return its verdict."""
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["setpriv", "prlimit"])
def test_a_guard_that_does_not_know_our_options_is_left_out(name: str, tmp_path: Path) -> None:
    """Another program of the same name must not cost every bot its games."""
    fake = tmp_path / name
    fake.write_text("#!/bin/sh\necho unrecognized option >&2\nexit 1\n")
    fake.chmod(0o755)
    assert verdict(f"{tmp_path}:{os.environ['PATH']}") == "finished"


def test_a_relative_entry_of_the_path_leads_to_the_same_program(
    tmp_path: Path, needs: Callable[[str], None]
) -> None:
    """Bots run in a folder of their own, where a relative path would lead elsewhere."""
    needs("setpriv")
    (tmp_path / "rel").mkdir()
    (tmp_path / "rel" / "setpriv").symlink_to(shutil.which("setpriv") or "")
    assert verdict(f"rel:{os.environ['PATH']}", tmp_path) == "finished"


def test_without_any_guard_bots_play_too(tmp_path: Path) -> None:
    """Systems that have neither program run bots all the same."""
    assert verdict(str(tmp_path)) == "finished"


@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")
def test_no_two_bots_have_one_number_until_it_is_given_back() -> None:
    """Fifty at once differ, all from a range that is nobody else's; later they come again."""
    leased = [LeasedUid() for _ in range(50)]
    numbers = {each.number for each in leased}
    assert len(numbers) == 50
    assert all(60578 <= number <= 61183 for number in numbers)
    for each in leased:
        each.release()
    again: set[int] = set()
    end = time.monotonic() + 20
    while (
        not again >= numbers and time.monotonic() < end
    ):  # other runs here may hold some meanwhile
        user = LeasedUid()
        again.add(user.number)
        user.release()
    assert again >= numbers
