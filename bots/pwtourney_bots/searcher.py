"""Shared by the bots that grow a tree: the clock, when to stop, and the choice."""

import math
import time
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from pwtourney.rules import find_edition
from pwtourney.sdk import Action, Bot, Edition, GameStart, Option, SplitMix64, State, Turn
from pwtourney_bots.thinking import (
    FEATURES,
    draw_late,
    format_line,
    longest_seconds,
    mark_rank,
    plan_seconds,
)

__all__ = ["Choice", "SearchTree", "Searcher", "is_ahead", "search_options"]

_ITERATIONS = 128
_FIRST_ITERATIONS = 8
"""The most iterations of one compiled call, and those of the first call.

The former take a few milliseconds; before the first call the speed is unknown.
"""

_SHORTEST_S = 1e-6

_REPORTED = 1024
"""The expected line is reported after this many iterations, and whenever they have doubled."""

_REPORTED_S = 1.0
"""Without a limit the expected line is also reported after this many seconds."""

_MOST_ITERATIONS = 1_000_000_000
"""The most iterations of a move: the visits of a node are counted with 32 bits."""

_DRAWN = 4096
_MOST_DRAWN = 1 << 18
"""The iterations of each of the first drawings without a limit, and of each of the last."""

_LONGEST_LINE = 8

_DRAWINGS = 4
"""The number of orders of hidden late patches to draw; each gets its part of the time."""

_MUCH = 0.1
"""An action with this share of all visits counts as visited much."""


def search_options(exploration: str) -> tuple[Option, ...]:
    """Return the options of a bot that grows a tree, with its own default of the exploration."""
    return (
        Option("iterations", "int", "0", ("0", "10000000")),
        Option("candidates", "int", "3", ("1", "20")),
        Option("exploration", "float", exploration, ("0", "10")),
    )


class Choice(NamedTuple):
    """An action of the root: how often it was visited, and its expected margin."""

    action: Action
    visits: int
    margin: float


class Tally:
    """The results of the searches of several drawings of the hidden patches, by action.

    In each, an action gets its share of the visits, or all if it is known to be best.
    """

    def __init__(self) -> None:
        self._shares: defaultdict[Action, float] = defaultdict(float)
        self._margins: defaultdict[Action, float] = defaultdict(float)
        self._visits: defaultdict[Action, int] = defaultdict(int)

    def add(self, choices: list[Choice]) -> None:
        """Add the choices of a drawing."""
        visits = sum(choice.visits for choice in choices)
        for action, seen, margin in choices:
            self._visits[action] += seen
            self._shares[action] += seen / visits
            self._margins[action] += seen / visits * margin

    def choices(self) -> list[Choice]:
        """Return the actions that were visited, that with the largest share first."""
        visited = [(action, share) for action, share in self._shares.items() if share]
        visited.sort(key=lambda pair: -pair[1])  # of equals the first stays first
        return [
            Choice(action, self._visits[action], self._margins[action] / share)
            for action, share in visited
        ]


class SearchTree(Protocol):
    """A tree that a bot grows: of nodes that store their positions, or of the paths to them."""

    @property
    def visits(self) -> int:
        """The visits of the root, for this move and for those before."""

    @property
    def is_solved(self) -> bool:
        """True if all considered lines were followed to the end of the game."""

    @property
    def is_complete(self) -> bool:
        """True if more iterations cannot tell anything that is not known."""

    def is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change the first choice."""

    def forget(self) -> None:
        """Forget all positions; the next root starts without knowledge."""

    def take_root(self, state: State, since: list[Action]) -> None:
        """Make a position the root, with what is known about it.

        `since` are the actions that were played since the last root.
        """

    def restrict(self, only: Sequence[Action]) -> None:
        """Begin again at the root, with these of its actions only."""

    def grow(self, iterations: int) -> None:
        """Run this many iterations."""

    def choices(self) -> list[Choice]:
        """Return the actions of the root, the one to play first.

        That is the most visited one: a rarely visited action may look good by luck. An action whose
        value is exact may come before it.
        """

    def line(self, most: int, first: Action | None = None) -> list[Action]:
        """Return the expected line of both players from the root on, at most `most` actions.

        It begins with the action `first`, if one is given, and is empty if that was not visited.
        After the first action, special or late patches may come differently from what was drawn.
        """


def is_ahead(choices: list[Choice], left: int) -> bool:
    """Return True if no other choice can overtake the first's visits in `left` iterations."""
    first, *others = choices
    return not others or first.visits - others[0].visits > left


