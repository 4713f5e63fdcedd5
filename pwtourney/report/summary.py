"""The content of all reports, computed once."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, starmap
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.errors import StoreError
from pwtourney.notation.game import Game, Verdict
from pwtourney.ratings import Result
from pwtourney.ratings.game_columns import Columns, gather_blocks
from pwtourney.ratings.uncertainty import LEVEL
from pwtourney.report.figures import amount
from pwtourney.report.game_statistics import NO_STATISTICS, GameStatistics, StatisticsCollector
from pwtourney.report.sweep import Sweep, read_sweep, tabulate_sweep
from pwtourney.schedule import FormatTable, PlayedPair, make_format, make_scheduler, replay
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.formats.tune import TuneFormat
from pwtourney.schedule.league import pairings
from pwtourney.schedule.season import NO_LEAGUE, Season
from pwtourney.schedule.tuned import Tuned, describe_tuned
from pwtourney.standings import Resources, Standings, count_resources
from pwtourney.standings.gates import Checked, parse_gate
from pwtourney.standings.rate import tables
from pwtourney.store import GameHash, Meta, Store, make_store_blocks, result_of

__all__ = [
    "Conditions",
    "Listener",
    "Summary",
    "find_tuned",
    "summarise",
    "summarise_with_statistics",
]


@dataclass
class Conditions:
    """Counts the conditions under which the games were played, as far as reports need them.

    `games` counts all of them, `voids` those that are void, and `valid` those in which no bot
    failed before its first action. `is_part` is True if they are a part of a schedule. `profiles`
    counts, for each bot, games by the sandbox it had. `replayed` counts pairs that were replayed,
    `spoilt` those that are void because the machine held a bot up every time, and `blamed` timeouts
    that count although the machine caused them. `disqualified` counts the void games of bots that
    had failed too often. `persistent` are bots that play many games in one process. `left_out`
    counts games that do not count, by the reason; they are in no other number.
    """

    persistent: tuple[str, ...]
    pondering: Mapping[str, str]
    profiles: dict[str, Counter[str]] = field(default_factory=dict)
    is_part: bool = False
    games: int = 0
    voids: int = 0
    valid: int = 0
    replayed: int = 0
    spoilt: int = 0
    blamed: int = 0
    disqualified: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, meta: Meta) -> "Conditions":
        """Start counting for a tournament."""
        facts, names = meta.all_facts, meta.everyone
        kinds = {bot: facts.get(f"bots.{bot}.processes") for bot in names}
        persistent = tuple(bot for bot, kind in kinds.items() if kind == "persistent")
        pondering = {bot: str(facts.get(f"bots.{bot}.pondering", "measure")) for bot in names}
        counted = {bot: Counter[str]() for bot in names}
        return cls(persistent, pondering, counted, is_part=bool(meta.shard))

    def add(self, record: Game) -> None:
        """Count a game."""
        self.games += 1
        self.voids += record.verdict.is_void
        self.valid += record.is_valid
        for bot, profile in zip(record.bots, record.profiles, strict=True):
            # the Automa has no profile, nor has a bot whose game did not begin
            if profile and bot in self.profiles:
                self.profiles[bot][profile] += 1
        if record.verdict is Verdict.DISQUALIFIED:
            # the note of such a game begins with the name of the disqualified bot
            self.disqualified[record.note.partition(" ")[0]] += 1
        elif record.game == 0 and record.replays:  # once per pair: both games have the same counts
            self.spoilt += record.points is None
            self.replayed += record.points is not None
        machines = (fault.machine for fault in record.faults if fault.machine)
        self.blamed += sum(machine.is_to_blame for machine in machines)

    def explain_no_result(self) -> str:
        """Return why the games give no result; empty if at least one of them is valid."""
        failed = self.games - self.voids
        # all pairs of a part may be those of one bot that is broken; the whole has others
        if self.valid or not self.games or (failed and self.is_part):
            return ""
        if not failed:
            why = f"all {self.games} games are void"
        elif not self.voids:
            why = f"in all {failed} games a bot failed before its first action"
        else:
            why = f"in {failed} games a bot failed before its first action, {self.voids} are void"
        return f"No valid game, so no result: {why}"

    def notes(self, *, details: bool = True) -> Iterator[str]:
        """Yield the notes below the tables; without `details` only warnings."""
        kinds: Counter[str] = sum(self.profiles.values(), Counter())
        for kind in sorted(kinds):
            if not details and not kind.startswith("none"):
                continue
            warning = " (bots ran WITHOUT a sandbox)" if kind.startswith("none") else ""
            if len(kinds) == 1:
                yield f"Sandbox: {kind}{warning}"
            else:
                bots = [bot for bot, counted in self.profiles.items() if counted[kind]]
                yield f"Sandbox {kind}: {', '.join(bots)}{warning}"
        if self.persistent and details:
            names = ", ".join(self.persistent)
            yield f"One process for many games (processes: persistent): {names}"
        if self.replayed or self.spoilt:
            yield (
                f"The machine held bots up: {self.replayed} pairs were played again,"
                f" {self.spoilt} are void"
            )
        if self.blamed:
            yield f"Time-outs that were the machine's doing and count (forfeit): {self.blamed}"
        for reason, games in self.left_out.items():
            yield f"Left out: {amount(games, 'game')} {reason}"
        for bot, games in sorted(self.disqualified.items()):
            yield f"Disqualified after too many faults: {bot} ({games // 2} pairs void)"


class Summary(NamedTuple):
    """The current state of a tournament.

    `planned` is the maximum number of pairs, `stored` the number of stored ones, and `over` is True
    if everything was played. `game_hash` is a hash of the outcome of all games, and `chain_head`
    the hash of the last record of the store. `table` is the table of the format, if it has one, and
    `gates` the results of the gates. `shard` is the part of the schedule, empty for the whole.
    `order` is the level at which the run stops as soon as the whole order of the table holds, if
    set. Intervals and bounds hold at the `level`. `is_test` is True for a sequential test, and
    `season` is the history of a league's bots. `contents` maps each bot to a hash of its content.
    `tuning` is the result of tuned options, and `sweep` the values that were compared. `statistics`
    are those in terms of the game, which only `summarise_with_statistics` computes.
    """

    name: str
    bots: tuple[str, ...]
    edition: str
    seed: int
    version: str
    planned: int
    stored: int
    over: bool
    game_hash: str
    chain_head: str
    standings: Standings
    conditions: Conditions
    table: FormatTable | None = None
    gates: tuple[Checked, ...] = ()
    shard: str = ""
    order: float | None = None
    level: float = LEVEL
    is_test: bool = False
    contents: Mapping[str, str] = MappingProxyType({})
    season: Season = NO_LEAGUE
    tuning: Tuned | None = None
    sweep: Sweep | None = None
    statistics: GameStatistics = NO_STATISTICS

    def hide_small_pools(self) -> "Summary":
        """Return the summary without tables that are hidden if there are very many."""
        return self._replace(standings=self.standings.hide_small_pools())


Listener = Callable[[Game, Result], None]
"""Called with each game that is read, and its result for the ratings."""


def summarise(store: Store, *listeners: Listener, level: float = LEVEL) -> Summary:
    """Read a consistent snapshot of a store, and rate its bots, with intervals at a level."""
    # a run may continue meanwhile: counts, tables and hash must be of the same games
    with store.as_one():
        meta = store.meta()
        hashed = GameHash()
        conditions = Conditions.of(meta)
        resources: defaultdict[str, Resources] = defaultdict(Resources)

        results = _read_results(store, conditions, hashed, resources, listeners)
        columns = _gather(meta, results)
        season = _trace_season(store, meta)
        rated = tables(columns, resources, meta.ratings, level=level, hides=season.hides)
        tuning, sweep = find_tuned(store), read_sweep(meta.facts)
        return Summary(
            name=meta.name,
            bots=_list_rated(meta),
            edition=meta.facts["edition"].split(" ")[0],  # its fingerprint follows
            seed=meta.seed,
            version=meta.version,
            planned=meta.pairs,
            stored=store.count(),
            over=meta.over,
            game_hash=hashed.digits(),
            chain_head=store.head(),
            standings=rated,
            conditions=conditions,
            table=_make_table(store, meta, tuning, sweep, rated),
            gates=_check_gates(meta, columns, rated, conditions, season),
            shard=str(meta.shard or ""),
            order=meta.schedule.order_level,
            level=level,
            is_test=meta.schedule.spec.is_test,
            season=season,
            contents=meta.contents,
            tuning=tuning,
            sweep=sweep,
        )


def _read_results(
    store: Store,
    conditions: Conditions,
    hashed: GameHash,
    resources: Mapping[str, Resources],
    listeners: Sequence[Listener],
) -> Iterator[Result]:
    """Yield the results of the games that count, and count everything else on the way.

    All games are hashed, as they were played.
    """
    meta = store.meta()
    present, known = meta.present, set(meta.everyone)
    for played in store.records_as_played():
        hashed.add(played)
        record = present.show(played)
        if reason := present.find_reason(record):
            conditions.left_out[reason] += 1
            continue
        # a chain can be intact and its games be of other bots: a store is not trusted
        if not known.issuperset(record.bots):
            game = f"{record.pair}.{record.game}"
            raise StoreError(f"game {game} is one of other bots: {record.bots}")
        conditions.add(record)
        count_resources(record, resources)
        result = result_of(record)
        for listener in listeners:
            listener(record, result)
        yield result


def summarise_with_statistics(store: Store, *listeners: Listener, level: float = LEVEL) -> Summary:
    """Summarise a store, and add statistics in terms of the game, which doubles the time."""
    collector = StatisticsCollector(store.edition())

    def collect(record: Game, _: Result) -> None:
        collector.add(record)

    summary = summarise(store, collect, *listeners, level=level)
    return summary._replace(statistics=collector.conclude())


def _gather(meta: Meta, results: Iterator[Result]) -> Columns:
    """Return results as columns that know how their schedule chose the pairings."""
    return gather_blocks(_list_rated(meta), make_store_blocks(meta, results))


def _list_rated(meta: Meta) -> tuple[str, ...]:
    """Return all bots that have games that count, or may have them."""
    dropped = meta.present.dropped
    return tuple(bot for bot in meta.everyone if base_name(bot) not in dropped)


def _trace_season(store: Store, meta: Meta) -> Season:
    """Return the history of a league's bots, with the number of stored pairs of each version."""
    firsts = (generation.first for generation in meta.generations)
    counts = starmap(store.count, pairwise((*firsts, None)))
    return meta.trace_season(dict(enumerate(counts)))


