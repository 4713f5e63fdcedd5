"""The regression behind the formula of the champion: what it looks at, and what it finds."""

import numpy as np
import pytest
from pwtourney_bots.evaluation import FEATURES
from pwtourney_bots.node_tree import Judge, NodeTree

from benchmarks.evaluation import Seen, fit, look_at
from tests.rules.positions import player, position

pytestmark = pytest.mark.timeout(300)  # the first one compiles


def test_what_is_looked_at_is_counted_by_hand() -> None:
    """Two buttons, 9 paydays of 2, one square in the corner with 2 edges, 10 spaces, the turn."""
    one, two = player(quilt=1, buttons=7, income=2), player(space=10)
    state = position(one, two, tile=1)
    tree = NodeTree(state.edition, Judge(3, 0.5), nodes=100, edges=1000, quilts=1 << 10)
    tree.take_root(state, [])
    row = look_at(tree)
    now = dict(zip(FEATURES, row, strict=False))
    assert (now["BUTTONS"], now["INCOME"], now["EMPTY"], now["EXPOSED"]) == (2, 18, -1, 2)
    assert (now["SPACE"], now["TILE"], now["PENDING"], now["TURN"]) == (10, -7, 0, 1)
    phase = 1 - 10 / 106
    half = len(FEATURES)
    assert row[half:] == pytest.approx([phase * value for value in row[:half]])


def test_it_finds_the_weights_that_outcomes_were_drawn_with() -> None:
    """Of 40,000 made-up positions, each weight within a twentieth."""
    draw = np.random.default_rng(5)
    true = np.linspace(-1, 1, 16)
    rows = draw.normal(size=(40_000, 16))
    won = (draw.random(40_000) < 1 / (1 + np.exp(-rows @ true))).astype(float)
    assert fit(Seen(rows, won)) == pytest.approx(true, abs=0.05)
