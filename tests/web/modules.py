"""Calls single modules of pages in a real browser, because drawing needs its document."""

from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pwtourney.web
from pwtourney.notation import is_card
from pwtourney.notation.game import Game
from pwtourney.notation.game_data import edition_data, position_data
from pwtourney.notation.game_text import replay
from pwtourney.notation.marks import Marks
from pwtourney.notation.words import parse_action
from pwtourney.rules import Edition, State

__all__ = ["Modules", "list_positions"]

ADDRESS = "http://modules.invalid"
"""An address that does not exist: the test answers all requests below it."""

SOURCES = Path(pwtourney.web.__file__).parent

DRAW = """async ([address, edition, positions, words]) => {
  const { makeBoards } = await import(`${address}/shared/boards.js`);
  const { formatPicture } = await import(`${address}/shared/picture.js`);
  const boards = makeBoards(edition);
  return positions.map(([now, before]) => formatPicture(boards, now, before, words));
}"""


def list_positions(game: Game, edition: Edition) -> list[dict[str, Any]]:
    """Return the positions of a game, computed by the engine, with marks and times."""
    states, automa = list(replay(game, edition)), game.automa is not None
    marks, micros = Marks.of(states[0]), [0, 0]
    shown = [position_data(states[0], marks, automa=automa)]
    for (before, after), ply in zip(pairwise(states), game.plies, strict=True):
        if not is_card(ply.action):
            marks = marks.follow(before, parse_action(ply.action, edition), after)
        micros[ply.seat] += max(0, ply.micros)
        shown.append(position_data(after, marks, (micros[0], micros[1]), automa=automa))
    return shown


class Modules:
    """An empty page that can import the modules of all pages."""

    def __init__(self, browser: Any, **look: Any) -> None:
        self._context = browser.new_context(**look)
        self._page = self._context.new_page()
        self._page.route(f"{ADDRESS}/**", self._answer)
        self._page.goto(f"{ADDRESS}/")

    @staticmethod
    def _answer(route: Any) -> None:
        path = urlsplit(route.request.url).path
        if path == "/":
            route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")
        else:
            route.fulfill(path=SOURCES / path[1:], content_type="text/javascript")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()

    def call(self, program: str, *given: Any) -> Any:
        """Call an asynchronous function with the modules' address and values; return its result."""
        return self._page.evaluate(program, [ADDRESS, *given])

    def draw_positions(
        self,
        edition: Edition,
        positions: list[tuple[dict[str, Any], dict[str, Any] | None]],
        **words: Any,
    ) -> list[str]:
        """Return the picture of each position; each comes with the position before, or None."""
        usual = {
            "names": ["one", "b 2"],
            "scores": [None, None],
            "title": "a title",
            "caption": "a caption",
            "automa": False,
        }
        drawn: list[str] = self.call(DRAW, edition_data(edition), positions, usual | words)
        return drawn

    def draw_state(self, state: State, marks: Marks | None = None) -> str:
        """Return the picture of a single position."""
        (drawn,) = self.draw_positions(state.edition, [(position_data(state, marks), None)])
        return drawn

    def draw_game(self, game: Game, edition: Edition, **words: Any) -> list[str]:
        """Return the pictures of a game: at its start, and after each ply."""
        shown = list_positions(game, edition)
        return self.draw_positions(edition, list(zip(shown, [None, *shown], strict=False)), **words)

    def draw_ply(self, game: Game, edition: Edition, at: int, number: str = "") -> str:
        """Return the picture that a page saves after a ply; games of a store have a number."""
        *_, state = islice(replay(game, edition), at + 1)
        first, second = game.bots
        title = f"{first} against {second}"
        played = f": {game.bots[game.plies[at - 1].seat]} {game.plies[at - 1].action}" if at else ""
        pictures = self.draw_game(
            game,
            edition,
            names=[first, second],
            scores=[state.score(0), state.score(1)],
            title=f"Game {number}: {title}" if number else title,
            caption=f"Ply {at} of {len(game.plies)}{played}",
        )
        return pictures[at]
