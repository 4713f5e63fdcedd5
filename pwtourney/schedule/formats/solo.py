"""The `solo` format: each bot plays against the Automa, all on the same deals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from pwtourney.errors import EditionError
from pwtourney.rules.automa import AUTOMA_NAME, LEVELS, Automa, find_level, why_no_automa
from pwtourney.schedule.format_spec import (
    Check,
    FileDraft,
    FormatKeys,
    FormatSettings,
    FormatSpec,
    Problem,
    RunFacts,
    register,
)
from pwtourney.schedule.pairing import Format, History, Meeting
from pwtourney.strict import Strict

__all__ = ["SoloConfig", "SoloFormat"]


def _find_level(value: object) -> object:
    """Accept the number of a level or its name; raises ValueError if the level does not exist."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return value
    try:
        return find_level(str(value)).name
    except EditionError as error:
        # pydantic adds a ValueError to all other problems; any other exception would pass through
        # it.
        raise ValueError(str(error)) from error


class SoloConfig(Strict):
    """The level and the deck of the Automa."""

    level: Annotated[
        str,
        BeforeValidator(_find_level),
        WithJsonSchema({"enum": [*LEVELS, 1, 2, 3, 4, 5]}),
    ] = Field("intern", description="From 1 or intern to 5 or legend.")
    deck: Literal["normal", "tactical"] = Field("normal", description="Which cards it has.")

    def automa(self) -> Automa:
        """Return the Automa."""
        return Automa(self.level, self.deck == "tactical")


class _Keys(FormatKeys):
    solo: SoloConfig = Field(
        default_factory=SoloConfig,
        description="In a solo tournament, how the Automa plays.",
    )


class _Settings(FormatSettings):
    automa: Annotated[Automa, PlainSerializer(lambda automa: automa._asdict())] = Automa("")


@dataclass(frozen=True)
class SoloFormat(Format):
    """Each bot plays `pairs` pairs of games against the Automa; a wave is one pair of each bot.

    In a wave all bots play the same deal, with the same two orders of the Automa's deck, one in
    each game. The bot always moves first, as in the rules of the game.
    """

    bots: tuple[str, ...]
    pairs: int
    level: str
    tactical: bool

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each bot."""
        return [(bot, AUTOMA_NAME) for bot in self.bots] if index < self.pairs else ()

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots)

    def locked_settings(self) -> dict[str, Any]:
        """Return the settings of the Automa."""
        return {"automa": {"level": self.level, "tactical": self.tactical}}


def _make(settings: _Settings, bots: tuple[str, ...]) -> SoloFormat:
    return SoloFormat(bots, settings.pairs, *settings.automa)


def _settle(keys: _Keys, _: RunFacts) -> dict[str, Any]:
    return {"automa": keys.solo.automa()}


def _find_opponent(settings: _Settings) -> Automa:
    return settings.automa


def _find_fresh_deals(draft: FileDraft) -> Iterator[Problem]:
    if draft.config.deals == "fresh" and "deals" in draft.file_keys:
        yield ("deals",), "against the Automa all bots play the same deals; leave `deals` out"


def _find_namesake(draft: FileDraft) -> Iterator[Problem]:
    if AUTOMA_NAME in draft.names:
        index = draft.names.index(AUTOMA_NAME)
        yield ("bots", index), f"only the Automa is called {AUTOMA_NAME} here"


register(
    FormatSpec(
        name="solo",
        make=_make,
        keys=_Keys,
        checks=(
            Check(_find_fresh_deals, frozenset({"deals"})),
            Check(_find_namesake, frozenset({"bots"})),
        ),
        settings=_Settings,
        requires=("automa",),
        settle=_settle,
        rank=6,
        opponent=_find_opponent,
        find_edition_problem=why_no_automa,
        fewest_bots=1,
        # bots that play alone are compared on the same deals; otherwise luck would rank them
        same_deals=True,
    )
)
