"""Does a store hold what was played? Every record is checked and every game replayed."""

from collections.abc import Iterator
from typing import Any

from pwtourney.errors import IllegalActionError, NotationError, StoreError
from pwtourney.match import Verdict
from pwtourney.notation.record import RecordedGame, RecordedPly, replay
from pwtourney.rules import Deal, Edition, State, deal
from pwtourney.schedule import derived_seed
from pwtourney.schedule.seeds import BOT_SEED_BITS
from pwtourney.store import GENESIS, GameRecord, Store, record_hash
from pwtourney.tournament.resume import stored_edition

__all__ = ["recorded", "verify"]


def recorded(record: GameRecord, edition: Edition) -> RecordedGame:
    """Return a stored game in the form that stands on its own."""
    return RecordedGame(
        edition=edition,
        deal=Deal(*record.deal),
        bots=record.bots,
        plies=tuple(RecordedPly(ply.seat, ply.action, ply.micros) for ply in record.plies),
        verdict=record.verdict,
        winner=record.winner,
        scores=record.scores,
    )


def verify(store: Store) -> Iterator[str]:
    """Yield everything that is wrong with a store, a line each; nothing if all is as it was.

    Checks the chain of hashes from the first record to the last that was noted, the deal and
    seeds of each game against the tournament's seed, every ply against the rules, scores, winner
    and points, and that each pair is whole.
    """
    meta = store.meta()
    edition = stored_edition(store)
    seed = int(meta["facts"]["seed"])
    head, count = GENESIS, 0
    games: dict[int, int] = {}
    for number, pair, game, text, digest in store.raw():
        count += 1
        where = f"game {pair}.{game} (record {number})"
        if number != count:
            yield f"{where}: record {count} is missing"
            count = number
        if digest != record_hash(head, text):
            yield f"{where}: it does not follow from the record before it: one of them was changed"
        head = digest
        games[pair] = games.get(pair, 0) + 1
        for problem in _record_problems(text, (pair, game), edition, seed):
            yield f"{where}: {problem}"
    noted = meta.get("chain", {"head": GENESIS, "records": 0})
    if (head, count) != (noted["head"], noted["records"]):
        yield f"the last record should be number {noted['records']}, and {count} are there"
    for pair in sorted(pair for pair, there in games.items() if there != 2):
        yield f"pair {pair}: {games[pair]} of its two games is there"


def _record_problems(
    text: str, place: tuple[int, int], edition: Edition, seed: int
) -> Iterator[str]:
    try:
        record = GameRecord.parse(text)
    except ValueError as error:
        yield f"it cannot be read: {error}"
        return
    if record.text() != text:
        yield "it is not written as a record is"
    if (record.pair, record.game) != place:
        yield f"it says that it is game {record.pair}.{record.game}"
    yield from _setup_problems(record, edition, seed)
    if record.verdict != Verdict.RUNNER_ERROR:
        yield from _game_problems(record, edition)


def _setup_problems(record: GameRecord, edition: Edition, seed: int) -> Iterator[str]:
    """Check what was fixed before the first ply."""
    dealt = deal(edition, derived_seed(seed, "deal", record.pair))
    if Deal(*record.deal) != dealt or record.circle != dealt.id():
        yield "its deal is not the one that the tournament's seed gives"
    seeds = tuple(
        derived_seed(seed, "bot", record.pair, record.game, bot, bits=BOT_SEED_BITS)
        for bot in record.bots
    )
    if record.seeds != seeds:
        yield "its seeds are not those that the tournament's seed gives"
    if record.edition != edition.name:
        yield f"it was played in another edition: {record.edition}"


def _game_problems(record: GameRecord, edition: Edition) -> Iterator[str]:
    try:
        *_, final = replay(recorded(record, edition))
    except (IllegalActionError, NotationError, StoreError) as error:
        yield str(error)
        return
    expected = _expected(record.faults, final)
    if record.verdict != expected[0]:
        yield f"its verdict is {record.verdict}, and should be {expected[0]}"
    if record.winner != expected[1]:
        yield f"its winner is {record.winner}, and should be {expected[1]}"
    points = {None: (0.5, 0.5), 0: (1.0, 0.0), 1: (0.0, 1.0)}[expected[1]]
    if record.points != points:
        yield f"its points are {record.points}, and should be {points}"


def _expected(faults: tuple[dict[str, Any], ...], final: State) -> tuple[str, int | None]:
    """Return verdict and winner as they follow from faults and the last position."""
    if not faults:
        return str(Verdict.FINISHED), final.winner
    return faults[0]["verdict"], None if len(faults) == 2 else 1 - faults[0]["seat"]
