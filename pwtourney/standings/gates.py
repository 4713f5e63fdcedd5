"""Conditions on the standings that pass or fail, for CI: ``elo(new) >= elo(old) + 50 @ 95%``.

A gate compares two sums. With ``@ LEVEL`` it must hold with that confidence: instead of the
estimate its one-sided bound is compared, from the same covariance as the intervals.
"""

import math
import re
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from pwtourney.ratings.uncertainty import ROUGH_BELOW, t_quantile
from pwtourney.standings.table import Standings

__all__ = ["Checked", "Gate", "parse_gate", "rename_bots"]

_NAME = r"[a-z0-9][a-z0-9._-]*(?:#[0-9]+)?"
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_TERM = re.compile(
    rf"\s*(?P<sign>[+-]?)\s*(?:(?P<name>elo|score|faults)\s*\(\s*(?P<first>{_NAME})\s*"
    rf"(?:,\s*(?P<second>{_NAME})\s*)?\)|(?P<number>{_NUMBER}))"
)
_BOTS = re.compile(r"\([^)]*\)")
_NAMED = re.compile(_NAME)
_GATE = re.compile(
    r"(?P<left>[^<>=@]+)(?P<sign>>=|<=|==|>|<)(?P<right>[^<>=@]+)(?:@(?P<level>.+))?"
)
_LEVEL = re.compile(r"\s*([0-9]{2}(?:\.[0-9]{1,3})?)\s*%\s*")
_ARGUMENTS = {"elo": (1,), "score": (2,), "faults": (1,)}


class Term(NamedTuple):
    """One summand: a factor of 1 or −1 and what it multiplies, or a number."""

    factor: float
    name: str
    bots: tuple[str, ...] = ()


_LONGEST = 1_000


class Gate(NamedTuple):
    """A condition: the terms of the left side minus those of the right, compared with 0."""

    text: str
    terms: tuple[Term, ...]
    sign: str
    level: float | None

    @property
    def bots(self) -> tuple[str, ...]:
        """All bots that the gate names."""
        return tuple(bot for term in self.terms for bot in term.bots)

    def check(self, standings: Standings) -> "Checked":
        """Check the gate, and return the result with its numbers."""
        try:
            difference, error, quantile = self._find_difference(standings)
        except LookupError as problem:
            return Checked(self.text, passed=False, numbers=str(problem.args[0]))
        up = self.sign in (">", ">=")
        # use the bound on the unfavourable side: the condition must hold even there
        reach = 0.0 if error is None else quantile * error
        bound = difference - reach if up else difference + reach
        passed = {
            ">": bound > 0,
            ">=": bound >= 0,
            "<": bound < 0,
            "<=": bound <= 0,
            "==": difference == 0,
        }[self.sign]
        numbers = f"difference {difference:+.4g}"
        if self.level is not None:
            end = "at least" if up else "at most"
            numbers += f", {end} {bound:+.4g} at {100 * self.level:g} %"
        return Checked(self.text, passed, numbers)

    def _find_difference(self, standings: Standings) -> tuple[float, float | None, float]:
        """Return the difference of the sides, its standard error, and the quantile at the level.

        Without a level the error is None. Raises `LookupError` if the difference cannot be
        computed.
        """
        constant, variance = 0.0, 0.0
        # ratings are summed at the end, by bot: they are correlated, and a bot may be named twice
        weights: dict[str, float] = {}
        deals = [math.inf]
        for term in self.terms:
            if term.name == "elo":
                weights[term.bots[0]] = weights.get(term.bots[0], 0.0) + term.factor
            elif term.name == "score":
                met = standings.find_meeting(*term.bots)
                constant += term.factor * met.points / met.games
                # treated as independent of the other terms: the covariance is not estimated
                variance += met.error**2
                deals.append(met.deals)
            elif term.name == "faults":
                # counted, not estimated, so it adds no variance
                faults = standings.find_row(term.bots[0])[1].resources.faults
                constant += term.factor * sum(faults.values())
            else:
                constant += term.factor
        if weights:
            rated, spread, most = self._weigh_ratings(standings, weights)
            constant += rated
            variance += spread
            deals.append(most)
        if self.level is None:
            return constant, None, 0.0
        # the term with the fewest deals decides how heavy the tails are
        fewest = min(deals)
        if fewest < 2:
            raise LookupError("one deal gives no confidence interval")
        if fewest >= ROUGH_BELOW:
            return constant, math.sqrt(variance), NormalDist().inv_cdf(self.level)
        return constant, math.sqrt(variance), t_quantile(self.level, int(fewest) - 1)

    def _weigh_ratings(
        self, standings: Standings, weights: dict[str, float]
    ) -> tuple[float, float, float]:
        """Return a sum of ratings, its variance, and the number of deals it rests on.

        Raises `LookupError` for bots whose ratings cannot be compared.
        """
        entries = {bot: standings.find_row(bot) for bot in weights}
        # by identity: pools contain counters, which cannot be hashed
        pools = {id(pool): pool for pool, _ in entries.values()}
        if len(pools) != 1:
            raise LookupError("these bots are not joined by games: they cannot be compared")
        (pool,) = pools.values()
        numbers = {row.bot: k for k, row in enumerate(pool.rows)}
        total = 0.0
        rated = []
        for bot, weight in weights.items():
            row = entries[bot][1]
            if not row.tally.game_count:
                raise LookupError(f"{bot} has no games that count")
            if pool.paired_by_results and self.level is not None:
                raise LookupError("ratings have no intervals where results decide who meets whom")
            if pool.paired_by_results and row.bound:
                raise LookupError(f"{bot} has no rating, as it won or lost every point")
            total += weight * row.elo
            if not row.bound:
                rated.append((weight, numbers[bot]))
                continue
            if row.bound == "?":
                raise LookupError(f"{bot} has no rating, and no bound either")
            # A lower bound proves that a bot is above something, an upper one that it is below. It
            # adds no variance, because it is already conservative, up to its own level.
            towards = weight if self.sign in (">", ">=") else -weight
            fits = (row.bound == ">") == (towards > 0) and self.sign != "=="
            if not fits or (self.level or 0.0) > pool.level:
                raise LookupError(f"{bot} has no rating, only a bound: {row.bound} {row.elo:+.0f}")
        variance = sum(a * b * pool.covariance[i][j] for a, i in rated for b, j in rated)
        if rated and not math.isfinite(variance) and self.level is not None:
            raise LookupError("too few deals, or deals all alike, give no confidence interval")
        # a new bot may have played on few deals of the table: the sum rests on those of its bots
        bots = {*weights, pool.anchor} if pool.anchor and sum(weights.values()) else {*weights}
        # a single rated bot has no error, and bounds are conservative already
        known = (row.deals for row in pool.rows if row.bot in bots and row.deals)
        deals = min(known, default=math.inf)
        # rounding can make a variance of 0 negative
        return total, max(0.0, variance), deals


