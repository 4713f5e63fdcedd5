"""Games as rows, for ``pwtourney games``: which of them are meant, and what is said of each."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from pwtourney.notation.game import Game, Verdict
from pwtourney.report.text.machine import spreadsheet_text
from pwtourney.schedule.pairing import FormatTable

__all__ = ["FAULT", "Wish", "games_csv", "list_wanted", "tabulate_games"]

FAULT = "fault"
"""A wish for any verdict by which a bot loses."""

_HEADINGS = ("No.", "Game", "First", "Second", "Score", "Winner", "Margin", "Verdict")


class Wish(NamedTuple):
    """What the wanted games have in common.

    They are those of all the `bots`, at most two, with a `verdict` (`FAULT` stands for any fault,
    that of the first bot if there is one)
    and a margin of at least `least` and at most `most` points; None and no bots exclude nothing. A
    game without two scores, one lost by a fault, has no margin.
    """

    bots: tuple[str, ...] = ()
    verdict: str | None = None
    least: int | None = None
    most: int | None = None

    def fits(self, game: Game) -> bool:
        """Return True if a game is wanted."""
        if not set(self.bots) <= set(game.bots):
            return False
        if self.verdict == FAULT:
            failed = {game.bots[fault.seat] for fault in game.faults}
            if not failed.intersection(self.bots[:1] or failed):
                return False
        if self.verdict not in (None, FAULT, game.verdict):
            return False
        margin = _find_margin(game)
        if margin is None:
            return self.least is None and self.most is None
        low, high = self.least or 0, margin if self.most is None else self.most
        return low <= margin <= high


def list_wanted(games: Iterable[Game], wish: Wish, most: int | None) -> list[Game]:
    """Return the first `most` wanted games, all of them for None."""
    return [*islice(filter(wish.fits, games), most)]


def tabulate_games(games: Iterable[Game], games_a_pair: int, title: str) -> FormatTable:
    """Return a table of games; `games_a_pair` gives each its number in the schedule."""
    rows = []
    for game in games:
        margin = _find_margin(game)
        rows.append(
            (
                str(number_of(game, games_a_pair)),
                f"{game.pair}.{game.game}",
                *game.bots,
                ":".join(map(str, game.scores)),
                "–" if game.winner is None else game.bots[game.winner],
                "–" if margin is None else str(margin),
                str(game.verdict),
            )
        )
    return FormatTable(title, _HEADINGS, tuple(rows))


def number_of(game: Game, games_a_pair: int) -> int:
    """Return the number of a game in the schedule, counted from 1."""
    return 1 + game.pair * games_a_pair + game.game


def games_csv(games: Iterable[Game], games_a_pair: int) -> str:
    """Return games as CSV, for a spreadsheet: a row each below one with the names of columns."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    for game in games:
        writer.writerow(dict(zip(_COLUMNS, _list_cells(game, games_a_pair), strict=True)))
    return text.getvalue()


_COLUMNS = (
    "number",
    "game",
    "edition",
    "first",
    "second",
    "first_score",
    "second_score",
    "winner",
    "margin",
    "verdict",
    "why",
    "plies",
    "first_seconds",
    "second_seconds",
)


def _list_cells(game: Game, games_a_pair: int) -> Iterator[object]:
    margin = _find_margin(game)
    yield from (number_of(game, games_a_pair), f"{game.pair}.{game.game}")
    yield from map(spreadsheet_text, (game.edition, *game.bots))
    yield from game.scores
    yield "" if game.winner is None else spreadsheet_text(game.bots[game.winner])
    yield "" if margin is None else margin
    yield from (str(game.verdict), spreadsheet_text(game.explanation), len(game.plies))
    for seat in range(2):
        micros = sum(max(0, ply.micros) for ply in game.plies if ply.seat == seat)
        yield f"{micros / 1e6:.3f}"


def _find_margin(game: Game) -> int | None:
    """Return the difference of the scores of a game that was played to its end, else None."""
    if game.verdict is not Verdict.FINISHED:
        return None
    return abs(game.scores[0] - game.scores[1])
