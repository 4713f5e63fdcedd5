"""A name for the state of a tournament: what was computed is valid as long as the name stays."""

import json

from pwtourney.store import Store, record_hash

__all__ = ["name_state"]


def name_state(store: Store) -> str:
    """Return a hash of the games, the plan and the verdicts of a tournament."""
    meta = store.meta()
    # the games alone are not enough: an extended run has a new plan before it plays a game
    said = meta.model_dump(include={"over", "schedule", "gates", "ratings", "pairs"})
    return record_hash(store.head(), json.dumps(said, sort_keys=True))
