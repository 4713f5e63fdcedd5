"""Measures how long a tournament of two games runs after its last move.

The time of a bot's last move is what it wrote into a file. If its opponent moved after that, the
value is slightly too large.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.calibration import best_of

__all__ = ["rows"]

_BOT = """
import time
from pathlib import Path
from pwtourney.sdk import Bot

class Clerk(Bot):
    def choose(self, turn):
        Path(PLACE).write_text(repr(time.time()))
        return turn.state.legal_actions()[0]
"""
_TIMES = 5


def rows() -> list[tuple[str, str, str]]:
    """Return measurement, value and target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)  # the bot may run as another user
        (folder / "clerk.py").write_text(_BOT.replace("PLACE", repr(str(folder / "last"))))
        bots = "[{file: clerk.py, trusted: true}, {bot: random, trusted: true}]"
        (folder / "two.yaml").write_text(f"bots: {bots}\npairs: 1\nsandbox: none\n")
        seconds = best_of(lambda: _ending(folder), _TIMES)
    return [("two games: from the last move to the end", f"{seconds:.2f} s", "≤ 0.5 s")]


def _ending(folder: Path) -> float:
    """Play two games; return the seconds from the last move to the end of the program."""
    command = [sys.executable, "-m", "pwtourney", "run", "two.yaml", "--fresh", "--quiet"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return time.time() - float((folder / "last").read_text())
