"""Arithmetic of time controls."""

from pwtourney.clock import Allowance, Clock, Limit, TimeControl

MS = 1_000_000


def test_move_time_is_the_same_for_every_move() -> None:
    """The time of one move does not affect the next."""
    clock = Clock.start((TimeControl(move_ms=50), TimeControl(move_ms=70)))
    later = clock.spend(0, 49 * MS)
    assert (later.allowance(0).wall_ns, later.allowance(1).wall_ns) == (50 * MS, 70 * MS)
    assert later.limit(1) == Limit(move_ms=70)


def test_game_clock_runs_down_and_gains_the_increment() -> None:
    """1000 ms − 300 ms + 20 ms = 720 ms; the other clock stands still."""
    control = TimeControl(game_ms=1000, increment_ms=20)
    clock = Clock.start((control, control)).spend(1, 300 * MS)
    assert clock.left_ns == (1000 * MS, 720 * MS)
    assert clock.allowance(1).wall_ns == 720 * MS
    assert clock.limit(1) == Limit(None, 720, 1000, 20)
    assert clock.limit(0) == Limit(None, 1000, 720, 20)


def test_expired_clock_keeps_no_debt() -> None:
    """100 ms − 150 ms is 0, so an increment of 20 ms leaves 20 ms and not −30 ms.

    The times of `go clock` in the protocol have no sign.
    """
    control = TimeControl(game_ms=100, increment_ms=20)
    clock = Clock.start((control, control)).spend(0, 150 * MS)
    assert clock.left_ns == (20 * MS, 100 * MS)
    assert clock.limit(0) == Limit(None, 20, 100, 20)
    without = control._replace(increment_ms=0)
    assert Clock.start((without, without)).spend(1, 150 * MS).limit(1).mine_ms == 0


def test_milliseconds_are_rounded_down_for_the_bot() -> None:
    """A bot never gets a time that is longer than it has."""
    control = TimeControl(game_ms=10)
    clock = Clock.start((control, control)).spend(0, 1)
    assert clock.limit(0) == Limit(None, 9, 10)
    limit = clock.limit(1)
    assert limit == Limit(None, 10, 9)
    assert isinstance(limit.theirs_ms, int)  # it is written into a line of the protocol


def test_no_time_control_gives_no_limit() -> None:
    """Untimed moves have no deadline."""
    clock = Clock.start((TimeControl(), TimeControl()))
    assert clock.allowance(0) == Allowance(None, None)
    assert clock.limit(0) == Limit()


def test_each_bot_may_have_its_own_time_control() -> None:
    """A move time against a game clock: each gets its own kind, in both orders of seats."""
    controls = TimeControl(move_ms=5), TimeControl(game_ms=800)
    clock = Clock.start(controls)
    assert clock.left_ns == (0, 800 * MS)
    assert clock.limit(0) == Limit(move_ms=5)
    assert clock.limit(1) == Limit(None, 800, 0, 0)
    turned = Clock.start((controls[1], controls[0]))
    assert turned.left_ns == (800 * MS, 0)
    assert turned.limit(0) == Limit(None, 800, 0, 0)
    assert turned.limit(1) == Limit(move_ms=5)


def test_text_of_a_time_control() -> None:
    """With CPU time, ten times as much wall time may pass, unless `wall_ms` is set."""
    assert [
        str(control)
        for control in (
            TimeControl(),
            TimeControl(move_ms=5),
            TimeControl(game_ms=800),
            TimeControl(game_ms=800, increment_ms=7),
            TimeControl(move_ms=5, cpu=True),
            TimeControl(game_ms=800, increment_ms=7, cpu=True, wall_ms=90),
        )
    ] == [
        "no limit",
        "5 ms a move",
        "800 ms a game + 0 ms a move",
        "800 ms a game + 7 ms a move",
        "5 ms a move of the processor, within 10 times that",
        "800 ms a game + 7 ms a move of the processor, within 90 ms a move",
    ]


def test_clock_of_cpu_time_runs_down_by_the_time_used() -> None:
    """200 ms of CPU time in 900 ms of wall time take 200 ms from the clock."""
    control = TimeControl(game_ms=1000, cpu=True)
    clock = Clock.start((control, control))
    assert clock.allowance(0) == Allowance(10_000 * MS, 1000 * MS)
    later = clock.spend(0, 900 * MS, 200 * MS)
    assert later.left_ns == (800 * MS, 1000 * MS)
    assert clock.spend(0, 900 * MS) == clock  # no CPU time was used
    assert later.allowance(0).cpu_ns == 800 * MS
    capped = Clock.start((control._replace(wall_ms=70), control))
    assert capped.allowance(0) == Allowance(70 * MS, 1000 * MS)


def test_late_answer_is_allowed_and_not_told() -> None:
    """The time counts once for each limit, and does not lengthen the wall time tenfold."""
    control = TimeControl(move_ms=50)
    clock = Clock.start((control, control._replace(cpu=True)), 7)
    assert clock.allowance(0) == Allowance(57 * MS, None)
    assert clock.allowance(1) == Allowance(507 * MS, 57 * MS)
    assert clock.limit(0) == clock.limit(1) == Limit(move_ms=50)
    assert clock.spend(0, 60 * MS).allowance(0) == clock.allowance(0)
