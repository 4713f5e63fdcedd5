"""Create schedulers from the plain data that a store keeps, also for leagues whose bots change.

The first generation of a league is the tournament as it began. Each later version of the league
ends one generation and begins the next, which has other bots and adds their missing pairs. A pair
that two bots have played counts in all generations, so the next one plays only what is missing. A
generation may also give bots of earlier ones other names, or one name to two of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, Self

from pydantic import BeforeValidator, PlainSerializer, model_validator

from pwtourney.ratings.anchors import rename_anchors
from pwtourney.rules.automa import AUTOMA_NAME, Automa
from pwtourney.schedule.bot_names import apply_renames
from pwtourney.schedule.format_spec import FormatSettings, FormatSpec, find_format, list_formats
from pwtourney.schedule.pairing import Format, History, Pairing, PairPoints, PlayedPair, Shard
from pwtourney.schedule.scheduler import Earlier, Scheduler, Until
from pwtourney.strict import join_models

__all__ = [
    "MOST_BOTS",
    "FormatName",
    "Generation",
    "Schedule",
    "count_share",
    "explain_names",
    "gather_earlier",
    "list_names",
    "list_players",
    "make_format",
    "make_scheduler",
    "max_pairs",
    "pairings",
]

MOST_BOTS = 2_000
"""With more bots, the schedule and the table do not fit into memory."""

if TYPE_CHECKING:  # the set of formats is known at run time only
    FormatName = str

    class _AllSettings(FormatSettings):
        pass
else:
    FormatName = Literal[tuple(spec.name for spec in list_formats())]
    _AllSettings = join_models(
        "_AllSettings", FormatSettings, [spec.settings for spec in list_formats()]
    )


class Schedule(_AllSettings):
    """The description from which a scheduler is made, except for the bots.

    It has the settings of all formats; only those of its own format are set. `deal_count` is the
    number of shared deals, None for an unlimited number.
    """

    format: FormatName
    until: Annotated[
        Until | None,
        BeforeValidator(lambda rule: None if rule == {} else rule),
        PlainSerializer(lambda rule: {} if rule is None else rule.model_dump()),
    ]
    deal_count: int | None = None

    @model_validator(mode="after")
    def _has_what_is_required(self) -> Self:
        for key in self.spec.requires:
            if key not in self.model_fields_set or getattr(self, key) is None:
                raise ValueError(f"{self.format} without {key}")
        return self

    def rename_bots(self, ids: Mapping[str, str]) -> Self:
        """Return this schedule with the bots renamed in all settings that name them."""
        renamed: dict[str, object] = {**self.spec.rename(self, ids)}
        if self.until and self.until.anchor:
            anchors = rename_anchors(self.until.anchor, ids)
            renamed["until"] = self.until.model_copy(update={"anchor": anchors})
        return self.model_copy(update=renamed)

    @property
    def spec(self) -> FormatSpec:
        """The description of the format."""
        return find_format(self.format)

    @property
    def opponent(self) -> Automa | None:
        """The settings of the Automa, if all bots play against it; None otherwise."""
        return self.spec.opponent(self) if self.spec.opponent else None

    @property
    def order_level(self) -> float | None:
        """The level at which the whole order must hold for the end; None without such a rule."""
        return self.until.ranks_separated if self.until else None

    @property
    def paired_by_results(self) -> bool:
        """True if winners meet winners."""
        return self.spec.paired_by_results

    @property
    def chosen_by_results(self) -> bool:
        """True if results decide how many pairs two bots play."""
        return self.spec.chosen_by_results

    @property
    def turns(self) -> int | None:
        """The number of pairs after which two bots repeat their deals; None for never.

        It is 1 for fresh deals, which all count as one deal.
        """
        return self.deal_count if self.deals == "shared" else 1


class Generation(NamedTuple):
    """The bots that played from the pair numbered `first` on, and their schedule.

    `began` is the date and time of its beginning, in its stored form; None if it is unknown.
    `renames` maps names of the time before to those that the same bots have from here on; a name
    that another bot had too makes one bot of both.
    """

    first: int
    bots: tuple[str, ...]
    schedule: Schedule
    began: str | None = None
    renames: Mapping[str, str] = MappingProxyType({})

    def name_bots(self, names: Mapping[str, str]) -> dict[str, str]:
        """Return the present name of each bot, given those of before this generation."""
        own = list_players(self.schedule.format, self.bots)
        return apply_renames(names, self.renames) | {bot: bot for bot in own}

    def problem(self) -> str | None:
        """Return why these bots cannot play this schedule; None if they can."""
        if len(self.bots) > MOST_BOTS:
            return f"{len(self.bots):,} bots are too many; at most {MOST_BOTS:,} play a tournament"
        return self.schedule.spec.find_problem(self.schedule, len(self.bots))


def make_scheduler(
    schedule: Schedule, bots: Sequence[str], earlier: Earlier | None = None
) -> Scheduler:
    """Make the scheduler that a schedule describes; it skips pairs that were played `earlier`."""
    until = schedule.until
    if earlier and until:
        # Bots that have left the league play no more. If the interval of one of them is too wide,
        # it never becomes narrower, and the rule would never hold.
        staying = frozenset(bots)
        history = [played for played in earlier.history if staying.issuperset(played.pairing[1:3])]
        earlier = earlier._replace(history=tuple(history))

    def is_enough(history: History) -> bool:
        # `Until` knows only the bots in the history. The pairs that other bots have played may
        # satisfy it before a bot that is new to the league has played at all.
        seen = {bot for played in history for bot in played.pairing[1:3]}
        return until is not None and seen.issuperset(bots) and until.holds(history)

    return Scheduler(
        make_format(schedule, bots),
        schedule.deals,
        is_enough if until else None,
        schedule.deal_count,
        earlier,
    )


def list_names(league: Sequence[Generation]) -> dict[str, str]:
    """Return the present name of each bot of a league, by each name that it played under."""
    names: dict[str, str] = {}
    for generation in league:
        names = generation.name_bots(names)
    return names


def explain_names(league: Sequence[Generation]) -> str:
    """Return why bots of a league cannot be named in this way; empty if they can.

    A new name is that of a bot that becomes one with another, or one that no other bot ever had.
    """
    names: dict[str, str] = {}
    for generation in league:
        if problem := _explain_renames(generation.renames, names):
            return problem
        before = apply_renames(names, generation.renames)
        for bot in generation.bots:
            if before.get(bot, bot) != bot:
                return f"bots: {bot!r:.40} is the former name of another bot"
        names = generation.name_bots(names)
    return ""


def _explain_renames(renames: Mapping[str, str], names: Mapping[str, str]) -> str:
    """Return why bots with these `names` cannot be renamed in this way; empty if they can."""
    present = {*names.values()}
    for old, new in renames.items():
        if old not in present:
            return f"renames: there is no bot {old!r:.40} to rename"
        if new in renames or (new not in present and names.get(new, old) != old):
            return f"renames: {old!r:.40} cannot become {new!r:.40}, which is another bot"
    return ""


def list_players(form: str, bots: Sequence[str]) -> tuple[str, ...]:
    """Return the players in the tables: the bots, and the Automa if they play against it."""
    return (*bots, AUTOMA_NAME) if find_format(form).opponent else tuple(bots)


def make_format(schedule: Schedule, bots: Sequence[str]) -> Format:
    """Make the format that a schedule describes."""
    return schedule.spec.make(schedule, tuple(bots))


def gather_earlier(
    past: Sequence[Generation],
    first: int,
    outcomes: Mapping[int, PairPoints],
    renames: Mapping[str, str] = MappingProxyType({}),
    *,
    until: bool = False,
) -> Earlier | None:
    """Return what was played before the pair `first`; None if `past` has no generations.

    Bots have the names that they have after the `renames` of the generation that begins there. The
    results of the pairs are included only if a stopping rule needs them (`until`).
    """
    walk = _Walk(outcomes)
    history = [
        PlayedPair(pairing, outcomes[pairing.number]) if until else None
        for pairing in walk.pairings(past, first)
    ]
    # Call this last: the walk counts meetings while the list above consumes it.
    walk.rename(renames)
    earlier = walk.gather(past, first)
    names = apply_renames(list_names(past), renames)
    renamed = (_rename_played(played, names) for played in history if played)
    return earlier and earlier._replace(history=tuple(filter(None, renamed)))


def _rename_played(played: PlayedPair, names: Mapping[str, str]) -> PlayedPair | None:
    """Return a pair under the present names of its bots; None if both are one bot now."""
    first, second = (names[bot] for bot in played.pairing[1:3])
    if first == second:
        return None
    return played._replace(pairing=played.pairing._replace(first=first, second=second))


def pairings(
    league: Sequence[Generation], outcomes: Mapping[int, PairPoints]
) -> dict[int, Pairing]:
    """Return the stored pairs, by number, as the schedules define them."""
    return {pairing.number: pairing for pairing in _Walk(outcomes).pairings(league)}


class _Walk:
    """Goes through the generations of a league, and counts the pairs that were played."""

    def __init__(self, outcomes: Mapping[int, PairPoints]) -> None:
        self._outcomes = outcomes
        self._met: defaultdict[frozenset[str], Counter[int]] = defaultdict(Counter)

    def pairings(self, league: Sequence[Generation], end: int | None = None) -> Iterator[Pairing]:
        """Yield the stored pairs, up to the one numbered `end`."""
        ends = [*(generation.first for generation in league[1:]), end]
        for index, (generation, stop) in enumerate(zip(league, ends, strict=False)):
            self.rename(generation.renames)
            before = self.gather(league[:index], generation.first)
            # The stored pairs show where a generation stopped. To apply its stopping rule again
            # would need all results of that time, and a fit of the ratings at every check.
            schedule = generation.schedule.model_copy(update={"until": None})
            scheduler = make_scheduler(schedule, generation.bots, before)
            # Fresh deals are interchangeable: any pair of two bots stands for any other.
            fresh = schedule.deals == "fresh"
            until = max(self._outcomes, default=-1) + 1 if stop is None else stop
            # Count the pairs, so that the end is known. A generation that was cut short has gaps,
            # and in a schedule without an end the walk would search for one more pair forever.
            left = sum(1 for number in self._outcomes if scheduler.first <= number < until)
            while left and (pairing := scheduler.next()) and pairing.number < until:
                if pairing.number not in self._outcomes:
                    continue
                left -= 1
                scheduler.record(pairing.number, self._outcomes[pairing.number])
                meeting = frozenset((pairing.first, pairing.second))
                self._met[meeting][0 if fresh else pairing.deal] += 1
                yield pairing

    def rename(self, renames: Mapping[str, str]) -> None:
        """Count what two bots have played for the names that they have from here on.

        Pairs of two bots that become one are kept under its name alone, which no two bots share.
        """
        if not renames:
            return
        met, self._met = self._met, defaultdict(Counter)
        for meeting, deals in met.items():
            self._met[frozenset(renames.get(bot, bot) for bot in meeting)].update(deals)

    def gather(self, past: Sequence[Generation], first: int) -> Earlier | None:
        """Return what was played in these generations; None if there are none."""
        # A copy, because the walk continues to count while the next generation is scheduled by it.
        met = {pair: Counter(deals) for pair, deals in self._met.items()}
        return Earlier(first, met) if past else None


def count_share(shard: Shard | None, pairs: int, before: Earlier | None) -> int:
    """Return how many of all `pairs` one part of a league has when it is finished.

    Every part contains the pairs that were played before the last version of the league.
    """
    if shard is None:
        return pairs
    if before is None:
        return shard.share(pairs)
    return before.pairs + shard.share(pairs - before.pairs, before.first)


def max_pairs(schedule: Schedule, bots: Sequence[str], before: Earlier | None) -> int:
    """Return the maximum number of pairs, including those of earlier generations."""
    pairing_rule = make_format(schedule, bots)
    if before is None:
        return pairing_rule.max_pairs()
    # Only formats that can be extended reach this point. Their waves differ only in which bot is
    # named first, so the first wave names all bots that meet.
    missing = sum(
        schedule.pairs - before.count_played(frozenset(meeting), schedule.pairs, schedule.turns)
        for meeting in pairing_rule.wave(0, ())
    )
    return before.pairs + missing
