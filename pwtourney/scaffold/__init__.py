"""New bots, ready to play: behind ``pwtourney new-bot``.

Below ``projects`` lies one small project for each language, as it is: it can be built, tested and
played where it lies. A new bot is a copy of it under another name.
"""

from pwtourney.scaffold.create import LANGUAGES, Language, create_bot

__all__ = ["LANGUAGES", "Language", "create_bot"]
