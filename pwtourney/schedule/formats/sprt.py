"""The `sprt` format: a sequential test decides whether the new version is better than old ones.

It plays pairs until the test decides, or the cap makes it inconclusive. The test is evaluated after
every 16 pairs against an opponent; its error rates hold for any number of evaluations. While the
last 16 pairs are evaluated, 16 more are played, which keeps workers busy. These count in the
ratings, but not in the test.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, PlainSerializer, model_validator

from pwtourney.constants import ALPHA, BETA, BOUNDS, ELO0, ELO1, BoundsUnit
from pwtourney.ratings.pairs import Decision, PairCounts, Sprt, expected_pairs, pair_statistics
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
from pwtourney.schedule.pairing import Format, FormatTable, History, Meeting
from pwtourney.strict import Number, Strict

__all__ = [
    "BATCH",
    "CONTINUES",
    "UNCORRECTED",
    "SprtConfig",
    "SprtFormat",
    "SprtSettings",
    "Trial",
    "elo_text",
    "make_test",
]

BATCH = 16
"""The number of pairs between two evaluations of the test."""

CONTINUES = "continues"
"""The answer of a test that has not decided yet."""

UNCORRECTED = "not corrected for ending on these results"
"""The words about statistics of pairs after which the test ended."""

_VOID_END = "ended by void pairs"
"""The answer of a test that ended because a whole batch was void, as after a disqualification."""


class SprtConfig(Strict):
    """The two hypotheses and the error rates of the test."""

    elo0: Number = Field(**ELO0._asdict())
    elo1: Number = Field(**ELO1._asdict())
    alpha: Number = Field(**ALPHA._asdict())
    beta: Number = Field(**BETA._asdict())
    bounds: BoundsUnit = Field(**BOUNDS._asdict())

    @model_validator(mode="after")
    def _check_test(self) -> Self:
        problem = self.test().problem()
        if problem:
            raise ValueError(problem)
        return self

    def test(self) -> Sprt:
        """Return the test."""
        return make_test(self.elo0, self.elo1, self.alpha, self.beta, self.bounds)


def make_test(elo0: float, elo1: float, alpha: float, beta: float, bounds: BoundsUnit) -> Sprt:
    """Return a test, which may have a problem."""
    return Sprt(elo0, elo1, alpha, beta, bounds == "normalised")


class _Keys(FormatKeys):
    sprt: SprtConfig = Field(
        default_factory=SprtConfig,
        description="In a sequential test, its hypotheses.",
    )


class SprtSettings(FormatSettings):
    """The settings of a schedule that is a sequential test."""

    sprt: Annotated[Sprt, PlainSerializer(lambda test: test._asdict())] = Sprt()


class Trial(NamedTuple):
    """The state of the test against one opponent: its pairs, and the decision if there is one.

    `pairs` counts whole pairs by the points of the new version. `voids` counts void pairs, which do
    not affect the ratio. `ends_void` is True if the test ended because a whole batch was void, and
    not for what its pairs show.
    """

    opponent: str
    pairs: PairCounts
    voids: int
    llr: float
    decision: Decision | None
    ends_void: bool = False

    @property
    def is_decided(self) -> bool:
        """True if the test ended because of its results.

        Then the statistics of its pairs are biased: with other results it would have gone on.
        """
        return self.decision in ("H0", "H1")

    @property
    def has_los(self) -> bool:
        """True if a likelihood of superiority says something next to the answer of the test.

        Bots that are disqualified lost their games by faults, and these make it close to 100 %.
        """
        return not self.is_decided and not self.ends_void

    def describe_answer(self, test: Sprt) -> str:
        """Return what the test shows so far, in a few words."""
        if self.decision is None:
            return CONTINUES
        return _VOID_END if self.ends_void else test.describe_answer(self.decision)


@dataclass(frozen=True)
class SprtFormat(Format):
    """A sequential test: the first bot plays all others, with a separate test for each."""

    bots: tuple[str, ...]
    test: Sprt

    # A batch is played while the batch before it is evaluated.
    lag = 2

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return a batch against every opponent whose test is undecided."""
        new = self.bots[0]
        going = [trial.opponent for trial in self.trials(history) if trial.decision is None]
        return [
            (new, old) if turn % 2 == 0 else (old, new) for turn in range(BATCH) for old in going
        ]

    def max_pairs(self) -> int:
        """Return the cap of the tests plus one more batch, for all opponents."""
        return (_round_cap(self.test) + BATCH) * (len(self.bots) - 1)

    def describe_length(self) -> str:
        """Say how long the test takes if one of its bounds is true, or what is halfway between."""
        test = self.test
        halfway = (test.elo0 + test.elo1) / 2
        cases = [
            f"{_round_up(expected_pairs(test, elo, BATCH)):,} at {elo:g} {test.unit}"
            for elo in (test.elo0, halfway, test.elo1)
        ]
        against = " against each opponent" if len(self.bots) > 2 else ""
        assumed = "" if test.normalised else " (if the two games of a pair are independent)"
        return f"pairs to expect{against}: {', '.join(cases)}{assumed}"

    def locked_settings(self) -> dict[str, Any]:
        """Return the test."""
        return {"sprt": dict(self.test._asdict())}

    def trials(self, history: History) -> list[Trial]:
        """Return the state of the test against each opponent."""
        points: dict[str, list[float | None]] = {old: [] for old in self.bots[1:]}
        for played in history:
            pairing, total = played.pairing, played.total
            if pairing.first == self.bots[0]:
                points[pairing.second].append(total)
            else:
                points[pairing.first].append(None if total is None else 2 - total)
        trials = []
        for old, totals in points.items():
            counts, voids, before, ends_void = [0, 0, 0, 0, 0], 0, 0, False
            decision: Decision | None = None
            for length, total in enumerate(totals, 1):
                if total is None:
                    voids += 1
                else:
                    counts[round(2 * total)] += 1
                if length % BATCH == 0:
                    # Void pairs count towards the cap; otherwise pairs of a bot that always fails
                    # would never end.
                    decision = self.test.decide(counts, length)
                    if voids - before == BATCH:
                        ends_void = not decision
                        decision = decision or "inconclusive"
                    before = voids
                    # Leave out the pairs that were played while the last batch was evaluated: with
                    # them, a new evaluation might revoke the decision.
                    if decision:
                        break
            lost, drawn, split, more, won = counts
            pairs = (lost, drawn, split, more, won)
            trials.append(Trial(old, pairs, voids, _llr(self.test, pairs), decision, ends_void))
        return trials

    def table(self, history: History) -> FormatTable:
        """Return a table with a row for each opponent."""
        test = self.test
        kind = "normalised" if test.normalised else "logistic"
        hypotheses = f"H0 {test.elo0:g}, H1 {test.elo1:g}, α {test.alpha:g}, β {test.beta:g}"
        bounds = f"from {test.lower:.2f} to {test.upper:.2f}, at most {_round_cap(test)} pairs"
        rows: list[tuple[str, ...]] = []
        trials = self.trials(history)
        for trial in trials:
            start = (trial.opponent, trial.describe_answer(test), f"{trial.llr:+.2f}")
            counts = "–".join(map(str, trial.pairs))
            elo = nelo = los = "–"
            if pairs := sum(trial.pairs):
                stats = pair_statistics(trial.pairs)
                elo = elo_text(stats.elo, stats.elo_low, stats.elo_high)
                if stats.nelo is not None:
                    nelo = f"{stats.nelo:+.0f}"
                if stats.nelo_plus_minus is not None:
                    nelo += f" ± {stats.nelo_plus_minus:.0f}"
                if stats.los is not None and trial.has_los:
                    los = f"{100 * stats.los:.1f}%"
            rows.append((*start, str(pairs), counts, elo, nelo, los))
        is_decided = any(trial.is_decided for trial in trials)
        return FormatTable(
            title=self._ask(),
            headings=("Against", "Answer", "LLR", "Pairs", "0–½–1–1½–2", "Elo", "nElo", "LOS"),
            rows=tuple(rows),
            notes=(
                f"SPRT on pairs: {kind} Elo, {hypotheses}; LLR {bounds}",
                "Intervals are at 95 %" + (f", and {UNCORRECTED}" if is_decided else ""),
            ),
            words=("Answer",),
            leaving=("0–½–1–1½–2", "LOS", "nElo", "Pairs", "Elo", "LLR"),
        )

    def status(self, history: History) -> str:
        """Return the log-likelihood ratio and its bounds for each opponent."""
        test = self.test
        return "; ".join(
            f"LLR {trial.llr:+.2f} [{test.lower:.2f}, {test.upper:.2f}] against {trial.opponent}"
            + (f" ({trial.describe_answer(test)})" if trial.decision else "")
            for trial in self.trials(history)
        )

    def _ask(self) -> str:
        """Return the question of the test: with elo0 below 0, whether something was lost."""
        return f"Is {self.bots[0]} {'worse' if self.test.elo0 < 0 else 'better'}?"


