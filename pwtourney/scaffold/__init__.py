"""Create bots and leagues: ``pwtourney new-bot`` and ``new-league``.

``projects`` contains one small project for each language, which can be built, tested and played in
place. A new bot is a copy of it under another name. ``projects/league`` is the repository of a
league.
"""

__all__ = ()
