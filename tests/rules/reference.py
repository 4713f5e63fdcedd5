"""A second engine, written naively from the rules page alone.

It shares no code with `pwtourney.rules`: squares are (row, column) pairs in sets, the circle is a
fixed ring with gaps and a neutral token between positions, and a token walks the track one space at
a time. It reads the edition files itself. It is slow on purpose.
"""

import tomllib
from copy import copy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pwtourney.rules

Square = tuple[int, int]
Squares = frozenset[Square]

_FOLDER = Path(pwtourney.rules.__file__).parent / "editions"


def load(name: str | Path) -> dict[str, Any]:
    """Read an edition's file and merge it over the file of its base."""
    path = name if isinstance(name, Path) else _FOLDER / f"{name}.toml"
    data = tomllib.loads(path.read_text())
    base = load(data["base"]) if "base" in data else {}
    for key, value in data.items():
        base[key] = base[key] | value if isinstance(base.get(key), dict) else value
    return base


def ways_to_lie(drawing: str) -> set[Squares]:
    """Return the distinct shapes from turning and flipping, moved to the top-left corner."""
    points = [
        (r, c) for r, row in enumerate(drawing.split("/")) for c, m in enumerate(row) if m == "#"
    ]
    shapes = set()
    for swap in (False, True):
        for up in (1, -1):
            for left in (1, -1):
                moved = [(up * r, left * c) for r, c in points]
                moved = [(c, r) for r, c in moved] if swap else moved
                top, side = min(r for r, _ in moved), min(c for _, c in moved)
                shapes.add(frozenset((r - top, c - side) for r, c in moved))
    return shapes


@cache
def all_lies(name: str) -> dict[int, list[Squares]]:
    """Return, for each patch, every set of squares on the board that it can cover."""
    data = load(Path(name) if name.endswith(".toml") else name)
    rows, columns = data["board"]["rows"], data["board"]["columns"]
    board = {(r, c) for r in range(rows) for c in range(columns)}
    lies_of: dict[int, list[Squares]] = {}
    for patch in data["patches"]:
        lies = {
            frozenset((r + down, c + right) for r, c in shape)
            for shape in ways_to_lie(patch["shape"])
            for down in range(rows)
            for right in range(columns)
        }
        lies_of[patch["id"]] = [lie for lie in lies if lie <= board]
    return lies_of


@lru_cache(maxsize=5000)
def free_lies(name: str, number: int, covered: Squares) -> frozenset[Squares]:
    """Return the placements of a patch that overlap no covered square."""
    return frozenset(lie for lie in all_lies(name)[number] if lie.isdisjoint(covered))


@cache
def all_windows(rows: int, columns: int, size: int) -> list[Squares]:
    """Return every square window of a size; those that leave the board are never covered."""
    return [
        frozenset((r + i, c + j) for i in range(size) for j in range(size))
        for r in range(rows)
        for c in range(columns)
    ]


@dataclass
class Seat:
    """One player of the naive engine."""

    covered: set[Square] = field(default_factory=set)
    buttons: int = 5
    income: int = 0
    space: int = 0
    arrived: int = 0
    tile: bool = False


