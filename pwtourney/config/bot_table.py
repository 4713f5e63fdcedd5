"""The bots of a tournament file: their source, clocks and limits.

The formats of values with a unit are defined here, too: durations, sizes and confidence levels.
"""

import re
import shlex
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    WithJsonSchema,
    model_validator,
)

from pwtourney.bots.naming import name_bot, name_command
from pwtourney.clock import TimeControl
from pwtourney.constants import Pondering, SandboxChoice
from pwtourney.ratings.uncertainty import parse_level
from pwtourney.sandbox.launch import Limits
from pwtourney.schedule.pairing import write_option
from pwtourney.strict import Strict

__all__ = [
    "BotConfig",
    "BotEntry",
    "ClockConfig",
    "DefaultsConfig",
    "Duration",
    "Level",
    "LimitsConfig",
    "Processes",
    "Size",
    "bot_table",
    "parse_duration",
    "parse_size",
]

BOT_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}", re.ASCII)
Processes = Literal["auto", "per-game", "forked", "persistent"]

_DURATION = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?(ms|s|m|h)", re.ASCII)
_MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_SIZE = re.compile(r"([0-9]{1,9})(B|KiB|MiB|GiB)", re.ASCII)
_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def parse_duration(value: object) -> int:
    """Return a duration in whole milliseconds; raises ValueError that says what was expected.

    >>> parse_duration("500ms"), parse_duration("1.5m")
    (500, 90000)
    """
    # A number without a unit is refused: some readers would mean seconds, others milliseconds.
    parts = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        raise ValueError("expected a duration with its unit, such as 500ms, 2s or 1.5m")
    whole, fraction, unit = parts.groups()
    # Compute in whole numbers, because 1.001 × 1000 is not 1001 in floating point.
    thousandths = int(whole) * 1000 + int((fraction or "").ljust(3, "0"))
    if thousandths * _MILLISECONDS[unit] % 1000:
        raise ValueError("expected a duration of whole milliseconds")
    return thousandths * _MILLISECONDS[unit] // 1000


def parse_size(value: object) -> int:
    """Return a size in bytes; raises ValueError for anything but a size.

    >>> parse_size("2GiB"), parse_size("64KiB")
    (2147483648, 65536)
    """
    parts = _SIZE.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        raise ValueError("expected a size such as 64KiB, 512MiB or 2GiB")
    return int(parts[1]) * _BYTES[parts[2]]


# A schema describes what people write, which is a string. The model holds the number that it means,
# and serializes it with a unit, so that it can be read again.
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
Level = Annotated[
    float,
    BeforeValidator(parse_level),
    WithJsonSchema({"type": "string", "pattern": r"^[5-9][0-9](\.[0-9]{1,3})?%$"}),
]


class ClockConfig(Strict):
    """The time that a bot has: `move` for each move, or `game` plus an `increment` per move."""

    move: Duration | None = Field(None, description="Time for each move.")
    game: Duration | None = Field(None, description="Time for the whole game.")
    increment: Duration = Field(0, description="Added to the game's time after each move.")
    measure: Literal["wall", "cpu"] = Field("wall", description="The time that is measured.")
    wall: Duration | None = Field(None, description="With measure: cpu, wall time for each move.")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        # `0s` counts as given: it is refused below instead of being treated as absent.
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


_STANDARD = Limits()


def _limit_field(what: str, name: str) -> Any:
    """Return the field of a limit, whose description ends with the default of the process layer."""
    return Field(None, description=f"{what} [{getattr(_STANDARD, name)}]")


class LimitsConfig(Strict):
    """The resources of a bot; absent values come from the tournament's limits, or the defaults."""

    start: Duration | None = _limit_field("Time to get ready, in milliseconds.", "start_ms")
    prepare: Duration | None = Field(
        None, description="Time to prepare before the first game, or to build. [600000]"
    )
    move: Duration | None = _limit_field("Time for any one move, whatever the clock.", "move_ms")
    end: Duration | None = _limit_field("Grace between quit and being killed.", "end_ms")
    cpu: Duration | None = _limit_field("Processor time of one process.", "cpu_ms")
    memory: Size | None = _limit_field("Memory of all processes together, in bytes.", "memory")
    processes: Annotated[int, Field(ge=1, le=32768)] | None = _limit_field(
        "Processes and threads.", "processes"
    )
    files: Annotated[int, Field(ge=16, le=65536)] | None = _limit_field("Open files.", "files")
    file: Size | None = _limit_field("Size of one file, in bytes.", "file")
    scratch: Size | None = _limit_field("Everything in the scratch folder, in bytes.", "scratch")
    output: Size | None = _limit_field("What it writes in one game, in bytes.", "output")
    line: Size | None = _limit_field("One line, in bytes.", "line")
    stderr: Size | None = _limit_field("What is kept of standard error, in bytes.", "stderr")

    @model_validator(mode="after")
    def _check_least(self) -> Self:
        for name, (least, text) in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise ValueError(f"{name} is too little for any bot; give at least {text}")
        for name, (most, text) in _MOST.items():
            value = getattr(self, name)
            if value is not None and value > most:
                raise ValueError(f"{name} is more than the runner keeps; give at most {text}")
        return self

    def apply_to(self, limits: Limits) -> Limits:
        """Return limits in which the values given here replace the others."""
        # `prepare` applies before the first game, to another process than the one that plays.
        given = {name: getattr(self, name) for name in type(self).model_fields if name != "prepare"}
        return limits._replace(
            **{_FIELD.get(name, name): value for name, value in given.items() if value is not None}
        )


