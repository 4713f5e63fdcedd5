"""One game as it is stored: plain JSON values that stand on their own."""

import json
from typing import Any, NamedTuple

from pwtourney.match import Game, Verdict
from pwtourney.ratings.result import Result, SeatStats

__all__ = ["GameRecord", "PlyRecord"]


_HUGE = 2**63


class PlyRecord(NamedTuple):
    """One ply: who, the action's text, wall time in microseconds, the bot's last words about it."""

    seat: int
    action: str
    micros: int
    info: str


class GameRecord(NamedTuple):
    """A stored game.

    `pair` is the number of its pair in the schedule, `game` 0 or 1 within it. `bots`, `seeds`
    and `scores` are by seat. `circle` names the deal, which is in `deal`: the circle and the
    late patches. `winner` is a seat or None; `points` holds what each seat gets, None for a void
    game, and `note` says why. `faults` holds ``{seat, verdict, message, stderr}``.
    """

    pair: int
    game: int
    bots: tuple[str, str]
    edition: str
    circle: str
    deal: tuple[tuple[int, ...], tuple[int, ...]]
    seeds: tuple[int, int]
    verdict: str
    winner: int | None
    points: tuple[float, float] | None
    scores: tuple[int, int]
    plies: tuple[PlyRecord, ...]
    faults: tuple[dict[str, Any], ...]
    note: str

    @classmethod
    def of(cls, pair: int, number: int, game: Game) -> "GameRecord":
        """Make the record of a game that was just played."""
        return cls(
            pair=pair,
            game=number,
            bots=game.bots,
            edition=game.edition,
            circle=game.deal.id(),
            deal=(game.deal.circle, game.deal.late),
            seeds=game.seeds,
            verdict=str(game.verdict),
            winner=game.winner,
            points=game.points,
            scores=game.scores,
            plies=tuple(PlyRecord(*ply) for ply in game.plies),
            faults=tuple(
                {**fault._asdict(), "verdict": str(fault.verdict)} for fault in game.faults
            ),
            note=game.note,
        )

    def text(self) -> str:
        """Return the record as one line of JSON, always the same for the same record."""
        return _compact(self._asdict())

    def outcome_text(self) -> str:
        """Return what does not depend on time or machine, for the hash of all games."""
        actions = " ".join(ply.action for ply in self.plies)
        faults = [[each["seat"], each["verdict"]] for each in self.faults]
        return _compact(
            [
                *(self.pair, self.game, self.bots, self.edition, self.deal, actions),
                *(self.verdict, self.winner, self.scores, faults),
            ]
        )

    def result(self) -> Result:
        """Return what the ratings need of this game."""
        ended = self.verdict == Verdict.FINISHED
        return Result(
            first=self.bots[0],
            second=self.bots[1],
            points=self.points[0] if self.points else None,
            circle=self.circle,
            margin=self.scores[0] - self.scores[1] if ended else None,
            stats=self._stats(),
        )

    def _stats(self) -> tuple[SeatStats, SeatStats]:
        """Sum up how each seat spent its time, and its fault if it has one."""
        faults = {each["seat"]: each["verdict"] for each in self.faults}
        times: tuple[list[int], list[int]] = ([], [])
        for ply in self.plies:
            times[ply.seat].append(ply.micros)
        one, two = (
            SeatStats(len(each), sum(each), max(each, default=0), faults.get(seat))
            for seat, each in enumerate(times)
        )
        return one, two

    @classmethod
    def parse(cls, text: str) -> "GameRecord":
        """Read what `text` writes; raises ValueError for anything else."""
        try:
            data = json.loads(text)
            circle, late = data["deal"]
            record = cls(
                **data
                | {key: tuple(data[key]) for key in ("bots", "seeds", "scores", "faults")}
                | {"points": None if data["points"] is None else tuple(data["points"])}
                | {"deal": (tuple(circle), tuple(late))}
                | {"plies": tuple(PlyRecord(*ply) for ply in data["plies"])}
            )
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"{type(error).__name__}: {error}") from error
        problem = record._type_problem()
        if problem:
            raise ValueError(problem)
        return record

    def _type_problem(self) -> str | None:
        """Return the first field that does not hold what it should."""
        points = self.points or (0.0, 1.0)
        numbers = (self.pair, self.game, *self.seeds, *self.scores, *self.deal[0], *self.deal[1])
        texts = (*self.bots, self.edition, self.circle, self.verdict, self.note)
        checks = {
            "a number": all(type(each) is int and abs(each) < _HUGE for each in numbers),
            "a text": all(type(each) is str for each in texts),
            "two bots, seeds and scores": {len(self.bots), len(self.seeds), len(self.scores)}
            == {2},
            "the winner": self.winner in (None, 0, 1) and type(self.winner) is not bool,
            "the points": points in ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0)),
            "a ply": all(_is_ply(ply) for ply in self.plies),
            "a fault": all(_is_fault(fault) for fault in self.faults),
        }
        return next((f"wrong: {what}" for what, sound in checks.items() if not sound), None)


def _is_ply(ply: PlyRecord) -> bool:
    texts = type(ply.action) is str and type(ply.info) is str
    numbers = type(ply.seat) is int and type(ply.micros) is int and abs(ply.micros) < _HUGE
    return texts and numbers and ply.seat in (0, 1)


def _is_fault(fault: Any) -> bool:
    return (
        isinstance(fault, dict)
        and fault.get("seat") in (0, 1)
        and all(type(fault.get(key)) is str for key in ("verdict", "message", "stderr"))
    )


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
