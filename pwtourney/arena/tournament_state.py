"""The state of a tournament, on which all depends that is computed from its results."""

import json
from typing import NamedTuple

from pwtourney.store import Store, record_hash

__all__ = ["RunState", "read_state"]


class RunState(NamedTuple):
    """A state; `name` is a hash of the games, the plan and the verdicts of a tournament."""

    name: str
    is_over: bool


def read_state(store: Store) -> RunState:
    """Return the state of the tournament in a store."""
    meta = store.meta()
    # the games alone are not enough: an extended run has a new plan before it plays a game
    said = meta.model_dump(include={"over", "schedule", "gates", "ratings", "pairs"})
    return RunState(record_hash(store.head(), json.dumps(said, sort_keys=True)), meta.over)
