"""Bots that break between turns, after a game, or during whole games."""

from __future__ import annotations

import os
import select
import time

from tests.conformance.broken.honest import Honest

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, without importing `typing`
if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 8.0


class LastWord(Honest):
    def goes(self) -> bool:
        self.say("move goodbye")
        return True


class Impatient(Honest):
    def on_go(self, rest: list[str]) -> None:
        import signal  # slow to import, and no other bot needs it

        signal.alarm(0)
        signal.setitimer(signal.ITIMER_REAL, 0.35)
        for _ in range(100):
            os.write(1, b"info text " + b"x" * 2000 + b"\n")
        super().on_go(rest)
        signal.setitimer(signal.ITIMER_REAL, 0)


class Nags(Honest):
    def lines(self) -> Iterator[str]:
        pending = b""
        end = time.monotonic() + LONG
        while time.monotonic() < end:
            if not select.select([0], [], [], 0.6)[0]:
                self.say("move advance")
                continue
            chunk = os.read(0, 65536)
            if not chunk:
                return
            *whole, pending = (pending + chunk).split(b"\n")
            yield from (line.decode() for line in whole)


class OneGameAtATime(Honest):
    playing = False

    def on_newgame(self, rest: list[str]) -> None:
        assert not self.playing, "I am not done"
        self.playing = True

    def on_gameover(self, rest: list[str]) -> None:
        self.playing = False


class OneGame(Honest):
    over = False

    def on_gameover(self, rest: list[str]) -> None:
        self.over = True

    def on_newgame(self, rest: list[str]) -> None:
        assert not self.over, "enough"


class ThanksForTheGame(Honest):
    def on_gameover(self, rest: list[str]) -> None:
        self.say("move thanks")


class Unsigned(Honest):
    def on_gameover(self, rest: list[str]) -> None:
        if not rest[0].isdigit():
            self.say("ready")


class NeverQuits(Honest):
    def goes(self) -> bool:
        return False


class Lingers(Honest):
    def goes(self) -> bool:
        time.sleep(0.6)  # longer than the limits of the tests allow, and shorter than a check waits
        return True


class QuitsBetweenGames(Honest):
    playing = False

    def on_newgame(self, rest: list[str]) -> None:
        self.playing = True

    def goes(self) -> bool:
        return not self.playing


class OutlivesItsInput(Honest):
    def lines(self) -> Iterator[str]:
        yield from super().lines()
        time.sleep(LONG)


class Tires(Honest):
    turns = 0

    def on_go(self, rest: list[str]) -> None:
        self.turns += 1
        assert self.turns < 8, "so tired"
        super().on_go(rest)


class DislikesNegatives(Honest):
    def on_go(self, rest: list[str]) -> None:
        assert "1" not in rest[1:] or rest[0] != "clock", "one millisecond?"
        super().on_go(rest)
