"""The simulator equals the rules: the same games, action by action and in one call."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pwtourney.errors import IllegalActionError
from pwtourney.rules import Edition, SplitMix64, State, edition_names, find_edition
from pwtourney.simulate import Simulator, seeds_from
from pwtourney.simulate.compile_cache import GAME, KERNEL, MOST_SQUARES, fingerprint
from pwtourney.simulate.games import follow, playouts
from tests.bundled.compiling import COMPILED
from tests.rules.walks import walks
from tests.sandbox.helpers import read_only

EDITIONS = [find_edition(name) for name in edition_names()]
GAMES = 1000
pytestmark = [pytest.mark.slow, *COMPILED]
HITS_AND_MISSES = """
from pwtourney.rules import State, find_edition
from pwtourney.simulate import Simulator
start = State.start(find_edition('original'), 1)
Simulator(start.edition).playouts(start, 1, 1)
from pwtourney.simulate import games
stats = games.playouts.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""
"""Plays a game, and prints how often numba found compiled code in its cache, and how often not."""
every_edition = pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.name)


def count_hits_and_misses(before: Sequence[str] = (), **environment: str) -> str:
    """Run the program above, with a command before it or with more environment variables."""
    return subprocess.run(
        [*before, sys.executable, "-c", HITS_AND_MISSES],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def play_by_chance(state: State, seed: int) -> tuple[State, int]:
    """Play random legal actions; return the final position and the number of plies."""
    stream, plies = SplitMix64(seed), 0
    while total := len(actions := state.legal_actions()):
        state = state.apply(actions[stream.below(total)])
        plies += 1
    return state, plies


@pytest.mark.thorough
@pytest.mark.timeout(300)  # the first one compiles
@every_edition
def test_thousands_of_games_equal_the_rules_step_by_step(edition: Edition) -> None:
    """Positions of the compiled game equal those of the rules, halfway and at the end."""
    simulator = Simulator(edition, compiled=True)
    for seed in range(GAMES):
        stream = SplitMix64(seed)
        start = state = State.start(edition, seed)
        path: list[int] = []
        halfway = stream.below(50)
        while total := len(state.legal_actions()):
            path.append(stream.below(total))
            state = state.apply(state.legal_actions()[path[-1]])
            if len(path) == halfway:
                assert simulator.follow(start, path) == state
        assert simulator.follow(start, path) == state
        with pytest.raises(IllegalActionError, match="there are 0 legal actions, and no number 0"):
            simulator.follow(start, [*path, 0])


@pytest.mark.timeout(300)
@every_edition
@pytest.mark.parametrize("policy", [False, True], ids=["chance", "policy"])
def test_whole_games_of_a_seed_equal_the_rules(edition: Edition, policy: bool) -> None:
    """Scores, winners and plies of playouts are equal, with late patches known and hidden."""
    start = State.start(edition, 81)
    for state in {start, start.hide_late()}:
        fast = Simulator(edition, compiled=True).playouts(state, 100, seed=5, policy=policy)
        slow = Simulator(edition, compiled=False).playouts(state, 100, seed=5, policy=policy)
        for left, right in zip(fast, slow, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.timeout(300)
@settings(max_examples=200, deadline=None)
@given(state=walks(), seed=st.integers(0, 2**64 - 1), policy=st.booleans())
def test_games_continue_from_any_position(state: State, seed: int, policy: bool) -> None:
    """They may have special patches pending, quilts nearly full, or be over, as in the rules."""
    fast = Simulator(state.edition, compiled=True).playouts(state, 1, seed, policy=policy)
    slow = Simulator(state.edition, compiled=False).playouts(state, 1, seed, policy=policy)
    for left, right in zip(fast, slow, strict=True):
        np.testing.assert_array_equal(left, right)


def test_numba_notices_changes_of_inlined_functions() -> None:
    """The fingerprint of all other files is in the closure of every function that numba caches."""
    for function in (playouts, follow):
        held = [cell.cell_contents for cell in function.py_func.__closure__]
        assert held == [fingerprint(KERNEL)]
    assert {path.name for path in GAME} == {"kernel.py", "games.py"}


def test_seeds_are_those_of_splitmix64() -> None:
    """The rules' `SplitMix64` draws the same numbers one after another."""
    stream = SplitMix64(2014)
    assert seeds_from(2014, 5).tolist() == [stream.next() for _ in range(5)]


@every_edition
def test_policy_plays_better_than_chance(edition: Edition) -> None:
    """Both seats score more: the means of 1,000 games differ by far more than their errors."""
    simulator = Simulator(edition)
    start = State.start(edition, 4)
    chance = simulator.playouts(start, GAMES, 1).scores
    policy = simulator.playouts(start, GAMES, 1, policy=True).scores
    error = np.sqrt((chance.var(axis=0) + policy.var(axis=0)) / GAMES)
    assert (policy.mean(axis=0).sum() - chance.mean(axis=0).sum()) > 4 * error.sum()


def test_large_boards_are_played_by_the_rules() -> None:
    """The arrays have 128 squares; for larger boards the results are those of the rules."""
    wide = find_edition("original").replace(name="wide", rows=12, columns=12)
    assert wide.rows * wide.columns > MOST_SQUARES
    simulator = Simulator(wide)
    assert not simulator.is_compiled
    state = State.start(wide, 1)
    scores, winners, plies = simulator.playouts(state, 2, 3)
    for game, seed in enumerate(seeds_from(3, 2)):
        end, count = play_by_chance(state, int(seed))
        assert (tuple(scores[game]), winners[game], plies[game]) == (end.scores, end.winner, count)
    assert simulator.follow(state, [0]) == state.apply(state.legal_actions()[0])
    with pytest.raises(ValueError, match="at most 128 squares; those of wide have 144"):
        Simulator(wide, compiled=True)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "rules"])
