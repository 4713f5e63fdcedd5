"""Whole games with real processes: verdicts, clocks, and no process left behind."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pwtourney.bots.names import file_bot
from pwtourney.clock import TimeControl
from pwtourney.match import play_game
from pwtourney.notation import read_action
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Edition, State
from pwtourney.sandbox.launch import Launch
from pwtourney.sandbox.orphans import become_subreaper, children
from tests.match.helpers import FRUGAL, GREEDY, LIMITS, RANDOM, bot, setup
from tests.rules.positions import EDITIONS, ORIGINAL
from tests.thorough import thorough_but

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Become a subreaper, as every runner does, and check that no new child is left."""
    become_subreaper()
    before = set(children())
    yield
    assert set(children()) <= before


def replayed(game: Game, edition: Edition) -> State:
    """Return the last position of a game, replayed through the rules."""
    state = State.start(edition, game.deal)
    for ply in game.plies:
        assert ply.seat == state.to_move
        state = state.apply(read_action(ply.action, state))
    return state


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.slow
def test_a_game_is_played_to_its_end_and_replays_to_the_same_result(edition: Edition) -> None:
    """Bundled bots finish in every edition, and the record has the winner and the scores."""
    game = play_game(setup(GREEDY, RANDOM, 3, edition))
    assert (game.verdict, game.faults) == (Verdict.FINISHED, ())
    state = replayed(game, edition)
    assert (state.winner, state.scores) == (game.winner, game.scores)
    assert all(ply.micros > 0 for ply in game.plies)


@pytest.mark.slow
def test_the_same_seeds_give_the_same_game() -> None:
    """Bots that use their seed repeat every action."""
    first, second = (play_game(setup(RANDOM, FRUGAL, 5)) for _ in range(2))
    assert [ply.action for ply in first.plies] == [ply.action for ply in second.plies]
    other = play_game(setup(RANDOM, FRUGAL, 5)._replace(seeds=(12, 22)))
    assert [ply.action for ply in other.plies] != [ply.action for ply in first.plies]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "verdict", "message"),
    [
        ("hang", Verdict.TIMEOUT, "did not answer in time"),
        ("drip", Verdict.TIMEOUT, "did not answer in time"),
        ("stop", Verdict.TIMEOUT, "did not answer in time"),
        ("crash", Verdict.CRASH, "exited with code 3"),
        ("killed", Verdict.CRASH, "was killed by signal SIGSEGV"),
        ("close_stdout", Verdict.CRASH, "closed its standard output"),
        ("nonsense", Verdict.PROTOCOL, "'please' is not an action"),
        ("escape", Verdict.PROTOCOL, "control character"),
        ("twice", Verdict.PROTOCOL, "spoke out of turn"),
        ("illegal", Verdict.ILLEGAL, "'leather:a1': there is no special patch to place"),
        ("flood", Verdict.OUTPUT_LIMIT, "wrote a line of over 65536 bytes"),
        ("deep", Verdict.PROTOCOL, "'nonsense' is not an action"),
        ("orphan", Verdict.CRASH, "exited with code 5"),
        ("answers_and_leaves", Verdict.CRASH, "exited with code 6"),
        ("blank_flood", Verdict.OUTPUT_LIMIT, "bytes while nothing was asked"),
        ("flood_lines", Verdict.OUTPUT_LIMIT, "wrote over 1048576 bytes in one game"),
        ("silent", Verdict.START, "did not answer in time"),
        ("exits", Verdict.START, "exited with code 7"),
    ],
)
@pytest.mark.parametrize("seat", thorough_but([1], [0, 1]))
def test_a_bot_that_fails_loses_with_its_verdict_and_the_other_wins(
    way: str, verdict: Verdict, message: str, seat: int
) -> None:
    """The failing bot has either seat; the reason is kept and the honest bot gets the point."""
    limits = LIMITS._replace(start_ms=400) if way == "silent" else LIMITS
    # a bot that floods between turns must not be asked before it has flooded
    opponent = "thinks" if way == "blank_flood" else "honest"
    bots = [bot(opponent), bot(opponent)]
    move_ms = 300 if verdict is Verdict.TIMEOUT else 10_000
    bots[seat] = bot(way, move_ms=move_ms, limits=limits)
    game = play_game(setup(bots[0], bots[1]))
    assert game.verdict is verdict
    assert [(fault.seat, fault.verdict) for fault in game.faults] == [(seat, verdict)]
    assert message in game.faults[0].message
    assert game.winner == 1 - seat
    assert game.points == ((0, 1) if seat == 0 else (1, 0))


