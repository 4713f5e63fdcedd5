"""The champion's network: how it is evaluated, stored, and trained."""

from pathlib import Path

import numpy as np
import pytest
from pwtourney_bots.inputs import INPUTS
from pwtourney_bots.network import UNITS, Network, find_network, read_network, write_network

from benchmarks.network import Seen, measure, train
from tests.bundled.compiled import weigh_inputs
from tests.bundled.compiling import COMPILED
from tests.rules.positions import EDITIONS, EXPRESS, ORIGINAL

pytestmark = [pytest.mark.slow, *COMPILED]


def draw_network(draw: np.random.Generator) -> Network:
    """Return a network of random weights."""
    first = draw.normal(size=(len(INPUTS), UNITS)).astype(np.float32)
    return Network(first, draw.normal(size=(2, UNITS)).astype(np.float32))


def test_network_evaluates_as_in_numpy() -> None:
    """It has two layers; all units except the first pass on nothing below zero."""
    draw = np.random.default_rng(1)
    network = draw_network(draw)
    for _ in range(100):
        inputs = draw.integers(-3, 20, len(INPUTS)).astype(np.float32)
        units = inputs.astype(float) @ network.first
        units[1:] = np.maximum(units[1:], 0)
        assert weigh_inputs(network, inputs) == pytest.approx(
            network.last @ units, rel=1e-3, abs=0.01
        )


def test_network_is_read_back_from_its_file(tmp_path: Path) -> None:
    """The weights are identical."""
    network = draw_network(np.random.default_rng(2))
    write_network(tmp_path / "one.npy", network)
    again = read_network(tmp_path / "one.npy")
    assert all(
        (written == restored).all() for written, restored in zip(network, again, strict=True)
    )


def test_network_with_another_number_of_inputs_is_refused(tmp_path: Path) -> None:
    """The error for a file with a missing row says how many rows are needed."""
    np.save(tmp_path / "one.npy", np.zeros((len(INPUTS) + 1, UNITS), np.float32))
    with pytest.raises(ValueError, match=f"expected {len(INPUTS) + 2} rows of {UNITS} weights"):
        read_network(tmp_path / "one.npy")


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)
def test_every_edition_has_a_network(edition: object) -> None:
    """It is trained, so its weights are not all equal; only Express has a different one."""
    network = find_network(edition)  # type: ignore[arg-type]
    assert network.first.std() > 0
    assert (network.first.tobytes() == find_network(ORIGINAL).first.tobytes()) == (
        edition is not EXPRESS
    )


def test_training_learns_a_given_function() -> None:
    """Of 20,000 made-up positions it explains nine tenths of the variance."""
    draw = np.random.default_rng(5)
    rows = draw.normal(size=(20_000, len(INPUTS))).astype(np.float32)
    logits = np.maximum(rows[:, :4] @ np.array([1, -1, 2, 0.5], np.float32), 0) - rows[:, 5]
    values = (1 / (1 + np.exp(-logits))).astype(np.float32)
    margins = (8 * rows[:, 6] * (rows[:, 6] > 0)).astype(np.float32)
    seen = Seen(rows, values, margins, np.arange(len(rows)))
    (*_, network) = train(seen, 20, 1)
    least = -(values * np.log(values) + (1 - values) * np.log(1 - values)).mean()
    loss = measure(network, seen)
    assert loss.values < least + 0.02
    assert loss.margins < 0.1 * margins.var()
