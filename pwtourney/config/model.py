"""The tournament file as a validated model; ``docs/config.md`` explains each key."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from pwtourney.config.bot_table import (
    BotEntry,
    ClockConfig,
    DefaultsConfig,
    Duration,
    LimitsConfig,
    Processes,
)
from pwtourney.config.membership import Bans, Merges, Renames, Withdrawn
from pwtourney.config.until import UntilConfig
from pwtourney.constants import Pondering, SandboxChoice
from pwtourney.schedule import FormatName, list_formats
from pwtourney.schedule.format_spec import FormatKeys
from pwtourney.standings import Anchor
from pwtourney.standings.gates import parse_gate
from pwtourney.strict import Number, Strict, join_models

__all__ = [
    "AFFINITIES",
    "EXECUTORS",
    "IMPLIED",
    "AffinityConfig",
    "AnchorConfig",
    "ExecutorConfig",
    "TournamentConfig",
]

MOST_PAIRS = 10**7
TOURNAMENT_NAME = re.compile(r"\w[\w .-]{0,63}")

AFFINITIES: dict[str, object] = {"auto": {"cores": 1}, "none": None}
EXECUTORS: dict[str, object] = {"local": None, "dask": {"dask": True}}
"""The words that stand for a table, and these tables; the first word is the default."""

IMPLIED = tuple(spec.implied_by for spec in list_formats() if spec.implied_by)
"""Keys that imply a format."""

_FACTORY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_FACTORY_SCHEMA = {"type": "string", "pattern": f"^{_FACTORY.pattern}$"}
_ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:[0-9]{1,5}")


class ExecutorConfig(Strict):
    """An alternative to worker processes on this machine: a custom executor, or Dask.

    Both `scheduler` and `dask` mean Dask.
    """

    factory: Annotated[str, WithJsonSchema(_FACTORY_SCHEMA)] | None = Field(
        None, description="module:callable that makes an executor of concurrent.futures."
    )
    scheduler: str | None = Field(
        None, description="Address of a Dask scheduler, such as tcp://10.0.0.1:8786."
    )
    dask: Literal[True] | None = Field(
        None, description="A Dask cluster on this machine; `executor: dask` is short for it."
    )

    @field_validator("factory")
    @classmethod
    def _check_factory(cls, factory: str | None) -> str | None:
        if factory is not None and not _FACTORY.fullmatch(factory):
            raise ValueError("expected module:callable, such as my_pool:make_executor")
        return factory

    @field_validator("scheduler")
    @classmethod
    def _check_address(cls, address: str | None) -> str | None:
        # the kernel takes larger ports modulo 65536, where another program may listen
        if address is not None and not (
            _ADDRESS.fullmatch(address) and 0 < int(address.rpartition(":")[2]) < 65536
        ):
            raise ValueError("expected tcp://HOST:PORT or tls://HOST:PORT")
        return address

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(kind is not None for kind in (self.factory, self.scheduler, self.dask)) != 1:
            raise ValueError("expected one of factory, scheduler and dask")
        return self


class AnchorConfig(Strict):
    """A rating that is given; a number alone is short for a fixed one."""

    elo: Number = Field(description="The rating.")
    error: Number = Field(0.0, description="Its standard error; 0 fixes the rating.")


class AffinityConfig(Strict):
    """The number of cores that the bots of a game and its referee have to themselves."""

    cores: int = Field(ge=1, le=1024, description="Cores for each game.")


def _take_number_or(word: str, most: int) -> BeforeValidator:
    """Return a validator for a word or an int from 1 to `most`; others raise ValueError."""

    def check(value: object) -> object:
        # Not isinstance, because `true` would be accepted as 1.
        if value == word or (type(value) is int and 1 <= value <= most):
            return value
        raise ValueError(f"expected {word} or a whole number from 1 to {most}")

    return BeforeValidator(check)


def _write_out(words: Mapping[str, object], expected: str) -> BeforeValidator:
    """Return a validator that replaces a word by its table; unknown words raise ValueError."""

    def expand(value: object) -> object:
        if not isinstance(value, str):
            return value
        if value not in words:
            raise ValueError(f"expected {expected}")
        return words[value]

    return BeforeValidator(expand)


def _write_out_rating(value: object) -> object:
    """Return the table for which a number is short; raises ValueError for other values."""
    if isinstance(value, dict):
        return value
    try:  # YAML reads 1e3 as a text
        return {"elo": float(value)}  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ValueError("expected a number, or {elo: NUMBER, error: NUMBER}") from error


def _check_gate(value: object) -> object:
    """Raise ValueError for a string that is not a gate."""
    if isinstance(value, str):
        parse_gate(value)
    return value


GateText = Annotated[str, BeforeValidator(_check_gate)]


class _FirstKeys(FormatKeys):
    """The first keys of a file; the keys of single formats follow them."""

    extends: str | None = Field(
        None, description="A base file in the same folder; this file overrides its keys."
    )
    name: str | None = Field(None, description="The tournament's name; the file's, if absent.")
    edition: str = Field("original", description="An edition's name or a .toml file of your own.")
    seed: int | None = Field(
        None, ge=0, lt=2**63, description="Determines every deal and every bot's seed."
    )
    format: FormatName = Field("round-robin", description="Who plays whom.")
    pairs: int = Field(
        10, ge=1, le=MOST_PAIRS, description="Mirrored pairs for each two bots that meet."
    )
    add_pairs: int | None = Field(
        None, ge=1, le=MOST_PAIRS, description="As many more for each complete run."
    )


if TYPE_CHECKING:  # the set of formats is known at run time only

    class _FormatKeys(_FirstKeys):
        pass
else:
    _FormatKeys = join_models("_FormatKeys", _FirstKeys, [spec.keys for spec in list_formats()])


class TournamentConfig(_FormatKeys):
    """The model of a whole tournament file."""

    @model_validator(mode="before")
    @classmethod
    def _imply_format(cls, values: object) -> object:
        # A file with a `tune` table need not also set `format: tune`.
        if not isinstance(values, dict):
            return values
        implied: dict[str, object] = {}
        for spec in list_formats():
            if spec.implied_by and values.get(spec.implied_by) is not None:
                implied |= {"format": spec.name, **spec.imply(values)}
        return {**implied, **values}

    @field_validator("name")
    @classmethod
    def _plain_name(cls, name: str | None) -> str | None:
        if name is not None and not TOURNAMENT_NAME.fullmatch(name):
            raise ValueError(
                "expected 1 to 64 letters, digits, blanks, . _ - (no other characters)"
            )
        return name

    @field_validator("results")
    @classmethod
    def _some_folder(cls, results: str | None) -> str | None:
        if results is not None and not results.strip():
            raise ValueError("expected the name of a folder")
        return results

    @field_validator("deals")
    @classmethod
    def _known_deals(cls, deals: str) -> str:
        if deals not in ("fresh", "shared") and not deals.endswith(".txt"):
            raise ValueError("expected fresh, shared or a .txt file")
        return deals

    @property
    def absent_bots(self) -> dict[str, str]:
        """The bots that are withdrawn or banned, each with its key of the file."""
        return dict.fromkeys(self.withdrawn, "withdrawn") | dict.fromkeys(self.bans, "bans")

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """The bots with given ratings."""
        return tuple(Anchor(bot, given.elo, given.error) for bot, given in self.anchor.items())

    @property
    def max_pairs(self) -> int:
        """The maximum number of pairs between two bots; `MOST_PAIRS` if only `until` ends them."""
        # The default of `pairs` would end most tournaments long before the stopping rule holds.
        return MOST_PAIRS if self.until and "pairs" not in self.model_fields_set else self.pairs

    until: UntilConfig | None = Field(
        None, description="Stop when the ratings fulfil this condition."
    )
    budget: Duration | None = Field(None, gt=0, description="The longest time of one run.")
    deals: str = Field(
        "fresh", description="fresh, shared, or a .txt file of deals, relative to this file."
    )
    anchor: dict[str, Annotated[AnchorConfig, BeforeValidator(_write_out_rating)]] = Field(
        default_factory=dict,
        description="Bots with given ratings, such as {greedy: 0}, or {elo: N, error: N} if loose.",
    )
    gates: list[GateText] = Field(
        default_factory=list,
        description="Conditions on the standings; if one fails, the exit code is 1.",
    )
    prior: Number = Field(0.0, description="Virtual games per bot that pull ratings together.")
    workers: Annotated[int | Literal["auto"], _take_number_or("auto", 1024)] = Field(
        "auto", description="Games at a time; auto is one for each core that may be used."
    )
    executor: Annotated[
        ExecutorConfig | None,
        _write_out(
            EXECUTORS,
            "local, dask, {scheduler: tcp://HOST:PORT}, or {factory: module:callable}",
        ),
    ] = Field(None, description="Where pairs are played: local, dask, or a table.")
    affinity: Annotated[
        AffinityConfig | None, _write_out(AFFINITIES, "auto, none, or {cores: N}")
    ] = Field(
        default_factory=lambda: AffinityConfig(cores=1),
        description="The cores of a game: auto (one of its own), none, or {cores: N}.",
    )
    clock: ClockConfig = Field(
        default_factory=lambda: ClockConfig.model_validate({"move": "1s"}),
        description="The clock of every bot that has none of its own.",
    )
    sandbox: SandboxChoice = Field("auto", description="How bots are isolated.")
    limits: LimitsConfig = Field(
        default_factory=LimitsConfig,
        description="The resources that each bot may use.",
    )
    pondering: Pondering | None = Field(
        None,
        description="What happens to a bot in its opponent's time. [measure for trusted bots,"
        " suspend for others]",
    )
    processes: Processes = Field(
        "auto", description="Where the process of a bot for a game comes from."
    )
    defaults: DefaultsConfig = Field(
        default_factory=DefaultsConfig,
        description="Values for every bot that does not set its own.",
    )
    timeouts: Literal["forfeit", "replay-if-machine"] = Field(
        "forfeit", description="What happens after a time-out that the machine caused."
    )
    max_faults: Annotated[int | Literal["never"], _take_number_or("never", 10**6)] = Field(
        25, description="A bot with this many faults is disqualified."
    )
    renames: Renames = Field(
        default_factory=dict, description="In a league, bots with another name, as OLD: NEW."
    )
    merges: Merges = Field(
        default_factory=dict, description="In a league, bots that are one, as BOT: OTHER."
    )
    withdrawn: Withdrawn = Field(
        default_factory=list, description="In a league, bots that do not play for a time."
    )
    bans: Bans = Field(
        default_factory=dict, description="In a league, bots that are in no table, and the reason."
    )
    results: str | None = Field(None, description="The results folder, relative to this file.")
    bots: list[BotEntry] = Field(min_length=1, description="Who plays.")
