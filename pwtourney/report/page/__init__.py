"""The page of a tournament: one file that works offline, with every game to step through."""

from pwtourney.report.page.build import game_page, load_templates, page

__all__ = ["game_page", "load_templates", "page"]