@pytest.mark.slow
def test_incoming_bytes_do_not_extend_a_deadline() -> None:
    """A bot that sends a byte every 20 ms still times out after 300 ms."""
    started = time.monotonic()
    game = play_game(setup(bot("drip", move_ms=300), bot("honest")))
    assert game.verdict is Verdict.TIMEOUT
    assert time.monotonic() - started < 30


def test_stderr_of_a_bot_is_kept_with_its_fault() -> None:
    """The author finds the reason of a crash there."""
    game = play_game(setup(bot("crash"), bot("honest")))
    assert game.faults[0].stderr == "something went wrong\n"


@pytest.mark.slow
def test_standard_error_is_drained_and_bounded() -> None:
    """Two mebibytes a move do not block the game."""
    game = play_game(setup(bot("noisy"), bot("honest")))
    assert game.verdict is Verdict.FINISHED


@pytest.mark.slow
@pytest.mark.parametrize("way", ["honest", "daemon"])
def test_children_of_other_threads_are_left_alone(way: str) -> None:
    """A thread of the runner may start a program during a game, even next to bots with daemons."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(state: State, ply: Ply) -> None:
        if len(begun) < 2:
            begun.append(subprocess.Popen(["sleep", "60"]))

    try:
        assert play_game(setup(bot(way), bot("honest")), begin).verdict is Verdict.FINISHED
        assert [process.poll() for process in begun] == [None, None]
    finally:
        for process in begun:
            process.kill()
            process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stays", "ignores_terminate", "daemon"])
def test_bots_that_refuse_to_exit_are_ended(way: str) -> None:
    """They ignore quit, ignore signals or leave a daemon; no process is left after the game."""
    assert play_game(setup(bot(way), bot("honest"))).verdict is Verdict.FINISHED


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("/no/such/program",), "cannot start /no/such/program: it does not exist"),
        ((__file__,), "it is not executable"),
        ((sys.executable, "-c", "syntax error"), "exited with code 1"),
        ((sys.executable, "-c", "import no_such_module"), "exited with code 1"),
    ],
)
def test_a_bot_that_cannot_start_loses_with_the_verdict_start(
    command: tuple[str, ...], message: str
) -> None:
    """The program is missing, not executable, or fails before its first line."""
    broken = bot("honest")._replace(id="broken", launch=Launch(command))
    game = play_game(setup(bot("honest"), broken))
    assert (game.verdict, game.winner) == (Verdict.START, 0)
    assert message in game.faults[0].message


def test_two_bots_that_both_cannot_start_share_the_point() -> None:
    """A game in which both bots fail at the start has no winner."""
    broken = bot("honest")._replace(id="broken", launch=Launch(("/no/such/program",)))
    game = play_game(setup(broken, broken))
    assert (len(game.faults), game.winner, game.points) == (2, None, (0.5, 0.5))


@pytest.mark.slow
def test_options_reach_the_bot_and_wrong_ones_are_reported() -> None:
    """An unknown option or an invalid value is a failed start."""
    fine = bot("honest")._replace(options=(("depth", "5"),))
    assert play_game(setup(fine, bot("honest"))).verdict is Verdict.FINISHED
    for options, message in (
        ((("width", "5"),), "the config sets width, but the bot's options are depth"),
        ((("depth", "50"),), "the config sets depth to '50': it must be from 1 to 9"),
    ):
        game = play_game(setup(fine._replace(options=options), bot("honest")))
        assert (game.verdict, game.faults[0].message) == (Verdict.START, message)


@pytest.mark.serial
def test_a_game_clock_runs_out_over_several_moves() -> None:
    """At 40 ms a move, 300 ms are too short for a game; with an increment they suffice."""
    slow = Path(__file__).parent / "slow_bot.py"
    launch = Launch((sys.executable, "-I", "-m", "pwtourney.sdk", str(slow)))
    base = bot("honest", name="slow")._replace(launch=launch)
    short = base._replace(control=TimeControl(game_ms=300))
    game = play_game(setup(short, bot("honest")))
    assert game.verdict is Verdict.TIMEOUT
    assert sum(ply.micros for ply in game.plies if ply.seat == 0) < 300_000
    enough = base._replace(control=TimeControl(game_ms=300, increment_ms=1000))
    assert play_game(setup(enough, bot("honest"))).verdict is Verdict.FINISHED


@pytest.mark.slow
def test_a_watcher_sees_every_ply() -> None:
    """The callback receives each position."""
    seen: list[State] = []
    game = play_game(setup(FRUGAL, RANDOM), lambda state, _: seen.append(state))
    assert len(seen) == len(game.plies)
    assert seen[-1] == replayed(game, ORIGINAL)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["crash", "deep", "daemon"])
def test_scratch_folders_are_removed(tmp_path: Path, way: str) -> None:
    """Each bot runs in its own folder, which is removed with everything in it."""
    play_game(setup(FRUGAL, bot(way)), scratch_root=str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_a_scratch_folder_is_not_followed(tmp_path: Path) -> None:
    """The target of the link keeps its files and their permissions."""
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine")
    (victim / "file").chmod(0o400)
    game = play_game(setup(bot("link"), bot("honest")), scratch_root=str(tmp_path))
    assert game.verdict is Verdict.PROTOCOL
    assert (victim / "file").stat().st_mode & 0o777 == 0o400
    assert not [path for path in tmp_path.iterdir() if path.is_symlink()]


@pytest.mark.slow
def test_info_may_have_characters_of_any_script() -> None:
    """Only control characters are forbidden; the info is kept with the ply."""
    game = play_game(setup(bot("symbols"), bot("honest")))
    assert game.verdict is Verdict.FINISHED
    assert any("\u559c" in ply.info for ply in game.plies)


@pytest.mark.slow
def test_a_bot_that_depends_on_hashes_is_deterministic(tmp_path: Path) -> None:
    """The registry disables hash randomisation in the bots that it starts."""
    (tmp_path / "hashy.py").write_text(
        "from pwtourney.sdk import Bot\n"
        "class Hashy(Bot):\n"
        "    def choose(self, turn):\n"
        "        actions = turn.state.legal_actions()\n"
        "        return actions[hash('x' * len(actions)) % len(actions)]\n"
    )
    hashy = RANDOM._replace(id="hashy", launch=file_bot("hashy.py", tmp_path).launch)
    first, second = (play_game(setup(hashy, bot("honest"))) for _ in range(2))
    assert [ply.action for ply in first.plies] == [ply.action for ply in second.plies]
    assert first.verdict is Verdict.FINISHED


@pytest.mark.slow
def test_clock_of_weeks_works() -> None:
    """Waits longer than the system's maximum are split."""
    patient = bot("honest", move_ms=2**40)
    assert play_game(setup(patient, bot("honest"))).verdict is Verdict.FINISHED


