"""The views of running games and of their tournament."""

__all__ = ()
