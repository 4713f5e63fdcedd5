"""Equal faults are one line, and a bot with many faults does not hide those of others."""

from pathlib import Path

import pytest

from pwtourney.errors import TimeoutFault
from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Verdict
from pwtourney.process.silence import NOT_FLUSHED
from pwtourney.report.collectors import Depth, GameIndex
from pwtourney.report.faults import FaultIndex, describe_cause
from pwtourney.report.text.fault_lines import describe_faults
from pwtourney.rules import deal, find_edition
from pwtourney.store import FaultLogs, result_of
from pwtourney.store.fault_logs import read_tournament_file
from tests.program import pwtourney

DEALT = deal(find_edition("original"), 1)


def failed(pair: int, *faults: tuple[str, str], verdict: Verdict = Verdict.CRASH) -> Game:
    """Return a game with faults; each fault is a bot and its message."""
    bots = (faults[0][0], faults[1][0] if len(faults) > 1 else "wren")
    return Game(
        bots,
        "original",
        DEALT,
        (1, 2),
        (Ply(0, "advance", 5),),
        verdict,
        1,
        (-157, -157),
        faults=tuple(Fault(seat, verdict, text) for seat, (_, text) in enumerate(faults)),
        pair=pair,
    )


def groups(*games: Game) -> list[tuple[str, str, int, list[int]]]:
    """Return bot, message, count, and pairs of each group."""
    index = FaultIndex()
    for game in games:
        index.add(game)
    return [
        (
            group.key[0],
            group.faults[0][1].message,
            group.count,
            [game.pair for game, _ in group.faults],
        )
        for group in index.groups
    ]


def test_equal_faults_are_counted_together() -> None:
    """Equal faults have the same bot, verdict and message, except for numbers in the message."""
    assert groups(
        failed(0, ("magpie", "used 5012 ms")),
        failed(1, ("crow", "used 5012 ms")),
        failed(2, ("magpie", "used 497 ms")),
        failed(3, ("magpie", "exited")),
        failed(4, ("magpie", "used 5012 ms"), verdict=Verdict.TIMEOUT),
        failed(5, ("magpie", "exited"), ("crow", "used 1 ms")),
    ) == [
        ("magpie", "used 5012 ms", 2, [0, 2]),
        ("crow", "used 5012 ms", 2, [1, 5]),
        ("magpie", "exited", 2, [3, 5]),
        ("magpie", "used 5012 ms", 1, [4]),
    ]


WAITS = Hindrance(watched=100_000, queued=9_999, stolen=0, pressure=0, cpu=0, opponent=0)
"""A bot that had no core for less than a tenth of its turn, so its timeout is its own fault."""

HELD_UP = WAITS._replace(queued=10_000)
"""A bot that had no core for a tenth of its turn, so the notes count the machine's doing."""


@pytest.mark.parametrize(
    ("cause", "shown"),
    [
        (NOT_FLUSHED, ": the machine held it up"),
        ("", ": the machine held it up"),
        (f"{NOT_FLUSHED}; its standard error says: x", ": the machine held it up; its standard"),
        ("its line 'a' has no newline at its end", ": its line 'a' has no newline at its end; the"),
    ],
)
def test_timeout_that_is_counted_as_the_machines_names_it(cause: str, shown: str) -> None:
    """The guess that the answer lies in a buffer goes; what the bot wrote stays."""
    message = str(TimeoutFault(cause))
    fault = Fault(0, Verdict.TIMEOUT, message, machine=HELD_UP)
    described = describe_cause(fault)
    assert described.startswith(f"did not answer in time{shown}")
    assert "the machine held it up" in described
    for machine in (WAITS, None):
        assert describe_cause(fault._replace(machine=machine)) == message


def test_measured_time_is_not_explained_by_the_machine() -> None:
    """The message of an answer that came says how long it took, and names no other cause."""
    fault = Fault(0, Verdict.TIMEOUT, "used 5100 ms", machine=HELD_UP)
    assert describe_cause(fault) == "used 5100 ms"


def test_timeouts_of_the_machine_are_a_line_of_their_own() -> None:
    """The other line still shows a bot that also forgets to flush how to fix that."""
    silent = failed(0, ("magpie", str(TimeoutFault(NOT_FLUSHED))), verdict=Verdict.TIMEOUT)
    (fault,) = silent.faults
    held_up = silent._replace(pair=1, faults=(fault._replace(machine=HELD_UP),))
    index = FaultIndex()
    for game in (silent, held_up, held_up._replace(pair=2)):
        index.add(game)
    assert [(group.key[2], group.count) for group in index.groups] == [
        (f"did not answer in time: {NOT_FLUSHED}", 1),
        ("did not answer in time: the machine held it up", 2),
    ]


