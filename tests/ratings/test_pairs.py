"""Two bots by their pairs, by hand and against a bootstrap."""

import math
import random

import numpy as np
import pytest

from pwtourney.ratings.pairs import pair_statistics


def test_pair_statistics_are_those_of_a_hand_count() -> None:
    """Ten lost, fifty split, twenty won: μ = 0.5625, v = 90/80 − … by hand."""
    found = pair_statistics([10, 0, 50, 0, 20])
    assert found.score == 0.5625
    variance = (10 * 0.5625**2 + 50 * 0.0625**2 + 20 * 0.4375**2) / 80
    assert found.nelo == pytest.approx(0.0625 / math.sqrt(2 * variance) * 800 / math.log(10))
    assert found.elo == pytest.approx(400 * math.log10(0.5625 / 0.4375))
    assert found.los == pytest.approx(0.9690, abs=1e-4)  # Φ(1.866), from a table


def test_a_perfect_score_has_no_finite_difference() -> None:
    """All pairs won: what is unknown is None, and the difference infinite."""
    found = pair_statistics([0, 0, 0, 0, 7])
    assert (found.elo, found.nelo, found.los) == (math.inf, None, None)
    with pytest.raises(ValueError, match="no pairs"):
        pair_statistics([0, 0, 0, 0, 0])


def test_the_interval_of_normalised_elo_is_that_of_a_bootstrap() -> None:
    """Two thousand resamples of the same pairs spread as the delta method says."""
    counts = [40, 10, 150, 20, 80]
    pool = [k for k, n in enumerate(counts) for _ in range(n)]
    rng = random.Random(7)
    found = []
    for _ in range(2000):
        drawn = [0] * 5
        for k in rng.choices(pool, k=len(pool)):
            drawn[k] += 1
        nelo = pair_statistics(drawn).nelo
        assert nelo is not None
        found.append(nelo)
    assert pair_statistics(counts).nelo_plus_minus == pytest.approx(1.96 * np.std(found), rel=0.06)
