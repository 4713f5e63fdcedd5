"""The table of all bots: ratings with their uncertainty, resources, and gates."""

from pwtourney.ratings.anchors import Anchor
from pwtourney.standings.table import (
    LEAST_PRIOR,
    MOST_ELO,
    MOST_PRIOR,
    Pool,
    Quantiles,
    RatingOptions,
    Resources,
    Row,
    Standings,
    count_resources,
)

__all__ = [
    "LEAST_PRIOR",
    "Anchor",
    "MOST_ELO",
    "MOST_PRIOR",
    "Pool",
    "Quantiles",
    "RatingOptions",
    "Resources",
    "Row",
    "Standings",
    "count_resources",
]
