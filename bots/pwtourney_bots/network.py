"""The network of `champion`: its weights for each edition, and their files.

It has one layer of units that sum up weighted inputs; all units except the first are rectified
(negative sums become 0). Two sums of the units give the logit of winning and the margin in points.
`layers` computes them; ``python -m benchmarks.network`` learns the weights.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.sdk import Edition
from pwtourney_bots.inputs import INPUTS

__all__ = ["UNITS", "Network", "find_network", "read_network", "write_network"]

UNITS = 32
"""The units of the layer: as many numbers as four or two registers of a processor hold."""

_FOLDER = Path(__file__).with_name("networks")
_USUAL = "original"
_SMALL = "express"
_MOST_SMALL = 49

Floats = NDArray[np.float32]


class Network(NamedTuple):
    """Weights of both layers.

    `first` has a row for each of `INPUTS` and a column for each unit. `last` has two rows: the
    weights of the units in the logit, and in the margin.
    """

    first: Floats
    last: Floats


def find_network(edition: Edition) -> Network:
    """Return the network for an edition: that of Express for small boards."""
    small = edition.rows * edition.columns <= _MOST_SMALL
    return read_network(_FOLDER / f"{_SMALL if small else _USUAL}.npy")


@cache
def read_network(path: Path) -> Network:
    """Read a network that `write_network` wrote. Raises ValueError if it has other inputs."""
    rows = np.load(path, allow_pickle=False)
    if rows.shape != (len(INPUTS) + 2, UNITS) or rows.dtype != np.float32:
        raise ValueError(f"{path.name}: expected {len(INPUTS) + 2} rows of {UNITS} weights")
    return Network(rows[:-2].copy(), rows[-2:].copy())


def write_network(path: Path, network: Network) -> None:
    """Write a network into a numpy file: a row for each input, and one for each result."""
    np.save(path, np.vstack(network).astype(np.float32))
