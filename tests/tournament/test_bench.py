"""When a bot is benched: decided by the schedule, not by which games end first."""

import random
from collections.abc import Iterable

from pwtourney.schedule import Pairing, Timetable
from pwtourney.schedule.round_robin import RoundRobin
from pwtourney.tournament.bench import HORIZON, Bench
from tests.schedule.playing import everything

BOTS = ("broken", "good", "better")


def played(pairings: Iterable[Pairing], limit: int, slots: int, seed: int) -> dict[int, bool]:
    """Play a schedule in which one bot fails every game; return which pairs were benched.

    As many pairs as there are slots are under way at once, and end in an order drawn by the seed.
    """
    rng = random.Random(seed)
    bench, todo = Bench(limit), list(pairings)
    out: list[Pairing] = []
    benched: dict[int, bool] = {}
    while todo or out:
        while todo and len(out) < slots:
            pairing = todo[0]
            if bench.benched(pairing):
                benched[todo.pop(0).number] = True
            elif bench.undecided(pairing):
                break
            else:
                bench.hand_out(pairing)
                out.append(todo.pop(0))
        assert out or not todo, "somebody must be playing while there is something to play"
        if out:
            done = out.pop(rng.randrange(len(out)))
            benched[done.number] = False
            bench.done(done, [bot for bot in (done.first, done.second) if bot == "broken"] * 2)
    return benched


def test_the_same_pairs_are_benched_with_any_number_of_slots() -> None:
    """One slot, two, seven and forty, with games that end in any order."""
    schedule = everything(Timetable(RoundRobin(BOTS, 120)))
    alone = played(schedule, 25, 1, seed=0)
    for slots, seed in ((2, 1), (7, 2), (40, 3)):
        assert played(schedule, 25, slots, seed) == alone
    first = min(number for number, benched in alone.items() if benched)
    faults = [each.number for each in schedule if "broken" in (each.first, each.second)]
    assert first > faults[12] + HORIZON  # thirteen pairs of two faults are over 25
    others = [each.number for each in schedule if "broken" not in (each.first, each.second)]
    assert not any(alone[number] for number in others)
    after = [number for number in faults if number > first]
    assert all(alone[number] for number in after)


def test_faults_of_an_earlier_run_count() -> None:
    """What is stored already is known from the start."""
    bench = Bench(3, [(0, ["broken", "broken"]), (1, ["broken"])])
    assert bench.benched(Pairing(HORIZON + 1, "broken", "good", 0)) is None
    assert bench.benched(Pairing(HORIZON + 2, "broken", "good", 0)) == "broken"
    assert bench.benched(Pairing(HORIZON + 2, "better", "good", 0)) is None
