"""What people and programs read, made from the store and nothing else."""

from pwtourney.on_demand import load_on_demand

TYPE_CHECKING = False  # as in `typing`

if TYPE_CHECKING:
    from pwtourney.report.files import Preload, publish, report_differences
    from pwtourney.report.summary import Summary, summarise

__all__ = ["Preload", "Summary", "publish", "report_differences", "summarise"]

_HOMES = {
    "pwtourney.report.files": ("Preload", "publish", "report_differences"),
    "pwtourney.report.summary": ("Summary", "summarise"),
}
"""Where each name is at home; the same as above, for the interpreter."""

if not TYPE_CHECKING:  # or every misspelt name would have a type
    __getattr__ = load_on_demand(__name__, _HOMES)
