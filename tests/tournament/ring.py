"""A format as a user may add it: bots sit in a ring, and `step` selects each bot's opponent.

`test_new_format.py` copies this file to a folder of its own and lets pwtourney import it; no other
part of pwtourney knows this format.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

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
from pwtourney.schedule.pairing import ExpectedVariance, Format, FormatTable, History, Meeting

__all__ = ["Ring"]


class _Keys(FormatKeys):
    step: int = Field(1, ge=1, description="In a ring, how many seats on the opponent sits.")


class _Settings(FormatSettings):
    step: int = 0


@dataclass(frozen=True)
class Ring(Format):
    """Each bot plays `pairs` pairs with the bot that sits `step` seats further on."""

    bots: tuple[str, ...]
    step: int
    pairs: int

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the pairings of one round: each bot and its opponent."""
        if index >= self.pairs:
            return ()
        return list(
            zip(self.bots, self.bots[self.step :] + self.bots[: self.step], strict=True),
        )

    def max_pairs(self) -> int:
        """Return the number of pairs in all rounds."""
        return self.pairs * len(self.bots)

    def locked_settings(self) -> dict[str, Any]:
        """Return the setting that determines who plays whom."""
        return {"step": self.step}

    def rating_variance(self) -> ExpectedVariance:
        """Return the variance of a rating whose 1.96 standard deviations are 100 Elo."""
        return ExpectedVariance((100 / 1.959964 * math.log(10) / 400) ** 2, varies=True)

    def table(self, history: History) -> FormatTable:
        """Return a table of the number of pairs in which each bot had the first seat."""
        begun = [played.pairing.first for played in history]
        rows = tuple((bot, str(begun.count(bot))) for bot in self.bots)
        return FormatTable(f"Ring of step {self.step}", ("Bot", "Pairs begun"), rows)


def _make(settings: _Settings, bots: tuple[str, ...]) -> Ring:
    return Ring(bots, settings.step, settings.pairs)


def _settle(keys: _Keys, _: RunFacts) -> dict[str, Any]:
    return {"step": keys.step}


def _find_large_step(draft: FileDraft) -> Iterator[Problem]:
    step, bots = _Keys.of(draft.config).step, len(draft.names)
    if step >= bots:
        yield ("step",), f"a step of {step} leads round a ring of {bots} bots"


register(
    FormatSpec(
        name="ring",
        make=_make,
        keys=_Keys,
        checks=(Check(_find_large_step, frozenset({"bots", "step"})),),
        settings=_Settings,
        requires=("step",),
        settle=_settle,
    )
)
