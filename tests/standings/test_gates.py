"""Gates: when they pass, and the error for each invalid one."""

import math
import re

import pytest

from pwtourney.standings import Standings
from pwtourney.standings.gates import parse_gate
from pwtourney.standings.rate import standings
from tests.ratings.games import pair, simulated

GAMES = simulated([0, 80, 200], 200, 6)
FOUND = standings(None, GAMES)


def checked(text: str, table: Standings = FOUND) -> bool:
    """Return True if a gate passes."""
    return parse_gate(text).check(table).passed


def test_rating_is_compared_with_its_bound() -> None:
    """The one-sided 95 % bound is 1.645 errors away, computed here from the covariance."""
    (pool,) = FOUND.pools
    index = {line.bot: k for k, line in enumerate(pool.rows)}
    new, old = index["bot2"], index["bot1"]
    difference = pool.rows[new].elo - pool.rows[old].elo
    variance = pool.covariance[new][new] + pool.covariance[old][old] - 2 * pool.covariance[new][old]
    bound = difference - 1.644854 * math.sqrt(variance)
    assert checked(f"elo(bot2) >= elo(bot1) + {bound - 0.01:.2f} @ 95%")
    assert not checked(f"elo(bot2) >= elo(bot1) + {bound + 0.02:.2f} @ 95%")
    assert checked(f"elo(bot2) - elo(bot1) > {difference - 0.01:.2f}")
    assert not checked(f"elo(bot2) - elo(bot1) > {difference + 0.02:.2f}")
    upper = difference + 1.644854 * math.sqrt(variance)
    assert checked(f"elo(bot2) <= elo(bot1) + {upper + 0.02:.2f} @ 95%")
    assert not checked(f"elo(bot2) < elo(bot1) + {upper - 0.02:.2f} @ 95%")


def test_score_is_that_of_two_bots() -> None:
    """It is computed from their games, in either order of the bots."""
    games = [game for game in GAMES if {game.first, game.second} == {"bot0", "bot2"}]
    won = sum((g.points or 0) if g.first == "bot2" else 1 - (g.points or 0) for g in games)
    share = won / len(games)
    assert checked(f"score(bot2, bot0) > {share - 0.001:.4f}")
    assert not checked(f"score(bot2, bot0) > {share + 0.001:.4f}")
    assert checked(f"score(bot0, bot2) < {1 - share + 0.001:.4f}")
    assert checked("score(bot2, bot0) > 0.5 @ 99%")
    assert not checked("score(bot2, bot0) > 0.99 @ 50%")


