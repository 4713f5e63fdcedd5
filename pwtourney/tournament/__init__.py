"""A whole tournament: planned from its file, played, stored, gone on with."""

from pwtourney.tournament.build import build_bots, built_before
from pwtourney.tournament.entrants import Entrant, find_bot, missing_bot
from pwtourney.tournament.estimate import Estimate, estimate
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
from pwtourney.tournament.isolate import Isolated
from pwtourney.tournament.league import (
    current_facts,
    in_league,
    is_new_version,
    named_as_stored,
    versions,
)
from pwtourney.tournament.merge import Merged, merge
from pwtourney.tournament.plan import (
    Plan,
    as_untrusted,
    check_options,
    load_tournament,
    make_plan,
    schedule_of,
)
from pwtourney.tournament.prepare import make_ready
from pwtourney.tournament.resume import (
    differences,
    is_complete,
    open_results,
    refusal,
    tournament_seed,
)
from pwtourney.tournament.run import run_tournament
from pwtourney.tournament.shards import split
from pwtourney.tournament.slots import executor_of, slots
from pwtourney.tournament.suspects import early_fault
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
