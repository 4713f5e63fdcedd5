"""What a page shows of the games, collected while they go by; of many only a part is kept."""

from collections import Counter, defaultdict, deque
from heapq import heappush, heappushpop
from typing import NamedTuple

from pwtourney.ratings.games import Result
from pwtourney.report.history import History
from pwtourney.store import GameRecord

__all__ = ["BIN", "GameIndex", "ListedGame", "Thinking"]

BIN = 10
"""Points in a column of a histogram of margins."""

_NEWEST = 600
_NOTABLE = 100
_LISTED = 20_000
_MOVES = 40


class ListedGame(NamedTuple):
    """One line of the list of games; `winner` is a seat or None."""

    pair: int
    game: int
    bots: tuple[str, str]
    scores: tuple[int, int]
    winner: int | None
    verdict: str
    plies: int

    @classmethod
    def of(cls, record: GameRecord) -> "ListedGame":
        """Return the line of a game."""
        return cls(
            *(record.pair, record.game, record.bots, record.scores),
            *(record.winner, record.verdict, len(record.plies)),
        )


class Thinking(NamedTuple):
    """How long a bot thought: microseconds and how many moves, by the number of the move."""

    micros: list[int]
    moves: list[int]


class GameIndex:
    """Collects what tables do not say.

    `count` counts all games. `margins` counts for each bot the games played to their end by margin
    in steps of `BIN`, rounded down; `thinking` sums up its moves. `listed` are the newest
    games, `faults` the first that ended in a fault, of `faulty`; `history` are all results.
    """

    def __init__(self) -> None:
        self.count = self.faulty = 0
        self.margins: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self.thinking: defaultdict[str, Thinking] = defaultdict(
            lambda: Thinking([0] * _MOVES, [0] * _MOVES)
        )
        self.listed: deque[ListedGame] = deque(maxlen=_LISTED)
        self.faults: list[GameRecord] = []
        self.history = History()
        self._newest: deque[GameRecord] = deque(maxlen=_NEWEST)
        self._wide: list[tuple[int, int, int, GameRecord]] = []
        self._close: list[tuple[int, int, int, GameRecord]] = []

    def add(self, record: GameRecord, result: Result) -> None:
        """Take in a game, and what it says to the ratings."""
        self.count += 1
        self.listed.append(ListedGame.of(record))
        self.history.add(result)
        self._time(record)
        self._newest.append(record)
        if record.faults:
            self.faulty += 1
            if len(self.faults) < _NOTABLE:
                self.faults.append(record)
        if result.margin is not None:
            one, two = record.bots
            self.margins[one][result.margin // BIN] += 1
            self.margins[two][-result.margin // BIN] += 1
            _keep(self._wide, abs(result.margin), record)
            _keep(self._close, -abs(result.margin), record)

    def replayable_games(self) -> list[GameRecord]:
        """Return the games that a page can replay: the newest, and notable ones of all."""
        notable = [record for *_, record in (*self._wide, *self._close)]
        kept = (*self._newest, *self.faults, *notable)
        games = {(record.pair, record.game): record for record in kept if record.plies}
        return [games[key] for key in sorted(games)]

    def _time(self, record: GameRecord) -> None:
        of = (self.thinking[record.bots[0]], self.thinking[record.bots[1]])
        turn = [0, 0]
        for ply in record.plies:
            seat = ply.seat
            if turn[seat] < _MOVES:
                micros, moves = of[seat]
                micros[turn[seat]] += ply.micros
                moves[turn[seat]] += 1
            turn[seat] += 1


def _keep(heap: list[tuple[int, int, int, GameRecord]], worth: int, record: GameRecord) -> None:
    """Keep a game among the most notable; of equals the first."""
    entry = (worth, -record.pair, -record.game, record)
    if len(heap) < _NOTABLE:
        heappush(heap, entry)
    elif entry[:3] > heap[0][:3]:
        heappushpop(heap, entry)
