"""Verify stored games: check that the records are intact, and whether bots play the same today.

Verifying a store checks every record and replays every game. A single game can be played or
answered again, with today's bots and the stored seeds.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.clock import TimeControl
from pwtourney.config import TournamentFile
from pwtourney.errors import BotFault, IllegalActionError, NotationError, UsageError
from pwtourney.match import AUTOMA, BotPool, BotSpec, GameSetup, retrace
from pwtourney.notation.game import SEATS, Game, Verdict
from pwtourney.notation.game_text import parse_deals, replay
from pwtourney.prepare import Tell
from pwtourney.report import report_differences
from pwtourney.rules import Deal, Edition
from pwtourney.rules.automa import Automa
from pwtourney.sanitize import sanitize
from pwtourney.schedule import Pairing
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.league import gather_earlier, max_pairs, pairings
from pwtourney.schedule.pairing import Outcomes
from pwtourney.store import (
    Chain,
    LeagueVersion,
    Meta,
    RawRecord,
    ResultsFolder,
    Store,
    dump_game,
    genesis,
    head_after,
    load_game,
    record_hash,
)
from pwtourney.tournament.differences import (
    compare,
    describe_runtime_changes,
    list_differences,
)
from pwtourney.tournament.entrants import Entrant, load_tournament
from pwtourney.tournament.matching import find_versions, name_as_stored
from pwtourney.tournament.plan import (
    Plan,
    choose_deal,
    derive_seat_seeds,
    describe_format,
    make_plan,
    seat_pair,
    set_options,
)
from pwtourney.tournament.room import BotRoom, find_builds
from pwtourney.tournament.session import list_private_paths
from pwtourney.tournament.tuning_runs import remember_space

__all__ = [
    "Comparison",
    "compare_answers",
    "compare_with_file",
    "describe_difference",
    "find_spec",
    "list_controls",
    "plan_rerun",
    "set_up_rerun",
    "verify",
    "verify_folder",
]

_COMMON = ("edition", "seed", "timeouts")
"""Facts of a tournament that matter for a single game, in addition to those of its bots."""


def verify_folder(store: Store, folder: ResultsFolder) -> list[str]:
    """Return every problem of a results folder: those of its store, or else of its reports."""
    # reports of a broken store are wrong as well; listing them would hide the cause
    return list(verify(store)) or list(report_differences(store, folder))


def verify(store: Store) -> Iterator[str]:
    """Yield every problem of a store, one line each; nothing if the store is intact.

    Checks the hash chain, from the metadata over the first record to the last one noted. Checks the
    players, deal and seeds of each game against the schedule and the tournament's seed. Checks
    every ply against the rules; the verdict, winner, scores and points; and that each pair is
    complete.
    """
    meta, noted = store.meta(), store.chain()
    edition = store.edition()
    try:
        expected = _Expected.of(meta, edition, store)
    # the stored schedule may contain anything
    except (KeyError, TypeError, ValueError, NotationError) as error:
        yield f"the schedule that is stored cannot be read: {error}"
        return
    yield from _check_meta(meta, noted, edition, store.outcomes())
    head, count = genesis(meta), 0
    games: Counter[int] = Counter()
    for raw in store.raw_records():
        number, pair, game, _, _, text, digest = raw
        head = head_after(head, count, meta.league_versions)
        count += 1
        where = f"game {pair}.{game} (record {number})"
        if number != count:
            yield f"{where}: record {count} is missing"
            count = number  # reported once, not for every later record
        if digest != record_hash(head, text):
            yield f"{where}: hash chain broken: this record or the one before it was modified"
        head = digest
        games[pair] += 1
        for problem in _check_record(raw, expected):
            yield f"{where}: {problem}"
    head = head_after(head, count, meta.league_versions)
    if (head, count) != (noted.head, noted.records):
        yield f"the last record should be number {noted.records}, and {count} are there"
    for pair in sorted(pair for pair, number in games.items() if number != 2):
        yield f"pair {pair}: {games[pair]} of its two games is there"


class _Expected(NamedTuple):
    """The facts with which every game must agree."""

    edition: Edition
    seed: int
    deals: tuple[Deal, ...]
    pairings: dict[int, Pairing]
    automa: Automa | None

    @classmethod
    def of(cls, meta: Meta, edition: Edition, store: Store) -> "_Expected":
        """Replay the schedule with the stored result of each pair."""
        deals = parse_deals(meta.deals, edition) if meta.deals else ()
        pairs = pairings(meta.generations, store.outcomes())
        return cls(edition, meta.seed, deals, pairs, meta.schedule.opponent)


def _check_meta(meta: Meta, chain: Chain, edition: Edition, outcomes: Outcomes) -> Iterator[str]:
    """Check that the metadata of a store is consistent."""
    if meta.facts["edition"] != f"{edition.name} {edition.fingerprint()}":
        yield f"the stored edition is not {meta.facts['edition']}, which was played"
    versions: list[Meta | LeagueVersion] = [meta, *meta.league_versions]
    if any(list(version.bots) != version.facts.get("bots") for version in versions):
        yield "the bots are not those that played"
    absent = set(meta.absent_bots)
    for bot in versions[-1].bots:
        if base_name(bot) in absent:
            yield f"{bot} plays, and is withdrawn or banned"
    league = meta.generations
    *past, last = league
    before = gather_earlier(past, last.first, outcomes, last.renames)
    count = max_pairs(meta.schedule, league[-1].bots, before)
    if meta.pairs != count:
        yield f"it says that there are {meta.pairs} pairs, and its schedule has {count}"
    for generation, version in zip(league, versions, strict=True):
        for key, value in describe_format(generation.schedule, generation.bots).items():
            if version.facts.get(key) != value:
                yield f"the schedule says {key} {value}, and {version.facts.get(key)} was played"
    # the chain contains each version where it begins, so a position behind all records is in no
    # hash
    began = [(version.records, version.first) for version in meta.league_versions]
    end = max(outcomes, default=-1) + 1
    if began != sorted(began) or any(
        not 0 <= records <= chain.records or not 0 <= first <= end for records, first in began
    ):
        yield "the versions of the league are out of order"


def _check_record(raw: RawRecord, expected: _Expected) -> Iterator[str]:
    """Check one row of the table: its text, its columns, and the game that it holds."""
    try:
        record = load_game(raw.text)
    except ValueError as error:
        yield f"it cannot be read: {error}"
        return
    if dump_game(record) != raw.text:  # other spaces or keys could hide something from a reader
        yield "it is not a well-formed record"
    if (record.halves, len(record.faults)) != (raw.halves, raw.faults):
        yield "the indexed columns differ from the record"
    if (record.pair, record.game) != (raw.pair, raw.game):
        yield f"it says that it is game {record.pair}.{record.game}"
    yield from _check_setup(record, expected)
    if record.verdict.is_void:
        empty = (record.plies, record.faults, record.winner, record.points, record.scores)
        if empty != ((), (), None, None, (0, 0)):
            yield "it is void, and yet something was played in it"
    else:
        yield from _check_game(record, expected.edition)


def _check_setup(record: Game, expected: _Expected) -> Iterator[str]:
    """Check what was fixed before the first ply."""
    edition, seed = expected.edition, expected.seed
    pairing = expected.pairings.get(record.pair)
    if pairing is None:
        yield "the schedule has no such pair"
        return
    solo = expected.automa is not None
    pair = (pairing.first, pairing.second)
    if record.bots != seat_pair(pair, record.game, solo=solo):
        yield f"the schedule has {pair} in this pair, not {record.bots}"
    options = seat_pair(pairing.options, record.game, solo=solo)
    if record.options != options:
        yield f"the schedule has the options {options} in it, not {record.options}"
    if record.automa != expected.automa:
        played, expected_automa = (
            automa and tuple(automa) for automa in (record.automa, expected.automa)
        )
        yield f"its Automa is {played}, not {expected_automa}"
    dealt = choose_deal(edition, seed, expected.deals, pairing.deal)
    if record.deal != dealt:
        yield "its deal is not the one that the tournament's seed gives"
    if record.seeds != derive_seat_seeds(seed, pairing, record.game, record.bots, solo=solo):
        yield "its seeds are not those that the tournament's seed gives"
    if record.edition != edition.name:
        yield f"it was played in another edition: {record.edition}"


def _check_game(record: Game, edition: Edition) -> Iterator[str]:
    """Replay a game, and check its recorded result."""
    try:
        *_, final = replay(record, edition)
    except (IllegalActionError, NotationError) as error:
        yield str(error)
        return
    seats = [fault.seat for fault in record.faults]
    if not set(seats) <= set(record.bot_seats):
        yield "the Automa cannot fail"
    # both can fail only before the first ply, when both are started
    if len(set(seats)) != len(seats) or (len(seats) == 2 and record.plies):
        yield f"its faults are of the seats {seats}"
    if not all(fault.verdict.is_fault for fault in record.faults):
        yield "a fault has a verdict that is no fault"
    if any(ply.micros < 0 for ply in record.plies):
        yield "a ply took a negative time"
    verdict = record.faults[0].verdict if record.faults else Verdict.FINISHED
    if record.verdict != verdict:
        yield f"its verdict is {record.verdict}, and should be {verdict}"
    if seats:
        winner = None if len(seats) > 1 else 1 - seats[0]
    else:  # the last position does not give the Automa's winner; `replay` has checked it
        winner = record.winner if record.automa else final.winner
    if record.winner != winner:
        yield f"its winner is {record.winner}, and should be {winner}"


def plan_rerun(
    path: Path, meta: Meta, stored: Game, played_as: tuple[str, str], room: BotRoom
) -> Plan:
    """Plan the tournament of a file with its bots ready to be started, named as in a stored game.

    The game was `played_as` a game of these two names. Warns where the file differs from what was
    played. Raises what `load_tournament` and `BotRoom.prepare` raise.
    """
    tournament = load_tournament(path, untrusted=meta.untrusted, everybody=True)
    tournament = room.build(tournament)
    # a league may have several versions of a bot: use the name of the one that equals the file's
    plan = name_as_stored(make_plan(remember_space(tournament, meta), meta.seed), meta)
    names = {new: old for old, new in plan.renames.items() if old in stored.bots}
    plan = plan._replace(entrants=tuple(_rename(entrant, names) for entrant in plan.entrants))
    facts = meta.find_facts(stored.pair)
    played, today = _select(facts, _COMMON), _select(plan.facts(), _COMMON)
    for bot, name in zip(stored.bots, played_as, strict=True):
        played |= _select_bot(facts, name, bot)
        for entrant in find_versions(plan, bot)[:1]:
            today |= plan.describe_bot(entrant, bot)
            key = f"bots.{bot}.content"
            if entrant.former and played.get(key) == entrant.former:  # its file was renamed with it
                played[key] = entrant.identity
    for line in [*list_differences(played, today), *describe_runtime_changes(played, today)]:
        room.warn(line)
    return plan._replace(entrants=room.prepare_for(tournament, plan.entrants))


def _rename(entrant: Entrant, names: Mapping[str, str]) -> Entrant:
    """Return a bot under another name."""
    spec = entrant.spec
    return entrant._replace(spec=spec._replace(id=names.get(spec.id, spec.id)))


def _select(facts: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Return the facts with these names."""
    return {key: facts[key] for key in keys if key in facts}