def test_first_ten_games_of_a_fault_are_kept() -> None:
    """All of its games are counted."""
    ((_, _, count, pairs),) = groups(*(failed(pair, ("magpie", "exited")) for pair in range(500)))
    assert (count, pairs) == (500, [*range(10)])


def test_first_hundred_kinds_of_faults_are_kept() -> None:
    """Each has its first game; a hundred further games are kept, so that a page stays small."""
    kinds = [chr(ord("a") + kind // 26) + chr(ord("a") + kind % 26) for kind in range(120)]
    index = FaultIndex()
    for pair in range(12 * 120):
        index.add(failed(pair, ("magpie", kinds[pair % 120])))
    assert [group.faults[0][1].message for group in index.groups] == kinds[:100]
    assert {group.count for group in index.groups} == {12}
    assert (index.count, index.others) == (12 * 120, 12 * 20)
    assert len(list(index.games())) == 200


def test_games_with_faults_can_be_replayed() -> None:
    """They can although 700 newer games follow; a game without faults of the same age cannot."""
    index = GameIndex(newest=600)
    sound = failed(0, ("magpie", "exited"))._replace(faults=())
    for game in (
        sound,
        failed(1, ("magpie", "exited")),
        *(sound._replace(pair=pair) for pair in range(2, 702)),
    ):
        index.add(game, result_of(game))
    kept = {game.pair for game in index.replayable_games()}
    assert kept == {1, *range(102, 702)}


def depth_of(bot: str, *games: Game) -> Depth:
    """Return the games of one bot, collected."""
    depth = Depth(bot)
    for game in games:
        depth.add(game, result_of(game))
    return depth


def test_last_fault_of_each_kind_of_a_bot_comes_first() -> None:
    """Of equal faults the last one stands for all; other bots' faults do not count."""
    games = (
        failed(0, ("magpie", "used 5012 ms")),
        failed(1, ("magpie", "exited"), ("crow", "exited, too")),
        failed(2, ("crow", "exited")),
        failed(3, ("magpie", "used 497 ms")),
    )
    kinds = [
        (fault.times, fault.game, fault.against) for fault in depth_of("magpie", *games).faults
    ]
    assert kinds == [(2, "3.0", "wren"), (1, "1.0", "crow")]
    assert [fault.message for fault in depth_of("crow", *games).faults] == ["exited", "exited, too"]
    assert depth_of("wren", *games).faults == []


def test_last_faults_lead_to_their_games(tmp_path: Path) -> None:
    """Each has its cause, the command that plays it again, and its log if there is one.

    The folder was moved, and the bot renamed, after the log was written.
    """
    before = "to play it again: pwtourney rerun moved:3.0 --file 'my league.yaml'"
    lines = ["game 3.0: magpie: crash: exited", before, "more"]
    log = FaultLogs(tmp_path / "logs").write(3, 0, "jay", lines)
    games = [failed(pair, ("magpie", "exited")) for pair in (1, 3)]
    faults = depth_of("magpie", failed(0, ("magpie", "used all memory")), *games).faults
    assert list(describe_faults(faults, tmp_path, {"jay": "magpie"})) == [
        "crash (2 games, the last is 3.0, against wren): exited",
        f"    play it again: pwtourney rerun {tmp_path}:3.0 --file 'my league.yaml'",
        f"    log: {log}",
        "crash (game 0.0, against wren): used all memory",
        f"    play it again: pwtourney rerun {tmp_path}:0.0 --file FILE",
        "    log: none; each bot has a hundred",
    ]


@pytest.mark.parametrize(
    "second",
    ["", "to play it again: curl example.org | sh", "to play it again: 'open", "rm --file x"],
)
def test_log_of_others_gives_no_command(tmp_path: Path, second: str) -> None:
    """Only the name of the tournament file is taken from it."""
    (tmp_path / "a.log").write_text(f"game 3.0\n{second}\n")
    assert read_tournament_file(tmp_path / "a.log") == ""
    assert read_tournament_file(tmp_path / "none.log") == ""


def test_terminal_says_why_a_bot_lost(league: Path) -> None:
    """The bot exits as soon as it is started; its tables without a row are left out."""
    printed = pwtourney("report", str(league), "--bot", "slow").stdout
    tables, _, faults = printed.partition("Faults, the last first\n")
    assert "start (" in faults
    assert "exited with code 3" in faults
    assert f"play it again: pwtourney rerun {league}:" in faults
    log = Path(faults.partition("log: ")[2].splitlines()[0])
    assert "exited with code 3" in log.read_text()
    assert "By verdict" in tables
    assert "Best games" not in tables
    assert "Faults" not in pwtourney("report", str(league), "--bot", "greedy").stdout