class Searcher(Bot):
    """Grows a tree until its time is up, and plays the most visited action.

    The subtree of the moves that were played is kept for the next move. It stops early once no
    other action can be visited as often any more. With `iterations` it makes that many for each
    move, whatever the clock says, and plays the same on every machine.
    """

    author = "pwtourney"
    features = FEATURES
    preparing = "compiling, once, about 20 s"
    clock: Callable[[], float] = staticmethod(time.monotonic)

    @classmethod
    def prepare(cls, cache: Path) -> None:  # noqa: ARG003 - numba knows it from `bring_along`
        """Compile the search; numba keeps it in `cache`, as set by `bring_along`."""
        cls().new_game(GameStart(find_edition("original"), 0, 1))

    @classmethod
    def warm_up(cls, edition: Edition) -> None:
        """Load the compiled code, so that no fork of this process has to."""
        cls().new_game(GameStart(edition, 0, 1))

    @abstractmethod
    def plant_tree(self, edition: Edition, seed: int) -> SearchTree:
        """Return a tree for positions of an edition, compiled and ready to grow."""

    def new_game(self, game: GameStart) -> None:
        """Set up the tables of the edition, and make sure that everything is compiled."""
        self._edition = game.edition
        self._shuffler = SplitMix64(game.seed)
        self.tree = self.plant_tree(game.edition, self._shuffler.next())
        self._since: list[Action] = []
        self._lines, self._is_explored = 1, False

    def choose(self, turn: Turn) -> Action:
        """Think as long as the clock allows, or until the answer is wanted."""
        planned = plan_seconds(turn.limit, turn.state)
        end = self.clock() + planned
        actions = turn.state.legal_actions()
        self._since += turn.played
        self._lines, self._is_explored = turn.lines, turn.lines > 1 or bool(turn.only)
        if len(actions) == 1:
            choice = actions[0]
        elif turn.state.is_late_hidden:
            choice = self._choose_in_drawings(turn, end)
        else:
            self._take_root(turn.state, turn.only)
            if turn.limit.infinite:
                iterations = self._think_on(_MOST_ITERATIONS)
            else:
                longer = longest_seconds(turn.limit, turn.state) - planned
                iterations = self._think(end, int(self.settings["iterations"]), longer=longer)
            choices = self.tree.choices()
            choice = choices[0].action
            self._report(iterations, choices)
        self._since.append(choice)
        if turn.only:
            self.tree.forget()  # its root has not all actions
        return choice

    def _take_root(self, state: State, only: Sequence[Action]) -> None:
        self.tree.take_root(state, self._since)
        self._since = []
        if only:
            self.tree.restrict(only)

    def _choose_in_drawings(self, turn: Turn, end: float) -> Action:
        """Draw the order of late patches several times, and play what is best in most of them."""
        tally = Tally()
        draw = self._draw_on if turn.limit.infinite else partial(self._draw, end=end)
        for iterations in draw(turn):
            tally.add(self.tree.choices()[: 1 if self.tree.is_solved else None])
            if turn.limit.infinite:
                self._report(iterations, tally.choices())
        choices = tally.choices()
        self._report(iterations, choices)
        return choices[0].action

    def _draw(self, turn: Turn, end: float) -> Iterator[int]:
        """Think about a few orders of late patches, each for its part of the time.

        Yields the iterations so far after each.
        """
        most, iterations = int(self.settings["iterations"]), 0
        drawings = min(_DRAWINGS, most) or _DRAWINGS
        for left in range(drawings, 0, -1):
            self._take_root(draw_late(turn.state, self._shuffler), turn.only)
            now = self.clock()
            part = math.ceil((most - iterations) / left) if most else 0
            iterations += self._think(now + (end - now) / left, part, before=iterations)
            yield iterations

    def _draw_on(self, turn: Turn) -> Iterator[int]:
        """Think about more and more orders of late patches until the answer is wanted.

        Yields the iterations so far after each.
        """
        iterations, part = 0, _DRAWN
        while iterations < _MOST_ITERATIONS:
            for _ in range(_DRAWINGS):
                self._take_root(draw_late(turn.state, self._shuffler), turn.only)
                iterations += self._think_on(part, quietly=True)
                yield iterations
                if self.must_stop():
                    return
            part = min(2 * part, _MOST_DRAWN)

    @property
    def root_visits(self) -> int:
        """The visits of the root of the tree, for this move and for those before."""
        return self.tree.visits

    def replace_choice(self, action: Action) -> Action:
        """Play another action than the one that was just chosen; return it."""
        self._since[-1] = action
        return action

    def _report(self, iterations: int, choices: list[Choice]) -> None:
        """Report the margin and the line of the best action, and of others if they are wanted."""
        first, *others = choices
        # the most visited ones: what was rarely visited may look good by luck
        known = [choice for choice in others[: self._lines - 1] if choice.visits]
        known.sort(key=lambda choice: -choice.margin)
        for rank, (action, _, margin) in enumerate([first, *known], 1):
            line = self.tree.line(_LONGEST_LINE, None if rank == 1 else action)
            if line[:1] != [action]:  # the tree is of a drawing in which another action is best
                line = [action]
            said = f"nodes {iterations} score {margin:.1f} {format_line(line, self._edition)}"
            self.say(mark_rank(rank, self._lines) + said)

    def _think_on(self, most: int, *, quietly: bool = False) -> int:
        """Run iterations until the answer is wanted, at most about `most`; return their number.

        It ends early if nothing is left to find, and does not report if it thinks `quietly`.
        """
        iterations, reported = 0, self.clock()
        report = _REPORTED
        while True:
            self.tree.grow(_ITERATIONS)
            iterations += _ITERATIONS
            if iterations >= most or self.must_stop() or self.tree.is_complete:
                return iterations
            now = self.clock()
            if not quietly and (iterations >= report or now - reported >= _REPORTED_S):
                self._report(iterations, self.tree.choices())
                report, reported = 2 * iterations, now

    def _think(self, end: float, most: int, *, longer: float = 0, before: int = 0) -> int:
        """Run iterations until the time is up, or `most` of them if that is not 0.

        The time is extended by up to `longer` seconds while the choice is not clear. Returns the
        number of iterations; `before` is that of earlier calls for the same move.
        """
        began, iterations = self.clock(), 0
        number = min(_ITERATIONS, most) or _FIRST_ITERATIONS
        report = _REPORTED
        while True:
            self.tree.grow(number)
            iterations += number
            if most:
                left = most - iterations
            else:  # as many as the time allows, at the speed so far
                now = self.clock()
                until = end if now < end or self._is_clear() else end + longer
                left = math.ceil((until - now) * iterations / max(now - began, _SHORTEST_S))
            if left <= 0 or self._is_decided(left):
                return iterations
            if iterations >= report:
                self._report(before + iterations, self.tree.choices())
                report = 2 * iterations
            # half of what the time seems to allow, because a call that takes longer cannot be
            # stopped
            number = min(_ITERATIONS, left if most else max(1, left // 2))

    def _is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change what is asked for."""
        # an analysis asks for values, also those of actions that will not be chosen
        return self.tree.is_complete if self._is_explored else self.tree.is_decided(left)

    def _is_clear(self) -> bool:
        """Return True if no other much visited action has a higher margin than the first."""
        first, *others = self.tree.choices()
        much = _MUCH * (first.visits + sum(choice.visits for choice in others))
        return all(choice.visits < much or choice.margin <= first.margin for choice in others)
