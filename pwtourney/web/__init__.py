"""The front end: the ES modules and style sheets of the tournament page and the arena.

``page``, ``play``, ``watch`` and ``analyse`` have the modules of one view each. ``shared`` has the
modules that several views import, and ``styles`` the style sheets. Browsers never load a module:
each view has one script, bundled from its entry module and all modules that it imports.
"""

from pwtourney.web.assets import Asset, find_assets, find_path, read_script, read_style

__all__ = ["Asset", "find_assets", "find_path", "read_script", "read_style"]
