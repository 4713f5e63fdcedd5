"""The default method against a tuned SPSA, on bots whose strength is known."""

import pytest

from benchmarks.landscapes import LANDSCAPES, START, Landscape, Terrain
from benchmarks.tuning import CLOSE, SEEDS, games_needed, method_losses, reference_losses
from pwtourney.tuning.method import DEFAULT_METHOD


@pytest.mark.parametrize("landscape", LANDSCAPES, ids=lambda landscape: landscape.name)
def test_landscape_begins_at_its_stated_distance_from_the_optimum(landscape: Landscape) -> None:
    """All starts are 100 Elo below the optimum; integer options reach this only approximately."""
    terrain = Terrain(landscape, range(5))
    slack = 60 if terrain.steps.any() else 5
    assert terrain.loss(terrain.start) == pytest.approx([START] * 5, abs=slack)


@pytest.mark.thorough
@pytest.mark.slow(20)
def test_default_method_needs_no_more_games_than_tuned_spsa() -> None:
    """With the games that SPSA with the best gains needs, 9 of 10 seeds are within 10 Elo."""
    terrain = Terrain(LANDSCAPES[0], range(SEEDS))
    games = games_needed(reference_losses, terrain)
    assert games is not None
    assert (method_losses(DEFAULT_METHOD, terrain, games) <= CLOSE).mean() >= 0.9
