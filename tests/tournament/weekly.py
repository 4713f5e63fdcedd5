"""Plays one week of a league on a given date: ``python -m tests.tournament.weekly``.

It runs like ``pwtourney run --extend`` with a clock that the test sets, and can kill itself with
SIGKILL right after a pair was stored.
"""

import argparse
import os
import signal
from datetime import UTC, datetime
from pathlib import Path

from pwtourney.schedule.pairing import Shard
from pwtourney.signals import SoftStop
from pwtourney.store import ResultsFolder
from pwtourney.tournament import Event, PairDone, load_tournament
from pwtourney.tournament.session import RunOptions, open_session
from tests.program import run_module

__all__ = ["main", "play_week"]


def play_week(
    file: Path, results: Path, date: str, *, shard: str = "", kill_after: int = 0, code: int = 0
) -> None:
    """Play a week in a separate process; kill it after this many pairs, or never if 0."""
    words = (str(file), str(results), date, "--shard", shard, "--kill-after", str(kill_after))
    done = run_module("tests.tournament.weekly", *words)
    assert done.returncode == code, done.stderr


def main() -> None:
    """Play the missing pairs, and write the reports."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("date")
    parser.add_argument("--shard", type=lambda text: Shard.parse(text) if text else None)
    parser.add_argument("--kill-after", type=int)
    week = parser.parse_args()
    seconds = datetime.fromisoformat(week.date).replace(hour=6, tzinfo=UTC).timestamp()
    left = week.kill_after

    def listen(event: Event) -> None:
        nonlocal left
        if isinstance(event, PairDone):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    with open_session(
        load_tournament(week.file),
        ResultsFolder(week.results),
        RunOptions(workers=1, extend=True, shard=week.shard),
        tell=print,
        warn=print,
        now=lambda: seconds,
    ) as session:
        assert session.play(listen, SoftStop(0, lambda: None)) == "over"
        session.publish()


if __name__ == "__main__":
    main()
