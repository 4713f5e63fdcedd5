"""A bot that plays honestly, or is broken in one way that its argument names.

Run as a program, with nothing but the standard library. Every way ends by itself.
"""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator

LONG = 8.0


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
        """Answer until it is told to go."""
        for line in self.lines():
            word, *rest = line.split() or [""]
            if word == "quit":
                if self.goes():
                    return
            else:
                getattr(self, f"on_{word}", self.on_other)(rest)

    def goes(self) -> bool:
        """Tell whether it exits when it is told to."""
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


class LastWord(Honest):
    def goes(self) -> bool:
        self.say("move goodbye")
        return True


class Untidy(Honest):
    greeting = "thinking hard\nfeature legal\nready"


class Dawdles(Honest):
    def on_go(self, rest: list[str]) -> None:
        time.sleep(1.2)
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
        while chunk := os.read(0, 65536).decode():
            yield from chunk.splitlines()


class Remembers(Honest):
    furthest = 0

    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        space = int(rest[3])
        assert space >= self.furthest, "time runs backwards"
        self.furthest = space


class SeatBlind(Honest):
    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        assert rest[8] == "0", "it is not my turn"


class NeedsALimit(Honest):
    def on_go(self, rest: list[str]) -> None:
        assert rest, "how long?"
        super().on_go(rest)


class MovetimeOnly(Honest):
    def on_go(self, rest: list[str]) -> None:
        assert rest[:1] != ["clock"], "which clock?"
        super().on_go(rest)


class TakesItsTime(Honest):
    def on_go(self, rest: list[str]) -> None:
        time.sleep(0.4)
        super().on_go(rest)


class NeverAdvances(Honest):
    def choose(self) -> str:
        takings = [each for each in self.legal if each != "advance"]
        return takings[0]


class SmallTable(Honest):
    def on_legal(self, rest: list[str]) -> None:
        assert len(rest) < 1000, "my table is full"
        super().on_legal(rest)


class CountsToAThousand(Honest):
    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        assert int(rest[1]) < 1000, "nobody is that rich"


class ForgetsLeather(Honest):
    def choose(self) -> str:
        return "advance"


class SecondSquare(Honest):
    def choose(self) -> str:
        return self.legal[1] if self.legal[0].startswith("leather") else self.legal[0]


class FewHoles(Honest):
    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        assert "2xxxxxxx/xxxxxxxxx" not in rest[0], "that quilt is as good as full"


class NoCircle(Honest):
    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        assert [int(each) for each in rest[12].split(",")]


class NoTile(Honest):
    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        assert rest[11] == "-", "a tile?"


class Impatient(Honest):
    def on_go(self, rest: list[str]) -> None:
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


KINDS: list[type[Honest]] = [Honest, *Honest.__subclasses__()]
WAYS: dict[str, Callable[[], Honest]] = {each.__name__: each for each in KINDS}

if __name__ == "__main__":
    WAYS[sys.argv[1]]().run()
