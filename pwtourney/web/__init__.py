"""The front end: ES modules and styles that the page of a tournament and the arena share.

``page``, ``play``, ``watch`` and ``analyse`` have the modules of one view each, ``shared`` those
that several views import, ``styles`` the style sheets. A browser is never sent a module: each view
gets one script, made of the module that begins it and of all that this imports.
"""

from pwtourney.web.assets import Asset, find_assets, find_path, read_script, read_style

__all__ = ["Asset", "find_assets", "find_path", "read_script", "read_style"]
