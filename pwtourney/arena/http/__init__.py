"""The HTTP side of an arena: access checks, pages and events."""

__all__ = ()
