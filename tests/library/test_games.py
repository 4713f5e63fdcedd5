"""Single games played by a program."""

import sys
from functools import partial
from pathlib import Path

import pytest

import pwtourney
from pwtourney.rules import State, deal, find_edition
from tests.tournament.test_run import MISBEHAVING

pytestmark = pytest.mark.slow(2)


@pytest.mark.thorough
def test_play_game_returns_a_game_that_replays_by_the_rules() -> None:
    """The deal is that of the seed, and the scores are those of the last position."""
    from pwtourney.notation import read_action

    edition = find_edition("express")
    game = pwtourney.play_game("frugal", "random", edition="express", deal=7)
    assert isinstance(game, pwtourney.Game)
    assert game.bots == ("frugal", "random")
    assert game.deal == deal(edition, 7)
    state = State.start(edition, 7)
    for ply in game.plies:
        assert ply.seat == state.to_move
        state = state.apply(read_action(ply.action, state))
    assert state.is_over
    assert (game.scores, game.winner) == (state.scores, state.winner)
    assert game.verdict is pwtourney.Verdict.FINISHED
    with pytest.raises(AttributeError):
        game.winner = 0  # type: ignore[misc]


@pytest.mark.thorough
def test_same_deal_gives_the_same_game_in_two_threads() -> None:
    """Bots get their seeds from that of the deal; two games may run at once."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        play = partial(pwtourney.play_game, "random", "random", edition="express", deal=3)
        both = [pool.submit(play) for _ in range(2)]
        first, second = (future.result() for future in both)
    assert first.bots == ("random-1", "random-2")
    assert [ply.action for ply in first.plies] == [ply.action for ply in second.plies]


@pytest.mark.thorough
def test_failing_bot_loses_without_an_exception() -> None:
    """The fault has its seat and verdict."""
    broken = f"{sys.executable} -S {MISBEHAVING} exits"
    game = pwtourney.play_game(broken, "random", move="1s", sandbox="none", trusted=True)
    (fault,) = game.faults
    assert (fault.seat, fault.verdict, game.winner) == (0, pwtourney.Verdict.START, 1)


@pytest.mark.thorough
def test_automa_takes_the_second_seat() -> None:
    """Its plies are cards, and the default edition is one that it can play."""
    game = pwtourney.play_game("frugal", "automa:1:tactical", deal=2**63, move=None)
    assert game.bots == ("frugal", "automa")
    assert game.edition == "anniversary"
    assert game.automa is not None
    assert game.automa.tactical


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"second": "nobody"}, "nobody"),
        ({"second": "human"}, "human"),
        ({"deal": -1}, "deal: -1 is not from 0"),
        ({"move": "soon"}, "move: "),
        ({"move": "0ms"}, "at least 1ms"),
        ({"sandbox": "some"}, "sandbox: 'some' is none of auto"),
        ({"edition": "nowhere"}, "nowhere"),
        ({"second": "automa:9"}, "the Automa has no level '9'"),
        ({"second": "automa:1", "edition": "express"}, "no special tile"),
    ],
)
def test_invalid_arguments_of_play_game_are_errors(call: dict[str, object], message: str) -> None:
    """The error comes from the playing process, with the message of the command."""
    with pytest.raises((pwtourney.UsageError, pwtourney.EditionError), match=message):
        pwtourney.play_game(**{"first": "random", "second": "random", **call})  # type: ignore[arg-type]


IDLER = """
import sys, threading, time

def ponder():
    while time.monotonic() < end: pass

end = time.monotonic() + 10
if sys.argv[1] == "ponders":
    threading.Thread(target=ponder, daemon=True).start()
for line in sys.stdin:
    word, *rest = line.split() or [""]
    if word == "pwtp": print("feature legal\\nready", flush=True)
    elif word == "end": print("ready", flush=True)
    elif word == "legal": legal = rest
    elif word == "go":
        if sys.argv[1] == "sleeps": time.sleep(0.05)
        print("move", legal[0], flush=True)
    elif word == "quit": break
"""


@pytest.mark.serial  # CPU time until the stop counts, which comes late on a busy machine
@pytest.mark.skipif(sys.platform != "linux", reason="nothing is measured elsewhere")
@pytest.mark.parametrize("trusted", [False, True])
def test_untrusted_command_is_suspended_between_its_turns(tmp_path: Path, *, trusted: bool) -> None:
    """This is as in a tournament; a trusted bot is only measured."""
    program = tmp_path / "idler.py"
    program.write_text(IDLER)
    ponders, sleeps = (f"{sys.executable} {program} {how}" for how in ("ponders", "sleeps"))
    game = pwtourney.play_game(
        ponders, sleeps, edition="express", deal=3, sandbox="none", trusted=trusted
    )
    turns = sum(ply.seat == 1 for ply in game.plies)
    assert game.verdict is pwtourney.Verdict.FINISHED
    assert turns >= 10
    slept_ms = 50 * turns
    # a process is stopped some milliseconds late on a busy machine, and gets half a core at least
    ponders_much = game.usage[0].pondering / 1000 > slept_ms / 5
    assert ponders_much == trusted
