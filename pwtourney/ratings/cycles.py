"""Cycles: bots of which each beats the next, and the last beats the first.

No order of strength explains a cycle, whatever the chances are by which a stronger bot wins, how
often a bot crashes or blunders, and what a seat is worth to it. A misfit of the ratings can have
all these causes, so it is no proof of a cycle. Here each single result is certain instead: each
pairing is tested on its own deals, and corrected (Holm) for the number of pairings, so that all
results that are called certain are right together. A cycle among them cannot be chance.
"""

from collections import deque
from collections.abc import Collection, Mapping, Sequence

from pwtourney.ratings.meetings import HeadToHead

__all__ = ["find_cycle"]

_LEVEL = 0.05
"""The chance that a cycle is found where there is none."""


def find_cycle(met: Sequence[HeadToHead]) -> tuple[str, ...]:
    """Return a shortest cycle of bots, each of which beats the next; empty if none is certain.

    Only pairings of whole mirrored pairs count: with unequal seats, a seat could make a cycle. The
    result is the same in any order of the pairings, and starts with its first bot by name.
    """
    beaten: dict[str, set[str]] = {}
    for meeting in met:
        if _is_certain(meeting):
            ahead = 2 * meeting.points > meeting.games
            winner, loser = meeting[:2] if ahead else (meeting.second, meeting.first)
            beaten.setdefault(winner, set()).add(loser)
    _drop_ends(beaten)
    shortest: tuple[str, ...] = ()
    for bot in sorted(beaten):
        cycle = _find_way_back(bot, beaten)
        if not shortest or 0 < len(cycle) < len(shortest):
            shortest = cycle
    return shortest


def _drop_ends(beaten: dict[str, set[str]]) -> None:
    """Remove the bots that beat none of those that are left: no cycle leads through them.

    Mostly none is left then, in linear time.
    """
    beaters: dict[str, list[str]] = {}
    for winner, losers in beaten.items():
        for loser in losers:
            beaters.setdefault(loser, []).append(winner)
    ends = [bot for bot in beaters if bot not in beaten]
    while ends:
        end = ends.pop()
        beaten.pop(end, None)
        for winner in beaters.get(end, ()):
            beaten[winner].discard(end)
            if not beaten[winner]:
                ends.append(winner)


def _is_certain(meeting: HeadToHead) -> bool:
    """Return True if it is certain which of two bots beats the other, seats being equal."""
    return meeting.p is not None and meeting.p < _LEVEL and 2 * sum(meeting.pairs) == meeting.games


def _find_way_back(start: str, beaten: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return a shortest way from a bot over those that it beats back to itself; empty if none."""
    ways: deque[tuple[str, ...]] = deque([(start,)])
    seen: set[str] = set()
    while ways:
        way = ways.popleft()
        for bot in sorted(beaten.get(way[-1], ())):
            if bot == start:
                return way
            if bot not in seen:
                seen.add(bot)
                ways.append((*way, bot))
    return ()
