"""Bots by name, file or command: what they are, what they need, and how they are launched."""

__all__ = ()
