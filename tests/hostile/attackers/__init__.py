"""A bot that plays honestly, except for one attack, which its argument names.

It runs as a program with only the standard library, from a copy of this package. Every attack is
bounded in count and time: none forks more than `MOST` processes, and all end within `LONG` seconds.
An ``info reached`` line lists the names of what an attempt reached.
"""

import sys

from tests.hostile.attackers.honest import ATTACKS, LONG, honest, say, targets, wait_to_the_end

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without importing `typing`
if TYPE_CHECKING:
    from tests.hostile.attackers.honest import Attack

__all__ = ["LONG", "main"]

MODULES = ("output", "resources", "reach")
"""The modules of attacks, the quickest to import first."""


def find_attack(name: str) -> "Attack":
    """Return an attack; import modules, which register their attacks, until one has it."""
    for module in MODULES:
        if name not in ATTACKS and name != "honest":
            __import__(f"{__name__}.{module}")
    return ATTACKS.get(name, honest)


def main(name: str, text: str) -> None:
    """Play honestly until the third turn, and attack from then on."""
    for line in text.splitlines():
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
