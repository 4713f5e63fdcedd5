"""Tables at which people, bots and the Automa play, and what their pages ask for."""

__all__ = ()
