"""The side of an arena that talks with browsers: guards, pages and events."""

__all__ = ()
