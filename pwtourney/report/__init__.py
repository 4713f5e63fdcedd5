"""What people and programs read, made from the store and nothing else."""

from pwtourney.report.files import publish, report_differences
from pwtourney.report.summary import Summary, summarise
from pwtourney.report.warm import WarmUp

__all__ = ["Summary", "WarmUp", "publish", "report_differences", "summarise"]
