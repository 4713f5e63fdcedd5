"""Games and positions about which bots are asked."""

__all__ = ()
