"""What people and programs read, made from the store and nothing else."""

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

    def __getattr__(name: str) -> object:
        """Load a name when it is first used, because not all need pydantic (PEP 562)."""
        from importlib import import_module

        for module, names in _HOMES.items():
            if name in names:
                found = globals()[name] = getattr(import_module(module), name)
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