def _round_cap(test: Sprt) -> int:
    """Return the cap, rounded up to whole batches."""
    return _round_up(test.cap)


def _round_up(pairs: float) -> int:
    """Return a number of pairs, rounded up to whole batches."""
    return math.ceil(pairs / BATCH) * BATCH


# A trial is computed from its first pair whenever its state is shown, several times a second; its
# counts are mostly those of an earlier call.
@lru_cache(maxsize=1 << 16)
def _llr(test: Sprt, counts: tuple[int, ...]) -> float:
    return test.llr(counts) if any(counts) else 0.0


def elo_text(elo: float, low: float, high: float) -> str:
    """Format an estimate with its interval; a perfect score has only a one-sided bound."""
    if low == -math.inf and high == math.inf:
        return f"{elo:+.0f}"
    if elo == math.inf:
        return f"> {low:+.0f}"
    return f"< {high:+.0f}" if elo == -math.inf else f"{elo:+.0f} [{low:+.0f}, {high:+.0f}]"


def _make(settings: SprtSettings, bots: tuple[str, ...]) -> SprtFormat:
    return SprtFormat(bots, settings.sprt)


def _settle(keys: _Keys, _: RunFacts) -> dict[str, Any]:
    return {"sprt": keys.sprt.test()}


def _find_pairs(draft: FileDraft) -> Iterator[Problem]:
    if "pairs" in draft.file_keys:
        yield ("pairs",), "a sequential test ends by itself; leave pairs out"


def _find_deal_list(draft: FileDraft) -> Iterator[Problem]:
    if draft.config.deals.endswith(".txt"):
        yield ("deals",), "a sequential test needs a deal of its own for each pair"


register(
    FormatSpec(
        name="sprt",
        make=_make,
        keys=_Keys,
        checks=(
            Check(_find_pairs, frozenset()),
            Check(_find_deal_list, frozenset({"deals"})),
        ),
        settings=SprtSettings,
        requires=("sprt",),
        settle=_settle,
        rank=4,
        takes_deal_list=False,
        chosen_by_results=True,
        depends="when the test ends depends on results",
        is_test=True,
    )
)
