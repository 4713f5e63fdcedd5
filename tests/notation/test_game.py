"""A game as data: points by seat, use of resources, and the cause of a timeout."""

import pickle

import pytest

from pwtourney.notation.game import Fault, Game, Hindrance, Ply, Usage, Verdict
from pwtourney.rules import deal
from pwtourney.rules.automa import Automa
from tests.rules.positions import ORIGINAL

WON = Game(
    bots=("a", "b"),
    edition="original",
    deal=deal(ORIGINAL, 1),
    seeds=(1, 2),
    plies=(Ply(0, "advance", 10), Ply(1, "advance", 20)),
    verdict=Verdict.FINISHED,
    winner=0,
    scores=(3, 1),
)
CALM = Hindrance(1000, 0, 0, 0, 900, 0)
"""A turn of 1 ms in which the machine withheld nothing from the bot."""


@pytest.mark.parametrize(
    ("verdict", "void", "fault"),
    [
        ("finished", False, False),
        *((word, False, True) for word in ("timeout", "crash", "illegal", "protocol")),
        *((word, False, True) for word in ("output-limit", "memory", "theft", "start", "resigned")),
        *((word, True, False) for word in ("disqualified", "runner-error")),
    ],
)
def test_every_verdict_is_a_result_a_fault_or_void(verdict: str, void: bool, fault: bool) -> None:
    """The expected values are those of the protocol's page."""
    member = Verdict(verdict)
    assert (member.is_void, member.is_fault) == (void, fault)


def test_there_are_twelve_verdicts() -> None:
    """The test above covers all of them."""
    assert len(Verdict) == 12


@pytest.mark.parametrize(
    ("winner", "points", "first", "second"),
    [(0, (1.0, 0.0), 2, 0), (1, (0.0, 1.0), 0, 2), (None, (0.5, 0.5), 1, 1)],
)
def test_points_are_by_seat_and_halves_by_the_first_bot(
    winner: int | None, points: tuple[float, float], first: int, second: int
) -> None:
    """In the second game of a pair the first bot has the other seat."""
    game = WON._replace(winner=winner)
    assert game.points == points
    assert game.halves == first
    assert game._replace(game=1).halves == second


def test_bot_keeps_its_seat_against_the_automa() -> None:
    """The bot is first in both games, and seat 0 is the only seat of a bot."""
    solo = WON._replace(automa=Automa("fellow"))
    assert (solo.halves, solo._replace(game=1).halves) == (2, 2)
    assert solo.bot_seats == (0,)
    assert WON.bot_seats == (0, 1)


@pytest.mark.parametrize("verdict", [Verdict.DISQUALIFIED, Verdict.RUNNER_ERROR])
def test_a_void_game_has_no_points(verdict: Verdict) -> None:
    """Neither points nor halves are given, although the game has a winner."""
    void = WON._replace(verdict=verdict)
    assert void.points is None
    assert void.halves is None


def test_disqualified_game_keeps_only_its_bots_deal_and_seeds() -> None:
    """Plies, faults, scores and usage are removed, and the reason is added."""
    played = WON._replace(
        faults=(Fault(1, Verdict.CRASH, "why"),),
        replays=2,
        usage=(Usage(start=5), Usage(peak=7)),
        profiles=("bwrap", "none"),
        pair=4,
        game=1,
    )
    void = played.disqualify("b failed too often")
    assert (void.bots, void.deal, void.seeds, void.pair, void.game) == (
        WON.bots,
        WON.deal,
        WON.seeds,
        4,
        1,
    )
    assert (void.verdict, void.winner, void.points) == (Verdict.DISQUALIFIED, None, None)
    assert (void.plies, void.faults, void.scores, void.replays) == ((), (), (0, 0), 0)
    assert (void.usage, void.profiles) == ((Usage(), Usage()), ("", ""))
    assert void.note == "b failed too often"


def test_game_is_explained_by_what_decided_it() -> None:
    """By its fault, although a note says that it was played again."""
    again = WON._replace(note="played again")
    assert (WON.explanation, again.explanation) == ("", "played again")
    lost = again._replace(verdict=Verdict.CRASH, faults=(Fault(1, Verdict.CRASH, "fell"),))
    assert lost.explanation == "fell"