@pytest.mark.slow
def test_runner_out_of_descriptors_is_not_a_fault_of_a_bot() -> None:
    """When no more files can be opened, an OSError is raised and neither bot loses."""
    code = (
        "import os, resource, sys\n"
        "from tests.match.helpers import bot, setup\n"
        "from pwtourney.match import play_game\n"
        "game = setup(bot('honest'), bot('honest'))\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))\n"
        "held = [os.open('/dev/null', os.O_RDONLY) for _ in range(48)]\n"
        "while len(os.listdir('/proc/self/fd')) < 58: held.append(os.dup(0))\n"
        "try: play_game(game)\n"
        "except OSError as error: sys.exit(42)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, timeout=60, capture_output=True, check=False
    )
    assert done.returncode == 42, done.stderr


@pytest.mark.slow
def test_bot_limits_do_not_exceed_those_of_the_runner() -> None:
    """If the runner's limits are lower, bots get those and the game is played."""
    code = (
        "import resource\n"
        "from tests.match.helpers import bot, setup\n"
        "from pwtourney.match import play_game\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\n"
        "print(play_game(setup(bot('honest'), bot('honest'))).verdict)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        timeout=60,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "finished"


@pytest.mark.slow
def test_bot_does_not_play_an_edition_that_it_does_not_claim(tmp_path: Path) -> None:
    """It loses by a failed start that names the edition, before the game begins."""
    (tmp_path / "only.py").write_text(
        "from pwtourney.sdk import ADVANCE, Bot\n"
        "class Only(Bot):\n"
        "    editions = ('original',)\n"
        "    def choose(self, turn): return turn.state.legal_actions()[0]\n"
    )
    only = RANDOM._replace(id="only", launch=file_bot("only.py", tmp_path).launch)
    assert play_game(setup(only, RANDOM)).verdict is Verdict.FINISHED
    game = play_game(setup(only, RANDOM, edition=EDITIONS[-1]))
    assert (game.verdict, game.winner) == (Verdict.START, 1)
    assert game.faults[0].message == "the bot plays only original, not express"


@pytest.mark.slow
def test_stderr_written_just_before_an_answer_is_kept() -> None:
    """The bot writes it before its answer, so it is read before the answer is checked."""
    for seed in range(4):
        game = play_game(setup(bot("explains"), bot(), seed))
        assert game.faults[0].stderr == "I see no way out\n"
        assert game.usage[0].stderr == len(game.faults[0].stderr)
