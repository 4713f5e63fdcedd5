"""The `gauntlet` format: challengers play each bot of the field, but not each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from pwtourney.schedule.format_spec import (
    Check,
    FileDraft,
    FormatKeys,
    FormatSettings,
    FormatSpec,
    Problem,
    RunFacts,
    describe_missing_bot,
    register,
)
from pwtourney.schedule.pairing import Format, History, Meeting

__all__ = ["Gauntlet"]


class _Keys(FormatKeys):
    challengers: list[str] = Field(
        default_factory=list, description="In a gauntlet, the bots that play all others."
    )


class _Settings(FormatSettings):
    challengers: Annotated[tuple[str, ...], Field(strict=False)] = ()  # JSON stores a list


@dataclass(frozen=True)
class Gauntlet(Format):
    """Each challenger plays `pairs` mirrored pairs against each bot of the field.

    Challengers do not play each other. A wave is one pair of each challenger with each bot of the
    field. It is played in rounds; after each, every challenger moves on to its next opponent. The
    bot with the first seat in the first game alternates from wave to wave.
    """

    challengers: tuple[str, ...]
    field: tuple[str, ...]
    pairs: int

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each challenger with each bot of the field."""
        if index >= self.pairs:
            return ()
        size = len(self.field)
        # The turn is the outer loop, because challengers are compared with each other: at any
        # moment all have played equally many pairs, against a comparable part of the field.
        meetings = [
            (challenger, self.field[(start + turn) % size])
            for turn in range(size)
            for start, challenger in enumerate(self.challengers)
        ]
        return meetings if index % 2 == 0 else [pair[::-1] for pair in meetings]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.challengers) * len(self.field)

    def locked_settings(self) -> dict[str, Any]:
        """Return the challengers."""
        return {"challengers": list(self.challengers)}


def _make(settings: _Settings, bots: tuple[str, ...]) -> Gauntlet:
    field = tuple(bot for bot in bots if bot not in settings.challengers)
    return Gauntlet(settings.challengers, field, settings.pairs)


def _settle(keys: _Keys, _: RunFacts) -> dict[str, Any]:
    return {"challengers": keys.challengers}


def _rename(settings: _Settings, ids: Mapping[str, str]) -> dict[str, Any]:
    return {"challengers": tuple(ids[bot] for bot in settings.challengers)}


def _find_missing_key(draft: FileDraft) -> Iterator[Problem]:
    if not draft.config.challengers:
        yield ("format",), "a gauntlet needs challengers: [BOT, …]"


def _find_wrong_challengers(draft: FileDraft) -> Iterator[Problem]:
    names, seen = draft.all_names, set[str]()
    for index, bot in draft.entries["challengers"].items():
        if bot not in names:
            yield ("challengers", index), describe_missing_bot(bot, names)
        elif bot in seen:
            yield ("challengers", index), f"{bot!r} is listed twice"
        seen.add(bot)
    if set(names) <= seen:
        yield ("challengers",), "all bots are challengers; leave at least one bot for the field"


register(
    FormatSpec(
        name="gauntlet",
        make=_make,
        keys=_Keys,
        checks=(
            Check(_find_missing_key, frozenset({"challengers"})),
            Check(
                _find_wrong_challengers,
                frozenset({"bots", "challengers"}),
                needs_names=True,
                any_format=True,
            ),
        ),
        settings=_Settings,
        requires=("challengers",),
        settle=_settle,
        rename=_rename,
        rank=1,
        extendable=True,
        replaceable=frozenset({"challengers"}),
    )
)
