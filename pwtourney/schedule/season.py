"""Who plays in a league, who was replaced or has left, and what each version of it changed."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from pwtourney.schedule.league import Generation

__all__ = [
    "NO_LEAGUE",
    "Change",
    "Member",
    "Season",
    "Status",
    "base_name",
    "trace_season",
    "version_name",
]

Status = Literal["current", "old", "removed"]
"""Whether a bot plays, was replaced by another version of itself, or is in the file no more."""

_VERSION = re.compile(r"(.+)#[0-9]+", re.ASCII | re.DOTALL)
_NONE: Mapping[int, int] = MappingProxyType({})


class Member(NamedTuple):
    """A bot of a league, or one version of it.

    `name` is what all of its versions are called in tournament files. It `joined` when the first
    version of the league that has it began, and `left` when the first without it did, None if it
    plays; both are None if the date is not known.
    """

    bot: str
    name: str
    status: Status
    joined: str | None
    left: str | None


class Change(NamedTuple):
    """What a version of a league changed, numbered from 1, which is the league as it began.

    Its `pairs`, so many of which are stored, are numbered from `first` on; `began` is the date and
    time. `added` are bots by a name that did not play before, `removed` those whose name plays no
    more, and `changed` the others: the version of a bot that played, and the one that does now.
    """

    number: int
    first: int
    began: str | None
    pairs: int
    bots: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]


class Season(NamedTuple):
    """Everybody who ever played in a league, in the order in which they came, and its versions."""

    members: Mapping[str, Member] = MappingProxyType({})
    changes: tuple[Change, ...] = ()

    def find(self, bot: str) -> Member:
        """Return what is known of a bot; one that no version of the league has is current."""
        return self.members.get(bot) or Member(bot, base_name(bot), "current", None, None)

    def has(self, bot: str) -> bool:
        """Tell whether a bot plays in the last version of the league."""
        return self.find(bot).status == "current"

    @property
    def newest_members(self) -> dict[str, Member]:
        """The bots by name: of each the version that plays, or that played last."""
        return {member.name: member for member in self.members.values() if member.status != "old"}


NO_LEAGUE = Season()
"""Of games that are of no league, or of which that is not known: in it, everybody plays."""


def base_name(bot: str) -> str:
    """Return what all versions of a bot are called in tournament files."""
    version = _VERSION.fullmatch(bot)
    return version[1] if version else bot


def version_name(name: str, number: int) -> str:
    """Return what a later version of a bot is called in the store, counted from 2."""
    return f"{name}#{number}"


def trace_season(league: "Sequence[Generation]", pairs: Mapping[int, int] = _NONE) -> Season:
    """Return who came and went in the generations of a league, oldest first.

    `pairs` are how many are stored of each generation, by its place, counted from 0.
    """
    # imported here, because what reads schedules is slow to load, and most tables have no league
    from pwtourney.schedule.league import list_players

    line_ups = [list_players(each.schedule.format, each.bots) for each in league]
    joined: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, bots in enumerate(line_ups):
        for bot in bots:
            joined.setdefault(bot, number)
            last[bot] = number
    # of a name the version that played last, for an old one may have come back
    newest = {base_name(bot): bot for bot in sorted(last, key=last.__getitem__)}

    def describe(bot: str) -> Member:
        name, gone = base_name(bot), last[bot] + 1
        plays = gone == len(league)
        status: Status = "current" if plays else "removed" if newest[name] == bot else "old"
        left = None if plays else league[gone].began
        return Member(bot, name, status, league[joined[bot]].began, left)

    changes = []
    before: Mapping[str, str] = {}
    for number, (generation, bots) in enumerate(zip(league, line_ups, strict=True), 1):
        now = {base_name(bot): bot for bot in bots}
        changes.append(
            Change(
                number,
                generation.first,
                generation.began,
                pairs.get(number - 1, 0),
                bots,
                added=tuple(bot for name, bot in now.items() if name not in before),
                changed=tuple(
                    (before[name], bot) for name, bot in now.items() if before.get(name, bot) != bot
                ),
                removed=tuple(bot for name, bot in before.items() if name not in now),
            )
        )
        before = now
    return Season({bot: describe(bot) for bot in joined}, tuple(changes))
