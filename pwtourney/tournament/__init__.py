"""A whole tournament: planned from its file, played, stored, gone on with."""

from pwtourney.tournament.entrants import (
    Entrant,
    Isolated,
    as_untrusted,
    check_options,
    explain_missing_bot,
    find_bot,
    load_tournament,
)
from pwtourney.tournament.events import (
    Ended,
    Event,
    FaultSeen,
    Leader,
    PairBegun,
    PairDone,
    Standing,
    Started,
    SuspectBot,
)
from pwtourney.tournament.monitors import find_early_fault
from pwtourney.tournament.plan import (
    Estimate,
    Plan,
    estimate,
    make_plan,
    make_schedule,
)
from pwtourney.tournament.resume import (
    current_facts,
    differences,
    in_league,
    is_complete,
    is_new_version,
    named_as_stored,
    open_results,
    refusal,
    tournament_seed,
    versions,
)
from pwtourney.tournament.room import build_bots, find_builds, make_ready
from pwtourney.tournament.run import count_slots, make_executor, run_tournament
from pwtourney.tournament.shards import Merged, merge, split
from pwtourney.tournament.verify import recorded, verify, verify_folder

__all__ = [
    "Ended",
    "Entrant",
    "Estimate",
    "Event",
    "FaultSeen",
    "Isolated",
    "Leader",
    "Merged",
    "PairBegun",
    "PairDone",
    "Plan",
    "Standing",
    "Started",
    "SuspectBot",
    "build_bots",
    "find_builds",
    "check_options",
    "current_facts",
    "differences",
    "find_early_fault",
    "estimate",
    "make_executor",
    "find_bot",
    "in_league",
    "is_complete",
    "is_new_version",
    "load_tournament",
    "make_plan",
    "make_ready",
    "merge",
    "explain_missing_bot",
    "named_as_stored",
    "as_untrusted",
    "open_results",
    "recorded",
    "refusal",
    "run_tournament",
    "make_schedule",
    "count_slots",
    "split",
    "tournament_seed",
    "verify",
    "verify_folder",
    "versions",
]
