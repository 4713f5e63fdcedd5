"""The members of a league, past and present, and what each version of the league changed."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from pwtourney.schedule.bot_names import base_name

if TYPE_CHECKING:
    from pwtourney.schedule.league import Generation

__all__ = [
    "LONGEST_REASON",
    "NO_LEAGUE",
    "Ban",
    "Change",
    "Member",
    "Season",
    "Status",
    "trace_season",
]

Status = Literal["current", "old", "removed", "withdrawn", "banned"]
"""A bot plays (current), was replaced by another version of itself (old), or left.

It left because its entry is gone (removed), or because the file says so (withdrawn, banned).
"""

LONGEST_REASON = 200
"""The most characters of the reason of a ban."""

_NONE: Mapping[int, int] = MappingProxyType({})


class Member(NamedTuple):
    """A bot of a league, or one version of it.

    `name` is the name of all its versions in tournament files. `joined` is when the first version
    of the league with this bot began, None if unknown. `left` is when the first version after its
    last one began; None if the bot still plays or the date is unknown.
    """

    bot: str
    name: str
    status: Status
    joined: str | None
    left: str | None

    @property
    def has_left(self) -> bool:
        """True if no version of the bot plays any more, and this is the last one that did."""
        return self.status not in ("current", "old")


class Ban(NamedTuple):
    """A bot whose ban hides it from the table, with all of its versions.

    `since` is the date and time of the first run with the ban. Unless `keeps_games`, no game of the
    bot counts.
    """

    bot: str
    reason: str
    since: str
    keeps_games: bool = False


class Change(NamedTuple):
    """The changes in one version of a league; version 1 is the league as it began.

    Its pairs are numbered from `first` on, and `pairs` of them are stored. `began` is the date and
    time, None if unknown. `added` are bots whose name did not play in the version before, and
    `removed` those whose name plays no more. `changed` are names that play in both: the bot version
    that played before, and the one that plays now. `renamed` are names of before and their new
    ones; everything else uses the present names.
    """

    number: int
    first: int
    began: str | None
    pairs: int
    bots: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]
    removed: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()


class Season(NamedTuple):
    """All bots that ever played in a league, in the order in which they joined, and its changes.

    `former` maps names that no bot has any more to the present ones.
    """

    members: Mapping[str, Member] = MappingProxyType({})
    changes: tuple[Change, ...] = ()
    bans: tuple[Ban, ...] = ()
    former: Mapping[str, str] = MappingProxyType({})

    def find(self, bot: str) -> Member:
        """Return the member of this name; a bot that no version of the league has is current."""
        return self.members.get(bot) or Member(bot, base_name(bot), "current", None, None)

    def has(self, bot: str) -> bool:
        """Return True if a bot plays in the last version of the league."""
        return self.find(bot).status == "current"

    @property
    def newest_members(self) -> dict[str, Member]:
        """The newest version of each bot that is listed, by name: it plays, or played last."""
        return {
            member.name: member
            for member in self.members.values()
            if member.status != "old" and not self.hides(member.bot)
        }

    def hides(self, bot: str) -> bool:
        """Return True if a bot is banned, and so in no table, with all of its versions."""
        return any(ban.bot == base_name(bot) for ban in self.bans)


NO_LEAGUE = Season()
"""The season of games without a league, or whose league is unknown: every bot is current."""


def trace_season(
    league: "Sequence[Generation]",
    pairs: Mapping[int, int] = _NONE,
    *,
    withdrawn: Collection[str] = (),
    bans: Sequence[Ban] = (),
) -> Season:
    """Return the members and changes of a league, given its generations, oldest first.

    `pairs` is the number of stored pairs of each generation, by its index, counted from 0.
    `withdrawn` and `bans` say why bots left. All bots have their present names.
    """
    # imported here, because the module of schedules is slow to load, and most tables have no league
    from pwtourney.schedule.league import list_names, list_players

    names = list_names(league)
    line_ups = [
        tuple(
            dict.fromkeys(
                names[bot] for bot in list_players(generation.schedule.format, generation.bots)
            )
        )
        for generation in league
    ]
    reasons: dict[str, Status] = dict.fromkeys(withdrawn, "withdrawn")
    reasons |= dict.fromkeys((ban.bot for ban in bans), "banned")
    members = _list_members(league, line_ups, reasons)
    changes = _list_changes(league, line_ups, pairs)
    former = {old: now for old, now in names.items() if old not in members}
    return Season(members, changes, tuple(bans), former)


def _list_members(
    league: "Sequence[Generation]",
    line_ups: Sequence[Sequence[str]],
    reasons: Mapping[str, Status],
) -> dict[str, Member]:
    """Return all bots of the line-ups; `reasons` say, by name, why a bot left."""
    joined: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, bots in enumerate(line_ups):
        for bot in bots:
            joined.setdefault(bot, number)
            last[bot] = number
    # for each name, the version that played last: an old version may have come back
    newest = {base_name(bot): bot for bot in sorted(last, key=last.__getitem__)}

    def describe(bot: str) -> Member:
        name, gone = base_name(bot), last[bot] + 1
        plays = gone == len(league)
        left = None if plays else league[gone].began
        status: Status = "current" if plays else "old"
        if not plays and newest[name] == bot:
            status = reasons.get(name, "removed")
        return Member(bot, name, status, league[joined[bot]].began, left)

    return {bot: describe(bot) for bot in joined}


def _list_changes(
    league: "Sequence[Generation]", line_ups: Sequence[tuple[str, ...]], pairs: Mapping[int, int]
) -> tuple[Change, ...]:
    """Return what each generation changed in the line-up of the one before."""
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
                renamed=tuple(generation.renames.items()),
            )
        )
        before = now
    return tuple(changes)
