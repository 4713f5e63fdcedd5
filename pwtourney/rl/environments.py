"""The environments: two agents that move in turn, and one agent against a fixed bot."""

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from pwtourney.bots.names import load_installed
from pwtourney.clock import Limit
from pwtourney.errors import IllegalActionError
from pwtourney.notation import action_text
from pwtourney.report.text.boards import Boards
from pwtourney.rl.encoding import Encoding, Observation, Reward, find_rewards
from pwtourney.rules import Action, Edition, State, find_edition
from pwtourney.sdk import Bot
from pwtourney.sdk.bot import InProcess

__all__ = ["PatchworkEnv", "TurnsEnv", "env", "raw_env"]

_AGENTS = ("seat_0", "seat_1")


def env(
    edition: Edition | str = "original",
    *,
    reward: Reward = "result",
    render_mode: str | None = None,
) -> "AECEnv[str, Observation, int]":
    """Return the environment of two agents with PettingZoo's usual wrappers.

    An illegal action ends the game with −1 for the agent and 0 for the other. An action outside the
    space, or a call out of order, raises an error.
    """
    # In the order of PettingZoo's own environments: the last wrapper is called first.
    world: AECEnv[str, Observation, int] = raw_env(edition, reward=reward, render_mode=render_mode)
    world = wrappers.TerminateIllegalWrapper(world, illegal_reward=-1)
    world = wrappers.AssertOutOfBoundsWrapper(world)
    return wrappers.OrderEnforcingWrapper(world)


class TurnsEnv(AECEnv):  # type: ignore[misc]
    """A PettingZoo environment for two agents, ``seat_0`` and ``seat_1``; legal actions only.

    `reset` deals from its seed, or with ``options={"deal": SEED}`` from that seed, as
    ``pwtourney play --deal`` does. `state_of_game` is the position. Rewards come at the end: see
    `Reward`.
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
        self.encoding = Encoding(find_edition(edition) if isinstance(edition, str) else edition)
        self.render_mode = render_mode
        self._rewards_of = find_rewards(reward)
        self.possible_agents = list(_AGENTS)
        self.action_spaces = {agent: self.encoding.action_space() for agent in _AGENTS}
        self.observation_spaces = {agent: self.encoding.observation_space() for agent in _AGENTS}
        self._random, _ = seeding.np_random()

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the observation space of an agent."""
        # The same object at every call, as PettingZoo requires: a space has its own random numbers.
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the action space of an agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        # Drawn even if the options name a deal, so that the games after this one stay the same.
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
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in _AGENTS}

    def observe(self, agent: str) -> Observation:
        """Return the observation of an agent."""
        return self.encoding.observe(self.state_of_game, _AGENTS.index(agent))

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; raises `IllegalActionError`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # how PettingZoo lets agents leave one after the other
            return
        state = self.state_of_game
        played = self.encoding.action(int(action), state)  # type: ignore[arg-type]
        self.state_of_game = state.apply(played)
        self._boards.put(state.to_move, action_text(played, state.edition))
        # `last` gives an agent what it has earned since its own last step.
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.agent_selection = _AGENTS[self.state_of_game.to_move]
        if self.state_of_game.is_over:
            rewards = self._rewards_of(self.state_of_game)
            self.rewards = dict(zip(_AGENTS, rewards, strict=True))
            self.terminations = dict.fromkeys(_AGENTS, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return both quilt boards as text if the mode is ``ansi``, else None."""
        if self.render_mode is None:
            gymnasium.logger.warn("render needs a render_mode")  # as PettingZoo's environments do
            return None
        return self._boards.draw(self.state_of_game, _AGENTS).plain

    def close(self) -> None:
        """Do nothing: PettingZoo requires the method, and there is nothing to close."""


raw_env = TurnsEnv
"""The environment without wrappers, under PettingZoo's usual name."""


class PatchworkEnv(gymnasium.Env[Observation, np.int64]):
    """A Gymnasium environment: an agent against a bot of the SDK, which moves in between.

    `opponent` makes the bot, a new one for each game; the default plays at random. `seat` is the
    agent's; None draws it for each game. `move_ms` is the time limit that the bot is given. An
    illegal action ends the game with −1. ``options={"deal": SEED}`` of `reset` deals from that
    seed.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        opponent: Callable[[], Bot] | None = None,
        *,
        edition: Edition | str = "original",
        seat: int | None = 0,
        reward: Reward = "result",
        move_ms: int = 1000,
        render_mode: str | None = None,
    ) -> None:
        self.encoding = Encoding(find_edition(edition) if isinstance(edition, str) else edition)
        self.observation_space = self.encoding.observation_space()  # type: ignore[assignment]
        self.action_space = self.encoding.action_space()
        self.render_mode = render_mode
        self._opponent = load_installed("random") if opponent is None else opponent
        self._wanted_seat = seat
        self._rewards_of = find_rewards(reward)
        self._limit = Limit(move_ms=move_ms)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a game, and let the bot play until it is the agent's turn."""
        super().reset(seed=seed)
        # All are drawn at every reset, even if not needed: whatever the options say, the games that
        # follow from a seed stay the same.
        dealt = int(self.np_random.integers(2**63))
        dealt = (options or {}).get("deal", dealt)
        seat = int(self.np_random.integers(2))
        self.seat = seat if self._wanted_seat is None else self._wanted_seat
        self.state_of_game = State.start(self.encoding.edition, dealt)
        self._boards = Boards(self.encoding.edition)
        bot_seed = int(self.np_random.integers(2**53))
        self._bot = InProcess(self._opponent(), self.encoding.edition, 1 - self.seat, bot_seed)
        self._let_bot_play()
        return self._observe(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action, and let the bot play until it is the agent's turn again."""
        try:
            played = self.encoding.action(int(action), self.state_of_game)
            text = action_text(played, self.encoding.edition)
            self._play(played, text)
        except IllegalActionError as error:
            return self._observe(), -1.0, True, False, {**self._info(), "illegal": str(error)}
        self._bot.hear(text)
        self._let_bot_play()
        if not self.state_of_game.is_over:
            return self._observe(), 0.0, False, False, self._info()
        self._bot.end(self.state_of_game)
        reward = self._rewards_of(self.state_of_game)[self.seat]
        return self._observe(), reward, True, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, in the form that maskable algorithms need."""
        return self.encoding.mask(self.state_of_game).astype(np.bool_)

    def render(self) -> str | None:
        """Return both quilt boards as text if the mode is ``ansi``, else None."""
        if self.render_mode is None:
            return None
        names = ("agent", "bot") if self.seat == 0 else ("bot", "agent")
        return self._boards.draw(self.state_of_game, names).plain

    def _let_bot_play(self) -> None:
        # A loop, because one player may move several times in a row.
        while self.state_of_game.to_move != self.seat and not self.state_of_game.is_over:
            action = self._bot.choose(self.state_of_game, self._limit)
            self._play(action, action_text(action, self.encoding.edition))

    def _play(self, action: Action, text: str) -> None:
        mover = self.state_of_game.to_move
        self.state_of_game = self.state_of_game.apply(action)
        self._boards.put(mover, text)

    def _observe(self) -> Observation:
        return self.encoding.observe(self.state_of_game, self.seat)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._observe()["action_mask"]}
