"""Resources of bots, summed by hand."""

from collections import defaultdict

from pwtourney.notation.game import Fault, Game, Ply, Usage, Verdict
from pwtourney.rules import deal
from pwtourney.standings import Resources, count_resources
from tests.rules.positions import ORIGINAL

TWO_THEN_ONE = (Ply(0, "advance", 1000, 10), Ply(1, "advance", 500, 5), Ply(0, "advance", 2000, 20))
SLOW = (Ply(0, "advance", 400), Ply(1, "advance", 9000, 30))


def game(bots: tuple[str, str], plies: tuple[Ply, ...], *used: Usage) -> Game:
    """Return a simulated game."""
    verdict = Verdict.FINISHED
    dealt = deal(ORIGINAL, 1)
    made = Game(bots, "original", dealt, (1, 2), plies, verdict, 0, (3, 1))
    return made._replace(usage=(used[0], used[1])) if used else made


def test_times_faults_and_usage_are_those_of_the_games() -> None:
    """They are moves by seat, sums of all usage except the peak, starts, and faults by verdict."""
    first = Usage(start=70, pondering=3, peak=900, received=10, written=20, stderr=5)
    again = Usage(start=0, pondering=4, peak=800, received=11, written=22, stderr=0)
    crash = game(("a", "b"), ())._replace(
        verdict=Verdict.CRASH, winner=1, faults=(Fault(0, Verdict.CRASH, "why"),)
    )
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    for record in (
        game(("a", "b"), TWO_THEN_ONE, first, Usage()),
        game(("b", "a"), SLOW, Usage(), again),
        crash,
    ):
        count_resources(record, resources)
    used = resources["a"]
    assert (used.games, used.starts) == (3, 1)
    assert (used.wall, used.slowest, used.cpu, used.mean_ms) == (12_000, 9000, 60, 4.0)
    assert used.times.count == 3
    assert used.usage == Usage(70, 7, 900, 21, 42, 5)
    assert used.faults == {"crash": 1}
    assert (resources["b"].wall, resources["b"].faults) == (900, {})


def test_only_faults_of_a_void_game_are_counted() -> None:
    """Gates on faults must not miss any; the times of a void game do not count."""
    void = game(("a", "b"), TWO_THEN_ONE)._replace(
        verdict=Verdict.RUNNER_ERROR, winner=None, faults=(Fault(1, Verdict.TIMEOUT, "why"),)
    )
    resources: defaultdict[str, Resources] = defaultdict(Resources)
    count_resources(void, resources)
    assert resources["b"].faults == {"timeout": 1}
    assert all(used.games == used.wall == 0 for used in resources.values())
