"""One game as it is stored, and the hashes that make changes visible."""

import json
from collections.abc import Sequence
from hashlib import blake2b, sha256
from typing import Any, NamedTuple

from pwtourney.match import Fault, Game, Usage, Verdict
from pwtourney.process import Hindrance
from pwtourney.ratings.games import Result, SeatStats
from pwtourney.rules.automa import LEVELS
from pwtourney.store.meta import LeagueVersion, Meta

__all__ = [
    "GameHash",
    "GameRecord",
    "PlyRecord",
    "genesis",
    "head_after",
    "record_hash",
]

_HUGE = 2**63
_FIXED = {"name", "bots", "facts", "edition", "created", "version"}


class PlyRecord(NamedTuple):
    """One ply: who, the action's text, wall and processor time in microseconds, the last info."""

    seat: int
    action: str
    micros: int
    cpu: int
    info: str


class GameRecord(NamedTuple):
    """A stored game.

    `pair` is the number of its pair in the schedule, `game` 0 or 1 within it. `bots`, `seeds`,
    `scores`, `usage` and `profiles` are by seat. `deal_id` names the deal, which is in `deal`: the
    circle and the late patches. `winner` is a seat or None; `points` holds what each seat gets,
    None for a void game, and `note` says why. A pair that the machine spoiled was played again
    `replays` times. `faults` holds ``{seat, verdict, message, stderr, machine}``, where `machine`
    is None or the fields of a `Hindrance`. Against the Automa, `automa` is its level and whether it
    has the tactical deck.
    """

    pair: int
    game: int
    bots: tuple[str, str]
    edition: str
    deal_id: str
    deal: tuple[tuple[int, ...], tuple[int, ...]]
    seeds: tuple[int, int]
    verdict: str
    winner: int | None
    points: tuple[float, float] | None
    scores: tuple[int, int]
    plies: tuple[PlyRecord, ...]
    faults: tuple[dict[str, Any], ...]
    note: str
    replays: int
    usage: tuple[Usage, Usage]
    profiles: tuple[str, str]
    automa: tuple[str, bool] | None

    def disqualify(self, reason: str) -> "GameRecord":
        """Return what the record would be had the game not been played for this reason."""
        return self._replace(
            verdict=str(Verdict.DISQUALIFIED),
            winner=None,
            points=None,
            scores=(0, 0),
            plies=(),
            faults=(),
            note=reason,
            replays=0,
            usage=(Usage(), Usage()),
            profiles=("", ""),
        )

    @classmethod
    def of(cls, pair: int, number: int, game: Game) -> "GameRecord":
        """Make the record of a game that was just played."""
        return cls(
            pair=pair,
            game=number,
            bots=game.bots,
            edition=game.edition,
            deal_id=game.deal.id(),
            deal=(game.deal.circle, game.deal.late),
            seeds=game.seeds,
            verdict=str(game.verdict),
            winner=game.winner,
            points=game.points,
            scores=game.scores,
            plies=tuple(PlyRecord(*ply) for ply in game.plies),
            faults=tuple(_fault(fault) for fault in game.faults),
            note=game.note,
            replays=game.replays,
            usage=game.usage,
            profiles=game.profiles,
            automa=(game.automa.level, game.automa.tactical) if game.automa else None,
        )

    @property
    def halves(self) -> int | None:
        """The half points of the bot that is named first in the pair; None for a void game."""
        return None if self.points is None else round(2 * self.points[self.seat_of_first])

    @property
    def seat_of_first(self) -> int:
        """The seat of the bot that is named first in the pair: against the Automa none changes."""
        return 0 if self.automa else self.game

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
            deal=self.deal_id,
            margin=self.scores[0] - self.scores[1] if ended else None,
            stats=self._stats(),
            pair=str(self.pair),
            moves=self._moves() if ended else None,
        )

    def _moves(self) -> int:
        """Return a hash of the actions."""
        actions = " ".join(ply.action for ply in self.plies)
        return int.from_bytes(blake2b(actions.encode(), digest_size=8).digest(), "big") >> 1

    def _stats(self) -> tuple[SeatStats, SeatStats]:
        """Sum up how each seat spent its time, and its fault if it has one."""
        faults = {each["seat"]: each["verdict"] for each in self.faults}
        plies: tuple[list[PlyRecord], list[PlyRecord]] = ([], [])
        for ply in self.plies:
            plies[ply.seat].append(ply)
        one, two = (
            SeatStats(
                micros=tuple(ply.micros for ply in plies[seat]),
                cpu=sum(ply.cpu for ply in plies[seat]),
                fault=faults.get(seat),
                **self.usage[seat]._asdict(),
            )
            for seat in (0, 1)
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
                | {"usage": tuple(Usage(*each) for each in data["usage"])}
                | {"profiles": tuple(data["profiles"])}
                | {"automa": data["automa"] and tuple(data["automa"])}
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
        numbers += (self.replays, *(count for used in self.usage for count in used))
        texts = (*self.bots, self.edition, self.deal_id, self.verdict, self.note, *self.profiles)
        twos = (self.bots, self.seeds, self.scores, self.usage, self.profiles)
        checks = {
            "a number": all(type(each) is int and abs(each) < _HUGE for each in numbers),
            "a text": all(type(each) is str for each in texts),
            "two of what is by seat": {len(each) for each in twos} == {2},
            "the winner": self.winner in (None, 0, 1) and type(self.winner) is not bool,
            "the points": points in ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0)),
            "a ply": all(_is_ply(ply) for ply in self.plies),
            "the Automa": self.automa is None or _is_automa(self.automa),
            "a fault": all(_is_fault(fault) for fault in self.faults),
        }
        return next((f"wrong: {what}" for what, sound in checks.items() if not sound), None)


