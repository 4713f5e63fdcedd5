"""Analysis of games and positions by bots."""

__all__ = ()
