"""Shared by the bots that grow a tree: the clock, when to stop, and the choice."""

import math
import time
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from pwtourney.rules import find_edition
from pwtourney.sdk import Action, Bot, Edition, GameStart, Option, SplitMix64, State, Turn
from pwtourney_bots.thinking import draw_late, format_line, longest_seconds, plan_seconds

__all__ = ["Choice", "SearchTree", "Searcher", "is_ahead", "search_options"]

_ITERATIONS = 128
_FIRST_ITERATIONS = 8
"""The most iterations of one compiled call, and those of the first call.

The former take a few milliseconds; before the first call the speed is unknown.
"""

_SHORTEST_S = 1e-6

_REPORTED = 1024
"""The expected line is reported after this many iterations, and whenever they have doubled."""

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


class SearchTree(Protocol):
    """A tree that a bot grows: of nodes that store their positions, or of the paths to them."""

    @property
    def visits(self) -> int:
        """The visits of the root, for this move and for those before."""

    @property
    def is_solved(self) -> bool:
        """True if all considered lines were followed to the end of the game."""

    def is_decided(self, left: int) -> bool:
        """Return True if `left` more iterations cannot change the first choice."""

    def take_root(self, state: State, since: list[Action]) -> None:
        """Make a position the root, with what is known about it.

        `since` are the actions that were played since the last root.
        """

    def grow(self, iterations: int) -> None:
        """Run this many iterations."""

    def choices(self) -> list[Choice]:
        """Return the actions of the root, the one to play first.

        That is the most visited one: a rarely visited action may look good by luck. An action whose
        value is exact may come before it.
        """

    def line(self, most: int) -> list[Action]:
        """Return the expected line of both players from the root on, at most `most` actions.

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

    def choose(self, turn: Turn) -> Action:
        """Think as long as the clock allows."""
        planned = plan_seconds(turn.limit, turn.state)
        end = self.clock() + planned
        actions = turn.state.legal_actions()
        self._since += turn.played
        if len(actions) == 1:
            choice = actions[0]
        elif turn.state.is_late_hidden:
            choice = self._choose_in_drawings(turn.state, end)
        else:
            self._take_root(turn.state)
            longer = longest_seconds(turn.limit, turn.state) - planned
            iterations = self._think(end, int(self.settings["iterations"]), longer=longer)
            choice, _, margin = self.tree.choices()[0]
            self._report(iterations, choice, margin)
        self._since.append(choice)
        return choice

    def _take_root(self, state: State) -> None:
        self.tree.take_root(state, self._since)
        self._since = []

    def _choose_in_drawings(self, state: State, end: float) -> Action:
        """Draw the order of late patches several times, and play what is best in most of them.

        In each drawing an action gets its share of the visits, or all if it is known to be best.
        """
        most, iterations = int(self.settings["iterations"]), 0
        shares: defaultdict[Action, float] = defaultdict(float)
        margins: defaultdict[Action, float] = defaultdict(float)
        drawings = min(_DRAWINGS, most) or _DRAWINGS
        for left in range(drawings, 0, -1):
            self._take_root(draw_late(state, self._shuffler))
            now = self.clock()
            part = math.ceil((most - iterations) / left) if most else 0
            iterations += self._think(now + (end - now) / left, part, before=iterations)
            choices = self.tree.choices()[: 1 if self.tree.is_solved else None]
            visits = sum(choice.visits for choice in choices)
            for action, seen, margin in choices:
                shares[action] += seen / visits
                margins[action] += seen / visits * margin
        best = max(shares, key=shares.__getitem__)  # the first of equals
        self._report(iterations, best, margins[best] / shares[best])
        return best

    @property
    def root_visits(self) -> int:
        """The visits of the root of the tree, for this move and for those before."""
        return self.tree.visits

    def replace_choice(self, action: Action) -> Action:
        """Play another action than the one that was just chosen; return it."""
        self._since[-1] = action
        return action

    def _report(self, iterations: int, choice: Action, margin: float) -> None:
        """Report the chosen action, the expected margin, and the expected line."""
        line = self.tree.line(_LONGEST_LINE)
        if line[:1] != [choice]:  # the tree is of a drawing in which another action is best
            line = [choice]
        self.say(f"nodes {iterations} score {margin:.1f} {format_line(line, self._edition)}")

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
            if left <= 0 or self.tree.is_decided(left):
                return iterations
            if iterations >= report:
                first = self.tree.choices()[0]
                self._report(before + iterations, first.action, first.margin)
                report = 2 * iterations
            # half of what the time seems to allow, because a call that takes longer cannot be
            # stopped
            number = min(_ITERATIONS, left if most else max(1, left // 2))

    def _is_clear(self) -> bool:
        """Return True if no other much visited action has a higher margin than the first."""
        first, *others = self.tree.choices()
        much = _MUCH * sum((first.visits, *(each.visits for each in others)))
        return all(each.visits < much or each.margin <= first.margin for each in others)
