"""A Gymnasium environment: one agent against a fixed bot."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pwtourney_bots.random_bot import RandomBot

from pwtourney.clock import Limit
from pwtourney.errors import IllegalActionError
from pwtourney.notation import action_text
from pwtourney.report.boards import Boards
from pwtourney.rl.encoding import Encoding, Observation
from pwtourney.rl.rewards import Reward, rewards_of
from pwtourney.rules import Action, Edition, State, find_edition
from pwtourney.sdk import Bot
from pwtourney.sdk.bot import InProcess

__all__ = ["PatchworkEnv"]


class PatchworkEnv(gymnasium.Env[Observation, np.int64]):
    """An agent plays whole games against a bot of the SDK, which is called in between.

    `opponent` makes the bot, anew for each game; without one it plays at random. `seat` is the
    agent's; None draws it for each game. `move_ms` is what the bot is told that it may take.
    An illegal action ends the game with −1. ``options={"deal": SEED}`` of `reset` deals from that
    seed.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        opponent: Callable[[], Bot] = RandomBot,
        *,
        edition: Edition | str = "original",
        seat: int | None = 0,
        reward: Reward = "result",
        move_ms: int = 1000,
        render_mode: str | None = None,
    ) -> None:
        found = find_edition(edition) if isinstance(edition, str) else edition
        self.encoding = Encoding(found)
        self.observation_space = self.encoding.observation_space()  # type: ignore[assignment]
        self.action_space = self.encoding.action_space()
        self.render_mode = render_mode
        self._opponent = opponent
        self._wanted = seat
        self._reward = reward
        self._limit = Limit(move_ms=move_ms)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a game, and let the bot play until it is the agent's turn."""
        super().reset(seed=seed)
        dealt = int(self.np_random.integers(2**63))
        dealt = (options or {}).get("deal", dealt)
        drawn = int(self.np_random.integers(2))
        self.seat = drawn if self._wanted is None else self._wanted
        self.state_of_game = State.start(self.encoding.edition, dealt)
        self._boards = Boards(self.encoding.edition)
        its_seed = int(self.np_random.integers(2**53))
        self._bot = InProcess(self._opponent(), self.encoding.edition, 1 - self.seat, its_seed)
        self._let_it_play()
        return self._observe(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action, and let the bot play until it is the agent's turn again."""
        try:
            played = self.encoding.action(int(action), self.state_of_game)
            text = action_text(played, self.encoding.edition)
            self._play(played, text)
        except IllegalActionError as error:
            return self._observe(), -1.0, True, False, {**self._info(), "illegal": str(error)}
        self._bot.heard_of(text)
        self._let_it_play()
        if not self.state_of_game.is_over:
            return self._observe(), 0.0, False, False, self._info()
        self._bot.end(self.state_of_game)
        reward = rewards_of(self.state_of_game, self._reward)[self.seat]
        return self._observe(), reward, True, False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, as maskable algorithms ask for it."""
        return self.encoding.mask(self.state_of_game).astype(np.bool_)

    def render(self) -> str | None:
        """Return both quilts as text, if the mode is ``ansi``."""
        if self.render_mode is None:
            return None
        names = ("agent", "bot") if self.seat == 0 else ("bot", "agent")
        return self._boards.draw(self.state_of_game, names).plain

    def _let_it_play(self) -> None:
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
