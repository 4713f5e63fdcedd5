"""The schedule, not the order in which games end, decides when a bot is disqualified."""

import random
from collections import deque
from collections.abc import Iterable

from pwtourney.match import PairResult, void_game
from pwtourney.schedule import Pairing, Scheduler
from pwtourney.schedule.formats.round_robin import RoundRobin
from pwtourney.tournament.monitors import HORIZON, FaultLimit, HeldResults
from tests.match.helpers import FRUGAL, RANDOM, setup
from tests.schedule.playing import everything

BOTS = ("broken", "good", "better")
GAME = void_game(setup(RANDOM, FRUGAL), "never played")


def played(pairings: Iterable[Pairing], limit: int, slots: int, seed: int) -> dict[int, bool]:
    """Play a schedule in which one bot fails every game; return which pairs were void.

    As many pairs as there are slots run at once and end in a random order, drawn from the seed.
    One pair in ten runs for as long as any other pair is running.
    """
    rng = random.Random(seed)
    fault_limit, todo = FaultLimit(limit), deque(pairings)
    held = HeldResults(fault_limit)
    out: list[Pairing] = []
    void: dict[int, bool] = {}

    def settle(pairing: Pairing) -> None:
        void[pairing.number] = fault_limit.find_disqualified(pairing) is not None
        failed = [bot for bot in (pairing.first, pairing.second) if bot == "broken"]
        fault_limit.take_in(pairing, [] if void[pairing.number] else failed * 2)

    while todo or out:
        while todo and len(out) < slots:
            pairing = todo.popleft()
            if fault_limit.find_disqualified(pairing):
                void[pairing.number] = True
            else:
                fault_limit.hand_out(pairing)
                out.append(pairing)
        if not out:
            break
        done = rng.choice([pairing for pairing in out if pairing.number % 10] or out)
        out.remove(done)
        if fault_limit.is_undecided(done):
            held.hold(done, PairResult(done.number, (GAME, GAME)))
            continue
        settle(done)
        while decided := held.pop_decided():
            settle(decided[0])
    assert not len(held), "what all pairs before it decide is decided when these have ended"
    return void


def test_same_pairs_are_void_with_any_number_of_slots() -> None:
    """The slots are 1, 2, 7, 40 and 200, and the games end in random order."""
    schedule = everything(Scheduler(RoundRobin(BOTS, 120)))
    alone = played(schedule, 25, 1, seed=0)
    for slots, seed in ((2, 1), (7, 2), (40, 3), (200, 4)):
        assert played(schedule, 25, slots, seed) == alone
    first = min(number for number, void in alone.items() if void)
    faults = [pairing.number for pairing in schedule if "broken" in (pairing.first, pairing.second)]
    assert first > faults[12] + HORIZON  # thirteen pairs of two faults exceed 25
    others = [
        pairing.number for pairing in schedule if "broken" not in (pairing.first, pairing.second)
    ]
    assert not any(alone[number] for number in others)
    after = [number for number in faults if number > first]
    assert all(alone[number] for number in after)


def test_faults_of_an_earlier_run_count() -> None:
    """Stored faults count from the start, with the same horizon."""
    fault_limit = FaultLimit(3, [(0, ["broken", "broken"]), (1, ["broken"])])
    assert fault_limit.find_disqualified(Pairing(HORIZON + 1, "broken", "good", 0)) is None
    assert fault_limit.find_disqualified(Pairing(HORIZON + 2, "broken", "good", 0)) == "broken"
    assert fault_limit.find_disqualified(Pairing(HORIZON + 2, "better", "good", 0)) is None
