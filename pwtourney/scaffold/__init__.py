"""New bots and leagues: behind ``pwtourney new-bot`` and ``new-league``.

Below ``projects`` lies one small project for each language, as it is: it can be built, tested and
played where it lies. A new bot is a copy of it under another name. ``projects/league`` is the
repository of a league.
"""

__all__ = ()
