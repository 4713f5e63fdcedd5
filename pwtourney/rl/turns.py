"""A PettingZoo environment: two agents, ``seat_0`` and ``seat_1``, who move in turn."""

from typing import Any, ClassVar

import gymnasium
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from pwtourney.notation import action_text
from pwtourney.report.boards import Boards
from pwtourney.rl.encoding import Encoding, Observation
from pwtourney.rl.rewards import Reward, rewards_of
from pwtourney.rules import Edition, State, find_edition

__all__ = ["TurnsEnv", "env", "raw_env"]

_AGENTS = ("seat_0", "seat_1")


def env(
    edition: Edition | str = "original",
    *,
    reward: Reward = "result",
    render_mode: str | None = None,
) -> "AECEnv[str, Observation, int]":
    """Return the environment as agents should meet it.

    An illegal action ends the game with −1 for the agent and 0 for the other; an action outside
    the space, or a call out of order, is told.
    """
    found: AECEnv[str, Observation, int] = raw_env(edition, reward=reward, render_mode=render_mode)
    found = wrappers.TerminateIllegalWrapper(found, illegal_reward=-1)
    found = wrappers.AssertOutOfBoundsWrapper(found)
    return wrappers.OrderEnforcingWrapper(found)


class TurnsEnv(AECEnv):  # type: ignore[misc]
    """The environment itself: legal actions only.

    `reset` deals from its seed; with ``options={"deal": SEED}`` from that seed, as ``pwtourney
    play --deal`` does. `state_of_game` is the position. Rewards come at the end: see `Reward`.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "patchwork_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        edition: Edition | str = "original",
        *,
        reward: Reward = "result",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        found = find_edition(edition) if isinstance(edition, str) else edition
        self.encoding = Encoding(found)
        self.render_mode = render_mode
        self._reward = reward
        self.possible_agents = list(_AGENTS)
        self.action_spaces = {each: self.encoding.action_space() for each in _AGENTS}
        self.observation_spaces = {each: self.encoding.observation_space() for each in _AGENTS}
        self._random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return what an agent can see."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return what an agent can do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        dealt = int(self._random.integers(2**63))
        dealt = (options or {}).get("deal", dealt)
        self.state_of_game = State.start(self.encoding.edition, dealt)
        self._boards = Boards(self.encoding.edition)
        self.agents = list(_AGENTS)
        self.agent_selection = _AGENTS[0]
        self.rewards = dict.fromkeys(_AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(_AGENTS, 0.0)
        self.terminations = dict.fromkeys(_AGENTS, False)
        self.truncations = dict.fromkeys(_AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {each: {} for each in _AGENTS}

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees."""
        return self.encoding.observe(self.state_of_game, _AGENTS.index(agent))

    def step(self, action: int | None) -> None:
        """Play an action of the agent that is selected; raises `IllegalActionError`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        state = self.state_of_game
        played = self.encoding.action(int(action), state)  # type: ignore[arg-type]
        self.state_of_game = state.apply(played)
        self._boards.put(state.to_move, action_text(played, state.edition))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.agent_selection = _AGENTS[self.state_of_game.to_move]
        if self.state_of_game.is_over:
            self.rewards = dict(
                zip(_AGENTS, rewards_of(self.state_of_game, self._reward), strict=True)
            )
            self.terminations = dict.fromkeys(_AGENTS, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return both quilts as text, if the mode is ``ansi``."""
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render_mode")
            return None
        drawn = self._boards.draw(self.state_of_game, _AGENTS)
        return drawn.plain

    def close(self) -> None:
        """Do nothing: PettingZoo asks for the method, and there is nothing to put away."""


raw_env = TurnsEnv
"""The environment without wrappers, under the name that PettingZoo gives it."""
