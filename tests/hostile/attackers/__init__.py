"""A bot that attacks in one way, which its argument names, and plays honestly as well as it can.

Run as a program, with nothing but the standard library, from a copy of this package. Every attack
is bounded in count and in time by itself: nothing here forks more than `MOST` processes, and
everything ends within `LONG` seconds. What an attempt reached is written in an ``info`` line:
``reached`` and the names of it.
"""

import sys

from tests.hostile.attackers.honest import ATTACKS, LONG, honest, say, targets, wait_to_the_end

TYPE_CHECKING = False  # that of `typing`, except for its import
if TYPE_CHECKING:
    from tests.hostile.attackers.honest import Attack

__all__ = ["LONG", "main"]

MODULES = ("output", "resources", "reach")
"""The modules of attacks, the quickest to import first."""


def find_attack(name: str) -> "Attack":
    """Import modules, each of which registers its attacks, until one has it."""
    for module in MODULES:
        if name not in ATTACKS and name != "honest":
            __import__(f"{__name__}.{module}")
    return ATTACKS.get(name, honest)


def main(name: str, told: str) -> None:
    """Play, honestly until the third turn."""
    for line in told.splitlines():
        word, _, value = line.partition("=")
        targets[word] = value
    attack = find_attack(name)
    ATTACKS["once"] = honest
    if name == "exits_at_once":
        sys.exit(7)
    if name == "never_reads":
        say("ready")
        wait_to_the_end()
    if name == "ignores_sigterm":
        import signal

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
            attack(legal) if turns > 2 else honest(legal)