def rename_bots(text: str, names: Mapping[str, str]) -> str:
    """Return the text of a gate with bots renamed."""
    # only inside parentheses: a bot may have the name of a function, such as `elo`
    return _BOTS.sub(lambda bots: _NAMED.sub(lambda bot: names.get(bot[0], bot[0]), bots[0]), text)


class Checked(NamedTuple):
    """The result of a gate, and the numbers that explain it."""

    text: str
    passed: bool
    numbers: str

    def __str__(self) -> str:
        return f"{'✓' if self.passed else '✗'} {self.text}: {self.numbers}"


def parse_gate(text: str) -> Gate:
    """Parse a gate; raises ValueError that says what was expected."""
    if len(text) > _LONGEST:
        raise ValueError(f"a gate has at most {_LONGEST:,} characters")
    gate = _GATE.fullmatch(text)
    # YAML splits an unquoted gate at its comma, and the half that arrives lacks a parenthesis
    if text.count("(") != text.count(")"):
        raise ValueError(
            f"the parentheses of {text.strip()!r} are not closed; put a gate with a comma in"
            " quotes, or on a line of its own: in [ ] a comma ends it"
        )
    if gate is None:
        raise ValueError("expected a comparison, such as elo(new) >= elo(old) + 50 @ 95%")
    level = None
    if gate["level"] is not None:
        percent = _LEVEL.fullmatch(gate["level"])
        if percent is None or not 50 <= float(percent[1]) < 100:
            raise ValueError(f"expected a level such as 95%, not {gate['level'].strip()!r}")
        level = round(float(percent[1]) / 100, 5)
    if gate["sign"] == "==" and level is not None:
        raise ValueError("== cannot hold with a confidence; leave the level out")
    left = _parse_terms(gate["left"], 1.0)
    # moved to the left side, so that one sum is compared with 0
    right = _parse_terms(gate["right"], -1.0)
    if not any(term.bots for term in (*left, *right)):
        raise ValueError("no bot is named")
    return Gate(" ".join(text.split()), (*left, *right), gate["sign"], level)


def _parse_terms(text: str, factor: float) -> Sequence[Term]:
    """Parse one side of the comparison."""
    terms: list[Term] = []
    rest = text
    while rest.strip():
        term = _TERM.match(rest)
        # only the first term may have no sign
        if term is None or (terms and not term["sign"]):
            raise ValueError(
                f"expected elo(BOT), score(BOT, BOT), faults(BOT) or a number at {rest.strip()!r}"
            )
        sign = -factor if term["sign"] == "-" else factor
        if term["number"]:
            terms.append(Term(sign * float(term["number"]), ""))
        else:
            bots = tuple(bot for bot in (term["first"], term["second"]) if bot)
            if len(bots) not in _ARGUMENTS[term["name"]]:
                raise ValueError(f"{term['name']} takes {_ARGUMENTS[term['name']][0]} bots")
            if len(set(bots)) < len(bots):
                raise ValueError(f"{term['name']} compares two different bots")
            terms.append(Term(sign, term["name"], bots))
        rest = rest[term.end() :]
    if not terms:
        raise ValueError("one side of the comparison is empty")
    return terms
