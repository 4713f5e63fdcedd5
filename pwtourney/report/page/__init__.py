"""The page of a tournament: one offline file with its charts, bots and games."""

__all__ = ()
