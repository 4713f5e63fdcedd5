"""How an arena talks with browsers: the server, its guards, pages and events."""

__all__ = ()
