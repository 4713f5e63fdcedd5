"""Is this machine fit for tournaments: what it has and lacks, and whether it treats bots alike."""

from pwtourney.doctor.alike import WAIT, Comparison, compare, self_plan, self_play
from pwtourney.doctor.facilities import Facility, facilities

__all__ = ["WAIT", "Comparison", "Facility", "compare", "facilities", "self_plan", "self_play"]
