"""Reports for people and programs, made from the store alone."""

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
"""Maps each module to the public names that it defines (PEP 562 lazy loading)."""

if not TYPE_CHECKING:  # hidden from type checkers, or every misspelt name would have a type
    __getattr__ = load_on_demand(__name__, _HOMES)
