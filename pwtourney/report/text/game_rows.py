"""Games as rows, for ``pwtourney games``: which of them are meant, and what is shown of each."""

import csv
import io
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from pwtourney.notation.game import SEATS, Game
from pwtourney.report.text.machine import spreadsheet_text
from pwtourney.report.text.measures import UNKNOWN
from pwtourney.schedule.pairing import FormatTable
from pwtourney.store import GameNumbers, result_of
from pwtourney.tables.game_table import rated_columns

__all__ = ["FAULT", "Wish", "games_csv", "list_wanted", "tabulate_games"]

FAULT = "fault"
"""A wish for any verdict by which a bot loses."""

_HEADINGS = ("No.", "Game", "First", "Second", "Score", "Winner", "Margin", "Verdict")
_COLUMNS = (
    "number",
    "game",
    "first",
    "second",
    "score",
    "pair",
    "deal",
    "margin",
    "format",
    "edition",
    "first_points",
    "second_points",
    "verdict",
    "why",
    "plies",
    "first_seconds",
    "second_seconds",
)


class Wish(NamedTuple):
    """Conditions that all wanted games fulfil; None and no bots exclude nothing.

    They are games of all `bots`, at most two, with a `verdict` and a margin from `least` to `most`
    points. `FAULT` stands for any fault, of the first of the bots if there is one. A game that a
    fault ended has no margin.
    """

    bots: tuple[str, ...] = ()
    verdict: str | None = None
    least: int | None = None
    most: int | None = None

    def fits(self, game: Game) -> bool:
        """Return True if a game is wanted."""
        return set(self.bots) <= set(game.bots) and self._has_verdict(game) and self._is_won(game)

    def _has_verdict(self, game: Game) -> bool:
        if self.verdict != FAULT:
            return self.verdict in (None, game.verdict)
        failed = {game.bots[fault.seat] for fault in game.faults}
        return bool(failed.intersection(self.bots[:1] or failed))

    def _is_won(self, game: Game) -> bool:
        if self.least is None and self.most is None:
            return True
        if game.margin is None:
            return False
        by = abs(game.margin)
        return (self.least or 0) <= by and (self.most is None or by <= self.most)


def list_wanted(games: Iterable[Game], wish: Wish, most: int | None) -> list[Game]:
    """Return the first `most` wanted games, all of them for None."""
    return [*islice(filter(wish.fits, games), most)]


def tabulate_games(games: Iterable[Game], numbers: GameNumbers, title: str) -> FormatTable:
    """Return a table of games with their numbers in the schedule."""
    rows = tuple(
        (
            str(numbers.of(game)),
            f"{game.pair}.{game.game}",
            *game.bots,
            ":".join(map(str, game.scores)),
            UNKNOWN if game.winner is None else game.bots[game.winner],
            UNKNOWN if game.margin is None else str(abs(game.margin)),
            str(game.verdict),
        )
        for game in games
    )
    return FormatTable(title, _HEADINGS, rows, words=("Game", "Verdict"), leaving=("Margin",))


def games_csv(games: Iterable[Game], numbers: GameNumbers, format_name: str) -> str:
    """Return games of a tournament as CSV: a row each below one with the names of columns.

    ``pwtourney rate`` reads it, and no spreadsheet takes a text in it for a formula.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for game in games:
        writer.writerow(_describe(game, numbers, format_name))
    return text.getvalue()


def _describe(game: Game, numbers: GameNumbers, format_name: str) -> dict[str, object]:
    """Return the columns of a game."""
    seconds = (
        sum(max(0, ply.micros) for ply in game.plies if ply.seat == seat) / 1e6
        for seat in range(len(SEATS))
    )
    columns = {
        "number": numbers.of(game),
        "game": f"{game.pair}.{game.game}",
        **rated_columns(result_of(game), format_name),
        "edition": game.edition,
        **dict(zip(("first_points", "second_points"), game.scores, strict=True)),
        "verdict": str(game.verdict),
        "why": game.explanation,
        "plies": len(game.plies),
        **{
            f"{seat}_seconds": f"{duration:.3f}"
            for seat, duration in zip(SEATS, seconds, strict=True)
        },
    }
    return {
        name: spreadsheet_text(cell) if isinstance(cell, str) else cell
        for name, cell in columns.items()
    }
