"""Tournament formats: which pairs are played, as pure functions."""

TYPE_CHECKING = False  # as in `typing`

if TYPE_CHECKING:
    from pwtourney.schedule.league import (
        FORMATS,
        FormatName,
        Schedule,
        list_players,
        make_format,
        make_scheduler,
    )
    from pwtourney.schedule.pairing import (
        Format,
        FormatTable,
        History,
        Pairing,
        PairPoints,
        Played,
        derive_seed,
    )
    from pwtourney.schedule.scheduler import Earlier, Scheduler, Until, replay

__all__ = [
    "Earlier",
    "FORMATS",
    "Format",
    "FormatName",
    "FormatTable",
    "History",
    "PairPoints",
    "Pairing",
    "Played",
    "Schedule",
    "Scheduler",
    "Until",
    "derive_seed",
    "list_players",
    "make_format",
    "make_scheduler",
    "replay",
]

_HOMES = {
    "pwtourney.schedule.league": (
        "FORMATS",
        "FormatName",
        "Schedule",
        "list_players",
        "make_format",
        "make_scheduler",
    ),
    "pwtourney.schedule.pairing": (
        "Format",
        "FormatTable",
        "History",
        "Pairing",
        "PairPoints",
        "Played",
        "derive_seed",
    ),
    "pwtourney.schedule.scheduler": (
        "Earlier",
        "Scheduler",
        "Until",
        "replay",
    ),
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
