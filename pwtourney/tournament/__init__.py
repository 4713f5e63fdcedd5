"""Plan, play, store and resume a whole tournament from its file."""

from pwtourney.tournament.differences import list_differences
from pwtourney.tournament.entrants import (
    Entrant,
    as_untrusted,
    check_options,
    explain_missing_bot,
    find_bot,
    load_tournament,
)
from pwtourney.tournament.estimate import estimate
from pwtourney.tournament.events import (
    Continued,
    Ended,
    Event,
    FaultSeen,
    Leader,
    PairBegun,
    PairDone,
    Paused,
    ProbeDone,
    Remark,
    Standing,
    Started,
    SuspectBot,
)
from pwtourney.tournament.matching import find_versions, name_as_stored
from pwtourney.tournament.plan import Plan, make_plan, make_schedule
from pwtourney.tournament.resume import (
    choose_seed,
    explain_refusal,
    fit_into_league,
    open_results,
)
from pwtourney.tournament.room import find_builds
from pwtourney.tournament.run import run_tournament
from pwtourney.tournament.shards import merge, split
from pwtourney.tournament.slots import count_slots
from pwtourney.tournament.verify import verify, verify_folder

__all__ = [
    "Continued",
    "Ended",
    "Entrant",
    "Event",
    "FaultSeen",
    "Leader",
    "PairBegun",
    "PairDone",
    "Paused",
    "Plan",
    "ProbeDone",
    "Remark",
    "Standing",
    "Started",
    "SuspectBot",
    "as_untrusted",
    "check_options",
    "choose_seed",
    "count_slots",
    "estimate",
    "explain_missing_bot",
    "explain_refusal",
    "find_bot",
    "find_builds",
    "find_versions",
    "fit_into_league",
    "list_differences",
    "load_tournament",
    "make_plan",
    "make_schedule",
    "merge",
    "name_as_stored",
    "open_results",
    "run_tournament",
    "split",
    "verify",
    "verify_folder",
]
