"""What a tournament file says of its format, and what goes with what."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from pwtourney.config.base import Strict
from pwtourney.config.percent import parse_level
from pwtourney.errors import EditionError
from pwtourney.ratings.sprt import Sprt
from pwtourney.rules.automa import LEVELS, Automa, find_level
from pwtourney.schedule import players
from pwtourney.schedule.round_robin import AUTOMA_NAME
from pwtourney.schedule.swiss import most_rounds
from pwtourney.standings.gates import parse_gate

if TYPE_CHECKING:
    from pwtourney.config.model import TournamentConfig

__all__ = [
    "FormatName",
    "Number",
    "SoloConfig",
    "SprtConfig",
    "UntilConfig",
    "format_problems",
]

FormatName = Literal["round-robin", "gauntlet", "swiss", "knockout", "sprt", "focus", "solo"]

KeyPath = tuple[int | str, ...]

Level = Annotated[
    float,
    BeforeValidator(parse_level),
    WithJsonSchema({"type": "string", "pattern": r"^[5-9][0-9](\.[0-9]{1,3})?%$"}),
]
Number = Annotated[float, Field(strict=False, allow_inf_nan=False)]

LEAST_PRIOR, MOST_PRIOR = 0.01, 1000.0
MOST_ELO = 100_000.0
"""Beyond this no rating says anything."""

_OWN = {"challengers": "gauntlet", "rounds": "swiss", "sprt": "sprt", "solo": "solo"}
"""Keys that belong to one format."""


class SprtConfig(Strict):
    """The two hypotheses, and how often the test may err."""

    elo0: Number = Field(0.0, description="Elo difference under H0.")
    elo1: Number = Field(20.0, description="Elo difference under H1.")
    alpha: Number = Field(
        0.05, description="Type I error rate: accepting the new version although it is not better."
    )
    beta: Number = Field(
        0.05, description="Type II error rate: rejecting the new version although it is better."
    )
    bounds: Literal["normalised", "logistic"] = Field(
        "normalised", description="The unit of elo0 and elo1."
    )

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        problem = self.test().problem()
        if problem:
            raise ValueError(problem)
        return self

    def test(self) -> Sprt:
        """Return the test."""
        normalised = self.bounds == "normalised"
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta, normalised)


def _level(value: object) -> object:
    """Let a level be its number; raises ValueError if there is none."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return value
    try:
        return find_level(str(value)).name
    except EditionError as error:
        raise ValueError(str(error)) from error


class SoloConfig(Strict):
    """How the Automa plays."""

    level: Annotated[
        str,
        BeforeValidator(_level),
        WithJsonSchema({"enum": [*LEVELS, 1, 2, 3, 4, 5]}),
    ] = Field("intern", description="From 1 or intern to 5 or legend.")
    deck: Literal["normal", "tactical"] = Field("normal", description="Which cards it has.")

    def automa(self) -> Automa:
        """Return the Automa."""
        return Automa(self.level, self.deck == "tactical")


class UntilConfig(Strict):
    """What must be so of the ratings; of several rules all must hold."""

    interval: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="All 95 % intervals are at most ± this many Elo."
    )
    ranks_separated: Level | None = Field(
        None, description="The order of the whole table is certain at this level."
    )

    @model_validator(mode="after")
    def _some_rule(self) -> Self:
        if self.interval is None and self.ranks_separated is None:
            raise ValueError("give interval, ranks_separated, or both")
        return self


def format_problems(config: "TournamentConfig") -> Iterator[tuple[KeyPath, str]]:
    """Yield what does not go together."""
    names = [bot.name for bot in config.bots]
    for place, bot in enumerate(config.bots):
        untrusted = config.defaults.trusted is False and bot.trusted is None
        if untrusted and bot.processes == "persistent":
            yield ("bots", place), "a bot that is not trusted gets a new process for every game"
    given = config.model_fields_set
    for key, owner in _OWN.items():
        if key in given and config.format != owner:
            yield (key,), f"goes with format: {owner}, and the format is {config.format}"
    if config.format == "sprt" and "pairs" in given:
        yield ("pairs",), "a sequential test ends by itself; leave pairs out"
    if config.format == "sprt" and config.deals.endswith(".txt"):
        yield ("deals",), "a sequential test needs a deal of its own for each pair"
    if config.format == "solo" and config.deals == "fresh" and "deals" in given:
        yield ("deals",), "against the Automa all bots play the same deals; leave `deals` out"
    if config.format == "solo" and AUTOMA_NAME in names:
        yield ("bots", names.index(AUTOMA_NAME)), f"only the Automa is called {AUTOMA_NAME} here"
    if config.format != "solo" and len(names) < 2:
        yield ("bots",), "give at least two bots; one can only play format: solo"
    if config.format == "gauntlet" and "challengers" not in given:
        yield ("format",), "a gauntlet needs challengers: [BOT, …]"
    yield from _challenger_problems(config, names)
    rounds = config.rounds if config.format == "swiss" else None
    if rounds is not None and rounds > most_rounds(len(names)):
        yield ("rounds",), _too_many_rounds(len(names))
    rated = players({"format": config.format}, names)
    for anchor in config.anchor:
        if anchor not in rated:
            yield ("anchor", anchor), _unknown(anchor, rated)
    for place, text in enumerate(config.gates):
        for named in parse_gate(text).bots:
            if named not in rated:
                yield ("gates", place), _unknown(named, rated)
    for anchor, rating in config.anchor.items():
        if abs(rating) > MOST_ELO:
            yield ("anchor", anchor), f"a rating is within ±{MOST_ELO:g}"
    if config.prior != 0 and not LEAST_PRIOR <= config.prior <= MOST_PRIOR:
        yield ("prior",), f"expected 0, or a number from {LEAST_PRIOR:g} to {MOST_PRIOR:g}"
    if len(config.anchor) > 1:
        yield ("anchor",), "one bot fixes the scale; name one"


def _challenger_problems(
    config: "TournamentConfig", names: list[str]
) -> Iterator[tuple[KeyPath, str]]:
    for place, bot in enumerate(config.challengers):
        if bot not in names:
            yield ("challengers", place), _unknown(bot, names)
        elif bot in config.challengers[:place]:
            yield ("challengers", place), f"{bot!r} is listed twice"
    if config.challengers and set(names) <= set(config.challengers):
        yield ("challengers",), "all bots are challengers; leave at least one bot for the field"


def _unknown(bot: str, names: Sequence[str]) -> str:
    return f"there is no bot {bot!r}; the bots are {', '.join(names)}"


def _too_many_rounds(bots: int) -> str:
    return (
        f"{bots} bots can be paired for {most_rounds(bots)} rounds without meeting twice; for more"
        " take round-robin"
    )
