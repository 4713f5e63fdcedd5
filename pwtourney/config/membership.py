"""The chores of a league: bots that have other names, are one bot, or do not play.

Each is a line that stays in the file, and that the results remember.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from pwtourney.config.bot_table import BOT_ID
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.season import LONGEST_REASON
from pwtourney.strict import Strict

__all__ = [
    "MEMBERSHIP",
    "BanConfig",
    "Bans",
    "Merges",
    "Renames",
    "Withdrawn",
]

_VERSION = re.compile(r"[^#]+#[1-9][0-9]{0,8}", re.ASCII)


class BanConfig(Strict):
    """A ban: the reason that readers see, and whether the bot's games still count."""

    reason: str = Field(description="The reason, for readers.")
    games: Literal["drop", "keep"] = Field(
        "drop", description="Whether its games count in the ratings of others."
    )

    @field_validator("reason")
    @classmethod
    def _is_short(cls, reason: str) -> str:
        if not reason.strip() or len(reason) > LONGEST_REASON or not reason.isprintable():
            raise ValueError(f"expected a reason: one line of at most {LONGEST_REASON} characters")
        return reason


def _read_ban(value: object) -> object:
    """Return the table of a ban that is only a reason."""
    return {"reason": value} if isinstance(value, str) else value


def _check_names(names: Iterable[str]) -> None:
    """Raise ValueError unless all names can be those of bots."""
    for name in names:
        if not BOT_ID.fullmatch(name):
            raise ValueError(f"{name!r:.40} is not the name of a bot")


def _are_names(listed: Any) -> Any:
    _check_names(listed)
    return listed


def _are_renames(renames: dict[str, str]) -> dict[str, str]:
    _check_names((*renames, *renames.values()))
    return renames


def _are_merges(merges: dict[str, str]) -> dict[str, str]:
    for bot in (*merges, *merges.values()):
        _check_names([base_name(bot) if _VERSION.fullmatch(bot) else bot])
    return merges


def _read_bans(bans: object) -> object:
    """Refuse a list: each ban has a reason."""
    if isinstance(bans, list):
        raise ValueError("expected each bot with a reason, such as {jay: copies the code of heron}")
    return bans


Ban = Annotated[BanConfig, BeforeValidator(_read_ban)]
Renames = Annotated[dict[str, str], AfterValidator(_are_renames)]
Merges = Annotated[dict[str, str], AfterValidator(_are_merges)]
Withdrawn = Annotated[list[str], AfterValidator(_are_names)]
Bans = Annotated[dict[str, Ban], AfterValidator(_are_names), BeforeValidator(_read_bans)]

MEMBERSHIP = ("renames", "merges", "withdrawn", "bans")
"""The keys of a tournament file that are about the members of a league."""
