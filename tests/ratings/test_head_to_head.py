"""The matrix of pairings, against scipy and by hand."""

import random

import pytest
from scipy.stats import binomtest, ttest_1samp

from pwtourney.standings import standings
from tests.ratings.games import pair


def test_a_pairing_is_judged_by_a_t_test_of_its_deals() -> None:
    """With 20 deals, against scipy's, or by coins if those doubt more; all alike, by coins."""
    rng = random.Random(3)
    outcomes = [(float(rng.random() < 0.7), float(rng.random() < 0.7)) for _ in range(20)]
    games = [g for k, (x, y) in enumerate(outcomes) for g in pair("a", "b", x, y, str(k))]
    (met,) = standings(None, games).pools[0].meetings
    totals = [x + y for x, y in outcomes]
    by_coins = binomtest(totals.count(2.0), totals.count(2.0) + totals.count(0.0)).pvalue
    expected = max(ttest_1samp(totals, 1.0).pvalue, by_coins)
    assert (met.first, met.second, met.games, met.deals) == ("a", "b", 40, 20)
    assert met.points == sum(x + y for x, y in outcomes)
    assert met.p == pytest.approx(expected, rel=1e-9)
    won = [g for k in range(6) for g in pair("a", "b", 1.0, 1.0, str(k))]
    assert standings(None, won).pools[0].meetings[0].p == 2 * 0.5**6
    split = [g for k in range(6) for g in pair("a", "b", 1.0, 0.0, str(k))]
    assert standings(None, split).pools[0].meetings[0].p == 1.0


def test_the_matrix_is_corrected_for_how_many_pairings_there_are() -> None:
    """Of three pairings the least p is multiplied by three (Holm)."""
    games = [g for k in range(9) for g in pair("a", "b", 1.0, 1.0, f"ab{k}")]
    games += [g for k in range(9) for g in pair("b", "c", 1.0, 0.0, f"bc{k}")]
    games += [g for k in range(9) for g in pair("a", "c", 1.0, 0.0, f"ac{k}")]
    found = {(m.first, m.second): m.p for m in standings(None, games).pools[0].meetings}
    assert found["a", "b"] == pytest.approx(3 * 2 * 0.5**9)
    assert found["b", "c"] == 1.0
