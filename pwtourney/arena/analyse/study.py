"""The subject of an analysis: a game or a position, and all lines from it.

A page sends a source (a stored game, or a text that a user has pasted) and the actions that lead
to the position it shows. This module checks both by the rules, and keeps no state between requests.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pwtourney.arena.choices import describe_choices, describe_step
from pwtourney.errors import IllegalActionError, NotationError
from pwtourney.notation import action_text, card_text, read_action
from pwtourney.notation.game import SEATS, UNTIMED, Game, Ply
from pwtourney.notation.game_data import edition_data, position_data
from pwtourney.notation.game_text import replay
from pwtourney.notation.info import parse_score
from pwtourney.notation.marks import Marks, marked_text, parse_marked
from pwtourney.report.figures import sign_numbers
from pwtourney.rules import ADVANCE, Action, Edition, State, deal
from pwtourney.rules.automa import AUTOMA_SEAT, Solo
from pwtourney.rules.possible import why_impossible
from pwtourney.sanitize import sanitize
from pwtourney.text_files import clean_text

__all__ = ["MOST_ACTIONS", "Point", "Study", "read_position"]

MOST_ACTIONS = 400
"""The most actions from the root to a position; no game of a built-in edition is as long."""

_SEED = 1
"""The seed of the deal whose order of late patches is used if a position hides it."""


def read_position(text: str, edition: Edition) -> tuple[State, Marks]:
    """Return the position of a text, and what is known of its patches.

    Raises `NotationError` if the text is invalid, or if no game can reach the position.
    """
    state, marks = parse_marked(" ".join(clean_text(text).split()), edition)
    if problem := why_impossible(state):
        raise NotationError(f"no game comes to this position: {problem}")
    return state, marks


class Point(NamedTuple):
    """A position on a line, with the action that led to it.

    `action` is empty at the root. `micros` is how long each seat has thought so far, in
    microseconds. `solo` is the game against the Automa, None without it.
    """

    state: State
    marks: Marks
    solo: Solo | None = None
    action: str = ""
    micros: tuple[int, int] = (0, 0)

    @property
    def is_over(self) -> bool:
        """True if the game is over in this position."""
        return self.state.is_over

    @property
    def is_automas(self) -> bool:
        """True if it is the Automa's turn."""
        return self.solo is not None and not self.is_over and self.state.to_move == AUTOMA_SEAT

    @property
    def legal(self) -> list[str]:
        """The legal actions, in the order of the rules; on the Automa's turn, its next card."""
        if self.is_automas and self.solo:
            return [card_text(self.solo.turn()[1])]
        return [action_text(action, self.state.edition) for action in self.state.legal_actions()]

    @property
    def choices(self) -> dict[str, Any] | None:
        """The choices of the player to move; None at the end and on the Automa's turn."""
        return None if self.is_over or self.is_automas else describe_choices(self.state)

    @property
    def advance(self) -> list[int] | None:
        """The space of the player to move, and where an advance leads; None if there is none."""
        if self.is_over or self.is_automas or self.state.pending:
            return None
        way: list[int] = describe_step(self.state, ADVANCE)["space"]
        return way

    def play(self, text: str, micros: int = 0) -> "Point":
        """Return the position after an action or a card of the Automa.

        `micros` is how long the player has thought. Raises `NotationError` or `IllegalActionError`
        if the action cannot be played.
        """
        state, solo = self.state, self.solo
        first, second = self.micros
        spent = (first, second + micros) if state.to_move else (first + micros, second)
        if self.is_automas and solo:
            after, turn = solo.turn()
            if text != card_text(turn):
                raise IllegalActionError(f"the Automa plays {card_text(turn)} here")
            return Point(after.state, self.marks, after, text, spent)
        action: Action = read_action(text, state)
        following = state.apply(action)
        return Point(
            following,
            self.marks.follow(state, action, following),
            solo and solo._replace(state=following),
            action_text(action, state.edition),
            spent,
        )

    def describe(self) -> dict[str, Any]:
        """Return the position as a page draws it, its text, the scores and the winner.

        `advance` is for a page that shows that an advance would have been better.
        """
        board = self.solo or self.state
        return {
            "position": position_data(
                self.state, self.marks, self.micros, automa=self.solo is not None
            ),
            "text": marked_text(self.state.hide_late(), self.marks),
            "over": self.is_over,
            "scores": list(board.scores),
            "winner": board.winner,
            "automa": self.is_automas,
            "advance": self.advance,
        }