def _check_gates(
    meta: Meta, columns: Columns, rated: Standings, conditions: Conditions, season: Season
) -> tuple[Checked, ...]:
    """Check the gates of a tournament by its games, which are rated at some level."""
    if not meta.gates or meta.shard:  # a part may pass what the whole does not
        return ()
    if conditions.explain_no_result():
        return tuple(Checked(text, passed=False, numbers="no valid game") for text in meta.gates)
    # gates use the default level, whatever level the user chose for intervals
    if rated.pools[0].level != LEVEL:
        resources = {row.bot: row.resources for pool in rated.pools for row in pool.rows}
        rated = tables(columns, resources, meta.ratings, test_fit=False, hides=season.hides)
    return tuple(parse_gate(text).check(rated) for text in meta.gates)


def find_tuned(store: Store) -> Tuned | None:
    """Return the result of a tuning so far; None if nothing is tuned."""
    meta = store.meta()
    scheduler = make_scheduler(meta.schedule, meta.bots)
    if not isinstance(scheduler.format, TuneFormat):
        return None
    return scheduler.format.conclude(replay(scheduler, store.outcomes()).history)


def _make_table(
    store: Store, meta: Meta, tuning: Tuned | None, sweep: Sweep | None, rated: Standings
) -> FormatTable | None:
    """Return the table of the format by the stored pairs; None if it has none.

    If pairs depend on results, it ends with the last pair before the first that is not stored.
    """
    if tuning:
        return describe_tuned(tuning)
    if sweep:
        return tabulate_sweep(sweep, rated)
    rule = make_format(meta.schedule, meta.bots)
    if not rule.has_table:
        return None  # without reading a million pairs
    outcomes = store.outcomes()
    if rule.lag:
        scheduler = make_scheduler(meta.schedule, meta.bots)
        return rule.table(replay(scheduler, outcomes).history)
    # a scheduler keeps no results that no pair depends on
    stored = sorted(pairings(meta.generations, outcomes).items())
    return rule.table([PlayedPair(pairing, outcomes[number]) for number, pairing in stored])
