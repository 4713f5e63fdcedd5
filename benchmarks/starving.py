"""Bots that burn an honest bot's core must not make it lose: ``python -m benchmarks.starving``.

An honest bot, which works for 20 ms of its 100 ms in each turn, plays two hundred games against
five kinds of thieves on one core, a third of them in each sandbox and without one. It must lose
none by a timeout. By default untrusted bots are suspended in their opponent's time, which ensures
this; ``python -m benchmarks.starving measure`` shows the result without it.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import get_args

import click

import pwtourney
from pwtourney.constants import Pondering
from pwtourney.notation.game import Game
from pwtourney.sandbox.backends import BACKENDS

__all__ = ["HONEST", "KINDS", "THIEF", "play"]

HONEST = """
import time
from pwtourney.sdk import Bot

class Honest(Bot):
    def choose(self, turn):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return turn.state.legal_actions()[0]
"""
THIEF = """
import os, signal, threading, time
from pwtourney.sdk import Bot

END = time.monotonic() + 20  # whatever becomes of the run

def burn(seconds=20.0):
    end = min(END, time.monotonic() + seconds)
    while time.monotonic() < end:
        pass

def spawn(work):
    if os.fork() == 0:
        os.setsid()
        work()
        os._exit(0)

def chain():
    # each lives for a millisecond, and leaves another one behind
    while time.monotonic() < END:
        burn(0.001)
        if os.fork():
            os._exit(0)

def breed():
    # children that nobody sees: they live for 100 microseconds
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while time.monotonic() < END:
        if os.fork() == 0:
            burn(0.0001)
            os._exit(0)

def wake():
    own = os.getppid()
    while time.monotonic() < END:
        os.kill(own, signal.SIGCONT)

class Thief(Bot):
    stole = False

    def choose(self, turn):
        if not self.stole:
            {steal}
        self.stole = True
        return turn.state.legal_actions()[0]
"""
KINDS = {
    "daemons": "[spawn(burn) for _ in range(24)]",
    "threads": "[threading.Thread(target=burn, daemon=True).start() for _ in range(24)]",
    "chains": "[spawn(chain) for _ in range(8)]",
    "broods": "[spawn(breed) for _ in range(4)]",
    "wakers": "[spawn(burn) for _ in range(8)]; spawn(wake)",
}
"""The ways to take the core, by kind; each takes it once, in its first turn."""

_PAIRS = 7


def play(folder: Path, sandbox: str, settings: Mapping[str, object]) -> Iterator[Game]:
    """Play the honest bot against each thief; yield the games."""
    folder.chmod(0o755)
    (folder / "honest.py").write_text(HONEST)
    for kind, steal in KINDS.items():
        (folder / f"{kind}.py").write_text(THIEF.format(steal=steal))
    thieves = [{"file": f"{kind}.py", "clock": {"move": "20s"}} for kind in KINDS]
    config = {
        "edition": "express",
        "format": "gauntlet",
        "challengers": ["honest"],
        "pairs": _PAIRS,
        "seed": 5_000_000_000_000_000,
        "workers": 1,
        "max_faults": "never",
        "affinity": {"cores": 1},
        "sandbox": sandbox,
        "bots": [{"file": "honest.py", "clock": {"move": "100ms"}}, *thieves],
        **settings,
    }
    played = pwtourney.Tournament.from_config(config, folder).play(results=folder / "results")
    yield from pwtourney.stored_games(played.folder)


@click.command()
@click.argument("pondering", type=click.Choice(get_args(Pondering)), required=False)
def main(pondering: str | None) -> None:
    """Play in each sandbox and without, a quarter of an hour in all; print who lost by what."""
    settings = {"pondering": pondering} if pondering else {}
    for sandbox in (*BACKENDS, "none"):
        with tempfile.TemporaryDirectory(prefix="pwtourney-") as folder:
            games = list(play(Path(folder), sandbox, settings))
        lost = Counter(
            f"{'the honest bot' if game.bots[fault.seat] == 'honest' else 'thieves'} by"
            f" {fault.verdict}"
            for game in games
            for fault in game.faults
        )
        losses = ", ".join(f"{what}: {count}" for what, count in sorted(lost.items()))
        print(f"{sandbox}: {len(games)} games; lost {losses or 'by nobody through a fault'}")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.starving")
