"""Named tuples, made without their own constructors where every microsecond of a ply counts."""

__all__ = ["made"]

made = tuple.__new__
"""Make a named tuple of a class from all its fields, in half the time its constructor takes."""
