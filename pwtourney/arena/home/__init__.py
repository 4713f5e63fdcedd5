"""The first page of an arena, which leads to everything that it has."""

__all__ = ()