class Reference:
    """A game in progress. Actions are ("advance",), ("take", patch, squares), ("leather", square)
    and ("decline",)."""  # noqa: D205, D209

    def __init__(self, name: str | Path, circle: tuple[int, ...], late: tuple[int, ...]) -> None:
        self.data = load(name)
        self.rows, self.columns = self.data["board"]["rows"], self.data["board"]["columns"]
        self.patches = {patch["id"]: patch for patch in self.data["patches"]}
        self.name = str(name)
        self.ring: list[int | None] = list(circle)
        self.neutral = 0  # the place in front of which the neutral token stands
        self.late = list(late)
        self.seats = [Seat(buttons=self.data["start"]["buttons"]) for _ in range(2)]
        self.leather = set(self.data["track"]["leather"])
        self.ticks = 0
        self.owed: list[int] = []

    def copy(self) -> "Reference":
        """Return a copy that can be played further without changing this game."""
        other = copy(self)
        other.ring, other.late = list(self.ring), list(self.late)
        other.leather, other.owed = set(self.leather), list(self.owed)
        other.seats = [copy(seat) for seat in self.seats]
        for seat in other.seats:
            seat.covered = set(seat.covered)
        return other

    def count(self, depth: int) -> int:
        """Count the sequences of actions by trying them all."""
        actions = self.actions()
        if depth == 1:
            return len(actions)
        total = 0
        for action in actions:
            other = self.copy()
            other.play(action)
            total += other.count(depth - 1)
        return total

    def in_line(self) -> list[int]:
        """Return the patches clockwise from the neutral token."""
        turned = self.ring[self.neutral :] + self.ring[: self.neutral]
        return [number for number in turned if number is not None]

    def over(self) -> bool:
        """Tell whether both tokens are on the last space."""
        return all(seat.space == self.data["track"]["last_space"] for seat in self.seats)

    def mover(self) -> int:
        """Return who acts next."""
        if self.owed:
            return self.owed[0]
        first, second = self.seats
        if first.space != second.space:
            return 0 if first.space < second.space else 1
        return 0 if first.arrived >= second.arrived else 1

    def actions(self) -> list[tuple[Any, ...]]:
        """Enumerate everything that is legal, by trying every square."""
        if self.over():
            return []
        seat = self.seats[self.mover()]
        if self.owed:
            legal: list[tuple[Any, ...]] = [("leather", square) for square in self.empty(seat)]
            return legal + ([("decline",)] if self.data["declining"] else [])
        legal = [("advance",)]
        for number in self.in_line()[: self.data["offer"]]:
            if self.patches[number]["buttons"] <= seat.buttons:
                legal += [("take", number, lie) for lie in self.places(number, seat)]
        return legal

    def places(self, number: int, seat: Seat) -> frozenset[Squares]:
        """Return every set of empty squares on the board that the patch can cover."""
        return free_lies(self.name, number, frozenset(seat.covered))

    def empty(self, seat: Seat) -> list[Square]:
        """Return the squares that are not covered."""
        every = [(r, c) for r in range(self.rows) for c in range(self.columns)]
        return [square for square in every if square not in seat.covered]

    def play(self, action: tuple[Any, ...]) -> None:
        """Carry out a legal action."""
        number = self.mover()
        seat = self.seats[number]
        if action[0] in ("leather", "decline"):
            self.owed.pop(0)
            if action[0] == "leather":
                self.cover(number, {action[1]})
            if not self.empty(seat):
                self.owed.clear()
        elif action[0] == "take":
            self.take(number, action[1], action[2])
        else:
            target = self.seats[1 - number].space + 1
            while seat.space < min(target, self.data["track"]["last_space"]):
                seat.buttons += 1
                self.step(number)
            self.arrive(seat)

    def take(self, number: int, patch: int, lie: Squares) -> None:
        """Take a patch, in the order of the rules page."""
        seat, facts = self.seats[number], self.patches[patch]
        index = self.ring.index(patch)
        self.ring[index] = None
        self.neutral = index
        late = self.data.get("late")
        if late and self.late and len(self.in_line()) == late["when_left"]:
            self.ring = [*self.in_line(), *self.late]
            self.late, self.neutral = [], 0
        seat.buttons -= facts["buttons"]
        self.cover(number, set(lie))
        seat.income += facts["income"]
        for _ in range(facts["time"]):
            if seat.space < self.data["track"]["last_space"]:
                self.step(number)
        self.arrive(seat)

    def step(self, number: int) -> None:
        """Move one space and let what lies there happen."""
        seat = self.seats[number]
        seat.space += 1
        if seat.space in self.data["track"]["income"]:
            seat.buttons += seat.income
        if seat.space in self.leather:
            self.leather.discard(seat.space)
            if self.empty(seat):
                self.owed.append(number)

    def arrive(self, seat: Seat) -> None:
        """Lay the token on top of what is there."""
        self.ticks += 1
        seat.arrived = self.ticks

    def cover(self, number: int, squares: set[Square]) -> None:
        """Cover squares, and look for the special tile."""
        seat = self.seats[number]
        seat.covered |= squares
        tile = self.data.get("tile")
        if tile and not any(side.tile for side in self.seats):
            windows = all_windows(self.rows, self.columns, tile["size"])
            seat.tile = any(window <= seat.covered for window in windows)

    def score(self, number: int) -> int:
        """Count the points of a seat."""
        seat = self.seats[number]
        bonus = self.data["tile"]["points"] if seat.tile else 0
        return seat.buttons + bonus - 2 * len(self.empty(seat))

    def winner(self) -> int:
        """Return who won a game that is over."""
        if self.score(0) != self.score(1):
            return 0 if self.score(0) > self.score(1) else 1
        return 0 if self.seats[0].arrived < self.seats[1].arrived else 1