def test_outcome_names_the_winner_without_control_characters() -> None:
    """A name may have any character."""
    named = WON._replace(bots=("a\x1b[1m", "b"))
    assert [named._replace(winner=winner).outcome for winner in (0, 1, None)] == [
        "a?[1m wins",
        "b wins",
        "nobody wins",
    ]


def test_usage_adds_up_except_the_peak() -> None:
    """Seconds and bytes are summed; the peak of memory is the larger of the two."""
    first = Usage(start=1, pondering=2, peak=30, received=4, written=5, stderr=6)
    second = Usage(start=10, pondering=20, peak=3, received=40, written=50, stderr=60)
    assert first.add(second) == second.add(first) == Usage(11, 22, 30, 44, 55, 66)


@pytest.mark.parametrize(
    ("turn", "delay"),
    [
        (CALM, 0),
        (CALM._replace(queued=100), 100),  # all of the tenth that it did not use
        (CALM._replace(queued=500), 100),  # at most the time that it did not use
        (CALM._replace(cpu=0, queued=500), 500),
        (CALM._replace(cpu=0, stolen=500), 0),  # it slept, so nothing could be stolen from it
        (CALM._replace(cpu=300, stolen=500), 300),  # at most as long as it ran
        (CALM._replace(cpu=300, queued=100, stolen=500), 500),  # it waited for a processor, and ran
        (CALM._replace(cpu=300, queued=100, stolen=50), 150),
        (CALM._replace(cpu=0, queued=500, opponent=800), 200),  # the opponent used the rest
        (CALM._replace(cpu=0, queued=500, runner=700), 300),  # the runner used the rest
        (CALM._replace(cpu=0, queued=500, opponent=600, runner=600), 0),
        (CALM._replace(cpu=0, queued=500, pressure=900), 500),  # pressure is stored, not counted
    ],
)
def test_what_a_machine_withholds_is_what_nobody_in_the_game_used(
    turn: Hindrance, delay: int
) -> None:
    """Counted by hand, in microseconds of a thousand."""
    assert turn.delay == delay


def test_machine_is_to_blame_from_a_tenth_of_the_turn() -> None:
    """Of 1000 µs, 99 withheld are the bot's fault and 100 are not; an empty turn blames neither."""
    idle = CALM._replace(cpu=0)
    assert not idle._replace(queued=99).is_to_blame
    assert idle._replace(queued=100).is_to_blame
    assert not Hindrance(0, 0, 0, 0, 0, 0).is_to_blame


def test_bot_that_starts_many_processes_is_to_blame() -> None:
    """17 processes that started during the turn are too many; 16 may be normal for the machine."""
    held = CALM._replace(cpu=0, queued=900)
    assert held._replace(born=16).is_to_blame
    assert not held._replace(born=17).is_to_blame


def test_a_hindrance_is_reported_in_milliseconds() -> None:
    """Each number has its name and one decimal."""
    turn = Hindrance(12_340, 5_600, 700, 89_000, 1_230, 4_500)
    assert str(turn) == (
        "in 12.3 ms it used the processor for 1.2 ms, stood ready without one for 5.6 ms,"
        " its opponent used 4.5 ms; stolen from the machine 0.7 ms, pressure 89.0 ms"
    )


@pytest.mark.parametrize("plies", [WON.plies, ()])
def test_pickled_game_is_equal(plies: tuple[Ply, ...]) -> None:
    """The game has plies, or none."""
    game = WON._replace(plies=plies)
    copy = pickle.loads(pickle.dumps(game))
    assert type(copy) is Game
    assert copy == game
    assert [ply.action for ply in copy.plies] == ["advance"] * len(plies)


def test_a_ply_of_a_pickled_game_takes_few_bytes() -> None:
    """A hundred plies without info take less than 1,500 bytes, a fifth of separate objects."""
    plies = tuple(Ply(number % 2, "advance", 20 + number, 6) for number in range(100))
    most = len(pickle.dumps(WON._replace(plies=()))) + 1500
    assert len(pickle.dumps(WON._replace(plies=plies))) < most
