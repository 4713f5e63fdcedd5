"""When a bot has failed so often that it plays no more.

The decision about a pair must not depend on which games happened to end first: it looks at the
faults in pairs that stand at least `HORIZON` places before it in the schedule, and those are
waited for where they could matter. So the same pairs are void in every run of deterministic bots,
with any number of workers.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush

from pwtourney.schedule import Pairing

__all__ = ["HORIZON", "FaultLimit"]

HORIZON = 64
_GAMES = 2


class FaultLimit:
    """Counts faults by bot and pair; `limit` of them disqualify a bot, None never does."""

    def __init__(self, limit: int | None, known: Iterable[tuple[int, Iterable[str]]] = ()) -> None:
        self._limit = math.inf if limit is None else limit
        self._open: dict[str, set[int]] = defaultdict(set)
        self._recent: dict[str, list[int]] = defaultdict(list)
        self._settled: Counter[str] = Counter()
        for pair, bots in known:
            self._count(pair, bots)

    def reason(self, bot: str) -> str:
        """Return what is noted of a pair that is void because a bot is disqualified."""
        return f"{bot} is disqualified after {self._limit} faults"

    def hand_out(self, pairing: Pairing) -> None:
        """Note that a pair is being played."""
        for bot in (pairing.first, pairing.second):
            self._open[bot].add(pairing.number)

    def done(self, pairing: Pairing, failed: Iterable[str]) -> None:
        """Note that a pair has ended, and the bot of each fault in it."""
        for bot in (pairing.first, pairing.second):
            self._open[bot].discard(pairing.number)
        self._count(pairing.number, failed)

    def disqualified(self, pairing: Pairing) -> str | None:
        """Return the bot for which a pair is void."""
        for bot in (pairing.first, pairing.second):
            if self._before(bot, pairing.number) >= self._limit:
                return bot
        return None

    def undecided(self, pairing: Pairing) -> bool:
        """Tell whether pairs that are being played could still decide about this one."""
        if self.disqualified(pairing):
            return False
        for bot in (pairing.first, pairing.second):
            waited_for = [each for each in self._open[bot] if each < pairing.number - HORIZON]
            possible = self._before(bot, pairing.number) + _GAMES * len(waited_for)
            if waited_for and possible >= self._limit:
                return True
        return False

    def _before(self, bot: str, number: int) -> int:
        """Count faults beyond the horizon of a pair; pairs are asked about in their order."""
        recent = self._recent[bot]
        while recent and recent[0] < number - HORIZON:
            heappop(recent)
            self._settled[bot] += 1
        return self._settled[bot]

    def _count(self, pair: int, failed: Iterable[str]) -> None:
        for bot in failed:
            heappush(self._recent[bot], pair)
