"""The `swiss` format: each round pairs bots with equal points; no two bots meet twice.

It has its own table with points and Buchholz. It is not suited to measure strength: games between
neighbours say little about the rest of the table.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

from pydantic import Field

from pwtourney.schedule.format_spec import (
    Check,
    FileDraft,
    FormatKeys,
    FormatSettings,
    FormatSpec,
    Problem,
    RunFacts,
    register,
)
from pwtourney.schedule.pairing import Format, FormatTable, History, Meeting

__all__ = ["Swiss", "SwissRow", "max_matching", "most_rounds", "usual_rounds"]

Met = Mapping[str, frozenset[str]]
"""The opponents that each bot has met."""

_WIN, _DRAW = 1.0, 0.5
_NOBODY = -1


class _Keys(FormatKeys):
    rounds: int | None = Field(
        None, ge=1, description="In a Swiss tournament, the number of rounds."
    )


class _Settings(FormatSettings):
    rounds: int = 0


class SwissRow(NamedTuple):
    """One bot of the table: match points, Buchholz (its opponents' points), and game points.

    `bye` is True if the bot sat out a round. A bye is worth a won match, but adds nothing to
    Buchholz. `opponents` are in the order in which the bot met them.
    """

    bot: str
    points: float = 0.0
    buchholz: float = 0.0
    games: float = 0.0
    bye: bool = False
    opponents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Swiss(Format):
    """A Swiss tournament of `rounds` rounds; a match is `pairs` mirrored pairs.

    The pairing rules resemble the Dutch system. Bots are ordered by points, then as in the
    tournament file. With an odd number of bots, the last one without a bye gets it. Then, from the
    top, the bots with equal points and those left over from above form a group; its upper half
    meets its lower half in order. No two bots meet twice. If a group cannot be paired within
    itself, as few bots as possible float down to the next group. A pair is made only if all others
    can still be paired. Seats need no rule, because every pair is played from both.
    """

    bots: tuple[str, ...]
    rounds: int
    pairs: int

    # The pairing of a round needs the results of all rounds before it.
    lag = 1

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the pairs of all matches of a round: one pair of each match in turn."""
        if index >= self.rounds:
            return ()
        rows = self._count_rounds(history)
        met = {bot: frozenset(row.opponents) for bot, row in rows.items()}
        # The sort is stable, so bots with equal points keep the order of the file.
        left = sorted(rows, key=lambda bot: -rows[bot].points)
        if len(left) % 2:
            # The bye goes to the last bot that has had none and without which the others can be
            # paired. With at most `most_rounds` rounds such a bot exists.
            left.remove(
                next(
                    bot
                    for bot in reversed(left)
                    if not rows[bot].bye
                    and _can_pair_all([other for other in left if other != bot], met)
                )
            )
        matches: list[Meeting] = []
        waiting: list[str] = []
        for points in sorted({rows[bot].points for bot in left}, reverse=True):
            group = [bot for bot in left if rows[bot].points == points and bot not in waiting]
            waiting = _pair_group([*waiting, *group], left, met, matches)
        # Interleave the matches, so that a round read half-way says equally much about each of
        # them.
        return [
            pair if turn % 2 == 0 else pair[::-1] for turn in range(self.pairs) for pair in matches
        ]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.rounds * self.pairs * (len(self.bots) // 2)

    def locked_settings(self) -> dict[str, Any]:
        """Return the settings that the pairing depends on."""
        return {"rounds": self.rounds, "pairs": self.pairs}

    def rank(self, history: History) -> list[SwissRow]:
        """Return the rows of the table after the last whole round, best first."""
        rows = self._count_rounds(history)
        # Buchholz comes last: an opponent's points include rounds after the two met.
        whole = [
            row._replace(buchholz=sum(rows[opponent].points for opponent in row.opponents))
            for row in rows.values()
        ]
        return sorted(whole, key=lambda row: (-row.points, -row.buchholz, -row.games))

    def _count_rounds(self, history: History) -> dict[str, SwissRow]:
        """Return the rows in the order of the file, without Buchholz."""
        rows = {bot: SwissRow(bot) for bot in self.bots}
        # Count whole rounds only: otherwise bots whose match has begun would have an advantage.
        size = len(self.bots) // 2 * self.pairs
        for start in range(0, len(history) - size + 1, size):
            scores: defaultdict[frozenset[str], dict[str, float]] = defaultdict(dict)
            for played in history[start : start + size]:
                first, second = played.pairing.first, played.pairing.second
                # A void pair counts as split, so that every match has a result.
                total = 1.0 if played.total is None else played.total
                match = scores[frozenset((first, second))]
                match[first] = match.get(first, 0.0) + total
                match[second] = match.get(second, 0.0) + 2 - total
            for match in scores.values():
                for bot, opponent in permutations(match):
                    own, theirs = match[bot], match[opponent]
                    row = rows[bot]
                    won = _WIN if own > theirs else _DRAW if own == theirs else 0.0
                    rows[bot] = row._replace(
                        points=row.points + won,
                        games=row.games + own,
                        opponents=(*row.opponents, opponent),
                    )
            # Byes are not stored: the bot without a match in a whole round had it.
            for bot in set(rows) - {bot for match in scores.values() for bot in match}:
                rows[bot] = rows[bot]._replace(points=rows[bot].points + _WIN, bye=True)
        return rows

    def table(self, history: History) -> FormatTable:
        """Return the table of the tournament."""
        played = len(history) // max(1, len(self.bots) // 2 * self.pairs)
        ranked = self.rank(history)
        rows = tuple(
            (
                str(rank),
                row.bot,
                f"{row.points:g}",
                f"{row.buchholz:g}",
                f"{row.games:g}",
                ", ".join(row.opponents + (("bye",) if row.bye else ())),
            )
            for rank, row in enumerate(ranked, 1)
        )
        return FormatTable(
            title=f"Swiss, after {played} of {self.rounds} rounds",
            headings=("Place", "Bot", "Points", "Buchholz", "Game points", "Met"),
            rows=rows,
            notes=("Ties are broken by Buchholz, then by points of games, then by the file.",),
            leader=ranked[0].bot if played else "",
            words=("Met",),
            leaving=("Met", "Game points", "Buchholz", "Place", "Points"),
        )

    def status(self, history: History) -> str:
        """Return the leader and its points."""
        first = self.rank(history)[0]
        return f"{first.bot} leads with {first.points:g}" if history else ""


def usual_rounds(bots: int) -> int:
    """Return the number of rounds that finds one winner, plus one."""
    return max(1, min(most_rounds(bots), (bots - 1).bit_length() + 1))


def most_rounds(bots: int) -> int:
    """Return the largest number of rounds that can always be paired without a repeated meeting.

    As long as no bot has met half of the others, all can be paired (Dirac's theorem).
    """
    return max(1, (bots + bots % 2) // 2)


def _pair_group(group: list[str], left: list[str], met: Met, meetings: list[Meeting]) -> list[str]:
    """Pair as many bots of a group as possible; return the bots that float down.

    Removes paired bots from `left`, and appends the pairs to `meetings`.
    """
    waiting: list[str] = []
    while group:
        bot = group.pop(0)
        # Try the lower half from its top, then the upper half from its bottom: these differ least
        # from the first choice. Without `bot` the group is one short, so its lower half begins at
        # half of the whole group.
        half = (len(group) + 1) // 2 - 1
        possible = max_matching(_list_partners([bot, *group], met))
        for other in (*group[half:], *reversed(group[:half])):
            if other in met[bot]:
                continue
            # Skip a partner that costs the group a second pair: two bots would float down without
            # need.
            rest = [member for member in group if member != other]
            if max_matching(_list_partners(rest, met)) < possible - 1:
                continue
            # All bots that are left in the whole field must still be pairable. Backtracking over
            # later groups would find the same pairs, but can take as long as there are pairings.
            others = [member for member in left if member not in (bot, other)]
            if _can_pair_all(others, met):
                group.remove(other)
                left[:] = others
                meetings.append((bot, other))
                break
        else:
            waiting.append(bot)
    return waiting


def _can_pair_all(bots: Sequence[str], met: Met) -> bool:
    return max_matching(_list_partners(bots, met)) == len(bots) // 2


def _list_partners(bots: Sequence[str], met: Met) -> list[list[int]]:
    """Return, for each bot, the indices of the bots that it has not met."""
    return [
        [index for index, other in enumerate(bots) if other != bot and other not in met[bot]]
        for bot in bots
    ]


def max_matching(partners: Sequence[Sequence[int]]) -> int:
    """Return the maximum number of disjoint pairs; `partners` lists the possible partners of each.

    This is Edmonds' blossom algorithm (J. Edmonds, "Paths, trees, and flowers", 1965). From an
    unmatched node, a breadth-first search follows paths that alternate between edges outside and
    inside the matching. An odd cycle is shrunk to its base. A path that ends in another unmatched
    node enlarges the matching by one edge.
    """
    # Why not a library, or backtracking over all pairings? Measured on whole tournaments of 30 bots
    # and 15 rounds, the largest in the tests, this takes 0.03 s. `max_weight_matching` of networkx
    # 3.6 takes 0.3 s, plus 0.2 to 0.5 s for its import (285 modules, 19 MB); that of rustworkx
    # takes 0.03 s, and 7 MB of compiled code. Backtracking with memoization takes 0.06 s, but up to
    # 19 s for 64 bots and 32 rounds (this: 0.4 s), and minutes for 100 and 50 (3.5 s).
    search = _Search(partners)
    # A node without an augmenting path has none in any larger matching, so each node is a root
    # once.
    for root, mate in enumerate(search.mate):
        if mate == _NOBODY:
            search.augment(root)
    return sum(mate != _NOBODY for mate in search.mate) // 2


class _Search:
    """A matching, and the tree of alternating paths from the current root."""

    def __init__(self, partners: Sequence[Sequence[int]]) -> None:
        self.partners = partners
        self.mate = [_NOBODY] * len(partners)
        # Match bots greedily first: most augmenting paths consist of one edge.
        for node, others in enumerate(partners):
            if self.mate[node] == _NOBODY:
                free = next((other for other in others if self.mate[other] == _NOBODY), None)
                if free is not None:
                    self.mate[node], self.mate[free] = free, node

    def augment(self, root: int) -> None:
        """Enlarge the matching by an augmenting path from an unmatched node, if one exists."""
        # Reset the tree of the root before. A node is outer if an even number of edges leads to it
        # from this root.
        self._base = list(range(len(self.partners)))
        self._parent = [_NOBODY] * len(self.partners)
        self._outer = [False] * len(self.partners)
        self._outer[root] = True
        queue = deque([root])
        while queue:
            node = queue.popleft()
            for other in self.partners[node]:
                if self._base[node] == self._base[other] or self.mate[node] == other:
                    continue
                mate = self.mate[other]
                # Both are outer nodes: the edge between them closes an odd cycle.
                if other == root or (mate != _NOBODY and self._parent[mate] != _NOBODY):
                    queue.extend(self._shrink(node, other))
                elif self._parent[other] == _NOBODY:
                    self._parent[other] = node
                    if mate == _NOBODY:
                        # The path is complete: swap its edges outside and inside the matching.
                        while other != _NOBODY:
                            parent = self._parent[other]
                            further = self.mate[parent]
                            self.mate[other], self.mate[parent] = parent, other
                            other = further
                        return
                    self._outer[mate] = True
                    queue.append(mate)

    def _shrink(self, left: int, right: int) -> list[int]:
        """Shrink an odd cycle to one node; return its nodes that became outer nodes."""
        seen, node = set(), left
        while node != _NOBODY:
            node = self._base[node]
            seen.add(node)
            mate = self.mate[node]
            node = self._parent[mate] if mate != _NOBODY else _NOBODY  # the root has no mate
        base = self._base[right]
        while base not in seen:
            base = self._base[self._parent[self.mate[base]]]
        inside = [False] * len(self.partners)
        for node, child in ((left, right), (right, left)):
            # Reverse the path to the base, so that it can be walked both ways.
            while self._base[node] != base:
                mate = self.mate[node]
                inside[self._base[node]] = inside[self._base[mate]] = True
                self._parent[node] = child
                node, child = self._parent[mate], mate
        # Inner nodes become outer nodes: each can be reached round the cycle the other way, too.
        fresh = []
        for node in range(len(self.partners)):
            if inside[self._base[node]]:
                self._base[node] = base
                if not self._outer[node]:
                    self._outer[node] = True
                    fresh.append(node)
        return fresh


def _make(settings: _Settings, bots: tuple[str, ...]) -> Swiss:
    return Swiss(bots, settings.rounds, settings.pairs)


def _settle(keys: _Keys, facts: RunFacts) -> dict[str, Any]:
    return {"rounds": keys.rounds or usual_rounds(len(facts.bots))}


def _find_problem(settings: _Settings, bots: int) -> str | None:
    if settings.rounds > most_rounds(bots):
        return f"{bots} bots cannot play {settings.rounds} rounds"
    return None


def _find_too_many_rounds(draft: FileDraft) -> Iterator[Problem]:
    rounds, bots = _Keys.of(draft.config).rounds, len(draft.names)
    most = most_rounds(bots)
    if rounds is not None and rounds > most:
        limit = f"{bots} bots can be paired for {most} round{'s' if most > 1 else ''}"
        yield ("rounds",), f"{limit} without meeting twice; for more take round-robin"


register(
    FormatSpec(
        name="swiss",
        make=_make,
        keys=_Keys,
        checks=(Check(_find_too_many_rounds, frozenset({"bots", "rounds"})),),
        settings=_Settings,
        requires=("rounds",),
        settle=_settle,
        find_problem=_find_problem,
        rank=2,
        paired_by_results=True,
        depends="whom a bot meets depends on its points",
    )
)
