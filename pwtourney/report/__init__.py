"""Reports for people and programs, made from the store alone."""

from pwtourney.on_demand import load_on_demand

TYPE_CHECKING = False  # as in `typing`

if TYPE_CHECKING:
    from pwtourney.report.publishing import Preload, publish, report_differences
    from pwtourney.report.summary import Summary, summarise, summarise_with_statistics

__all__ = [
    "Preload",
    "Summary",
    "publish",
    "report_differences",
    "summarise",
    "summarise_with_statistics",
]

_HOMES = {
    "pwtourney.report.publishing": ("Preload", "publish", "report_differences"),
    "pwtourney.report.summary": ("Summary", "summarise", "summarise_with_statistics"),
}
"""Maps each module to the public names that it defines (PEP 562 lazy loading)."""

if not TYPE_CHECKING:  # hidden from type checkers, or every misspelt name would have a type
    __getattr__ = load_on_demand(__name__, _HOMES)
