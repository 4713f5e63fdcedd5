"""A bot that plays honestly; the others differ from it in one way."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without importing `typing`
if TYPE_CHECKING:
    from collections.abc import Iterator


class Honest:
    """Plays the first legal action, and remembers nothing between turns."""

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
        """Answer lines until `quit`."""
        for line in self.lines():
            word, *rest = line.split() or [""]
            if word == "quit":
                if self.goes():
                    return
            else:
                getattr(self, f"on_{word}", self.on_other)(rest)

    def goes(self) -> bool:
        """Return True if it exits on `quit`."""
        return True

    def on_pwtp(self, rest: list[str]) -> None:
        """Answer the handshake."""
        self.say(self.greeting)

    def on_newgame(self, rest: list[str]) -> None:
        """Ignore the start of a game."""

    def on_end(self, rest: list[str]) -> None:
        """Answer `ready`."""
        self.say("ready")

    def on_legal(self, rest: list[str]) -> None:
        """Store the legal actions."""
        self.legal = rest

    def on_position(self, rest: list[str]) -> None:
        """Store the position."""
        self.position = rest

    def on_go(self, rest: list[str]) -> None:
        """Answer with an action."""
        self.say(f"move {self.choose()}")

    def choose(self) -> str:
        """Return the action to play."""
        return self.legal[0]

    def on_other(self, rest: list[str]) -> None:
        """Ignore unknown lines."""