def test_new_bot_is_tested_on_its_own_deals() -> None:
    """On five of 105 deals Student's t widens its bound from 1.645 errors to 2.132."""
    games = simulated([0, 50], 100, 3)
    points = [(1.0, 1.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (0.0, 1.0)]
    games += [g for k, scores in enumerate(points) for g in pair("new", "bot0", *scores, f"n{k}")]
    table = standings(None, games)
    (pool,) = table.pools
    index = {line.bot: k for k, line in enumerate(pool.rows)}
    new, old = index["new"], index["bot0"]
    difference = pool.rows[new].elo - pool.rows[old].elo
    variance = pool.covariance[new][new] + pool.covariance[old][old] - 2 * pool.covariance[new][old]
    bound = difference - 2.1318 * math.sqrt(variance)
    assert checked(f"elo(new) - elo(bot0) >= {bound - 0.1:.2f} @ 95%", table)
    assert not checked(f"elo(new) - elo(bot0) >= {bound + 0.1:.2f} @ 95%", table)


def test_faults_are_counted() -> None:
    """There are none, so the number equals 0 and is not above it."""
    assert checked("faults(bot0) == 0")
    assert not checked("faults(bot0) > 0")
    assert checked("faults(bot0) + faults(bot1) <= 0")


def test_unbeaten_bot_passes_by_its_bound_only_where_it_applies() -> None:
    """It applies to `>=` at 95 %, but not to 99 %, to `<=`, or without a level."""
    games = [g for k in range(60) for g in pair("a", "b", 1.0, 1.0, str(k))]
    games += [g for k in range(60) for g in pair("b", "c", k % 2, k // 2 % 2, f"c{k}")]
    table = standings(None, games)
    assert checked("elo(a) >= elo(b) + 50 @ 95%", table)
    assert checked("elo(b) <= elo(a) - 50 @ 95%", table)
    assert not checked("elo(a) >= elo(b) + 50 @ 99%", table)
    assert not checked("elo(a) <= elo(b) + 5000 @ 95%", table)
    assert "only a bound" in parse_gate("elo(a) <= 5000").check(table).numbers


def test_equal_deals_prove_nothing() -> None:
    """Six split pairs of two bots reach no level; without a level their ratings are equal."""
    table = standings(None, [g for k in range(6) for g in pair("a", "b", 1.0, 0.0, str(k))])
    for text in ("elo(a) >= elo(b) @ 99.9%", "elo(a) >= elo(b) - 10 @ 55%"):
        result = parse_gate(text).check(table)
        assert not result.passed
        assert "deals all alike, give no confidence interval" in result.numbers
    assert checked("elo(a) == elo(b)", table)


def test_impossible_comparison_fails_with_a_reason() -> None:
    """It fails for bots apart, without games, that never met, on one deal, or without a bound.

    `g` lost to `f`, which also won against `a`: `g` may be above or below `a`.
    """
    games = pair("a", "b", 1.0, 0.0, "x") + pair("c", "d", 1.0, 0.0, "y")
    games += pair("f", "a", 1.0, 1.0, "x") + pair("f", "g", 1.0, 1.0, "x")
    table = standings(["a", "b", "c", "d", "e", "f", "g"], games)
    for text, why in (
        ("elo(a) > elo(c)", "not joined by games"),
        ("elo(e) > -1", "no games that count"),
        ("score(a, c) > 0", "have not met"),
        ("elo(a) > elo(b) @ 95%", "too few deals, or deals all alike, give no confidence interval"),
        ("score(a, b) > 0 @ 95%", "one deal gives no confidence interval"),
        ("elo(g) <= 5000", "g has no rating, and no bound either"),
        ("elo(g) >= -5000", "g has no rating, and no bound either"),
    ):
        result = parse_gate(text).check(table)
        assert not result.passed
        assert why in result.numbers
        assert str(result).startswith("✗ ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("elo(a)", "expected a comparison"),
        ("elo(a) >= elo(b) >= 0", "expected a comparison"),
        ("elo(a) => 0", "expected a comparison"),
        ("elo(a) >= banana", "expected elo(BOT), score(BOT, BOT), faults(BOT) or a number at"),
        ("elo(a) >= 5 5", "expected elo(BOT)"),
        ("elo(a, b) >= 5", "elo takes 1 bots"),
        ("score(a) >= 5", "score takes 2 bots"),
        ("score(a, a) >= 0.5", "two different bots"),
        ("1 >= 0", "no bot is named"),
        ("elo(a) >= 0 @ 200%", "expected a level"),
        ("elo(a) >= 0 @ 40%", "expected a level"),
        ("elo(a) == 0 @ 95%", "== cannot hold with a confidence"),
        (" >= elo(a)", "one side of the comparison is empty"),
    ],
)
def test_text_that_is_not_a_gate_gets_an_error(text: str, message: str) -> None:
    """Each kind of error has its own message."""
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_gate(text)


def test_ratings_without_intervals_reach_no_level() -> None:
    """Results decided the pairings; without a level the ratings are compared."""
    table = standings(None, GAMES, paired_by_results=True)
    assert checked("elo(bot2) > elo(bot0)", table)
    result = parse_gate("elo(bot2) > elo(bot0) @ 95%").check(table)
    why = "ratings have no intervals where results decide who meets whom"
    assert (result.passed, result.numbers) == (False, why)
    unbeaten = [*GAMES, *pair("best", "bot0", 1.0, 1.0, "x")]
    table = standings(None, unbeaten, paired_by_results=True)
    for text, reason in (
        ("elo(best) > elo(bot0)", "best has no rating, as it won or lost every point"),
        ("elo(best) > elo(bot0) @ 95%", why),
    ):
        assert parse_gate(text).check(table).numbers == reason
    assert checked("score(best, bot0) > 0.5", table)
