"""A bot that plays honestly, which the others are except for one thing."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # that of `typing`, except for its import
if TYPE_CHECKING:
    from collections.abc import Iterator


class Honest:
    """Plays the first legal action, and forgets everything between turns."""

    greeting = "id name honest\noption depth int 3 1 9\nfeature legal\nready"

    def __init__(self) -> None:
        self.legal: list[str] = []
        self.position: list[str] = []

    def say(self, text: str) -> None:
        """Write to the runner."""
        os.write(1, text.encode() + b"\n")

    def lines(self) -> Iterator[str]:
        """Yield the lines of the runner."""
        yield from sys.stdin

    def run(self) -> None:
        """Answer until it has to go."""
        for line in self.lines():
            word, *rest = line.split() or [""]
            if word == "quit":
                if self.goes():
                    return
            else:
                getattr(self, f"on_{word}", self.on_other)(rest)

    def goes(self) -> bool:
        """Tell whether it exits when it has to."""
        return True

    def on_pwtp(self, rest: list[str]) -> None:
        """Shake hands."""
        self.say(self.greeting)

    def on_newgame(self, rest: list[str]) -> None:
        """Hear that a game begins."""

    def on_end(self, rest: list[str]) -> None:
        """Be ready."""
        self.say("ready")

    def on_legal(self, rest: list[str]) -> None:
        """Keep what may be played."""
        self.legal = rest

    def on_position(self, rest: list[str]) -> None:
        """Keep the position."""
        self.position = rest

    def on_go(self, rest: list[str]) -> None:
        """Answer."""
        self.say(f"move {self.choose()}")

    def choose(self) -> str:
        """Pick an action."""
        return self.legal[0]

    def on_other(self, rest: list[str]) -> None:
        """Ignore what is not known."""
