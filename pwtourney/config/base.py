"""What all tables of the tournament file have in common."""

from pydantic import BaseModel, ConfigDict

__all__ = ["Strict"]


class Strict(BaseModel):
    """A table that takes no other keys, converts nothing, and does not change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