_FIELD = {"start": "start_ms", "move": "move_ms", "end": "end_ms", "cpu": "cpu_ms"}
_MOST = {"output": (1 << 24, "16MiB"), "line": (1 << 20, "1MiB"), "stderr": (1 << 20, "1MiB")}
"""Maximum values, in bytes and as text; the runner keeps this much in memory and in the store."""

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
"""Minimum values that make sense, in the unit of the field and as text."""


_LONGEST_COMMAND = 32_768
"""The maximum length of a command, in characters.

The kernel accepts 131,071 bytes a word (MAX_ARG_STRLEN), and to split a long text takes minutes.
"""


def _split_command(value: object) -> object:
    """Accept a command written as one string, and split it as a shell would."""
    words = value if isinstance(value, list) else [value]
    length = sum(len(word) + 1 for word in words if isinstance(word, str))
    if length > _LONGEST_COMMAND:
        raise ValueError(f"expected at most {_LONGEST_COMMAND:,} characters, not {length:,}")
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"expected a command: {error}") from error


def _write_options(value: object) -> object:
    """Accept numbers and booleans as option values; a bot receives strings."""
    if not isinstance(value, dict):
        return value
    # values of other types stay, and the model reports them
    return {
        key: write_option(option) if isinstance(option, bool | int | float) else option
        for key, option in value.items()
    }


Command = Annotated[
    tuple[str, ...],
    BeforeValidator(_split_command),
    Field(min_length=1, strict=False),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class BotConfig(Strict):
    """One player: an installed bot, a Python file, or a command in any language."""

    id: str = Field("", description="The name in tables; made from the bot's own if absent.")
    bot: str | None = Field(None, description="The name of an installed bot.")
    file: str | None = Field(None, description="A Python file, as FILE.py or FILE.py:CLASS.")
    command: Command | None = Field(None, description="A program and its arguments.")
    build: Command | None = Field(
        None, description="Run before the first game, once for each content."
    )
    set: Annotated[dict[str, str], BeforeValidator(_write_options)] = Field(
        default_factory=dict, description="Options of the bot."
    )
    clock: ClockConfig | None = Field(
        None, description="This bot's clock instead of the common one."
    )
    trusted: bool | None = Field(None, description="Whether its code may do what you may.")
    sandbox: SandboxChoice | None = Field(None, description="This bot's sandbox.")
    read_paths: list[str] = Field(
        default_factory=list, description="More files and folders that it may read."
    )
    limits: LimitsConfig | None = Field(None, description="This bot's limits.")
    pondering: Pondering | None = Field(None, description="What happens in its opponent's time.")
    processes: Processes | None = Field(
        None, description="Where its process for a game comes from."
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
        for name, value in self.set.items():
            if not name.isprintable() or " " in name or not name or not value.isprintable():
                raise ValueError(f"the option {name!r} is not one word, or its value not one line")
        return self

    @property
    def name(self) -> str:
        """The id, or one derived from the bot's source."""
        if self.id:
            return self.id
        if self.command:
            return name_command(self.command)
        return name_bot(self.bot or self.file or "")


class DefaultsConfig(Strict):
    """Defaults for bots that do not set these keys, in addition to the common keys."""

    set: Annotated[dict[str, str], BeforeValidator(_write_options)] = Field(
        default_factory=dict, description="Options of every bot."
    )
    trusted: bool | None = Field(None, description="Whether their code may do what you may.")
    read_paths: list[str] = Field(
        default_factory=list, description="Files and folders that every bot may read."
    )

    def fill_in(self, bot: BotConfig) -> BotConfig:
        """Return a bot with its missing values filled in."""
        # Options are merged by name, and paths are added up: a bot that sets one option keeps the
        # other defaults, and no bot loses a path that it needs to start.
        return bot.model_copy(
            update={
                "set": {**self.set, **bot.set},
                "trusted": self.trusted if bot.trusted is None else bot.trusted,
                "read_paths": [*self.read_paths, *bot.read_paths],
            }
        )


def bot_table(value: str) -> dict[str, Any]:
    """Return the table for a bot that is written as one string."""
    table: dict[str, Any] = _expand_bot(value)
    return table


def _expand_bot(value: Any) -> Any:
    """Accept a bot as one string: the name of an installed bot, a Python file, or a command."""
    if not isinstance(value, str):
        return value
    words = _split_command(value)
    # A word with a slash and without .py is a program. A word without a slash could be either, and
    # means an installed bot, as a shell looks up a plain name among installed programs.
    word = words[0] if isinstance(words, list) and len(words) == 1 else ""
    if word.endswith(".py") or ".py:" in word:
        return {"file": word}
    return {"bot": word} if word and "/" not in word else {"command": value}


BotEntry = Annotated[BotConfig, BeforeValidator(_expand_bot)]
