"""Games as they are played, and the page of the tournament that they belong to."""

__all__ = ()