class Study(NamedTuple):
    """A game or a position to analyse; `game` is None for a position."""

    edition: Edition
    root: Point
    game: Game | None = None

    @classmethod
    def of_game(cls, game: Game, edition: Edition) -> "Study":
        """Return the study of a game, after a check from the first ply to the result.

        Raises `NotationError` or `IllegalActionError` if the game is invalid.
        """
        for _ in replay(game, edition):
            pass
        start = game.start or State.start(edition, game.deal)
        solo = Solo.start(start, game.automa, game.seeds[AUTOMA_SEAT]) if game.automa else None
        start = solo.state if solo else start
        return cls(edition, Point(start, Marks.of(start), solo), game)

    @classmethod
    def of_position(cls, state: State, marks: Marks | None = None) -> "Study":
        """Return the study of a position; late patches in hidden order get one possible order."""
        if state.is_late_hidden:
            state = state.reveal(deal(state.edition, _SEED).late)
        return cls(state.edition, Point(state, marks or Marks.of(state)))

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The plies of the game, empty for a position."""
        return self.game.plies if self.game else ()

    def follow(self, actions: Sequence[str]) -> list[Point]:
        """Return the root and the position after each action.

        Raises `NotationError` or `IllegalActionError` that names the ply that cannot be played.
        """
        if len(actions) > MOST_ACTIONS:
            raise NotationError(f"a line has {MOST_ACTIONS} plies at most, not {len(actions)}")
        points = [self.root]
        for number, action in enumerate(actions, 1):
            try:
                points.append(points[-1].play(action))
            except (NotationError, IllegalActionError) as error:
                raise type(error)(f"ply {number}: {error}") from error
        return points

    def points(self) -> Iterator[Point]:
        """Yield the positions of the game: the root, and the position after each ply."""
        point = self.root
        yield point
        for ply in self.plies:
            point = point.play(ply.action, max(0, ply.micros))
            yield point

    def describe(self) -> dict[str, Any]:
        """Return everything that a page shows: edition, names, plies, positions and result.

        A ply has a seat, an action, microseconds (None if they were not measured), the bot's info,
        and the margin that the bot expected for the first seat, or None.
        """
        points = [point.describe() for point in self.points()]
        late = self.edition.late
        facts: dict[str, Any] = {
            "edition": edition_data(self.edition)
            | {"name": self.edition.name, "latePatches": late.patches if late else []},
            "names": list(SEATS),
            "plies": [_describe_ply(ply) for ply in self.plies],
            "points": points,
            "result": "",
            "automa": bool(self.root.solo),
        }
        if game := self.game:
            facts["names"] = [sanitize(name) for name in game.bots]
            facts["result"] = _describe_result(game)
            facts["finished"] = not game.faults and points[-1]["over"]
        return facts


def _describe_ply(ply: Ply) -> Mapping[str, Any]:
    score = parse_score(ply.info)
    return {
        "seat": ply.seat,
        "action": ply.action,
        "micros": None if ply.micros == UNTIMED else ply.micros,
        "said": sanitize(ply.info)[:200],
        "margin": score if score is None or ply.seat == 0 else -score,
    }


def _describe_result(game: Game) -> str:
    """Return a sentence with the scores, the winner and the verdict."""
    first, second = (sanitize(name) for name in game.bots)
    verdict = "" if game.verdict == "finished" else f" ({game.verdict})"
    first_score, second_score = map(sign_numbers, game.scores)
    return f"{first} {first_score}, {second} {second_score}: {game.outcome}{verdict}"
