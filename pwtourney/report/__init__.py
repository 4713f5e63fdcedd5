"""What people and programs read, made from the store and nothing else."""

from pwtourney.report.files import report_differences, write_reports
from pwtourney.report.summary import Summary, summarise

__all__ = ["Summary", "report_differences", "summarise", "write_reports"]
