"""Patchwork as an environment for reinforcement learning, with the same rules as everything else.

`env` makes a PettingZoo environment for two agents that move in turn. `PatchworkEnv` is a Gymnasium
environment for one agent against a fixed bot, registered for ``gymnasium.make`` as
``pwtourney.rl:Patchwork-v0``. Both need ``pip install '.[rl]'``. Observations and the
numbers of actions are described in `Encoding`, and in ``docs/reinforcement-learning.md``.
"""

from pwtourney.errors import install_command

try:
    import gymnasium
    import pettingzoo  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"pwtourney.rl needs {error.name}: {install_command('gymnasium', 'pettingzoo')}",
        name=error.name,
    ) from error

from pwtourney.rl.encoding import Encoding
from pwtourney.rl.environments import PatchworkEnv, env, raw_env

gymnasium.register("Patchwork-v0", entry_point="pwtourney.rl:PatchworkEnv")

__all__ = ["Encoding", "PatchworkEnv", "env", "raw_env"]