def _select_bot(facts: Mapping[str, Any], name: str, bot: str) -> dict[str, Any]:
    """Return the facts about what played under a name, as those about a bot."""
    # compare the whole name, up to the last dot: there may be a bot `x` and a bot `x.2`
    own = (key for key in facts if key.rpartition(".")[0] == f"bots.{name}")
    return {f"bots.{bot}.{key.rpartition('.')[2]}": facts[key] for key in own}


class Comparison(NamedTuple):
    """Differences between a tournament file and results, and changes of the bots' runtimes."""

    differences: list[str]
    runtime_changes: list[str]


def compare_with_file(tournament: TournamentFile, folder: ResultsFolder) -> Comparison:
    """Return how a tournament file, with its bots as they are now, differs from the stored results.

    Raises what `make_plan` and `Store` raise, and `UsageError` for a bot that is not built here.
    """
    tournament = find_builds(tournament, list_private_paths(tournament, folder))
    for index, bot in enumerate(tournament.config.bots):
        if bot.build and tournament.built_at(index) is None:
            raise UsageError(
                f"{bot.name} is not built here, so it cannot be compared; `pwtourney run` builds it"
            )
    with closing(Store.open_in(folder)) as store:
        meta = store.meta()
    plan = name_as_stored(make_plan(remember_space(tournament, meta), meta.seed), meta)
    differences = list(compare(meta, plan).describe(plan))
    return Comparison(differences, describe_runtime_changes(meta.all_facts, plan.facts()))


