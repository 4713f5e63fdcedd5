"""A whole tournament: planned from its file, played, stored, gone on with."""

from pwtourney.tournament.entrants import (
    Entrant,
    Isolated,
    as_untrusted,
    check_options,
    find_bot,
    load_tournament,
    missing_bot,
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
from pwtourney.tournament.monitors import early_fault
from pwtourney.tournament.plan import (
    Estimate,
    Plan,
    estimate,
    make_plan,
    schedule_of,
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
from pwtourney.tournament.room import build_bots, built_before, make_ready
from pwtourney.tournament.run import executor_of, run_tournament, slots
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
    "built_before",
    "check_options",
    "current_facts",
    "differences",
    "early_fault",
    "estimate",
    "executor_of",
    "find_bot",
    "in_league",
    "is_complete",
    "is_new_version",
    "load_tournament",
    "make_plan",
    "make_ready",
    "merge",
    "missing_bot",
    "named_as_stored",
    "as_untrusted",
    "open_results",
    "recorded",
    "refusal",
    "run_tournament",
    "schedule_of",
    "slots",
    "split",
    "tournament_seed",
    "verify",
    "verify_folder",
    "versions",
]
