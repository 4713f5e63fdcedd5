"""From the plain data that a store keeps to a scheduler, also of a league whose bots change.

The first generation of a league is the tournament as it began; each later version of the league
closes one generation and begins the next, with other bots, and adds the pairs that these lack.
A pair that two bots have played counts in all generations, so the next plays only what is missing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, Self, get_args

from pydantic import BeforeValidator, Field, PlainSerializer, model_validator

from pwtourney.ratings.pairs import Sprt
from pwtourney.rules.automa import AUTOMA_NAME, Automa
from pwtourney.schedule.knockout import Knockout
from pwtourney.schedule.pairing import Format, History, Pairing, PairPoints, Played, Shard
from pwtourney.schedule.round_robin import Focus, Gauntlet, RoundRobin, SoloFormat
from pwtourney.schedule.scheduler import DealPolicy, Earlier, Scheduler, StoredModel, Until
from pwtourney.schedule.sprt import SprtFormat
from pwtourney.schedule.swiss import Swiss, most_rounds
from pwtourney.schedule.tune import TuneFormat, Tuning

__all__ = [
    "CHOSEN_BY_RESULTS",
    "EXTENDABLE",
    "MOST_BOTS",
    "FORMATS",
    "PAIRED_BY_RESULTS",
    "FormatName",
    "Generation",
    "Schedule",
    "count_share",
    "gather_earlier",
    "list_players",
    "make_format",
    "make_scheduler",
    "max_pairs",
    "pairings",
]

FormatName = Literal[
    "round-robin", "gauntlet", "swiss", "knockout", "sprt", "focus", "solo", "tune"
]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)

EXTENDABLE = ("round-robin", "gauntlet")
"""Formats in which it can be told which pairs are missing."""

PAIRED_BY_RESULTS = ("swiss", "knockout")
"""Formats in which winners meet winners, which spreads ratings out."""

CHOSEN_BY_RESULTS = ("focus", "sprt")
"""Formats in which results decide how many pairs two bots play."""

MOST_BOTS = 2_000
"""More make a schedule and a table that no machine has room for."""

_OWN = {
    "gauntlet": "challengers",
    "swiss": "rounds",
    "sprt": "sprt",
    "solo": "automa",
    "tune": "tune",
}
"""What a format must be told, and no other is."""

_as_table = PlainSerializer(lambda value: value._asdict())


class Schedule(StoredModel):
    """What a scheduler is made from, in addition to the bots.

    `pairs` are those of each two bots that meet. Shared deals are `deal_count`, None for no end.
    Only the format that needs them has `challengers`, `rounds`, `automa`, `sprt` or `tune`; only a
    round robin may have a `reach`, and without it everybody meets everybody.
    """

    format: FormatName
    pairs: int
    deals: DealPolicy
    until: Annotated[
        Until | None,
        BeforeValidator(lambda rule: None if rule == {} else rule),
        PlainSerializer(lambda rule: {} if rule is None else rule.model_dump()),
    ]
    challengers: Annotated[tuple[str, ...], Field(strict=False)] = ()  # a list in JSON
    rounds: int = 0
    automa: Annotated[Automa, _as_table] = Automa("")
    sprt: Annotated[Sprt, _as_table] = Sprt()
    tune: Tuning | None = None
    reach: Annotated[int, Field(ge=1)] | None = None
    deal_count: int | None = None

    @model_validator(mode="after")
    def _has_its_own(self) -> Self:
        own = _OWN.get(self.format)
        if own and (own not in self.model_fields_set or getattr(self, own) is None):
            raise ValueError(f"{self.format} without {own}")
        return self

    def rename_bots(self, ids: Mapping[str, str]) -> Self:
        """Return a schedule in which bots have other names wherever they are named."""
        renamed: dict[str, object] = {}
        if self.challengers:
            renamed["challengers"] = tuple(ids[bot] for bot in self.challengers)
        if self.until and self.until.anchor:
            bot, elo = self.until.anchor
            anchor = ids.get(bot, bot), elo
            renamed["until"] = self.until.model_copy(update={"anchor": anchor})
        return self.model_copy(update=renamed)

    @property
    def opponent(self) -> Automa | None:
        """How the Automa plays, if it is whom all bots play against."""
        return self.automa if self.format == "solo" else None

    @property
    def order_level(self) -> float | None:
        """The level at which the whole order must hold for enough to have been played, if so."""
        return self.until.ranks_separated if self.until else None

    @property
    def paired_by_results(self) -> bool:
        """Whether winners meet winners."""
        return self.format in PAIRED_BY_RESULTS

    @property
    def chosen_by_results(self) -> bool:
        """Whether results decide how many pairs two bots play."""
        return self.format in CHOSEN_BY_RESULTS

    @property
    def turns(self) -> int | None:
        """After how many pairs two bots repeat their deals; fresh ones are all alike."""
        return self.deal_count if self.deals == "shared" else 1


class Generation(NamedTuple):
    """The bots that played from the pair numbered `first` on, and their schedule.

    `began` is the date and time of its beginning, as it is stored; None if that is not known.
    """

    first: int
    bots: tuple[str, ...]
    schedule: Schedule
    began: str | None = None

    def problem(self) -> str | None:
        """Return why these bots cannot play this schedule; None if they can."""
        if len(self.bots) > MOST_BOTS:
            return f"{len(self.bots):,} bots are too many; at most {MOST_BOTS:,} play a tournament"
        most = most_rounds(len(self.bots))
        if self.schedule.format == "tune" and len(self.bots) < 2:
            return "a bot that is tuned plays under two names"
        if self.schedule.format == "swiss" and self.schedule.rounds > most:
            return f"{len(self.bots)} bots cannot play {self.schedule.rounds} rounds"
        return None


def make_scheduler(
    schedule: Schedule, bots: Sequence[str], earlier: Earlier | None = None
) -> Scheduler:
    """Make the scheduler that a schedule describes; what bots have met `earlier` is left out."""
    until = schedule.until
    if earlier and until:
        # Bots that have left the league play no more: an interval of theirs that is too wide would
        # never become narrower, and the rule never hold.
        staying = frozenset(bots)
        history = [played for played in earlier.history if staying.issuperset(played.pairing[1:3])]
        earlier = earlier._replace(history=tuple(history))

    def is_enough(history: History) -> bool:
        # `Until` knows the bots from the history only: what others have played before may be enough
        # for it, while a bot that is new to the league is not in the table yet.
        seen = {bot for played in history for bot in played.pairing[1:3]}
        return until is not None and seen.issuperset(bots) and until.holds(history)

    return Scheduler(
        make_format(schedule, bots),
        schedule.deals,
        is_enough if until else None,
        schedule.deal_count,
        earlier,
    )


def list_players(form: FormatName, bots: Sequence[str]) -> tuple[str, ...]:
    """Return who is in the tables: the bots, and the Automa where they play against it."""
    return (*bots, AUTOMA_NAME) if form == "solo" else tuple(bots)


def make_format(schedule: Schedule, bots: Sequence[str]) -> Format:
    """Make the format that a schedule describes."""
    names, pairs = tuple(bots), schedule.pairs
    match schedule.format:
        case "round-robin":
            return RoundRobin(names, pairs, schedule.reach)
        case "focus":
            return Focus(names, pairs)
        case "swiss":
            return Swiss(names, schedule.rounds, pairs)
        case "knockout":
            return Knockout(names, pairs)
        case "gauntlet":
            field = tuple(bot for bot in names if bot not in schedule.challengers)
            return Gauntlet(schedule.challengers, field, pairs)
        case "sprt":
            return SprtFormat(names, schedule.sprt)
        case "tune":
            assert schedule.tune, "a schedule has what its format needs"
            return TuneFormat(names, schedule.tune)
        case "solo":
            return SoloFormat(names, pairs, *schedule.automa)


def gather_earlier(
    past: Sequence[Generation],
    first: int,
    outcomes: Mapping[int, PairPoints],
    *,
    until: bool = False,
) -> Earlier | None:
    """Return what a generation that begins with the pair `first` must know; None if it is alone.

    What came of each pair is only there if it has a stopping rule (`until`).
    """
    walk = _Walk(outcomes)
    history = [
        Played(pairing, outcomes[pairing.number]) if until else None
        for pairing in walk.pairings(past, first)
    ]
    # Only now: the walk counts what was met while the list above is made of it.
    earlier = walk.gather(past, first)
    return earlier and earlier._replace(history=tuple(filter(None, history)))


def pairings(
    league: Sequence[Generation], outcomes: Mapping[int, PairPoints]
) -> dict[int, Pairing]:
    """Return the pairs that are stored, as the schedules have them."""
    return {pairing.number: pairing for pairing in _Walk(outcomes).pairings(league)}


class _Walk:
    """Goes through the generations of a league, and keeps in mind what was played."""

    def __init__(self, outcomes: Mapping[int, PairPoints]) -> None:
        self._outcomes = outcomes
        self._met: defaultdict[frozenset[str], Counter[int]] = defaultdict(Counter)

    def pairings(self, league: Sequence[Generation], end: int | None = None) -> Iterator[Pairing]:
        """Yield the pairs that are stored, up to the one numbered `end`."""
        ends = [*(generation.first for generation in league[1:]), end]
        for index, (generation, stop) in enumerate(zip(league, ends, strict=False)):
            before = self.gather(league[:index], generation.first)
            # What is stored says where a generation stopped. Its stopping rule would need all
            # results that it had then, and a fit of the ratings at every look.
            schedule = generation.schedule.model_copy(update={"until": None})
            scheduler = make_scheduler(schedule, generation.bots, before)
            # Fresh deals are all alike: any pair of two bots stands for any other.
            fresh = schedule.deals == "fresh"
            until = max(self._outcomes, default=-1) + 1 if stop is None else stop
            # Counted, so that the end is known: a generation that was cut off has holes, and a
            # schedule without an end would be walked for ever in search of one more pair.
            left = sum(1 for number in self._outcomes if scheduler.first <= number < until)
            while left and (pairing := scheduler.next()) and pairing.number < until:
                if pairing.number not in self._outcomes:
                    continue
                left -= 1
                scheduler.record(pairing.number, self._outcomes[pairing.number])
                meeting = frozenset((pairing.first, pairing.second))
                self._met[meeting][0 if fresh else pairing.deal] += 1
                yield pairing

    def gather(self, past: Sequence[Generation], first: int) -> Earlier | None:
        """Return what is known after these generations."""
        # A copy: the walk goes on counting while a generation is scheduled by what was before it.
        met = {pair: Counter(deals) for pair, deals in self._met.items()}
        return Earlier(first, met) if past else None


def count_share(shard: Shard | None, pairs: int, before: Earlier | None) -> int:
    """Return how many of all pairs a part of a league has when it is finished.

    What was played before its last version is in every part.
    """
    if shard is None:
        return pairs
    if before is None:
        return shard.share(pairs)
    return before.pairs + shard.share(pairs - before.pairs, before.first)


def max_pairs(schedule: Schedule, bots: Sequence[str], before: Earlier | None) -> int:
    """Return how many pairs there are at most, those of earlier generations among them."""
    pairing_rule = make_format(schedule, bots)
    if before is None:
        return pairing_rule.max_pairs()
    # Only formats that can be extended get here. In those every wave is the same but for who is
    # named first, so the first one names everybody who meets.
    missing = sum(
        schedule.pairs - before.count_played(frozenset(meeting), schedule.pairs, schedule.turns)
        for meeting in pairing_rule.wave(0, ())
    )
    return before.pairs + missing
