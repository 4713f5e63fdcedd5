"""The career of a bot: its widest wins and losses, and its newest faults."""

from pwtourney.errors import TimeoutFault
from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Verdict
from pwtourney.process.silence import NOT_FLUSHED
from pwtourney.report.careers import CareerGame, Careers, FaultKind, NotableGames
from pwtourney.report.game_statistics.expectations import Fall
from pwtourney.store import result_of
from tests.report.test_collectors import record

DONE = Verdict.FINISHED


def finished(number: int, bots: tuple[str, str], margin: int) -> Game:
    """Return a game that the first seat won by this margin, or lost."""
    return record(number, bots, (50 + margin, 50), DONE, 0 if margin >= 0 else 1)


def add(careers: Careers, *games: Game) -> None:
    """Add games in their order."""
    for game in games:
        careers.add(game, result_of(game))


def numbers(games: NotableGames) -> list[int]:
    """Return the numbers of kept games, most notable first."""
    return [2 * game.pair + game.game for game in games]


def test_most_notable_games_are_kept_in_their_order() -> None:
    """Of equals the first in the schedule stays, whatever the order in which they are added."""
    games = NotableGames(3)
    bots = ("magpie", "wren")
    for number, worth in ((7, 5), (0, 1), (3, 5), (2, 5), (1, 9), (9, 5)):
        games.add(worth, finished(number, bots, 0))
    assert numbers(games) == [1, 2, 3]
    assert numbers(NotableGames(3)) == []


def test_game_is_seen_from_the_side_of_a_bot() -> None:
    """Its own score comes first, whichever version played and from whichever seat."""
    game = record(5, ("magpie#2", "wren"), (10, 24), DONE, 1)
    own, other = CareerGame.of(game, "magpie"), CareerGame.of(game, "wren")
    assert own == CareerGame("2.1", "magpie#2", "wren", (10, 24), 0)
    assert other == CareerGame("2.1", "wren", "magpie#2", (24, 10), 1)
    assert (own.margin, other.margin) == (-14, 14)


def test_widest_wins_and_losses_of_a_bot_are_kept_over_its_versions() -> None:
    """Five wins and ten losses; a tie counts for its winner, and void games for nobody."""
    careers = Careers()
    wins = [finished(number, ("magpie", "wren"), 10 + number) for number in range(6)]
    loss = finished(6, ("wren", "magpie#2"), 3)
    tie = finished(7, ("magpie", "wren"), 0)
    void = record(8, ("magpie", "wren"), (99, 0), Verdict.RUNNER_ERROR, None)
    itself = finished(9, ("magpie", "magpie#2"), 40)
    add(careers, *wins, loss, tie, void, itself)
    magpie, wren = careers.find("magpie"), careers.find("wren")
    assert (numbers(magpie.best), numbers(magpie.worst)) == ([5, 4, 3, 2, 1], [6])
    assert (numbers(wren.best), numbers(wren.worst)) == ([6], [5, 4, 3, 2, 1, 0, 7])
    kept = [2 * game.pair + game.game for game in careers.games()]
    assert kept == [5, 4, 3, 2, 1, 6, 6, 5, 4, 3, 2, 1, 0, 7]
    nobody = careers.find("jay")
    assert (numbers(nobody.best), numbers(nobody.worst), nobody.faults) == ([], [], [])


def failed(number: int, *faults: Fault) -> Game:
    """Return a game of magpie and wren with these faults after three plies."""
    game = record(number, ("magpie#2", "wren"), (0, 0), Verdict.CRASH, 1)
    return game._replace(faults=faults, plies=(Ply(0, "advance", 1),) * 3)


def test_fault_has_its_newest_game_and_what_the_bot_wrote_last() -> None:
    """Long texts are cut after 300 characters, lines of the log after 200."""
    careers = Careers()
    long = Fault(0, Verdict.CRASH, "m" * 400, f"first\n{'e' * 400}\n \n")
    other = Fault(1, Verdict.TIMEOUT, "slow", "")
    add(careers, failed(3, long), failed(4, long, other))
    crash, slow = ("magpie#2", "crash", "m" * 400), ("wren", "timeout", "slow")
    log = ("first", "e" * 200)
    assert careers.find("magpie").faults == [
        FaultKind(crash, "m" * 300, 2, "2.0", "wren", 3, "e" * 300, log)
    ]
    assert careers.find("wren").faults == [FaultKind(slow, "slow", 1, "2.0", "magpie#2", 3, "")]


def test_fault_names_the_machine_that_is_to_blame() -> None:
    """The bot's page has the same cause as the list of faults."""
    machine = Hindrance(watched=9000, queued=2000, stolen=0, pressure=0, cpu=0, opponent=0)
    fault = Fault(0, Verdict.TIMEOUT, str(TimeoutFault(NOT_FLUSHED)), machine=machine)
    careers = Careers()
    add(careers, failed(3, fault))
    (kind,) = careers.find("magpie").faults
    assert kind.message == "did not answer in time: the machine held it up"


def test_log_of_a_fault_has_the_last_six_lines() -> None:
    """Empty lines are left out; one line alone is the last line already."""
    careers = Careers()
    many = Fault(0, Verdict.CRASH, "many", "\n\n".join("abcdefgh"))
    single = Fault(1, Verdict.CRASH, "one", "alone\n")
    add(careers, failed(3, many, single))
    assert careers.find("magpie").faults[0].log == (*"cdefgh",)
    assert careers.find("wren").faults[0].log == ()


def test_game_has_the_ply_at_which_the_expectation_fell_most() -> None:
    """The first seat expected 5, then -2, and loses by 14: a fall by 12 at the last ply."""
    game = record(5, ("magpie", "wren"), (10, 24), DONE, 1)
    said = ("score 5", "", "score -2", "score 3.5")
    plies = tuple(Ply(k % 2, "advance", 1, info=info) for k, info in enumerate(said))
    game = game._replace(plies=plies)
    assert CareerGame.of(game, "magpie").fall == Fall(4, -2.0, -14.0)
    assert CareerGame.of(game, "wren").fall is None, "it expected 3.5 and wins by 14"


def test_no_career_is_kept_of_more_than_a_hundred_bots() -> None:
    """The bots of a hundredth and a hundred and first game are too many, and stay too many."""
    careers = Careers()
    for number in range(99):
        add(careers, finished(number, (f"b{number}", f"b{number + 1}"), 1))
    assert not careers.too_many, "a hundred bots"
    assert numbers(careers.find("b0").best) == [0]
    add(careers, finished(99, ("b99", "b100"), 1), finished(100, ("b0", "b1"), 1))
    assert careers.too_many
    assert numbers(careers.find("b0").best) == []
    assert [*careers.games()] == []
