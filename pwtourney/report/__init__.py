"""What people and programs read, made from the store and nothing else."""

from pwtourney.report.files import write_reports
from pwtourney.report.summary import Summary, summarise

__all__ = ["Summary", "summarise", "write_reports"]
