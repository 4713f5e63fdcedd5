"""The tournament file as a checked model. What each key means is told in ``docs/config.md``."""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from pwtourney.clock import TimeControl
from pwtourney.config.base import Strict
from pwtourney.config.duration import parse_duration
from pwtourney.config.formats import FormatName, Number, SoloConfig, SprtConfig, UntilConfig
from pwtourney.config.size import parse_size
from pwtourney.config.slots import (
    AffinityConfig,
    ExecutorConfig,
    to_affinity,
    to_executor,
    to_worker_count,
)
from pwtourney.sandbox.launch import Limits
from pwtourney.standings.gates import parse_gate

__all__ = ["BOT_ID", "BotConfig", "BotEntry", "ClockConfig", "LimitsConfig", "TournamentConfig"]

MOST_PAIRS = 10**7
TOURNAMENT_NAME = re.compile(r"\w[\w .-]{0,63}")
BOT_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}", re.ASCII)

Duration = Annotated[
    int,
    BeforeValidator(parse_duration),
    PlainSerializer(lambda milliseconds: f"{milliseconds}ms"),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]+(\.[0-9]{1,3})?(ms|s|m|h)$"}),
]

Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(lambda size: f"{size}B"),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9]{1,9}(B|KiB|MiB|GiB)$"}),
]


class ClockConfig(Strict):
    """How much time a bot has: `move` for each move, or `game` with an `increment` a move."""

    move: Duration | None = Field(None, description="Time for each move.")
    game: Duration | None = Field(None, description="Time for the whole game.")
    increment: Duration = Field(0, description="Added to the game's time after each move.")
    measure: Literal["wall", "cpu"] = Field("wall", description="The time that is measured.")
    wall: Duration | None = Field(None, description="With measure: cpu, wall time for each move.")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.move is None) == (self.game is None):
            raise ValueError("give either move or game")
        if self.increment and self.game is None:
            raise ValueError("an increment goes with game")
        if not (self.move or self.game):
            raise ValueError("a bot needs at least 1ms")
        if self.wall is not None and self.measure == "wall":
            raise ValueError("wall goes with measure: cpu")
        if self.wall == 0:
            raise ValueError("a bot needs at least 1ms of wall time")
        return self

    def control(self) -> TimeControl:
        """Return the time control of a game."""
        return TimeControl(self.move, self.game, self.increment, self.measure == "cpu", self.wall)


_STATED = Limits()


def _stated(what: str, name: str) -> Any:
    """Describe a limit; the default is that of the process layer, unless a bot's own is given."""
    return Field(None, description=f"{what} [{getattr(_STATED, name)}]")


class LimitsConfig(Strict):
    """What a bot may use; what is absent is as the tournament says, or as the default."""

    start: Duration | None = _stated("Time to get ready, in milliseconds.", "start_ms")
    prepare: Duration | None = Field(
        None, description="Time to prepare before the first game, or to build. [600000]"
    )
    move: Duration | None = _stated("Time for any one move, whatever the clock.", "move_ms")
    end: Duration | None = _stated("Grace between quit and being killed.", "end_ms")
    cpu: Duration | None = _stated("Processor time of one process.", "cpu_ms")
    memory: Size | None = _stated("Memory of all processes together, in bytes.", "memory")
    processes: Annotated[int, Field(ge=1, le=32768)] | None = _stated(
        "Processes and threads.", "processes"
    )
    files: Annotated[int, Field(ge=16, le=65536)] | None = _stated("Open files.", "files")
    file: Size | None = _stated("Size of one file, in bytes.", "file")
    scratch: Size | None = _stated("Everything in the scratch folder, in bytes.", "scratch")
    output: Size | None = _stated("What it writes in one game, in bytes.", "output")
    line: Size | None = _stated("One line, in bytes.", "line")
    stderr: Size | None = _stated("What is kept of standard error, in bytes.", "stderr")

    @model_validator(mode="after")
    def _enough(self) -> Self:
        for name, (least, text) in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is too little for any bot; give at least {text}")
        return self

    def applied(self, limits: Limits) -> Limits:
        """Return limits with what is given here in their place."""
        given = {name: getattr(self, name) for name in type(self).model_fields if name != "prepare"}
        return limits._replace(
            **{_FIELD.get(name, name): value for name, value in given.items() if value is not None}
        )


