"""One bot in depth, against a few games by hand."""

from pwtourney.match import Fault, Game, Ply, Verdict
from pwtourney.report.collectors import Depth
from pwtourney.rules import deal, find_edition
from pwtourney.store import GameRecord

DEALT = deal(find_edition("original"), 1)


def record(
    number: int,
    bots: tuple[str, str],
    scores: tuple[int, int],
    verdict: Verdict,
    winner: int | None,
) -> GameRecord:
    """Return a game that was made up."""
    faults = (Fault(0, verdict, "why"),) if verdict is Verdict.CRASH else ()
    game = Game(
        *(bots, "original", DEALT, (1, 2), (Ply(0, "advance", 1),), verdict, winner, scores),
        faults=faults,
    )
    return GameRecord.of(number // 2, number % 2, game)


def test_a_bot_is_told_by_opponent_seat_and_verdict() -> None:
    """Five games of magpie, one of others, one void; worked out by hand."""
    depth = Depth("magpie")
    done, crash, void = Verdict.FINISHED, Verdict.CRASH, Verdict.RUNNER_ERROR
    for each in (
        record(0, ("magpie", "wren"), (10, 4), done, 0),
        record(1, ("wren", "magpie"), (7, 9), done, 1),
        record(2, ("magpie", "crow"), (-3, 20), done, 1),
        record(3, ("magpie", "crow"), (-9, -9), crash, 1),
        record(4, ("crow", "magpie"), (0, 0), void, None),
        record(5, ("wren", "crow"), (50, 0), done, 0),
    ):
        depth.add(each, each.result())
    opponents, seats, verdicts, best, worst = depth.tables()
    assert opponents.rows == [
        ("crow", "2", "0", "0.0%", "-23.0", "1"),
        ("wren", "2", "2", "100.0%", "+4.0", "0"),
    ]
    assert seats.rows == [
        ("first", "3", "1", "33.3%", "-8.5", "0"),
        ("second", "1", "1", "100.0%", "+2.0", "1"),
    ]
    assert verdicts.rows == [
        ("crash", "lost", "1"),
        ("finished", "lost", "1"),
        ("finished", "won", "2"),
        ("runner-error", "void", "1"),
    ]
    assert best.rows[0] == ("0.0", "wren", "10:4", "+6")
    assert worst.rows[0] == ("1.0", "crow", "-3:20", "-23")
    assert len(best.rows) == 3
