"""A bot that attacks in one way, which its argument names, and plays honestly as well as it can.

Run as a program, with nothing but the standard library, from a copy of this package. Every attack
is bounded in count and in time by itself: nothing here forks more than `MOST` processes, and
everything ends within `LONG` seconds. What an attempt reached is told in an ``info`` line:
``reached`` and the names of it.
"""

import json
import signal
import sys

from tests.hostile.attackers import output, reach, resources
from tests.hostile.attackers.honest import ATTACKS, LONG, honest, say, targets, wait_to_the_end

# the modules are imported because each of them registers its attacks
__all__ = ["LONG", "main", "output", "reach", "resources"]


def main(name: str, told: str) -> None:
    """Play, honestly until the third turn."""
    targets.update(json.loads(told))
    ATTACKS["once"] = honest
    if name == "exits_at_once":
        sys.exit(7)
    if name == "never_reads":
        say("ready")
        wait_to_the_end()
    if name == "ignores_sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    turns = 0
    legal: list[str] = []
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "pwtp":
            say(f"id name {name}\nfeature legal\nready")
        elif word == "end":
            say("ready")
        elif word == "legal":
            legal = rest
        elif word == "quit":
            if name == "ignores_sigterm":
                wait_to_the_end()
            return
        elif word == "go":
            turns += 1
            ATTACKS.get(name, honest)(legal) if turns > 2 else honest(legal)
