"""One game as it is stored, and the hashes that make changes visible."""

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import repeat
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pwtourney.compact_json import dump_compact
from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Usage, Verdict
from pwtourney.ratings.game_columns import Result
from pwtourney.rules import Deal
from pwtourney.rules.automa import LEVELS, Automa
from pwtourney.store.meta import LeagueVersion, Meta
from pwtourney.strict import find_first_problem

__all__ = [
    "GameHash",
    "dump_game",
    "dump_outcome",
    "genesis",
    "head_after",
    "load_game",
    "record_hash",
    "result_of",
]

_HUGE = 2**63
_FIXED = {"name", "bots", "facts", "edition", "created", "version"}

# Strict per field and not as a whole, because that would refuse lists in place of tuples.
_Number = Annotated[int, Field(strict=True, gt=-_HUGE, lt=_HUGE)]
_Text = Annotated[str, Field(strict=True)]
# ASCII without control characters: moves are hashed as bytes, and half a surrogate pair has none.
_Action = Annotated[str, Field(strict=True, pattern="^[ -~]*$")]
_Truth = Annotated[bool, Field(strict=True)]
_Points = Annotated[float, Field(strict=True)]
_Usage = tuple[_Number, _Number, _Number, _Number, _Number, _Number]
_Seat = Annotated[int, Field(strict=True, ge=0, le=1)]


def dump_game(game: Game) -> str:
    """Return a game as one line of JSON, always the same for the same game.

    The deal's id and the points follow from the rest, and are included for other programs.
    """
    record = {
        "pair": game.pair,
        "game": game.game,
        "bots": game.bots,
        "edition": game.edition,
        "deal_id": _find_id(game.deal),
        "deal": game.deal,
        "seeds": game.seeds,
        "verdict": game.verdict,
        "winner": game.winner,
        "points": game.points,
        "scores": game.scores,
        "plies": game.plies,
        "faults": [
            {
                "seat": fault.seat,
                "verdict": fault.verdict,
                "message": fault.message,
                "stderr": fault.stderr,
                "machine": fault.machine and fault.machine._asdict(),
            }
            for fault in game.faults  # without the log, which is next to the store
        ],
        "note": game.note,
        "replays": game.replays,
        "usage": game.usage,
        "profiles": game.profiles,
        "automa": game.automa,
    }
    if any(game.options):  # most games have none, and their hashes are older than the key
        record["options"] = [dict(options) for options in game.options]
    return dump_compact(record)


class _StoredFault(BaseModel):
    """One of the faults of a record."""

    model_config = ConfigDict(extra="forbid")

    seat: _Seat
    verdict: Verdict
    message: _Text
    stderr: _Text
    machine: dict[str, _Number] | None


class _StoredGame(BaseModel):
    """The schema of a record: its keys and their types; records are validated against it.

    For records of 40 plies, reading takes half the time of the same checks written in Python.
    """

    model_config = ConfigDict(extra="forbid")

    pair: _Number
    game: _Number
    bots: tuple[_Text, _Text]
    edition: _Text
    deal_id: _Text
    deal: tuple[tuple[_Number, ...], tuple[_Number, ...]]
    seeds: tuple[_Number, _Number]
    verdict: Verdict
    winner: _Seat | None
    points: tuple[_Points, _Points] | None
    scores: tuple[_Number, _Number]
    plies: tuple[tuple[_Seat, _Action, _Number, _Number, _Text], ...]
    faults: tuple[_StoredFault, ...]
    note: _Text
    replays: _Number
    usage: tuple[_Usage, _Usage]
    profiles: tuple[_Text, _Text]
    automa: tuple[_Text, _Truth] | None
    options: tuple[dict[_Text, _Text], dict[_Text, _Text]] = ({}, {})


