"""Counts the score between two bots of a tournament, as its standings do."""

from typing import Any

from pwtourney.ratings import HeadToHead
from pwtourney.report.page.addresses import games_address
from pwtourney.sanitize import sanitize
from pwtourney.standings import Standings

__all__ = ["PairingScores"]


class PairingScores:
    """The scores of all pairings of a table; bots have the names that pages show."""

    def __init__(self, standings: Standings) -> None:
        self._met: dict[tuple[str, str], HeadToHead] = {}
        for pool in standings.pools:
            for met in pool.meetings:
                first, second = sanitize(met.first), sanitize(met.second)
                self._met[first, second] = met
                self._met[second, first] = met.seen_from(met.second)

    def describe(self, first: str, second: str) -> dict[str, Any]:
        """Return the points of two bots, and the numbers of games and of whole pairs that count.

        ``address`` is that of their games on the tournament's page, empty if they have not met.
        """
        bots = [first, second]
        met = self._met.get((first, second))
        if met is None:
            return {"bots": bots, "points": [0.0, 0.0], "games": 0, "pairs": 0, "address": ""}
        return {
            "bots": bots,
            "points": [met.points, met.games - met.points],
            "games": met.games,
            "pairs": sum(met.pairs),
            "address": games_address(met.first, against=met.second),
        }
