"""What people and programs read, made from the store and nothing else."""

from pwtourney.report.files import Preload, publish, report_differences
from pwtourney.report.summary import Summary, summarise

__all__ = ["Preload", "Summary", "publish", "report_differences", "summarise"]
