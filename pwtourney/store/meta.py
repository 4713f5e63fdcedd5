"""What a store says of itself, as a model that is checked when it is read."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
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

from pwtourney.schedule import Schedule, list_players
from pwtourney.schedule.league import Generation
from pwtourney.schedule.pairing import Shard
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import parse_gate

__all__ = ["Chain", "LeagueVersion", "Meta", "Settings", "StoredEdition", "read_meta"]


def _read_ratings(value: Any) -> RatingOptions:
    if isinstance(value, RatingOptions):
        return value
    try:
        anchor = value["anchor"] and (str(value["anchor"][0]), float(value["anchor"][1]))
        options = RatingOptions(anchor or None, float(value["prior"]))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError("no anchor and no prior") from error
    for key, what in options.problems():
        raise ValueError(f"{key}: {what}")
    return options


def _read_shard(value: Any) -> Shard | None:
    return value if isinstance(value, Shard) else Shard.parse(str(value)) if value else None


_DATE = "%Y-%m-%dT%H:%M:%SZ"
_MOST_GATES = 100_000
"""A store may come from anybody; no tournament file has room for more."""


class _Frozen(BaseModel):
    # Keys that are not known are an error and are not left out: what is hashed is what was written.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Chain(_Frozen):
    """How far the chain of hashes reaches: what the next record is chained to, and their number."""

    head: StrictStr
    records: StrictInt


class StoredEdition(_Frozen):
    """The edition that the games were played in, in the lines of the protocol."""

    name: StrictStr
    lines: tuple[StrictStr, ...]


class LeagueVersion(_Frozen):
    """Where a league went on with other bots: behind so many records, from the pair `first` on.

    `closed` is the schedule of the version before. `began` is when that was, in UTC, as in
    ``2026-03-02T06:00:00Z``; None in stores that were written before it was noted.
    """

    records: StrictInt
    first: StrictInt
    closed: Schedule
    bots: tuple[StrictStr, ...]
    facts: dict[str, Any]
    began: StrictStr | None = None

    @field_validator("began")
    @classmethod
    def _is_date(cls, began: str | None) -> str | None:
        if began is None:
            return None
        with suppress(ValueError):
            date = datetime.strptime(began, _DATE).replace(tzinfo=UTC)
            # written again, because it may be written in fewer digits as well
            if date.strftime(_DATE) == began:
                return began
        raise ValueError(f"{began!r:.40} is not a date and time in UTC")

    @model_serializer(mode="wrap")
    def _write_known(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # Without the date where there is none: hashes are over the text that was first written.
        written: dict[str, Any] = write(self)
        return {key: value for key, value in written.items() if key != "began" or value}


class Settings(_Frozen):
    """What may be said otherwise without changing a game that was played.

    `deals` are the lines of a list, if there is one, and `pairs` how many pairs there are at most.
    """

    schedule: Schedule
    ratings: Annotated[
        RatingOptions,
        PlainValidator(_read_ratings),
        PlainSerializer(lambda options: options._asdict()),
    ]
    gates: tuple[StrictStr, ...] = ()
    deals: StrictStr = ""
    pairs: StrictInt


class Meta(Settings):
    """The tournament of a store.

    `facts` determine the games, by the names under which differences are reported; those of later
    versions of a league are in `league_versions`. A store holds all of its tournament, or a
    `shard`. `over` is whether everything was played when the last run ended. What was played with
    ``--untrusted`` does not describe the machine.
    """

    # A later program may note more, which is no reason to refuse what this one can read.
    model_config = ConfigDict(extra="ignore")

    name: InstanceOf[str]  # and no more: the name of a file need not be valid Unicode
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
    def _have_contents(self) -> Self:
        for bot, content in self.contents.items():
            try:
                # as whatever names a bot by it does; the name of a file in it need not be UTF-8
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
        """How many faults disqualify a bot; None for never."""
        limit = self.facts.get("max_faults")
        return limit if isinstance(limit, int) else None

    @property
    def current_facts(self) -> dict[str, Any]:
        """What determines the games that are yet to be played."""
        return self.league_versions[-1].facts if self.league_versions else self.facts

    def find_facts(self, pair: int) -> dict[str, Any]:
        """Return what determined the games of a pair: that of its version of the league."""
        begun = [version.facts for version in self.league_versions if version.first <= pair]
        return begun[-1] if begun else self.facts

    @property
    def all_facts(self) -> dict[str, Any]:
        """What determines the games of every bot that ever played."""
        facts = dict(self.facts)
        for version in self.league_versions:
            facts |= version.facts
        return facts

    @property
    def contents(self) -> dict[str, str]:
        """What each bot that ever played is, by a hash; the Automa is none."""
        facts = self.all_facts
        found = ((bot, facts.get(f"bots.{bot}.content")) for bot in self.everyone)
        return {bot: content for bot, content in found if isinstance(content, str)}

    @property
    def generations(self) -> list[Generation]:
        """The generations of the league, oldest first; one if it was never extended."""
        versions = self.league_versions
        # A version names the schedule that it closed, and the bots that it began with: so schedules
        # end with the league's own and bots begin with it, one place apart.
        schedules = [*(version.closed for version in versions), self.schedule]
        starts = [
            (0, self.bots, self.created),
            *((version.first, version.bots, version.began) for version in versions),
        ]
        return [
            Generation(first, bots, schedule, began)
            for (first, bots, began), schedule in zip(starts, schedules, strict=True)
        ]

    @property
    def everyone(self) -> tuple[str, ...]:
        """All who ever played, in the order in which they came."""
        bots = (
            bot
            for generation in self.generations
            for bot in list_players(generation.schedule.format, generation.bots)
        )
        return tuple(dict.fromkeys(bots))  # a dictionary, because a set has no order


def read_meta(stored: dict[str, Any]) -> Meta:
    """Check what a store says of itself; raises ValueError that names the first problem."""
    try:
        return Meta.model_validate(stored)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        if first["type"] == "missing":
            raise ValueError(f"{where} is missing") from error
        if first["type"] == "value_error":
            # what is wrong of the whole names itself
            raise ValueError(f"{where}: {first['ctx']['error']}".removeprefix(": ")) from error
        raise ValueError(f"{where} is {first['input']!r:.60}") from error
