"""Tournament formats and schedules: pure functions that decide which pairs are played."""

from pwtourney.on_demand import load_on_demand

TYPE_CHECKING = False  # as in `typing`

if TYPE_CHECKING:
    from pwtourney.schedule.format_spec import FormatSpec, find_format, list_formats, register
    from pwtourney.schedule.league import (
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
        PlayedPair,
        derive_seed,
    )
    from pwtourney.schedule.scheduler import Earlier, Scheduler, Until, replay

__all__ = [
    "Earlier",
    "Format",
    "FormatName",
    "FormatSpec",
    "FormatTable",
    "History",
    "PairPoints",
    "Pairing",
    "PlayedPair",
    "Schedule",
    "Scheduler",
    "Until",
    "derive_seed",
    "find_format",
    "list_formats",
    "list_players",
    "make_format",
    "make_scheduler",
    "register",
    "replay",
]

_HOMES = {
    "pwtourney.schedule.format_spec": (
        "FormatSpec",
        "find_format",
        "list_formats",
        "register",
    ),
    "pwtourney.schedule.league": (
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
        "PlayedPair",
        "derive_seed",
    ),
    "pwtourney.schedule.scheduler": (
        "Earlier",
        "Scheduler",
        "Until",
        "replay",
    ),
}
"""Maps each module to the public names that it defines (PEP 562 lazy loading).

The imports above repeat them for type checkers.
"""

if not TYPE_CHECKING:  # a type checker would otherwise accept any misspelt name
    __getattr__ = load_on_demand(__name__, _HOMES)
