"""What people and programs read, made from the store and nothing else."""

from pwtourney.report.files import publish, report_differences
from pwtourney.report.preload import Preload
from pwtourney.report.summary import Summary, summarise

__all__ = ["Summary", "Preload", "publish", "report_differences", "summarise"]