def load_game(text: str) -> Game:
    """Read what `dump_game` writes; raises ValueError for anything else."""
    try:
        stored = _read(text)
        game = Game(
            bots=stored.bots,
            edition=stored.edition,
            deal=Deal(*stored.deal),
            seeds=stored.seeds,
            # Without the constructor, which would take longer than everything before it.
            plies=tuple(map(tuple.__new__, repeat(Ply), stored.plies)),
            verdict=stored.verdict,
            winner=stored.winner,
            scores=stored.scores,
            faults=tuple(
                Fault(
                    fault.seat,
                    fault.verdict,
                    fault.message,
                    fault.stderr,
                    Hindrance(**fault.machine) if fault.machine is not None else None,
                )
                for fault in stored.faults
            ),
            note=stored.note,
            replays=stored.replays,
            usage=(Usage(*stored.usage[0]), Usage(*stored.usage[1])),
            profiles=stored.profiles,
            automa=Automa(*stored.automa) if stored.automa else None,
            pair=stored.pair,
            game=stored.game,
            options=(tuple(stored.options[0].items()), tuple(stored.options[1].items())),
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if game.automa and game.automa.level not in LEVELS:
        raise ValueError(f"wrong: there is no Automa {game.automa.level!r:.40}")
    if stored.points != game.points:
        raise ValueError(f"wrong: its points are {stored.points}, and should be {game.points}")
    if stored.deal_id != _find_id(game.deal):
        raise ValueError(f"wrong: its deal is not the one that {stored.deal_id!r:.40} names")
    return game


def dump_outcome(game: Game) -> str:
    """Return what does not depend on time or machine, for the hash of all games."""
    actions = " ".join([ply.action for ply in game.plies])
    faults = [[fault.seat, fault.verdict] for fault in game.faults]
    options = [dict(options) for options in game.options] if any(game.options) else []
    return dump_compact(
        [
            game.pair,
            game.game,
            game.bots,
            game.edition,
            game.deal,
            actions,
            game.verdict,
            game.winner,
            game.scores,
            faults,
            *options,
        ]
    )


def result_of(game: Game) -> Result:
    """Return what the ratings need of a game."""
    ended = game.verdict is Verdict.FINISHED
    actions = " ".join([ply.action for ply in game.plies])
    # 63 bits, which fit a signed column of the ratings that has -1 for unknown.
    moves = int.from_bytes(blake2b(actions.encode(), digest_size=8).digest(), "big") >> 1
    return Result(
        first=game.bots[0],
        second=game.bots[1],
        points=game.points[0] if game.points else None,
        deal=_find_id(game.deal),
        margin=game.margin,
        pair=str(game.pair),
        moves=moves if ended else None,
    )


def genesis(meta: Meta) -> str:
    """Return the hash that the first record is chained to: a hash of the store's metadata.

    The number of pairs is not in it, because a tournament can be made longer.
    """
    text = json.dumps(meta.model_dump(include=_FIXED), sort_keys=True)
    return sha256(text.encode()).hexdigest()


def record_hash(previous: str, record: str) -> str:
    """Return the hash of a record's text, chained to the hash of the record stored before it."""
    return sha256(f"{previous}\n{record}".encode()).hexdigest()


def head_after(head: str, records: int, versions: Sequence[LeagueVersion]) -> str:
    """Return the hash that the next record is chained to, after this number of records.

    That is the last record's hash. If the league was extended there, it is a hash of that and of
    the new version's metadata.
    """
    # All versions that begin here, not only the last: a league may be extended again before the
    # next game is played.
    for version in versions:
        if version.records == records:
            head = record_hash(head, json.dumps(version.model_dump(), sort_keys=True))
    return head


class GameHash:
    """A hash over all games in schedule order: the players and the outcome.

    Times, logs and the order in which games ended do not count, so for deterministic bots it is the
    same however the tournament was run.
    """

    def __init__(self) -> None:
        self._total = sha256()

    def add(self, game: Game) -> None:
        """Add the next game."""
        self._total.update(dump_outcome(game).encode() + b"\n")

    def digits(self) -> str:
        """Return 16 hex digits."""
        return self._total.hexdigest()[:16]


def _read(text: str) -> _StoredGame:
    """Validate the text of a record; raises ValueError with the first difference."""
    try:
        return _StoredGame.model_validate_json(text)
    except ValidationError:
        pass
    try:
        # Python's module accepts more than pydantic's parser: half a surrogate pair, for example
        # from a file name that is not UTF-8 in the message of a fault.
        return _StoredGame.model_validate(json.loads(text))
    except ValidationError as error:
        field, first = find_first_problem(error)
        raise ValueError(f"wrong: {field}: {first['msg']}") from error


@lru_cache(maxsize=1024)
def _find_id(deal: Deal) -> str:
    """Return the id of a deal, cached because at least two games in a row share it."""
    return deal.id()
