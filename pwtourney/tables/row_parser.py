"""Parsing one row of a table of games, for every kind of file."""

import json
from collections.abc import Container, Mapping
from typing import Any

from pwtourney.ratings import Result

__all__ = [
    "COLUMNS",
    "DEAL_OF_PAIR",
    "EXPECTED",
    "LONGEST_NAME",
    "MOST_POINTS",
    "NEEDED",
    "SCORES",
    "WORDS_FOR_WINNERS",
    "explain",
    "parse_mapping",
    "parse_result",
    "score_of_winner",
    "translate_heading",
]

NEEDED = ("first", "second", "score")
COLUMNS = (*NEEDED, "pair", "deal", "margin")
EXPECTED = "needed are first, second and score (that of the bot that moved first) or winner"
_WORDS_OF_CHESS = {"white": "first", "black": "second", "result": "score"}
WORDS_FOR_WINNERS = {
    **dict.fromkeys(("first", "white"), "1"),
    **dict.fromkeys(("second", "black"), "0"),
    **dict.fromkeys(("draw", "tie"), "0.5"),
    "": "",
}
"""Scores by the words for a winner, apart from names."""


class _Scores(dict[str, float | None]):
    """Scores by their spelling; the usual ones are stored, and others are parsed on request.

    Raises KeyError for an invalid score.
    """

    def __missing__(self, text: str) -> float | None:
        # Spreadsheets write a decimal comma in some languages, and typographers use other signs.
        plain = text.strip().replace(",", ".").replace("–", "-").replace("½", "1/2")
        if plain != text and plain in self:
            return self[plain]
        try:
            score = float(plain) if plain else None
        except ValueError:
            raise KeyError(text) from None
        if score not in (0.0, 0.5, 1.0, None):
            raise KeyError(text)
        return score


SCORES = _Scores(
    {
        "1": 1.0,
        "1.0": 1.0,
        "0": 0.0,
        "0.0": 0.0,
        "0.5": 0.5,
        "": None,
        "1-0": 1.0,
        "0-1": 0.0,
        "1/2-1/2": 0.5,
        "1/2": 0.5,
        "*": None,
    }
)

LONGEST_NAME = 200
"""The most characters in the name of a bot."""

MOST_POINTS = 1_000_000
"""The widest margin."""

DEAL_OF_PAIR = "pair "
"""The prefix of a deal that is named by its pair; without it, pair 7 would be on deal 7."""


def parse_mapping(game: Mapping[str, Any]) -> Result:
    """Make a result from the values in a row; raises ValueError, or KeyError for a missing one."""
    row = {translate_heading(key, game): value for key, value in game.items()}
    by_winner = "score" not in row and "winner" in row
    if by_winner:
        row["score"] = row["winner"]
    first, second, score = (_text(row[key]) for key in NEEDED)
    pair, deal, margin = (_text(row.get(key)) for key in ("pair", "deal", "margin"))
    return parse_result(first, second, score, pair, deal, margin, by_winner=by_winner)


def translate_heading(heading: str, headings: Container[str]) -> str:
    """Return our word for a heading in the words of chess, unless ours is present, too."""
    ours = _WORDS_OF_CHESS.get(heading, heading)
    return heading if ours in headings else ours


def score_of_winner(first: str, second: str, winner: str) -> str:
    """Return the score of a game by its winner, a bot or a seat; raises ValueError for others."""
    winner = winner.strip()
    # By name first, because a bot may be called `white`.
    if winner in (first, second):
        return "1" if winner == first else "0"
    if winner.lower() not in WORDS_FOR_WINNERS:
        raise ValueError(
            f"the winner {winner!r:.40} is neither of the two bots, nor draw, nor empty (void)"
        )
    return WORDS_FOR_WINNERS[winner.lower()]


def parse_result(*texts: str, by_winner: bool) -> Result:
    """Make a result from texts in the order of the columns; raises ValueError."""
    first, second, score, pair, deal, margin = texts
    if by_winner:
        score = score_of_winner(first, second, score)
    try:
        points = SCORES[score]
    except KeyError:
        raise ValueError(f"the score {score!r:.40} is not 1, 0, 0.5 or empty (void)") from None
    for bot in (first, second):
        # Printed, it would look like another name.
        if bot != bot.strip():
            raise ValueError(f"the name {bot!r:.40} begins or ends with a blank; take it away")
    if first == second or not first or not second:
        raise ValueError(f"{first!r:.40} against {second!r:.40} is not a game between two bots")
    if max(len(first), len(second)) > LONGEST_NAME:
        raise ValueError(f"a name is longer than {LONGEST_NAME} characters")
    try:
        by = int(margin) if margin else None
    except ValueError:
        raise ValueError(f"the margin {margin!r:.40} is not a whole number") from None
    if by is not None and abs(by) > MOST_POINTS:
        raise ValueError(f"the margin {margin:.40} is beyond ±{MOST_POINTS}")
    return Result(first, second, points, deal or (pair and f"{DEAL_OF_PAIR}{pair}"), by, pair)


def _text(value: object) -> str:
    # True is a number in Python, but not a score.
    if isinstance(value, bool | dict | list):
        raise ValueError(f"{value!r:.40} is neither a text nor a number")
    return "" if value is None else str(value)


def explain(error: Exception) -> str:
    """Return what is wrong with a row."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}"
    return "the row is too short" if isinstance(error, IndexError) else str(error)
