"""The `knockout` format: a seeded bracket; a match is the best of n pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pwtourney.schedule.format_spec import FormatSettings, FormatSpec, register
from pwtourney.schedule.pairing import Format, FormatTable, History, Meeting

__all__ = ["EXTRA_PAIRS", "Knockout", "KnockoutMatch"]

EXTRA_PAIRS = 5
"""The maximum number of extra pairs that decide a tied match, played one at a time."""

_TIES = f"ties: up to {EXTRA_PAIRS} single pairs, then the better seed"
_FINALS = {1: "final", 2: "semi-finals", 4: "quarter-finals"}


class KnockoutMatch(NamedTuple):
    """The match of two bots in a round of the bracket, the better seed first, and its state.

    `second` is None for a bye. `points` are those of both bots in all pairs that count. `played`
    and `voids` count pairs. `winner` is None until the match is decided; `by` says how it was
    decided.
    """

    round: int
    first: str
    second: str | None
    points: tuple[float, float] = (0.0, 0.0)
    played: int = 0
    voids: int = 0
    winner: str | None = None
    by: str = ""


@dataclass(frozen=True)
class Knockout(Format):
    """Every match is the best of `pairs` pairs; bots are seeded in the order of the file.

    In the bracket the first two seeds can only meet in the final, the first four in the
    semi-finals, and so on. If the number of bots is not a power of two, the best seeds have byes. A
    match ends when one bot cannot be caught. After a tie in `pairs` pairs, up to five single pairs
    follow, and the first that is not split decides; if none does, the better seed advances. Void
    pairs are played again, at most `pairs` times in a match.
    """

    bots: tuple[str, ...]
    pairs: int

    # The next pairs of a match depend on all its results so far.
    lag = 1

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the minimum of pairs that every open match of the round still needs."""
        meetings: list[Meeting] = []
        for match in self.matches(history):
            if match.winner is not None or match.second is None:
                continue
            left = self.pairs - match.played
            lead = abs(match.points[0] - match.points[1])
            # After n pairs that the leader wins, 2·(left − n) points remain for the other bot to
            # catch up. All n are returned at once, because none of them can be skipped. After the
            # regular pairs there is no such n, and a tie is continued by one pair at a time.
            count = next((n for n in range(1, left + 1) if lead + 2 * n > 2 * (left - n)), 1)
            start = match.played + match.voids
            pair = (match.first, match.second)
            meetings += [pair if (start + n) % 2 == 0 else pair[::-1] for n in range(count)]
        return meetings

    def max_pairs(self) -> int:
        """Return the number of pairs if every match takes the maximum number."""
        return (len(self.bots) - 1) * (2 * self.pairs + EXTRA_PAIRS)

    def locked_settings(self) -> dict[str, Any]:
        """Return the number of pairs in a match."""
        return {"pairs": self.pairs}

    def matches(self, history: History) -> list[KnockoutMatch]:
        """Return all matches of the rounds known so far, round by round."""
        met: dict[frozenset[str], list[tuple[str, float | None]]] = {}
        for played in history:
            first, second = played.pairing.first, played.pairing.second
            met.setdefault(frozenset((first, second)), []).append((first, played.total))
        # Two bots meet in at most one match, so two names identify a match.
        bracket: list[KnockoutMatch] = []
        # Build the first round from the final outwards. In each larger round the numbers of a seed
        # and its opponent add up to the last number, so the best meet the weakest.
        order = [0]
        while len(order) < len(self.bots):
            last = 2 * len(order) - 1
            order = [entrant for seed in order for entrant in (seed, last - seed)]
        # Empty slots are byes.
        entrants: list[str | None] = [
            self.bots[seed] if seed < len(self.bots) else None for seed in order
        ]
        number = 0
        while len(entrants) > 1:
            matches = [
                self._follow_match(number, *pair, met)
                for pair in zip(entrants[::2], entrants[1::2], strict=True)
            ]
            bracket += matches
            # The next round begins for all matches at once, although some could start: the order in
            # which matches end must not affect the schedule.
            if any(match.winner is None for match in matches):
                break
            entrants = [match.winner for match in matches]
            number += 1
        return bracket

    def table(self, history: History) -> FormatTable:
        """Return the bracket, one row a match."""
        matches = self.matches(history)
        rounds = (len(self.bots) - 1).bit_length()
        rows = tuple(
            (
                _round_name(rounds - match.round),
                match.first,
                match.second or "bye",
                "" if match.second is None else f"{match.points[0]:g}–{match.points[1]:g}",
                f"{match.winner} ({match.by})" if match.winner else "open",
            )
            for match in matches
        )
        length = "1 pair" if self.pairs == 1 else f"{self.pairs} pairs"
        last = matches[-1]
        won = last.winner if last.round == rounds - 1 else None
        return FormatTable(
            title=f"Knockout: {won} wins" if won else "Knockout",
            headings=("Round", "Bot", "Against", "Points", "Goes on"),
            rows=rows,
            notes=(f"Best of {length}; {_TIES}.",),
            leader=won or "",
            words=("Round", "Goes on"),
            leaving=("Goes on", "Round", "Points"),
        )

    def status(self, history: History) -> str:
        """Return the name of the round."""
        rounds = (len(self.bots) - 1).bit_length()
        return _round_name(rounds - self.matches(history)[-1].round)

    def _follow_match(
        self,
        number: int,
        upper: str | None,
        lower: str | None,
        met: dict[frozenset[str], list[tuple[str, float | None]]],
    ) -> KnockoutMatch:
        """Return the state of the match between two slots of the bracket."""
        seeds = sorted(filter(None, (upper, lower)), key=self.bots.index)
        if len(seeds) == 1:
            return KnockoutMatch(number, seeds[0], None, winner=seeds[0], by="bye")
        first, second = seeds
        match = KnockoutMatch(number, first, second)
        for named_first, total in met.get(frozenset(seeds), ()):
            if total is None:
                match = match._replace(voids=match.voids + 1)
                continue
            own = total if named_first == first else 2 - total
            points = (match.points[0] + own, match.points[1] + 2 - own)
            match = match._replace(points=points, played=match.played + 1)
        return self._decide(match, second)

    def _decide(self, match: KnockoutMatch, second: str) -> KnockoutMatch:
        """Return the match with its winner, if it is decided."""
        points, against = match.points
        left = 2 * (self.pairs - match.played)
        leader = match.first if points > against else second
        if left > 0 and abs(points - against) > left:
            return match._replace(winner=leader, by="cannot be caught up with")
        if left <= 0 and points != against:
            by = "points" if match.played == self.pairs else "a single pair"
            return match._replace(winner=leader, by=by)
        # If a bot cannot play at all, every pair is void; the bracket must continue all the same.
        if match.played >= self.pairs + EXTRA_PAIRS or match.voids > self.pairs:
            if points == against:
                return match._replace(winner=match.first, by="the better seed")
            return match._replace(winner=leader, by="points")
        return match


def _round_name(left: int) -> str:
    """Return the name of a round, given the number of rounds from it to the end."""
    matches = 2 ** (left - 1)
    return _FINALS.get(matches, f"round of {2 * matches}")


def _make(settings: FormatSettings, bots: tuple[str, ...]) -> Knockout:
    return Knockout(bots, settings.pairs)


register(
    FormatSpec(
        name="knockout",
        make=_make,
        rank=3,
        paired_by_results=True,
        depends="who advances depends on results",
    )
)