_FIELD = {"start": "start_ms", "move": "move_ms", "end": "end_ms", "cpu": "cpu_ms"}
_LEAST = {
    "start": (1, "1ms"),
    "prepare": (1000, "1s"),
    "move": (1, "1ms"),
    "cpu": (1000, "1s"),
    "memory": (16 << 20, "16MiB"),
    "scratch": (4096, "4KiB"),
    "output": (4096, "4KiB"),
    "line": (256, "256B"),
}
"""The least that makes sense, and how it is written."""


def _words(value: object) -> object:
    """Let a command be written as one text, split the way a shell would."""
    import shlex

    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"expected a command: {error}") from error


def _option_texts(value: object) -> object:
    """Let options be numbers and booleans; a bot is told texts."""
    if not isinstance(value, dict):
        return value
    return {key: _option_text(each) for key, each in value.items()}


def _option_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")  # never 1e-05, which is no number to a bot
    return str(value) if isinstance(value, int) else value


Command = Annotated[
    tuple[str, ...],
    BeforeValidator(_words),
    Field(min_length=1, strict=False),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


def _gate(value: object) -> object:
    """Refuse a text that is no gate."""
    if isinstance(value, str):
        parse_gate(value)
    return value


GateText = Annotated[str, BeforeValidator(_gate)]
Sandbox = Literal["auto", "bwrap", "unshare", "none"]
Pondering = Literal["measure", "suspend", "allow"]
Processes = Literal["per-game", "persistent"]


class BotConfig(Strict):
    """One player: an installed bot, a Python file, or a command in any language."""

    id: str = Field("", description="The name in tables; made from the bot's own if absent.")
    bot: str | None = Field(None, description="The name of an installed bot.")
    file: str | None = Field(None, description="A Python file, as FILE.py or FILE.py:CLASS.")
    command: Command | None = Field(None, description="A program and its arguments.")
    build: Command | None = Field(
        None, description="Run before the first game, once for each content."
    )
    set: Annotated[dict[str, str], BeforeValidator(_option_texts)] = Field(
        default_factory=dict, description="Options of the bot."
    )
    clock: ClockConfig | None = Field(
        None, description="This bot's clock instead of the common one."
    )
    trusted: bool | None = Field(None, description="Whether its code may do what you may.")
    sandbox: Sandbox | None = Field(None, description="This bot's sandbox.")
    read_paths: list[str] = Field(
        default_factory=list, description="More files and folders that it may read."
    )
    limits: LimitsConfig | None = Field(None, description="This bot's limits.")
    pondering: Pondering | None = Field(None, description="What happens in its opponent's time.")
    processes: Processes | None = Field(
        None, description="Whether each game starts a new process of it."
    )

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [key for key in ("bot", "file", "command") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError("give one of bot, file and command")
        if self.id and not BOT_ID.fullmatch(self.id):
            raise ValueError(
                f"the id {self.id!r} is not 1 to 32 characters of a-z, 0-9, . _ - that begin with"
                " a letter or digit"
            )
        if self.trusted is False and self.processes == "persistent":
            raise ValueError("a bot that is not trusted gets a new process for every game")
        for name, value in self.set.items():
            if not name.isprintable() or " " in name or not name or not value.isprintable():
                raise ValueError(f"the option {name!r} is not one word, or its value not one line")
        return self

    @property
    def name(self) -> str:
        """The id, or one made from where the bot comes from."""
        if self.id:
            return self.id
        path = self.bot or self.file or (self.command or ("",))[0]
        stem = path.rpartition("/")[2].partition(".py")[0].lower()
        return re.sub(r"[^a-z0-9._-]+", "-", stem).strip("-._")[:32] or "bot"


class DefaultsConfig(Strict):
    """What holds for every bot that says nothing else, beside the common keys."""

    set: Annotated[dict[str, str], BeforeValidator(_option_texts)] = Field(
        default_factory=dict, description="Options of every bot."
    )
    trusted: bool | None = Field(None, description="Whether their code may do what you may.")
    read_paths: list[str] = Field(
        default_factory=list, description="Files and folders that every bot may read."
    )

    def applied(self, bot: BotConfig) -> BotConfig:
        """Return a bot with what it leaves open filled in."""
        return bot.model_copy(
            update={
                "set": {**self.set, **bot.set},
                "trusted": self.trusted if bot.trusted is None else bot.trusted,
                "read_paths": [*self.read_paths, *bot.read_paths],
            }
        )


def bot_table(value: str) -> dict[str, Any]:
    """Return the table that a bot written as one text stands for."""
    table: dict[str, Any] = _bot(value)
    return table


def _bot(value: Any) -> Any:
    """Let a bot be one text: the name of an installed bot, a Python file, or a command."""
    if not isinstance(value, str):
        return value
    words = _words(value)
    word = words[0] if isinstance(words, list) and len(words) == 1 else ""
    if word.endswith(".py") or ".py:" in word:
        return {"file": word}
    return {"bot": word} if word and "/" not in word else {"command": value}


def _max_faults(value: object) -> object:
    if value == "never" or (type(value) is int and 1 <= value <= 10**6):
        return value
    raise ValueError("expected never or a whole number from 1 to 1000000")


BotEntry = Annotated[BotConfig, BeforeValidator(_bot)]


class TournamentConfig(Strict):
    """A whole tournament."""

    extends: str | None = Field(
        None, description="A base file in the same folder; this file overrides its keys."
    )
    name: str | None = Field(None, description="The tournament's name; the file's, if absent.")

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
    def most_pairs(self) -> int:
        """How many pairs each two bots play at most: no end where only `until` gives one."""
        return MOST_PAIRS if self.until and "pairs" not in self.model_fields_set else self.pairs

    edition: str = Field("original", description="An edition's name or a .toml file of your own.")
    seed: int | None = Field(
        None, ge=0, lt=2**63, description="Determines every deal and every bot's seed."
    )
    format: FormatName = Field("round-robin", description="Who plays whom.")
    pairs: int = Field(
        10, ge=1, le=MOST_PAIRS, description="Mirrored pairs for each two bots that meet."
    )
    challengers: list[str] = Field(
        default_factory=list, description="In a gauntlet, the bots that play all others."
    )
    rounds: int | None = Field(
        None, ge=1, description="In a Swiss tournament, the number of rounds."
    )
    sprt: SprtConfig = Field(
        default_factory=lambda: SprtConfig.model_validate({}),
        description="In a sequential test, its hypotheses.",
    )
    solo: SoloConfig = Field(
        default_factory=lambda: SoloConfig.model_validate({}),
        description="In a solo tournament, how the Automa plays.",
    )
    until: UntilConfig | None = Field(
        None, description="Stop when the ratings fulfil this condition."
    )
    budget: Duration | None = Field(None, gt=0, description="The longest time of one run.")
    deals: str = Field(
        "fresh", description="fresh, shared, or a .txt file of deals, relative to this file."
    )
    anchor: dict[str, Number] = Field(
        default_factory=dict, description="The bot with a fixed rating, and that rating."
    )
    gates: list[GateText] = Field(
        default_factory=list,
        description="Conditions on the standings; if one fails, the exit code is 1.",
    )
    prior: Number = Field(0.0, description="Virtual games per bot that pull ratings together.")
    workers: Annotated[int | Literal["auto"], BeforeValidator(to_worker_count)] = Field(
        "auto", description="Games at a time; auto is one for each core."
    )
    executor: Annotated[ExecutorConfig | None, BeforeValidator(to_executor)] = Field(
        None, description="Where pairs are played: local, dask, or a table."
    )
    affinity: Annotated[AffinityConfig | None, BeforeValidator(to_affinity)] = Field(
        default_factory=lambda: AffinityConfig(cores=1),
        description="The cores of a game: auto (one of its own), none, or {cores: N}.",
    )
    clock: ClockConfig = Field(
        default_factory=lambda: ClockConfig.model_validate({"move": "1s"}),
        description="The clock of every bot that has none of its own.",
    )
    sandbox: Sandbox = Field("auto", description="How bots are isolated.")
    limits: LimitsConfig = Field(
        default_factory=lambda: LimitsConfig.model_validate({}),
        description="The resources that each bot may use.",
    )
    pondering: Pondering = Field(
        "measure", description="What happens to a bot in its opponent's time."
    )
    processes: Processes = Field(
        "per-game", description="Whether each game starts a new process of a bot."
    )
    defaults: DefaultsConfig = Field(
        default_factory=lambda: DefaultsConfig.model_validate({}),
        description="Values for every bot that does not set its own.",
    )
    timeouts: Literal["forfeit", "replay-if-machine"] = Field(
        "forfeit", description="What happens after a time-out that the machine caused."
    )
    max_faults: Annotated[int | Literal["never"], BeforeValidator(_max_faults)] = Field(
        25, description="A bot with this many faults is disqualified."
    )
    results: str | None = Field(None, description="The results folder, relative to this file.")
    bots: list[BotEntry] = Field(min_length=1, description="Who plays.")
