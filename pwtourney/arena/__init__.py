"""The arena: watch, play and analyse games in the browser.

Only this package imports Starlette and uvicorn, which come with the extra ``[web]``. The names
exported here need neither.
"""

from pwtourney.arena.folders import find_sample, open_folder
from pwtourney.arena.setting import Arena, find_games

__all__ = ["Arena", "find_games", "find_sample", "open_folder"]
