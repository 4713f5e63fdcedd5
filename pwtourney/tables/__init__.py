"""Tables of games in files: CSV, JSON Lines and stores, read as results."""

__all__ = ()
