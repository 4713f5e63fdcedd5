"""The steps of ``pwtourney check`` as one assertion."""

import subprocess
import sys
from collections.abc import Sequence

from pwtourney.errors import EXIT_FAILED, EXIT_OK, UsageError

__all__ = ["assert_conformant"]


def assert_conformant(
    bot: str,
    *,
    editions: Sequence[str] = (),
    move_ms: int = 1000,
    games: int = 20,
    dialogues: int = 5,
) -> None:
    """Raise `AssertionError` with everything about the first step that a bot fails.

    `bot` is what ``pwtourney check`` takes: the name of an installed bot, a Python file, or a
    command. It runs as you do, without a sandbox. `editions` are all that it claims if none are
    named. The check is a process of its own: what it ends are the bot's processes and no others.
    Raises `UsageError` where it cannot be done, as for a bot that is not there.
    """
    options = [f"--move={move_ms}ms", f"--games={games}", f"--dialogues={dialogues}"]
    options += [f"--edition={edition}" for edition in editions]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pwtourney", "check", bot, *options),
            *("--sandbox=none", "--trusted"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == EXIT_FAILED:
        raise AssertionError("\n" + done.stdout)
    if done.returncode != EXIT_OK:
        raise UsageError(done.stderr.strip().removeprefix("error: "))
