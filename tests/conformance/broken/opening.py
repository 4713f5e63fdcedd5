"""Bots that break at a line before their first move, or in it."""

from __future__ import annotations

import os
import sys
import time

from tests.conformance.broken.honest import Honest

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without importing `typing`
if TYPE_CHECKING:
    from collections.abc import Iterator


class ExitsAtOnce(Honest):
    def run(self) -> None:
        print("no such table", file=sys.stderr)
        sys.exit(3)


class TalksFirst(Honest):
    def run(self) -> None:
        self.say("ready")
        super().run()


class NeverReady(Honest):
    greeting = "id name slow"


class BadOption(Honest):
    greeting = "option depth int\nready"


class PlaysAtlantis(Honest):
    greeting = "feature edition atlantis\nready"


class LateHandshake(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        self.say("id name Late")


class SilentGame(Honest):
    def on_end(self, rest: list[str]) -> None:
        pass


class Illegal(Honest):
    def choose(self) -> str:
        return "leather:a1" if self.legal[0] == "advance" else "advance"


class Misspells(Honest):
    def choose(self) -> str:
        return "ADVANCE"


class AnswersTwice(Honest):
    def on_go(self, rest: list[str]) -> None:
        super().on_go(rest)
        super().on_go(rest)


class Whispers(Honest):
    def on_go(self, rest: list[str]) -> None:
        self.say(f"Move {self.choose()}")


class Buffers(Honest):
    def say(self, text: str) -> None:
        pass


class ReadyTwice(Honest):
    def on_end(self, rest: list[str]) -> None:
        self.say("ready\nready")


class SmallSeeds(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        assert int(rest[-1]) < 2**31, "that does not fit"


class AnswersTheBlock(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        self.say("ready")

    def on_end(self, rest: list[str]) -> None:
        pass


class AnswersThePosition(Honest):
    def on_legal(self, rest: list[str]) -> None:
        self.say(f"move {rest[0]}")

    def on_go(self, rest: list[str]) -> None:
        pass


class Untidy(Honest):
    greeting = "thinking hard\nfeature legal\nready"


class Dawdles(Honest):
    def on_go(self, rest: list[str]) -> None:
        time.sleep(4)  # longer than a busy machine may give a bot back
        super().on_go(rest)


class AlwaysFirst(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        assert rest[rest.index("seat") + 1] == "0", "I start"


class AnswersOptions(Honest):
    def on_set(self, rest: list[str]) -> None:
        self.say("ready")


class FearsExtremes(Honest):
    def on_set(self, rest: list[str]) -> None:
        assert rest[1] != "9", "too deep"


class OriginalOnly(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        assert rest[rest.index("edition") + 1] != "express", "which game is this?"


class KnowsItsTables(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        assert not rest[rest.index("edition") + 1].startswith("check"), "not in my tables"


class Orderly(Honest):
    def on_newgame(self, rest: list[str]) -> None:
        self.board = False

    def on_board(self, rest: list[str]) -> None:
        self.board = True

    def on_patch(self, rest: list[str]) -> None:
        assert self.board, "a patch before the board"


class Strict(Honest):
    def on_fanfare(self, rest: list[str]) -> None:
        raise ValueError("what is a fanfare?")


class StrictInGame(Honest):
    playing = False

    def on_newgame(self, rest: list[str]) -> None:
        self.playing = True

    def on_fanfare(self, rest: list[str]) -> None:
        assert not self.playing, "not now"


class NewlinesOnly(Honest):
    def lines(self) -> Iterator[str]:
        sys.stdin.reconfigure(newline="\n")  # type: ignore[union-attr]
        for line in sys.stdin:
            assert "\r" not in line, "a carriage return"
            yield line


class WholeReads(Honest):
    def lines(self) -> Iterator[str]:
        torn = False  # a bot that loses torn lines misses a request, whichever lines they are
        while chunk := os.read(0, 65536).decode():
            lines = chunk.splitlines(keepends=True)
            yield from (line[:-1] for line in lines[torn:] if line.endswith("\n"))
            torn = not chunk.endswith("\n")
