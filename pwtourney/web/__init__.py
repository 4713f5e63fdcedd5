"""The front end: the ES modules and style sheets of the tournament page and the arena.

``home``, ``page``, ``play``, ``watch`` and ``analyse`` have the modules of one view each, ``game``
the parts of a game's view that three of them show. ``shared`` has the modules that several views
import, ``styles`` the style sheets, and ``templates`` what all pages have in common. Browsers never
load a module: each view has one script, bundled from its entry module and all modules that it
imports.
"""

from pwtourney.web.assets import (
    TEMPLATES,
    Asset,
    find_assets,
    find_path,
    format_icon_uri,
    read_script,
    read_style,
)

__all__ = [
    "TEMPLATES",
    "Asset",
    "find_assets",
    "find_path",
    "format_icon_uri",
    "read_script",
    "read_style",
]