def find_spec(plan: Plan, bot: str) -> BotSpec:
    """Return how a bot is started today; raises `UsageError` if the file does not have it."""
    entrants = find_versions(plan, bot)
    if not entrants:
        raise UsageError(f"the tournament file has no bot {bot!r}")
    return entrants[0].spec


def list_controls(plan: Plan, stored: Game) -> tuple[TimeControl, TimeControl]:
    """Return the clock of each seat; none for the Automa, or a bot that the file does not have."""
    first, second = (
        next((entrant.spec.control for entrant in find_versions(plan, bot)), TimeControl())
        for bot in stored.bots
    )
    return first, second


def set_up_rerun(plan: Plan, stored: Game) -> GameSetup:
    """Seat the bots of the file as in the stored game, with its deal and seeds."""
    first, second = (
        set_options(find_spec(plan, bot), options) if seat in stored.bot_seats else AUTOMA
        for seat, (bot, options) in enumerate(zip(stored.bots, stored.options, strict=True))
    )
    return GameSetup((first, second), plan.edition, stored.deal, stored.seeds, stored.automa)


def compare_answers(
    stored: Game,
    edition: Edition,
    spec: BotSpec,
    seat: int | None,
    controls: tuple[TimeControl, TimeControl] | None,
    scratch: str,
    tell: Tell,
) -> bool:
    """Ask one bot for every answer of its seat; return True if all are as stored.

    `tell` takes a line about each answer that differs, and one about all. Without a `seat` the bot
    takes the seat of its name. Raises `UsageError` for a seat that it cannot have.
    """
    if seat is None:
        if spec.id not in stored.bots:
            choice = " or ".join(
                f"--seat {name} for {bot}" for name, bot in zip(SEATS, stored.bots, strict=True)
            )
            raise UsageError(f"{spec.id} did not play this game; choose its seat: {choice}")
        seat = stored.bots.index(spec.id)
    if seat not in stored.bot_seats:
        raise UsageError("the second seat is the Automa's")
    answers = same = 0
    with closing(BotPool(scratch)) as pool:
        try:
            for step in retrace(stored, edition, {seat: spec}, stored.seeds, pool, controls):
                if step.answer is None:
                    continue
                answers += 1
                then = step.ply.action if step.ply else f"lost by {stored.verdict}"
                now = step.answer.ply.action
                same += then == now
                if then != now:
                    tell(f"ply {step.number}: stored is {then}, now it is {now}")
        except BotFault as fault:
            # a bot that lost by a fault after this many answers has only done the same again
            failed_then = any(fault.seat == seat for fault in stored.faults)
            answered_then = sum(ply.seat == seat for ply in stored.plies)
            as_then = ", as it is stored" if failed_then and answers == answered_then else ""
            message = f"{spec.id}: {fault.verdict}: {sanitize(str(fault))}"
            tell(f"{message}, after {answers} answers{as_then}")
            return False
    tell(f"{same} of {answers} answers of {spec.id} are as they are stored")
    return same == answers


def describe_difference(stored: Game, game: Game) -> str:
    """Describe how a game differs from the stored one, or say that it does not."""
    for number, (then, now) in enumerate(zip(stored.plies, game.plies, strict=False), 1):
        if then.action != now.action:
            return f"ply {number} differs: stored is {then.action}, now it is {now.action}"
    before, after = len(stored.plies), len(game.plies)
    if before != after:
        return f"the stored game has {before} plies, this one {after}; none of the common differs"
    if stored.verdict != game.verdict:
        return f"the same plies, but stored is {stored.verdict}, now it is {game.verdict}"
    return "the game went as it is stored, ply for ply"
