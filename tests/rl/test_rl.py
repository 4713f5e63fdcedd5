"""The reinforcement-learning environments pass PettingZoo's and Gymnasium's own tests."""

import subprocess
import sys
import warnings
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st
from pettingzoo.test import api_test, render_test, seed_test
from pwtourney_bots.greedy import Greedy

from pwtourney.errors import IllegalActionError
from pwtourney.rl import Encoding, PatchworkEnv, env, raw_env
from pwtourney.rules import Edition, SplitMix64, State
from pwtourney.testing import Scripted
from tests.rules.positions import EDITIONS, EXPRESS, ORIGINAL
from tests.rules.walks import walks

ENCODINGS = {edition.name: Encoding(edition) for edition in EDITIONS}


@pytest.fixture(autouse=True)
def no_warnings_of_theirs() -> Iterator[None]:
    """Turn warnings of PettingZoo and Gymnasium into failures, except for irrelevant ones."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        # Raised for every environment with a mask that is not one of PettingZoo's own.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        yield


@pytest.mark.parametrize("edition", EDITIONS)
def test_pettingzoo_api_test_passes(edition: Edition) -> None:
    """In every edition, over a hundred cycles."""
    api_test(env(edition), num_cycles=100)
    api_test(raw_env(edition, reward="margin"), num_cycles=100)


@pytest.mark.parametrize("edition", [ORIGINAL, EXPRESS])
def test_pettingzoo_seed_test_passes(edition: Edition) -> None:
    """The same seed gives the same game, step by step."""
    seed_test(lambda: env(edition), num_cycles=120)


def test_pettingzoo_render_test_passes() -> None:
    """The render mode is text."""
    render_test(lambda render_mode=None: env(render_mode=render_mode))


@pytest.mark.slow
def test_gymnasium_check_passes() -> None:
    """Spaces, seeds, and the values of reset and step."""
    made = gymnasium.make("pwtourney.rl:Patchwork-v0", opponent=Greedy, seat=None)
    check_env(made.unwrapped)
    made = gymnasium.make("pwtourney.rl:Patchwork-v0", edition="express", render_mode="ansi")
    check_env(made.unwrapped)
    made.reset(seed=1)
    assert "agent" in str(made.render())


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("seed", [1, 2])
def test_random_rollout_follows_the_rules(edition: Edition, seed: int) -> None:
    """At each step, positions, legal actions and winner equal those of the rules."""
    world = raw_env(edition)
    world.reset(options={"deal": seed})
    state = State.start(edition, seed)
    stream = SplitMix64(seed)
    while not state.is_over:
        agent = world.agent_selection
        assert agent == f"seat_{state.to_move}"
        mask = world.observe(agent)["action_mask"]
        actions = state.legal_actions()
        assert mask.sum() == len(actions)
        action = actions[stream.below(len(actions))]
        number = world.encoding.number(action, state)
        assert mask[number] == 1
        world.step(number)
        state = state.apply(action)
        assert world.state_of_game == state
    assert world.rewards[f"seat_{state.winner}"] == 1.0
    assert sum(world.rewards.values()) == 0.0
    assert all(world.terminations.values())


@given(walks())
@pytest.mark.slow
def test_mask_marks_exactly_the_legal_actions(state: State) -> None:
    """Each number leads to its action and back."""
    encoding = ENCODINGS[state.edition.name]
    numbers = np.flatnonzero(encoding.mask(state))
    assert {encoding.action(int(number), state) for number in numbers} == set(state.legal_actions())
    for action in list(state.legal_actions())[:50]:
        assert encoding.action(encoding.number(action, state), state) == action


@pytest.mark.slow
@given(walks(), st.sampled_from([0, 1]))
def test_observation_is_in_the_space_and_equals_the_position(state: State, seat: int) -> None:
    """It is decoded number by number, in the documented order."""
    encoding = ENCODINGS[state.edition.name]
    seen = encoding.observe(state, seat)
    assert encoding.observation_space().contains(seen)
    numbers = [int(value) for value in seen["observation"]]
    squares = state.edition.rows * state.edition.columns
    own, other = state.players[seat], state.players[1 - seat]
    assert sum(bit << at for at, bit in enumerate(numbers[:squares])) == own.quilt
    assert sum(bit << at for at, bit in enumerate(numbers[squares : 2 * squares])) == other.quilt
    rest = numbers[2 * squares :]
    assert rest[:6] == [*own[1:], *other[1:]]
    moves = state.to_move == seat and not state.is_over
    tile = [int(state.tile == seat), int(state.tile == 1 - seat)]
    assert rest[6:11] == [int(moves), state.pending, *tile, len(state.late)]
    marks = state.edition.leather_marks
    assert sum(rest[11 : 11 + len(marks)]) == len(state.leather_left)
    circle = rest[11 + len(marks) :]
    for index, number in enumerate(state.circle):
        patch = state.edition.patch[number]
        expected = [patch.cost, patch.time, patch.income, len(patch.shape)]
        assert circle[4 * index : 4 * index + 4] == expected
    shapes = circle[4 * len(state.edition.patches) :]
    sizes = sum(len(state.edition.patch[offered].shape) for offered in state.offer)
    assert sum(shapes) == sizes


def test_order_of_hidden_patches_is_not_observed() -> None:
    """Two positions that differ only in this order have the same observation."""
    first = State.start(EXPRESS, 1)
    second = first._replace(late=first.late[::-1])
    encoding = ENCODINGS["express"]
    seen = [encoding.observe(state, 0)["observation"] for state in (first, second)]
    assert np.array_equal(seen[0], seen[1])


def test_illegal_action_loses() -> None:
    """In both environments; the raw one refuses a number that means no action."""
    world = env()
    world.reset(seed=1)
    world.step(1)
    assert world.terminations["seat_0"]
    assert world.rewards["seat_0"] == -1
    alone = PatchworkEnv()
    alone.reset(seed=1)
    _, reward, terminated, truncated, info = alone.step(1)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert "there is no special patch" in info["illegal"]
    bare = raw_env()
    bare.reset(seed=1)
    with pytest.raises(IllegalActionError, match="numbered from 0 to 2026"):
        bare.step(2027)


def test_one_agent_plays_whole_games_against_a_bot() -> None:
    """With legal actions in one seat; the opponent plays the other, and rewards are margins."""
    alone = PatchworkEnv(lambda: Scripted("advance"), seat=1, reward="margin")
    for deal in (3, 4):
        _, info = alone.reset(seed=deal, options={"deal": deal})
        assert alone.state_of_game.to_move == 1
        over = False
        while not over:
            assert np.array_equal(alone.action_masks(), info["action_mask"].astype(bool))
            legal = np.flatnonzero(info["action_mask"])
            _, reward, over, _, info = alone.step(legal[len(legal) // 2])
        scores = alone.state_of_game.scores
        assert reward == scores[1] - scores[0]


def test_unknown_reward_is_refused() -> None:
    """Both environments name the known ones."""
    for make in (env, PatchworkEnv):
        with pytest.raises(ValueError, match="one of result, margin, not 'margins'"):
            make(reward="margins")  # type: ignore[arg-type]


@pytest.mark.slow
def test_missing_extra_is_reported_with_a_remedy() -> None:
    """One sentence replaces the ImportError of an unknown name."""
    code = "import sys; sys.modules['pettingzoo'] = None\nimport pwtourney.rl"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert f"needs pettingzoo: {sys.executable} -m pip install gymnasium pettingzoo" in done.stderr