def test_invalid_number_of_an_action_is_refused(compiled: bool) -> None:
    """Too large for any array, negative, or not an integer: both ways raise the same errors."""
    state = State.start(find_edition("original"), 1)
    simulator = Simulator(state.edition, compiled=compiled)
    for number in (2**70, -(2**70), -1):
        with pytest.raises(IllegalActionError, match=f"and no number {number}"):
            simulator.follow(state, [0, number])
    with pytest.raises(TypeError):
        simulator.follow(state, [0.9])  # type: ignore[list-item]


def test_path_needs_known_late_patches() -> None:
    """Compiled or not, a hidden order is refused."""
    hidden = State.start(find_edition("express"), 1).hide_late()
    for compiled in (True, False):
        with pytest.raises(ValueError, match="the order of late patches is hidden"):
            Simulator(hidden.edition, compiled=compiled).follow(hidden, [0])


def test_position_of_another_edition_is_refused() -> None:
    """Its patches have other numbers, so the games would differ."""
    simulator = Simulator(find_edition("original"))
    other = State.start(find_edition("express"), 1)
    with pytest.raises(ValueError, match="this is for original, not for express"):
        simulator.playouts(other, 1, 1)
    with pytest.raises(ValueError, match="this is for original, not for express"):
        simulator.follow(other, [0])


def test_without_numba_the_rules_play_with_a_warning() -> None:
    """If numba cannot be imported, a warning names the remedy, and the games are the same."""
    code = (
        "import sys, warnings\n"
        "sys.modules['numba'] = None\n"
        "from pwtourney.rules import State, find_edition\n"
        "from pwtourney.simulate import Simulator\n"
        "start = State.start(find_edition('express'), 1)\n"
        "simulator = Simulator(start.edition)\n"
        "assert not simulator.is_compiled\n"
        "print(simulator.playouts(start, 3, 9).scores.tolist())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{sys.executable} -m pip install numba" in done.stderr
    start = State.start(find_edition("express"), 1)
    assert done.stdout.strip() == str(
        Simulator(start.edition).playouts(start, 3, 9).scores.tolist()
    )


@pytest.mark.timeout(300)
@pytest.mark.thorough
@pytest.mark.slow(8)
def test_compiled_code_is_used_on_a_read_only_disk(
    tmp_path: Path,
    needs: Callable[[str], None],
) -> None:
    """In a sandbox with read-only disks, all compiled code is found in the cache."""
    needs("bwrap")
    assert count_hits_and_misses(read_only(tmp_path)) == "1 0"


@pytest.mark.thorough
def test_bot_is_prepared_with_code_compiled_before(tmp_path: Path) -> None:
    """Its cache gets numba's files from next to the source, and nothing is compiled again."""
    assert count_hits_and_misses(PWTOURNEY_CACHE=str(tmp_path)) == "1 0"
    assert list(tmp_path.glob("numba/simulate_*/games.*playouts-*.nbc"))


@pytest.mark.thorough
def test_complete_cache_is_not_written_to_in_a_game(tmp_path: Path) -> None:
    """Not even by root, who could: other games read it at the same time."""
    tmp_path.chmod(0o555)  # the mode that the preparation leaves
    assert count_hits_and_misses(PWTOURNEY_CACHE=str(tmp_path)) == "1 0"
    assert list(tmp_path.iterdir()) == []


def test_numba_uses_a_cache_next_to_the_source_by_default(tmp_path: Path) -> None:
    """A new installation has no cache folder, but one can be made next to the source."""
    source = tmp_path / "new.py"
    code = (
        "import sys, pathlib, numba\n"
        "from pwtourney.simulate.compile_cache import bring_along\n"
        "bring_along(pathlib.Path(sys.argv[1]))\n"
        "print(repr(numba.config.CACHE_DIR))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, source], capture_output=True, text=True, check=True
    )
    assert done.stdout == "''\n"


def test_without_a_writable_folder_the_rules_play_with_a_warning(
    needs: Callable[[str], None],
) -> None:
    """If every folder is read-only, the warning has the reason, and the games are the same."""
    needs("bwrap")
    code = (
        "import os; os.chdir('/')\n"
        "from pwtourney.rules import State, find_edition\n"
        "from pwtourney.simulate import Simulator\n"
        "start = State.start(find_edition('express'), 1)\n"
        "print(Simulator(start.edition).playouts(start, 3, 9).scores.tolist())\n"
    )
    sandbox = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--remount-ro", "/dev"]
    sandbox += ["--proc", "/proc", "--setenv", "HOME", "/nowhere"]
    done = subprocess.run(
        [*sandbox, sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "numba has no folder to write to" in done.stderr
    start = State.start(find_edition("express"), 1)
    assert done.stdout.strip() == str(
        Simulator(start.edition).playouts(start, 3, 9).scores.tolist()
    )
