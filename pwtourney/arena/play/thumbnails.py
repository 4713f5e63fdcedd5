"""What pages draw of games to continue: the boards of both seats."""

from collections.abc import Sequence
from typing import Any

from pwtourney.arena.play.live_tables import Summary, Tables
from pwtourney.notation.game_data import edition_data

__all__ = ["MOST_THUMBNAILS", "describe_thumbnails"]

MOST_THUMBNAILS = 6
"""The most games of which a page draws the boards, the last played first."""


def describe_thumbnails(tables: Tables, games: Sequence[Summary]) -> dict[str, Any]:
    """Return what a page draws of some games, by their ids."""
    described = tables.describe_games([game.id for game in games])
    seatings = {game.id: game.seating for game in games if game.seating}
    return {
        name: {
            "edition": edition_data(seatings[name].edition),
            "names": [seat.name for seat in seatings[name].seats],
            "people": seatings[name].people,
            "automa": seatings[name].automa is not None,
            "game": described[name],
        }
        for name in seatings.keys() & described.keys()
    }
