"""The table `until`, which ends a tournament when its ratings are precise enough."""

import re
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema, model_validator

from pwtourney.config.bot_table import Level
from pwtourney.strict import Number, Strict

__all__ = ["UntilConfig"]

_SHARE = re.compile(r"[0-9]{1,2}(\.[0-9]{1,3})?%", re.ASCII)


def _read_share(value: object) -> float:
    """Return a percentage as a fraction; raises ValueError unless it is above 0% and below 100%."""
    text = value if isinstance(value, str) and _SHARE.fullmatch(value) else "0%"
    share = round(float(text.removesuffix("%")) / 100, 5)
    if not share:  # zero, or no percentage; two digits before the point are below 100%
        raise ValueError("expected a share such as 5%, below 100%")
    return share


Share = Annotated[
    float,
    BeforeValidator(_read_share),
    PlainSerializer(lambda share: f"{100 * share:g}%"),
    WithJsonSchema({"type": "string", "pattern": f"^{_SHARE.pattern}$"}),
]


class UntilConfig(Strict):
    """The conditions on the ratings that end a tournament; all given conditions must hold."""

    interval: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="All 95 % intervals are at most ± this many Elo."
    )
    ranks_separated: Level | None = Field(
        None, description="The order of the whole table is certain at this level."
    )

    best: Level | None = Field(
        None, description="The first of the table is certain to be the best at this level."
    )
    within: Annotated[Number, Field(ge=0)] = Field(
        0.0, description="With best: the first may be this many Elo behind the best."
    )
    spread: Share | None = Field(
        None, description="With tune: every option is known to this share of its range."
    )

    @model_validator(mode="after")
    def _some_rule(self) -> Self:
        rules = (self.interval, self.ranks_separated, self.best, self.spread)
        if all(rule is None for rule in rules):
            raise ValueError("give interval, ranks_separated, or both; or best; with tune spread")
        if self.best is None and self.within:
            raise ValueError("within goes with best")
        return self