def genesis(meta: Meta) -> str:
    """Return what the first record is chained to: a hash of what the store says of itself.

    The number of pairs is not in it, because a tournament can be made longer.
    """
    text = json.dumps(meta.model_dump(include=_FIXED), sort_keys=True)
    return sha256(text.encode()).hexdigest()


def record_hash(previous: str, record: str) -> str:
    """Return the hash of a record's text, chained to the hash of the record stored before it."""
    return sha256(f"{previous}\n{record}".encode()).hexdigest()


def head_after(head: str, records: int, versions: Sequence[LeagueVersion]) -> str:
    """Return what the next record is chained to after so many records.

    That is the last one's hash, or, where the tournament was extended in between, a hash of that
    and of what the new version of the league says.
    """
    # All of them that begin here, and not the last one only: a league may be extended again before
    # the next game is played.
    for version in versions:
        if version.records == records:
            head = record_hash(head, json.dumps(version.model_dump(), sort_keys=True))
    return head


class GameHash:
    """A hash over all games in schedule order: who played what, and the outcome.

    Times, logs and the order in which games ended do not count, so for deterministic bots it is
    the same however the tournament was run.
    """

    def __init__(self) -> None:
        self._total = sha256()

    def add(self, record: GameRecord) -> None:
        """Take in the next game."""
        self._total.update(record.outcome_text().encode() + b"\n")

    def digits(self) -> str:
        """Return 16 hex digits."""
        return self._total.hexdigest()[:16]


def _fault(fault: Fault) -> dict[str, Any]:
    """Return what is stored of a fault; its log lies beside the store."""
    return {
        "seat": fault.seat,
        "verdict": str(fault.verdict),
        "message": fault.message,
        "stderr": fault.stderr,
        "machine": None if fault.machine is None else fault.machine._asdict(),
    }


def _is_ply(ply: PlyRecord) -> bool:
    texts = type(ply.action) is str and type(ply.info) is str
    numbers = (ply.seat, ply.micros, ply.cpu)
    sound = all(type(each) is int and abs(each) < _HUGE for each in numbers)
    return texts and sound and ply.seat in (0, 1)


def _is_automa(value: Any) -> bool:
    return len(value) == 2 and value[0] in LEVELS and type(value[1]) is bool


def _is_fault(fault: Any) -> bool:
    return (
        isinstance(fault, dict)
        and fault.get("seat") in (0, 1)
        and all(type(fault.get(key)) is str for key in ("verdict", "message", "stderr"))
        and _is_machine(fault.get("machine"))
    )


def _is_machine(machine: Any) -> bool:
    if machine is None:
        return True
    counts = isinstance(machine, dict) and all(type(each) is int for each in machine.values())
    return counts and tuple(machine) == Hindrance._fields


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
