"""Tournament formats: which pairs are played, as pure functions."""

from pwtourney.schedule.pairing import Pairing
from pwtourney.schedule.round_robin import round_robin
from pwtourney.schedule.seeds import derived_seed

__all__ = ["Pairing", "derived_seed", "round_robin"]
