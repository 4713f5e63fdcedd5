"""The metadata of a store, as a model that is validated when it is read."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from pwtourney.ratings.anchors import read_anchors, store_anchors
from pwtourney.schedule import Schedule
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.league import Generation, explain_names, list_names
from pwtourney.schedule.pairing import Shard
from pwtourney.schedule.season import LONGEST_REASON, Ban, Season, trace_season
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import parse_gate
from pwtourney.store.present import Present
from pwtourney.strict import find_first_problem

__all__ = [
    "Chain",
    "LeagueVersion",
    "Meta",
    "Settings",
    "StoredBan",
    "StoredEdition",
    "read_meta",
    "rename_facts",
]


def _read_ratings(value: Any) -> RatingOptions:
    if isinstance(value, RatingOptions):
        return value
    try:
        options = RatingOptions(read_anchors(value["anchor"]), float(value["prior"]))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("no anchor and no prior") from error
    for key, what in options.problems():
        raise ValueError(f"{key}: {what}")
    return options


def _write_ratings(options: RatingOptions) -> dict[str, Any]:
    return {"anchor": store_anchors(options.anchors), "prior": options.prior}


def _read_shard(value: Any) -> Shard | None:
    return value if isinstance(value, Shard) else Shard.parse(str(value)) if value else None


_OF_BOT = "bots."
"""The beginning of the names of facts about one bot."""

_DATE = "%Y-%m-%dT%H:%M:%SZ"


def _check_date(text: str) -> str:
    """Return a date and time in UTC; raises ValueError for any other text."""
    with suppress(ValueError):
        date = datetime.strptime(text, _DATE).replace(tzinfo=UTC)
        # Formatted again, because strptime also accepts fewer digits.
        if date.strftime(_DATE) == text:
            return text
    raise ValueError(f"{text!r:.40} is not a date and time in UTC")


Date = Annotated[StrictStr, AfterValidator(_check_date)]

_LATER_KEYS = ("began", "renames")
"""Keys of a version of a league that are left out if they are empty, as in older stores."""

_MOST_GATES = 100_000
"""A store may come from anybody; no tournament file has room for more."""


class _Frozen(BaseModel):
    # Unknown keys are errors and are not dropped, because hashes cover what was written.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Chain(_Frozen):
    """The state of the chain of hashes: the hash for the next record, and the number of records."""

    head: StrictStr
    records: StrictInt


class StoredEdition(_Frozen):
    """The edition that the games were played in, as lines of the protocol."""

    name: StrictStr
    lines: tuple[StrictStr, ...]


class LeagueVersion(_Frozen):
    """The point at which a league continued with other bots.

    It begins after `records` records, with the pair `first`. `closed` is the schedule of the
    version before. `began` is the time in UTC, as in ``2026-03-02T06:00:00Z``; None in stores that
    were written before it was recorded. `renames` maps names of earlier versions to those that the
    same bots have from here on.
    """

    records: StrictInt
    first: StrictInt
    closed: Schedule
    bots: tuple[StrictStr, ...]
    facts: dict[str, Any]
    began: Date | None = None
    renames: dict[StrictStr, StrictStr] = {}

    @model_serializer(mode="wrap")
    def _write_known(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Without what there is not: hashes cover the text that was first written.
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if key not in _LATER_KEYS or value}


class StoredBan(_Frozen):
    """A ban; its fields are those of `Ban`."""

    bot: StrictStr
    reason: Annotated[StrictStr, Field(max_length=LONGEST_REASON)]
    since: Date
    keeps_games: StrictBool = False


class Settings(_Frozen):
    """Settings that can change without changing a game that was played.

    `deals` are the lines of a list, if there is one, and `pairs` is the maximum number of pairs.
    `withdrawn` and `bans` name bots of the league that play no more, without their versions.
    """

    schedule: Schedule
    ratings: Annotated[
        RatingOptions,
        PlainValidator(_read_ratings),
        PlainSerializer(_write_ratings),
    ]
    gates: tuple[StrictStr, ...] = ()
    deals: StrictStr = ""
    pairs: StrictInt
    withdrawn: tuple[StrictStr, ...] = ()
    bans: tuple[StoredBan, ...] = ()

    @property
    def absent_bots(self) -> list[str]:
        """The bots that are withdrawn or banned."""
        return list(self.withdrawn) + [ban.bot for ban in self.bans]


class Meta(Settings):
    """The tournament of a store.

    `facts` determine the games, by the names under which differences are reported. Those of later
    versions of a league are in `league_versions`. A store holds all of its tournament, or a
    `shard`. `over` is True if everything was played when the last run ended. With `untrusted`, from
    ``--untrusted``, the machine is not described.
    """

    # A later program may store more, and this one can still read the rest.
    model_config = ConfigDict(extra="ignore")

    name: InstanceOf[str]  # not strict: the name of a file may not be valid Unicode
    bots: tuple[StrictStr, ...]
    facts: dict[str, Any]
    edition: StoredEdition
    league_versions: tuple[LeagueVersion, ...]
    shard: Annotated[
        Shard | None,
        PlainValidator(_read_shard),
        PlainSerializer(lambda shard: str(shard or "")),
    ] = None
    over: StrictBool
    created: StrictStr | None = None
    version: StrictStr
    untrusted: StrictBool = False
    python: StrictStr | None = None
    system: StrictStr | None = None

    @field_validator("bots")
    @classmethod
    def _are_names(cls, bots: tuple[str, ...]) -> tuple[str, ...]:
        if not bots or len(set(bots)) != len(bots):
            raise ValueError("not one name for each")
        return bots

    @field_validator("gates")
    @classmethod
    def _are_gates(cls, gates: tuple[str, ...]) -> tuple[str, ...]:
        if len(gates) > _MOST_GATES:
            raise ValueError(f"{len(gates):,} are too many")
        for gate in gates:
            parse_gate(gate)
        return gates

    @field_validator("facts")
    @classmethod
    def _have_seed(cls, facts: dict[str, Any]) -> dict[str, Any]:
        if type(facts.get("seed")) is not int or type(facts.get("edition")) is not str:
            raise ValueError("no seed and edition")
        return facts

    @model_validator(mode="after")
    def _can_be_played(self) -> Self:
        for generation in self.generations:
            if problem := generation.problem():
                raise ValueError(problem)
        return self

    @model_validator(mode="after")
    def _name_members(self) -> Self:
        if problem := explain_names(self.generations):
            raise ValueError(problem)
        played = {*map(base_name, self.names.values())}
        for bot in self.absent_bots:
            if bot not in played:
                raise ValueError(f"{bot!r:.40} left, and has never played")
        return self

    @model_validator(mode="after")
    def _have_contents(self) -> Self:
        for bot, content in self.contents.items():
            try:
                # Checked in the same way as it is encoded later; a file's name in it may not be
                # UTF-8.
                content.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise ValueError(
                    f"facts: the content of {bot!r:.40} is {content!r:.40}, which is not text"
                ) from None
        return self

    @property
    def seed(self) -> int:
        """The seed of the tournament."""
        return int(self.facts["seed"])

    @property
    def max_faults(self) -> int | None:
        """The number of faults that disqualifies a bot; None for never."""
        limit = self.facts.get("max_faults")
        return limit if isinstance(limit, int) else None

    @property
    def current_facts(self) -> dict[str, Any]:
        """The facts that determine the games not yet played."""
        return self.league_versions[-1].facts if self.league_versions else self.facts

    def find_facts(self, pair: int) -> dict[str, Any]:
        """Return the facts that determined the games of a pair: those of its league version."""
        begun = [version.facts for version in self.league_versions if version.first <= pair]
        return begun[-1] if begun else self.facts

    @property
    def names(self) -> dict[str, str]:
        """The present name of each bot that ever played, by each name that it played under."""
        return list_names(self.generations)

    @property
    def present(self) -> Present:
        """The present names of bots that had others, and the bots whose games do not count."""
        names = {old: now for old, now in self.names.items() if old != now}
        return Present(names, {ban.bot for ban in self.bans if not ban.keeps_games})

    @property
    def all_facts(self) -> dict[str, Any]:
        """The facts of all bots that ever played, under their present names; the latest count."""
        names = self.names
        facts = rename_facts(self.facts, names)
        for version in self.league_versions:
            facts |= rename_facts(version.facts, names)
        return facts

    @property
    def facts_as_played(self) -> dict[str, Any]:
        """The facts of all bots that ever played, under each name that they had."""
        facts = dict(self.facts)
        for version in self.league_versions:
            facts |= version.facts
        return facts

    @property
    def contents(self) -> dict[str, str]:
        """The content hash of each bot that ever played; the Automa has none."""
        facts = self.all_facts
        hashes = ((bot, facts.get(f"bots.{bot}.content")) for bot in self.everyone)
        return {bot: content for bot, content in hashes if isinstance(content, str)}

    @property
    def generations(self) -> list[Generation]:
        """The generations of the league, oldest first; a single one if it was never extended."""
        versions = self.league_versions
        # A version names the schedule that it closed, and the bots that it began with. So the list
        # of schedules ends with the league's own, and the list of bots begins with it.
        first, *others = [version.closed for version in versions] + [self.schedule]
        later = [
            Generation(version.first, version.bots, schedule, version.began, version.renames)
            for version, schedule in zip(versions, others, strict=True)
        ]
        return [Generation(0, self.bots, first, self.created), *later]

    @property
    def everyone(self) -> tuple[str, ...]:
        """All bots and players that ever played, by present name, in the order of appearance."""
        return tuple(dict.fromkeys(self.names.values()))  # a dict, because a set has no order

    def trace_season(self, pairs: Mapping[int, int] = MappingProxyType({})) -> Season:
        """Return the history of the league; `pairs` are those of each version, counted from 0."""
        bans = [Ban(**ban.model_dump()) for ban in self.bans]
        return trace_season(self.generations, pairs, withdrawn=self.withdrawn, bans=bans)


def rename_facts(facts: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return facts under other names of their bots.

    Of two bots that become one, the facts of the one that has the name already are kept.
    """
    renamed: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for key, value in facts.items():
        bot, dot, rest = key.removeprefix(_OF_BOT).rpartition(".")
        if key.startswith(_OF_BOT) and dot and names.get(bot, bot) != bot:
            renamed[f"{_OF_BOT}{names[bot]}.{rest}"] = value
        elif key == "bots" and isinstance(value, list):
            own[key] = [*dict.fromkeys(names.get(bot, bot) for bot in value)]
        else:
            own[key] = value
    return renamed | own


def read_meta(stored: dict[str, Any]) -> Meta:
    """Validate the metadata of a store; raises ValueError that names the first problem."""
    try:
        return Meta.model_validate(stored)
    except ValidationError as error:
        where, first = find_first_problem(error)
        if first["type"] == "missing":
            raise ValueError(f"{where} is missing") from error
        if first["type"] == "value_error":
            # Errors of the whole model have no location.
            raise ValueError(f"{where}: {first['ctx']['error']}".removeprefix(": ")) from error
        raise ValueError(f"{where} is {first['input']!r:.60}") from error
