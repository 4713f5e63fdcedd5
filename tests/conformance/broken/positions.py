"""Bots that break at positions and clocks that many authors forget."""

import time

from tests.conformance.broken.honest import Honest


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
        if rest[:1] == ["clock"] and int(rest[1]) < 1000:
            time.sleep(3)  # longer than a busy machine may give a bot back
        super().on_go(rest)


class NeverAdvances(Honest):
    def choose(self) -> str:
        takings = [action for action in self.legal if action != "advance"]
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
        assert [int(number) for number in rest[12].split(",")]


class NoTile(Honest):
    def on_position(self, rest: list[str]) -> None:
        super().on_position(rest)
        assert rest[11] == "-", "a tile?"
